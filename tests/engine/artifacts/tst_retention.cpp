// SPDX-License-Identifier: Apache-2.0
// Old code and output go, and nothing else does: not the entries, not what younger runs share, not what somebody stores meanwhile.
#include "engine/artifacts/artifacts.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 day = 24 * 3600 * qint64(1'000'000);

class SetClock : public Clock
{
public:
    qint64 nowMicroseconds() const override { return m_now; }
    void set(qint64 now) { m_now = now; }

private:
    std::atomic<qint64> m_now = 0;
};

RunsToGo before(qint64 microseconds)
{
    return {.beforeMicroseconds = microseconds, .chosen = {}};
}

const Caller person{.kind = Caller::Kind::Workbench, .pid = 1, .program = u"workbench"_s, .claimed = {}};

} // namespace

class TestRetention : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = std::make_unique<ContentStore>(path(u"store"_s));
        m_clock.set(100 * day);
        openLog();
    }
    void cleanup() { m_log.reset(); }

    void bodiesOfOldRunsGoAndTheirEntriesStay()
    {
        run(u"old"_s, "print('old')", "secret words\n");
        const auto entries = entriesOf(u"old"_s);
        makeFilesOld();
        m_clock.set(200 * day);
        run(u"young"_s, "print('young')", "young words\n");

        const auto deletable = deletableOf(*reader(), before(150 * day));
        QCOMPARE(deletable->runs, 1);
        QCOMPARE(deletable->bytes, qint64(strlen("print('old')") + strlen("secret words\n")));
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->runs, 1);
        QCOMPARE(deletion->files, 2);
        QCOMPARE(deletion->bytes, deletable->bytes);

        QCOMPARE(entriesOf(u"old"_s), entries);
        const auto bodies = reader()->bodiesOf(u"old"_s).value();
        QCOMPARE(bodies.size(), 3);
        for (const StoredBody &body : bodies) {
            QCOMPARE(body.salt.isEmpty(), body.kept > 0);
            QCOMPARE(body.digest.isEmpty(), body.kept > 0);
        }
        QVERIFY(!m_store->get(sha256({"print('old')"})));
        QVERIFY(!m_store->get(sha256({"secret words\n"})));
        QCOMPARE(row(u"old"_s)->firstLine, QString());
        QCOMPARE(m_store->get(sha256({"young words\n"})).value(), QByteArray("young words\n"));
        QCOMPARE(row(u"young"_s)->firstLine, u"print('young')"_s);
        QCOMPARE(deletableOf(*reader(), before(150 * day)).value(), Deletable());
        QVERIFY(!QFile::exists(rooms().lockFile));
    }

    void deletionIsOnRecordFirstAndSaysWhenItWas()
    {
        run(u"old"_s, "print(1)", "1\n");
        makeFilesOld();
        m_clock.set(200 * day);
        std::stop_source stopped;
        stopped.request_stop(); // after the first entry
        QVERIFY(!deleteBodies(rooms(), before(150 * day), person, stopped.get_token()));
        QCOMPARE(kinds().last(), u"retention.applied"_s);
        QVERIFY(m_store->get(sha256({"1\n"})));
        QVERIFY(QFile::exists(rooms().lockFile));
        QVERIFY(!lastDeletion(*reader()).value()->isFinished);

        m_clock.set(201 * day);
        const auto finished = finishDeletion(rooms(), person);
        QVERIFY2(finished, why(finished));
        QCOMPARE((*finished)->files, 2);
        QVERIFY((*finished)->isResumed);
        QCOMPARE(kinds().last(), u"retention.finished"_s);
        QVERIFY(!m_store->get(sha256({"1\n"})));
        QVERIFY(!QFile::exists(rooms().lockFile));
        QCOMPARE(whenDeleted(*reader(), *row(u"old"_s)).value(), std::optional(200 * day));
        QVERIFY(!*finishDeletion(rooms(), person));
    }

    void bodyThatAYoungerRunSharesStays()
    {
        run(u"old"_s, "print('same')", "old words\n");
        makeFilesOld();
        m_clock.set(200 * day);
        run(u"young"_s, "print('same')", "young words\n");
        makeFilesOld();
        QCOMPARE(deletableOf(*reader(), before(150 * day))->bytes, qint64(strlen("old words\n")));
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->files, 1);
        QCOMPARE(m_store->get(sha256({"print('same')"})).value(), QByteArray("print('same')"));
        QVERIFY(reader()->bodiesOf(u"old"_s)->first().digest.isEmpty());
        QVERIFY(!reader()->bodiesOf(u"young"_s)->first().salt.isEmpty());
    }

    void runThatGoesOnKeepsItsCode()
    {
        accept(u"open"_s, "while True: pass");
        makeFilesOld();
        m_clock.set(200 * day);
        QCOMPARE(deletableOf(*reader(), before(150 * day))->runs, 0);
        QVERIFY(deleteBodies(rooms(), before(150 * day), person));
        QVERIFY(m_store->get(sha256({"while True: pass"})));
        QVERIFY(!reader()->bodiesOf(u"open"_s)->first().salt.isEmpty());
        QVERIFY(!whenDeleted(*reader(), *row(u"open"_s)).value());
    }

    // Between its put() and its entry nothing shows that a program relies on it.
    void bodyThatIsStoredMeanwhileStays()
    {
        const QByteArray code = "print('again')", digest = sha256({code});
        run(u"old"_s, code, "words\n");
        makeFilesOld();
        m_clock.set(200 * day);
        QVERIFY(m_store->put(digest, code));
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->files, 1);
        QCOMPARE(m_store->get(digest).value(), code);

        // The program was killed: the next deletion removes what nobody came to rely on.
        QCOMPARE(reader()->bodiesOf(u"old"_s)->first().digest, digest);
        makeFilesOld();
        QCOMPARE(deleteBodies(rooms(), before(150 * day), person)->files, 1);
        QVERIFY(!m_store->get(digest));
    }

    // Files of a data folder that was copied, or restored from a backup, are all young.
    void whatStaysForAnHourIsToldAndCanBeDeletedLater()
    {
        run(u"old"_s, "print('copied')", "words\n");
        m_clock.set(200 * day);
        const auto kept = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(kept, why(kept));
        QCOMPARE(kept->files, 0);
        QCOMPARE(kept->recent, 2);
        QCOMPARE(files(), 2);
        const auto still = deletableOf(*reader(), before(150 * day));
        QCOMPARE(still->runs, 1);
        QCOMPARE(still->bytes, qint64(strlen("print('copied')") + strlen("words\n")));

        makeFilesOld();
        const auto later = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(later, why(later));
        QCOMPARE(later->files, 2);
        QCOMPARE(later->recent, 0);
        QCOMPARE(files(), 0);
        QCOMPARE(deletableOf(*reader(), before(150 * day)).value(), Deletable());
    }

    void codeCanNotBeReadInTheLogsFileAnyMore()
    {
        m_log.reset();
        m_log = AuditLog::open(path(u"audit.db"_s), u"quick"_s, m_clock, AuditLog::Closing::Quick).value();
        run(u"old"_s, "print('telltale')", {});
        const QByteArray salt = reader()->bodiesOf(u"old"_s)->first().salt;
        QCOMPARE(salt.size(), 32);
        const auto isInLog = [this](const QByteArray &bytes) {
            return contentOf(u"audit.db"_s).contains(bytes) || contentOf(u"audit.db-wal"_s).contains(bytes);
        };
        QVERIFY(isInLog("telltale"));
        QVERIFY(isInLog(salt));
        makeFilesOld();
        m_clock.set(200 * day);
        QVERIFY(deleteBodies(rooms(), before(150 * day), person));
        QVERIFY(!isInLog("telltale"));
        QVERIFY(!isInLog(salt));
    }

    void storeThatCantBeWrittenLosesNothing()
    {
        run(u"old"_s, "print(1)", "1\n");
        makeFilesOld();
        m_clock.set(200 * day);
        QFile inTheWay(path(u"store/aside"_s));
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        QVERIFY(!deleteBodies(rooms(), before(150 * day), person));
        QVERIFY(!kinds().contains(u"retention.applied"_s));
        QVERIFY(!reader()->bodiesOf(u"old"_s)->first().salt.isEmpty());
    }

    void strangersFileAmongThoseSetAsideIsNotInTheWay()
    {
        run(u"old"_s, "print(1)", "1\n");
        makeFilesOld();
        m_clock.set(200 * day);
        QVERIFY(QDir().mkpath(path(u"store/aside"_s)));
        QFile strange(path(u"store/aside/"_s) + QString(64, u'e'));
        QVERIFY(strange.open(QIODevice::WriteOnly));
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->files, 2);
    }

    void restOfAnEarlierDeletionIsCounted()
    {
        run(u"old"_s, "print(1)", "1\n");
        makeFilesOld();
        m_clock.set(200 * day);
        std::stop_source stopped;
        stopped.request_stop(); // after the first entry
        QVERIFY(!deleteBodies(rooms(), before(150 * day), person, stopped.get_token()));
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->runs, 0);
        QCOMPARE(deletion->earlierFiles, 2);
        QCOMPARE(deletion->earlierBytes, qint64(strlen("print(1)") + strlen("1\n")));
        QCOMPARE(kinds().count(u"retention.applied"_s), 1); // there is nothing else to delete
        QVERIFY(!QFile::exists(rooms().lockFile));
    }

    void whatAKilledProgramHadSetAsideIsTakenBack()
    {
        const QByteArray code = "print(7)", digest = sha256({code});
        run(u"young"_s, code, {});
        const QString hex = QString::fromLatin1(digest.toHex());
        QVERIFY(QDir().mkpath(path(u"store/aside"_s)));
        QVERIFY(QFile::rename(path(u"store/"_s) + hex.first(2) + u'/' + hex.sliced(2), path(u"store/aside/"_s) + hex));
        QVERIFY(!m_store->get(digest));
        QVERIFY(deleteBodies(rooms(), before(day), person));
        QCOMPARE(m_store->get(digest).value(), code);
    }

    void killedInTheMiddleItIsFinishedByTheNext()
    {
        constexpr int runs = 250; // more than are done at once
        for (int i = 0; i < runs; ++i)
            run(u"r"_s + QString::number(i), "print(" + QByteArray::number(i) + ")", {});
        makeFilesOld();
        m_clock.set(200 * day);
        m_log.reset();
        const pid_t child = ::fork();
        if (child == 0) {
            m_log = AuditLog::open(path(u"audit.db"_s), u"killed"_s, m_clock).value();
            std::ignore = deleteBodies(rooms(), before(150 * day), person);
            ::_exit(0);
        }
        QTRY_VERIFY_WITH_TIMEOUT(files() < runs, 20'000);
        sendSignal(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY2(WIFSIGNALED(status), "it was done before it could be killed");
        QVERIFY(files() > 0);

        openLog();
        QVERIFY(m_log->recover(path(u"engines"_s)));
        QCOMPARE(kinds().last(), u"retention.interrupted"_s);
        const auto finished = finishDeletion(rooms(), person);
        QVERIFY2(finished, why(finished));
        QVERIFY((*finished)->isResumed);
        QCOMPARE(files(), 0);
        QCOMPARE(deletableOf(*reader(), before(150 * day)).value(), Deletable());
        QCOMPARE(kinds().last(), u"retention.finished"_s);
        QCOMPARE(kinds().count(u"retention.applied"_s), 1);
    }

    void twoProgramsDontDeleteAtOnce()
    {
        run(u"old"_s, "print(1)", "1\n");
        const auto other = FileLock::create(rooms().lockFile);
        QVERIFY(other);
        const auto deletion = deleteBodies(rooms(), before(200 * day), person);
        QCOMPARE(deletion.error().code, ErrorCode::Busy);
        QVERIFY(!*finishDeletion(rooms(), person));
        QVERIFY(!kinds().contains(u"retention.applied"_s));
    }

    void runsThatAreNamedGoAlone()
    {
        run(u"run-called-one"_s, "print('one')", "words\n");
        run(u"run-called-two"_s, "print('two')", "words\n"); // which both have
        run(u"run-called-three"_s, "print('three')", {});
        accept(u"run-called-open"_s, "while True: pass");
        makeFilesOld();
        const RunsToGo chosen{.chosen = {u"run-called-two"_s, u"run-called-three"_s}};
        QCOMPARE(deletableOf(*reader(), chosen).value(),
                 (Deletable{2, qint64(strlen("print('two')") + strlen("print('three')"))}));
        const auto deletion = deleteBodies(rooms(), chosen, person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->runs, 2);
        QCOMPARE(deletion->files, 2);
        QVERIFY(!m_store->get(sha256({"print('two')"})));
        QCOMPARE(m_store->get(sha256({"words\n"})).value(), QByteArray("words\n"));
        QVERIFY(!reader()->bodiesOf(u"run-called-one"_s)->first().salt.isEmpty());
        QVERIFY(whenDeleted(*reader(), *row(u"run-called-two"_s)).value());
        QVERIFY(!whenDeleted(*reader(), *row(u"run-called-one"_s)).value());
        QVERIFY(verifyLog(*reader())->isWhole());
        QCOMPARE(deletableOf(*reader(), chosen).value(), Deletable());

        QCOMPARE(deleteBodies(rooms(), {.chosen = {u"run-called-one"_s, u"run-called-open"_s}}, person).error().code,
                 ErrorCode::Busy);
        QCOMPARE(deletableOf(*reader(), {.chosen = {u"run-called-none"_s}}).error().code, ErrorCode::NotFound);
        QVERIFY(!reader()->bodiesOf(u"run-called-one"_s)->first().salt.isEmpty());
    }

    void aDeletionOfNamedRunsIsFinishedByTheNext()
    {
        run(u"run-called-one"_s, "print('one')", {});
        run(u"run-called-two"_s, "print('two')", {});
        makeFilesOld();
        std::stop_source stopped;
        stopped.request_stop(); // after the first entry
        QVERIFY(!deleteBodies(rooms(), {.chosen = {u"run-called-two"_s}}, person, stopped.get_token()));
        QCOMPARE(lastDeletion(*reader()).value()->chosen, QStringList{u"run-called-two"_s});
        QVERIFY(finishDeletion(rooms(), person).value());
        QVERIFY(!m_store->get(sha256({"print('two')"})));
        QVERIFY(m_store->get(sha256({"print('one')"})));
    }

    void whoStopsItIsToldHowFarItCame()
    {
        constexpr int runs = 250; // more than are done at once
        for (int i = 0; i < runs; ++i)
            run(u"r"_s + QString::number(i), "print(" + QByteArray::number(100 + i) + ")", {});
        makeFilesOld();
        m_clock.set(200 * day);
        DeletedUntilNow last;
        int looks = 0; // while runs are deleted, too: one may have left any number of files
        const auto deletion = deleteBodies(rooms(), before(150 * day), person, {}, [&](const DeletedUntilNow &now) {
            last = now;
            looks += now.runs == 0 ? 1 : 0;
            return now.runs == 0;
        });
        QCOMPARE(deletion.error().code, ErrorCode::Cancelled);
        QCOMPARE(looks, 2);
        QCOMPARE(last, (DeletedUntilNow{200, runs, 200 * qint64(strlen("print(100)"))}));
        QCOMPARE(files(), runs - 200);
        QCOMPARE(deleteBodies(rooms(), before(150 * day), person)->earlierFiles, runs - 200);
    }

    void filesThatOldRunsLeftGo()
    {
        auto body = IncomingBody::begin(*m_store, 3);
        QVERIFY(body);
        QVERIFY(body->add("a,b"));
        FinishedEntry entry = finishedEntry(u"old"_s, "words\n");
        Artifact artifact{
            .path = u"table.csv"_s, .digest = body->keep().value(), .bytes = 3, .mediaType = u"text/csv"_s};
        auto hidden = IncomingBody::begin(*m_store, 3);
        QVERIFY(hidden);
        QVERIFY(hidden->add("key"));
        Artifact withheld{.path = u"key.txt"_s, .bytes = 3, .secrets = {u"KEY"_s}};
        withheld.digest = hidden->withhold(u"old"_s).value();
        entry.artifacts = jsonArray(QList{artifact, withheld});
        entry.artifactBodies = {{.digest = artifact.digest, .bytes = 3, .kept = 3},
                                {.digest = withheld.digest, .bytes = 3, .kept = 3}};
        accept(u"old"_s, "print(1)");
        QVERIFY(m_log->appendNow(toEntry(entry)));
        QVERIFY(!artifactsOf(*reader(), u"old"_s)->first().isDeleted);
        makeFilesOld();
        m_clock.set(200 * day);
        const auto deletion = deleteBodies(rooms(), before(150 * day), person);
        QVERIFY2(deletion, why(deletion));
        QCOMPARE(deletion->files, 3);
        const auto left = artifactsOf(*reader(), u"old"_s).value();
        QCOMPARE(left.size(), 2);
        for (const Artifact &gone : left) {
            QVERIFY(gone.isDeleted);
            QVERIFY(!gone.isWithheld());
            QVERIFY(verifyArtifact(*m_store, u"old"_s, gone).error().message.english().contains(u"was deleted"_s));
        }
        QCOMPARE(QDir(path(u"store/withheld"_s)).entryList(QDir::Files), QStringList());
    }

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    RetentionRooms rooms() const { return {*m_store, *m_log, path(u"audit.db"_s), path(u"deleting.lock"_s)}; }
    void openLog()
    {
        m_log = AuditLog::open(path(u"audit.db"_s), u"engine"_s + QString::number(++m_engines), m_clock).value();
    }
    std::unique_ptr<AuditReader> reader() const { return AuditReader::open(path(u"audit.db"_s)).value(); }

    QByteArray contentOf(const QString &name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    template<typename T> static QByteArray why(const Result<T> &result)
    {
        return result ? QByteArray() : (result.error().message.english() + result.error().detail.english()).toUtf8();
    }

    void accept(const QString &id, const QByteArray &code)
    {
        AcceptedEntry entry;
        entry.run = id;
        entry.language = u"python"_s;
        entry.code = commitTo(code);
        entry.firstLine = QString::fromUtf8(code);
        QVERIFY(m_store->put(entry.code.digest, code));
        QVERIFY(m_log->appendNow(toEntry(entry)));
    }
    FinishedEntry finishedEntry(const QString &id, const QByteArray &output)
    {
        FinishedEntry entry;
        entry.run = id;
        entry.outcome = Outcome::Completed;
        entry.out = commitTo(output);
        entry.err = commitTo("");
        std::ignore = m_store->put(entry.out.digest, output);
        return entry;
    }
    void run(const QString &id, const QByteArray &code, const QByteArray &output)
    {
        accept(id, code);
        QVERIFY(m_log->appendNow(toEntry(finishedEntry(id, output))));
    }

    std::optional<RunRow> row(const QString &id) const
    {
        const QList<RunRow> rows = reader()->runs({}).value();
        for (const RunRow &each : rows) {
            if (each.run == id)
                return each;
        }
        return std::nullopt;
    }
    QList<StoredEntry> entriesOf(const QString &id) const { return reader()->entriesOf(id).value(); }
    QStringList kinds() const
    {
        QStringList all;
        const QList<StoredEntry> entries = reader()->entries(1, 10'000).value();
        for (const StoredEntry &entry : entries)
            all.append(QJsonDocument::fromJson(entry.json)["kind"_L1].toString());
        return all;
    }
    QStringList storedFiles() const
    {
        QStringList all;
        QDirIterator found(m_store->folder(), QDir::Files, QDirIterator::Subdirectories);
        while (found.hasNext())
            all.append(found.next());
        return all;
    }
    int files() const { return int(storedFiles().size()); }
    // As if they had been stored two hours ago.
    void makeFilesOld()
    {
        const timespec then{::time(nullptr) - 7200, 0}, times[2] = {then, then};
        for (const QString &file : storedFiles())
            QCOMPARE(::utimensat(AT_FDCWD, QFile::encodeName(file).constData(), times, 0), 0);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ContentStore> m_store;
    std::unique_ptr<AuditLog> m_log;
    SetClock m_clock;
    int m_engines = 0;
};

QTEST_GUILESS_MAIN(TestRetention)
#include "tst_retention.moc"
