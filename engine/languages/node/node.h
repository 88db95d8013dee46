// SPDX-License-Identifier: Apache-2.0
// JavaScript by Node.js.
#pragma once

#include "engine/languages/languages.h"

namespace glovebox {

std::unique_ptr<Language> makeNode();

} // namespace glovebox
