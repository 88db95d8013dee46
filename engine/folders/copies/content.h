// SPDX-License-Identifier: Apache-2.0
// The content of regular files. Holes stay holes: a file of a terabyte may take no space at all.
#pragma once

#include <QByteArray>

namespace glovebox {

// From one descriptor into the empty file of the other; bytes that were copied, holes left out, or -1 with errno. Shares the blocks
// where the file system can. Stops past most bytes.
qint64 copyContent(int from, int to, qint64 most);
// Both are readable descriptors of regular files.
bool haveSameContent(int a, int b);
// The same for the same bytes, wherever the holes are. Empty: the file can't be read.
QByteArray digestOfContent(int file);
// How many bytes are no holes; -1 with errno.
qint64 bytesOfContent(int file);

} // namespace glovebox
