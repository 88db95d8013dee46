// SPDX-License-Identifier: Apache-2.0
// Asks interpreters for their version, sealed: a program on PATH may be anything.
#pragma once

#include "engine/languages/languages.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox {

// Answers nullopt when nothing can run sealed here. At most 5 s a program.
VersionQuestion askSealed(std::shared_ptr<Backend> backend);

} // namespace glovebox
