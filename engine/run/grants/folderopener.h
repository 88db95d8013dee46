// SPDX-License-Identifier: Apache-2.0
// The engine's side of glovebox-opener, which touches granted folders and can be given up when their file system hangs.
#pragma once

#include "engine/base/base.h"
#include "engine/sandbox/sandbox.h"

#include <stop_token>

namespace glovebox {

// Used by one thread. Its process is started for the first folder, and killed when this goes; nobody waits for it.
class FolderOpener
{
public:
    FolderOpener(QString libexec, std::stop_token stop)
        : m_path(std::move(libexec) + QStringLiteral("/glovebox-opener"))
        , m_stop(std::move(stop))
    {
    }

    // openFolder(). TimedOut where the file system doesn't answer for 5 s; Cancelled.
    Result<OpenedFolder> open(const FolderGrant &grant, const OwnFolders &own);
    // copyFolder() of the folder that was opened last. As long as it takes; Cancelled.
    Result<QByteArray> copy(const QByteArray &order, int to);

private:
    Result<QByteArray> ask(const QByteArray &request, int descriptor, UniqueFd &answered, const QString &about);

    const QString m_path;
    const std::stop_token m_stop;
    QString m_hostPath; // of the folder that was opened last
    OwnProgram m_program;
};

} // namespace glovebox
