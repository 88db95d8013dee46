// SPDX-License-Identifier: Apache-2.0
// A D-Bus session of a test's own, for services of the desktop that the test plays.
#pragma once

#include "app/workbench/shell/start/application.h"
#include "tests/support/testprogram.h"

#include <QDBusConnection>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QStandardPaths>

namespace glovebox {

class DesktopBus
{
public:
    // Made before the application: Qt looks for a bus once.
    DesktopBus()
    {
        m_daemon.start(QStringLiteral("dbus-daemon"),
                       {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead())
            qputenv("DBUS_SESSION_BUS_ADDRESS", m_daemon.readLine().trimmed());
    }
    ~DesktopBus()
    {
        m_daemon.terminate();
        m_daemon.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(DesktopBus)

    static bool isInstalled() { return !QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty(); }

    // The test's own connection, on which the object answers under the service's name; not connected where that failed.
    static QDBusConnection serve(const QString &service, const QString &path, QDBusVirtualObject &object)
    {
        QDBusConnection bus = QDBusConnection::connectToBus(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), service);
        if (!bus.registerVirtualObject(path, &object) || !bus.registerService(service))
            QDBusConnection::disconnectFromBus(service);
        return bus;
    }

private:
    QProcess m_daemon;
};

// Runs a test class with the window's application on such a bus.
template<typename Test> int runOnDesktopBus(int argc, char *argv[])
{
    const DesktopBus bus;
    Application application(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace glovebox
