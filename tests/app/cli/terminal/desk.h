// SPDX-License-Identifier: Apache-2.0
// A terminal with a program at it, as a person would use it.
#pragma once

#include "tests/app/cli/program.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace glovebox {

class Desk
{
public:
    // The program, if it is another: one of PATH.
    Desk(const Home &home, const QStringList &arguments, const QString &program = {})
        : m_outer(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK))
        , m_process(home.program(arguments))
    {
        if (!program.isEmpty())
            m_process->setProgram(program);
        ::unlockpt(m_outer);
        const QByteArray name = ::ptsname(m_outer);
        m_inner = ::open(name.constData(), O_RDWR | O_NOCTTY | O_CLOEXEC);
        resize(33, 111);
        ::tcgetattr(m_inner, &m_before);
        QProcessEnvironment environment = m_process->processEnvironment();
        if (!environment.contains(QStringLiteral("TERM"))) // as where a service starts the tests
            environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        m_process->setProcessEnvironment(environment);
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
    // As much as may be, while what is shown is taken. False: the terminal took no more.
    bool feed(QByteArrayView keys)
    {
        QDeadlineTimer deadline(60000);
        while (!keys.isEmpty()) {
            pollfd ready{m_outer, POLLIN | POLLOUT, 0};
            if (deadline.hasExpired() || ::poll(&ready, 1, int(deadline.remainingTime())) != 1)
                return false;
            char part[4096];
            const ssize_t shown = ::read(m_outer, part, sizeof part);
            seen.append(part, std::max<ssize_t>(shown, 0));
            const ssize_t taken = ::write(m_outer, keys.data(), size_t(std::min<qsizetype>(keys.size(), 1024)));
            keys = keys.sliced(std::max<ssize_t>(taken, 0));
        }
        return true;
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
    bool waitFor(const QByteArray &text) { return waitForAny({text}); }
    bool waitForAny(const QByteArrayList &texts)
    {
        QDeadlineTimer deadline(60'000); // only a failure waits so long
        while (std::ranges::none_of(texts, [this](const QByteArray &text) { return seen.contains(text); })) {
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
        QDeadlineTimer deadline(60'000); // only a failure waits so long
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
               && now.c_oflag == m_before.c_oflag && std::ranges::equal(now.c_cc, m_before.c_cc);
    }
    qint64 pid() const { return m_process->processId(); }
    // Bytes that its main thread has read until now: what was typed, and the notes of its handlers of signals (proc_pid_io(5)).
    qint64 bytesRead() const
    {
        const QByteArray io = ofMainThread("io");
        return io.mid(io.indexOf("rchar:") + 6).split('\n').value(0).toLongLong();
    }
    // It has read more than before, and waits again.
    bool waitForReading(qint64 before) const
    {
        return QTest::qWaitFor([&] { return bytesRead() > before && ofMainThread("stat").contains(") S "); }, 20'000);
    }

    QByteArray seen; // without what only asks the terminal to tell pastes from keys
    bool bracketsPastes = false; // it was asked to, since the beginning

private:
    QByteArray ofMainThread(const char *file) const
    {
        QFile of(QStringLiteral("/proc/%1/task/%1/%2").arg(pid()).arg(QLatin1StringView(file)));
        return of.open(QIODevice::ReadOnly) ? of.readAll() : QByteArray();
    }
    // On a busy machine a command may tell between any two lines that it waits for a slow disk.
    void leaveOutNotices()
    {
        const qsizetype at = seen.indexOf("glovebox: Waiting for a slow disk");
        const qsizetype end = at < 0 ? -1 : seen.indexOf('\n', at);
        if (end >= 0)
            seen.remove(at, end + 1 - at);
        bracketsPastes = bracketsPastes || seen.contains("\033[?2004h");
        seen.replace("\033[?2004h", "").replace("\033[?2004l", "");
    }

    int m_outer;
    int m_inner = -1;
    termios m_before{};
    std::unique_ptr<QProcess> m_process;
};

} // namespace glovebox
