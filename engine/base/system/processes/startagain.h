// SPDX-License-Identifier: Apache-2.0
// What a program needs to start itself once more.
#pragma once

#include <QByteArray>

namespace glovebox {

// A path that leads to this program, also where another version has taken its place meanwhile; by POSIX to what is in its place.
QByteArray pathOfThisProgram();
// Nothing of what is open from this number on is a program's that this one executes.
void closeOnExecFrom(int descriptor);

} // namespace glovebox
