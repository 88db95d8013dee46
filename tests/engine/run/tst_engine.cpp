// SPDX-License-Identifier: Apache-2.0
// A run's way through the engine and onto the record; what is asked of a sandbox is tested in tests/engine/sandbox.
#include "enginefixture.h"

#include "engine/sqlite/sqlite.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QTest>

#include <atomic>
#include <ctime>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class tst_Engine : public QObject, private EngineFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { EngineFixture::init(); }
    void cleanup() { EngineFixture::cleanup(); }

    void aSnippetRunsAndIsOnRecord();
    void theIdIsThereOnceTheEntryIs();
    void aSandboxIsMadeWhileTheEntryIsCommitted();
    void withoutAnEntryTheSandboxStaysUnused();
    void nobodyIsTakenForWhoOpenedIt();
    void anAgentIsAskedForAgainWhenTheEntryIsThere();
    void droppingTheHandleDoesNotCancel();
    void badRequestsAreRejectedOnRecord_data();
    void badRequestsAreRejectedOnRecord();
    void hugeCodeIsRejectedAndItsBeginningKept();
    void aSandboxThatCannotBeBuiltIsSetupFailed();
    void whoeverWantsPackagesIsToldWhatIsMissing();
    void aRunThatFailsOnItsWayIsClosedWhole_data();
    void aRunThatFailsOnItsWayIsClosedWhole();
    void aRunGetsTheBackendOfItsPolicyAndNoOther();
    void aFullQueueRejectsOnRecord();
    void codeThatCannotBeKeptDoesNotRun();
    void outputThatCannotBeKeptIsSaid();
    void aFolderThatCannotBeWrittenRefusesRuns();
    void everyRunOfManyThreadsIsOnRecord();
    void startingCostsTheCallerNothing();
};

void tst_Engine::aSnippetRunsAndIsOnRecord()
{
    open();
    RunRequest request = shell("echo \"hello $1\"; echo oops >&2; cat given; exit 3\n");
    request.args = {"world"};
    request.files = {{"given", "content\n"}};
    const auto run = m_engine->start(request);
    const auto result = run->wait();
    QCOMPARE_OUTCOME(run, Outcome::Failed);
    QCOMPARE(result->reason.english(), u"The run exited with status 3."_s);
    QCOMPARE(result->exitCode, std::optional(3));
    QCOMPARE(result->out.kept(), "hello world\ncontent\n");
    QCOMPARE(result->err.kept(), "oops\n");
    QCOMPARE(result->id, run->id());
    QCOMPARE(result->builder, u"fork"_s);
    QCOMPARE(result->controls.size(), 1);
    QVERIFY(isId(run->id()));

    const auto list = entries(run);
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[0][u"kind"].toString(), u"run.accepted"_s);
    QCOMPARE(list[0][u"language"].toString(), u"sh"_s);
    QCOMPARE(list[0][u"engine"].toString(), m_engine->id());
    QCOMPARE(list[1][u"kind"].toString(), u"run.finished"_s);
    QCOMPARE(list[1][u"outcome"].toString(), u"failed"_s);
    QCOMPARE(list[1][u"seq"].toInteger(), result->auditSeq);
    QCOMPARE(list[1][u"stdout"][u"bytes"].toInt(), 20);
    const auto reader = m_engine->auditReader();
    QVERIFY(reader);
    QCOMPARE((*reader)->entry(result->auditSeq)->leaf, result->auditLeaf);
    QCOMPARE((*reader)->run(run->id())->firstLine, u"echo \"hello $1\"; echo oops >&2; cat given; exit 3"_s);
    QHash<QString, QByteArray> bodies;
    const auto stored = (*reader)->bodiesOf(run->id());
    QVERIFY(stored);
    for (const StoredBody &body : *stored)
        bodies[body.what] = m_engine->store().get(body.digest).value_or("?");
    QCOMPARE(bodies, (QHash<QString, QByteArray>{
                         {u"code"_s, request.code}, {u"stdout"_s, "hello world\ncontent\n"}, {u"stderr"_s, "oops\n"}}));
}

