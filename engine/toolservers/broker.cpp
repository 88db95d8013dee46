// SPDX-License-Identifier: Apache-2.0
// Between a run and its servers: one thread that reads what the run asks, decides, and passes it on.
#include "serverprocess.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <list>
#include <system_error>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

namespace {

constexpr auto requestPatience = 30s; // with a run that sends its request, or takes the answer
constexpr auto crowdedPatience = 250ms; // the same, where others may wait for its place
constexpr int connectionsMax = 4 * ToolBroker::callsMax; // of a run, with those that come to no call
constexpr int backlog = 128; // connections that wait to be taken
constexpr qsizetype listedNamesMax = 10; // tools in a sentence
constexpr qsizetype shownNameMax = 200; // characters of what a run calls a tool
constexpr qsizetype shownErrorMax = 200; // characters of what a server says of a failure

// One call, on its way. Its stages follow each other.
struct Connection
{
    enum class Stage { Reading, Calling, Writing };
    UniqueFd socket;
    Stage stage = Stage::Reading;
    Time deadline;
    QByteArray request;
    bool isTooLarge = false; // the rest of the request is thrown away
    ToolCall call;
    bool isTooMany = false; // beyond callsMax, which are told together
    std::size_t server = 0; // its place, while calling
    qint64 id = 0; // of the request to it
    Time started;
    QByteArray answer; // what of it is still to be written
};

} // namespace

struct ToolBroker::Private
{
    Spec spec;
    std::vector<std::unique_ptr<ServerProcess>> servers; // in the order of spec.servers
    QList<OfferedTool> tools;
    UniqueFd listener;
    UniqueFd wake, waker; // the thread ends when the writing end is closed
    Watch watch;
    std::list<Connection> connections;
    std::atomic<bool> isClosed = false; // whoever calls now isn't the run
    bool isCancelled = false; // the run was stopped
    int calls = 0;
    int admitted = 0; // connections
    std::jthread thread;

    Status startServer(const ToolServer &server, const std::stop_token &stop);
    void serve();
    void end();
    bool turn();
    bool obey();
    Time patienceWith(const Connection &connection) const;
    int timeout(Time now) const;
    bool admit();
    bool read(Connection &connection);
    static void write(Connection &connection);
    void decide(Connection &connection);
    Result<std::pair<std::size_t, QJsonObject>> checked(Connection &connection);
    QString forRecord(const QString &text, qsizetype most) const;
    void takeAnswer(std::size_t server, const ServerAnswer &answer);
    void settle(Connection &connection, const QJsonObject &answer);
    void refuse(Connection &connection, const Text &why);
    void fail(Connection &connection, const Text &why);
    void lookAtClock(Time now);
};

Status ToolBroker::Private::startServer(const ToolServer &server, const std::stop_token &stop)
{
    auto process = std::make_unique<ServerProcess>(server);
    RETURN_IF_ERROR(process->start(spec.libexec));
    const auto opened = process->open(std::chrono::steady_clock::now() + spec.startPatience, stop);
    if (process->ran())
        spec.started(server);
    ASSIGN_OR_RETURN(const auto offered, opened);
    for (const ToolRule &rule : server.tools) {
        const auto tool = std::ranges::find(offered, ToolName{server.name, rule.tool}, &OfferedTool::name);
        if (tool == offered.end())
            return glovebox::fail(ErrorCode::NotFound,
                                  QT_TRANSLATE_NOOP("engine", "The server %1 has no tool \"%2\". To see its tools: "
                                                              "glovebox mcp servers %1"),
                                  {server.name, rule.tool});
        tools.append(*tool);
    }
    servers.push_back(std::move(process));
    return {};
}

void ToolBroker::Private::serve()
{
    blockSignals();
    while (turn()) { }
    end();
    if (calls > callsMax)
        watch.told(
            {.verdict = ToolCall::Verdict::Refused,
             .reason = Text(QT_TRANSLATE_NOOP("engine", "The run called tools more often than the %2 times that a run "
                                                        "may; %3 further calls were refused."),
                            {QString(), QString::number(callsMax), QString::number(calls - callsMax)})});
}

