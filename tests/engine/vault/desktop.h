// SPDX-License-Identifier: Apache-2.0
// A desktop session's bus and keyring of a test's own: a real dbus-daemon and a real gnome-keyring-daemon in a temporary folder.
#pragma once

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QThread>

#include <csignal>
#include <functional>

namespace glovebox::test {

class Desktop
{
public:
    // Empty, or what the machine lacks.
    static QString missing()
    {
        for (const char *program : {"dbus-daemon", "gnome-keyring-daemon"}) {
            if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty())
                return QString::fromLatin1(program) + QStringLiteral(" is not installed");
        }
        return {};
    }

    // A bus that starts nothing by itself; this program's session bus from now on.
    bool startBus()
    {
        const QString socket = m_folder.filePath(QStringLiteral("bus"));
        QFile config(m_folder.filePath(QStringLiteral("bus.conf")));
        if (!config.open(QIODevice::WriteOnly))
            return false;
        config.write("<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
                     "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\"><busconfig><type>session</type>"
                     "<listen>unix:path="
                     + socket.toUtf8()
                     + "</listen><policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
                       "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>");
        config.close();
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + socket.toUtf8());
        m_bus.start(QStringLiteral("dbus-daemon"),
                    {QStringLiteral("--nofork"), QStringLiteral("--config-file=") + config.fileName()});
        return m_bus.waitForStarted() && until([&] { return QFile::exists(socket); });
    }

    // With the login keyring unlocked (made at the first time), or as it is after a log in without a password.
    bool startKeyring(bool unlocked)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            environment.insert(QString::fromLatin1(name), m_folder.path());
        m_keyring.setProcessEnvironment(environment);
        QStringList arguments{QStringLiteral("--foreground"), QStringLiteral("--components=secrets"),
                              QStringLiteral("--control-directory=") + m_folder.filePath(QStringLiteral("control"))};
        if (unlocked)
            arguments.append(QStringLiteral("--unlock"));
        m_keyring.start(QStringLiteral("gnome-keyring-daemon"), arguments);
        if (!m_keyring.waitForStarted())
            return false;
        if (unlocked && (m_keyring.write("the login password") < 0 || !m_keyring.waitForBytesWritten()))
            return false;
        m_keyring.closeWriteChannel();
        return true;
    }

    void stopKeyring()
    {
        m_keyring.kill();
        m_keyring.waitForFinished();
    }

    void signalKeyring(int number) { ::kill(pid_t(m_keyring.processId()), number); }

    QString folder() const { return m_folder.path(); }

    ~Desktop()
    {
        signalKeyring(SIGCONT);
        stopKeyring();
        m_bus.kill();
        m_bus.waitForFinished();
    }

    static bool until(const std::function<bool()> &condition)
    {
        const QDeadlineTimer deadline(15000);
        while (!deadline.hasExpired()) {
            if (condition())
                return true;
            QThread::msleep(50);
        }
        return false;
    }

private:
    QTemporaryDir m_folder;
    QProcess m_bus, m_keyring;
};

} // namespace glovebox::test
