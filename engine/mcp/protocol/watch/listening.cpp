// SPDX-License-Identifier: Apache-2.0
#include "listening.h"

#include "engine/mcp/catalogue.h"
#include "engine/mcp/protocol/results.h"
#include "engine/mcp/protocol/tasks.h"

#include <QMap>

#include <condition_variable>
#include <utility>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto betweenLooks = 500ms;

// One of the client's places for a listener, while it lives.
class Place
{
public:
    explicit Place(std::atomic<int> &taken)
        : m_taken(taken)
        , m_isFree(++taken <= listenersMax)
    {
    }
    ~Place() { --m_taken; }
    Q_DISABLE_COPY_MOVE(Place)

    bool isFree() const { return m_isFree; }

private:
    std::atomic<int> &m_taken;
    const bool m_isFree;
};

// {}: the filter doesn't have the key.
Answer<QStringList> namesIn(const QJsonObject &filter, const QString &key)
{
    const QJsonArray array = filter.value(key).toArray();
    // Counted first: a message has room for a million, and each is compared with all before it.
    bool isSound = (filter.value(key).isArray() || !filter.contains(key)) && array.size() <= subscriptionsMax;
    QStringList names;
    for (const auto &name : isSound ? array : QJsonArray()) {
        isSound = isSound && name.isString();
        if (!names.contains(name.toString()))
            names.append(name.toString());
    }
    if (!isSound)
        return refuse(ErrorNumber::invalidParams,
                      u"The \"%1\" of notifications are strings, at most %2."_s.arg(key).arg(subscriptionsMax));
    return names;
}

// What one request listens to, with the state that the client knows of.
class Listening
{
public:
    Listening(Request &request, const QStringList &uris, const QStringList &tasks)
        : m_request(request)
        , m_changesOf(request.catalogue().changesOf)
    {
        for (const QString &uri : uris) {
            if (const auto changes = m_changesOf ? m_changesOf(request.client(), uri) : std::nullopt)
                m_resources.insert(uri, *changes);
        }
        for (const QString &id : tasks) {
            if (const auto task = request.client().tasks.find(id))
                m_tasks.insert(id, task->status);
        }
    }

    // What the client is told of; the rest it asked for in vain.
    void acknowledge() const
    {
        QJsonObject agreed;
        if (!m_resources.isEmpty())
            agreed[u"resourceSubscriptions"_s] = QJsonArray::fromStringList(m_resources.keys());
        if (!m_tasks.isEmpty())
            agreed[u"taskIds"_s] = QJsonArray::fromStringList(m_tasks.keys());
        tell(u"notifications/subscriptions/acknowledged"_s, {{u"notifications"_s, agreed}});
    }

    void tellChanges()
    {
        for (auto [uri, known] : m_resources.asKeyValueRange()) {
            const quint64 now = m_changesOf(m_request.client(), uri).value_or(known);
            if (std::exchange(known, now) != now)
                tell(u"notifications/resources/updated"_s, {{u"uri"_s, uri}});
        }
        for (auto [id, known] : m_tasks.asKeyValueRange()) {
            const auto task = m_request.client().tasks.find(id);
            if (!task || std::exchange(known, task->status) == task->status)
                continue;
            if (const auto shown = detailedTask(m_request, *task))
                tell(u"notifications/tasks"_s, *shown);
        }
    }

private:
    void tell(const QString &method, QJsonObject params) const
    {
        params[u"_meta"_s] = QJsonObject{{u"io.modelcontextprotocol/subscriptionId"_s, m_request.message().id.value}};
        m_request.notify(method, params);
    }

    Request &m_request;
    const std::function<std::optional<quint64>(Client &client, const QString &uri)> m_changesOf;
    QMap<QString, quint64> m_resources;
    QMap<QString, Task::Status> m_tasks;
};

} // namespace

Answer<QJsonObject> listen(Request &request)
{
    const QJsonValue filter = request.params().value(u"notifications"_s);
    if (!filter.isObject())
        return refuse(ErrorNumber::invalidParams,
                      u"The params of subscriptions/listen lack \"notifications\", an object."_s);
    const auto uris = namesIn(filter.toObject(), u"resourceSubscriptions"_s);
    if (!uris)
        return std::unexpected(uris.error());
    const auto tasks = namesIn(filter.toObject(), u"taskIds"_s);
    if (!tasks)
        return std::unexpected(tasks.error());
    if (const auto known = checkTasksAreKnown(request); !known && filter.toObject().contains(u"taskIds"_s))
        return std::unexpected(known.error());
    const Place place(request.client().listeners);
    if (!place.isFree())
        return refuse(ErrorNumber::internal,
                      u"You listen %1 times already, which is the most. End one of them first."_s.arg(listenersMax));
    Listening listening(request, *uris, *tasks);
    listening.acknowledge();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    for (;;) {
        stopped.wait_for(lock, request.stop(), betweenLooks, [] { return false; });
        if (request.stop().stop_requested())
            break;
        listening.tellChanges();
    }
    return refuse(ErrorNumber::internal,
                  u"The subscription has ended."_s); // nobody hears it: the request was cancelled
}

} // namespace glovebox::mcp
