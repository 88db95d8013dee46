// SPDX-License-Identifier: Apache-2.0
// bash, and sh whatever it is on this machine.
#pragma once

#include "engine/languages/languages.h"

namespace glovebox {

std::unique_ptr<Language> makeBash();
std::unique_ptr<Language> makeSh();

} // namespace glovebox
