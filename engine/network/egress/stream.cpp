// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/stream.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <set>

namespace glovebox::network {

namespace {

// What the kernel keeps in buffers counts to no run's memory, and all connections of the machine share what it has for them
// (tcp_mem in tcp(7)): 250 that nobody reads from took all of it. The first few get as large ones as they need.
constexpr std::size_t socketsWithoutBound = 16;
constexpr int boundBytes = 64 * 1024; // the kernel doubles it

std::mutex openMutex;
std::set<int> openSockets; // a number is taken out before it is closed, and given to another

} // namespace

int pollTimeout(Time deadline)
{
    using namespace std::chrono;
    const auto left = ceil<milliseconds>(deadline - steady_clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

Stream::Stream(UniqueFd socket)
    : m_socket(std::move(socket))
{
    if (!m_socket)
        return;
    ::fcntl(m_socket.get(), F_SETFL, ::fcntl(m_socket.get(), F_GETFL) | O_NONBLOCK);
    const int on = 1;
    ::setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(m_socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    const std::scoped_lock lock(openMutex);
    openSockets.insert(m_socket.get());
    if (openSockets.size() <= socketsWithoutBound)
        return;
    for (const int buffer : {SO_RCVBUF, SO_SNDBUF})
        ::setsockopt(m_socket.get(), SOL_SOCKET, buffer, &boundBytes, sizeof boundBytes);
}

Stream::~Stream()
{
    close();
}

void Stream::close()
{
    if (!m_socket)
        return;
    const std::scoped_lock lock(openMutex);
    openSockets.erase(m_socket.get());
    m_socket.reset();
}

Stream &Stream::operator=(Stream &&other) noexcept
{
    if (this == &other)
        return *this;
    close();
    m_socket = std::move(other.m_socket);
    pending = std::move(other.pending);
    return *this;
}

void Stream::shutdownAll()
{
    const std::scoped_lock lock(openMutex);
    for (const int socket : openSockets)
        ::shutdown(socket, SHUT_RDWR);
}

Stream::Got Stream::receive(Time deadline, std::size_t most)
{
    for (;;) {
        const std::size_t before = pending.size();
        pending.resize(before + most);
        const ssize_t got = ::recv(m_socket.get(), pending.data() + before, most, 0);
        const int error = errno;
        pending.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got > 0)
            return Got::Bytes;
        if (got == 0)
            return Got::End;
        if (error != EAGAIN && error != EINTR)
            return Got::Failed;
        pollfd source{m_socket.get(), POLLIN, 0};
        if (error == EAGAIN && ::poll(&source, 1, pollTimeout(deadline)) == 0)
            return Got::TimedOut;
    }
}

bool Stream::send(std::string_view bytes, Time deadline)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EINTR)
            continue;
        pollfd source{m_socket.get(), POLLOUT, 0};
        if (errno != EAGAIN || ::poll(&source, 1, pollTimeout(deadline)) == 0)
            return false;
    }
    return true;
}

void Stream::shutdownSend() const
{
    ::shutdown(m_socket.get(), SHUT_WR);
}

} // namespace glovebox::network
