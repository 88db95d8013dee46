// SPDX-License-Identifier: Apache-2.0
// Modules that code imports: which one an uncaught ModuleNotFoundError names, and whose package has it.
#pragma once

#include <QByteArrayList>
#include <QStringList>

#include <optional>

namespace glovebox {

// The module that an uncaught ModuleNotFoundError at the end of these lines names; empty: they end otherwise, or the name is no
// module's that could be there. Of a name with dots the parts before the last are there.
QString missedPythonModule(const QByteArrayList &lines);
const QStringList &pythonsOwnModules();
// Empty: there are several, or none that the name alone means. Nothing: what is there without the last part of the name has a package.
std::optional<QString> packageOfPythonModule(const QString &module);

} // namespace glovebox
