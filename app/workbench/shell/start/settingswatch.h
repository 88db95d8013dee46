// SPDX-License-Identifier: Apache-2.0
// Takes over what other programs write to the settings file while the window is open: `glovebox settings`, an editor.
#pragma once

#include "app/workbench/shell/context.h"

#include <QFileSystemWatcher>
#include <QTimer>

namespace glovebox {

// Lives on the GUI thread. Looks when the file or its folder changes and, as not every file system tells, when a window becomes active.
class SettingsWatch : public QObject
{
    Q_OBJECT
public:
    explicit SettingsWatch(WorkbenchContext &context, QObject *parent = nullptr);

private:
    void look();

    WorkbenchContext &m_context;
    QFileSystemWatcher m_watcher;
    QTimer m_soon; // a file that is replaced changes its folder several times
    bool m_isReading = false;
};

} // namespace glovebox
