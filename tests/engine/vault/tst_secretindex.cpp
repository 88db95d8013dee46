// SPDX-License-Identifier: Apache-2.0
// The index of secrets beside the log: whole with its entry or not at all, whoever else writes.
#include "engine/vault/secretindex.h"
#include "tests/engine/audit/fixture.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <future>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

using Change = SecretEntry::Change;

Result<AuditReceipt> appended(AuditLog &log, const SecretEntry &entry)
{
    return log.appendNow(toEntry(entry));
}

SecretEntry added(const QString &name, const QString &slot)
{
    SecretEntry entry;
    entry.secret = {.name = name, .note = u"what it is for"_s, .store = u"memory"_s, .slot = slot};
    entry.secret.limits = {{u"python"_s}, QStringList{u"example.org"_s}, {u"cli"_s}, 1'900'000'000'000'000};
    return entry;
}

} // namespace

class TestSecretIndex : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"data/audit.db"_s);
        m_log = AuditLog::open(m_file, u"engine-1"_s, Clock::system()).value();
    }

    void cleanup() { m_log.reset(); }

    void whatIsAddedIsListedAndOnRecord()
    {
        const auto receipt = appended(*m_log, added(u"B_KEY"_s, u"slot-b"_s));
        QVERIFY2(receipt, why(receipt));
        QCOMPARE(receipt->seq, 1);
        QVERIFY(appended(*m_log, added(u"A_KEY"_s, u"slot-a"_s)));
        const auto listed = secrets();
        QCOMPARE(listed.size(), 2);
        QCOMPARE(listed[0].name, u"A_KEY"_s);
        const SecretInfo &b = listed[1];
        QCOMPARE(b.note, u"what it is for"_s);
        QCOMPARE(b.slot, u"slot-b"_s);
        QCOMPARE(b.limits, added(u"B_KEY"_s, {}).secret.limits);
        QVERIFY(b.createdMicroseconds > 0 && b.changedMicroseconds == b.createdMicroseconds);
        QCOMPARE(b.uses, 0);
        QVERIFY(!b.lastUsedMicroseconds);

        const auto entry = QJsonDocument::fromJson(AuditReader::open(m_file).value()->entry(1)->json).object();
        QCOMPARE(entry[u"kind"_s].toString(), u"secret.added"_s);
        QCOMPARE(entry[u"name"_s].toString(), u"B_KEY"_s);
        QCOMPARE(entry[u"limits"_s].toObject(), toJson(b.limits));
        QVERIFY(!entry.contains(u"run"_s) && !entry.contains(u"slot"_s) && !entry.contains(u"note"_s));
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void everyChangeIsInTheIndexAndOnRecord()
    {
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"one"_s)));
        SecretEntry entry = added(u"KEY"_s, u"two"_s);
        entry.change = Change::Replaced;
        entry.expected = secrets().first();
        QVERIFY(appended(*m_log, entry));
        QCOMPARE(secrets().first().slot, u"two"_s);
        entry.change = Change::Edited;
        entry.expected = secrets().first();
        entry.secret.note = u"another note"_s;
        entry.secret.limits = {};
        QVERIFY(appended(*m_log, entry));
        QCOMPARE(secrets().first().note, u"another note"_s);
        QCOMPARE(secrets().first().limits, SecretLimits());
        entry.change = Change::Renamed;
        entry.newName = u"TOKEN"_s;
        QVERIFY(appended(*m_log, entry));
        QCOMPARE(secrets().first().name, u"TOKEN"_s);
        QCOMPARE(secrets().first().slot, u"two"_s);
        entry.change = Change::Removed;
        entry.secret.name = u"TOKEN"_s;
        QVERIFY(appended(*m_log, entry));
        QVERIFY(secrets().isEmpty());
        QCOMPARE(sql(m_file, "SELECT group_concat(kind, ' ') FROM (SELECT kind FROM entries ORDER BY seq)"),
                 u"secret.added secret.replaced secret.edited secret.renamed secret.removed"_s);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries WHERE instr(json, 'note') OR instr(json, 'slot')"), u"0"_s);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void aNameIsTakenOnce()
    {
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"one"_s)));
        QVERIFY(appended(*m_log, added(u"OTHER"_s, u"two"_s)));
        const auto again = appended(*m_log, added(u"KEY"_s, u"three"_s));
        QCOMPARE(again.error().code, ErrorCode::InvalidInput);
        QVERIFY(again.error().message.english().contains(u"a secret KEY already"));
        SecretEntry renamed = added(u"OTHER"_s, {});
        renamed.change = Change::Renamed;
        renamed.newName = u"KEY"_s;
        renamed.expected.slot = u"two"_s;
        QCOMPARE(appended(*m_log, renamed).error().code, ErrorCode::InvalidInput);
        QCOMPARE(secrets().size(), 2);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"2"_s);
    }

    void whatAnotherProgramChangedIsNotChangedUnseen()
    {
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"new"_s)));
        for (const Change change : {Change::Replaced, Change::Edited, Change::Renamed, Change::Removed}) {
            SecretEntry entry = added(u"KEY"_s, u"mine"_s);
            entry.change = change;
            entry.newName = u"TOKEN"_s;
            entry.expected.slot = u"old"_s;
            QCOMPARE(appended(*m_log, entry).error().code, ErrorCode::Busy);
            entry.secret.name = u"NONE"_s;
            QCOMPARE(appended(*m_log, entry).error().code, ErrorCode::NotFound);
        }
        QCOMPARE(secrets().first().slot, u"new"_s);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"1"_s);
    }

    void twoEditsAtOnceAreOneEdit()
    {
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"one"_s)));
        SecretEntry first = added(u"KEY"_s, u"one"_s);
        first.change = Change::Edited;
        first.expected = secrets().first();
        SecretEntry second = first;
        first.secret.note = u"mine"_s;
        second.secret.limits = {};
        QVERIFY(appended(*m_log, first));
        QCOMPARE(appended(*m_log, second).error().code, ErrorCode::Busy);
        QCOMPARE(secrets().first().note, u"mine"_s);
    }

    void twoProgramsThatAddOneNameGetOneOfThem()
    {
        const auto other = AuditLog::open(m_file, u"engine-2"_s, Clock::system()).value();
        int taken = 0;
        for (int i = 0; i < 50; ++i) {
            const QString name = u"KEY_%1"_s.arg(i);
            auto first = std::async(std::launch::async,
                                    [&] { return appended(*m_log, added(name, u"a%1"_s.arg(i))).has_value(); });
            auto second = std::async(std::launch::async,
                                     [&] { return appended(*other, added(name, u"b%1"_s.arg(i))).has_value(); });
            taken += int(first.get()) + int(second.get());
        }
        QCOMPARE(taken, 50);
        QCOMPARE(secrets().size(), 50);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void usesAreCountedTogetherOrNotAtAll()
    {
        QVERIFY(appended(*m_log, added(u"A"_s, u"a"_s)) && appended(*m_log, added(u"B"_s, u"b"_s)));
        QCOMPARE(m_log->appendNow(usesOf(secrets()))->seq, 0);
        QCOMPARE(secrets()[0].uses, 1);
        QVERIFY(secrets()[1].lastUsedMicroseconds.value_or(0) > 0);
        QList<SecretInfo> stale = secrets();
        stale[1].limits.languages.clear(); // was looked at with other limits than it has
        QCOMPARE(m_log->appendNow(usesOf(stale)).error().code, ErrorCode::Busy);
        stale = secrets();
        stale[1].slot = u"gone"_s;
        QCOMPARE(m_log->appendNow(usesOf(stale)).error().code, ErrorCode::Busy);
        QCOMPARE(secrets()[0].uses, 1);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"2"_s);
    }

    void aLogOfVersionOneIsReadAndThenExtended()
    {
        QVERIFY(append(*m_log, accepted(u"run-0001"_s)));
        m_log.reset();
        QCOMPARE(sql(m_file, "DROP TABLE secrets; "), QString());
        QCOMPARE(sql(m_file, "DROP TABLE install"), QString());
        QCOMPARE(sql(m_file, "DROP TRIGGER entries_lent; DROP TABLE lent"), QString());
        QCOMPARE(sql(m_file, "PRAGMA user_version = 1"), QString());
        {
            const auto reader = AuditReader::open(m_file).value();
            QCOMPARE(secrets(), QList<SecretInfo>());
            QCOMPARE(reader->id().value(), QString());
            QCOMPARE(reader->runs({})->size(), 1);
        }
        m_log = AuditLog::open(m_file, u"engine-3"_s, Clock::system()).value();
        QCOMPARE(sql(m_file, "PRAGMA user_version"), u"5"_s);
        QVERIFY(append(*m_log, finished(u"run-0001"_s, Outcome::Completed)).error().code == ErrorCode::InvalidInput);
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"one"_s)));
        QCOMPARE(secrets().size(), 1);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM runs"), u"1"_s);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    // It keeps nobody from using the log.
    void anOlderLogInWhichAnEntryWasEditedIsReadAndExtended()
    {
        for (const char *run : {"run-0001", "run-0002", "run-0003"}) {
            AcceptedEntry entry = accepted(QString::fromLatin1(run));
            entry.secrets = {{u"KEY"_s, {}, false}};
            QVERIFY(append(*m_log, entry));
        }
        m_log.reset();
        QCOMPARE(sql(m_file, "DROP TRIGGER entries_lent; DROP TABLE lent; PRAGMA user_version = 2"), QString());
        QCOMPARE(sql(m_file,
                     "DROP TRIGGER entries_no_update; UPDATE entries SET json = CAST('{\"secrets\":[\"KEY\"' AS "
                     "BLOB) WHERE seq = 2; UPDATE entries SET json = x'7b00ff' WHERE seq = 3"),
                 QString());
        const auto runs = AuditReader::open(m_file).value()->runs({.secret = u"KEY"_s});
        QVERIFY2(runs, why(runs));
        QCOMPARE(runs->size(), 1);
        auto log = AuditLog::open(m_file, u"engine-3"_s, Clock::system());
        QVERIFY2(log, why(log));
        m_log = *std::move(log);
        QCOMPARE(sql(m_file, "SELECT group_concat(name || ' ' || seq) FROM lent"), u"KEY 1"_s);
        QCOMPARE(AuditReader::open(m_file).value()->runs({.secret = u"KEY"_s})->size(), 1);
    }

    void limitsThatSomebodyDamagedLendToNobody()
    {
        QVERIFY(appended(*m_log, added(u"KEY"_s, u"one"_s)));
        QCOMPARE(sql(m_file, "UPDATE secrets SET limits = CAST('{}' AS BLOB)"), QString());
        QCOMPARE(secrets().first().limits.expiryMicroseconds, std::optional<qint64>(0));
    }

    void everyInstallHasItsOwnId()
    {
        const QString other = m_folder->filePath(u"other/audit.db"_s);
        const auto log = AuditLog::open(other, u"engine-2"_s, Clock::system()).value();
        QVERIFY(AuditReader::open(other).value()->id().value() != AuditReader::open(m_file).value()->id().value());
    }

private:
    QList<SecretInfo> secrets() const { return readSecrets(m_file).value(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
};

QTEST_GUILESS_MAIN(TestSecretIndex)
#include "tst_secretindex.moc"
