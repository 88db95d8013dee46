// SPDX-License-Identifier: Apache-2.0
// What is decided about a call, and what becomes of it.
#include "broker.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype listedNamesMax = 10; // tools in a sentence
constexpr qsizetype shownNameMax = 200; // characters of what a run calls a tool
constexpr qsizetype shownErrorMax = 200; // characters of what a server says of a failure

} // namespace

void ToolBroker::Private::decide(Connection &connection)
{
    connection.isTooMany = ++calls > callsMax;
    const auto request = checked(connection);
    connection.request.clear();
    if (!request)
        return refuse(connection, request.error().message);
    const auto &[server, arguments] = *request;
    connection.started = std::chrono::steady_clock::now();
    if (const auto &over = servers[server]->whyOver())
        return fail(connection, *over);
    // Before anything is done by it: whoever kills the engine now doesn't keep the call from the record.
    if (const Status recorded = watch.begin(connection.call); !recorded)
        return refuse(connection, Text(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused, as it can't be "
                                                                   "logged: %2"),
                                       {connection.call.tool, recorded.error().message.english()}));
    connection.started = std::chrono::steady_clock::now();
    connection.stage = Connection::Stage::Calling;
    connection.server = server;
    connection.deadline = connection.started + spec.callPatience;
    connection.id = servers[server]->call(connection.call.tool.section(u'.', 1), arguments);
}

// Everything that a call is checked for, before anybody hears of it: the server's place, and the arguments as they were checked.
Result<std::pair<std::size_t, QJsonObject>> ToolBroker::Private::checked(Connection &connection)
{
    ToolCall &call = connection.call;
    const auto refused = [&call](const char *sentence, const QStringList &more = {}) {
        return glovebox::fail(ErrorCode::PermissionDenied, sentence, QStringList{call.tool} + more);
    };
    const auto request = toolRequestFrom(connection.request);
    const bool isNamed = request && toolNameFrom(request->tool);
    if (isNamed) // else the run's own words would stand in the sentence
        call.tool = forRecord(request->tool, shownNameMax);
    if (isClosed)
        return refused(QT_TRANSLATE_NOOP("engine", "A call of a tool was refused: no run was using the interpreter "
                                                   "when its turn came."));
    if (connection.isTooLarge)
        return refused(QT_TRANSLATE_NOOP("engine", "A call of a tool was refused: its arguments have more than the %2 "
                                                   "MB that a call may have."),
                       {QString::number(requestMax / mebibyte)});
    if (!request)
        return refused(QT_TRANSLATE_NOOP("engine",
                                         "A call of a tool was refused: it is not a JSON object with \"tool\" "
                                         "and \"arguments\"."));
    if (!isNamed)
        return refused(QT_TRANSLATE_NOOP("engine", "A call of a tool was refused: no tool can have the name that it "
                                                   "gave."));
    if (isCancelled)
        return refused(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the run was stopped."));
    if (connection.isTooMany)
        return refused(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: a run may call tools %2 times."),
                       {QString::number(callsMax)});
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const ToolServer &server = servers[i]->server();
        for (const ToolRule &rule : server.tools) {
            const QString tool = ToolName{server.name, rule.tool}.text();
            if (tool != request->tool)
                continue;
            call.tool = tool;
            const QByteArray text = compact(request->arguments);
            if (const QStringList secrets = watch.keptFrom(call.tool, text); !secrets.isEmpty())
                return refused(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the value of the secret %2 is "
                                                           "in its arguments."),
                               {secrets.join(u", "_s)});
            RETURN_IF_ERROR(checkToolArguments(rule, call.tool, request->arguments));
            call.digest = sha256({watch.scrubbed(text)}); // else anybody could try values against the record
            call.sent = text.size();
            return std::pair(i, request->arguments);
        }
    }
    if (tools.isEmpty())
        return refused(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the run may call no tools."));
    QStringList names;
    for (const OfferedTool &tool : tools.first(std::min(tools.size(), listedNamesMax)))
        names.append(tool.name.text());
    if (tools.size() > listedNamesMax)
        names.append(u"..."_s);
    return refused(QT_TRANSLATE_NOOP("engine", "The call of %1 was refused: the run may call only %2."),
                   {names.join(u", "_s)});
}

// Values of secrets go before the text is cut: the beginning of one is found by nobody.
QString ToolBroker::Private::forRecord(const QString &text, qsizetype most) const
{
    return recordable(QString::fromUtf8(watch.scrubbed(text.toUtf8())).left(most));
}

void ToolBroker::Private::takeAnswer(std::size_t server, const ServerAnswer &answer)
{
    const auto waits = [&](const Connection &each) {
        return each.stage == Connection::Stage::Calling && each.server == server;
    };
    if (answer.id == ServerAnswer::nobodys) {
        if (std::ranges::count_if(connections, waits)
            == 1) // else it can't be told whose it is, and the clock ends that one
            fail(*std::ranges::find_if(connections, waits), brokenAnswerOf(servers[server]->server().name));
        return;
    }
    const auto connection =
        std::ranges::find_if(connections, [&](const Connection &each) { return waits(each) && each.id == answer.id; });
    if (connection == connections.end())
        return; // an answer that nobody waits for
    const bool isError = answer.error || answer.result[u"isError"_s].toBool();
    if (isError) {
        const QString why = answer.error ? *answer.error : textOf(answer.result);
        connection->call.reason =
            Text(QT_TRANSLATE_NOOP("engine", "The server says: %1"), {forRecord(why, shownErrorMax)});
        connection->call.verdict = ToolCall::Verdict::Failed;
        return settle(*connection, {{u"error"_s, why.left(answerMax / 4)}});
    }
    const QJsonObject whole{{u"value"_s, valueOf(answer.result)}};
    if (const qint64 size = compact(whole).size(); size > answerMax)
        return fail(*connection, Text(QT_TRANSLATE_NOOP("engine", "The server answered with %1 bytes, more than the %2 "
                                                                  "MB that an answer may have."),
                                      {QString::number(size), QString::number(answerMax / mebibyte)}));
    connection->call.verdict = ToolCall::Verdict::Answered;
    settle(*connection, whole);
}

// The call is over: told, and answered.
void ToolBroker::Private::settle(Connection &connection, const QJsonObject &answer)
{
    const Time now = std::chrono::steady_clock::now();
    connection.stage = Connection::Stage::Writing;
    connection.deadline = now + requestPatience;
    connection.answer = compact(answer);
    if (connection.call.verdict != ToolCall::Verdict::Refused) {
        connection.call.received = connection.answer.size();
        connection.call.duration = std::chrono::duration_cast<std::chrono::milliseconds>(now - connection.started);
    }
    if (!connection.isTooMany)
        watch.told(connection.call);
}

void ToolBroker::Private::refuse(Connection &connection, const Text &why)
{
    connection.call.verdict = ToolCall::Verdict::Refused;
    connection.call.digest.clear();
    connection.call.sent = 0;
    connection.call.reason = why;
    settle(connection, {{u"error"_s, why.english()}});
}

void ToolBroker::Private::fail(Connection &connection, const Text &why)
{
    connection.call.verdict = ToolCall::Verdict::Failed;
    connection.call.reason = why;
    settle(connection, {{u"error"_s, why.english()}});
}

} // namespace glovebox
