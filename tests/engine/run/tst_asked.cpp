// SPDX-License-Identifier: Apache-2.0
// Runs of agents in a whole engine: which are asked about, and what becomes of those that wait when something ends.
#include "enginefixture.h"
#include "tests/support/signals.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <latch>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestAsked : public QObject, private EngineFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        EngineFixture::init();
        m_inbox = std::make_shared<Inbox>();
        m_anyApprover = m_inbox;
    }
    void cleanup()
    {
        EngineFixture::cleanup();
        m_inbox.reset();
    }

    void killedWhileAsksWait(); // first: its fork copies no thread but this one, and threads of engines wait for work
    void theUsualRunsUnasked();
    void moreWaitsForThePerson();
    void silenceDenies();
    void anAnswerForTheSessionHoldsForTheNextRun();
    void aCancelAndAnAnswerRace();
    void ahundredAsksAtOnce();
    void theWindowIsClosedWhileAsksWait();
    void theEngineEndsWhileAsksWait();
    void tooManyRunsAtOnceAreRefused();
    void aFloodOfOneClientIsBoundedAndHindersNoOther();

private:
    static RunRequest wanting(const QString &host, const QByteArray &code = "echo ran")
    {
        RunRequest request = fromAgent(code);
        request.caller.way = Caller::Way::Stdio;
        request.caller.connection = u"c1"_s;
        request.policy.limits.memoryBytes *=
            host.isEmpty() ? 1 : 2; // more than usual, and nothing that needs a network
        return request;
    }
    static RunRequest usual() { return wanting({}); }
    static RunRequest more(const QByteArray &code = "echo ran") { return wanting(u"more"_s, code); }
    bool waitForAsks(int count)
    {
        return QTest::qWaitFor([&] { return m_inbox->contents().asks.size() == count; }, 10'000);
    }
    bool allow(const std::shared_ptr<Run> &run, ApprovalScope scope = ApprovalScope::Once)
    {
        for (const Inbox::Ask &ask : m_inbox->contents().asks) {
            if (ask.request.run == run->id())
                return m_inbox->allow(run->id(), ask.digest, scope).has_value();
        }
        return false;
    }

    std::shared_ptr<Inbox> m_inbox;
};

void TestAsked::killedWhileAsksWait()
{
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    // A fork copies the mutex that the inbox's thread may hold just then, and not the thread.
    m_anyApprover.reset();
    m_inbox.reset();
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    m_inbox = std::make_shared<Inbox>();
    m_anyApprover = m_inbox;
    if (child == 0) {
        open();
        const auto run = m_engine->start(more());
        while (m_inbox->contents().asks.isEmpty())
            std::this_thread::sleep_for(1ms);
        std::ignore = ::write(ends[1], run->id().toLatin1().constData(), 36);
        ::pause();
        ::_exit(0);
    }
    char id[36];
    QCOMPARE(::read(ends[0], id, sizeof id), ssize_t(sizeof id));
    QCOMPARE(sendSignal(child, SIGKILL), 0);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    ::close(ends[0]);
    ::close(ends[1]);
    open();
    const auto row = m_engine->auditReader().value()->run(QString::fromLatin1(id, sizeof id));
    QVERIFY(row);
    QVERIFY(row->outcome == Outcome::Interrupted);
    QVERIFY(m_inbox->contents().asks.isEmpty());
}

void TestAsked::theUsualRunsUnasked()
{
    open();
    const auto run = m_engine->start(usual());
    QCOMPARE_OUTCOME(run, Outcome::Completed);
    QCOMPARE(entries(run).size(), 2); // no answer is on record: nobody was asked
    QCOMPARE(entries(run)[0][u"caller"_s][u"way"_s], u"stdio"_s);
    RunRequest socket = usual();
    socket.caller.way = Caller::Way::Socket;
    QCOMPARE_OUTCOME(m_engine->start(socket), Outcome::Denied);
    QVERIFY(m_engine->settings().setFlag(u"mcp.run_code"_s, u"asks"_s));
    const auto asked = m_engine->start(usual());
    QVERIFY(waitForAsks(1));
    QVERIFY(allow(asked));
    QCOMPARE_OUTCOME(asked, Outcome::Completed);
}

