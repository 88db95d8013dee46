// SPDX-License-Identifier: Apache-2.0
#include "enginefixture.h"

#include <QJsonDocument>
#include <QTest>

namespace glovebox {

using namespace Qt::StringLiterals;

void EngineFixture::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    m_backend = std::make_shared<UnsealedBackend>();
    m_backends.clear();
    m_approver.reset();
    m_anyApprover.reset();
}

void EngineFixture::open(int slots, int queueLimit)
{
    EngineConfig config;
    const QString home = m_home->path();
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    auto settings = Settings::load(config.paths.settingsFile(), {u"GLOVEBOX_ENGINE_MAX_CONCURRENT=%1"_s.arg(slots),
                                                                 u"GLOVEBOX_ENGINE_QUEUE_LIMIT=%1"_s.arg(queueLimit)});
    QVERIFY2(settings, settings ? "" : qPrintable(settings.error().message.english()));
    config.settings = std::move(*settings);
    config.backends = m_backends.empty() ? std::vector<std::shared_ptr<Backend>>{m_backend} : m_backends;
    config.approver = m_anyApprover ? m_anyApprover : m_approver;
    auto engine = Engine::open(std::move(config));
    QVERIFY2(engine, engine ? "" : qPrintable(engine.error().message.english()));
    m_engine = std::move(*engine);
}

QList<QJsonObject> EngineFixture::entries(const std::shared_ptr<Run> &run)
{
    QList<QJsonObject> list;
    const auto reader = m_engine->auditReader();
    if (!reader)
        return list;
    const auto stored = (*reader)->entriesOf(run->id());
    for (const StoredEntry &entry : stored ? *stored : QList<StoredEntry>())
        list.append(QJsonDocument::fromJson(entry.json).object());
    return list;
}

bool EngineFixture::waitFor(const std::shared_ptr<Run> &run, RunState state)
{
    return QTest::qWaitFor([&] { return run->state() == state; }, 10000);
}

} // namespace glovebox
