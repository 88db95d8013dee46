// SPDX-License-Identifier: Apache-2.0
// A log that can't be used gives a sentence, and is never made worse.
#include "fixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray contentOf(const QString &file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray("unreadable");
}

bool overwrite(const QString &file, qint64 at, const QByteArray &bytes)
{
    QFile f(file);
    return f.open(QIODevice::ReadWrite) && f.seek(at) && f.write(bytes) == bytes.size();
}

// As a program of one run does, which leaves the WAL beside the file.
void appendQuickly(const QString &file, int runs)
{
    const auto log = AuditLog::open(file, u"engine-2"_s, Clock::system(), AuditLog::Closing::Quick).value();
    for (int i = 0; i < runs; ++i)
        QVERIFY(append(*log, accepted(u"run-q-%1"_s.arg(i))));
}

} // namespace

class TestBadLog : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // One finished run, closed in order: everything is in the file itself.
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"data/audit.db"_s);
        const auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system()).value();
        QVERIFY(append(*log, accepted(u"run-0001"_s)) && append(*log, finished(u"run-0001"_s)));
    }

    void aNewerLogIsReadButNotWritten()
    {
        QCOMPARE(sql(m_file, "PRAGMA user_version = 1000"), QString());
        const QByteArray before = contentOf(m_file);
        QCOMPARE(codeOfOpening(), ErrorCode::Newer);
        QVERIFY(m_sentence.contains(u"newer version"));
        QCOMPARE(contentOf(m_file), before);
        const auto reader = AuditReader::open(m_file);
        QVERIFY2(reader, why(reader));
        QCOMPARE((*reader)->runs({}).value().size(), 1);
    }

    // The other program's version may need what this one doesn't write.
    void aLogThatBecomesNewerWhileItIsOpenIsNotAddedTo()
    {
        const auto log = AuditLog::open(m_file, u"engine-2"_s, Clock::system()).value();
        QVERIFY(append(*log, accepted(u"run-0002"_s)));
        QCOMPARE(sql(m_file, "PRAGMA user_version = 1000"), QString());
        const auto refused = append(*log, finished(u"run-0002"_s));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::Newer);
        QVERIFY2(refused.error().message.english().contains(u"newer version"), why(refused));
        QCOMPARE(log->recover(m_folder->path()).value_or(QStringList()), QStringList());
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"3"_s);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM runs WHERE finished_seq IS NULL"), u"1"_s);
    }

    void aLogOfVersionThreeIsExtended()
    {
        QCOMPARE(sql(m_file, "DROP TABLE unfinished"), QString());
        QCOMPARE(sql(m_file, "PRAGMA user_version = 3"), QString());
        QCOMPARE(AuditReader::open(m_file).value()->runs({}).value().size(), 1);
        QVERIFY(AuditLog::open(m_file, u"engine-2"_s, Clock::system()));
        QCOMPARE(sql(m_file, "SELECT count(*) FROM unfinished"), u"0"_s);
        QCOMPARE(sql(m_file, "PRAGMA user_version"), u"5"_s);
    }

    void aNewerLogWithOtherTablesSaysSo()
    {
        QCOMPARE(sql(m_file, "PRAGMA user_version = 1000; ALTER TABLE runs RENAME COLUMN language TO tongue"),
                 QString());
        const auto rows = AuditReader::open(m_file).value()->runs({});
        QVERIFY(!rows);
        QCOMPARE(rows.error().code, ErrorCode::Newer);
    }

    void aFileThatIsNoDatabaseIsDamaged()
    {
        QVERIFY(overwrite(m_file, 0, QByteArray(100, 'x')));
        const QByteArray before = contentOf(m_file);
        QCOMPARE(codeOfOpening(), ErrorCode::Damaged);
        QVERIFY(m_sentence.contains(u"Move it aside"));
        QCOMPARE(AuditReader::open(m_file).error().code, ErrorCode::Damaged);
        QCOMPARE(contentOf(m_file), before);
    }

    void anEmptiedLogIsToldFromANewOne_data()
    {
        QTest::addColumn<QString>("left");
        QTest::newRow("new") << QString();
        QTest::newRow("key") << u"data/signing.key"_s;
        QTest::newRow("body") << u"data/store/ab/cdef"_s;
        QTest::newRow("wal") << u"data/audit.db-wal"_s;
    }

    void anEmptiedLogIsToldFromANewOne()
    {
        QFETCH(const QString, left);
        QVERIFY(QFile::resize(m_file, 0));
        if (left.isEmpty()) {
            QCOMPARE(AuditReader::open(m_file).error().code, ErrorCode::NotFound);
            QVERIFY(AuditLog::open(m_file, u"engine-2"_s, Clock::system()));
            return;
        }
        const QString path = m_folder->filePath(left);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QVERIFY(overwrite(path, 0, "x"));
        const auto reader = AuditReader::open(m_file);
        QVERIFY(!reader);
        QCOMPARE(reader.error().code, ErrorCode::Damaged);
        QCOMPARE(codeOfOpening(), ErrorCode::Damaged);
        QVERIFY2(m_sentence.contains(u"is empty"_s) && m_sentence.contains(path) && m_sentence.contains(u"aside"_s),
                 qPrintable(m_sentence));
        QCOMPARE(QFileInfo(m_file).size(), 0);
        QVERIFY(QFile::exists(path));
        QVERIFY(QFile::rename(m_file, m_file + u".old"_s)); // as the sentence says
        if (!left.endsWith(u"-wal"_s))
            QVERIFY(AuditLog::open(m_file, u"engine-2"_s, Clock::system()));
    }

    void aDatabaseOfAnotherProgramIsLeftAlone()
    {
        const QString other = m_folder->filePath(u"data/other.db"_s);
        QVERIFY(QFile(other).open(QIODevice::WriteOnly));
        QCOMPARE(sql(other, "CREATE TABLE t(x)"), QString());
        const QByteArray before = contentOf(other);
        m_file = other;
        QCOMPARE(codeOfOpening(), ErrorCode::Damaged);
        QVERIFY(m_sentence.contains(u"not an audit log"));
        QCOMPARE(AuditReader::open(other).error().code, ErrorCode::Damaged);
        QCOMPARE(contentOf(other), before);
    }

    // All pages but the header, so that whatever is used first is found to be broken.
    void damageInTheMiddleIsNoticed()
    {
        QVERIFY(overwrite(m_file, 4096, QByteArray(int(QFileInfo(m_file).size()) - 4096, '\xaa')));
        const auto reader = AuditReader::open(m_file);
        QVERIFY2(reader, why(reader));
        QCOMPARE((*reader)->runs({}).error().code, ErrorCode::Damaged);
        QCOMPARE((*reader)->entry(1).error().code, ErrorCode::Damaged);
        auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system());
        const auto receipt =
            log ? append(**log, accepted(u"run-0002"_s)) : Result<AuditReceipt>(std::unexpected(log.error()));
        QVERIFY(!receipt);
        QCOMPARE(receipt.error().code, ErrorCode::Damaged);
    }

    void aCutOffFileIsNoticed()
    {
        QVERIFY(QFile(m_file).resize(8192));
        auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system());
        const auto receipt =
            log ? append(**log, accepted(u"run-0002"_s)) : Result<AuditReceipt>(std::unexpected(log.error()));
        QVERIFY(!receipt);
        QCOMPARE(receipt.error().code, ErrorCode::Damaged);
    }

    // What an append touches stands in the WAL, so that nothing but reading all of it finds the pages that are gone.
    void aCutOffFileIsNoticedBesideItsWal()
    {
        appendQuickly(m_file, 1);
        const qint64 whole = QFileInfo(m_file).size();
        QVERIFY(QFileInfo(m_file + u"-wal"_s).size() > 0);
        QVERIFY(QFile(m_file).resize(whole - 4096 - 100));
        const QByteArray before = contentOf(m_file);
        QCOMPARE(codeOfOpening(), ErrorCode::Damaged);
        QVERIFY(m_sentence.contains(u"Move it aside"));
        QCOMPARE(contentOf(m_file), before);
        QVERIFY(QFileInfo(m_file + u"-wal"_s).size() > 0);
    }

    // The first page of the file says its new size already, and the WAL has the others still.
    void aCheckpointThatWasCutShortLosesNothing()
    {
        appendQuickly(m_file, 40);
        const QByteArray file = contentOf(m_file);
        const QByteArray wal = contentOf(m_file + u"-wal"_s);
        QCOMPARE(sql(m_file, "PRAGMA wal_checkpoint(TRUNCATE)"), u"0"_s);
        const QByteArray moved = contentOf(m_file);
        QVERIFY(moved.size() > file.size());
        QVERIFY(QFile::remove(m_file));
        QVERIFY(overwrite(m_file, 0, moved.first(4096) + file.sliced(4096)));
        QVERIFY(overwrite(m_file + u"-wal"_s, 0, wal));
        const auto log = AuditLog::open(m_file, u"engine-3"_s, Clock::system());
        QVERIFY2(log, why(log));
        QCOMPARE(sql(m_file, "SELECT count(*) FROM runs"), u"41"_s);
    }

    void anEmptyFileIsANewLog()
    {
        QVERIFY(QFile(m_file).resize(0));
        QCOMPARE(AuditReader::open(m_file).error().code, ErrorCode::NotFound);
        const auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system());
        QVERIFY2(log, why(log));
    }

    void aLockedLogIsBusy()
    {
        sqlite3 *other = nullptr;
        QCOMPARE(sqlite3_open(qPrintable(m_file), &other), SQLITE_OK);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        QElapsedTimer timer;
        timer.start();
        const ErrorCode code = codeOfOpening();
        const qint64 waited = timer.elapsed();
        const auto reader = AuditReader::open(m_file); // reading goes on
        QVERIFY2(reader, why(reader));
        QCOMPARE((*reader)->runs({}).value().size(), 1);
        sqlite3_close(other);
        QCOMPARE(code, ErrorCode::Busy);
        QVERIFY(m_sentence.contains(u"locked"));
        QVERIFY2(waited >= 4900 && waited < 20'000, qPrintable(QString::number(waited)));
    }

    void aLogThatIsLockedForAMomentIsWaitedFor()
    {
        auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system()).value();
        sqlite3 *other = nullptr;
        QCOMPARE(sqlite3_open(qPrintable(m_file), &other), SQLITE_OK);
        QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
        std::jthread release([other] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            sqlite3_close(other);
        });
        const auto receipt = append(*log, accepted(u"run-0002"_s));
        QVERIFY2(receipt, why(receipt));
    }

    void manyProgramsMakeOneLog()
    {
        for (int round = 0; round < 20; ++round) {
            const QString file = m_folder->filePath(u"new-%1/audit.db"_s.arg(round));
            std::vector<QByteArray> failures(4);
            {
                std::vector<std::jthread> threads;
                for (int t = 0; t < 4; ++t)
                    threads.emplace_back([&, t] {
                        const auto log = AuditLog::open(file, u"engine-%1"_s.arg(t), Clock::system());
                        failures[size_t(t)] = log ? why(append(**log, accepted(u"run-%1"_s.arg(t)))) : why(log);
                    });
            }
            for (const QByteArray &failure : failures)
                QCOMPARE(failure, QByteArray());
            QCOMPARE(sql(file, "SELECT count(*) FROM entries"), u"4"_s);
            QCOMPARE(QDir(QFileInfo(file).path()).entryList(QDir::Files | QDir::Hidden),
                     (QStringList{u"audit.db"_s, u"audit.db-reserve"_s}));
        }
    }

    // In a folder that can't be written there is no -shm file, which readers of a WAL database need.
    void aReadOnlyFolderIsReadButNotWritten()
    {
        const QString folder = m_folder->filePath(u"data"_s);
        giveAway(folder, 0555);
        Child child({u"look"_s, m_file});
        const QString writing = child.line();
        QVERIFY2(writing.startsWith(QString::number(int(ErrorCode::PermissionDenied))), qPrintable(writing));
        QVERIFY2(writing.contains(u"Check who owns"), qPrintable(writing));
        const QString first = child.line();
        QVERIFY2(first.startsWith(u"runs 1 "), qPrintable(first));
        child.nudge();
        QCOMPARE(child.line(), first);
        // Root may write all the same, and the reader, which takes no locks in such a folder, must notice it.
        if (::geteuid() == 0) {
            QCOMPARE(::chown(qPrintable(folder), 0, 0), 0);
            QCOMPARE(::chown(qPrintable(m_folder->path()), 0, 0),
                     0); // and a folder above of somebody else's is refused
            QCOMPARE(::chmod(qPrintable(m_folder->path()), 0755), 0);
            const auto log = AuditLog::open(m_file, u"engine-2"_s, Clock::system());
            QVERIFY2(log, why(log));
            QVERIFY(append(**log, accepted(u"run-0002"_s)));
            child.nudge();
            const QString second = child.line();
            QVERIFY2(second.startsWith(u"runs 2 "), qPrintable(second));
        }
        child.finish();
        QCOMPARE(::chmod(qPrintable(folder), 0700), 0);
    }

    // As after an upgrade on a full disk: nobody can make the -shm file there either.
    void aLogOnAFullDiskIsRead()
    {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{1024, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        const auto runsRead = [&] {
            const auto reader = AuditReader::open(m_file);
            const auto runs = reader ? (*reader)->runs({}) : std::unexpected(reader.error());
            return runs ? QByteArray::number(runs->size()) : QByteArray(why(runs));
        };
        const QByteArray first = runsRead(), second = runsRead(); // the first try leaves the beginning of such files
        const auto reader = AuditReader::open(m_file);
        const ErrorCode writing = codeOfOpening();
        ::setrlimit(RLIMIT_FSIZE, &before);
        QCOMPARE(first, QByteArray("1"));
        QCOMPARE(second, QByteArray("1"));
        QCOMPARE(writing, ErrorCode::Full);
        const auto log = AuditLog::open(m_file, u"engine-2"_s, Clock::system());
        QVERIFY2(log, why(log));
        QVERIFY(append(**log, accepted(u"run-0002"_s)));
        QCOMPARE((*reader)->runs({})->size(), 2);
    }

    void aFileOfSomebodyElseIsASentence()
    {
        giveAway(m_folder->filePath(u"data"_s), 0700);
        QCOMPARE(::chmod(qPrintable(m_file), 0400), 0);
        Child child({u"look"_s, m_file});
        const QString writing = child.line();
        QVERIFY2(writing.startsWith(QString::number(int(ErrorCode::PermissionDenied))), qPrintable(writing));
        const QString reading = child.line();
        QVERIFY2(reading.startsWith(u"runs 1 "), qPrintable(reading));
    }

private:
    ErrorCode codeOfOpening()
    {
        const auto log = AuditLog::open(m_file, u"engine-1"_s, Clock::system());
        if (log)
            return ErrorCode::Internal;
        m_sentence = log.error().message.english();
        return log.error().code;
    }

    // To the user that "look" becomes when root started it.
    void giveAway(const QString &folder, mode_t mode)
    {
        if (::geteuid() == 0) {
            for (const QString &path : {m_folder->path(), folder, m_file})
                QCOMPARE(::chown(qPrintable(path), 65534, 65534), 0);
        }
        QCOMPARE(::chmod(qPrintable(folder), mode), 0);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    QString m_sentence;
};

QTEST_GUILESS_MAIN(TestBadLog)
#include "tst_badlog.moc"
