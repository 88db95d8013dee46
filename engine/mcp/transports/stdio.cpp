// SPDX-License-Identifier: Apache-2.0
#include "stdio.h"

#include "engine/mcp/protocol/server.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace glovebox::mcp {

DescriptorOutlet::DescriptorOutlet(int descriptor)
    : m_descriptor(descriptor)
{
    struct stat info = {};
    m_isSocket = ::fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

void DescriptorOutlet::send(const QByteArray &message, Sending /*what*/)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_isBroken || writeAll(message + '\n'))
            return;
        m_isBroken = true;
    }
    m_gone.request_stop();
}

// Never in a write that blocks: the descriptor may be shared, so that it can't be made one that doesn't. A pipe that poll() says
// can be written to takes PIPE_BUF bytes at once (pipe(7)).
bool DescriptorOutlet::writeAll(QByteArrayView bytes)
{
    constexpr int step = 200; // ms
    for (int waited = 0; !bytes.isEmpty();) {
        pollfd out{m_descriptor, POLLOUT, 0};
        const int ready = ::poll(&out, 1, step);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0) {
            waited += step;
            if (m_hurries && waited > 1000)
                return false;
            continue;
        }
        const ssize_t written =
            m_isSocket ? ::send(m_descriptor, bytes.data(), size_t(bytes.size()), MSG_DONTWAIT | MSG_NOSIGNAL)
                       : ::write(m_descriptor, bytes.data(), size_t(std::min<qsizetype>(bytes.size(), PIPE_BUF)));
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (written > 0) {
            bytes = bytes.sliced(written);
            waited = 0;
        }
    }
    return true;
}

void readLines(int input, int stop, const Outlet &outlet, const std::function<void(const Answer<QByteArray> &)> &take)
{
    LineReader lines;
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    while (!outlet.gone().stop_requested()) {
        pollfd ends[] = {{input, POLLIN, 0}, {stop, POLLIN, 0}};
        if (::poll(ends, 2, -1) < 0 && errno != EINTR)
            return;
        if (ends[1].revents != 0)
            return;
        if (ends[0].revents == 0)
            continue;
        const ssize_t count = ::read(input, piece.data(), size_t(piece.size()));
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (count <= 0)
            return;
        lines.feed(QByteArrayView(piece).first(count));
        while (const auto line = lines.next())
            take(*line);
    }
}

namespace {

// Who says no more may still listen (shutdown(2)), and is answered; who is gone isn't waited for.
void waitForAnswers(const Connection &connection, int socket, int stop, const Outlet &outlet)
{
    constexpr int glance = 20; // ms
    while (connection.hasRequests() && !outlet.gone().stop_requested()) {
        pollfd ends[] = {{socket, 0, 0}, {stop, POLLIN, 0}};
        if (::poll(ends, 2, glance) > 0)
            return;
    }
}

} // namespace

void serveStream(Server &server, Client &client, int input, int output, int stop)
{
    const auto outlet = std::make_shared<DescriptorOutlet>(output);
    Connection connection(server, client);
    connection.setBackground(outlet);
    readLines(input, stop, *outlet, [&](const Answer<QByteArray> &line) {
        if (line)
            connection.receive(*line, outlet);
        else
            connection.refuse(line.error(), *outlet);
    });
    connection.endInput();
    if (input == output) // of a pipe the end is the client's wish that all end
        waitForAnswers(connection, input, stop, *outlet);
    outlet->hurry();
    connection.close();
    client.installations.close(); // nobody is left to hear of them
}

} // namespace glovebox::mcp
