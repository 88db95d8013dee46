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
    void aFullQueueRejectsOnRecord();
    void codeThatCannotBeKeptDoesNotRun();
    void outputThatCannotBeKeptIsSaid();
    void anEndThatCannotBeRecordedIsSaid();
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

// Of the log's own sentences one says that nothing runs any more, which this run did.
void tst_Engine::anEndThatCannotBeRecordedIsSaid()
{
    open();
    const QString log = u"data/audit.db"_s;
    QVERIFY(QFile::exists(m_home->filePath(log)));
    const auto run = m_engine->start(shell("rm " + m_home->filePath(log).toUtf8() + "; echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::Completed);
    QStringList told;
    for (const RunEvent &event : run->result()->events) {
        if (event.type == EventType::RecordIncomplete)
            told.append(event.detail.english());
    }
    QCOMPARE(told.size(), 2);
    QCOMPARE(told.first(), u"The end of this run could not be recorded, so the log can't tell how the run ended."_s);
    QVERIFY2(told.last().contains(u"nothing can be recorded and no run starts."_s), qPrintable(told.last()));
    QCOMPARE(run->result()->auditSeq, 0);
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
