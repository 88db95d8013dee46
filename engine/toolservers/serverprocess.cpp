// SPDX-License-Identifier: Apache-2.0
#include "serverprocess.h"

#include "engine/launcher/toolhost/report.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QProcessEnvironment>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto stopGlance = 100ms; // how often somebody who waits looks whether the run was cancelled
constexpr auto hostPatience = 3s; // its own are shorter (engine/launcher/toolhost)
constexpr auto reportPatience = 1s;
constexpr int pagesMax = 32;
constexpr qsizetype listedMax = 2000; // tools of a server
constexpr qsizetype errorMax = 1000; // characters

const QStringList &knownRevisions()
{
    static const QStringList revisions{u"2025-11-25"_s, u"2025-06-18"_s, u"2025-03-26"_s, u"2024-11-05"_s};
    return revisions;
}

// What every server gets, made up but for names of the person's; and what the person's list names.
Result<std::vector<std::string>> environmentOf(const ToolServer &server)
{
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    const QString folder = QFileInfo(server.command.first()).path();
    QStringList variables{u"PATH="_s + folder + u":/usr/local/bin:/usr/bin:/bin"_s, u"HOME="_s + accountHome()};
    for (const QString &name : {u"USER"_s, u"LOGNAME"_s, u"LANG"_s}) {
        if (own.contains(name) && !server.environment.contains(name))
            variables.append(name + u'=' + own.value(name));
    }
    for (const QString &name : server.environment) {
        if (!own.contains(name))
            return fail(ErrorCode::NotFound,
                        QT_TRANSLATE_NOOP("engine",
                                          "The server %1 is to be given the variable %2, which isn't set. Set "
                                          "the variable where Glovebox is started."),
                        {server.name, name});
        variables.removeIf([&](const QString &variable) { return variable.startsWith(name + u'='); });
        variables.append(name + u'=' + own.value(name));
    }
    std::vector<std::string> environment;
    for (const QString &variable : variables)
        environment.push_back(QFile::encodeName(variable).toStdString());
    return environment;
}

bool makePipe(UniqueFd &reading, UniqueFd &writing)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    reading.reset(ends[0]);
    writing.reset(ends[1]);
    return true;
}

// Nothing where one isn't to be believed.
std::optional<OfferedTool> toolFrom(const QString &server, const QJsonObject &object)
{
    const QString name = object[u"name"_s].toString();
    if (!isToolName(name))
        return std::nullopt;
    return OfferedTool{{server, name}, object[u"description"_s].toString(), object[u"inputSchema"_s].toObject()};
}

} // namespace

ServerProcess::~ServerProcess()
{
    hangUp();
    m_host.endsWithin(hostPatience);
}

void ServerProcess::hangUp()
{
    m_input.reset();
    m_output.reset();
    m_host.closeChannel();
}

Status ServerProcess::start(const QString &libexec)
{
    UniqueFd theirInput, theirOutput;
    if (!makePipe(theirInput, m_input) || !makePipe(m_output, theirOutput)
        || ::fcntl(m_input.get(), F_SETFL, O_NONBLOCK) != 0 || ::fcntl(m_output.get(), F_SETFL, O_NONBLOCK) != 0)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The server %1 can't be started: %2."),
                    {m_server.name, errnoText(errno)});
    ProgramStart start{.path = libexec + u"/glovebox-toolhost"_s};
    start.socket = SOCK_STREAM;
    const QString home = accountHome();
    start.arguments.push_back(home.isEmpty() ? "/" : QFile::encodeName(home).toStdString());
    for (const QString &word : m_server.command)
        start.arguments.push_back(QFile::encodeName(word).toStdString());
    start.descriptors.push_back(std::move(theirInput));
    start.descriptors.push_back(std::move(theirOutput));
    ASSIGN_OR_RETURN(start.environment, environmentOf(m_server));
    RETURN_IF_ERROR(m_host.start(std::move(start)));
    m_ran = true;
    return {};
}

