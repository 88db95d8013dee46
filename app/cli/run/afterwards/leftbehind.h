// SPDX-License-Identifier: Apache-2.0
// Tells of the files that a run left, and saves them where the person wants them.
#pragma once

#include "app/cli/run/runoptions.h"

namespace glovebox {

// On standard error. False: some that are kept could not be saved.
bool saveLeftFiles(const ContentStore &store, const RunOptions &options, const RunResult &result);

} // namespace glovebox
