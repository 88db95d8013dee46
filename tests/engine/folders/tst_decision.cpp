// SPDX-License-Identifier: Apache-2.0
// What a person decides about changes to copies of folders is on record before anything is done, and when it has ended.
#include "engine/folders/decision.h"
#include "tests/support/trappedcalls.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const EntryHead head{7, 1'700'000'000'000'001, u"ENGINE"_s};

} // namespace

class TestDecision : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_room;
    Paths m_paths;
    QString m_run;
    const Caller m_caller{Caller::Kind::Cli, 42, u"glovebox"_s, {}};

    QString at(const QString &name) const { return m_room->filePath(name); }

    struct Program
    {
        explicit Program(const Paths &paths)
            : id(newId(Clock::system()))
            , lock(FileLock::create(paths.enginesFolder() + u'/' + id + u".lock"_s).value())
            , log(AuditLog::open(paths.auditFile(), id, Clock::system()).value())
            , staging(paths, id, [] { return HostIdentity{65534, 65534}; })
        {
        }

        QString id;
        FileLock lock;
        std::unique_ptr<AuditLog> log;
        Staging staging;
    };

    // A run that made a folder, a link after it, and a file after that.
    void leaveChanges(Program &program)
    {
        const UniqueFd original(::open(QFile::encodeName(at(u"original"_s)).constData(), O_PATH | O_DIRECTORY));
        struct stat info = {};
        ::fstat(original.get(), &info);
        QStringList skipped;
        const auto staged = program.staging.copy(
            m_run, {at(u"original"_s), u"/mnt/x"_s, FolderGrant::Mode::Stage},
            {.hostPath = at(u"original"_s), .device = info.st_dev, .inode = info.st_ino}, {}, {},
            [&](const QByteArray &order, int to) { return copyFolder(order, original.get(), to); }, skipped);
        QVERIFY(staged);
        QVERIFY(QDir().mkpath(staged->copy + u"/a"_s));
        QVERIFY(QFile::link(u"a"_s, staged->copy + u"/b"_s));
        QFile file(staged->copy + u"/c"_s);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("new") == 3);
        file.close();
        QCOMPARE(program.staging.finish(m_run).changes.value(0).changes.size(), 3);
    }

    QList<QJsonObject> entries() const
    {
        QList<QJsonObject> list;
        const auto reader = AuditReader::open(m_paths.auditFile()).value();
        const auto stored = reader->entriesOf(m_run).value();
        for (const StoredEntry &entry : stored)
            list.append(parseStrictJson(entry.json).value());
        return list;
    }

    QStringList kinds() const
    {
        QStringList list;
        for (const QJsonObject &entry : entries())
            list.append(entry[u"kind"_s].toString());
        return list;
    }

    // Leaves changes in another program, which dies at this system call of what it does then; -1: at none of ours. Whether it died.
    bool diesAt(int call, const std::function<void(Program &)> &work)
    {
        const pid_t child = ::fork();
        if (child == 0) {
            Program program(m_paths);
            leaveChanges(program);
            if (call >= 0)
                test::dieAtCall(call);
            work(program);
            ::_exit(0);
        }
        int status = 0;
        return ::waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    }

    // What an engine does at its start.
    void recover(Program &program)
    {
        program.staging.recover(m_paths.enginesFolder());
        QVERIFY(program.log->recover(m_paths.enginesFolder()));
    }

