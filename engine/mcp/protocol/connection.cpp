// SPDX-License-Identifier: Apache-2.0
#include "connection.h"

#include "methods.h"
#include "request.h"
#include "results.h"
#include "server.h"

#include <QJsonArray>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// Collects the answers to a batch: they are sent as one, when the last is known.
class BatchOutlet : public Outlet
{
public:
    explicit BatchOutlet(std::shared_ptr<Outlet> outlet)
        : m_outlet(std::move(outlet))
        , m_whenGone(m_outlet->gone(), [this] { m_gone.request_stop(); })
    {
    }

    ~BatchOutlet() override
    {
        if (!m_answers.isEmpty())
            m_outlet->send('[' + m_answers.join(',') + ']', {Sending::Kind::Response, 0});
    }

    void send(const QByteArray &message, Sending what) override
    {
        if (what.kind != Sending::Kind::Response)
            return m_outlet->send(message, what);
        const std::lock_guard lock(m_mutex);
        m_answers.append(message);
    }

private:
    const std::shared_ptr<Outlet> m_outlet;
    std::mutex m_mutex;
    QByteArrayList m_answers;
    std::stop_callback<std::function<void()>> m_whenGone;
};

} // namespace

// A request of ours, while its asker waits.
struct Connection::Question
{
    std::optional<Result<QJsonObject>> answer;
};

Connection::Connection(Server &server, Client &client)
    : m_server(server)
    , m_client(client)
    , m_logLevel(u"info"_s)
{
    m_server.enter(*this);
}

Connection::~Connection()
{
    m_server.leave(*this);
    close();
}

std::optional<Connection::Handshake> Connection::handshake() const
{
    const std::lock_guard lock(m_mutex);
    return m_handshake;
}

void Connection::shake(Handshake handshake)
{
    const std::lock_guard lock(m_mutex);
    m_handshake = std::move(handshake);
}

QString Connection::logLevel() const
{
    const std::lock_guard lock(m_mutex);
    return m_logLevel;
}

void Connection::setLogLevel(const QString &level)
{
    const std::lock_guard lock(m_mutex);
    m_logLevel = level;
}

QString claimedName(const QJsonObject &clientInfo)
{
    QString name = clientInfo.value(u"name"_s).toString().left(claimedNameMax);
    if (!name.isEmpty() && name.back().isHighSurrogate()) // half of a character is none
        name.chop(1);
    return name;
}

bool Connection::subscribe(const QString &uri)
{
    const Catalogue &catalogue = m_server.catalogue();
    const quint64 known = catalogue.changesOf ? catalogue.changesOf(m_client, uri).value_or(0) : 0;
    const std::lock_guard lock(m_mutex);
    if (m_subscriptions.size() >= subscriptionsMax && !m_subscriptions.contains(uri))
        return false;
    m_subscriptions.insert(uri, known);
    if (m_background && catalogue.changesOf)
        startHeart();
    return true;
}

bool Connection::hasBackground() const
{
    const std::lock_guard lock(m_mutex);
    return m_background != nullptr;
}

void Connection::unsubscribe(const QString &uri)
{
    const std::lock_guard lock(m_mutex);
    m_subscriptions.remove(uri);
}

void Connection::setBackground(std::shared_ptr<Outlet> outlet)
{
    const std::lock_guard lock(m_mutex);
    m_background = std::move(outlet);
}

std::shared_ptr<Outlet> Connection::watcherOf(const QString &uri) const
{
    const std::lock_guard lock(m_mutex);
    return m_subscriptions.contains(uri) ? m_background : nullptr;
}

bool Connection::saysNull() const
{
    const auto known = handshake();
    return !known || !leavesOutUnknownIds(known->revision);
}

void Connection::refuse(const ProtocolError &error, Outlet &outlet) const
{
    outlet.send(errorText(error, saysNull()), {Sending::Kind::Response, error.code, true});
}

