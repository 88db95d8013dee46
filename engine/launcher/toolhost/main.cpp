// SPDX-License-Identifier: Apache-2.0
// glovebox-toolhost: starts one of the person's own programs, an MCP server, and takes everything that it started along when the run
// is over, also when the engine was killed. Not sealed: the server is to work as it does for the person.
//
// argv: glovebox-toolhost FOLDER PROGRAM [ARGUMENT]...; descriptors: report.h.
#include "report.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace glovebox::launcher;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto endGrace = 500ms; // for a server that ends by itself at the end of its input
constexpr auto killPatience = 2s; // with processes that the kernel doesn't let go
constexpr auto glance = 2ms;

void report(const ToolHostReport &report)
{
    ::send(toolHostChannel, &report, sizeof report, MSG_NOSIGNAL);
}

// proc_pid_stat(5): the fourth field, behind a name that may have any characters.
pid_t parentOf(const char *process)
{
    std::array<char, 300> path{}; // d_name has at most 255 characters
    std::snprintf(path.data(), path.size(), "/proc/%s/stat", process);
    const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    std::array<char, 512> text{};
    const ssize_t size = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    const char *const name = size > 0 ? std::strrchr(text.data(), ')') : nullptr;
    return name && std::strlen(name) > 4 ? static_cast<pid_t>(std::strtol(name + 4, nullptr, 10)) : -1;
}

void killChildren()
{
    DIR *const processes = ::opendir("/proc");
    if (!processes)
        return;
    while (const dirent *entry = ::readdir(processes)) { // NOLINT(concurrency-mt-unsafe): there is one thread
        const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (process > 0 && parentOf(entry->d_name) == ::getpid())
            ::kill(process, SIGKILL);
    }
    ::closedir(processes);
}

// Whoever loses its parent becomes a child of this process, so in the end all of them are its children.
void killTree()
{
    const auto deadline = Clock::now() + killPatience;
    for (;;) {
        killChildren();
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) { }
        if (ended < 0 || Clock::now() >= deadline)
            return;
        ::poll(nullptr, 0, static_cast<int>(glance.count()));
    }
}

// In the child.
[[noreturn]] void becomeServer(char **argv, int failure, pid_t host)
{
    // For the one case that nobody foresees: the host is killed, perhaps already.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != host)
        ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(toolHostInput, STDIN_FILENO);
    ::dup2(toolHostOutput, STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    for (const int used : {toolHostChannel, toolHostInput, toolHostOutput})
        ::close(used);
    if (::chdir(argv[1]) == 0)
        ::execv(argv[2], argv + 2);
    const int error = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(failure, &error, sizeof error);
    ::_exit(127);
}

// 0, or why not. server: its process.
int start(char **argv, pid_t &server)
{
    std::array<int, 2> failure{};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0)
        return errno;
    const pid_t host = ::getpid();
    server = ::fork();
    if (server < 0)
        return errno;
    if (server == 0)
        becomeServer(argv, failure[1], host);
    ::close(failure[1]);
    int error = 0;
    if (::read(failure[0], &error, sizeof error) != static_cast<ssize_t>(sizeof error))
        error = 0;
    ::close(failure[0]);
    return error;
}

// True: it has ended, with this status. Others that have ended are reaped.
bool hasEnded(pid_t server, int &status)
{
    for (;;) {
        int of = 0;
        const pid_t ended = ::waitpid(-1, &of, WNOHANG);
        if (ended == server) {
            status = of;
            return true;
        }
        if (ended <= 0)
            return ended < 0;
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    ::close_range(toolHostOutput + 1, ~0U, 0); // what the engine itself was started with
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    const int children = ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    for (const int kept : {toolHostChannel, toolHostInput, toolHostOutput})
        ::fcntl(kept, F_SETFD, FD_CLOEXEC);
    pid_t server = -1;
    int error = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && children >= 0 ? 0 : errno;
    if (error == 0)
        error = start(argv, server);
    ::close(toolHostInput);
    ::close(toolHostOutput);
    if (error != 0) {
        report({.notStarted = error});
        return 1;
    }

    int status = 0;
    Clock::time_point deadline = Clock::time_point::max();
    while (!hasEnded(server, status)) {
        const bool isEnding = deadline != Clock::time_point::max();
        if (isEnding && Clock::now() >= deadline)
            break;
        // Nothing is ever sent here: what can be read is the end.
        std::array<pollfd, 2> sources{pollfd{children, POLLIN, 0}, pollfd{isEnding ? -1 : toolHostChannel, POLLIN, 0}};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(isEnding ? deadline - Clock::now() : Clock::duration());
        ::poll(sources.data(), sources.size(), isEnding ? static_cast<int>(left.count()) : -1);
        signalfd_siginfo information{};
        while (::read(children, &information, sizeof information) > 0) { }
        if (sources[1].revents != 0)
            deadline = Clock::now() + endGrace;
    }
    killTree();
    report({.waitStatus = status});
    return 0;
}
