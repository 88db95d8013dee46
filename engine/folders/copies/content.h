// SPDX-License-Identifier: Apache-2.0
// The content of regular files. Holes stay holes: a file of a terabyte may take no space at all.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>

#include <functional>

namespace glovebox {

// A regular file for reading, without following a link; none with errno. mode: its permissions. Where these close it even to its owner,
// it is open to them while it is being opened, and then has this mode.
UniqueFd openClosedFile(int parent, const QByteArray &name, quint32 mode);

// Asked with each piece of a file, how many bytes it had; false: no more of it is read or written.
using GoesOn = std::function<bool(qint64 bytes)>;

// From one descriptor into the empty file of the other; bytes that were copied, holes left out, or -1 with errno. Shares the blocks
// where the file system can. Stops past most bytes. ECANCELED: it doesn't go on.
qint64 copyContent(int from, int to, qint64 most, const GoesOn &goesOn = {});
// Both are readable descriptors of regular files.
bool haveSameContent(int a, int b);
// The same for the same bytes, wherever the holes are. Empty: the file can't be read, or it doesn't go on.
QByteArray digestOfContent(int file, const GoesOn &goesOn = {});
// How many bytes are no holes; -1 with errno.
qint64 bytesOfContent(int file);

} // namespace glovebox
