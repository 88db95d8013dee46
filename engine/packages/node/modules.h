// SPDX-License-Identifier: Apache-2.0
// Modules that code requires: which one an uncaught MODULE_NOT_FOUND names, and whose package has it.
#pragma once

#include <QByteArrayList>
#include <QStringList>

#include <optional>

namespace glovebox {

// The module that an uncaught error of the loader at the end of these lines names ("lodash/fp"); empty: they end otherwise.
QString missedNodeModule(const QByteArrayList &lines);
const QStringList &nodesOwnModules();
// Of "lodash/fp" lodash, of "@a/b/c" @a/b. Nothing: no package has such a name.
std::optional<QString> packageOfNodeModule(const QString &module);

} // namespace glovebox