private Q_SLOTS:
    void init()
    {
        m_room = std::make_unique<QTemporaryDir>();
        m_paths.data = at(u"data"_s);
        m_run = newId(Clock::system());
        QVERIFY(QDir().mkpath(m_paths.enginesFolder()));
        QVERIFY(QDir().mkpath(at(u"original"_s)));
    }

    void decisionsAreWrittenLikeThis()
    {
        FolderDecision decision{
            .run = u"RUN"_s, .deed = FolderDeed::Apply, .folders = {u"/home/me/src"_s}, .changes = 3};
        decision.refused = 1;
        QCOMPARE(entryJson(head, endOf(decision, 0)).value(),
                 R"({"caller":{"claimed":null,"kind":"cli","pid":null,"program":null},"changes":3,"engine":"ENGINE",)"
                 R"("folders":["/home/me/src"],"kind":"folder.applied","refused":1,"run":"RUN","seq":7,)"
                 R"("time_us":1700000000000001,"v":1})");
        QCOMPARE(entryJson(head, beginningOf(decision)).value(),
                 R"({"caller":{"claimed":null,"kind":"cli","pid":null,"program":null},"changes":3,"engine":"ENGINE",)"
                 R"("folders":["/home/me/src"],"kind":"folder.applying","run":"RUN","seq":7,)"
                 R"("time_us":1700000000000001,"v":1})");
        decision.deed = FolderDeed::Discard;
        QVERIFY(entryJson(head, beginningOf(decision)).value().contains("folder.discarding"));
        QVERIFY(entryJson(head, endOf(decision, 0)).value().contains("folder.discarded"));
    }

    void bothAreOnRecordBeforeAndAfter()
    {
        Program program(m_paths);
        leaveChanges(program);
        QCOMPARE(applyOnRecord(program.staging, *program.log, m_run, m_caller)->applied, 3);
        QCOMPARE(kinds(), (QStringList{u"folder.applying"_s, u"folder.applied"_s}));
        QCOMPARE(entries()[0][u"changes"_s].toInteger(), 3);
        QCOMPARE(entries()[1][u"changes"_s].toInteger(), 3);
        m_run = newId(Clock::system());
        QVERIFY(QDir(at(u"original"_s)).removeRecursively() && QDir().mkpath(at(u"original"_s)));
        leaveChanges(program);
        QVERIFY(discardOnRecord(program.staging, *program.log, m_run, m_caller));
        QCOMPARE(kinds(), (QStringList{u"folder.discarding"_s, u"folder.discarded"_s}));
        QVERIFY(!QFile::exists(at(u"original/a"_s)));
        QVERIFY(program.staging.pending().isEmpty());
        QVERIFY(program.log->recover(m_paths.enginesFolder()));
        QCOMPARE(kinds().size(), 2); // has its end
    }

    void whoIsStoppedIsOnRecord()
    {
        Program program(m_paths);
        leaveChanges(program);
        const auto report = applyOnRecord(program.staging, *program.log, m_run, m_caller, {},
                                          [](const AppliedUntilNow &now) { return now.changes < 2; });
        QVERIFY(report && report->isStopped);
        QCOMPARE(report->applied, 2);
        QCOMPARE(entries()[0][u"changes"_s].toInteger(), 3);
        QCOMPARE(entries()[1][u"changes"_s].toInteger(), 2);
        QVERIFY(entries()[1][u"stopped"_s].toBool());
        QVERIFY(program.log->recover(m_paths.enginesFolder()));
        QCOMPARE(kinds(), (QStringList{u"folder.applying"_s, u"folder.applied"_s}));
        // Before anything is done, nothing is on record.
        QCOMPARE(applyOnRecord(program.staging, *program.log, m_run, m_caller, {},
                               [](const AppliedUntilNow &) { return false; })
                     .error()
                     .code,
                 ErrorCode::Cancelled);
        QCOMPARE(kinds().size(), 2);
        QCOMPARE(applyOnRecord(program.staging, *program.log, m_run, m_caller)->applied, 1);
        QVERIFY(!entries()[3].contains(u"stopped"_s));
        const auto undone = undoOnRecord(program.staging, *program.log, m_run, m_caller,
                                         [](const AppliedUntilNow &now) { return now.changes < 1; });
        QVERIFY(undone && undone->isStopped && undone->applied == 1);
        QVERIFY(entries()[5][u"stopped"_s].toBool());
        QCOMPARE(undoOnRecord(program.staging, *program.log, m_run, m_caller)->applied, 2);
        QVERIFY(!entries()[7].contains(u"stopped"_s));
    }

    void nothingIsDoneThatCantBeRecorded()
    {
        Program program(m_paths);
        leaveChanges(program);
        sqlite3 *db = nullptr;
        QCOMPARE(sqlite3_open(QFile::encodeName(m_paths.auditFile()).constData(), &db), SQLITE_OK);
        sqlite3_exec(db, "PRAGMA user_version = 1000", nullptr, nullptr, nullptr);
        const auto applied = applyOnRecord(program.staging, *program.log, m_run, m_caller);
        const Status discarded = discardOnRecord(program.staging, *program.log, m_run, m_caller);
        sqlite3_exec(db, "PRAGMA user_version = 5", nullptr, nullptr, nullptr);
        sqlite3_close(db);
        QCOMPARE(applied.error().code, ErrorCode::Newer);
        QCOMPARE(discarded.error().code, ErrorCode::Newer);
        QVERIFY(!QFile::exists(at(u"original/a"_s)));
        const auto waiting = program.staging.pending(m_run);
        QVERIFY(waiting && !waiting->isCutShort);
        QVERIFY(program.staging.discard(m_run));
    }

    // It is told what was done all the same.
    void anEndThatCantBeRecordedIsTold()
    {
        Program program(m_paths);
        leaveChanges(program);
        sqlite3 *db = nullptr;
        QCOMPARE(sqlite3_open(QFile::encodeName(m_paths.auditFile()).constData(), &db), SQLITE_OK);
        const auto report =
            applyOnRecord(program.staging, *program.log, m_run, m_caller, {}, [&](const AppliedUntilNow &) {
                if (kinds().isEmpty())
                    return true; // not begun
                sqlite3_exec(db, "PRAGMA user_version = 1000", nullptr, nullptr, nullptr);
                return false;
            });
        sqlite3_exec(db, "PRAGMA user_version = 5", nullptr, nullptr, nullptr);
        sqlite3_close(db);
        QVERIFY2(report, qPrintable(report ? QString() : report.error().message.english()));
        QVERIFY(report->isStopped);
        QCOMPARE(report->applied, 0);
        QVERIFY(report->unrecorded.english().startsWith(u"The log doesn't have how this ended: "_s));
        QCOMPARE(program.staging.pending(m_run)->folders.value(0).changes.size(), 3);
        QCOMPARE(applyOnRecord(program.staging, *program.log, m_run, m_caller)->applied, 3);
    }

    // The folder is in the original when the program dies at the link.
    void whoDiesWhileApplyingIsToldAtTheNextStart()
    {
        QVERIFY(diesAt(SYS_symlinkat, [this](Program &program) {
            std::ignore = applyOnRecord(program.staging, *program.log, m_run, m_caller);
        }));
        QVERIFY(QFile::exists(at(u"original/a"_s)));
        QCOMPARE(kinds(), QStringList{u"folder.applying"_s});
        Program next(m_paths);
        recover(next);
        QCOMPARE(kinds(), (QStringList{u"folder.applying"_s, u"folder.interrupted"_s}));
        const QJsonObject told = entries().last();
        QCOMPARE(told[u"engine"_s].toString(), next.id);
        QCOMPARE(told[u"action"_s].toString(), u"apply"_s);
        QCOMPARE(told[u"began"_s].toInteger(), 1);
        QCOMPARE(told[u"folders"_s].toArray().first().toString(), at(u"original"_s));
        QVERIFY(told[u"reason"_s][u"source"_s].toString().contains(u"may be in the originals"));
        QVERIFY(next.staging.pending(m_run)->isCutShort);

        recover(next); // once
        QCOMPARE(kinds().size(), 2);
        const auto again = applyOnRecord(next.staging, *next.log, m_run, m_caller);
        QVERIFY(again && again->refused.isEmpty());
        QCOMPARE(QFile::symLinkTarget(at(u"original/b"_s)), at(u"original/a"_s));
        QCOMPARE(kinds().mid(2), (QStringList{u"folder.applying"_s, u"folder.applied"_s}));
        QVERIFY(next.staging.pending().isEmpty());
    }

    void whatWasBeingWrittenIsRemovedByTheNextTry()
    {
        QVERIFY(diesAt(SYS_renameat2, [this](Program &program) {
            std::ignore = applyOnRecord(program.staging, *program.log, m_run, m_caller);
        }));
        const QDir original(at(u"original"_s));
        const auto all = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
        QCOMPARE(original.entryList({u".glovebox-*"_s}, all).size(), 1);
        Program next(m_paths);
        recover(next);
        QVERIFY(applyOnRecord(next.staging, *next.log, m_run, m_caller)->refused.isEmpty());
        QCOMPARE(original.entryList(all), (QStringList{u"a"_s, u"b"_s, u"c"_s}));
    }

    void whoDiesWhileUndoingIsToldAndCanGoOn()
    {
        for (const int call : {SYS_unlinkat, SYS_renameat2}) {
            m_run = newId(Clock::system());
            QVERIFY(QDir(at(u"original"_s)).removeRecursively() && QDir().mkpath(at(u"original"_s)));
            QVERIFY(diesAt(-1,
                           [&](Program &program) {
                               std::ignore = applyOnRecord(program.staging, *program.log, m_run, m_caller);
                               test::dieAtCall(call);
                               std::ignore = undoOnRecord(program.staging, *program.log, m_run, m_caller);
                           })
                    || call == SYS_renameat2); // all was new, so nothing is renamed
            Program next(m_paths);
            recover(next);
            if (call == SYS_unlinkat) {
                QCOMPARE(kinds().mid(2), (QStringList{u"folder.undoing"_s, u"folder.interrupted"_s}));
                QCOMPARE(entries().last()[u"action"_s].toString(), u"undo"_s);
                QVERIFY(next.staging.undoable().value(0).isCutShort);
                QVERIFY(undoOnRecord(next.staging, *next.log, m_run, m_caller)->refused.isEmpty());
                QCOMPARE(kinds().mid(4), (QStringList{u"folder.undoing"_s, u"folder.undone"_s}));
            }
            QVERIFY(QDir(at(u"original"_s)).isEmpty());
            QVERIFY(next.staging.undoable().isEmpty());
            QCOMPARE(next.staging.pending(m_run)->folders.value(0).changes.size(), 3);
            QVERIFY(next.staging.discard(m_run));
        }
    }

    // Died at the link: the folder is in the original, and goes from there.
    void whoDiedWhileApplyingCanBeUndone()
    {
        QVERIFY(diesAt(SYS_symlinkat, [this](Program &program) {
            std::ignore = applyOnRecord(program.staging, *program.log, m_run, m_caller);
        }));
        Program next(m_paths);
        recover(next);
        const auto undone = undoOnRecord(next.staging, *next.log, m_run, m_caller);
        QVERIFY(undone && undone->refused.isEmpty());
        QCOMPARE(undone->applied, 1);
        QVERIFY(QDir(at(u"original"_s)).isEmpty());
        const auto waiting = next.staging.pending(m_run);
        QVERIFY(waiting && !waiting->isCutShort);
        QCOMPARE(waiting->folders.value(0).changes.size(), 3);
        QVERIFY(next.staging.discard(m_run));
    }

    // Half of a copy would look as if the run had removed the other half.
    void whoDiesWhileDiscardingLeavesAllOfTheCopyOrNothing()
    {
        QVERIFY(diesAt(SYS_unlinkat, [this](Program &program) {
            std::ignore = discardOnRecord(program.staging, *program.log, m_run, m_caller);
        }));
        Program next(m_paths);
        QCOMPARE(next.staging.pending(m_run).error().code, ErrorCode::NotFound);
        recover(next);
        QCOMPARE(kinds(), (QStringList{u"folder.discarding"_s, u"folder.interrupted"_s}));
        QCOMPARE(entries().last()[u"action"_s].toString(), u"discard"_s);
    }

    void whoAppliesAtTheMomentIsNotCutShort()
    {
        Program program(m_paths);
        leaveChanges(program);
        const auto report = program.staging.apply(m_run, [&](const PendingChanges &) -> Status {
            const auto waiting = program.staging.pending(m_run);
            return waiting && !waiting->isCutShort ? Status() : fail(ErrorCode::Internal, Text("cut short"));
        });
        QVERIFY(report);
    }
};

QTEST_GUILESS_MAIN(TestDecision)
#include "tst_decision.moc"