void tst_Engine::theIdIsThereOnceTheEntryIs()
{
    open();
    for (int i = 0; i < 20; ++i) {
        const auto run = m_engine->start(shell("exit 0"));
        while (run->id().isEmpty())
            std::this_thread::yield();
        const auto list = entries(run);
        QVERIFY(!list.isEmpty());
        QVERIFY(m_engine->store().get((*(*m_engine->auditReader())->bodiesOf(run->id()))[0].digest));
    }
}

void tst_Engine::aSandboxIsMadeWhileTheEntryIsCommitted()
{
    open();
    const QString mark = m_home->filePath(u"mark"_s);
    auto other = Connection::open(m_home->filePath(u"data/audit.db"_s), Connection::Mode::ReadWrite);
    QVERIFY(other && other->execute("BEGIN IMMEDIATE"));
    const auto run = m_engine->start(shell("echo > " + mark.toUtf8()));
    std::atomic<int> wakes = 0;
    run->onChange([&] { ++wakes; });
    QTRY_COMPARE(m_backend->launched, 1);
    QCOMPARE(run->state(), RunState::Submitted);
    QCOMPARE(run->id(), QString());
    QVERIFY(run->controls().isEmpty() && run->events(0).events.isEmpty());
    QCOMPARE(wakes, 0);
    QVERIFY(!QFile::exists(mark));
    QVERIFY(other->execute("COMMIT"));
    QCOMPARE_OUTCOME(run, Outcome::Completed);
    QVERIFY(wakes > 0 && !run->controls().isEmpty());
    run->onChange({});
    QVERIFY(QFile::exists(mark));
    QCOMPARE(run->result()->id, run->id());
    QCOMPARE(entries(run).size(), 2);

    // What needs the person, a secret or a folder waits for its entry.
    QVERIFY(other->execute("BEGIN IMMEDIATE"));
    RunRequest request = shell("exit 0");
    request.policy.folders = {{m_home->path(), u"/mnt/home"_s, FolderGrant::Mode::ReadOnly}};
    const auto withFolder = m_engine->start(request);
    const auto after = m_engine->start(shell("exit 0"));
    QTRY_COMPARE(m_backend->launched, 2);
    QCOMPARE(withFolder->state(), RunState::Submitted);
    QVERIFY(other->execute("COMMIT"));
    QCOMPARE_OUTCOME(after, Outcome::Completed);
    QVERIFY(withFolder->wait());
}

void tst_Engine::withoutAnEntryTheSandboxStaysUnused()
{
    open();
    const QString mark = m_home->filePath(u"mark"_s);
    QVERIFY(QFile::rename(m_home->filePath(u"data/audit.db"_s), m_home->filePath(u"elsewhere"_s)));
    const auto run = m_engine->start(shell("echo > " + mark.toUtf8()));
    RunState seen = RunState::Submitted;
    for (RunState state = seen; state != RunState::Done; state = run->state())
        seen = state;
    QCOMPARE(seen, RunState::Submitted);
    QCOMPARE_OUTCOME(run, Outcome::SetupFailed);
    QVERIFY2(run->result()->reason.english().contains(u"audit log"_s), qPrintable(run->result()->reason.english()));
    QCOMPARE(run->id(), QString());
    QVERIFY(!run->result()->exitCode);
    QVERIFY(!QFile::exists(mark));
    QVERIFY(!m_engine->find(QString()));

    Readiness ready = m_engine->readiness().look();
    QCOMPARE(ready.record.state, Part::State::Blocked);
    QVERIFY2(ready.record.why.message.english().contains(u"audit log"_s),
             qPrintable(ready.record.why.message.english()));
    QVERIFY(QFile::rename(m_home->filePath(u"elsewhere"_s), m_home->filePath(u"data/audit.db"_s)));
    ready = m_engine->readiness().look();
    QCOMPARE(ready.record.state, Part::State::Ready);
    QCOMPARE_OUTCOME(m_engine->start(shell("exit 0")), Outcome::Completed);
}

