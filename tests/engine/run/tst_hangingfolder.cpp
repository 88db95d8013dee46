// SPDX-License-Identifier: Apache-2.0
// A folder of a file system that doesn't answer any more is left when the person or the engine wants to go, and holds up nobody
// else.
#include "enginefixture.h"

#include "hangingfilesystem.h"
#include "tests/support/openers.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <future>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using Mode = FolderGrant::Mode;
using Answers = HangingFileSystem::Answers;

namespace {

QString whyNoMounts;

} // namespace

class TestHangingFolder : public QObject, private EngineFixture
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_room;
    std::unique_ptr<HangingFileSystem> m_hanging;
    const QByteArray m_path = qgetenv("PATH");

    void hang(Answers answers)
    {
        m_hanging = std::make_unique<HangingFileSystem>(m_room->path(), answers);
        if (!m_hanging->problem().isEmpty())
            QSKIP(qPrintable(m_hanging->problem()));
    }
    FolderGrant grant(Mode mode) const { return {m_room->path(), u"/mnt/x"_s, mode}; }
    std::shared_ptr<Run> startHanging(Mode mode)
    {
        RunRequest request = shell("echo ran");
        request.policy.folders = {grant(mode)};
        auto run = m_engine->start(request);
        return QTest::qWaitFor([&] { return m_hanging->isWaitedFor(); }, 10'000) ? run : nullptr;
    }
    // The file system hangs while the run works, and has to be read once more when that has ended.
    std::shared_ptr<Run> startAndHang(Mode mode)
    {
        RunRequest request = shell("cat; echo over");
        request.policy.folders = {grant(mode)};
        auto run = m_engine->start(request);
        if (!waitFor(run, RunState::Running)) {
            qWarning("%s", run->result() ? qPrintable(run->result()->reason.english()) : "The run doesn't begin.");
            return nullptr;
        }
        m_hanging->stopAnswering();
        run->closeInput();
        // The folder is also looked at while the program works, and nothing says that the program's end was seen.
        if (!QTest::qWaitFor([&] { return run->output(0, 100).next > 0; }, 10'000))
            return nullptr;
        QTest::qWait(200);
        return QTest::qWaitFor([&] { return m_hanging->isWaitedFor(); }, 10'000) ? run : nullptr;
    }
    // A run's copy of the folder, where it added a file.
    QString runWithChanges()
    {
        const QString run = newId(Clock::system());
        const UniqueFd folder(::open(QFile::encodeName(m_room->path()).constData(), O_PATH | O_DIRECTORY));
        struct stat info = {};
        ::fstat(folder.get(), &info);
        QStringList skipped;
        const auto staged = m_engine->staging().copy(
            run, grant(Mode::Stage), {.hostPath = m_room->path(), .device = info.st_dev, .inode = info.st_ino}, {}, {},
            [&](const QByteArray &order, int to) { return copyFolder(order, folder.get(), to); }, skipped);
        const bool isChanged = staged && QDir().mkpath(staged->copy + u"/new"_s)
                               && m_engine->staging().finish(run).changes.value(0).changes.size() == 1;
        return isChanged ? run : QString();
    }
    // The first folder of PATH is in the file system.
    void putIntoPath() const { qputenv("PATH", QFile::encodeName(m_room->path()) + ':' + m_path); }
    static void rows()
    {
        QTest::addColumn<Mode>("mode");
        QTest::addColumn<Answers>("answers");
        QTest::newRow("read-only") << Mode::ReadOnly << Answers::Nothing;
        QTest::newRow("writable") << Mode::ReadWrite << Answers::Nothing;
        QTest::newRow("in the middle of its copy") << Mode::Stage << Answers::Looks;
    }

private Q_SLOTS:
    void init()
    {
        if (!whyNoMounts.isEmpty())
            QSKIP(qPrintable(whyNoMounts));
        if (::access("/dev/fuse", R_OK | W_OK) != 0)
            QSKIP("This user may not open /dev/fuse.");
        EngineFixture::init();
        m_room = std::make_unique<QTemporaryDir>();
    }
    void cleanup()
    {
        m_hanging.reset(); // first: what isn't left would wait for it
        EngineFixture::cleanup();
        qputenv("PATH", m_path);
        QTRY_COMPARE(openers().size(), 0);
    }

    void aRunThatWaitsForItIsCancelledAtOnce_data() { rows(); }
    void aRunThatWaitsForItIsCancelledAtOnce()
    {
        QFETCH(Mode, mode);
        QFETCH(Answers, answers);
        open();
        hang(answers);
        const auto run = startHanging(mode);
        QVERIFY(run);
        const auto other = m_engine->start(shell("echo other"));
        QCOMPARE_OUTCOME(other, Outcome::Completed);
        QVERIFY(!run->result());
        run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(run->result(), 1000);
        QCOMPARE_OUTCOME(run, Outcome::Cancelled);
        QCOMPARE(entries(run).size(), 2);
        QVERIFY(m_hanging->isWaitedFor());
    }

    void shutdownDoesNotWaitForIt_data() { rows(); }
    void shutdownDoesNotWaitForIt()
    {
        QFETCH(Mode, mode);
        QFETCH(Answers, answers);
        open();
        hang(answers);
        const auto run = startHanging(mode);
        QVERIFY(run);
        QVERIFY(m_engine->shutdown().wait_for(3s) == std::future_status::ready);
        QCOMPARE_OUTCOME(run, Outcome::Cancelled);
    }

    void aRunInWhoseMiddleItHangsIsLeft_data()
    {
        QTest::addColumn<Mode>("mode");
        QTest::newRow("writable") << Mode::ReadWrite;
        QTest::newRow("copied") << Mode::Stage;
    }
    void aRunInWhoseMiddleItHangsIsLeft()
    {
        QFETCH(Mode, mode);
        open();
        hang(Answers::UntilTold);
        const auto cancelled = startAndHang(mode);
        QVERIFY(cancelled);
        cancelled->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(cancelled->result(), 5000);
        QCOMPARE_OUTCOME(cancelled, Outcome::Completed); // it had ended before
        const auto &events = cancelled->result()->events;
        QVERIFY(std::ranges::count(events, EventType::FolderNotCompared, &RunEvent::type) > 0);
        QCOMPARE(entries(cancelled).size(), 2);
    }

    void shutdownDoesNotWaitForItInTheMiddleEither_data() { aRunInWhoseMiddleItHangsIsLeft_data(); }
    void shutdownDoesNotWaitForItInTheMiddleEither()
    {
        QFETCH(Mode, mode);
        open();
        hang(Answers::UntilTold);
        const auto run = startAndHang(mode);
        QVERIFY(run);
        QVERIFY(m_engine->shutdown().wait_for(4s) == std::future_status::ready);
        QVERIFY(run->result());
    }

    void aFolderOfPathIsSkippedAndNamed()
    {
        open();
        hang(Answers::Nothing);
        putIntoPath();
        const auto run = m_engine->start(shell("echo ran"));
        QTRY_VERIFY_WITH_TIMEOUT(run->result(), 10'000);
        QCOMPARE_OUTCOME(run, Outcome::Completed);
        QVERIFY(m_hanging->isWaitedFor());
        const auto &sh = **Languages::byId(u"sh"_s);
        QElapsedTimer timer;
        timer.start();
        const QList<InterpreterCandidate> candidates = m_engine->languages().candidates(sh);
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed()))); // nobody waits once more
        QVERIFY(candidates.first().usable);
        QVERIFY(!candidates.last().usable);
        QCOMPARE(candidates.last().path, m_room->path());
        QCOMPARE(candidates.last().reason.english(),
                 u"The folder %1 was skipped, as its file system hasn't answered for 3 s. Look after what mounts it, "
                 "or take it out of PATH."_s.arg(m_room->path()));
        m_hanging.reset();
        QTRY_VERIFY(std::ranges::all_of(m_engine->languages().candidates(sh), &InterpreterCandidate::usable));
    }

    // Only as long as the file system hangs, which may have been a moment.
    void anotherInterpreterServesMeanwhile()
    {
        const QString folder = m_room->filePath(u"bin"_s);
        const QString own = folder + u"/sh"_s;
        QVERIFY(QDir().mkpath(folder) && QDir().mkpath(m_room->filePath(u"lib"_s)) && QFile::copy(u"/bin/sh"_s, own));
        for (const QString &path : {m_room->path(), folder, m_room->filePath(u"lib"_s), own})
            QVERIFY(QFile::setPermissions(path, QFile::Permissions(0x7755)));
        qputenv("PATH", QFile::encodeName(folder) + ':' + m_path);
        open();
        m_hanging = std::make_unique<HangingFileSystem>(folder, Answers::Nothing);
        if (!m_hanging->problem().isEmpty())
            QSKIP(qPrintable(m_hanging->problem()));
        const auto run = m_engine->start(shell("echo ran"));
        QTRY_VERIFY_WITH_TIMEOUT(run->result(), 10'000);
        QCOMPARE_OUTCOME(run, Outcome::Completed);
        const auto &sh = **Languages::byId(u"sh"_s);
        const auto meanwhile = m_engine->languages().find(sh);
        QVERIFY(meanwhile && meanwhile->path != own);
        m_hanging.reset();
        QTRY_COMPARE(m_engine->languages().find(sh).value().path, own);
    }

    void aRunThatLooksForItsInterpreterThereIsLeft()
    {
        open();
        hang(Answers::Nothing);
        putIntoPath();
        const auto run = m_engine->start(shell("echo ran"));
        QTRY_VERIFY_WITH_TIMEOUT(m_hanging->isWaitedFor(), 10'000);
        run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(run->result(), 1000);
        QCOMPARE_OUTCOME(run, Outcome::Cancelled);
        const auto other = m_engine->start(shell("echo ran"));
        QVERIFY(m_engine->shutdown().wait_for(2s) == std::future_status::ready);
        QCOMPARE_OUTCOME(other, Outcome::Cancelled);
    }

    void aRunThatIsExpectedHoldsUpNoOther()
    {
        open();
        hang(Answers::Nothing);
        putIntoPath();
        m_engine->expect(u"sh"_s);
        QTRY_VERIFY_WITH_TIMEOUT(m_hanging->isWaitedFor(), 10'000);
        const auto run = m_engine->start(shell("echo ran"));
        QTRY_VERIFY_WITH_TIMEOUT(!run->id().isEmpty(), 1000);
        QVERIFY(m_engine->shutdown().wait_for(2s) == std::future_status::ready);
    }

    void decisionsAboutChangesAreLeft_data()
    {
        QTest::addColumn<bool>("isUndone");
        QTest::newRow("apply") << false;
        QTest::newRow("undo") << true;
    }
    void decisionsAboutChangesAreLeft()
    {
        QFETCH(bool, isUndone);
        open();
        const QString run = runWithChanges();
        QVERIFY(!run.isEmpty());
        if (isUndone) {
            const auto applied = m_engine->applyChanges(run, {});
            QVERIFY(applied);
            QCOMPARE(applied->applied, 1);
            QVERIFY(QFile::exists(m_room->filePath(u"new"_s)));
        }
        hang(Answers::Nothing);
        auto decision = std::async(std::launch::async, [&] {
            return isUndone ? m_engine->undoChanges(run, {}) : m_engine->applyChanges(run, {});
        });
        QTRY_VERIFY_WITH_TIMEOUT(m_hanging->isWaitedFor(), 10'000);
        const bool isLeft = m_engine->shutdown().wait_for(15s) == std::future_status::ready;
        m_hanging.reset();
        const auto decided = decision.get();
        QVERIFY(isLeft);
        QVERIFY(!decided);
        QCOMPARE(decided.error().code, ErrorCode::Cancelled);
        QCOMPARE(decided.error().message.english(),
                 isUndone
                     ? u"Glovebox stopped before the changes were done, as they take long or their file system doesn't "
                       u"answer. Some may be "
                       "done: \"glovebox changes list\" lists what waits, and the same again finishes it."_s
                     : u"Glovebox stopped waiting for a folder whose file system doesn't answer. Nothing was done; "
                       "look after what mounts it, and try again."_s);
        const auto stored = m_engine->auditReader().value()->entriesOf(run).value();
        QCOMPARE(!stored.isEmpty() && stored.last().json.contains("folder.interrupted"), isUndone);
        m_engine.reset();
        open();
        QCOMPARE(m_engine->auditReader().value()->entriesOf(run).value().size(), stored.size()); // once
        QVERIFY(isUndone ? m_engine->undoChanges(run, {}) : m_engine->applyChanges(run, {}));
    }

    void afterAWhileItIsRefused()
    {
        open();
        hang(Answers::Nothing);
        QElapsedTimer timer;
        timer.start();
        const Status checked = m_engine->checkFolder(grant(Mode::ReadOnly));
        QVERIFY(!checked && timer.elapsed() < 10'000);
        QCOMPARE(checked.error().message.english(),
                 m_room->path()
                     + u" can't be shown to a run: its file system hasn't answered for 5 s. Look after what mounts it, "
                       "or show another folder."_s);
    }
};

GLOVEBOX_TEST_FILE
{
    whyNoMounts = enterOwnMounts();
    const QCoreApplication application(argc, argv);
    TestHangingFolder test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_hangingfolder.moc"
