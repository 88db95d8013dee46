// SPDX-License-Identifier: Apache-2.0
// Names of wheels, and locks that are made of them.
#pragma once

#include "engine/packages/packages.h"

namespace glovebox {

// What a wheel's file name says (https://packaging.python.org/en/latest/specifications/binary-distribution-format/): name and version.
// Nothing: it is no such name.
std::optional<LockedPackage> packageOfWheel(const QString &file);

// One requirement of pip, and the pieces of a text that are one each.
Result<Requirement> pythonRequirement(const QString &text);
QStringList pythonWords(const QString &text);

// By name, each once.
bool isInOrder(const QList<LockedPackage> &packages);

// Requirements of pip, each with its hash, for --require-hashes.
QByteArray hashedRequirements(const QList<LockedPackage> &packages);

// The lock of what a download left in the session, where nothing but wheels may be. Damaged: something else is.
Result<QList<LockedPackage>> wheelsIn(const SessionTree &tree);

} // namespace glovebox
