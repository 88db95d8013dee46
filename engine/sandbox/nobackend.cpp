// SPDX-License-Identifier: Apache-2.0
// For platforms without a native backend: nothing runs there, and the engine says so.
#include "sandbox.h"

namespace glovebox {

std::unique_ptr<Backend> makeNativeBackend(const QString &, const QString &)
{
    return nullptr;
}

std::optional<HostIdentity> runIdentity()
{
    return std::nullopt;
}

} // namespace glovebox
