// SPDX-License-Identifier: Apache-2.0
// The real program in a process of its own, with the keys of a real keyboard (XTEST, by xdotool).
#pragma once

#include <QElapsedTimer>
#include <QProcess>
#include <QProcessEnvironment>

#include <sys/types.h>

#include <csignal>

namespace glovebox {

inline bool xdotool(const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(QStringLiteral("timeout"), QStringList{QStringLiteral("15"), QStringLiteral("xdotool")} + arguments);
    return process.waitForFinished(20'000) && process.exitCode() == 0;
}

// A running workbench with the keyboard.
class StartedWorkbench
{
public:
    explicit StartedWorkbench(const QString &home)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("GLOVEBOX_HOME"), home);
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("glovebox.*.debug=true"));
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(QStringLiteral(GLOVEBOX_BIN "/glovebox-workbench"), {});
    }
    ~StartedWorkbench()
    {
        // In order where it can: openbox hangs now and then over a window that is killed while it frames it.
        m_process.terminate();
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(10'000))
            kill();
    }

    bool isReady()
    {
        QByteArray said;
        QElapsedTimer timer;
        timer.start();
        while (!said.contains("engine open") && timer.elapsed() < 20'000) {
            m_process.waitForReadyRead(100);
            said += m_process.readAll();
        }
        return said.contains("engine open")
               && xdotool({QStringLiteral("search"), QStringLiteral("--sync"), QStringLiteral("--all"),
                           QStringLiteral("--onlyvisible"), QStringLiteral("--pid"),
                           QString::number(m_process.processId()), QStringLiteral("--name"), QStringLiteral("Glovebox"),
                           QStringLiteral("windowactivate"), QStringLiteral("--sync")});
    }
    void kill()
    {
        ::kill(pid_t(m_process.processId()), SIGKILL);
        m_process.waitForFinished();
    }

private:
    QProcess m_process;
};

} // namespace glovebox
