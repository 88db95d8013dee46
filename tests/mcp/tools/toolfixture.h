// SPDX-License-Identifier: Apache-2.0
// Tools called as the protocol calls them, with a real engine and its real sandbox behind them.
#pragma once

#include "engine/mcp/mcp.h"

#include "tests/support/memorystore.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <mutex>

namespace glovebox::mcp {

// Says yes to whatever it is asked, or no.
class PromptApprover : public Approver
{
public:
    std::atomic<bool> says = true;
    std::atomic<bool> isSilent = false;
    std::atomic<int> asked = 0, withdrawn = 0;

    std::mutex mutex;
    ApprovalRequest last;

    void ask(const ApprovalRequest &request, Answer answer) override
    {
        ++asked;
        {
            const std::lock_guard lock(mutex);
            last = request;
        }
        if (isSilent)
            return;
        answer({.allowed = says,
                .reason = says ? Text() : Text("The person said no."),
                .digest = approvalDigest(request)});
    }
    void withdraw(const QString &) override { ++withdrawn; }
};

class TestCall : public Call
{
public:
    TestCall(Engine *engine, Client &client, QJsonObject arguments)
        : m_engine(engine)
        , m_client(client)
        , m_arguments(std::move(arguments))
    {
    }

    const QJsonObject &arguments() const override { return m_arguments; }
    Result<Engine *> engine() const override { return m_engine; }
    Client &client() const override { return m_client; }
    Caller caller() const override { return m_client.caller; }
    std::stop_token stop() const override { return m_stop.get_token(); }
    bool mayBecomeTask() const override { return false; }
    void progress(double done, const QString &line) const override
    {
        std::lock_guard lock(m_mutex);
        m_progress.append({done, line});
    }
    void progress(double done, double, const QString &line) const override { progress(done, line); }
    void log(const QString &, const QJsonValue &) const override { }
    const QJsonObject &clientCapabilities() const override { return m_nothing; }
    Result<QJsonObject> ask(const QMap<QString, ClientQuestion> &, const QJsonObject &, std::chrono::milliseconds,
                            const std::stop_token &) const override
    {
        return fail(ErrorCode::Unsupported, Text("Nobody is asked here."));
    }
    const QJsonObject &state() const override { return m_nothing; }

    void cancel() { m_stop.request_stop(); }
    QList<std::pair<double, QString>> told() const
    {
        std::lock_guard lock(m_mutex);
        return m_progress;
    }

private:
    Engine *m_engine;
    Client &m_client;
    const QJsonObject m_arguments;
    const QJsonObject m_nothing;
    std::stop_source m_stop;
    mutable std::mutex m_mutex;
    mutable QList<std::pair<double, QString>> m_progress;
};

class ToolFixture : public QObject
{
protected:
    std::unique_ptr<QTemporaryDir> m_home;
    std::shared_ptr<PromptApprover> m_approver;
    std::shared_ptr<ClientApprover> m_throughClient; // set before open(): asks instead
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<Client> m_client;

    // settings: NAME=value pairs of the environment.
    void open(const QStringList &settings = {}, ClientBounds bounds = {},
              const QString &libexec = QStringLiteral(GLOVEBOX_LIBEXEC));
    std::unique_ptr<Client> newClient(ClientBounds bounds = {});
    void close();

    // Checks the arguments as the protocol does, and every answer against the tool's schema, with the protocol's own checker.
    Result<ToolReply> call(const QString &tool, const QJsonObject &arguments);
    Result<ToolReply> call(const QString &name, const TestCall &call);
    TestCall prepared(const QJsonObject &arguments) { return TestCall(m_engine.get(), *m_client, arguments); }
    // The object of an answer; {} and a failed test where there is none.
    QJsonObject answer(const QString &tool, const QJsonObject &arguments);
    QJsonObject run(const QString &language, const QString &code, QJsonObject more = {});

    // Of each answer so far, with its schema: what an independent checker says is wrong (python3-jsonschema); empty: nothing.
    QByteArray complaintsAboutAnswers() const;

private:
    QJsonArray m_answers; // [{"tool","answer"}]
};

const Tool *toolNamed(const QString &name);

} // namespace glovebox::mcp
