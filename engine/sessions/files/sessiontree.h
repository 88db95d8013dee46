// SPDX-License-Identifier: Apache-2.0
// The list of a session's files as bytes, and what is different between two.
#pragma once

#include "engine/sessions/sessions.h"

namespace glovebox {

// The same for the same list.
QByteArray encodedTree(const SessionTree &tree);
// Nothing: these bytes are no tree, or one of a newer version.
std::optional<SessionTree> decodedTree(const QByteArray &bytes);

// By path. A file counts as changed by its content, permissions or kind, not by its time.
QList<FolderChange> differenceOf(const SessionTree &from, const SessionTree &to);

// What a file takes in a run's memory: whole pages.
qint64 bytesInMemory(qint64 bytes);

} // namespace glovebox