void TestAsked::moreWaitsForThePerson()
{
    open();
    RunRequest request = more();
    request.args = {"one"};
    request.files = {{"helper.sh", "echo helper"}};
    const auto run = m_engine->start(request);
    QVERIFY(waitForAsks(1));
    const ApprovalRequest asked = m_inbox->contents().asks.first().request;
    QCOMPARE(asked.run, run->id());
    QCOMPARE(asked.code, request.code);
    QCOMPARE(asked.args, request.args);
    QCOMPARE(asked.files, request.files);
    QCOMPARE(wordsOf(asked.wants), u"512 MB of memory"_s);
    QCOMPARE(m_backend->launched, 0);
    QVERIFY(allow(run));
    QCOMPARE_OUTCOME(run, Outcome::Completed);
    const auto stored = entries(run);
    QCOMPARE(stored.size(), 3);
    QCOMPARE(stored[1][u"kind"_s], u"approval.decided"_s); // before it ran
    QCOMPARE(stored[1][u"scope"_s], u"once"_s);
    const auto denied = m_engine->start(more());
    QVERIFY(waitForAsks(1));
    QVERIFY(m_inbox->deny(denied->id(), m_inbox->contents().asks.first().digest));
    QCOMPARE_OUTCOME(denied, Outcome::Denied);
    QCOMPARE(m_backend->launched, 1);
}

void TestAsked::silenceDenies()
{
    m_inbox = std::make_shared<Inbox>(Inbox::Patience{.ask = 50ms});
    m_anyApprover = m_inbox;
    open();
    const auto run = m_engine->start(more());
    QCOMPARE_OUTCOME(run, Outcome::Denied);
    QVERIFY2(run->result()->reason.english().contains(u"has to allow 512 MB of memory"),
             qPrintable(run->result()->reason.english()));
    QCOMPARE(entries(run)[1][u"by"_s], u"nobody"_s);
    QCOMPARE(m_backend->launched, 0);
}

void TestAsked::anAnswerForTheSessionHoldsForTheNextRun()
{
    open();
    const auto first = m_engine->start(more());
    QVERIFY(waitForAsks(1));
    QVERIFY(allow(first, ApprovalScope::Session));
    QCOMPARE_OUTCOME(first, Outcome::Completed);
    const auto next = m_engine->start(more("echo other code"));
    QCOMPARE_OUTCOME(next, Outcome::Completed);
    m_engine->approvals().connectionEnded(u"c1"_s);
    const auto late = m_engine->start(more());
    QVERIFY(waitForAsks(1));
    late->cancel();
    QCOMPARE_OUTCOME(late, Outcome::Cancelled);
    QVERIFY(waitForAsks(0));
}

void TestAsked::aCancelAndAnAnswerRace()
{
    open();
    for (int round = 0; round < 40; ++round) {
        const auto run = m_engine->start(more());
        QVERIFY(waitForAsks(1));
        const QByteArray digest = m_inbox->contents().asks.first().digest;
        {
            const std::jthread person([&] { std::ignore = m_inbox->allow(run->id(), digest, ApprovalScope::Once); });
            run->cancel();
        }
        const Outcome outcome = run->wait()->outcome;
        QVERIFY2(outcome == Outcome::Completed || outcome == Outcome::Cancelled, qPrintable(toString(outcome)));
        QVERIFY(m_inbox->contents().asks.isEmpty());
        int finished = 0;
        for (const QJsonObject &entry : entries(run))
            finished += entry[u"kind"_s] == u"run.finished"_s;
        QCOMPARE(finished, 1);
    }
}

void TestAsked::ahundredAsksAtOnce()
{
    open(4, 200);
    QVERIFY(m_engine->settings().setFlag(u"mcp.runs_at_once"_s, 0));
    QVERIFY(m_engine->settings().setFlag(u"mcp.unpaired_at_once"_s, 0));
    QList<std::shared_ptr<Run>> runs;
    for (int i = 0; i < 100; ++i)
        runs.append(m_engine->start(more("echo " + QByteArray::number(i))));
    QVERIFY(waitForAsks(100));
    const auto asks = m_inbox->contents().asks;
    {
        std::vector<std::jthread> people;
        for (int part = 0; part < 4; ++part)
            people.emplace_back([&, part] {
                for (int i = part; i < 100; i += 4) {
                    const Inbox::Ask &ask = asks[i];
                    const bool isEven = ask.request.code.mid(5).toInt() % 2 == 0;
                    std::ignore = isEven ? m_inbox->allow(ask.request.run, ask.digest, ApprovalScope::Once)
                                         : m_inbox->deny(ask.request.run, ask.digest);
                }
            });
    }
    for (int i = 0; i < 100; ++i) {
        QCOMPARE_OUTCOME(runs[i], i % 2 == 0 ? Outcome::Completed : Outcome::Denied);
        if (i % 2 == 0)
            QCOMPARE(runs[i]->result()->out.kept(), QByteArray::number(i) + '\n');
    }
    QCOMPARE(m_backend->launched, 50);
}

