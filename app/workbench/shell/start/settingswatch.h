// SPDX-License-Identifier: Apache-2.0
// Takes over what other programs write to the settings file while the window is open: `glovebox settings`, an editor.
#pragma once

#include "app/workbench/shell/context.h"

#include <QDateTime>
#include <QFile>
#include <QFileSystemWatcher>
#include <QTimer>

namespace glovebox {

// Lives on the GUI thread. Looks when the file or its folder changes and, as not every file system tells, when a window becomes
// active. A file that kept the engine from opening is tried again when it changes.
class SettingsWatch : public QObject
{
    Q_OBJECT
public:
    explicit SettingsWatch(WorkbenchContext &context, QObject *parent = nullptr);

    void engineOpens(); // is about to read the file

private:
    // A file is mended by chmod too, which leaves the time of its content as it was; or by one of its folder.
    struct FileState
    {
        QDateTime modified;
        QDateTime changed; // its status
        QFile::Permissions mode;
        QFile::Permissions folderMode;

        bool operator==(const FileState &) const = default;
    };
    FileState fileState() const;
    void watch();
    void look();

    WorkbenchContext &m_context;
    QFileSystemWatcher m_watcher;
    QTimer m_soon; // a file that is replaced changes its folder several times
    QList<SettingValue> m_values; // that the pages know
    FileState m_tried; // with which the engine opened, or didn't
    bool m_isReading = false;
};

} // namespace glovebox
