// SPDX-License-Identifier: Apache-2.0
// A client that speaks the protocol with a server in the same program.
#pragma once

#include "engine/mcp/protocol/server.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <condition_variable>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

// The messages that one client is sent.
class SentMessages : public Outlet
{
public:
    void send(const QByteArray &message, Sending) override
    {
        const std::lock_guard lock(m_mutex);
        m_messages.append(QJsonDocument::fromJson(message).object());
        m_changed.notify_all();
    }
    QJsonObject answerTo(int id)
    {
        const auto find = [&] {
            return std::ranges::find(m_messages, id,
                                     [](const QJsonObject &message) { return message["id"_L1].toInt(); });
        };
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, std::chrono::seconds(30), [&] { return find() != m_messages.end(); });
        const auto found = find();
        return found == m_messages.end() ? QJsonObject() : *found;
    }
    // The params of the first notification of this method, or of a later one; {}: none comes.
    QJsonObject notified(const QString &method, int which = 0)
    {
        const auto find = [&] {
            int before = which;
            return std::ranges::find_if(m_messages, [&](const QJsonObject &message) {
                return message["method"_L1].toString() == method && before-- == 0;
            });
        };
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, std::chrono::seconds(30), [&] { return find() != m_messages.end(); });
        const auto found = find();
        return found == m_messages.end() ? QJsonObject() : (*found)["params"_L1].toObject();
    }
    // The first request of this method, or a later one; {}: none comes.
    QJsonObject asked(const QString &method, int which = 0)
    {
        notified(method, which);
        const std::lock_guard lock(m_mutex);
        int before = which;
        for (const QJsonObject &message : std::as_const(m_messages)) {
            if (message["method"_L1].toString() == method && before-- == 0)
                return message;
        }
        return {};
    }
    qsizetype count(const QString &method)
    {
        const std::lock_guard lock(m_mutex);
        return std::ranges::count_if(
            m_messages, [&](const QJsonObject &message) { return message["method"_L1].toString() == method; });
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    QList<QJsonObject> m_messages;
};

// Of a revision with a handshake.
class Talk
{
public:
    Talk(Server &server, Client &client, const QString &revision = QStringLiteral("2025-11-25"),
         const QJsonObject &capabilities = {})
        : m_connection(server, client)
    {
        m_connection.setBackground(m_inbox);
        greeting = ask(u"initialize"_s, {{u"protocolVersion"_s, revision},
                                         {u"capabilities"_s, capabilities},
                                         {u"clientInfo"_s, QJsonObject{{u"name"_s, u"t"_s}, {u"version"_s, u"1"_s}}}});
    }
    int send(const QString &method, const QJsonObject &params)
    {
        receive({{u"id"_s, ++m_id}, {u"method"_s, method}, {u"params"_s, params}});
        return m_id;
    }
    QJsonObject answerTo(int id) { return m_inbox->answerTo(id); }
    QJsonObject notified(const QString &method) { return m_inbox->notified(method); }
    QJsonObject asked(const QString &method, int which = 0) { return m_inbox->asked(method, which); }
    qsizetype count(const QString &method) { return m_inbox->count(method); }
    void answer(const QJsonObject &request, const QString &as, const QJsonObject &what) // as: "result" or "error"
    {
        receive({{u"id"_s, request["id"_L1]}, {as, what}});
    }
    void notify(const QString &method, const QJsonObject &params)
    {
        receive({{u"method"_s, method}, {u"params"_s, params}});
    }
    void close() { m_connection.close(); }
    QJsonObject ask(const QString &method, const QJsonObject &params = {}) { return answerTo(send(method, params)); }
    QJsonObject start(const QString &code, QJsonObject task = {}, QJsonObject arguments = {})
    {
        arguments[u"language"_s] = u"sh"_s;
        arguments[u"code"_s] = code;
        return ask(u"tools/call"_s, {{u"name"_s, u"run_code"_s}, {u"arguments"_s, arguments}, {u"task"_s, task}});
    }
    QString taskOf(const QString &code) { return start(code)["result"_L1]["task"_L1]["taskId"_L1].toString(); }
    QJsonObject about(const QString &method, const QString &task) { return ask(method, {{u"taskId"_s, task}}); }

    QJsonObject greeting;

private:
    void receive(QJsonObject message)
    {
        message[u"jsonrpc"_s] = u"2.0"_s;
        m_connection.receive(QJsonDocument(message).toJson(), m_inbox);
    }

    std::shared_ptr<SentMessages> m_inbox = std::make_shared<SentMessages>();
    mcp::Connection m_connection;
    int m_id = 0;
};

inline const QString endless = u"echo there; sleep 1000"_s; // code of a run

inline int codeOf(const QJsonObject &answer)
{
    return answer["error"_L1]["code"_L1].toInt();
}

} // namespace glovebox::mcp