void Connection::receive(QByteArrayView text, const std::shared_ptr<Outlet> &outlet)
{
    receive(readMessage(text), text.size(), outlet);
}

void Connection::receive(const MessageText &read, qint64 bytes, const std::shared_ptr<Outlet> &outlet)
{
    if (!read.isBatch)
        return take(read.messages.front(), bytes, outlet, false);
    const auto known = handshake();
    if (!known || !hasBatches(known->revision))
        return refuse({ErrorNumber::invalidRequest,
                       u"This revision of the protocol has no batches. Send each message alone."_s,
                       {},
                       {}},
                      *outlet);
    const auto answers = std::make_shared<BatchOutlet>(outlet);
    for (const Answer<Message> &message : read.messages)
        take(message, bytes / qint64(read.messages.size()), answers, true);
}

void Connection::take(const Answer<Message> &message, qint64 bytes, const std::shared_ptr<Outlet> &outlet,
                      bool isInBatch)
{
    if (!message)
        return refuse(message.error(), *outlet);
    if (message->kind == Message::Kind::Notification)
        return takeNotification(*message);
    if (message->kind == Message::Kind::Response)
        return takeResponse(*message);
    Answer<std::shared_ptr<Request>> request =
        isInBatch && message->method == u"initialize"
            ? mcp::refuse(ErrorNumber::invalidRequest, u"initialize can't be in a batch."_s)
            : begin(*message, bytes, outlet);
    if (!request) {
        request.error().id = message->id;
        return refuse(request.error(), *outlet);
    }
    if ((*request)->method().isCall)
        return queue(*std::move(request));
    (*request)->answer();
    forget(**request);
}

// The revision that a request is of: later ones say so with each, earlier ones once.
Answer<Revision> Connection::revisionOf(const Message &message) const
{
    const QJsonObject meta = message.meta();
    const QJsonValue version = meta.value(u"io.modelcontextprotocol/protocolVersion"_s);
    if (version.isUndefined()) {
        if (const auto known = handshake())
            return known->revision;
        if (message.method == u"initialize" || message.method == u"ping")
            return latestWithHandshake;
        return mcp::refuse(
            ErrorNumber::invalidParams,
            u"Send initialize first, or name protocolVersion and clientCapabilities in the _meta of each request."_s);
    }
    const auto revision = fromString<Revision>(version.toString());
    if (!version.isString())
        return mcp::refuse(ErrorNumber::invalidParams, u"The protocolVersion in _meta is a string."_s);
    if (!revision || hasHandshake(*revision))
        return mcp::refuse(ErrorNumber::unsupportedVersion,
                           u"This revision of the protocol can't be spoken so. See what is supported."_s,
                           {{u"supported"_s, QJsonArray::fromStringList(revisionNames())}, {u"requested"_s, version}});
    if (!meta.value(u"io.modelcontextprotocol/clientCapabilities"_s).isObject())
        return mcp::refuse(ErrorNumber::invalidParams,
                           u"The _meta of the request lacks clientCapabilities, an object."_s);
    const QJsonValue info = meta.value(u"io.modelcontextprotocol/clientInfo"_s);
    if (!info.isUndefined() && !info.isObject())
        return mcp::refuse(ErrorNumber::invalidParams, u"The clientInfo in _meta is an object."_s);
    return *revision;
}

Answer<std::shared_ptr<Request>> Connection::begin(const Message &message, qint64 bytes,
                                                   const std::shared_ptr<Outlet> &outlet)
{
    const auto revision = revisionOf(message);
    if (!revision)
        return std::unexpected(revision.error());
    const Method *const method = findMethod(message.method, *revision);
    if (!method)
        return mcp::refuse(ErrorNumber::methodNotFound, u"There is no method \"%1\" in revision %2."_s.arg(
                                                            message.method.left(100), toString(*revision)));
    auto request = std::make_shared<Request>(*this, message, bytes, *revision, *method, outlet);
    const std::lock_guard lock(m_mutex);
    std::shared_ptr<Request> &place = m_requests[message.id.key()];
    if (place)
        return mcp::refuse(ErrorNumber::invalidRequest,
                           u"A request with this id has no answer yet. Take another id."_s);
    place = request;
    return request;
}

