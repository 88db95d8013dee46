// SPDX-License-Identifier: Apache-2.0
// Files that decide what is allowed: obeyed only where nobody but the person, and root, can have written them.
#pragma once

#include "engine/base/result.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace glovebox {

// An error names the first folder above path, links resolved, in which somebody else could put another file in its place: one that
// belongs to neither this user nor root, or that others can write to (a sticky one may be, as /tmp is). As sshd's StrictModes.
Status checkFoldersAbove(const QString &path);

// The whole of a file of at most mostBytes; nothing: there is none. An error where it is no regular file, where somebody else
// owns it or can write to it or to a folder above it, or where it is larger. Never waits for a FIFO or a device.
Result<std::optional<QByteArray>> readOwnFile(const QString &path, qint64 mostBytes);

} // namespace glovebox
