// SPDX-License-Identifier: Apache-2.0
// Runs that outlast a call, long output in pages, and whose runs they are.
#include "toolfixture.h"

#include "engine/mcp/tools/runreply.h"

#include <QJsonDocument>

#include <algorithm>
#include <thread>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr ClientBounds hasty{.longestCall = 1500ms,
                             .betweenLines = 50ms}; // long enough for a first line on a busy machine

bool isUntil(const std::function<bool()> &condition, std::chrono::milliseconds atMost = 20s)
{
    const auto end = std::chrono::steady_clock::now() + atMost;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

} // namespace

class TestClientRuns : public ToolFixture
{
    Q_OBJECT

private:
    QJsonObject wait(const QJsonObject &run, QJsonObject more = {})
    {
        more[u"run"_s] = run["run"_L1];
        return answer(u"wait_run"_s, more);
    }
    QJsonObject waitUntilDone(const QJsonObject &run)
    {
        QJsonObject now = wait(run);
        while (now["state"_L1].toString() != u"done"_s && !now.isEmpty())
            now = wait(run);
        return now;
    }

private Q_SLOTS:
    void cleanup() { close(); }
    void cleanupTestCase() { QCOMPARE(complaintsAboutAnswers(), QByteArray()); }

    void aCallAnswersInTimeAndTheRunGoesOn()
    {
        open({}, hasty);
        const QJsonObject run = this->run(u"sh"_s, u"echo first; sleep 3; echo last"_s);
        QCOMPARE(run["state"_L1].toString(), u"running"_s);
        QCOMPARE(run["outcome"_L1], QJsonValue());
        QCOMPARE(run["stdout"_L1].toString(), u"first\n"_s);
        QVERIFY(run["next"_L1].toString().contains(u"wait_run"_s));
        const QJsonObject done = waitUntilDone(run);
        QCOMPARE(done["outcome"_L1].toString(), u"completed"_s);
        QCOMPARE(done["stdout"_L1].toString(), u"first\nlast\n"_s);
    }

    void fromTheCursorOnOnlyWhatIsNewIsAnswered()
    {
        open({}, hasty);
        const QJsonObject run = this->run(u"sh"_s, u"echo first; sleep 3; echo last"_s);
        QJsonObject page = run;
        QString rest;
        while (page["state"_L1].toString() != u"done"_s && !page.isEmpty()) {
            page = wait(run, {{u"cursor"_s, page["cursor"_L1]}});
            rest += page["stdout"_L1].toString();
        }
        QCOMPARE(rest, u"last\n"_s);
    }

    void pagesTogetherAreTheWholeOutput()
    {
        open();
        const QJsonObject run = this->run(
            u"python"_s, u"import sys\nfor i in range(3000):\n  print(f'ä{i}')\n  print(f'ü{i}', file=sys.stderr)"_s);
        QByteArray out, err;
        for (int i = 0; i < 3000; ++i) {
            out += "ä" + QByteArray::number(i) + '\n';
            err += "ü" + QByteArray::number(i) + '\n';
        }
        for (const qint64 max : {64, 1000, 4096, 65536}) {
            QString outs, errs;
            qint64 cursor = 0;
            QJsonObject page;
            do {
                page = wait(run, {{u"cursor"_s, cursor}, {u"max"_s, max}});
                QVERIFY(!page.isEmpty());
                outs += page["stdout"_L1].toString();
                errs += page["stderr"_L1].toString();
                QVERIFY(page["cursor"_L1].toInteger() > cursor || !page["truncated"_L1].toBool());
                cursor = page["cursor"_L1].toInteger();
            } while (page["truncated"_L1].toBool());
            QCOMPARE(outs.size(), QString::fromUtf8(out).size());
            QCOMPARE(outs, QString::fromUtf8(out));
            QCOMPARE(errs, QString::fromUtf8(err));
        }
        QCOMPARE(wait(run, {{u"cursor"_s, qint64(1) << 50}})["stdout"_L1].toString(), QString());
    }

