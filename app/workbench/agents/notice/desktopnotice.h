// SPDX-License-Identifier: Apache-2.0
// One message on the desktop (org.freedesktop.Notifications), for what waits while nobody looks at the window. Where there is no session
// bus, or no Qt D-Bus, nothing is shown.
#pragma once

#include "app/workbench/shell/busthread.h"

#include <QObject>

namespace glovebox {

// Lives on the GUI thread, and never waits there.
class DesktopNotice : public QObject
{
    Q_OBJECT
public:
    explicit DesktopNotice(QObject *parent = nullptr);
    ~DesktopNotice() override;

    // Replaces what is shown. Both are plain text; what a server could take for markup is taken out.
    void show(const QString &title, const QString &text);
    void withdraw();

Q_SIGNALS:
    void clicked();

private:
    class Messenger;
    Messenger *m_messenger = nullptr; // its thread's; null: nothing was shown yet
    BusThread m_thread;
};

} // namespace glovebox
