// SPDX-License-Identifier: Apache-2.0
// What a run may be lent, and that it is counted.
#include "fixture.h"

#include <QTest>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestLending : public QObject
{
    Q_OBJECT

    const SecretBorrower borrower{Caller::Kind::Cli, u"python"_s, {}};

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_clock = {};
        m_store = std::make_shared<MoodyStore>();
        m_program = std::make_unique<Program>(m_folder->path(), m_clock, m_store);
    }

    void cleanup() { m_program.reset(); }

    void valuesComeInTheOrderOfTheGrantsAndAreCountedOnce()
    {
        QVERIFY(m_program->add(u"A"_s, "value of a") && m_program->add(u"b.pem"_s, "value of b"));
        const auto granted = vault().grant({{u"b.pem"_s, {}, true}, {u"A"_s}, {u"A"_s, u"TOKEN"_s}}, borrower, {});
        QVERIFY2(granted, why(granted));
        QCOMPARE(granted->size(), 3U);
        QCOMPARE((*granted)[0].value.view(), QByteArrayView("value of b"));
        QVERIFY((*granted)[0].asFile && (*granted)[0].variable.isEmpty());
        QCOMPARE((*granted)[1].variable, u"A"_s);
        QCOMPARE((*granted)[2].variable, u"TOKEN"_s);
        QCOMPARE((*granted)[2].value.view(), QByteArrayView("value of a"));
        QCOMPARE(vault().info(u"A"_s)->uses, 1);
        QCOMPARE(vault().info(u"A"_s)->lastUsedMicroseconds, std::optional(m_clock.now));
        QVERIFY(vault().grant({}, borrower, {})->empty());
    }

    void allIsLentOrNothing()
    {
        QVERIFY(m_program->add(u"A"_s, "value of a"));
        QCOMPARE(vault().grant({{u"A"_s}, {u"NONE"_s}}, borrower, {}).error().code, ErrorCode::NotFound);
        QVERIFY(!vault().grant({{u"A"_s}, {u"A"_s}}, borrower, {}));
        m_store->trouble = true;
        QCOMPARE(sentence(vault().grant({{u"A"_s}}, borrower, {})), u"It is locked."_s);
        m_store->trouble = false;
        QVERIFY(m_store->remove(vault().info(u"A"_s)->slot, {}));
        QVERIFY(sentence(vault().grant({{u"A"_s}}, borrower, {})).contains(u"its value is gone"));
        QCOMPARE(vault().info(u"A"_s)->uses, 0);
    }

    void limitsAreKept_data()
    {
        QTest::addColumn<SecretLimits>("limits");
        QTest::addColumn<QStringList>("allow");
        QTest::addColumn<QString>("refusal"); // empty: lent
        const auto hosts = [](const QStringList &list) { return SecretLimits{.hosts = list}; };
        QTest::newRow("no limits, any network") << SecretLimits() << QStringList{u"a.org"_s} << QString();
        QTest::newRow("language") << SecretLimits{.languages = {u"python"_s}} << QStringList() << QString();
        QTest::newRow("other language") << SecretLimits{.languages = {u"node"_s}} << QStringList()
                                        << u"in node only, and this one is in python"_s;
        QTest::newRow("caller") << SecretLimits{.callers = {u"cli"_s}} << QStringList() << QString();
        QTest::newRow("other callers") << SecretLimits{.callers = {u"workbench"_s, u"mcp"_s}} << QStringList()
                                       << u"of workbench, mcp only, and this one is of cli"_s;
        QTest::newRow("no network at all") << hosts({}) << QStringList() << QString();
        QTest::newRow("no network but some") << hosts({}) << QStringList{u"a.org"_s} << u"without network only"_s;
        QTest::newRow("no network is within any hosts") << hosts({u"a.org"_s}) << QStringList() << QString();
        QTest::newRow("the hosts") << hosts({u"a.org"_s, u"*.b.org"_s}) << QStringList{u"a.org:443"_s, u"x.b.org"_s}
                                   << QString();
        QTest::newRow("one more host") << hosts({u"a.org"_s}) << QStringList{u"a.org"_s, u"evil.org"_s}
                                       << u"nothing but a.org, and this one may also reach evil.org"_s;
        QTest::newRow("a wider rule") << hosts({u"a.org"_s}) << QStringList{u"*.a.org"_s} << u"also reach *.a.org"_s;
        QTest::newRow("another port") << hosts({u"a.org"_s}) << QStringList{u"a.org:8443"_s} << u"a.org:8443"_s;
        QTest::newRow("a rule that can't be read") << hosts({u"a.org"_s}) << QStringList{u"*"_s} << u"also reach *"_s;
        QTest::newRow("expires later") << SecretLimits{.expiryMicroseconds = SetClock().now + 1} << QStringList()
                                       << QString();
        QTest::newRow("expired")
            << SecretLimits{.expiryMicroseconds = SetClock().now} << QStringList()
            << u"expired on 2027-01-15 08:00 UTC. To set another day: glovebox secret edit A --expires DATE"_s;
    }

    void limitsAreKept()
    {
        QFETCH(const SecretLimits, limits);
        QFETCH(const QStringList, allow);
        QFETCH(const QString, refusal);
        QVERIFY(m_program->add(u"A"_s, "value of a", limits));
        const auto granted = vault().grant({{u"A"_s}}, {Caller::Kind::Cli, u"python"_s, allow}, {});
        if (refusal.isEmpty()) {
            QVERIFY2(granted, why(granted));
            return;
        }
        QVERIFY(!granted);
        QCOMPARE(granted.error().code, ErrorCode::PermissionDenied);
        QVERIFY2(sentence(granted).contains(refusal), qPrintable(sentence(granted)));
        QCOMPARE(vault().info(u"A"_s)->uses, 0);
    }

    void aNulFitsAFileOnly()
    {
        QVERIFY(m_program->add(u"A"_s, QByteArrayView("a\0bcd", 5)));
        QVERIFY(sentence(vault().grant({{u"A"_s}}, borrower, {})).contains(u"as a file instead"));
        QVERIFY(vault().grant({{u"A"_s, {}, true}}, borrower, {}));
    }

    void secretsOfARunHaveASizeTogether()
    {
        std::vector<SecretGrant> grants;
        for (int i = 0; i <= 16; ++i) {
            const QString name = u"KEY_%1"_s.arg(i);
            QVERIFY(m_program->add(name, QByteArray(secretBytesMax, 'x')));
            grants.push_back({name});
        }
        QVERIFY(sentence(vault().grant(grants, borrower, {})).contains(u"at most 1048576 bytes together"));
        QCOMPARE(vault().info(u"KEY_0"_s)->uses, 0);
        grants.pop_back();
        QVERIFY(vault().grant(grants, borrower, {}));
    }

    void aUseThatNeverBeganIsTakenBack()
    {
        QVERIFY(m_program->add(u"A"_s, "value of a"));
        const auto first = vault().grant({{u"A"_s}}, borrower, {});
        QVERIFY(first && vault().takeBack({first->front().info}));
        QCOMPARE(vault().info(u"A"_s)->uses, 0);
        QCOMPARE(vault().info(u"A"_s)->lastUsedMicroseconds, std::nullopt);

        // Not what others used meanwhile.
        const auto second = vault().grant({{u"A"_s}}, borrower, {});
        m_clock.now += 1;
        QVERIFY(second && vault().grant({{u"A"_s}}, borrower, {}));
        QVERIFY(vault().takeBack({second->front().info}));
        QCOMPARE(vault().info(u"A"_s)->uses, 1);
        QCOMPARE(vault().info(u"A"_s)->lastUsedMicroseconds, std::optional(m_clock.now));
    }

    void whatIsTakenBackMeanwhileIsNotLent()
    {
        QVERIFY(m_program->add(u"A"_s, "value of a"));
        m_store->whileReading = [&] {
            m_store->whileReading = {};
            QVERIFY(vault().edit(*vault().info(u"A"_s), {}, {.languages = {u"node"_s}}, {}));
        };
        QVERIFY(sentence(vault().grant({{u"A"_s}}, borrower, {})).contains(u"Another program changed"));
        QCOMPARE(vault().info(u"A"_s)->uses, 0);
    }

private:
    Vault &vault() { return m_program->vault; }

    std::unique_ptr<QTemporaryDir> m_folder;
    SetClock m_clock;
    std::shared_ptr<MoodyStore> m_store;
    std::unique_ptr<Program> m_program;
};

QTEST_GUILESS_MAIN(TestLending)
#include "tst_lending.moc"