    void theCursorOfACutAnswerLeadsToTheFirstByteThatIsMissing()
    {
        open();
        const QJsonObject run = this->run(u"python"_s, u"for i in range(20000): print(f'line {i:05} ä')"_s);
        const QString shown = run["stdout"_L1].toString().section(u"\n[..."_s, 0, 0);
        const QString next = wait(run, {{u"cursor"_s, run["cursor"_L1]}})["stdout"_L1].toString();
        QString whole;
        for (int i = 0; i < 2000; ++i)
            whole += u"line %1 ä\n"_s.arg(i, 5, 10, QChar(u'0'));
        QVERIFY2(whole.startsWith(shown + next.first(5000)), qPrintable(shown.last(40) + u'|' + next.first(40)));
    }

    void whatIsNotKeptAnyMoreIsSaidToBeSkipped()
    {
        open({u"GLOVEBOX_RUN_OUTPUT_BYTES=4000"_s});
        const QJsonObject run = this->run(u"sh"_s, u"yes | head -c 100000"_s);
        QCOMPARE(run["stdout_bytes"_L1].toInt(), 100'000);
        QVERIFY(run["truncated"_L1].toBool());
        const QJsonObject page = wait(run, {{u"cursor"_s, 3000}});
        QCOMPARE(page["skipped_bytes"_L1].toInt(), 96'000);
        QCOMPARE(page["stdout"_L1].toString().size(), 1000);
    }

    void progressTellsTheLastLine()
    {
        open({}, {.betweenLines = 20ms});
        const TestCall call =
            prepared({{u"language"_s, u"sh"_s}, {u"code"_s, u"echo one; sleep 0.5; echo two; sleep 0.5"_s}});
        QVERIFY(this->call(u"run_code"_s, call));
        QStringList lines;
        double last = -1;
        for (const auto &[done, line] : call.told()) {
            QVERIFY(done > last);
            last = done;
            lines.append(line);
        }
        QVERIFY2(lines.contains(u"one"_s) && lines.contains(u"two"_s), qPrintable(lines.join(u'|')));
        QVERIFY(lines.indexOf(u"one"_s) < lines.indexOf(u"two"_s));
    }

    void aSilentRunHasAHeartbeat()
    {
        open({}, {.heartbeat = 100ms, .betweenLines = 20ms});
        const TestCall call = prepared({{u"language"_s, u"sh"_s}, {u"code"_s, u"sleep 1"_s}});
        QVERIFY(this->call(u"run_code"_s, call));
        const auto told = call.told();
        QVERIFY2(std::ranges::count(told, u"running"_s, [](const auto &each) { return each.second; }) >= 3,
                 qPrintable(QString::number(told.size())));
    }

    // --- stopping

    void aCancelledCallKillsTheWholeRun()
    {
        open();
        TestCall call =
            prepared({{u"language"_s, u"bash"_s}, {u"code"_s, u"trap '' INT TERM; (sleep 1000 &) ; sleep 1000"_s}});
        Result<ToolReply> reply;
        std::jthread caller([&] { reply = this->call(u"run_code"_s, call); });
        QVERIFY(isUntil([&] {
            const QStringList ids = m_client->runs.ids();
            return !ids.isEmpty() && m_client->runs.find(ids.first())->run().state() == RunState::Running;
        }));
        call.cancel();
        caller.join();
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, ErrorCode::Cancelled);
        const auto run = m_client->runs.find(m_client->runs.ids().first());
        QVERIFY(run->run().wait()->outcome == Outcome::Cancelled);
    }

    void aWaitThatIsCancelledLeavesTheRunAlone()
    {
        open({}, hasty);
        const QJsonObject run = this->run(u"sh"_s, u"sleep 3; echo whole"_s);
        TestCall call = prepared({{u"run"_s, run["run"_L1]}});
        call.cancel();
        QCOMPARE(this->call(u"wait_run"_s, call).error().code, ErrorCode::Cancelled);
        QCOMPARE(waitUntilDone(run)["stdout"_L1].toString(), u"whole\n"_s);
    }

    void cancelRunStopsItAndAnswersWhatThereIs()
    {
        open({}, hasty);
        const QJsonObject run = this->run(u"sh"_s, u"echo begun; sleep 1000"_s);
        const QJsonObject end = answer(u"cancel_run"_s, {{u"run"_s, run["run"_L1]}});
        QCOMPARE(end["outcome"_L1].toString(), u"cancelled"_s);
        QCOMPARE(end["stdout"_L1].toString(), u"begun\n"_s);
        QCOMPARE(answer(u"cancel_run"_s, {{u"run"_s, run["run"_L1]}})["outcome"_L1].toString(), u"cancelled"_s);
    }

    void ofAClientThatGoesNothingGoesOn()
    {
        open({}, hasty);
        const QJsonObject run = this->run(u"sh"_s, u"sleep 1000"_s);
        const auto live = m_engine->find(run["run"_L1].toString());
        QVERIFY(live);
        m_client.reset();
        QVERIFY(live->wait()->outcome == Outcome::Cancelled);
    }

    void aRunThatTheEngineTakesAlongIsAnswered()
    {
        open();
        TestCall call = prepared({{u"language"_s, u"sh"_s}, {u"code"_s, u"echo begun; sleep 1000"_s}});
        Result<ToolReply> reply;
        std::jthread caller([&] { reply = this->call(u"run_code"_s, call); });
        QVERIFY(isUntil([&] {
            const QStringList ids = m_client->runs.ids();
            return !ids.isEmpty() && m_client->runs.find(ids.first())->run().state() == RunState::Running;
        }));
        m_engine->shutdown();
        caller.join();
        QVERIFY(reply);
        QCOMPARE(reply->structured["outcome"_L1].toString(), u"cancelled"_s);
    }

    // --- whose runs

    void anotherClientKnowsNothingOfThem()
    {
        open({}, hasty);
        const QJsonObject done = run(u"sh"_s, u"echo mine"_s);
        const QJsonObject live = run(u"sh"_s, u"sleep 1000"_s);
        const std::unique_ptr<Client> mine = std::exchange(m_client, newClient());
        for (const QJsonObject &run : {done, live}) {
            for (const QString &tool : {u"wait_run"_s, u"cancel_run"_s, u"explain_run"_s}) {
                const auto reply = call(tool, {{u"run"_s, run["run"_L1]}});
                QVERIFY(!reply);
                QCOMPARE(reply.error().code, ErrorCode::NotFound);
                QVERIFY(reply.error().message.english().contains(u"No run of yours"_s));
            }
        }
        QVERIFY(m_engine->find(live["run"_L1].toString())->state() == RunState::Running);
    }

    void idsThatAreNoneAreNotFound_data()
    {
        QTest::addColumn<QString>("id");
        QTest::newRow("a word") << u"nosuch"_s;
        QTest::newRow("part of an id") << u"019"_s;
        QTest::newRow("NUL") << QString(QChar(0));
        QTest::newRow("half a character") << QString(QChar(0xd800));
        QTest::newRow("a path") << u"../../etc/passwd"_s;
        QTest::newRow("SQL") << u"' OR 1=1 --"_s;
    }
    void idsThatAreNoneAreNotFound()
    {
        open();
        run(u"sh"_s, u"true"_s);
        QFETCH(QString, id);
        const auto reply = call(u"wait_run"_s, {{u"run"_s, id}});
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, ErrorCode::NotFound);
    }

