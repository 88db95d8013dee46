// SPDX-License-Identifier: Apache-2.0
// Asks the desktop portal (org.freedesktop.appearance) which colours the person wants, and hears when that changes.
#pragma once

#include "app/workbench/shell/busthread.h"

#include <QObject>
#include <QVariant>

namespace glovebox {

class Portal : public QObject
{
    Q_OBJECT
public:
    explicit Portal(QObject *parent = nullptr);
    ~Portal() override;

    void start(); // does nothing where there is no session bus

Q_SIGNALS:
    // On the GUI thread. https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
    void colorScheme(uint value); // 0 no preference, 1 dark, 2 light
    void contrast(uint value); // 0 no preference, 1 higher

private Q_SLOTS:
    void take(const QString &space, const QString &key, const QVariant &value);

private:
    BusThread m_thread;
};

} // namespace glovebox
