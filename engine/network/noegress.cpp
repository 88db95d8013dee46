// SPDX-License-Identifier: Apache-2.0
// Where no run can have a network of its own, none is opened.
#include "egress.h"

namespace glovebox {

Result<std::unique_ptr<Egress>> Egress::start(const EgressSpec &, std::vector<UniqueFd>)
{
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP("engine", "The network can't be opened to runs on this operating system."));
}

Egress::~Egress() = default;

bool Egress::receive()
{
    return false;
}

void Egress::finish() { }

} // namespace glovebox