    void moreRunsAtOnceThanAClientMayHaveAreRefused()
    {
        open({}, {.live = 2, .longestCall = 200ms});
        run(u"sh"_s, u"sleep 1000"_s);
        run(u"sh"_s, u"sleep 1000"_s);
        const auto third = call(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"true"_s}});
        QVERIFY(third && third->isError);
        QVERIFY2(third->structured["reason"_L1].toString().contains(u"cancel_run"_s), qPrintable(third->text));
    }

    void aFullQueueIsSaidToBeFull()
    {
        open({u"GLOVEBOX_ENGINE_MAX_CONCURRENT=1"_s, u"GLOVEBOX_ENGINE_QUEUE_LIMIT=1"_s}, hasty);
        QCOMPARE(run(u"sh"_s, u"sleep 1000"_s)["state"_L1].toString(), u"running"_s);
        QCOMPARE(run(u"sh"_s, u"sleep 1000"_s)["state"_L1].toString(), u"queued"_s);
        const auto third = call(u"run_code"_s, {{u"language"_s, u"sh"_s}, {u"code"_s, u"true"_s}});
        QVERIFY(third && third->isError);
        QCOMPARE(third->structured["outcome"_L1].toString(), u"rejected"_s);
        QVERIFY(!third->structured["reason"_L1].toString().isEmpty());
    }

    // --- memory

    void whatIsNotInMemoryAnyMoreIsAnsweredFromTheLog()
    {
        open({}, {.results = 1});
        const QJsonObject first =
            run(u"sh"_s, u"echo out; echo err >&2; exit 3"_s, {{u"allow"_s, QJsonArray{u"example.org"_s}}});
        run(u"sh"_s, u"true"_s);
        run(u"sh"_s, u"true"_s);
        QVERIFY(!m_client->runs.find(first["run"_L1].toString()));
        QJsonObject again = wait(first);
        QVERIFY(!again.isEmpty());
        QCOMPARE(again, first);
        QCOMPARE(answer(u"explain_run"_s, {{u"run"_s, first["run"_L1]}})["allowed_hosts"_L1].toArray(),
                 QJsonArray{u"example.org"_s});
        QCOMPARE(wait(first, {{u"cursor"_s, 2}})["stdout"_L1].toString(), u"t\n"_s);
    }

    void cutOutputIsTheSameFromTheLog()
    {
        open({}, {.results = 1});
        const QJsonObject first = run(u"python"_s, u"for i in range(100000): print(f'line {i:06}')"_s);
        run(u"sh"_s, u"true"_s);
        run(u"sh"_s, u"true"_s);
        QVERIFY(!m_client->runs.find(first["run"_L1].toString()));
        QCOMPARE(wait(first)["stdout"_L1], first["stdout"_L1]);
        QCOMPARE(wait(first)["cursor"_L1], first["cursor"_L1]);
    }

    void resultsAreKeptUpToTheirBytes()
    {
        open({}, {.resultBytes = 100'000});
        const QJsonObject large = run(u"sh"_s, u"yes | head -c 90000"_s);
        const QJsonObject small = run(u"sh"_s, u"true"_s);
        run(u"sh"_s, u"true"_s);
        QVERIFY(!m_client->runs.find(large["run"_L1].toString()));
        QVERIFY(m_client->runs.find(small["run"_L1].toString()));
        QVERIFY(m_client->runs.isKnown(large["run"_L1].toString()));
    }

    void onlySoManyOldRunsAreKnown()
    {
        open({}, {.results = 1, .known = 2});
        QStringList ids;
        for (int i = 0; i < 5; ++i)
            ids.prepend(run(u"sh"_s, u"true"_s)["run"_L1].toString());
        QCOMPARE(m_client->runs.ids(),
                 ids.first(4)); // one that dropOld() has not seen yet, one result, two from the log
        QVERIFY(!call(u"wait_run"_s, {{u"run"_s, ids.last()}}));
    }
};

QTEST_GUILESS_MAIN(TestClientRuns)
#include "tst_clientruns.moc"
