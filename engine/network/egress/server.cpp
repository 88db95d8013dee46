// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/server.h"

#include "engine/network/egress/services/services.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

namespace glovebox::network {

namespace {

constexpr int finishPatience = 500; // milliseconds: somebody may still be resolving a name
constexpr int mostWaiting = 256; // at a listener; more than the kernel lets wait
constexpr std::size_t stackBytes = 512 * 1024; // the C library's resolver needs the most of it

// What a thread is given.
struct Task
{
    Gate &gate;
    std::atomic<int> &open;
    Service service;
    UniqueFd socket;
};

void run(Task &task)
{
    Stream stream(std::move(task.socket));
    switch (task.service) {
    case Service::HttpProxy:
        return serveHttpProxy(std::move(stream), task.gate);
    case Service::SocksProxy:
        return serveSocks(std::move(stream), task.gate);
    case Service::DnsStream:
        return serveNames(std::move(stream), task.gate);
    case Service::Transparent:
        return serveTransparent(std::move(stream), task.gate);
    case Service::DnsDatagrams:
        return;
    }
}

void *runTask(void *argument)
{
    const std::unique_ptr<Task> task(static_cast<Task *>(argument));
    run(*task);
    --task->open;
    return nullptr;
}

} // namespace

// False: there is no room for another thread.
bool Server::start(Service service, UniqueFd socket)
{
    auto task = std::make_unique<Task>(m_gate, m_open, service, std::move(socket));
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    ::pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_t thread{};
    ++m_open;
    const bool started = ::pthread_create(&thread, &attributes, runTask, task.get()) == 0;
    ::pthread_attr_destroy(&attributes);
    if (started)
        static_cast<void>(task.release());
    else
        --m_open;
    return started;
}

void Server::accept(Service service, std::uint16_t port, int listener)
{
    UniqueFd socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket)
        return;
    if (m_open >= mostConnections || !start(service, std::move(socket)))
        m_gate.reporter.refused(service == Service::Transparent  ? Way::Direct
                                : service == Service::SocksProxy ? Way::Socks
                                : service == Service::DnsStream  ? Way::Name
                                                                 : Way::Http,
                                Reason::TooManyConnections, "", port);
}

void Server::answerDatagram(int socket)
{
    std::array<char, 1024> question;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto *address = reinterpret_cast<sockaddr *>(&from);
    const ssize_t got = ::recvfrom(socket, question.data(), question.size(), MSG_DONTWAIT, address, &size);
    if (got <= 0)
        return;
    if (const auto answer = answerName({question.data(), static_cast<std::size_t>(got)}, m_gate))
        ::sendto(socket, answer->data(), answer->size(), MSG_DONTWAIT | MSG_NOSIGNAL, address, size);
}

void Server::takeOneOfEach(std::span<const pollfd> listeners)
{
    for (std::size_t i = 0; i < m_listeners.size(); ++i) {
        if (!listeners[i].revents)
            continue;
        if (m_listeners[i].service == Service::DnsDatagrams)
            answerDatagram(listeners[i].fd);
        else
            accept(m_listeners[i].service, m_listeners[i].port, listeners[i].fd);
    }
}

// What is still open ends now, and is told; also what the run asked for at its very end.
void Server::finish(std::span<pollfd> listeners)
{
    for (int i = 0; i < mostWaiting && ::poll(listeners.data(), listeners.size(), 0) > 0; ++i)
        takeOneOfEach(listeners);
    Stream::shutdownAll();
    for (int i = 0; i < finishPatience && m_open > 0; ++i)
        ::poll(nullptr, 0, 1);
    m_gate.reporter.finish();
}

void Server::serve()
{
    std::vector<pollfd> sources{{egressControlFd, POLLIN, 0}};
    for (std::size_t i = 0; i < m_listeners.size(); ++i)
        sources.push_back({egressFirstListenerFd + static_cast<int>(i), POLLIN, 0});
    for (;;) {
        if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR)
            return;
        if (sources[0].revents) {
            char message = 0;
            if (::recv(egressControlFd, &message, 1, MSG_DONTWAIT) == 1)
                finish(std::span(sources).subspan(1));
            return;
        }
        takeOneOfEach(std::span(sources).subspan(1));
    }
}

} // namespace glovebox::network