void tst_Engine::nobodyIsTakenForWhoOpenedIt()
{
    open();
    QCOMPARE(m_engine->caller(), Caller());
}

void tst_Engine::anAgentIsAskedForAgainWhenTheEntryIsThere()
{
    open();
    const QString mark = m_home->filePath(u"mark"_s);
    auto other = Connection::open(m_home->filePath(u"data/audit.db"_s), Connection::Mode::ReadWrite);
    QVERIFY(other && other->execute("BEGIN IMMEDIATE"));
    RunRequest request = fromAgent("echo > " + mark.toUtf8());
    request.caller.way = Caller::Way::Stdio;
    const auto run = m_engine->start(request);
    QTRY_COMPARE(m_backend->launched, 1);
    QVERIFY(m_engine->settings().store(u"mcp.paused"_s, true));
    QVERIFY(other->execute("COMMIT"));
    QCOMPARE_OUTCOME(run, Outcome::Denied);
    QVERIFY(!run->result()->reason.isEmpty());
    QVERIFY(!QFile::exists(mark));
    QCOMPARE(entries(run).size(), 2);
    QCOMPARE(entries(run)[1][u"outcome"].toString(), u"denied"_s);
}

void tst_Engine::droppingTheHandleDoesNotCancel()
{
    open();
    const QString file = m_home->filePath(u"made"_s);
    m_engine->start(shell("sleep 0.2; echo > " + file.toUtf8()));
    QTRY_VERIFY(QFile::exists(file));
}

void tst_Engine::badRequestsAreRejectedOnRecord_data()
{
    QTest::addColumn<std::function<void(RunRequest &)>>("spoil");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const std::function<void(RunRequest &)> &spoil, const QString &reason) {
        QTest::newRow(name) << spoil << reason;
    };
    row("unknown language", [](RunRequest &r) { r.language = u"cobol"_s; }, u"cobol"_s);
    row("broken language", [](RunRequest &r) { r.language = QChar(0xd800); }, {});
    row("no language", [](RunRequest &r) { r.language.clear(); }, {});
    row("empty code", [](RunRequest &r) { r.code.clear(); }, {});
    row("binary code", [](RunRequest &r) { r.code = QByteArray("a\0b", 3); }, {});
    row("invalid UTF-8", [](RunRequest &r) { r.code = "echo \xff\xfe"; }, {});
    row("no time", [](RunRequest &r) { r.policy.limits.wall = 0ms; }, {});
    row("endless time", [](RunRequest &r) { r.policy.limits.wall = std::chrono::milliseconds::max(); }, {});
    row("negative memory", [](RunRequest &r) { r.policy.limits.memoryBytes = -1; }, {});
    row("absurd output", [](RunRequest &r) { r.policy.limits.outputBytes = std::numeric_limits<qint64>::max(); }, {});
    row("unknown backend", [](RunRequest &r) { r.policy.backend = u"magic"_s; }, {});
    row("network", [](RunRequest &r) { r.policy.allow = {u"*"_s}; }, u"every host"_s);
    row(
        "folder", [](RunRequest &r) { r.policy.folders = {{u"/srv/x"_s, u"/mnt/x"_s, FolderGrant::Mode::ReadOnly}}; },
        u"There is no folder /srv/x"_s);
    row("NUL in argument", [](RunRequest &r) { r.args = {QByteArray("a\0b", 3)}; }, {});
    row("folder in file name", [](RunRequest &r) { r.files = {{"../x", ""}}; }, u"../x"_s);
    row("two files of one name", [](RunRequest &r) { r.files = {{"x", "1"}, {"x", "2"}}; }, u"\"x\""_s);
    row(
        "files beyond the disk",
        [](RunRequest &r) {
            r.policy.limits.diskBytes = mebibyte;
            r.files = {{"x", QByteArray(mebibyte + 1, 'x')}};
        },
        u"1048577"_s);
    row("broken claim",
        [](RunRequest &r) {
            r.caller.claimed = QChar(0xdc00);
            r.code.clear();
        },
        {});
}

