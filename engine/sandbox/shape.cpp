// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include <QHash>

namespace glovebox {

// What tells shapes apart in practice is enough: equal ones must agree, others may.
std::size_t qHash(const SandboxShape &shape, std::size_t seed)
{
    return qHashMulti(seed, shape.argv, shape.environment, shape.folders, shape.listeners.size(),
                      shape.limits.memoryBytes, shape.limits.processes, shape.workspace.bytes, shape.strict);
}

} // namespace glovebox