void Connection::takeNotification(const Message &message)
{
    if (message.method != u"notifications/cancelled")
        return; // initialized, and whatever later revisions tell
    const QJsonValue id = message.params.value(u"requestId"_s);
    std::shared_ptr<Request> cancelled;
    {
        const std::lock_guard lock(m_mutex);
        cancelled = m_requests.value(MessageId::keyOf(id));
        if (!cancelled || !cancelled->method().isCall)
            return;
    }
    cancelled->cancel();
}

void Connection::takeResponse(const Message &message)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_questions.find(message.id.value.toInteger(-1));
    if (found == m_questions.end())
        return; // too late
    if (message.error)
        found->second->answer = fail(ErrorCode::Unavailable, "The client did not answer: %1", {message.error->message});
    else
        found->second->answer = message.result;
    m_changed.notify_all();
}

Result<QJsonObject> Connection::ask(const QString &method, const QJsonObject &params, Outlet &outlet,
                                    const std::stop_token &stop, std::chrono::milliseconds longest)
{
    Question question;
    std::unique_lock lock(m_mutex);
    const qint64 id = ++m_lastQuestion;
    m_questions[id] = &question;
    lock.unlock();
    outlet.send(requestText(id, method, params), {Sending::Kind::Request, 0});
    lock.lock();
    m_changed.wait_for(lock, stop, longest, [&] { return question.answer.has_value() || m_hasInputEnded; });
    m_questions.erase(id);
    if (question.answer)
        return *std::move(question.answer);
    const bool hasInputEnded = m_hasInputEnded;
    lock.unlock();
    outlet.send(notificationText(u"notifications/cancelled"_s,
                                 {{u"requestId"_s, id}, {u"reason"_s, u"Nobody waits for the answer now."_s}}),
                {Sending::Kind::Notification, 0});
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "The call was cancelled.", {});
    if (hasInputEnded)
        return fail(ErrorCode::Unavailable, "The client did not answer: it has closed its side of the connection.", {});
    return fail(ErrorCode::TimedOut, "The client did not answer within %1 seconds.",
                {QString::number(std::chrono::ceil<std::chrono::seconds>(longest).count())});
}

void Connection::queue(std::shared_ptr<Request> request)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] {
        return m_isClosing || m_waiting.empty()
               || (m_waitingBytes + request->bytes() <= waitingBytesMax && qint64(m_waiting.size()) < waitingMax);
    });
    if (m_isClosing)
        return;
    m_waitingBytes += request->bytes();
    m_waiting.push_back(std::move(request));
    const bool wantsProgress = m_waiting.back()->message().meta().contains(u"progressToken"_s);
    if (wantsProgress)
        startHeart();
    if (m_idle < int(m_waiting.size()) && m_threads.size() < callsMax) {
        try {
            m_threads.emplace_back([this] {
                blockSignals();
                work();
            });
        } catch (const std::system_error &) { // no more threads: those that there are go on
            if (m_threads.empty())
                throw;
        }
    }
    m_changed.notify_all();
}

void Connection::startHeart()
{
    if (m_heart.joinable() || m_isClosing)
        return;
    try {
        m_heart = std::jthread([this] {
            blockSignals();
            beat();
        });
    } catch (const std::system_error &) {
        m_heart = {}; // no more threads: the client hears what the call itself tells, and asks about its tasks
    }
}

void Connection::follow(const Task &task)
{
    const std::lock_guard lock(m_mutex);
    if (!m_background)
        return;
    m_tasks.insert(task.id, int(task.status));
    startHeart();
}

