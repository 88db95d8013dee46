// SPDX-License-Identifier: Apache-2.0
// What tools that install packages share.
#pragma once

#include "engine/mcp/tools/tool.h"

namespace glovebox::mcp {

// Waits for the packages on behalf of a call, and tells the client meanwhile what goes on. Nothing: the call has to answer, and the
// installation goes on until the same call comes again. Cancelled: the call was, and the installation with it.
Result<std::optional<InstalledPackages>> waitFor(const Call &call, const std::shared_ptr<Installation> &installation);
// WantedInstallation::call: by the tool and these of its arguments.
QByteArray nameOfCall(const QString &tool, const QJsonObject &arguments, const QStringList &names);

// A list of packages, one a string.
QJsonObject packagesArgument(const QString &description);
Result<QList<Requirement>> requirementsFrom(const QJsonArray &packages, const QString &language);

// PackageWish::sources.
QJsonObject sourcesArgument();
Result<QStringList> sourcesFrom(const QJsonArray &names, const QString &language);
// PackageWish::scripts.
QJsonObject scriptsArgument();
Result<QStringList> scriptsFrom(const QJsonArray &names, const QString &language);

} // namespace glovebox::mcp
