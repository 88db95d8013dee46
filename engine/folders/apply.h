// SPDX-License-Identifier: Apache-2.0
// Puts changes of a copy into the original.
#pragma once

#include "copy.h"

namespace glovebox {

// Each change by itself: at once or not at all. What was applied is brought up to date in tree, so that what was refused is
// what is found different next time. original and copy: folders, readable.
// temporary: name of what is being written, beside its place; nobody else knows it, and what an earlier try left under it is removed.
ApplyReport applyChanges(const QList<FolderChange> &changes, int original, int copy, CopiedTree &tree,
                         const QByteArray &temporary);

} // namespace glovebox
