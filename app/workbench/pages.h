// SPDX-License-Identifier: Apache-2.0
// The pages of the workbench, in the order of the rail. A new page is one line in pages.cpp.
#pragma once

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <memory>
#include <vector>

namespace glovebox {

std::vector<std::unique_ptr<Page>> makePages(WorkbenchContext &context);

} // namespace glovebox
