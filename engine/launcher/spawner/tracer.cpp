// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace glovebox::launcher {

namespace {

// bwrap hears of its child's end when the tracer has. A look first: waiting takes stops, too, which are follow()'s.
bool endedTraced(pid_t child)
{
    siginfo_t news{};
    if (::waitid(P_PID, static_cast<id_t>(child), &news, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0)
        return true;
    if (news.si_pid == 0 || news.si_code == CLD_TRAPPED)
        return false;
    ::waitid(P_PID, static_cast<id_t>(child), &news, WEXITED | WNOHANG | __WALL);
    return true;
}

} // namespace

bool Gate::make()
{
    int pair[2];
    if (::pipe2(pair, O_CLOEXEC) < 0)
        return false;
    inner.reset(pair[0]);
    outer.reset(pair[1]);
    return true;
}

void Gate::wait()
{
    outer.reset();
    char word = 0;
    if (::read(inner.get(), &word, 1) != 1)
        ::_exit(1);
}

void Gate::open() const
{
    // One byte always has room, and a child that was killed needs none.
    [[maybe_unused]] const ssize_t ignored = ::write(outer.get(), "", 1);
}

void Tracer::trace(pid_t bwrap)
{
    constexpr long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    if (!m_signals) {
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &child, nullptr); // children unblock all (beginChild)
        m_signals.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    // Nobody traces whom nobody would let go on.
    if (m_signals && ::ptrace(PTRACE_SEIZE, bwrap, nullptr, options) == 0)
        m_bwraps.push_back(bwrap);
}

void Tracer::follow()
{
    signalfd_siginfo signal;
    while (::read(m_signals.get(), &signal, sizeof signal) > 0) { }
    siginfo_t stopped{};
    while (::waitid(P_ALL, 0, &stopped, WSTOPPED | WNOHANG | __WALL) == 0 && stopped.si_pid != 0) {
        if (stopped.si_code == CLD_TRAPPED) // else it is nobody whom we trace
            resume(stopped.si_pid, stopped.si_status);
        stopped = {};
    }
    std::erase_if(m_children, endedTraced);
}

void Tracer::forget(pid_t pid)
{
    std::erase(m_bwraps, pid);
    std::erase(m_children, pid);
}

// status: the signal, and the event above it.
void Tracer::resume(pid_t pid, int status)
{
    const int event = status >> 8;
    const int signal = status & 0x7f;
    const bool isBubblewrap = std::ranges::count(m_bwraps, pid) > 0;
    if ((event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE) && isBubblewrap) {
        unsigned long child = 0;
        ::ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &child);
        m_children.push_back(static_cast<pid_t>(child));
        std::erase(m_bwraps, pid); // ends when its child does
        ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    } else if (event == PTRACE_EVENT_EXEC && !isBubblewrap) {
        std::erase(m_children, pid); // dies with bwrap from now on, which dies with us
        ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    } else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ::ptrace(PTRACE_LISTEN, pid, nullptr, nullptr); // somebody stopped it, and may let it go on
    } else {
        ::ptrace(PTRACE_CONT, pid, nullptr, event == 0 ? static_cast<long>(signal) : 0L);
    }
}

} // namespace glovebox::launcher
