// SPDX-License-Identifier: Apache-2.0
// A request of a client's, from its arrival to its answer; what a tool sees of it is the Call.
#pragma once

#include "connection.h"

#include "engine/mcp/tools/tool.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace glovebox::mcp {

struct Catalogue;
struct Method;

class Request final : public Call
{
public:
    Request(Connection &connection, Message message, qint64 bytes, Revision revision, const Method &method,
            std::shared_ptr<Outlet> outlet);

    const Message &message() const { return m_message; }
    const QJsonObject &params() const { return m_message.params; }
    Revision revision() const { return m_revision; }
    const Method &method() const { return m_method; }
    qint64 bytes() const { return m_bytes; }
    Connection &connection() const { return m_connection; }
    const Catalogue &catalogue() const;

    // A tool's, or a prompt's.
    void setArguments(QJsonObject arguments) { m_arguments = std::move(arguments); }
    // Computes the answer and sends it, unless it was cancelled.
    void answer();
    void send(const ProtocolError &error);
    void cancel();
    // Repeats the last progress, where the client wants any and heard none for a heartbeat: clients end calls that are silent.
    void beat();

    // Who is told what the call concerns; by the call's own thread.
    void watch(std::function<void(const QString &run)> told) { m_concerns = std::move(told); }

    // A notification that belongs to this request.
    void notify(const QString &method, const QJsonObject &params) const;

    // ask() has the client answer questions, and then make this call again.
    bool asksAgain() const { return m_asksAgain; }
    const QMap<QString, ClientQuestion> &openQuestions() const { return m_open; }
    // What ask() was given to keep, for the client to bring back; and what it brought back. InvalidParams: not what it was given,
    // or answers that aren't an object. Once the arguments are set.
    QString sealedState() const;
    Answer<void> openState();
    // The capability for want of which ask() failed.
    const QString &missingCapability() const { return m_missing; }

    const QJsonObject &arguments() const override { return m_arguments; }
    Result<Engine *> engine() const override;
    Client &client() const override { return m_connection.client(); }
    Caller caller() const override;
    std::stop_token stop() const override { return m_stop.get_token(); }
    bool mayBecomeTask() const override;
    void progress(double done, const QString &line) const override;
    void progress(double done, double total, const QString &line) const override;
    void log(const QString &level, const QJsonValue &data) const override;
    void concerns(const QString &run) const override
    {
        if (m_concerns)
            m_concerns(run);
    }
    void resourceChanged(const QString &uri) const override;
    const QJsonObject &clientCapabilities() const override { return m_capabilities; }
    Result<QJsonObject> ask(const QMap<QString, ClientQuestion> &questions, const QJsonObject &keep,
                            std::chrono::milliseconds longest, const std::stop_token &over) const override;
    const QJsonObject &state() const override { return m_state; }

private:
    void progress(double done, std::optional<double> total, const QString &line) const;
    QByteArray boundTo() const;
    bool wantsProgress() const;
    void sendProgress() const; // m_sending is held
    void sendLast(const QByteArray &text, int error);

    Connection &m_connection;
    const Message m_message;
    const qint64 m_bytes;
    const Revision m_revision;
    const Method &m_method;
    QJsonObject m_capabilities;
    QString m_clientName;
    QJsonObject m_arguments;
    QJsonObject m_state;
    std::function<void(const QString &run)> m_concerns;
    std::stop_source m_stop;
    mutable bool m_asksAgain = false;
    mutable QMap<QString, ClientQuestion> m_open;
    mutable QJsonObject m_keep;
    mutable QString m_missing;

    const std::shared_ptr<Outlet> m_outlet;
    mutable std::mutex m_sending; // over what follows
    std::atomic<bool> m_isOver = false; // answered or cancelled: nothing is sent any more
    mutable double m_done = -1; // of the last progress: it must increase
    mutable std::optional<double> m_total;
    mutable QString m_line;
    mutable std::chrono::steady_clock::time_point m_told = std::chrono::steady_clock::now();
    std::optional<std::stop_callback<std::function<void()>>> m_whenGone;
};

} // namespace glovebox::mcp
