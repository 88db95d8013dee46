// SPDX-License-Identifier: Apache-2.0
// The attacks that a person can watch: refused by the real sandbox, and seen to get through where there is none.
#include "engine/engine.h"
#include "tests/support/unsealedbackend.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSelfTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_home;

    Result<std::unique_ptr<Engine>> openEngine(std::shared_ptr<Backend> backend = nullptr)
    {
        EngineConfig config;
        const QString home = m_home.path() + u'/' + QString::fromLatin1(QTest::currentTestFunction());
        config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
        config.settings = *Settings::load({}, {});
        if (backend)
            config.backends = {std::move(backend)};
        return Engine::open(std::move(config));
    }
    static QStringList traces()
    {
        QStringList left;
        for (const QString &folder : {QDir::homePath(), u"/tmp"_s, u"/dev/shm"_s, u"/var/tmp"_s})
            left +=
                QDir(folder).entryList({u".glovebox-attack-*"_s, u"glovebox-attack-*"_s}, QDir::Files | QDir::Hidden);
        return left;
    }

private Q_SLOTS:
    void everyAttackIsRefusedByTheRealSandbox()
    {
        const auto engine = openEngine();
        QVERIFY(engine);
        QStringList seen;
        const QList<AttackResult> results =
            (*engine)->attackItself([&](const AttackResult &result) { seen.append(result.attack.id); });
        QCOMPARE(results.size(), 10);
        QCOMPARE(seen.size(), 10); // told one by one
        for (const AttackResult &result : results) {
            QVERIFY2(result.verdict == AttackResult::Verdict::Held,
                     qPrintable(result.attack.id + u": "_s + result.detail.english()));
            QVERIFY(!result.attack.title.isEmpty() && !result.attack.tried.isEmpty() && !result.detail.isEmpty());
        }
        QCOMPARE(std::ranges::count_if(results, &AttackResult::controlled), 7);
        QCOMPARE(traces(), QStringList());
    }

    void withoutASandboxTheyAreSeenToGetThrough()
    {
        const auto engine = openEngine(std::make_shared<UnsealedBackend>());
        QVERIFY(engine);
        // The others would end programs of whoever runs the tests; one by one the harmless ones must be seen.
        SelfTest test{.start = [&](RunRequest request) { return (*engine)->start(std::move(request)); }};
        const QStringList harmless{u"read-home"_s, u"see-processes"_s, u"connect"_s, u"write-home"_s};
        test.only = harmless;
        const QList<AttackResult> results = attackItself(test);
        QCOMPARE(results.size(), harmless.size());
        for (const AttackResult &result : results)
            QVERIFY2(result.verdict == AttackResult::Verdict::Escaped,
                     qPrintable(result.attack.id + u": "_s + result.detail.english()));
        QCOMPARE(traces(), QStringList());
    }

    void whatDidNotRunHasHeldNothing()
    {
        auto backend = std::make_shared<UnsealedBackend>();
        backend->beforeLaunch = [](const Assignment &, std::stop_token) -> Status {
            return fail(ErrorCode::Unavailable, Text("There is no sandbox."));
        };
        const auto engine = openEngine(backend);
        QVERIFY(engine);
        for (const AttackResult &result : (*engine)->attackItself({})) {
            QVERIFY2(result.verdict == AttackResult::Verdict::NoEvidence, qPrintable(result.attack.id));
            QCOMPARE(result.detail.english(), u"There is no sandbox."_s);
        }
    }

    void stopsWhenItIsAsked()
    {
        const auto engine = openEngine();
        QVERIFY(engine);
        std::stop_source stop;
        const QList<AttackResult> results =
            (*engine)->attackItself([&](const AttackResult &) { stop.request_stop(); }, stop.get_token());
        QCOMPARE(results.size(), 1);
        const auto reader = (*engine)->auditReader();
        QVERIFY(reader);
        const auto runs = (*reader)->runs({});
        QVERIFY(runs && !runs->isEmpty());
        QVERIFY(
            std::ranges::all_of(*runs, &RunRow::isSelfTest)); // told from what a person ran, and left out if they like
        QVERIFY((*reader)->runs({.selfTest = false})->isEmpty());
        QCOMPARE((*reader)->runs({.selfTest = true})->size(), runs->size());
    }
};

QTEST_GUILESS_MAIN(TestSelfTest)
#include "tst_selftest.moc"