Result<QList<OfferedTool>> ServerProcess::open(std::chrono::steady_clock::time_point deadline,
                                               const std::stop_token &stop)
{
    const qint64 hello = request(
        u"initialize"_s,
        {{u"protocolVersion"_s, knownRevisions().first()},
         {u"capabilities"_s, QJsonObject()},
         {u"clientInfo"_s, QJsonObject{{u"name"_s, u"glovebox"_s}, {u"version"_s, QStringLiteral(GLOVEBOX_VERSION)}}}});
    ASSIGN_OR_RETURN(const QJsonObject introduced, answerTo(hello, deadline, stop));
    if (!knownRevisions().contains(introduced[u"protocolVersion"_s].toString()))
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "The server %1 speaks no revision of the Model Context Protocol that "
                                                "Glovebox knows: %2."),
                    {m_server.name, knownRevisions().join(u", "_s)});
    send({{u"method"_s, u"notifications/initialized"_s}});
    QList<OfferedTool> tools;
    QString cursor;
    for (int page = 0; page < pagesMax; ++page) {
        const qint64 id =
            request(u"tools/list"_s, cursor.isEmpty() ? QJsonObject() : QJsonObject{{u"cursor"_s, cursor}});
        ASSIGN_OR_RETURN(const QJsonObject listed, answerTo(id, deadline, stop));
        for (const auto each : listed[u"tools"_s].toArray()) {
            if (auto tool = toolFrom(m_server.name, each.toObject()); tool && tools.size() < listedMax)
                tools.append(*std::move(tool));
        }
        cursor = listed[u"nextCursor"_s].toString();
        if (cursor.isEmpty())
            break;
    }
    return tools;
}

Result<QJsonObject> ServerProcess::answerTo(qint64 id, std::chrono::steady_clock::time_point deadline,
                                            const std::stop_token &stop)
{
    while (!m_over) {
        const auto now = std::chrono::steady_clock::now();
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled,
                        QT_TRANSLATE_NOOP("engine", "The run was cancelled while its servers were started."), {});
        if (now >= deadline)
            return fail(ErrorCode::TimedOut,
                        QT_TRANSLATE_NOOP("engine", "The server %1 didn't say in time which tools it has. To see what "
                                                    "is wrong, run its command in a terminal: %2"),
                        {m_server.name, m_server.command.first()});
        std::vector<pollfd> sources;
        addTo(sources);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            std::min<std::chrono::steady_clock::duration>(deadline - now, stopGlance));
        if (::poll(sources.data(), sources.size(), static_cast<int>(left.count())) <= 0)
            continue;
        for (ServerAnswer &answer : move(sources.data())) {
            if (answer.id == ServerAnswer::nobodys)
                return fail(ErrorCode::Unavailable, brokenAnswerOf(m_server.name));
            if (answer.id != id)
                continue;
            if (answer.error)
                return fail(ErrorCode::Unavailable,
                            QT_TRANSLATE_NOOP("engine", "The server %1 answered with an error: %2"),
                            {m_server.name, answer.error->left(errorMax)});
            return std::move(answer.result);
        }
    }
    return fail(ErrorCode::Unavailable, *m_over);
}

qint64 ServerProcess::call(const QString &tool, const QJsonObject &arguments)
{
    return request(u"tools/call"_s, {{u"name"_s, tool}, {u"arguments"_s, arguments}});
}

void ServerProcess::giveUp(qint64 id)
{
    send({{u"method"_s, u"notifications/cancelled"_s},
          {u"params"_s, QJsonObject{{u"requestId"_s, id}, {u"reason"_s, u"no answer in time"_s}}}});
}

qint64 ServerProcess::request(const QString &method, const QJsonObject &parameters)
{
    send({{u"id"_s, ++m_lastId}, {u"method"_s, method}, {u"params"_s, parameters}});
    return m_lastId;
}

void ServerProcess::send(const QJsonObject &message)
{
    if (m_over)
        return;
    QJsonObject whole = message;
    whole[u"jsonrpc"_s] = u"2.0"_s;
    m_toWrite += compact(whole) + '\n';
    // Answers to what it asks, of a server that reads none of them.
    if (m_toWrite.size() > outputMax)
        end(Text(QT_TRANSLATE_NOOP("engine", "The server %1 reads nothing of what it is sent, and was ended."),
                 {m_server.name}));
}

void ServerProcess::addTo(std::vector<pollfd> &sources) const
{
    sources.push_back({m_toWrite.isEmpty() ? -1 : m_input.get(), POLLOUT, 0});
    sources.push_back({m_output ? m_output.get() : m_host.channel(), POLLIN, 0});
}

QList<ServerAnswer> ServerProcess::move(const pollfd *sources)
{
    QList<ServerAnswer> answers;
    if (sources[1].revents != 0 && m_output)
        read(answers);
    else if (m_endsBy && (sources[1].revents != 0 || std::chrono::steady_clock::now() >= *m_endsBy))
        end(howEnded());
    if (sources[0].revents != 0 && m_input)
        write();
    return answers;
}