// A task that was forgotten changes no more.
void Connection::tellOfTasks()
{
    QHash<QString, int> known;
    std::shared_ptr<Outlet> outlet;
    {
        const std::lock_guard lock(m_mutex);
        known = m_tasks;
        outlet = m_background;
    }
    for (auto it = known.constBegin(); it != known.constEnd(); ++it) {
        const auto task = m_client.tasks.find(it.key());
        if (task && int(task->status) == it.value())
            continue;
        {
            const std::lock_guard lock(m_mutex);
            if (task && !task->isOver())
                m_tasks[it.key()] = int(task->status);
            else
                m_tasks.remove(it.key());
        }
        if (task && outlet)
            outlet->send(notificationText(u"notifications/tasks/status"_s, toJson(latestWithHandshake, *task)), {});
    }
}

void Connection::tellOfResources()
{
    const auto &changesOf = m_server.catalogue().changesOf;
    std::unique_lock lock(m_mutex);
    if (!changesOf || !m_background)
        return;
    const QHash<QString, quint64> known = m_subscriptions;
    const std::shared_ptr<Outlet> outlet = m_background;
    lock.unlock();
    for (auto it = known.constBegin(); it != known.constEnd(); ++it) {
        const quint64 now = changesOf(m_client, it.key()).value_or(it.value());
        if (now == it.value())
            continue;
        lock.lock();
        const bool isWatched = m_subscriptions.contains(it.key());
        if (isWatched)
            m_subscriptions[it.key()] = now;
        lock.unlock();
        if (isWatched)
            outlet->send(notificationText(u"notifications/resources/updated"_s, {{u"uri"_s, it.key()}}), {});
    }
}

void Connection::work()
{
    for (std::unique_lock lock(m_mutex);;) {
        ++m_idle;
        m_changed.wait(lock, [this] { return m_isClosing || !m_waiting.empty(); });
        --m_idle;
        if (m_isClosing)
            return;
        std::shared_ptr<Request> request = std::move(m_waiting.front());
        m_waiting.pop_front();
        m_waitingBytes -= request->bytes();
        m_changed.notify_all();
        lock.unlock();
        try {
            request->answer();
        } catch (const std::exception &error) { // out of threads, or of memory
            request->send({ErrorNumber::internal,
                           u"The call failed: %1. Try again later."_s.arg(QString::fromUtf8(error.what())),
                           {},
                           {}});
        }
        forget(*request);
        request.reset();
        lock.lock();
    }
}

void Connection::beat()
{
    for (std::unique_lock lock(m_mutex); !m_changed.wait_for(lock, 1s, [this] { return m_isClosing; });) {
        const QList<std::shared_ptr<Request>> open = m_requests.values();
        lock.unlock();
        for (const auto &request : open)
            request->beat();
        tellOfTasks();
        tellOfResources();
        lock.lock();
    }
}

void Connection::forget(const Request &request)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_requests.constFind(request.message().id.key());
    if (found != m_requests.constEnd() && found->get() == &request)
        m_requests.erase(found);
}

void Connection::endInput()
{
    const std::lock_guard lock(m_mutex);
    m_hasInputEnded = true;
    m_changed.notify_all();
}

bool Connection::hasRequests() const
{
    const std::lock_guard lock(m_mutex);
    return !m_requests.isEmpty();
}

void Connection::close()
{
    QList<std::shared_ptr<Request>> open;
    {
        const std::lock_guard lock(m_mutex);
        m_isClosing = true;
        open = m_requests.values();
        m_waiting.clear();
        m_changed.notify_all();
    }
    for (const auto &request : open)
        request->cancel();
    std::vector<std::jthread> threads;
    {
        const std::lock_guard lock(m_mutex);
        threads.swap(m_threads);
        threads.push_back(std::move(m_heart));
    }
    threads.clear(); // waits
    const std::lock_guard lock(m_mutex);
    m_requests.clear();
}

} // namespace glovebox::mcp
