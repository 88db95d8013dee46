// SPDX-License-Identifier: Apache-2.0
#include "localserver.h"

#include "engine/mcp/protocol/server.h"
#include "engine/mcp/transports/stdio.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// To nobody's request: none was read. Who doesn't read it at once is closed all the same.
void sayWhy(int socket, const QString &sentence)
{
    const QByteArray line = errorText({ErrorNumber::internal, sentence, {}, {}}, true) + '\n';
    std::ignore = ::send(socket, line.constData(), size_t(line.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
}

} // namespace

struct LocalServer::Visit
{
    UniqueFd socket;
    std::atomic<bool> hasEnded = false;
    std::jthread thread;
};

LocalServer::LocalServer(Server &server, LocalListener listener, Admit admit)
    : m_server(server)
    , m_listener(std::move(listener))
    , m_admit(std::move(admit))
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        m_stop.reset(ends[0]);
        m_stopEnd.reset(ends[1]);
    }
    m_acceptor = std::jthread([this] {
        blockSignals();
        accept();
    });
}

LocalServer::~LocalServer()
{
    m_stopping.request_stop();
    std::ignore = ::write(m_stopEnd.get(), "", 1); // stays readable
    m_acceptor.join();
    m_visits.clear(); // waits for their threads
}

void LocalServer::accept()
{
    for (;;) {
        pollfd waits[] = {{m_listener.descriptor(), POLLIN, 0}, {m_stop.get(), POLLIN, 0}};
        if ((::poll(waits, 2, -1) < 0 && errno != EINTR) || waits[1].revents != 0)
            return;
        m_visits.remove_if([](const auto &visit) { return visit->hasEnded.load(); });
        auto visit = std::make_unique<Visit>();
        visit->socket.reset(::accept4(m_listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!visit->socket) { // out of descriptors: not again at once
            ::poll(&waits[1], 1, 100);
            continue;
        }
        if (m_visits.size() >= localConnectionsMax) {
            sayWhy(visit->socket.get(),
                   u"The workbench serves %1 agents already. Close one of them, then call again."_s.arg(
                       localConnectionsMax));
            continue;
        }
        Visit &kept = *m_visits.emplace_back(std::move(visit));
        try {
            kept.thread = std::jthread([this, &kept] {
                blockSignals();
                serve(kept);
                kept.socket.reset(); // the client sees the end at once
                kept.hasEnded = true;
            });
        } catch (const std::system_error &) { // no more threads: the client may come again
            m_visits.pop_back();
        }
    }
}

void LocalServer::serve(Visit &visit)
{
    const auto peer = peerOf(visit.socket.get());
    if (!peer || peer->uid != ::geteuid())
        return;
    const std::shared_ptr<Client> client = m_admit(*peer, m_stopping.get_token());
    if (!client)
        return sayWhy(visit.socket.get(),
                      u"Only \"glovebox mcp\" of this workbench's installation connects here. Start "
                      "that program, and write to its standard input."_s);
    serveStream(m_server, *client, visit.socket.get(), visit.socket.get(), m_stop.get());
}

} // namespace glovebox::mcp
