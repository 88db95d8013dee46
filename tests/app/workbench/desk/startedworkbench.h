// SPDX-License-Identifier: Apache-2.0
// The real program in a process of its own, with the keys of a real keyboard (XTEST, by xdotool).
#pragma once

#include "tests/support/signals.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <sys/types.h>

#include <csignal>
#include <utility>

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
    // Whether the program has done all that it was asked: for half a second, longer than a search waits for another letter, its
    // threads take no more than a blinking cursor does. What is on its screen can't be seen from here.
    bool comesToRest() const
    {
        qint64 before = ticks();
        QElapsedTimer sinceLook;
        sinceLook.start();
        const auto rests = [&] {
            if (sinceLook.elapsed() < 500)
                return false;
            sinceLook.start();
            const qint64 now = ticks();
            return now >= 0 && now - std::exchange(before, now) <= 1;
        };
        return QTest::qWaitFor(rests, 20'000);
    }
    void kill()
    {
        sendSignal(m_process.processId(), SIGKILL);
        m_process.waitForFinished();
    }

private:
    // Its processor time, in ticks of 10 ms (proc_pid_stat(5), fields 14 and 15); negative once it is gone.
    qint64 ticks() const
    {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(m_process.processId()));
        if (!stat.open(QIODevice::ReadOnly))
            return -1;
        const QByteArray line = stat.readAll();
        const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
        return fields.size() > 12 ? fields[11].toLongLong() + fields[12].toLongLong() : -1;
    }

    QProcess m_process;
};

} // namespace glovebox
