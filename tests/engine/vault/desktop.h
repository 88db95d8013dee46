// SPDX-License-Identifier: Apache-2.0
// A desktop session's bus and keyring of a test's own: a real dbus-daemon and a real gnome-keyring-daemon in a temporary folder.
#pragma once

#include "tests/support/signals.h"

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
    // Empty, or what the machine lacks: for the bus alone, or for all of it.
    static QString missingBus() { return missing(QStringLiteral("dbus-daemon")); }
    static QString missing()
    {
        const QString bus = missingBus();
        return bus.isEmpty() ? missing(QStringLiteral("gnome-keyring-daemon")) : bus;
    }

#ifdef GLOVEBOX_QTKEYCHAIN // 1 or 0, as CMake found it: that our program is not there would be no reason
    // Empty, or why there can be no keychain of ours.
    static QString whyNoKeychain()
    {
        return GLOVEBOX_QTKEYCHAIN ? missing() : QStringLiteral("CMake found no QtKeychain to build with");
    }
#endif

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

    // What shows the keyring's dialogs, on a screen of its own. Empty, or what the machine lacks.
    QString startDialogs()
    {
        const QString prompter = QStringLiteral("/usr/libexec/gcr-prompter");
        for (const QString &program : {QStringLiteral("Xvfb"), QStringLiteral("xdotool"), prompter}) {
            if (QStandardPaths::findExecutable(program).isEmpty())
                return program + QStringLiteral(" is not installed");
        }
        m_screen.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_screen.start(QStringLiteral("Xvfb"),
                       {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                        QStringLiteral("0"), QStringLiteral("800x600x24"), QStringLiteral("-nolisten"),
                        QStringLiteral("tcp")});
        if (!m_screen.waitForReadyRead(15000))
            return QStringLiteral("Xvfb doesn't start");
        m_display = ":" + m_screen.readLine().trimmed();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(m_display));
        environment.insert(QStringLiteral("NO_AT_BRIDGE"), QStringLiteral("1"));
        environment.insert(QStringLiteral("HOME"), m_folder.path());
        m_prompter.setProcessEnvironment(environment);
        m_prompter.setStandardErrorFile(QProcess::nullDevice());
        m_prompter.start(prompter, QStringList());
        return until([] { return isOnBus("org.gnome.keyring.SystemPrompter"); })
                   ? QString()
                   : QStringLiteral("gcr-prompter doesn't start");
    }

    bool isDialogShown()
    {
        return !drive({QStringLiteral("search"), QStringLiteral("--onlyvisible"), QStringLiteral("--name"),
                       QStringLiteral("Unlock")})
                    .isEmpty();
    }
    void typeIntoDialog(const QString &text) { drive({QStringLiteral("type"), text}); }
    void pressInDialog(const QString &key) { drive({QStringLiteral("key"), key}); }

    void stopKeyring()
    {
        m_keyring.kill();
        m_keyring.waitForFinished();
    }

    void signalKeyring(int number) { sendSignal(m_keyring.processId(), number); }

    QString folder() const { return m_folder.path(); }

    ~Desktop()
    {
        signalKeyring(SIGCONT);
        stopKeyring();
        for (QProcess *process : {&m_prompter, &m_bus, &m_screen}) {
            process->kill();
            process->waitForFinished();
        }
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
    static QString missing(const QString &program)
    {
        return QStandardPaths::findExecutable(program).isEmpty() ? program + QStringLiteral(" is not installed")
                                                                 : QString();
    }
    static bool isOnBus(const char *name)
    {
        QProcess process;
        process.start(QStringLiteral("dbus-send"),
                      {QStringLiteral("--session"), QStringLiteral("--print-reply=literal"),
                       QStringLiteral("--dest=org.freedesktop.DBus"), QStringLiteral("/"),
                       QStringLiteral("org.freedesktop.DBus.NameHasOwner"),
                       QStringLiteral("string:") + QLatin1StringView(name)});
        process.waitForFinished(10000);
        return process.readAllStandardOutput().contains("true");
    }
    QByteArray drive(const QStringList &arguments)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(m_display));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("xdotool"), arguments);
        process.waitForFinished(10000);
        return process.readAllStandardOutput().trimmed();
    }

    QTemporaryDir m_folder;
    QProcess m_bus, m_keyring, m_screen, m_prompter;
    QByteArray m_display;
};

} // namespace glovebox::test
