// SPDX-License-Identifier: Apache-2.0
// What a run left in its workspace, as a session's next tree.
#pragma once

#include "filling.h"

#include <stop_token>

namespace glovebox {

struct LeftWorkspace
{
    const SessionWorkspace &workspace;
    const QList<InnerFile> &given;
    const SessionTree &before; // what the workspace was filled with
    const FilledFiles &filled; // how that was then
    qint64 diskBytes = 0;
    SecretSearch *search = nullptr;
    std::stop_token stop; // ends it in the middle, with ErrorCode::Cancelled
};

struct NextTree
{
    SessionTree tree;
    QList<Text> left; // KeptSession::left
    QList<Text> altered; // KeptSession::altered
    QByteArrayList rewritten; // KeptSession::rewritten
};

// Contents that are new go into the store, where they last only after its sync(). Never follows a link, leaves the file system, or
// waits for a FIFO. What can't be kept by its nature stays as it was before; an error of the store is one of all.
Result<NextTree> nextTree(const ContentStore &store, const LeftWorkspace &left);

} // namespace glovebox
