// SPDX-License-Identifier: Apache-2.0
// Asks the desktop portal (org.freedesktop.appearance) which colours the person wants, and hears when that changes.
#pragma once

#include <QObject>
#include <QThread>
#include <QVariant>

namespace glovebox {

// Talks to D-Bus on a thread of its own: neither a hung bus nor a missing portal can hold up the window.
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
    QThread *m_thread = nullptr; // null: not started
};

} // namespace glovebox
