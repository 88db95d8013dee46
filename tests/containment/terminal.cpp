// SPDX-License-Identifier: Apache-2.0
#include "terminal.h"
#include "tests/support/signals.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QThread>

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include <array>
#include <csignal>
#include <vector>

namespace containment {

using namespace glovebox;

TerminalProgram::TerminalProgram(QByteArrayList argv, const QString &home)
{
    int screen = -1;
    int terminal = -1;
    std::array<char, 256> name{};
    if (::openpty(&screen, &terminal, name.data(), nullptr, nullptr) < 0)
        return;
    m_screen.reset(screen);
    m_terminal.reset(terminal);
    ::fcntl(screen, F_SETFD, FD_CLOEXEC);
    ::fcntl(terminal, F_SETFD, FD_CLOEXEC);
    ::fcntl(screen, F_SETFL, O_NONBLOCK);
    termios raw{};
    ::tcgetattr(terminal, &raw);
    ::cfmakeraw(&raw); // what is typed is there at once, and isn't echoed
    ::tcsetattr(terminal, TCSANOW, &raw);

    std::vector<char *> words;
    for (QByteArray &word : argv)
        words.push_back(word.data());
    words.push_back(nullptr);
    QByteArray ownHome = "GLOVEBOX_HOME=" + QFile::encodeName(home) + "/glovebox";
    std::vector<char *> environment{ownHome.data()};
    for (char **variable = environ; *variable; ++variable)
        environment.push_back(*variable);
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    // Leader of a session, it gets the first terminal that it opens.
    for (const int fd : {0, 1, 2})
        ::posix_spawn_file_actions_addopen(&actions, fd, name.data(), O_RDWR, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t pid = -1;
    if (::posix_spawn(&pid, words.front(), &actions, &attributes, words.data(), environment.data()) == 0)
        m_pid = pid;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
}

TerminalProgram::~TerminalProgram()
{
    if (m_pid <= 0 || m_ended)
        return;
    sendSignal(m_pid, SIGKILL);
    ::waitpid(static_cast<pid_t>(m_pid), nullptr, 0);
}

bool TerminalProgram::finish()
{
    const QDeadlineTimer patience(15'000);
    while (m_pid > 0 && !m_ended && !patience.hasExpired()) {
        read();
        m_ended = ::waitpid(static_cast<pid_t>(m_pid), nullptr, WNOHANG) == m_pid;
        QThread::msleep(3);
    }
    read();
    return m_ended;
}

void TerminalProgram::read()
{
    std::array<char, 4096> part{};
    ssize_t n = 0;
    while ((n = ::read(m_screen.get(), part.data(), part.size())) > 0)
        m_seen.append(part.data(), n);
}

int TerminalProgram::typed() const
{
    int waiting = 0;
    ::ioctl(m_terminal.get(), FIONREAD, &waiting);
    return waiting;
}

QByteArray cliProgram()
{
    return GLOVEBOX_BIN "/glovebox";
}

} // namespace containment
