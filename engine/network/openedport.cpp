// SPDX-License-Identifier: Apache-2.0
#include "openedport.h"

#include "engine/launcher/packet.h"
#include "engine/network/port/messages.h"

#include <QRandomGenerator>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using network::PortMessage;

namespace {

constexpr int portReadyMs = 10'000;
constexpr int portLinkMs = 2'000;
constexpr auto portEndPatience = 1s;
constexpr int portBacklog = 64;

// Hexadecimal digits that nobody guesses.
QString randomDigits(int bytes)
{
    QByteArray random(bytes, Qt::Uninitialized);
    for (char &byte : random)
        byte = static_cast<char>(QRandomGenerator::system()->bounded(256));
    return QString::fromLatin1(random.toHex());
}

std::unexpected<Error> portNotOpened(quint16 port, const QString &why)
{
    return fail(
        ErrorCode::Unavailable,
        QT_TRANSLATE_NOOP("engine", "Port %1 of the job could not be opened. Try again, or reinstall Glovebox."),
        {QString::number(port)}, Text("glovebox-port: %1", {why}));
}

// On a port of 127.0.0.1 that the system chooses.
Result<UniqueFd> listenHere(quint16 inner, quint16 &port)
{
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const any = reinterpret_cast<sockaddr *>(&address);
    if (!listener || !keepRunsOut(listener) || ::bind(listener.get(), any, size) != 0
        || ::listen(listener.get(), portBacklog) != 0 || ::getsockname(listener.get(), any, &size) != 0)
        return portNotOpened(inner, errnoText(errno));
    port = ntohs(address.sin_port);
    return listener;
}

} // namespace

Result<std::unique_ptr<OpenedPort>> OpenedPort::open(PortToOpen wanted)
{
    network::PortSpec spec;
    quint16 outer = 0;
    ASSIGN_OR_RETURN(UniqueFd listener, listenHere(wanted.port, outer));
    const QString host = randomDigits(8) + u".localhost"_s;
    spec.host = host.toStdString();
    spec.outerPort = outer;
    spec.innerPort = wanted.port;
    spec.cookie = randomDigits(32).toStdString();

    std::unique_ptr<OpenedPort> port(new OpenedPort);
    port->m_sockets = std::make_shared<const PortSockets>();
    port->m_port = wanted.port;
    port->m_address = u"http://%1:%2/"_s.arg(host).arg(outer);
    ASSIGN_OR_RETURN(OwnPort own, OwnPort::note(wanted.runtime, outer));
    port->m_own = std::make_unique<OwnPort>(std::move(own));

    ProgramStart start{.path = wanted.libexec + u"/glovebox-port"_s};
    start.descriptors.emplace_back(); // for the spec
    start.descriptors.push_back(std::move(listener));
    for (const auto *sockets : {&wanted.sockets->internet, &wanted.sockets->internet6}) {
        for (const UniqueFd &socket : *sockets) {
            start.descriptors.emplace_back(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 3));
            if (!start.descriptors.back())
                return portNotOpened(wanted.port, errnoText(errno));
        }
    }
    spec.connectors = static_cast<std::uint16_t>(wanted.sockets->internet.size());
    spec.connectors6 = static_cast<std::uint16_t>(wanted.sockets->internet6.size());
    port->m_sockets = std::move(wanted.sockets);
    start.descriptors.front() = launcher::sealedMemory("glovebox-port-spec", spec.encode());
    if (::geteuid() == 0)
        start.arguments = {"--user", std::to_string(wanted.identity.uid), std::to_string(wanted.identity.gid)};
    RETURN_IF_ERROR(port->m_program.start(std::move(start)));
    RETURN_IF_ERROR(port->waitUntilReady());
    return port;
}

Status OpenedPort::waitUntilReady()
{
    launcher::Packet packet;
    if (launcher::receivePacketWithin(portReadyMs, m_program.channel(), packet) != 0) {
        auto why = m_program.whyNotLoaded();
        return why ? std::unexpected(*std::move(why)) : portNotOpened(m_port, u"no answer"_s);
    }
    launcher::Reader in(packet.bytes);
    PortMessage kind{};
    std::uint32_t version = 0;
    std::string problem;
    in(kind, version, problem);
    if (kind != PortMessage::Ready || !in.done() || version != network::portVersion)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Glovebox was updated while the job was running. Start the job again."),
                    {});
    return problem.empty() ? Status() : portNotOpened(m_port, QString::fromStdString(problem));
}

Result<QString> OpenedPort::newLink()
{
    const QString token = randomDigits(32);
    launcher::Packet packet;
    while (launcher::receivePacketWithin(0, m_program.channel(), packet) == 0) { } // that came too late
    PortMessage kind{};
    if (launcher::sendPacket(m_program.channel(),
                             launcher::Writer().put(PortMessage::Link).put(token.toStdString()).bytes(), {}, false)
            == 0
        && launcher::receivePacketWithin(portLinkMs, m_program.channel(), packet) == 0)
        launcher::Reader(packet.bytes).get(kind);
    if (kind != PortMessage::Link)
        return portNotOpened(m_port, u"no answer"_s);
    return m_address + u"?glovebox-token="_s + token;
}

OpenedPort::~OpenedPort()
{
    m_program.closeChannel(); // end of file: it ends
    m_program.endsWithin(portEndPatience);
    // What glovebox-port left connected: it goes with the last of those who have the socket.
    const sockaddr nowhere{.sa_family = AF_UNSPEC, .sa_data = {}};
    for (const auto *sockets : {&m_sockets->internet, &m_sockets->internet6}) {
        for (const UniqueFd &socket : *sockets)
            std::ignore = ::connect(socket.get(), &nowhere, sizeof nowhere);
    }
}

} // namespace glovebox