// Nobody is left waiting who may go on: as far as they can be told, they are.
void ToolBroker::Private::end()
{
    while (isClosed && admitted < connectionsMax && admit()) { }
    for (Connection &connection : connections) {
        while (isClosed && connection.stage == Connection::Stage::Reading && !connection.isTooLarge
               && read(connection)) { }
        if (isClosed && connection.stage == Connection::Stage::Reading
            && (connection.isTooLarge || !connection.request.isEmpty()))
            decide(connection);
        if (connection.stage == Connection::Stage::Calling)
            fail(connection,
                 Text(QT_TRANSLATE_NOOP(
                     "engine",
                     "The run ended before the server answered, so the server may have carried the call out.")));
        write(connection);
    }
    connections.clear();
}

// False: the run is over.
bool ToolBroker::Private::turn()
{
    using Stage = Connection::Stage;
    const Time now = std::chrono::steady_clock::now();
    const bool hasRoom = connections.size() < callsAtOnce && admitted < connectionsMax;
    std::vector<pollfd> sources{{wake.get(), POLLIN, 0}, {hasRoom ? listener.get() : -1, POLLIN, 0}};
    for (const auto &server : servers)
        server->addTo(sources);
    const std::size_t first = sources.size();
    for (const Connection &connection : connections)
        sources.push_back({connection.stage == Stage::Calling ? -1 : connection.socket.get(),
                           short(connection.stage == Stage::Reading ? POLLIN : POLLOUT), 0});
    if (::poll(sources.data(), sources.size(), timeout(now)) < 0 && errno != EINTR)
        return false;
    if (sources[0].revents != 0 && !obey())
        return false;
    std::size_t at = first;
    for (Connection &connection : connections) {
        if (sources[at++].revents == 0)
            continue;
        if (connection.stage == Stage::Reading)
            read(connection);
        else
            write(connection);
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
        for (const ServerAnswer &answer : servers[i]->move(&sources[2 + 2 * i]))
            takeAnswer(i, answer);
    }
    lookAtClock(std::chrono::steady_clock::now());
    connections.remove_if(
        [](const Connection &connection) { return connection.stage == Stage::Writing && connection.answer.isEmpty(); });
    if (sources[1].revents != 0)
        admit();
    return true;
}

Time ToolBroker::Private::patienceWith(const Connection &connection) const
{
    const bool isCrowded = connection.stage == Connection::Stage::Reading && connections.size() >= callsAtOnce;
    return connection.deadline - (isCrowded ? requestPatience - crowdedPatience : 0ms);
}

int ToolBroker::Private::timeout(Time now) const
{
    Time next = Time::max();
    for (const Connection &connection : connections)
        next = std::min(next, patienceWith(connection));
    for (const auto &server : servers)
        next = std::min(next, server->endsBy().value_or(Time::max()));
    if (next == Time::max())
        return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(next - now, Time::duration::zero()));
    return static_cast<int>(left.count());
}

// What the run's thread wants: that calls are cancelled, or, by its end of the pipe being closed, the end (false).
bool ToolBroker::Private::obey()
{
    char order = 0;
    if (::read(wake.get(), &order, 1) != 1)
        return false;
    isCancelled = true;
    for (Connection &connection : connections) {
        if (connection.stage != Connection::Stage::Calling)
            continue;
        servers[connection.server]->giveUp(connection.id);
        fail(connection,
             Text(QT_TRANSLATE_NOOP("engine", "The run was interrupted before the server answered, so the server may "
                                              "have carried the call out.")));
    }
    return true;
}

// False: nobody waits.
bool ToolBroker::Private::admit()
{
    UniqueFd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket)
        return false;
    connections.push_back(
        {.socket = std::move(socket), .deadline = std::chrono::steady_clock::now() + requestPatience});
    if (++admitted == connectionsMax)
        ::shutdown(listener.get(), SHUT_RDWR); // nobody has that many calls to make: the kernel refuses them
    return true;
}

