// SPDX-License-Identifier: Apache-2.0
// What a file system does at once, where doing it file by file takes longer.
#pragma once

#include <QtGlobal>

#include <cstddef>

namespace glovebox {

// Returns when all that was written in a folder, and below it, is on the disk. By POSIX each file below is opened and waited for.
// False: with errno.
bool syncBelow(int folder);
// Copies bytes between two files, whose blocks may then be one; fewer where there are no more. -1 with errno: these files can't, and none
// can by POSIX.
qint64 copyRange(int from, qint64 fromAt, int to, qint64 toAt, std::size_t most);

} // namespace glovebox
