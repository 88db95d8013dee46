// SPDX-License-Identifier: Apache-2.0
// What keeps a run from running or ends it early: nobody's approval, cancelling, the engine's end.
#include "enginefixture.h"

#include "tests/support/openers.h"
#include "tests/support/signals.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <future>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestEngineStops : public QObject, private EngineFixture
{
    Q_OBJECT

    // Of a run that made so many folders in a copy.
    QString leaveFolders(const QString &original, int count)
    {
        const QString run = newId(Clock::system());
        const UniqueFd folder(::open(QFile::encodeName(original).constData(), O_PATH | O_DIRECTORY));
        struct stat info = {};
        ::fstat(folder.get(), &info);
        QStringList skipped;
        const auto staged = m_engine->staging().copy(
            run, {original, u"/mnt/x"_s, FolderGrant::Mode::Stage},
            {.hostPath = original, .device = info.st_dev, .inode = info.st_ino}, {}, {},
            [&](const QByteArray &order, int to) { return copyFolder(order, folder.get(), to); }, skipped);
        bool isMade = staged.has_value();
        for (int i = 0; isMade && i < count; ++i)
            isMade = QDir().mkpath(staged->copy + u'/' + QString::number(i));
        return isMade && m_engine->staging().finish(run).changes.value(0).changes.size() == count ? run : QString();
    }

    static qsizetype applied(const QTemporaryDir &original)
    {
        return QDir(original.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
    }

    // Of changes that another thread applies.
    static void waitForSome(const QTemporaryDir &original)
    {
        while (applied(original) == 0)
            std::this_thread::sleep_for(1ms);
    }

private Q_SLOTS:
    void init() { EngineFixture::init(); }
    void cleanup() { EngineFixture::cleanup(); }

    void cancelWorksInEveryState();
    void cancelWhileTheSandboxIsBuilt();
    void nobodyThereMeansDenied();
    void anApprovedRunRuns();
    void aDeniedRunDoesNotRun();
    void cancelWithdrawsTheAsk();
    void nobodyIsAskedAboutNonsense();
    void shutdownCancelsAndClosesEverything();
    void shutdownWithdrawsAsksAndEmptiesTheQueue();
    void shutdownWaitsForChangesThatAreBeingApplied();
    void whoAppliesAndIsKilledMayHaveDoneSome();
};

void TestEngineStops::cancelWorksInEveryState()
{
    open(1);
    const auto running = m_engine->start(shell("trap 'exit 0' INT; echo ready; while :; do sleep 0.02; done"));
    QTRY_COMPARE(running->output(0, 100).next, 6);
    const auto queued = m_engine->start(shell("exit 0"));
    QVERIFY(waitFor(queued, RunState::Queued));
    const auto submitted = m_engine->start(shell("exit 0"));
    submitted->cancel();
    QCOMPARE_OUTCOME(submitted, Outcome::Cancelled);
    queued->cancel();
    QCOMPARE_OUTCOME(queued, Outcome::Cancelled);
    QCOMPARE(queued->result()->reason.english(), u"The run was stopped."_s);
    running->cancel();
    QCOMPARE_OUTCOME(running, Outcome::Cancelled);
    const auto isSaidNotRun = [](const std::shared_ptr<Run> &run) {
        const QList<RunEvent> &events = run->result()->events;
        return std::ranges::count(events, EventType::CodeNotRun, &RunEvent::type) == 1;
    };
    QVERIFY(isSaidNotRun(submitted) && isSaidNotRun(queued) && !isSaidNotRun(running));
    running->cancel(); // no harm
    QCOMPARE(m_backend->launched, 1);
    for (const auto &run : {running, queued, submitted}) {
        QCOMPARE(entries(run).size(), 2);
        QCOMPARE(entries(run)[1][u"outcome"].toString(), u"cancelled"_s);
    }
}

void TestEngineStops::cancelWhileTheSandboxIsBuilt()
{
    std::atomic<bool> isBuilding = false;
    m_backend->beforeLaunch = [&](const Assignment &, std::stop_token stop) -> Status {
        isBuilding = true;
        while (!stop.stop_requested())
            std::this_thread::sleep_for(1ms);
        return {}; // built all the same: the corridor itself must look
    };
    open();
    const auto run = m_engine->start(shell("echo ran"));
    QTRY_VERIFY(isBuilding);
    run->cancel();
    QCOMPARE_OUTCOME(run, Outcome::Cancelled);
    QVERIFY(!run->result()->signal && !run->result()->exitCode); // nothing was started
}

void TestEngineStops::nobodyThereMeansDenied()
{
    open();
    const auto run = m_engine->start(fromAgent("echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::Denied);
    QVERIFY(!run->result()->reason.isEmpty());
    QCOMPARE(m_backend->launched, 0);
    QCOMPARE(entries(run)[1][u"by"].toString(), u"nobody"_s);
    QCOMPARE(entries(run)[2][u"outcome"].toString(), u"denied"_s);
}

void TestEngineStops::anApprovedRunRuns()
{
    m_approver = std::make_shared<TestApprover>();
    open();
    const auto run = m_engine->start(fromAgent("echo ran"));
    QVERIFY(waitFor(run, RunState::Waiting));
    QTRY_COMPARE(m_approver->asked().code, "echo ran");
    QCOMPARE(m_approver->asked().codeDigest, QCryptographicHash::hash("echo ran", QCryptographicHash::Sha256));
    QCOMPARE(m_approver->asked().run, run->id());
    QCOMPARE(m_backend->launched, 0);
    m_approver->answer({true, {}});
    QCOMPARE_OUTCOME(run, Outcome::Completed);
    QCOMPARE(run->result()->out.kept(), "ran\n");
}

void TestEngineStops::aDeniedRunDoesNotRun()
{
    m_approver = std::make_shared<TestApprover>();
    open();
    const auto run = m_engine->start(fromAgent("echo ran"));
    QTRY_VERIFY(!m_approver->asked().run.isEmpty());
    m_approver->answer({false, Text("I don't like it.")});
    QCOMPARE_OUTCOME(run, Outcome::Denied);
    QCOMPARE(run->result()->reason.english(), u"I don't like it."_s);
    m_approver->answer({true, {}}); // too late, and once too often
    QCOMPARE(m_backend->launched, 0);
}

void TestEngineStops::cancelWithdrawsTheAsk()
{
    m_approver = std::make_shared<TestApprover>();
    open();
    const auto run = m_engine->start(fromAgent("echo ran"));
    QTRY_VERIFY(!m_approver->asked().run.isEmpty());
    run->cancel();
    QCOMPARE_OUTCOME(run, Outcome::Cancelled);
    QCOMPARE(m_approver->withdrawn(), QStringList{run->id()});
    m_approver->answer({true, {}});
    m_engine.reset();
    m_approver->answer({true, {}}); // the engine is gone
    QCOMPARE(m_backend->launched, 0);
}

void TestEngineStops::nobodyIsAskedAboutNonsense()
{
    m_approver = std::make_shared<TestApprover>();
    open();
    RunRequest request = fromAgent("echo ran");
    request.policy.allow = {u"*.org"_s};
    QCOMPARE_OUTCOME(m_engine->start(request), Outcome::Rejected);
    QVERIFY(m_approver->asked().run.isEmpty());
}

void TestEngineStops::shutdownCancelsAndClosesEverything()
{
    open(2);
    QList<std::shared_ptr<Run>> runs;
    for (int i = 0; i < 6; ++i)
        runs.append(m_engine->start(shell("echo ready; sleep 30")));
    QTRY_COMPARE(runs[0]->output(0, 100).next, 6);
    QElapsedTimer timer;
    timer.start();
    auto done = m_engine->shutdown();
    const auto late = m_engine->start(shell("echo late"));
    QCOMPARE_OUTCOME(late, Outcome::SetupFailed);
    QVERIFY(late->id().isEmpty());
    m_engine->shutdown().wait();
    QVERIFY(done.wait_for(0s) == std::future_status::ready);
    QVERIFY2(timer.elapsed() < 2500, qPrintable(QString::number(timer.elapsed())));
    for (const auto &run : runs) {
        QCOMPARE(run->state(), RunState::Done);
        QCOMPARE_OUTCOME(run, Outcome::Cancelled);
        QCOMPARE(run->result()->reason.english(), u"Glovebox was closed before it ended."_s);
        QCOMPARE(entries(run).size(), 2);
    }
    QVERIFY(m_backend->shutDown > 0);
    QCOMPARE(QDir(m_engine->paths().enginesFolder()).entryList(QDir::Files), QStringList());
    m_engine.reset();
    runs[0]->cancel(); // handles outlive the engine
    QCOMPARE(runs[0]->output(0, 100).chunks.value(0).bytes, "ready\n");
}

void TestEngineStops::shutdownWithdrawsAsksAndEmptiesTheQueue()
{
    m_approver = std::make_shared<TestApprover>();
    open(1);
    const auto asked = m_engine->start(fromAgent("echo ran"));
    QVERIFY(waitFor(asked, RunState::Waiting));
    const auto running = m_engine->start(shell("sleep 30"));
    QVERIFY(waitFor(running, RunState::Running));
    const auto queued = m_engine->start(shell("echo ran"));
    QVERIFY(waitFor(queued, RunState::Queued));
    m_engine->shutdown().wait();
    for (const auto &run : {asked, running, queued})
        QCOMPARE_OUTCOME(run, Outcome::Cancelled);
    QCOMPARE(m_approver->withdrawn(), QStringList{asked->id()});
    QCOMPARE(m_backend->launched, 1);
}

// The window may be closed meanwhile: a person's folders are not left half changed, and the end is on record.
void TestEngineStops::shutdownWaitsForChangesThatAreBeingApplied()
{
    open();
    const QTemporaryDir original;
    constexpr int folders = 5000;
    const QString run = leaveFolders(original.path(), folders);
    QVERIFY(!run.isEmpty());

    Result<ApplyReport> report;
    std::jthread window([&] { report = m_engine->applyChanges(run, {}); });
    waitForSome(original);
    const pid_t applies = openers().value(0, -1);
    QVERIFY(applies > 0);
    QCOMPARE(sendSignal(applies, SIGSTOP), 0);
    const auto there = applied(original);
    const auto closed = m_engine->shutdown();
    QCOMPARE(m_engine->applyChanges(run, {}).error().code, ErrorCode::Unavailable);
    QCOMPARE(m_engine->discardChanges(run, {}).error().code, ErrorCode::Unavailable);
    const bool hasWaited = closed.wait_for(200ms) == std::future_status::timeout;
    QCOMPARE(sendSignal(applies, SIGCONT), 0);
    window.join();
    closed.wait();
    QVERIFY2(there < folders, qPrintable(QString::number(there))); // in the middle
    QVERIFY(hasWaited);
    QVERIFY(report && report->refused.isEmpty());
    QCOMPARE(report->applied, folders);
    const auto stored = m_engine->auditReader().value()->entriesOf(run).value();
    QCOMPARE(stored.size(), 2);
    QVERIFY(stored[1].json.contains("folder.applied"));
}

// Nobody is told that nothing was done, and what began has its end in the log while the engine lives.
void TestEngineStops::whoAppliesAndIsKilledMayHaveDoneSome()
{
    open();
    const QTemporaryDir original;
    constexpr int folders = 5000;
    const QString run = leaveFolders(original.path(), folders);
    QVERIFY(!run.isEmpty());
    Result<ApplyReport> report;
    std::jthread window([&] { report = m_engine->applyChanges(run, {}); });
    waitForSome(original);
    QCOMPARE(sendSignal(openers().value(0, -1), SIGKILL), 0);
    window.join();
    QVERIFY(!report && applied(original) < folders);
    QCOMPARE(report.error().code, ErrorCode::Cancelled);
    const QString sentence = u"Glovebox's program for the changes ended before they were done. Some may be done: "
                             "\"glovebox changes list\" lists what waits, and the same again finishes it."_s;
    QCOMPARE(report.error().message.english(), sentence);
    const auto stored = m_engine->auditReader().value()->entriesOf(run).value();
    QCOMPARE(stored.size(), 2);
    QVERIFY(stored[1].json.contains("folder.interrupted"));
    QVERIFY2(stored[1].json.contains("program for the changes ended"), stored[1].json);
    QVERIFY(m_engine->applyChanges(run, {}));
    QCOMPARE(applied(original), folders);
}

QTEST_GUILESS_MAIN(TestEngineStops)
#include "tst_enginestops.moc"