void TestAsked::theWindowIsClosedWhileAsksWait()
{
    open();
    QList<std::shared_ptr<Run>> runs;
    for (int i = 0; i < 5; ++i)
        runs.append(m_engine->start(more()));
    QVERIFY(waitForAsks(5));
    m_inbox->close(Text("The window was closed."));
    for (const auto &run : runs) {
        QCOMPARE_OUTCOME(run, Outcome::Denied);
        QCOMPARE(entries(run).last()[u"outcome"_s], u"denied"_s);
    }
    QCOMPARE_OUTCOME(m_engine->start(more()), Outcome::Denied);
    QCOMPARE_OUTCOME(m_engine->start(usual()), Outcome::Completed);
}

void TestAsked::theEngineEndsWhileAsksWait()
{
    open();
    QList<std::shared_ptr<Run>> runs;
    for (int i = 0; i < 5; ++i)
        runs.append(m_engine->start(more()));
    QVERIFY(waitForAsks(5));
    const auto asks = m_inbox->contents().asks;
    std::jthread person([&] {
        for (const Inbox::Ask &ask : asks)
            std::ignore = m_inbox->allow(ask.request.run, ask.digest, ApprovalScope::Once);
    });
    m_engine->shutdown().wait();
    person.join();
    for (const auto &run : runs) {
        const Outcome outcome = run->wait()->outcome;
        QVERIFY(outcome == Outcome::Completed || outcome == Outcome::Cancelled || outcome == Outcome::Denied);
        // An answer that was on its way may be on record after the end of its run.
        QCOMPARE(std::ranges::count_if(entries(run),
                                       [](const QJsonObject &entry) { return entry[u"kind"_s] == u"run.finished"_s; }),
                 1);
    }
    QVERIFY(m_inbox->contents().asks.isEmpty());
}

void TestAsked::tooManyRunsAtOnceAreRefused()
{
    open(4);
    QVERIFY(m_engine->settings().setFlag(u"mcp.runs_at_once"_s, 2));
    const auto first = m_engine->start(more()), second = m_engine->start(more());
    QVERIFY(waitForAsks(2));
    const auto third = m_engine->start(usual());
    QCOMPARE_OUTCOME(third, Outcome::Rejected);
    QVERIFY2(third->result()->reason.english().contains(u"at once (2)"), qPrintable(third->result()->reason.english()));
    QCOMPARE(entries(third).size(), 2);
    first->cancel();
    first->wait();
    // A run is forgotten a moment after its end.
    QVERIFY(QTest::qWaitFor([this] { return m_engine->start(usual())->wait()->outcome == Outcome::Completed; }));
    second->cancel();
}

// Twenty calls at the same moment, from as many threads, as the calls of one connection come.
void TestAsked::aFloodOfOneClientIsBoundedAndHindersNoOther()
{
    open(8);
    QVERIFY(m_engine->settings().setFlag(u"mcp.runs_at_once"_s, 3));
    QVERIFY(m_engine->settings().setFlag(u"mcp.runs_a_minute"_s, 5));
    std::vector<std::shared_ptr<Run>> runs(20);
    {
        std::latch begin(20);
        std::vector<std::jthread> callers;
        for (auto &run : runs)
            callers.emplace_back([&] {
                begin.arrive_and_wait();
                run = m_engine->start(more());
            });
    }
    QVERIFY(waitForAsks(3));
    int refused = 0;
    for (const auto &run : runs) {
        if (QTest::qWaitFor([&] { return run->result() || run->state() == RunState::Waiting; }, 10'000)
            && run->result()) {
            ++refused;
            QVERIFY(run->result()->outcome == Outcome::Rejected);
            QVERIFY2(run->result()->reason.english().contains(u"at once (3)"),
                     qPrintable(run->result()->reason.english()));
        }
    }
    QCOMPARE(refused, 17);
    RunRequest other = usual();
    other.caller.connection = u"another"_s;
    QCOMPARE_OUTCOME(m_engine->start(other), Outcome::Completed);
    for (const auto &run : runs)
        run->cancel();
    for (const auto &run : runs)
        run->wait();
    // What was refused didn't count, so two more are left of this minute. A run is forgotten a moment after its end.
    const auto completes = [&] { return m_engine->start(usual())->wait()->outcome == Outcome::Completed; };
    QVERIFY(QTest::qWaitFor(completes, 10'000));
    QVERIFY(QTest::qWaitFor(completes, 10'000));
    const auto sixth = m_engine->start(usual());
    QCOMPARE_OUTCOME(sixth, Outcome::Rejected);
    QVERIFY2(sixth->result()->reason.english().contains(u"within a minute"),
             qPrintable(sixth->result()->reason.english()));
    QCOMPARE_OUTCOME(m_engine->start(other), Outcome::Completed);
}

QTEST_GUILESS_MAIN(TestAsked)
#include "tst_asked.moc"
