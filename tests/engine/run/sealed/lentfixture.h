// SPDX-License-Identifier: Apache-2.0
// An engine with a vault of its own, and requests that are lent secrets of it.
#pragma once

#include "engine/engine.h"
#include "engine/sandbox/native/native.h"

#include "tests/support/memorystore.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace glovebox {

class LentFixture : public QObject
{
protected:
    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<Engine> m_engine;

    void open(NativeBuilder builder = NativeBuilder::Direct, bool warm = false,
              std::shared_ptr<SecretStore> store = makeMemoryStore())
    {
        m_engine.reset();
        m_home = std::make_unique<QTemporaryDir>();
        reopen(builder, warm, std::move(store));
    }
    // As the next program that starts.
    void reopen(NativeBuilder builder = NativeBuilder::Direct, bool warm = false,
                std::shared_ptr<SecretStore> store = makeMemoryStore())
    {
        m_engine.reset();
        EngineConfig config;
        const QString home = m_home->path();
        config.paths = {home + QStringLiteral("/data"), home + QStringLiteral("/config"), home + QStringLiteral("/run"),
                        QStringLiteral(GLOVEBOX_LIBEXEC)};
        config.backends = {makeNativeBackend(config.paths.libexec, QStringLiteral("lent"), {.only = builder})};
        config.keepsWarm = warm;
        config.stores = {std::move(store)};
        auto settings = Settings::load(config.paths.settingsFile(), {});
        QVERIFY(settings);
        config.settings = *std::move(settings);
        auto engine = Engine::open(std::move(config));
        QVERIFY2(engine, engine ? "" : qPrintable(engine.error().message.english()));
        m_engine = *std::move(engine);
        const BackendReport report = m_engine->backend().probe();
        QVERIFY2(report.usable, qPrintable(report.reason.english()));
    }
    void add(const QString &name, const SecretValue &value, const SecretLimits &limits = {})
    {
        const Status added = m_engine->vault().add(name, {}, limits, value, {}, Patience::of(std::chrono::seconds(5)));
        QVERIFY2(added, added ? "" : qPrintable(added.error().message.english()));
    }
    RunRequest request(const QByteArray &language, const QByteArray &code, std::vector<SecretGrant> secrets)
    {
        RunRequest request;
        request.language = QString::fromLatin1(language);
        request.code = code;
        request.policy = m_engine->settings().policy();
        request.secrets = std::move(secrets);
        return request;
    }
    std::shared_ptr<const RunResult> run(const QByteArray &language, const QByteArray &code,
                                         std::vector<SecretGrant> secrets)
    {
        return m_engine->start(request(language, code, std::move(secrets)))->wait();
    }
    QByteArray entries(const QString &id)
    {
        QByteArray all;
        const auto reader = m_engine->auditReader();
        const auto stored = reader ? (*reader)->entriesOf(id) : Result<QList<StoredEntry>>();
        for (const StoredEntry &entry : stored ? *stored : QList<StoredEntry>())
            all += entry.json + '\n';
        return all;
    }
};

} // namespace glovebox
