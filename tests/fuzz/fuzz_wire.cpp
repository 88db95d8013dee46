// SPDX-License-Identifier: Apache-2.0
// A plan, an assignment or a report that can't be read is told from one that can, and costs no more than its own length.
#include "engine/launcher/plan.h"
#include "engine/launcher/protocol.h"

#include <cassert>

using namespace glovebox;
using namespace glovebox::launcher;

namespace {

template<Record T> T read(const std::string &bytes)
{
    T record;
    Reader in(bytes);
    in.get(record);
    if (in.done())
        assert(Writer().put(record).bytes() == bytes);
    return record;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char *>(data), size);
    read<Plan>(bytes);
    read<Assignment>(bytes);
    read<MainExit>(bytes);
    read<End>(bytes);
    assert(!enumName(read<SetupError>(bytes).stage).empty());
    const auto verdict = read<Verdict>(bytes);
    assert(verdict.findings.size() <= bytes.size());
    for (const Finding &finding : verdict.findings)
        assert(!enumName(finding.control).empty());
    return 0;
}
