// SPDX-License-Identifier: Apache-2.0
// Which programs of this machine can run a language inside a sandbox, where /usr is shown but the person's home is not; and
// what these find there.
#pragma once

#include "languages.h"

#include <functional>

namespace glovebox {

// Whether a program of this file name is an interpreter at all, and not a shim that chooses one.
using IsInterpreter = std::function<bool(const QString &fileName)>;

// Whether these programs of a folder can be looked at without waiting for its file system; an error: why it is skipped.
using FolderQuestion = std::function<Status(const QString &folder, const QStringList &programs)>;

// All that are there, in the order of PATH, then /usr/local/bin, /usr/bin and /bin; each program once. Versions are not
// asked for. Relative entries of PATH are no places to look: they would let the current folder choose. Skipped folders come last, as
// candidates that aren't usable.
QList<InterpreterCandidate> lookForInterpreters(const Language &language, const IsInterpreter &isInterpreter,
                                                const std::optional<HostIdentity> &identity,
                                                const FolderQuestion &question);

// The environment of a sealed interpreter, NAME=value: made up, the same on every machine, nothing of the person's.
QByteArrayList sealedEnvironment(const InterpreterCandidate &interpreter);
// Where the files of a recipe's driver are inside.
inline constexpr char driverFolder[] = "/run/glovebox";

} // namespace glovebox
