// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

namespace glovebox::mcp {

void offerResources(Catalogue & /*catalogue*/) { }

} // namespace glovebox::mcp
