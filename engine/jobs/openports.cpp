// SPDX-License-Identifier: Apache-2.0
#include "openports.h"

#include "engine/audit/audit.h"
#include "engine/sessions/sessions.h"

#include <poll.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostPorts = 4;
constexpr std::size_t connectionsAtOnce = std::size_t{connectorsOfJob} / mostPorts;

QJsonObject fieldsOf(const Job &job, const OpenedPort &port, const Caller &caller)
{
    Caller recorded = caller;
    recorded.program = recordable(recorded.program);
    recorded.claimed = recordable(recorded.claimed);
    return {{u"caller"_s, toJson(recorded)},
            {u"session"_s, job.session},
            {u"port"_s, int(port.port())},
            {u"address"_s, port.address()}};
}

} // namespace

QJsonObject toJson(const JobPort &port)
{
    return {{u"port"_s, int(port.port)}, {u"address"_s, port.address}};
}

OpenPorts::OpenPorts(const JobRooms &rooms, Job job, Run &run)
    : m_rooms(rooms)
    , m_job(std::move(job))
    , m_run(run)
{
}

OpenPorts::~OpenPorts()
{
    closeAll(Text(QT_TRANSLATE_NOOP("engine", "The job has ended.")));
}

Result<QString> OpenPorts::link(quint16 port, const Caller &caller)
{
    m_nextLook = {};
    look();
    const auto there = std::ranges::find(m_open, port, [](const Open &open) { return open.port->port(); });
    if (there != m_open.end())
        return there->port->newLink();
    if (m_run.state() != RunState::Running)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The job has ended, so its port %1 can't be opened."),
                    {QString::number(port)});
    if (m_open.size() >= mostPorts)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "The job has %1 ports open, and no more can be. To close one: glovebox "
                                                "session close %2 PORT"),
                    {QString::number(mostPorts), m_job.session});
    Open open{.port = {}, .sockets = freeSockets()};
    if (!open.sockets)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "Ports of jobs can't be opened on this machine. They need Linux 5.14 or "
                                      "newer."),
                    {});
    auto opened = OpenedPort::open({.libexec = m_rooms.libexec,
                                    .runtime = m_rooms.runtime,
                                    .identity = runIdentity().value_or(HostIdentity()),
                                    .port = port,
                                    .sockets = open.sockets});
    if (!opened) {
        m_free.push_back(std::move(open.sockets));
        return std::unexpected(opened.error());
    }
    open.port = *std::move(opened);
    // Nobody has the link before this is on record.
    QJsonObject interrupted = fieldsOf(m_job, *open.port, caller);
    interrupted[u"reason"_s] = toJson(Text(QT_TRANSLATE_NOOP("engine", "The job's process ended in the middle.")));
    const auto begun =
        m_rooms.log.appendNow({.kind = toString(EntryKind::PortOpened),
                               .run = m_job.run,
                               .fields = fieldsOf(m_job, *open.port, caller),
                               .also = {},
                               .begins = Entry::Unfinished{toString(EntryKind::PortClosed), interrupted}});
    if (!begun) {
        open.port.reset();
        m_free.push_back(std::move(open.sockets)); // for the next one that can be put on record
        return std::unexpected(begun.error());
    }
    open.opened = begun->seq;
    m_open.push_back(std::move(open));
    return m_open.back().port->newLink();
}

// Null: the run has none.
std::shared_ptr<const PortSockets> OpenPorts::freeSockets()
{
    if (!m_free.empty()) {
        auto sockets = std::move(m_free.back());
        m_free.pop_back();
        return sockets;
    }
    auto sockets = std::make_shared<PortSockets>();
    for (Connector &connector : m_run.takeConnectors(connectionsAtOnce)) {
        sockets->internet.push_back(std::move(connector.internet));
        if (connector.internet6)
            sockets->internet6.push_back(std::move(connector.internet6));
    }
    return sockets->internet.empty() ? nullptr : sockets;
}

void OpenPorts::end(Open &open, const Text &why, const Caller &caller)
{
    QJsonObject fields = fieldsOf(m_job, *open.port, caller);
    fields[u"reason"_s] = toJson(why);
    open.port.reset(); // also where the log can't have it
    m_free.push_back(std::move(open.sockets));
    const auto ended = m_rooms.log.appendNow(
        {.kind = toString(EntryKind::PortClosed), .run = m_job.run, .fields = fields, .also = {}, .ends = open.opened});
    if (!ended)
        qCWarning(lcAudit, "The log doesn't have that a port was closed: %s",
                  qUtf8Printable(ended.error().message.english()));
}

void OpenPorts::closeAll(const Text &why)
{
    for (Open &open : m_open)
        end(open, why, m_rooms.caller);
    m_open.clear();
    m_free.clear(); // they keep the run's network
}

Status OpenPorts::close(quint16 port, const Caller &caller)
{
    const auto there = std::ranges::find(m_open, port, [](const Open &open) { return open.port->port(); });
    if (there == m_open.end())
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "Port %1 of the job %2 isn't open."),
                    {QString::number(port), m_job.run});
    end(*there, Text(QT_TRANSLATE_NOOP("engine", "You closed the port.")), caller);
    m_open.erase(there);
    return {};
}

QList<JobPort> OpenPorts::list() const
{
    QList<JobPort> ports;
    for (const Open &open : m_open)
        ports.append({.port = open.port->port(), .address = open.port->address()});
    return ports;
}

std::vector<int> OpenPorts::descriptors() const
{
    std::vector<int> all;
    all.reserve(m_open.size());
    for (const Open &open : m_open)
        all.push_back(open.port->descriptor());
    return all;
}

void OpenPorts::look()
{
    if (m_open.empty() && m_free.empty())
        return;
    if (m_run.state() != RunState::Running)
        return closeAll(Text(QT_TRANSLATE_NOOP("engine", "The job has ended.")));
    if (const auto now = std::chrono::steady_clock::now(); now >= m_nextLook) { // reads the disk
        m_nextLook = now + lookEvery;
        const auto session = m_rooms.sessions.find(m_job.session);
        if (!session && session.error().code == ErrorCode::NotFound)
            return closeAll(Text(QT_TRANSLATE_NOOP("engine", "The job's session was deleted.")));
    }
    std::erase_if(m_open, [this](Open &open) {
        pollfd source{open.port->descriptor(), 0, 0}; // its end; a word that comes late is none
        if (::poll(&source, 1, 0) <= 0)
            return false;
        end(open, Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program for the port ended by itself.")),
            m_rooms.caller);
        return true;
    });
}

} // namespace glovebox
