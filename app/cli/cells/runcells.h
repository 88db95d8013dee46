// SPDX-License-Identifier: Apache-2.0
// `glovebox run --stateful`: cells go one after the other to the session's interpreter, which stays as long as the command runs.
#pragma once

#include "celloptions.h"

namespace glovebox {

// The exit status: of the first cell that failed, else 0. Of cells that a person typed: 0.
int runCells(const CellOptions &options);

} // namespace glovebox
