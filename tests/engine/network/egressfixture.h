// SPDX-License-Identifier: Apache-2.0
// Runs of a whole engine with this builder, in the test internet.
#pragma once

#include "engine/engine.h"
#include "engine/sandbox/native/native.h"

#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <memory>

namespace glovebox {

// NOLINTNEXTLINE(misc-redundant-expression): the macro names one of two
inline const bool isDirect = !test::isBubblewrapTried();
inline const NativeBuilder builderUnderTest = isDirect ? NativeBuilder::Direct : NativeBuilder::Bubblewrap;

inline Policy allowing(const QStringList &hosts)
{
    Policy policy;
    policy.allow = hosts;
    policy.limits.wall = std::chrono::seconds(20);
    return policy;
}

class EgressFixture : public QObject
{
protected:
    // Bash, but for code that begins with "node:". (Without a cgroup Node.js can't live under bash's limits.)
    std::shared_ptr<Run> start(const QByteArray &code, const Policy &policy)
    {
        RunRequest request;
        const bool isNode = code.startsWith("node:");
        request.code = isNode ? code.sliced(5) : code;
        request.language = isNode ? QStringLiteral("node") : QStringLiteral("bash");
        request.policy = policy;
        return m_engine->start(std::move(request));
    }
    std::shared_ptr<const RunResult> run(const QByteArray &code, const QStringList &hosts)
    {
        return start(code, allowing(hosts))->wait();
    }
    static QByteArray said(const RunResult &result)
    {
        return result.out.kept() + result.err.kept() + result.reason.english().toUtf8();
    }
    static std::unique_ptr<Engine> open(const QString &home, const QString &libexec)
    {
        EngineConfig config;
        config.paths = {home + QStringLiteral("/data"), home + QStringLiteral("/config"), home + QStringLiteral("/run"),
                        libexec};
        config.backends = {
            makeNativeBackend(config.paths.libexec, QStringLiteral("egress"), {.only = builderUnderTest})};
        auto engine = Engine::open(std::move(config));
        return engine ? *std::move(engine) : nullptr;
    }
    void begin()
    {
        if (!isDirect && ::geteuid() != 0)
            QSKIP("An ordinary user's test internet is in a user namespace, in which bwrap is not root's and hence not "
                  "used.");
        m_engine = open(m_home.path(), QStringLiteral(GLOVEBOX_LIBEXEC));
        QVERIFY(m_engine);
    }

    QTemporaryDir m_home;
    std::unique_ptr<Engine> m_engine;
};

} // namespace glovebox
