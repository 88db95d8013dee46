// SPDX-License-Identifier: Apache-2.0
// Glovebox's entry in configuration files of other programs: whatever is understood takes the entry and gives it back, and no
// other byte changes. The first byte says which format.
#include "engine/mcp/clients/formats/layout.h"

#include <cassert>

using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const QByteArray text(reinterpret_cast<const char *>(data) + 1, qsizetype(size) - 1);
    if (!text.isValidUtf8() || text.contains('\0'))
        return 0;
    const auto layouts = {jsonLayout, tomlLayout, yamlLayout};
    const auto layoutOf = layouts.begin()[*data % layouts.size()];
    const ClientProgram program{
        .id = {}, .section = u"servers"_s, .commandKey = u"command"_s, .before = {}, .after = {}};
    const auto layout = layoutOf(text, program, u"/usr/bin/glovebox"_s);
    if (!layout) {
        assert(layout.error().at >= 0 && layout.error().at <= text.size());
        return 0;
    }
    const Splices &change = layout->hasEntry ? layout->removal : layout->addition;
    const QByteArray changed = spliced(text, change);
    const auto after = layoutOf(changed, program, u"/usr/bin/glovebox"_s);
    // The planner looks at this, too, and refuses; what it has to refuse is at most a removal from between others' comments.
    if (!after || after->others != layout->others || after->hasEntry == layout->hasEntry) {
        assert(layout->hasEntry);
        return 0;
    }
    if (!layout->hasEntry)
        assert(after->command && after->command->value == u"/usr/bin/glovebox"_s && after->arguments);
    return 0;
}
