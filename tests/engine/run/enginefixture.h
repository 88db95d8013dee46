// SPDX-License-Identifier: Apache-2.0
// An engine with all its real rooms, but the sandbox, in a home of its own.
#pragma once

#include "engine/engine.h"
#include "tests/support/unsealedbackend.h"

#include <QJsonObject>
#include <QTemporaryDir>

#include <mutex>

#include <sys/types.h>

namespace glovebox {

// Answers when the test says so.
class TestApprover : public Approver
{
public:
    void ask(const ApprovalRequest &request, Answer answer) override
    {
        std::lock_guard lock(m_mutex);
        m_asked = request;
        m_answer = std::move(answer);
    }
    void withdraw(const QString &run) override
    {
        std::lock_guard lock(m_mutex);
        m_withdrawn.append(run);
    }
    ApprovalRequest asked()
    {
        std::lock_guard lock(m_mutex);
        return m_asked;
    }
    QStringList withdrawn()
    {
        std::lock_guard lock(m_mutex);
        return m_withdrawn;
    }
    void answer(ApprovalDecision decision)
    {
        std::unique_lock lock(m_mutex);
        const Answer answer = m_answer;
        if (decision.allowed && decision.digest.isEmpty())
            decision.digest = approvalDigest(m_asked);
        lock.unlock();
        answer(std::move(decision));
    }

private:
    std::mutex m_mutex;
    ApprovalRequest m_asked;
    Answer m_answer;
    QStringList m_withdrawn;
};

inline RunRequest shell(const QByteArray &code)
{
    RunRequest request;
    request.code = code;
    request.language = QStringLiteral("sh");
    request.caller.pid = 4711;
    request.caller.program = QStringLiteral("test");
    return request;
}

inline RunRequest fromAgent(const QByteArray &code)
{
    RunRequest request = shell(code);
    request.caller.kind = Caller::Kind::Mcp;
    return request;
}

class EngineFixture
{
public:
    void init();
    void cleanup() { m_engine.reset(); }
    void open(int slots = 2, int queueLimit = 100);
    // The run's entries, as they are in the log.
    QList<QJsonObject> entries(const std::shared_ptr<Run> &run);
    bool waitFor(const std::shared_ptr<Run> &run, RunState state);

    std::unique_ptr<QTemporaryDir> m_home;
    std::shared_ptr<UnsealedBackend> m_backend;
    std::vector<std::shared_ptr<Backend>> m_backends; // empty: only that one
    std::shared_ptr<TestApprover> m_approver;
    std::shared_ptr<Approver> m_anyApprover; // instead of that one
    std::unique_ptr<Engine> m_engine;
};

} // namespace glovebox

#define QCOMPARE_OUTCOME(run, expected)                                                                                \
    QVERIFY2((run)->wait()->outcome == (expected),                                                                     \
             qPrintable(toString((run)->wait()->outcome) + u": "_s + (run)->wait()->reason.english()))