// Up to its end: then the request is whole. False: nothing more is there.
bool ToolBroker::Private::read(Connection &connection)
{
    std::array<char, 64 * kibibyte> piece;
    const ssize_t got = ::recv(connection.socket.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    // Nobody is there to be answered, or nothing came that could be a call.
    if (got < 0 || (isClosed && got == 0 && connection.request.isEmpty() && !connection.isTooLarge)) {
        connection.stage = Connection::Stage::Writing;
        return false;
    }
    if (got == 0) {
        decide(connection);
        return false;
    }
    connection.isTooLarge = connection.isTooLarge || connection.request.size() + got > requestMax;
    if (connection.isTooLarge)
        connection.request.clear();
    else
        connection.request.append(piece.data(), got);
    return true;
}

void ToolBroker::Private::write(Connection &connection)
{
    const ssize_t sent = ::send(connection.socket.get(), connection.answer.constData(),
                                static_cast<std::size_t>(connection.answer.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0)
        connection.answer.remove(0, sent);
    else if (errno != EAGAIN && errno != EINTR)
        connection.answer.clear();
}

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
    if (request)
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

void ToolBroker::Private::lookAtClock(Time now)
{
    for (Connection &connection : connections) {
        const bool isCalling = connection.stage == Connection::Stage::Calling;
        if (isCalling && servers[connection.server]->whyOver()) {
            fail(connection, *servers[connection.server]->whyOver());
        } else if (isCalling && now >= connection.deadline) {
            servers[connection.server]->giveUp(connection.id);
            fail(connection,
                 Text(QT_TRANSLATE_NOOP("engine", "The server %1 didn't answer within %2 seconds."),
                      {servers[connection.server]->server().name,
                       QString::number(std::chrono::ceil<std::chrono::seconds>(spec.callPatience).count())}));
        } else if (!isCalling && now >= patienceWith(connection)) {
            connection.stage = Connection::Stage::Writing;
            connection.answer.clear();
        }
    }
}

ToolBroker::ToolBroker(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

ToolBroker::~ToolBroker()
{
    finish();
}

Result<std::unique_ptr<ToolBroker>> ToolBroker::start(Spec spec, std::stop_token stop)
{
    auto d = std::make_unique<Private>();
    d->spec = std::move(spec);
    for (const ToolServer &server : d->spec.servers)
        RETURN_IF_ERROR(d->startServer(server, stop));
    return std::unique_ptr<ToolBroker>(new ToolBroker(std::move(d)));
}

const QList<OfferedTool> &ToolBroker::tools() const
{
    return d->tools;
}

Status ToolBroker::serve(UniqueFd listener, Watch watch)
{
    const auto failed = [](const QString &why) {
        return glovebox::fail(ErrorCode::Unavailable,
                              QT_TRANSLATE_NOOP("engine", "The run's tools can't be served: %1. Try again later."),
                              {why});
    };
    std::array<int, 2> ends{};
    if (!listener || ::fcntl(listener.get(), F_SETFL, O_NONBLOCK) != 0 || ::listen(listener.get(), backlog) != 0
        || ::pipe2(ends.data(), O_CLOEXEC) != 0)
        return failed(listener ? errnoText(errno) : u"there is no socket in the sandbox"_s);
    // Of an interpreter that stands still: calls that its earlier code left. The kernel keeps one more than it was told.
    for (int i = 0; i <= backlog && UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)); ++i) { }
    d->wake.reset(ends[0]);
    d->waker.reset(ends[1]);
    d->listener = std::move(listener);
    d->watch = std::move(watch);
    try {
        d->thread = std::jthread([d = d.get()] { d->serve(); });
    } catch (const std::system_error &error) { // no more threads
        return failed(errnoText(error.code().value()));
    }
    return {};
}

void ToolBroker::cancelCalls()
{
    if (d->waker)
        static_cast<void>(writeWhole(d->waker.get(), {"c", 1}));
}

void ToolBroker::close()
{
    d->isClosed = true;
}

void ToolBroker::finish()
{
    d->waker.reset();
    if (d->thread.joinable())
        d->thread.join();
    d->listener.reset();
    for (const auto &server : d->servers) // all at once, and then each is waited for
        server->hangUp();
    d->servers.clear();
}

} // namespace glovebox