void ServerProcess::write()
{
    const ssize_t written = ::write(m_input.get(), m_toWrite.constData(), static_cast<std::size_t>(m_toWrite.size()));
    if (written >= 0)
        m_toWrite.remove(0, written);
    else if (errno != EAGAIN && errno != EINTR)
        m_toWrite.clear(); // it has closed its input; its output ends, or it is too slow
}

void ServerProcess::read(QList<ServerAnswer> &answers)
{
    QByteArray piece(qsizetype(64 * kibibyte), Qt::Uninitialized);
    const ssize_t got = ::read(m_output.get(), piece.data(), static_cast<std::size_t>(piece.size()));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        m_output.reset();
        m_endsBy = std::chrono::steady_clock::now() + reportPatience;
        return;
    }
    piece.truncate(got);
    m_read += got;
    if (m_read > outputMax)
        return end(Text(QT_TRANSLATE_NOOP("engine", "The server %1 sent more than %2 MB, and was ended."),
                        {m_server.name, QString::number(outputMax / mebibyte)}));
    for (const QByteArray &line : m_lines.feed(piece)) {
        take(line, answers);
        if (m_over)
            return;
    }
    if (m_lines.isTooLong())
        end(Text(QT_TRANSLATE_NOOP("engine", "The server %1 sent a message of more than %2 MB, and was ended."),
                 {m_server.name, QString::number(ServerLines::lineMax / mebibyte)}));
}

void ServerProcess::take(const QByteArray &line, QList<ServerAnswer> &answers)
{
    ServerMessage message = readServerLine(line, m_lastId);
    if (auto *answer = std::get_if<ServerAnswer>(&message))
        answers.append(std::move(*answer));
    else if (const auto *toSend = std::get_if<QJsonObject>(&message))
        send(*toSend);
}

void ServerProcess::end(const Text &why)
{
    m_over = why;
    m_endsBy.reset();
    m_toWrite.clear();
    m_lines.clear();
    hangUp();
}

Text ServerProcess::howEnded()
{
    launcher::ToolHostReport report{};
    const ssize_t got = ::recv(m_host.channel(), &report, sizeof report, MSG_DONTWAIT);
    const bool isKnown = got == sizeof report;
    const bool goesOn = got < 0 && errno == EAGAIN;
    m_ran = goesOn || (isKnown && report.notStarted == 0);
    if (isKnown && report.notStarted != 0)
        return Text(QT_TRANSLATE_NOOP("engine", "The server %1 can't be started: %2 (%3). Check its \"command\" on the "
                                                "list of servers."),
                    {m_server.name, errnoText(report.notStarted), m_server.command.first()});
    if (isKnown && WIFSIGNALED(report.waitStatus))
        return Text(QT_TRANSLATE_NOOP("engine", "The server %1 was ended by signal %2."),
                    {m_server.name, QString::number(WTERMSIG(report.waitStatus))});
    if (isKnown)
        return Text(QT_TRANSLATE_NOOP("engine", "The server %1 ended by itself, with exit status %2."),
                    {m_server.name, QString::number(WEXITSTATUS(report.waitStatus))});
    if (const auto why = goesOn ? std::nullopt : m_host.whyNotLoaded()) // of the program between
        return why->message;
    return Text(QT_TRANSLATE_NOOP("engine", "The server %1 closed its output."), {m_server.name});
}

Result<QList<OfferedTool>> toolsOfServer(const QString &libexec, const ToolServer &server, std::stop_token stop)
{
    Result<QList<OfferedTool>> tools;
    const auto ask = [&] {
        blockSignals(); // SIGPIPE; the caller's own output may end it
        ServerProcess process(server);
        const Status started = process.start(libexec);
        tools = started ? process.open(std::chrono::steady_clock::now() + ToolBroker::Spec().startPatience, stop)
                        : std::unexpected(started.error());
    };
    try {
        std::jthread(ask).join();
    } catch (const std::system_error &error) { // no more threads
        return glovebox::fail(ErrorCode::Unavailable,
                              QT_TRANSLATE_NOOP("engine", "The server %1 can't be started: %2."),
                              {server.name, errnoText(error.code().value())});
    }
    return tools;
}

} // namespace glovebox