void tst_Engine::badRequestsAreRejectedOnRecord()
{
    QFETCH(std::function<void(RunRequest &)>, spoil);
    QFETCH(QString, reason);
    open();
    RunRequest request = shell("echo ran");
    spoil(request);
    const auto run = m_engine->start(request);
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QVERIFY2(run->result()->reason.english().contains(reason), qPrintable(run->result()->reason.english()));
    QVERIFY(!run->result()->reason.isEmpty());
    QCOMPARE(m_backend->launched, 0);
    const auto list = entries(run);
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1][u"outcome"].toString(), u"rejected"_s);
    QCOMPARE(run->result()->auditSeq, list[1][u"seq"].toInteger());
}

void tst_Engine::hugeCodeIsRejectedAndItsBeginningKept()
{
    open();
    const QByteArray code = "echo ran #" + QByteArray(50'000'000, 'x');
    const auto run = m_engine->start(shell(code));
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QCOMPARE(entries(run)[0][u"code"][u"bytes"].toInteger(), code.size());
    const auto bodies = *(*m_engine->auditReader())->bodiesOf(run->id());
    QCOMPARE(bodies[0].kept, maximumCodeBytes);
    QCOMPARE(*m_engine->store().get(bodies[0].digest), code.first(maximumCodeBytes));
}

void tst_Engine::aSandboxThatCannotBeBuiltIsSetupFailed()
{
    m_backend->beforeLaunch = [](const Assignment &, std::stop_token) {
        return fail(ErrorCode::Unavailable, Text("No sandbox today."), Text("ENOSYS"));
    };
    open();
    m_engine->readiness().onChange([] { });
    const auto run = m_engine->start(shell("echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::SetupFailed);
    // The engine looks again by itself.
    QTRY_COMPARE(m_engine->readiness().current().backend.state, Part::State::Blocked);
    QCOMPARE(run->result()->reason.english(), u"No sandbox today."_s);
    QCOMPARE(run->result()->events, (QList<RunEvent>{{EventType::ErrorDetail, Text("ENOSYS")}}));
    QCOMPARE(run->result()->out.totalBytes, 0);
    QCOMPARE(entries(run).size(), 2);
}

void tst_Engine::aRunThatFailsOnItsWayIsClosedWhole_data()
{
    using Change = std::function<void(RunRequest &)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<Outcome>("outcome");
    const auto row = [](const char *name, Outcome outcome, const Change &change) {
        QTest::newRow(name) << change << outcome;
    };
    row("folders", Outcome::Rejected, [](RunRequest &wanted) {
        wanted.policy.folders = {{u"/no/such/folder"_s, u"/data"_s, FolderGrant::Mode::Stage}};
    });
    row("session", Outcome::Rejected, [](RunRequest &wanted) { wanted.session = newId(Clock::system()); });
    row("interpreter", Outcome::SetupFailed, [](RunRequest &wanted) { wanted.interpreter = u"/no/such/sh"_s; });
    row("secrets", Outcome::Denied, [](RunRequest &wanted) { wanted.secrets = {{u"KEY"_s, {}, false}}; });
    row("tools", Outcome::Rejected, [](RunRequest &wanted) {
        wanted.language = u"python"_s;
        wanted.policy.tools = {u"notes.search"_s};
    });
    row("launch", Outcome::SetupFailed, [](RunRequest &wanted) { wanted.code = "fails"; });
}

// What its closing lines leave: its entry, a free slot, a free session.
void tst_Engine::aRunThatFailsOnItsWayIsClosedWhole()
{
    QFETCH(const std::function<void(RunRequest &)>, change);
    QFETCH(const Outcome, outcome);
    m_backend->beforeLaunch = [](const Assignment &assignment, std::stop_token) -> Status {
        const bool fails = !assignment.files.isEmpty() && assignment.files.first().content == "fails";
        return fails ? Status(fail(ErrorCode::Unavailable, Text("No sandbox today."))) : Status();
    };
    open(1, 1);
    const Session session = m_engine->createSession({.name = u"shop"_s}, m_engine->caller()).value();
    RunRequest wanted = shell("echo ran");
    wanted.session = session.id;
    change(wanted);
    const auto run = m_engine->start(wanted);
    QCOMPARE_OUTCOME(run, outcome);
    QCOMPARE(run->state(), RunState::Done);
    const auto list = entries(run);
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1][u"outcome"].toString(), toString(outcome));
    QVERIFY(!m_engine->sessions().isBusy(session.id));
    const auto next = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(next, Outcome::Completed);
}

