// SPDX-License-Identifier: Apache-2.0
// The record's copy of code in which the value of a lent secret stands.
#include "lentfixture.h"
#include "traces.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLentCode : public LentFixture
{
    Q_OBJECT

    static constexpr auto other = "0192f0c1-0000-7000-8000-000000000001"; // an engine that is gone

    QString data() const { return m_home->path() + u"/data"_s; }
    ContentStore store() const { return ContentStore(data() + u"/store"_s); }

    struct OnRecord
    {
        RunRow row;
        QList<QJsonObject> entries;
        QList<StoredBody> bodies;
        QByteArray code;

        QStringList kinds() const
        {
            QStringList kinds;
            for (const QJsonObject &entry : entries)
                kinds << entry.value("kind"_L1).toString();
            return kinds;
        }
    };
    OnRecord onRecord(const QString &run)
    {
        OnRecord found;
        const auto reader = m_engine->auditReader();
        const auto row = reader ? (*reader)->run(run) : Result<RunRow>();
        if (!row)
            return found;
        found.row = *row;
        const auto entries = (*reader)->entriesOf(run).value_or(QList<StoredEntry>());
        const auto bodies = (*reader)->bodiesOf(run).value_or(QList<StoredBody>());
        for (const StoredEntry &entry : entries)
            found.entries << QJsonDocument::fromJson(entry.json).object();
        for (const StoredBody &body : bodies) {
            if (body.what == u"code"_s)
                found.bodies << body;
        }
        if (found.bodies.size() == 1)
            found.code = store().get(found.bodies[0].digest).value_or("none");
        return found;
    }
    static bool commitsTo(const QJsonObject &entry, const StoredBody &body, const QByteArray &content)
    {
        const QString commitment = entry.value("code"_L1)["commitment"_L1].toString();
        return commitment == QString::fromLatin1(sha256({body.salt, content}).toHex());
    }

    // As an engine leaves it that was killed when its run was accepted. Gives the run's id.
    QString leaveAccepted(const QByteArray &code, const std::function<void(AuditLog &, const QString &)> &also = {})
    {
        const auto log = AuditLog::open(data() + u"/audit.db"_s, QString::fromLatin1(other), Clock::system());
        AcceptedEntry entry;
        entry.run = newId(Clock::system());
        entry.language = u"python"_s;
        entry.code = commitTo(code);
        entry.secrets = {{u"KEY"_s, {}, false}};
        if (!log || !store().hold({entry.code.digest, entry.run}, code) || !(*log)->appendNow(toEntry(entry)))
            return {};
        if (also)
            also(**log, entry.run);
        return entry.run;
    }

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    void aValueInTheCodeIsNotOnRecord()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        // Also in another form, and in the first line.
        const QByteArray code = "k = bytes.fromhex('" + clear.view().toByteArray().toHex() + "')\nprint(len(k))\n# "
                                + clear.view().toByteArray();
        const auto result = run("python", code, {{u"KEY"_s, {}, false}});
        QCOMPARE(result->out.kept(), QByteArray("40\n")); // what ran is what was written
        const OnRecord found = onRecord(result->id);
        QCOMPARE(found.kinds(), QStringList({u"run.accepted"_s, u"run.scrubbed"_s, u"run.finished"_s}));
        QCOMPARE(found.row.firstLine, u"k = bytes.fromhex('[secret KEY]')"_s);
        QCOMPARE(found.code, QByteArray("k = bytes.fromhex('[secret KEY]')\nprint(len(k))\n# [secret KEY]"));
        QCOMPARE(found.bodies.size(), 1);
        QVERIFY(commitsTo(found.entries[1], found.bodies[0], found.code));
        QCOMPARE(found.entries[1].value("secrets"_L1), QJsonValue(QJsonArray{u"KEY"_s}));
        QVERIFY(!isOnDisk(plan, m_home->path()));
        QVERIFY(store().allHeld().isEmpty());
    }

    void otherCodeIsKeptAsItWasWritten()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("value-of-the-key"));
        const QByteArray code = "\nprint('harmless')\n";
        const auto without = run("python", code, {});
        const auto lent = run("python", code, {{u"KEY"_s, {}, false}});
        const auto denied = run("python", code, {{u"NONE"_s, {}, false}});
        const auto rejected = run("python", code, {{u"no name"_s, {}, false}});
        for (const auto &result : {without, lent, denied, rejected}) {
            const OnRecord found = onRecord(result->id);
            QCOMPARE(found.kinds(), QStringList({u"run.accepted"_s, u"run.finished"_s}));
            QCOMPARE(found.row.firstLine, u"print('harmless')"_s);
            QCOMPARE(found.code, code);
            QVERIFY(commitsTo(found.entries[0], found.bodies[0], code));
        }
        QVERIFY(store().allHeld().isEmpty());
    }

    // Another run's copy isn't taken from it.
    void theSameCodeOfARunWithoutSecretsStays()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("value-of-the-key"));
        const QByteArray code = "print('value-of-the-key')\n";
        const auto without = run("python", code, {});
        const auto lent = run("python", code, {{u"KEY"_s, {}, false}});
        QCOMPARE(onRecord(without->id).code, code);
        QCOMPARE(onRecord(lent->id).code, QByteArray("print('[secret KEY]')\n"));
    }

    void anEngineThatWasKilledBeforeLeavesItAsItWasWritten()
    {
        open();
        const QByteArray code = "print('never ran')\n";
        const QString run = leaveAccepted(code);
        QVERIFY(!run.isEmpty());
        QCOMPARE(onRecord(run).code, code); // also while it waits
        reopen();
        const OnRecord found = onRecord(run);
        QCOMPARE(found.kinds(), QStringList({u"run.accepted"_s, u"run.interrupted"_s}));
        QCOMPARE(found.row.firstLine, u"print('never ran')"_s);
        QCOMPARE(found.code, code);
        QVERIFY(store().allHeld().isEmpty());
    }

    void anEngineThatWasKilledAfterwardsLeavesNoValue()
    {
        open();
        const QByteArray code = "print('value-of-the-key')\n", scrubbed = "print('[secret KEY]')\n";
        const QString run = leaveAccepted(code, [&](AuditLog &log, const QString &id) {
            const ScrubbedEntry entry{id, commitTo(scrubbed), {u"KEY"_s}, QString::fromLatin1(scrubbed.trimmed())};
            QVERIFY(store().put(entry.code.digest, scrubbed));
            QVERIFY(log.appendNow(toEntry(entry)));
        });
        QCOMPARE(store().allHeld().size(), 1);
        reopen();
        QCOMPARE(onRecord(run).kinds(), QStringList({u"run.accepted"_s, u"run.scrubbed"_s, u"run.interrupted"_s}));
        QCOMPARE(onRecord(run).code, scrubbed);
        QVERIFY(store().allHeld().isEmpty());
        const ScrubPlan plan({{u"KEY"_s, "value-of-the-key"}});
        QVERIFY(!isOnDisk(plan, m_home->path()));
    }

    void codeOfARunThatStillWaitsIsLeftAlone()
    {
        open();
        const QByteArray code = "print('later')\n";
        QVERIFY(store().hold({sha256({code}), newId(Clock::system())}, code)); // not accepted yet
        reopen();
        QCOMPARE(store().allHeld().size(), 1);
        QCOMPARE(store().get(sha256({code})).value_or(QByteArray()), code);
    }

    void aRunThatNeverBeganIsNoUse()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        QVERIFY(run("sh", "true", {{u"KEY"_s}})->outcome == Outcome::Completed);
        const auto used = m_engine->vault().info(u"KEY"_s);
        QVERIFY(used && used->uses == 1);
        RunRequest wanted = request("sh", "true", {{u"KEY"_s}});
        wanted.policy.limits.diskBytes = mebibyte;
        wanted.files = {{"full", QByteArray(mebibyte, 'x')}}; // and the code beside it
        const auto result = m_engine->start(std::move(wanted))->wait();
        QVERIFY2(nothingRan(result->outcome), qPrintable(toString(result->outcome)));
        QCOMPARE(m_engine->vault().info(u"KEY"_s)->uses, 1);
        QCOMPARE(m_engine->vault().info(u"KEY"_s)->lastUsedMicroseconds, used->lastUsedMicroseconds);
    }
};

QTEST_GUILESS_MAIN(TestLentCode)
#include "tst_lentcode.moc"
