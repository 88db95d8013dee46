// SPDX-License-Identifier: Apache-2.0
// Sources of packages, what builds them, and the wheels that come of it: as files that runs left, and in locks.
#pragma once

#include "engine/packages/tasks.h"

namespace glovebox {

QList<LockedPackage> wheelsOfTools(const QList<BuildTool> &tools);

// The source in the folder "source" and the wheels in the folder "tools" of a session, in which nothing else but wheels that were built
// before may be. Without a wheel of its own yet. Damaged.
Result<LockedPackage> sourceIn(const SessionTree &tree, const SourceWish &wanted);

// The package with its wheel, the only one of its name in the folder "built". Code of the package may have made it, and all else there.
// Damaged: there is none of that name and version.
Result<LockedPackage> builtWheelIn(const SessionTree &tree, const LockedPackage &package);

// {"name","version","source":{"sha256","bytes","tools":[{"name","version","file","sha256","bytes"}]}}
QJsonObject builtPackageJson(const LockedPackage &package, const BuiltFrom &from);
std::expected<LockedPackage, Text> readBuiltPackage(const QJsonObject &object);

} // namespace glovebox