void tst_Engine::whoeverWantsPackagesIsToldWhatIsMissing()
{
    class Blocked : public UnsealedBackend
    {
    public:
        BackendReport probe() override
        {
            ++probes;
            return {.backend = name(), .reason = Text("There is no sandbox."), .remedy = Text("Make one.")};
        }
        std::atomic<int> probes = 0;
    };
    const auto blocked = std::make_shared<Blocked>();
    blocked->beforeLaunch = [](const Assignment &, std::stop_token) {
        return fail(ErrorCode::Unavailable, Text("No sandbox today."));
    };
    m_backends = {blocked};
    open();
    const PackageWish wish{.language = u"python"_s, .requirements = readRequirements(u"leaf"_s, u"python"_s).value()};
    const QString told = u"The packages can't be installed: There is no sandbox. Make one."_s;
    QCOMPARE(m_engine->packages().fetch(wish).error().message.english(), told);
    QVERIFY(blocked->probes > 0);
    QVERIFY(m_engine->sessions().list().value().isEmpty());
    m_engine->readiness().look();
    const qint64 last = (*m_engine->auditReader())->lastEntry().value();
    QCOMPARE(m_engine->packages().fetch(wish).error().message.english(), told);
    QCOMPARE((*m_engine->auditReader())->lastEntry().value(), last); // nothing was begun
}

void tst_Engine::aRunGetsTheBackendOfItsPolicyAndNoOther()
{
    const auto other = std::make_shared<UnsealedBackend>(u"other"_s);
    m_backends = {other, m_backend};
    open();
    const auto served = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(served, Outcome::Completed);
    QCOMPARE(m_backend->launched, 1);
    QCOMPARE(other->launched, 0);
    m_engine.reset();
    QCOMPARE(other->shutDown, 1);

    m_backends = {other};
    open();
    const auto run = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QCOMPARE(run->wait()->reason.english(), u"There is no backend called \"native\" here. Choose \"other\" "
                                            "(--backend, or the setting run.backend)."_s);
    QCOMPARE(entries(run).size(), 2);
    QCOMPARE(other->launched, 0);
    RunRequest named = shell("exit 0");
    named.policy.backend = u"other"_s;
    const auto asked = m_engine->start(named);
    QCOMPARE_OUTCOME(asked, Outcome::Completed);
    QCOMPARE(other->launched, 1);

    m_engine.reset();
    m_backends = {m_backend};
    open();
    const auto refused = m_engine->start(named);
    QCOMPARE_OUTCOME(refused, Outcome::Rejected);
    QCOMPARE(refused->wait()->reason.english(), u"There is no backend called \"other\" here. Choose \"native\" "
                                                "(--backend, or the setting run.backend)."_s);
    QCOMPARE(m_backend->launched, 1);
}

void tst_Engine::aFullQueueRejectsOnRecord()
{
    open(1, 1);
    const auto first = m_engine->start(shell("read line"));
    QVERIFY(waitFor(first, RunState::Running));
    const auto second = m_engine->start(shell("exit 0")), third = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(third, Outcome::Rejected);
    QVERIFY(third->result()->reason.english().startsWith(u"The queue is full: 1 runs"_s));
    QCOMPARE(entries(third).size(), 2);
    QCOMPARE(second->state(), RunState::Queued);
    first->closeInput();
    QCOMPARE_OUTCOME(second, Outcome::Completed);
}

