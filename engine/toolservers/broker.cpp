// SPDX-License-Identifier: Apache-2.0
// One thread that reads what the run asks, has it decided, and passes it on.
#include "broker.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto crowdedPatience = 1s; // in place of requestPatience, where others may wait for the place
constexpr int connectionsMax = 4 * ToolBroker::callsMax; // of a run, with those that come to no call
constexpr int backlog = 128; // connections that wait to be taken

} // namespace

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
             .reason = Text(calls - callsMax == 1
                                ? QT_TRANSLATE_NOOP("engine", "The run called tools more often than the %2 times that "
                                                              "a run may; 1 further call was refused.")
                                : QT_TRANSLATE_NOOP("engine", "The run called tools more often than the %2 times that "
                                                              "a run may; %3 further calls were refused."),
                            {QString(), QString::number(callsMax), QString::number(calls - callsMax)})});
}

// Nobody is left waiting who may go on: as far as they can be told, they are.
void ToolBroker::Private::end()
{
    while (isClosed && admitted < connectionsMax && admit()) { }
    for (Connection &connection : connections) {
        if (isClosed)
            readWhatCame(connection);
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

ToolBroker::Private::Time ToolBroker::Private::patienceWith(const Connection &connection) const
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

void ToolBroker::Private::readWhatCame(Connection &connection)
{
    while (connection.stage == Connection::Stage::Reading && !connection.isTooLarge && read(connection)) { }
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

void ToolBroker::Private::lookAtClock(Time now)
{
    for (Connection &connection : connections) {
        const bool isCalling = connection.stage == Connection::Stage::Calling;
        const std::optional<Text> over = isCalling ? servers[connection.server]->whyOver() : std::nullopt;
        if (over) {
            fail(connection, *over);
        } else if (isCalling && now >= connection.deadline) {
            servers[connection.server]->giveUp(connection.id);
            fail(connection,
                 Text(QT_TRANSLATE_NOOP("engine", "The server %1 didn't answer within %2 seconds."),
                      {servers[connection.server]->server().name,
                       QString::number(std::chrono::ceil<std::chrono::seconds>(spec.callPatience).count())}));
        } else if (!isCalling && now >= patienceWith(connection)) {
            const bool wasReading = connection.stage == Connection::Stage::Reading;
            readWhatCame(connection);
            if (wasReading && connection.stage != Connection::Stage::Reading)
                continue; // the request was whole
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
    for (int i = 0; i <= backlog; ++i) {
        if (!UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)) && errno == EAGAIN)
            break;
    }
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
