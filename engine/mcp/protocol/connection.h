// SPDX-License-Identifier: Apache-2.0
// One client's conversation: takes its messages, answers them, each call on a thread of its own.
#pragma once

#include "wire/message.h"
#include "wire/outlet.h"
#include "wire/revision.h"

#include <QHash>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace glovebox::mcp {

class Client;
class Request;
class Server;
struct Method;
struct Task;

constexpr int callsMax = 32; // at once, a connection
constexpr std::chrono::seconds heartbeat{5}; // at most so long a call is silent, where the client wants progress
constexpr qint64 waitingBytesMax = 16 * 1024 * 1024; // of calls that wait for a thread; then no more is read
constexpr qsizetype subscriptionsMax = 1000;
constexpr qsizetype watchedUriMax = 16 * 1024; // characters: a path of 4 KB, each byte as %2F
constexpr qint64 waitingMax = 10'000; // such calls
constexpr qsizetype claimedNameMax = 256; // characters

// What a client calls itself, cut: the log keeps it with each of its runs, for ever.
QString claimedName(const QJsonObject &clientInfo);

// Thread-safe. Messages are taken in the order of the calls to receive().
class Connection
{
public:
    // What the client said of itself with initialize; nothing of later revisions, where each request says so.
    struct Handshake
    {
        Revision revision = latestWithHandshake;
        QJsonObject capabilities;
        QString clientName;
    };

    Connection(Server &server, Client &client);
    ~Connection(); // close()

    // text: one message, or a batch. What is known at once is answered before this returns; calls are answered later. Blocks while
    // more wait than callsMax and waitingBytesMax allow.
    void receive(QByteArrayView text, const std::shared_ptr<Outlet> &outlet);
    // The same of a message that was read already, of so many bytes.
    void receive(const MessageText &read, qint64 bytes, const std::shared_ptr<Outlet> &outlet);
    // A message that the transport couldn't take: too long.
    void refuse(const ProtocolError &error, Outlet &outlet) const;
    // The client says nothing more, but may still listen: what it is asked gets no answer.
    void endInput();
    // Whether it waits for answers.
    bool hasRequests() const;
    // The client is gone: cancels what is under way, and waits until it has ended.
    void close();

    Server &server() const { return m_server; }
    Client &client() const { return m_client; }
    std::optional<Handshake> handshake() const;
    void shake(Handshake handshake);
    // From which level on (RFC 5424) the client wants log messages; "": none. Of revisions with a handshake.
    QString logLevel() const;
    void setLogLevel(const QString &level);

    // The request has its answer, or gets none.
    void forget(const Request &request);

    // The client wants to be told when the resource changes, where the transport has a way (setBackground()). False: too many.
    bool subscribe(const QString &uri);
    // Whether the client can be told of what belongs to no request.
    bool hasBackground() const;
    void unsubscribe(const QString &uri);
    // Where it is told; null: it doesn't want to be.
    std::shared_ptr<Outlet> watcherOf(const QString &uri) const;
    // The client is told when this task of its changes, within a second or so, where the transport has a way.
    void follow(const Task &task);
    // Where messages go that belong to no request; none at first.
    void setBackground(std::shared_ptr<Outlet> outlet);

    // Sends a request of ours and waits for its result, at most so long. Whatever ends the waiting, the client is told that nobody waits
    // any more.
    Result<QJsonObject> ask(const QString &method, const QJsonObject &params, Outlet &outlet,
                            const std::stop_token &stop, std::chrono::milliseconds longest);

private:
    struct Question;

    void take(const Answer<Message> &message, qint64 bytes, const std::shared_ptr<Outlet> &outlet, bool isInBatch);
    void takeNotification(const Message &message);
    void takeResponse(const Message &message);
    Answer<std::shared_ptr<Request>> begin(const Message &message, qint64 bytes, const std::shared_ptr<Outlet> &outlet);
    Answer<Revision> revisionOf(const Message &message) const;
    void queue(std::shared_ptr<Request> request);
    void work();
    void startHeart(); // m_mutex is held
    void beat();
    void tellOfTasks();
    void tellOfResources();
    bool saysNull() const;

    Server &m_server;
    Client &m_client;
    mutable std::mutex m_mutex; // over all that follows
    std::condition_variable_any m_changed;
    std::optional<Handshake> m_handshake;
    QString m_logLevel;
    QHash<QString, quint64> m_subscriptions; // Catalogue::changesOf() that the client knows of, by uri
    std::shared_ptr<Outlet> m_background;
    bool m_isClosing = false;
    bool m_hasInputEnded = false;
    QHash<QString, std::shared_ptr<Request>> m_requests; // that have no answer yet, by MessageId::key()
    std::deque<std::shared_ptr<Request>> m_waiting; // those among them that wait for a thread
    qint64 m_waitingBytes = 0;
    int m_idle = 0; // threads that wait for a call
    std::map<qint64, Question *> m_questions; // of ours, by id
    qint64 m_lastQuestion = 0;
    std::vector<std::jthread> m_threads;
    QHash<QString, int> m_tasks; // that the client is told of: the status that it knows, by id
    std::jthread m_heart; // from the first call on that wants progress, or to be a task, or the first subscription
};

} // namespace glovebox::mcp