void tst_Engine::codeThatCannotBeKeptDoesNotRun()
{
    open();
    const QString store = m_engine->store().folder();
    QVERIFY(QDir(store).removeRecursively());
    QVERIFY(QFile::link(u"/dev/null"_s, store));
    const QString mark = m_home->filePath(u"mark"_s);
    const auto run = m_engine->start(shell("echo > " + mark.toUtf8()));
    QCOMPARE_OUTCOME(run, Outcome::SetupFailed);
    QVERIFY(!QFile::exists(mark));
    QCOMPARE(entries(run).size(), 2);
}

void tst_Engine::outputThatCannotBeKeptIsSaid()
{
    open();
    const QByteArray store = m_engine->store().folder().toUtf8();
    const auto run = m_engine->start(shell("rm -r " + store + "; ln -s /dev/null " + store + "; echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::Completed); // the first outcome stays
    QVERIFY(run->result()->events.value(0).type == EventType::RecordIncomplete);
    QCOMPARE(run->events(0).events, run->result()->events);
    QVERIFY(run->result()->auditSeq > 0);
    QVERIFY(QJsonDocument(entries(run)[1]).toJson().contains("record.incomplete"));
}

void tst_Engine::aFolderThatCannotBeWrittenRefusesRuns()
{
    QFile file(m_home->filePath(u"data"_s)); // a file where the folder should be
    QVERIFY(file.open(QIODevice::WriteOnly));
    open();
    const Readiness ready = m_engine->readiness().current();
    QVERIFY(ready.obstacle(u"sh"_s));
    const auto run = m_engine->start(shell("echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::SetupFailed);
    QCOMPARE(run->result()->reason, ready.obstacle(u"sh"_s)->why.message);
    QVERIFY(run->id().isEmpty());
    QCOMPARE(m_backend->launched, 0);
    QCOMPARE(m_backend->prepared, 0);
}

void tst_Engine::everyRunOfManyThreadsIsOnRecord()
{
    open(3, 20);
    std::mutex mutex;
    QList<std::shared_ptr<Run>> runs;
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&, caller] {
                for (int i = 0; i < 25; ++i) {
                    RunRequest request = shell("echo " + QByteArray::number(i));
                    request.caller.pid = caller;
                    const auto run = m_engine->start(request);
                    if (i % 5 == 0)
                        run->cancel();
                    if (i % 5 == 1)
                        run->wait();
                    std::lock_guard lock(mutex);
                    runs.append(run);
                }
            });
        }
    }
    QCOMPARE(runs.size(), 100);
    QHash<QString, int> outcomes;
    for (const auto &run : runs) {
        const auto result = run->wait();
        ++outcomes[toString(result->outcome)];
        QCOMPARE(entries(run).size(), 2);
        QVERIFY(result->auditSeq > 0);
        QCOMPARE(result->outcome == Outcome::Completed, result->out.totalBytes > 0);
    }
    for (auto it = outcomes.cbegin(); it != outcomes.cend(); ++it)
        qInfo("%s: %d", qPrintable(it.key()), it.value());
}

void tst_Engine::startingCostsTheCallerNothing()
{
    open(1);
    RunRequest request = shell("read line; exit 0");
    request.code += "\n#" + QByteArray(4'000'000, 'x');
    m_engine->start(shell("exit 0"))->wait();
    // Of this thread only: the machine may have other things to do.
    const auto processorTime = [] {
        timespec time;
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec * 1'000'000'000 + time.tv_nsec;
    };
    QElapsedTimer timer;
    timer.start();
    const qint64 before = processorTime();
    const auto run = m_engine->start(std::move(request));
    const qint64 starting = processorTime() - before;
    while (run->id().isEmpty())
        std::this_thread::sleep_for(100us);
    const qint64 accepting = timer.nsecsElapsed();
    qInfo("4 MB of code: start() took %lld us, the entry was there after %lld us", starting / 1000, accepting / 1000);
    QVERIFY(starting < 2'000'000);
    run->closeInput();
    QCOMPARE_OUTCOME(run, Outcome::Completed);
}

QTEST_GUILESS_MAIN(tst_Engine)
#include "tst_engine.moc"
