// SPDX-License-Identifier: Apache-2.0
// Copies files of a session out to this machine.
#pragma once

#include "engine/sessions/sessions.h"

namespace glovebox {

// A file becomes the file target, in place of one that is there. A folder ("" is /work) becomes the folder target: Sessions::save().
// Blocks for the disk.
Result<SavedFiles> saveFromSession(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                   const QByteArray &path, const QString &target);
// The content of a file of the tree; nullopt: there is no such file, or it is larger.
Result<std::optional<QByteArray>> contentOf(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                            const QByteArray &path, qint64 mostBytes);

} // namespace glovebox
