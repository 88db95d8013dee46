// SPDX-License-Identifier: Apache-2.0
// Tells when nobody is to see the screen any more: it was locked, a screen saver began, or the machine goes to sleep.
#pragma once

#include "app/workbench/shell/busthread.h"

#include <QObject>

namespace glovebox {

// Hears logind and screen savers where there is D-Bus. Elsewhere it says nothing. Lives on the GUI thread.
class ScreenLock : public QObject
{
    Q_OBJECT
public:
    explicit ScreenLock(QObject *parent = nullptr);
    ~ScreenLock() override;

    void start(); // more than once does no harm

Q_SIGNALS:
    void locked();
    void listening(); // logind told which session is ours; for tests

private:
    BusThread m_thread;
};

} // namespace glovebox
