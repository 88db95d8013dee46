// SPDX-License-Identifier: Apache-2.0
// A plan or a report that can't be read is told from one that can, and costs no more than its own length.
#include "engine/launcher/plan.h"
#include "engine/launcher/protocol.h"

#include <cassert>

using namespace glovebox::launcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char *>(data), size);
    Plan plan;
    if (plan.decode(bytes))
        assert(plan.encode() == bytes);

    Reader report(bytes);
    Message kind{};
    report.get(kind);
    std::vector<Finding> findings;
    report.get(findings);
    assert(findings.size() <= bytes.size());
    return 0;
}
