// SPDX-License-Identifier: Apache-2.0
// Copies files of a session out to this machine.
#pragma once

#include "engine/sessions/sessions.h"

namespace glovebox {

struct FilesOnDisk
{
    qint64 files = 0;
    qint64 left = 0; // links, which could lead anywhere on this machine

    bool operator==(const FilesOnDisk &) const = default;
};

// A file becomes the file target, in place of one that is there. A folder ("" is /work) becomes the new folder target; InvalidInput: it is
// there already. Files are their owner's alone and not executable. Blocks for the disk.
Result<FilesOnDisk> saveFromSession(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                    const QByteArray &path, const QString &target);
// The content of a file of the tree; nullopt: there is no such file, or it is larger.
Result<std::optional<QByteArray>> contentOf(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                            const QByteArray &path, qint64 mostBytes);

} // namespace glovebox
