// SPDX-License-Identifier: Apache-2.0
#include "keychainprocess.h"

#include "messages.h"

#include <QFile>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

extern char **environ;

namespace glovebox::keychain {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr auto glance = 50ms; // how late a request to stop is seen

// What a desktop's keychain is found by, and which one it is; nothing else of the environment is its business.
std::vector<std::string> environmentOfDesktop()
{
    std::vector<std::string> variables;
    for (const char *name :
         {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME", "USER", "LANG", "LC_ALL", "DISPLAY", "WAYLAND_DISPLAY",
          "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION", "GNOME_DESKTOP_SESSION_ID",
          "KDE_FULL_SESSION", "KDE_SESSION_VERSION"}) {
        if (const char *value = ::getenv(name))
            variables.push_back(std::string(name) + '=' + value);
    }
    return variables;
}

// Killed and reaped when it goes.
class Process
{
public:
    Process() = default;
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;
    ~Process()
    {
        if (m_pid <= 0)
            return;
        ::kill(m_pid, SIGKILL);
        while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) { }
    }

    // channel becomes its standard input and output.
    int start(const QString &program, int channel)
    {
        std::string path = QFile::encodeName(program).toStdString();
        std::array<char *, 2> argv{path.data(), nullptr};
        std::vector<std::string> variables = environmentOfDesktop();
        std::vector<char *> environment;
        for (std::string &variable : variables)
            environment.push_back(variable.data());
        environment.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        sigset_t none, defaults;
        sigemptyset(&none);
        sigfillset(&defaults);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setsigdefault(&attributes, &defaults);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        const int error = ::posix_spawn(&m_pid, path.c_str(), &actions, &attributes, argv.data(), environment.data());
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
        if (error != 0)
            m_pid = -1;
        return error;
    }

private:
    pid_t m_pid = -1;
};

std::unexpected<Error> notStarted(int error, const QString &program)
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "Glovebox's program for the keychain can't be started. Install Glovebox "
                                            "again."),
                errnoDetail(error, program));
}

std::unexpected<Error> noReply()
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "The keychain ended in the middle of a request. Try again."));
}

// Waits until the channel is ready for events.
Status await(int channel, short events, SteadyClock::time_point deadline, const std::stop_token &stop)
{
    for (;;) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The keychain was not waited for any more."));
        const auto left = deadline - SteadyClock::now();
        if (left <= 0ms)
            return fail(ErrorCode::TimedOut, QT_TRANSLATE_NOOP("engine", "The keychain doesn't answer."));
        pollfd wait{channel, events, 0};
        const auto turn = std::chrono::ceil<std::chrono::milliseconds>(std::min<SteadyClock::duration>(left, glance));
        if (::poll(&wait, 1, int(turn.count())) > 0)
            return {};
    }
}

Status send(int channel, QByteArrayView bytes, SteadyClock::time_point deadline, const std::stop_token &stop)
{
    while (!bytes.isEmpty()) {
        const ssize_t count = ::send(channel, bytes.data(), size_t(bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            bytes = bytes.sliced(count);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return noReply();
        if (auto ready = await(channel, POLLOUT, deadline, stop); !ready)
            return ready;
    }
    return {};
}

} // namespace

Result<Reply> ask(const QString &program, const QByteArray &line, const SecretValue *value, const Patience &patience)
{
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return notStarted(errno, program);
    const UniqueFd channel(ends[0]);
    UniqueFd theirs(ends[1]);
    Process process; // ends before the channel
    if (const int error = process.start(program, theirs.get()); error != 0)
        return notStarted(error, program);
    theirs.reset();
    const auto deadline = std::min(patience.deadline, SteadyClock::now() + keychain::longestRequest);
    for (const QByteArrayView part :
         {QByteArrayView(line), QByteArrayView("\n"), value ? value->view() : QByteArrayView()}) {
        if (auto sent = send(channel.get(), part, deadline, patience.stop); !sent)
            return std::unexpected(sent.error());
    }
    ::shutdown(channel.get(), SHUT_WR);

    SecretValue buffer(largestMessage);
    qsizetype size = 0;
    for (;;) {
        if (auto ready = await(channel.get(), POLLIN, deadline, patience.stop); !ready)
            return std::unexpected(ready.error());
        const ssize_t count = ::recv(channel.get(), buffer.data() + size, size_t(buffer.size() - size), MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (count <= 0 || (size += count) == buffer.size())
            break;
    }
    const auto *end = static_cast<const char *>(std::memchr(buffer.data(), '\n', size_t(size)));
    if (!end || size == buffer.size())
        return noReply();
    const qsizetype head = end - buffer.data();
    return Reply{QByteArray(buffer.data(), head), SecretValue::copyOf({end + 1, size - head - 1})};
}

} // namespace glovebox::keychain
