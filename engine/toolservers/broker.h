// SPDX-License-Identifier: Apache-2.0
// Between a run and its servers: what its thread (broker.cpp) and the decisions about calls (calls.cpp) have in common.
#pragma once

#include "serverprocess.h"

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace glovebox {

struct ToolBroker::Private
{
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::seconds requestPatience{30}; // with a run that sends its request, or takes the answer

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
    void readWhatCame(Connection &connection);
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

} // namespace glovebox
