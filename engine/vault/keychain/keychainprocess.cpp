// SPDX-License-Identifier: Apache-2.0
#include "keychainprocess.h"

#include "messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

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
        if (const char *value = ::getenv(name)) // NOLINT(concurrency-mt-unsafe): nobody sets variables
            variables.push_back(std::string(name) + '=' + value);
    }
    return variables;
}

std::unexpected<Error> noReply(OwnProgram &process)
{
    if (auto why = process.whyNotLoaded())
        return std::unexpected(*std::move(why));
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "The keychain ended in the middle of a request. Try again."));
}

// Waits until the channel is ready for events.
Status await(int channel, short events, SteadyClock::time_point deadline, const std::stop_token &stop)
{
    for (;;) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "Gave up waiting for the keychain."));
        const auto left = deadline - SteadyClock::now();
        if (left <= 0ms)
            return fail(ErrorCode::TimedOut, QT_TRANSLATE_NOOP("engine", "The keychain doesn't answer."));
        pollfd wait{channel, events, 0};
        const auto turn = std::chrono::ceil<std::chrono::milliseconds>(std::min<SteadyClock::duration>(left, glance));
        if (::poll(&wait, 1, int(turn.count())) > 0)
            return {};
    }
}

Status send(OwnProgram &process, QByteArrayView bytes, SteadyClock::time_point deadline, const std::stop_token &stop)
{
    while (!bytes.isEmpty()) {
        const ssize_t count =
            ::send(process.channel(), bytes.data(), size_t(bytes.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            bytes = bytes.sliced(count);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return noReply(process);
        RETURN_IF_ERROR(await(process.channel(), POLLOUT, deadline, stop));
    }
    return {};
}

} // namespace

Result<Reply> ask(const QString &program, const QByteArray &line, const SecretValue *value, const Patience &patience)
{
    OwnProgram process;
    if (Status started = process.start({.path = program,
                                        .socket = SOCK_STREAM,
                                        .channelAt = {STDIN_FILENO, STDOUT_FILENO},
                                        .environment = environmentOfDesktop()});
        !started)
        return std::unexpected(started.error());
    const auto deadline = std::min(patience.deadline, SteadyClock::now() + keychain::longestRequest);
    for (const QByteArrayView part :
         {QByteArrayView(line), QByteArrayView("\n"), value ? value->view() : QByteArrayView()}) {
        RETURN_IF_ERROR(send(process, part, deadline, patience.stop));
    }
    ::shutdown(process.channel(), SHUT_WR);

    SecretValue buffer(largestMessage);
    qsizetype size = 0;
    for (;;) {
        RETURN_IF_ERROR(await(process.channel(), POLLIN, deadline, patience.stop));
        const ssize_t count =
            ::recv(process.channel(), buffer.data() + size, size_t(buffer.size() - size), MSG_DONTWAIT);
        if (count < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        size += std::max<ssize_t>(count, 0);
        if (count <= 0 || size == buffer.size())
            break;
    }
    const auto *end = static_cast<const char *>(std::memchr(buffer.data(), '\n', size_t(size)));
    if (!end || size == buffer.size())
        return noReply(process);
    const qsizetype head = end - buffer.data();
    return Reply{QByteArray(buffer.data(), head), SecretValue::copyOf({end + 1, size - head - 1})};
}

} // namespace glovebox::keychain
