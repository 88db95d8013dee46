// SPDX-License-Identifier: Apache-2.0
// A broker with a real server, and those who call by its socket.
#pragma once

#include "toolserverspec.h"

#include <QJsonDocument>
#include <QTest>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <mutex>

namespace glovebox {

inline QByteArray requestFor(const QString &tool, const QJsonObject &arguments)
{
    return QJsonDocument(QJsonObject{{QStringLiteral("tool"), tool}, {QStringLiteral("arguments"), arguments}})
        .toJson(QJsonDocument::Compact);
}

class BrokerFixture : public QObject
{
protected:
    void forget()
    {
        m_broker.reset();
        m_calls.clear();
        m_begun = 0;
        m_isLogFull = false;
    }
    void open(const QStringList &tools, const QStringList &deeds = {}, const QList<ToolRule> &rules = {})
    {
        ToolBroker::Spec wanted = test::spec(tools, deeds);
        for (ToolRule &rule : wanted.servers.first().tools) {
            for (const ToolRule &limited : rules)
                rule = limited.tool == rule.tool ? limited : rule;
        }
        openWith(wanted);
    }
    void openWith(const ToolBroker::Spec &wanted)
    {
        auto broker = ToolBroker::start(wanted, {});
        QVERIFY2(broker, broker ? "" : qPrintable(broker.error().message.english()));
        m_broker = *std::move(broker);
        QVERIFY(serve());
    }
    // As from the sandbox: a socket of TCP that listens.
    UniqueFd listening()
    {
        UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        m_address = {};
        m_address.sin_family = AF_INET;
        m_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof m_address;
        auto *const address = reinterpret_cast<sockaddr *>(&m_address);
        if (::bind(listener.get(), address, size) != 0 || ::listen(listener.get(), 128) != 0
            || ::getsockname(listener.get(), address, &size) != 0)
            return {};
        return listener;
    }
    bool serve() { return serve(listening()); }
    bool serve(UniqueFd listener)
    {
        return m_broker
            ->serve(std::move(listener),
                    {.keptFrom =
                         [this](const QString &, QByteArrayView bytes) {
                             return !m_secret.isEmpty() && bytes.contains(m_secret) ? QStringList{QStringLiteral("KEY")}
                                                                                    : QStringList();
                         },
                     .scrubbed = [](QByteArrayView text) { return text.toByteArray(); },
                     .begin =
                         [this](const ToolCall &call) {
                             ++m_begun;
                             return m_isLogFull ? fail(ErrorCode::Unavailable, "The disk is full.", {call.tool})
                                                : Status();
                         },
                     .told =
                         [this](const ToolCall &call) {
                             const std::scoped_lock lock(m_mutex);
                             m_calls.append(call);
                         }})
            .has_value();
    }
    UniqueFd connected() const
    {
        UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const auto *const address = reinterpret_cast<const sockaddr *>(&m_address);
        return ::connect(socket.get(), address, sizeof m_address) == 0 ? std::move(socket) : UniqueFd();
    }
    QJsonObject exchange(const QByteArray &request) const
    {
        const UniqueFd socket = connected();
        for (qsizetype at = 0; at < request.size();) {
            const ssize_t sent =
                ::send(socket.get(), request.constData() + at, std::size_t(request.size() - at), MSG_NOSIGNAL);
            if (sent <= 0)
                break;
            at += sent;
        }
        ::shutdown(socket.get(), SHUT_WR);
        QByteArray answer;
        char piece[65536];
        for (ssize_t got = 0; (got = ::recv(socket.get(), piece, sizeof piece, 0)) > 0;)
            answer.append(piece, got);
        return QJsonDocument::fromJson(answer).object();
    }
    QJsonObject call(const QString &tool, const QJsonObject &arguments) const
    {
        return exchange(requestFor(tool, arguments));
    }
    QList<ToolCall> told()
    {
        const std::scoped_lock lock(m_mutex);
        return m_calls;
    }

    std::unique_ptr<ToolBroker> m_broker;
    sockaddr_in m_address{};
    QByteArray m_secret;
    std::atomic<int> m_begun = 0;
    std::atomic<bool> m_isLogFull = false;
    std::mutex m_mutex;
    QList<ToolCall> m_calls;
};

} // namespace glovebox
