// SPDX-License-Identifier: Apache-2.0
// A terminal with a program at it, as a person would use it.
#pragma once

#include "tests/app/cli/program.h"

#include <QDeadlineTimer>
#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace glovebox {

class Desk
{
public:
    Desk(const Home &home, const QStringList &arguments)
        : m_outer(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK))
        , m_process(home.program(arguments))
    {
        ::unlockpt(m_outer);
        const QByteArray name = ::ptsname(m_outer);
        m_inner = ::open(name.constData(), O_RDWR | O_NOCTTY | O_CLOEXEC);
        resize(33, 111);
        ::tcgetattr(m_inner, &m_before);
        m_process->setChildProcessModifier([name] {
            ::setsid();
            const int fd = ::open(name.constData(), O_RDWR);
            for (int standard = 0; standard < 3; ++standard)
                ::dup2(fd, standard);
            for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
                ::signal(signal, SIG_DFL);
        });
        m_process->start();
    }
    ~Desk()
    {
        m_process->kill();
        m_process->waitForFinished();
        ::close(m_inner);
        goAway();
    }

    void type(const QByteArray &keys)
    {
        QCOMPARE(::write(m_outer, keys.constData(), size_t(keys.size())), keys.size());
    }
    void resize(unsigned short rows, unsigned short columns)
    {
        const winsize size{rows, columns, 0, 0};
        ::ioctl(m_outer, TIOCSWINSZ, &size);
    }
    // As when a window with a terminal is closed.
    void goAway()
    {
        if (m_outer >= 0)
            ::close(std::exchange(m_outer, -1));
    }
    bool waitFor(const QByteArray &text)
    {
        QDeadlineTimer deadline(20000);
        while (!seen.contains(text)) {
            pollfd readable{m_outer, POLLIN, 0};
            char part[4096];
            if (deadline.hasExpired() || ::poll(&readable, 1, int(deadline.remainingTime())) != 1)
                return false;
            const ssize_t n = ::read(m_outer, part, sizeof part);
            if (n <= 0 && errno != EAGAIN)
                return false;
            seen.append(part, std::max<ssize_t>(n, 0));
            leaveOutNotices();
        }
        return true;
    }
    int status()
    {
        // What it still writes is taken meanwhile: it waits for that before it puts the terminal back.
        QDeadlineTimer deadline(20000);
        bool ended = false;
        do {
            ended = m_process->waitForFinished(20);
            char part[4096];
            ssize_t n = 0;
            while ((n = ::read(m_outer, part, sizeof part)) > 0)
                seen.append(part, n);
        } while (!ended && !deadline.hasExpired());
        return m_process->exitStatus() == QProcess::CrashExit ? 128 + m_process->exitCode() : m_process->exitCode();
    }
    bool isAsBefore() const
    {
        termios now{};
        return ::tcgetattr(m_inner, &now) == 0 && now.c_lflag == m_before.c_lflag && now.c_iflag == m_before.c_iflag
               && now.c_oflag == m_before.c_oflag;
    }
    qint64 pid() const { return m_process->processId(); }

    QByteArray seen;

private:
    // On a busy machine a command may tell between any two lines that it waits for a slow disk.
    void leaveOutNotices()
    {
        const qsizetype at = seen.indexOf("glovebox: Waiting for a slow disk");
        const qsizetype end = at < 0 ? -1 : seen.indexOf('\n', at);
        if (end >= 0)
            seen.remove(at, end + 1 - at);
    }

    int m_outer;
    int m_inner = -1;
    termios m_before{};
    std::unique_ptr<QProcess> m_process;
};

} // namespace glovebox
