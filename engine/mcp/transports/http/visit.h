// SPDX-License-Identifier: Apache-2.0
// One connection to the HTTP server, of TCP or of a unix socket: how it is read, written and ended.
#pragma once

#include "httpserver.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox::mcp {

constexpr auto farewellPatience = std::chrono::seconds(1); // for a client to read why it is refused
constexpr auto writePatience = std::chrono::seconds(60); // with a client that doesn't read

inline int leftOf(std::chrono::steady_clock::time_point end)
{
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    return int(std::max<qint64>(left.count(), 0));
}

// Of its own thread, but for hasEnded and what is marked.
struct HttpServer::Visit
{
    UniqueFd socket;
    int stop = -1; // readable once the server ends
    UniqueFd answered, answeredEnd; // readable once an answer is whole
    std::atomic<bool> hasEnded = false;
    bool isOneTooMany = false; // refused
    bool isKnown = false; // has shown a token
    const Client *client = nullptr; // whose token it showed last; of the server's lock
    std::string bytes; // read, and not yet used
    network::HttpRequest request;
    std::jthread thread;

    // False: the client is gone, or silent, or the server ends.
    bool readMore(std::chrono::steady_clock::time_point end)
    {
        pollfd waits[] = {{socket.get(), POLLIN, 0}, {stop, POLLIN, 0}};
        const int ready = ::poll(waits, 2, leftOf(end));
        if (ready < 0 && errno == EINTR)
            return true;
        if (ready <= 0 || waits[1].revents != 0)
            return false;
        char piece[16384];
        const ssize_t count = ::recv(socket.get(), piece, sizeof piece, MSG_DONTWAIT);
        if (count < 0)
            return errno == EINTR || errno == EAGAIN;
        bytes.append(piece, size_t(count));
        return count > 0;
    }

    // Of the request, whose length is known. Nothing: as readMore().
    std::optional<QByteArray> readBody(std::chrono::steady_clock::time_point end)
    {
        while (bytes.size() < request.body.length) {
            if (!readMore(end))
                return {};
        }
        QByteArray body(bytes.data(), qsizetype(request.body.length));
        bytes.erase(0, request.body.length);
        return body;
    }

    bool write(QByteArrayView out) const
    {
        const auto end = std::chrono::steady_clock::now() + writePatience;
        while (!out.isEmpty()) {
            const ssize_t count = ::send(socket.get(), out.data(), size_t(out.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (count > 0) {
                out = out.sliced(count);
                continue;
            }
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN)
                return false;
            pollfd waits[] = {{socket.get(), POLLOUT, 0}, {stop, POLLIN, 0}};
            if (::poll(waits, 2, leftOf(end)) <= 0 || waits[1].revents != 0)
                return false;
        }
        return true;
    }

    // The last words of a connection. What is still sent is read for a moment: otherwise the system would tell the client that
    // nobody reads, before it has read the answer (RFC 9112, 9.6).
    void part(const QByteArray &answer) const
    {
        if (!write(answer))
            return;
        ::shutdown(socket.get(), SHUT_WR);
        const auto end = std::chrono::steady_clock::now() + farewellPatience;
        char rest[16384];
        for (;;) {
            pollfd waits[] = {{socket.get(), POLLIN, 0}, {stop, POLLIN, 0}};
            if (::poll(waits, 2, leftOf(end)) <= 0 || waits[1].revents != 0
                || ::recv(socket.get(), rest, sizeof rest, MSG_DONTWAIT) <= 0)
                return;
        }
    }

    // Waits for the end of the answer; a client that goes before is told to gone. False: the connection is of no use any more.
    bool waitForAnswer(const std::stop_source &gone) const
    {
        bool isWatched = true, isGone = false;
        for (;;) {
            pollfd waits[] = {
                {answered.get(), POLLIN, 0}, {stop, POLLIN, 0}, {isWatched ? socket.get() : -1, POLLIN, 0}};
            if (::poll(waits, 3, -1) < 0)
                continue;
            if (waits[0].revents != 0) {
                char wasWritten = 0;
                std::ignore = ::read(answered.get(), &wasWritten, 1);
                return !isGone && wasWritten == 1;
            }
            if (!isGone && (waits[1].revents != 0 || (waits[2].revents != 0 && hasGone()))) {
                isGone = true;
                gone.request_stop();
            }
            if (waits[1].revents != 0)
                waits[1].fd = -1;
            isWatched = isWatched && waits[2].revents == 0; // the next request may be there already
            if (isGone) { // nothing else is to be waited for
                pollfd last{answered.get(), POLLIN, 0};
                while (::poll(&last, 1, -1) < 0) { }
            }
        }
    }

    bool hasGone() const
    {
        char byte;
        const ssize_t count = ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
    }
};

} // namespace glovebox::mcp
