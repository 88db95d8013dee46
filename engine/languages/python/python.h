// SPDX-License-Identifier: Apache-2.0
// Python 3.
#pragma once

#include "engine/languages/languages.h"

namespace glovebox {

std::unique_ptr<Language> makePython();

} // namespace glovebox
