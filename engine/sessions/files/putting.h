// SPDX-License-Identifier: Apache-2.0
// Changes of a session's tree by a person's hand.
#pragma once

#include "engine/sessions/sessions.h"

namespace glovebox {

// The tree with a file or folder of this machine at a path; what is there already by the same names is replaced, other files of the
// folder stay. Contents go into the store, where they last only after its sync(). Links are kept as links. copied grows by them;
// progress may be empty.
Result<SessionTree> treeWith(const ContentStore &store, const SessionTree &tree, const QString &hostPath,
                             const QByteArray &path, qint64 diskBytes, CopiedUntilNow &copied,
                             const CopyProgress &progress);
// The same with a file of this content.
Result<SessionTree> treeWithContent(const ContentStore &store, const SessionTree &tree, QByteArrayView content,
                                    const QByteArray &path, qint64 diskBytes);
// The tree without what is at a path, and below it. NotFound.
Result<SessionTree> treeWithout(const SessionTree &tree, const QByteArray &path);

} // namespace glovebox
