// SPDX-License-Identifier: Apache-2.0
// What dead engines left open is closed; what lives is left alone.
#include "fixture.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestRecovery : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"audit.db"_s);
        m_log = AuditLog::open(m_file, u"own"_s, Clock::system()).value();
    }
    void cleanup() { m_log.reset(); }

    void runsOfALivingEngineAreLeftAlone()
    {
        Child child({u"hold"_s, m_file, m_folder->path()});
        const QString run = child.line();
        QVERIFY(!run.isEmpty());
        QCOMPARE(m_log->recover(m_folder->path()).value(), QStringList());
        QCOMPARE(child.finish(), QStringList{u"finished"_s});
    }

    void runsOfAKilledEngineAreClosedOnce()
    {
        Child child({u"hold"_s, m_file, m_folder->path()});
        const QString run = child.line();
        QVERIFY(append(*m_log, accepted(u"own-run"_s)));
        child.kill();
        QCOMPARE(m_log->recover(m_folder->path()).value(), QStringList{run});
        QCOMPARE(locks(), QStringList());

        const auto reader = AuditReader::open(m_file).value();
        const RunRow row = reader->run(run).value();
        QCOMPARE(row.outcome, std::optional(Outcome::Interrupted));
        QVERIFY(!row.durationMs && !row.exitCode);
        const auto entries = reader->entriesOf(run).value();
        QCOMPARE(entries.size(), 2);
        QCOMPARE(entries[1].seq, row.finishedSeq);
        const auto json = parseStrictJson(entries[1].json).value();
        QCOMPARE(json[u"kind"_s].toString(), u"run.interrupted"_s);
        QCOMPARE(json[u"engine"_s].toString(), u"own"_s);

        QCOMPARE(m_log->recover(m_folder->path()).value(), QStringList());
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"3"_s);
        QVERIFY(append(*m_log, finished(u"own-run"_s))); // ours stayed open
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void anEngineWhoseLockIsGoneIsDead()
    {
        {
            const auto dead = AuditLog::open(m_file, u"dead"_s, Clock::system()).value();
            QVERIFY(append(*dead, accepted(u"run-1"_s)) && append(*dead, accepted(u"run-2"_s)));
            QVERIFY(append(*dead, finished(u"run-1"_s)));
        }
        QCOMPARE(m_log->recover(m_folder->path() + u"/none"_s).value(), QStringList{u"run-2"_s});
    }

    void whatADeadEngineBeganIsEndedOnce()
    {
        const Entry begins{.kind = u"work.begun"_s,
                           .run = u"run-1"_s,
                           .begins = Entry::Unfinished{u"work.interrupted"_s, {{u"what"_s, u"a folder"_s}}}};
        {
            const auto dead = AuditLog::open(m_file, u"dead"_s, Clock::system()).value();
            const qint64 first = dead->appendNow(begins)->seq;
            QVERIFY(dead->appendNow(begins));
            const Entry ends{.kind = u"work.done"_s, .run = u"run-1"_s, .ends = first};
            QVERIFY(dead->appendNow(ends));
            QCOMPARE(dead->appendNow(ends).error().code, ErrorCode::InvalidInput); // has its end already
        }
        QVERIFY(m_log->recover(m_folder->path()));
        const auto reader = AuditReader::open(m_file).value();
        QCOMPARE(reader->lastEntry().value(), 4);
        const auto json = parseStrictJson(reader->entry(4)->json).value();
        QCOMPARE(json[u"kind"_s].toString(), u"work.interrupted"_s);
        QCOMPARE(json[u"run"_s].toString(), u"run-1"_s);
        QCOMPARE(json[u"what"_s].toString(), u"a folder"_s);
        QCOMPARE(json[u"began"_s].toInteger(), 2);
        QCOMPARE(json[u"engine"_s].toString(), u"own"_s);
        QVERIFY(m_log->recover(m_folder->path()));
        QCOMPARE(reader->lastEntry().value(), 4);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void whatALivingEngineBeganIsLeftAlone()
    {
        const auto lock = FileLock::create(m_folder->filePath(u"alive.lock"_s)).value();
        const auto alive = AuditLog::open(m_file, u"alive"_s, Clock::system()).value();
        QVERIFY(alive->appendNow({.kind = u"work.begun"_s, .begins = Entry::Unfinished{u"work.interrupted"_s, {}}}));
        QVERIFY(m_log->recover(m_folder->path()));
        QVERIFY(alive->appendNow({.kind = u"work.done"_s, .ends = 1}));
        QCOMPARE(AuditReader::open(m_file).value()->lastEntry().value(), 2);
    }

    void whatWasClosedAsInterruptedStaysSo()
    {
        const auto other = AuditLog::open(m_file, u"other"_s, Clock::system()).value();
        QVERIFY(append(*other, accepted(u"run-1"_s)));
        QCOMPARE(m_log->recover(m_folder->path()).value(), QStringList{u"run-1"_s});
        QVERIFY(!append(*other, finished(u"run-1"_s)));
        QCOMPARE(sql(m_file, "SELECT outcome FROM runs"), u"interrupted"_s);
    }

    void staleLocksAreRemovedAndHeldOnesKept()
    {
        auto stale = FileLock::create(m_folder->filePath(u"stale.lock"_s)).value();
        stale = FileLock::create(m_folder->filePath(u"held.lock"_s)).value();
        const auto own = FileLock::create(m_folder->filePath(u"own.lock"_s)).value();
        QVERIFY(m_log->recover(m_folder->path()));
        QCOMPARE(locks(), (QStringList{u"held.lock"_s, u"own.lock"_s}));
    }

    void aLockThatCantBeAskedLeavesTheRunOpen()
    {
        const auto other = AuditLog::open(m_file, u"other"_s, Clock::system()).value();
        QVERIFY(append(*other, accepted(u"run-1"_s)));
        QVERIFY(QFile::link(u"/dev/null"_s, m_folder->filePath(u"other.lock"_s)));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(u"stay open"_s));
        QCOMPARE(m_log->recover(m_folder->path()).value(), QStringList());
    }

    // Engines come and are killed while others recover: no living engine loses a run, nothing acknowledged gets lost, and in
    // the end nothing is open.
    void enginesThatAreKilledAtRandom()
    {
        QList<QStringList> said;
        int lives = 0;
        std::vector<std::unique_ptr<Child>> children(3);
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 4000) {
            auto &child = children[QRandomGenerator::global()->bounded(3u)];
            if (child) {
                QVERIFY2(child->isRunning(), qPrintable(QString::number(child->exitCode())));
                said.append(child->kill());
            }
            child = std::make_unique<Child>(QStringList{u"live"_s, m_file, m_folder->path()});
            ++lives;
            QTest::qWait(int(QRandomGenerator::global()->bounded(20u, 120u)));
            QVERIFY(m_log->recover(m_folder->path()));
        }
        for (auto &child : children) {
            if (child)
                said.append(child->kill());
        }
        QVERIFY(m_log->recover(m_folder->path()));
        QCOMPARE(sql(m_file, "SELECT count(*) FROM runs WHERE finished_seq IS NULL"), u"0"_s);
        QCOMPARE(
            sql(m_file, "SELECT count(*) FROM runs r WHERE (SELECT count(*) FROM entries e WHERE e.run = r.run) <> 2"),
            u"0"_s);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
        QCOMPARE(locks(), QStringList());
        const auto reader = AuditReader::open(m_file).value();
        int acknowledged = 0;
        for (const QStringList &lines : std::as_const(said)) {
            for (const QString &line : lines) {
                ++acknowledged;
                const auto row = reader->run(line.section(u' ', 1, 1));
                QVERIFY2(row, why(row));
                if (line.startsWith(u"closed"))
                    QCOMPARE(row->outcome, std::optional(Outcome::Completed));
            }
        }
        qInfo("%d engines, %d acknowledgements", lives, acknowledged);
    }

private:
    QStringList locks() const { return QDir(m_folder->path()).entryList({u"*.lock"_s}); }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
};

QTEST_GUILESS_MAIN(TestRecovery)
#include "tst_recovery.moc"
