// SPDX-License-Identifier: Apache-2.0
// Has a log that could not be opened tried again when it may have been mended: by chmod, a copy that was put back, room on the disk.
#pragma once

#include "app/workbench/shell/context.h"

#include <QDateTime>
#include <QFile>
#include <QFileSystemWatcher>
#include <QTimer>

namespace glovebox {

// Lives on the GUI thread. Looks when the log or its folder changes and, as neither room nor every file system tells, when a window
// becomes active. Nothing is watched while the log is open.
class LogWatch : public QObject
{
    Q_OBJECT
public:
    explicit LogWatch(WorkbenchContext &context, QObject *parent = nullptr);

    void engineOpened(); // with its log, or without

private:
    struct LogState
    {
        QDateTime modified;
        QDateTime changed; // its status
        qint64 bytes = 0;
        QFile::Permissions mode;
        QFile::Permissions folderMode;
        bool hasRoom = false; // a little, on its disk

        bool operator==(const LogState &) const = default;
    };
    LogState logState() const;
    bool isWanted() const;
    void watch();
    void look();

    WorkbenchContext &m_context;
    QFileSystemWatcher m_watcher;
    QTimer m_soon;
    LogState m_tried; // as the last try left it
};

} // namespace glovebox
