// SPDX-License-Identifier: Apache-2.0
// The environment of every sealed interpreter: made up, the same on every machine, nothing of the person's.
#pragma once

#include "languages.h"

namespace glovebox {

// Where the files of the recipe's driver are inside.
inline constexpr char driverFolder[] = "/run/glovebox";

// NAME=value.
QByteArrayList sealedEnvironment(const InterpreterCandidate &interpreter);

} // namespace glovebox
