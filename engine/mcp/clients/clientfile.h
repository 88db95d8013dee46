// SPDX-License-Identifier: Apache-2.0
// Configuration files of other programs: read whole, and replaced so that nothing which somebody else wrote meanwhile is lost.
#pragma once

#include "engine/base/base.h"

#include <optional>

namespace glovebox::mcp {

// path with its links followed. NotFound: a link leads to nothing.
Result<QString> linkedFile(const QString &path);
// The whole of a regular file of at most 64 MiB; nothing: there is none. Never waits for a FIFO or a device.
Result<std::optional<QByteArray>> readClientFile(const QString &path);
// Busy: the file isn't as before says any more.
Status checkUnchanged(const QString &path, const std::optional<QByteArray> &before);
// Puts bytes there with mode and owner of the file that is there (else 0600, folders made as needed, each with a mark of who made it,
// where the file system takes one: an extended attribute, xattr(7)). Busy as above.
// PermissionDenied also where the file is marked read-only.
Status replaceClientFile(const QString &path, const std::optional<QByteArray> &before, QByteArrayView bytes);
// And the folders above that have the mark, as far up as they are empty.
Status removeClientFile(const QString &path, QByteArrayView before);

} // namespace glovebox::mcp
