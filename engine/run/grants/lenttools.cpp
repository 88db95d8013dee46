// SPDX-License-Identifier: Apache-2.0
#include "lenttools.h"

#include <algorithm>

namespace glovebox {

namespace {

constexpr quint16 firstToolPort = 3129; // behind the proxy's; where the run may reach hosts by it, the next

quint16 freePort(const SandboxShape &shape)
{
    quint16 port = firstToolPort;
    while (std::ranges::find(shape.listeners, port, &InnerSocket::port) != shape.listeners.end())
        ++port; // at most 256 are taken
    return port;
}

RunEvent eventOf(const ToolCall &call)
{
    using Verdict = ToolCall::Verdict;
    if (call.verdict == Verdict::Refused)
        return {EventType::ToolRefused, call.reason};
    const QStringList arguments{call.tool, QString::number(call.sent), QString::fromLatin1(call.digest.toHex()),
                                QString::number(call.duration.count())};
    if (call.verdict == Verdict::Failed)
        return {EventType::ToolCalled,
                Text(QT_TRANSLATE_NOOP("engine", "The run called %1 (%2 bytes of arguments, SHA-256 %3), which failed "
                                                 "after %4 ms. %5"),
                     arguments + QStringList{call.reason.english()})};
    return {EventType::ToolCalled,
            Text(QT_TRANSLATE_NOOP("engine", "The run called %1 (%2 bytes of arguments, SHA-256 %3), which answered "
                                             "after %4 ms with %5 bytes."),
                 arguments + QStringList{QString::number(call.received)})};
}

Status recordCall(AuditLog &log, const QString &run, const ToolCall &call)
{
    const auto written =
        log.appendNow(toEntry(CalledEntry{.run = run, .tool = call.tool, .digest = call.digest, .bytes = call.sent}));
    return written ? Status() : std::unexpected(written.error());
}

} // namespace

Status LentTools::start(const RunRequest &request, const Rooms &rooms, LiveRun &run, const std::stop_token &stop)
{
    const QStringList &tools = request.policy.tools;
    if (tools.isEmpty() && !request.isStateful)
        return {};
    QList<ToolServer> servers;
    if (!tools.isEmpty()) {
        ASSIGN_OR_RETURN(const auto listed, readToolServers(rooms.toolServers));
        ASSIGN_OR_RETURN(servers, serversOfTools(listed, tools));
    }
    const auto started = [&run](const ToolServer &server) {
        QStringList names;
        for (const ToolRule &rule : server.tools)
            names.append(rule.tool);
        run.addEvent({EventType::ToolServerStarted,
                      Text(QT_TRANSLATE_NOOP("engine", "The server %1 was started outside of the sandbox (%2). The run "
                                                       "may call of its tools: %3."),
                           {server.name, server.command.first(), names.join(QStringLiteral(", "))})});
    };
    ASSIGN_OR_RETURN(m_broker,
                     ToolBroker::start({.libexec = rooms.libexec, .servers = servers, .started = started}, stop));
    return {};
}

void LentTools::addTo(const Language &language, SandboxShape &shape)
{
    if (!m_broker)
        return;
    const quint16 port = freePort(shape);
    if (!m_broker->tools().isEmpty())
        m_module = language.toolModule(m_broker->tools(), port);
    shape.listeners.append(InnerSocket{.port = port});
    m_sockets = shape.listeners.size();
}

UniqueFd LentTools::takeSocket(std::vector<UniqueFd> &sockets) const
{
    UniqueFd socket;
    if (m_broker && std::ssize(sockets) == m_sockets) {
        socket = std::move(sockets.back());
        sockets.pop_back();
    }
    return socket;
}

Status LentTools::serve(UniqueFd socket, const LentSecrets &secrets, AuditLog &log, LiveRun &run)
{
    if (m_broker && !socket && !m_module) // nobody can call, and nobody was told that they can
        m_broker.reset();
    if (!m_broker)
        return {};
    return m_broker->serve(
        std::move(socket),
        {.keptFrom = [&secrets](const QString &tool,
                                QByteArrayView arguments) { return secrets.keptFrom(tool, arguments); },
         .scrubbed =
             [&secrets](QByteArrayView text) {
                 return secrets.plan() ? secrets.plan()->scrubbed(text) : text.toByteArray();
             },
         .begin = [&log, run = run.id()](const ToolCall &call) { return recordCall(log, run, call); },
         .told = [&run](const ToolCall &call) { run.addEvent(eventOf(call)); }});
}

void LentTools::cancelCalls()
{
    if (m_broker)
        m_broker->cancelCalls();
}

void LentTools::close()
{
    if (m_broker)
        m_broker->close();
}

} // namespace glovebox
