// SPDX-License-Identifier: Apache-2.0
// The part of a sandbox that can be built before its run is known.
#include "pipeline.h"

#include "live/runnetwork.h"

namespace glovebox {

SandboxShape shapeFor(const LaunchRecipe &recipe, const Policy &policy)
{
    const Limits &limits = policy.limits;
    SandboxShape shape;
    shape.argv = recipe.argv;
    shape.environment = recipe.environment;
    shape.folders = recipe.folders;
    shape.modules = recipe.modules;
    shape.supportFiles = recipe.driver;
    shape.limits = {limits.memoryBytes, limits.processes, limits.cpu, limits.cpuPercent};
    shape.workspace = Tmpfs{limits.diskBytes, limits.diskFiles()};
    shape.strict = policy.strict;
    shape.hasDriver = !recipe.driver.isEmpty();
    planNetwork(policy, shape);
    return shape;
}

} // namespace glovebox
