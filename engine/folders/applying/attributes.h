// SPDX-License-Identifier: Apache-2.0
// Gives what applying writes the permissions, owner and time that it is to have. Descriptors are of what is written; those that return
// a bool say false with errno.
#pragma once

#include "engine/folders/copies/copy.h"

namespace glovebox {

// Also true where the file system has no such permissions.
bool takeMode(int fd, const KeptChange &kept, quint32 mode);
// parent: the folder that the entry goes into. Also true where only root could.
bool takeOwner(int fd, int parent, const KeptChange &kept);
void takeTime(int fd, const KeptChange &kept);

} // namespace glovebox
