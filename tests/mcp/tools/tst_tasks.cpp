// SPDX-License-Identifier: Apache-2.0
// Calls as tasks (revision 2025-11-25), as clients make them, with real runs behind them.
#include "talk.h"
#include "toolfixture.h"

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

class TestTasks : public ToolFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { open(); }
    void cleanup() { close(); }

    void aCallIsAnsweredAtOnceAndFetchedWhenItIsOver()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client);
        QVERIFY(
            talk.greeting["result"_L1]["capabilities"_L1]["tasks"_L1]["requests"_L1]["tools"_L1]["call"_L1].isObject());
        for (const auto &tool : talk.ask(u"tools/list"_s)["result"_L1]["tools"_L1].toArray())
            QCOMPARE(tool["execution"_L1]["taskSupport"_L1].toString(),
                     tool["name"_L1] == u"run_code"_s ? u"optional"_s : QString());
        const QJsonObject task = talk.start(u"while [ ! -e /work/never ]; do sleep 0.2; exit 3; done"_s,
                                            {{u"ttl"_s, 120'000}})["result"_L1]["task"_L1]
                                     .toObject();
        QCOMPARE(task["status"_L1].toString(), u"working"_s);
        QCOMPARE(task["ttl"_L1].toInt(), 120'000);
        QVERIFY(QDateTime::fromString(task["createdAt"_L1].toString(), Qt::ISODateWithMs).isValid());
        const QString id = task["taskId"_L1].toString();
        const QJsonObject result = talk.about(u"tasks/result"_s, id)["result"_L1].toObject(); // waits
        QCOMPARE(result["structuredContent"_L1]["exit_code"_L1].toInt(), 3);
        QCOMPARE(result["_meta"_L1]["io.modelcontextprotocol/related-task"_L1]["taskId"_L1].toString(), id);
        const QJsonObject over = talk.about(u"tasks/get"_s, id)["result"_L1].toObject();
        QCOMPARE(over["status"_L1].toString(), u"completed"_s);
        QCOMPARE(over["taskId"_L1].toString(), id);
        QVERIFY(over["lastUpdatedAt"_L1].toString() > task["createdAt"_L1].toString());
        QCOMPARE(talk.about(u"tasks/result"_s, id)["result"_L1].toObject(), result);
    }

    void theClientIsToldWhenItIsOver()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client);
        const QString id = talk.taskOf(u"exit 3"_s);
        const QJsonObject told = talk.notified(u"notifications/tasks/status"_s);
        QCOMPARE(told["taskId"_L1].toString(), id);
        QCOMPARE(told["status"_L1].toString(), u"completed"_s);
        QVERIFY(told.contains(u"ttl"_s) && told.contains(u"createdAt"_s) && told.contains(u"lastUpdatedAt"_s));
    }

    void aTaskThatIsOverGoesAfterItsTime()
    {
        class : public Clock
        {
        public:
            qint64 nowMicroseconds() const override { return now; }
            std::atomic<qint64> now = 1'800'000'000'000'000; // 2027-01-15
        } clock;
        ClientTasks tasks(clock);
        const auto start = [&](const QByteArray &code) {
            return m_client->runs
                .start(*m_engine, {.code = code,
                                   .language = u"sh"_s,
                                   .policy = m_engine->settings().policy(),
                                   .caller = m_client->caller})
                .value();
        };
        const auto over = start("true"), goesOn = start("sleep 1000");
        QVERIFY(over->waitUntilDone(std::chrono::steady_clock::now() + std::chrono::seconds(30), {}));
        const QString first = tasks.add(u"run_code"_s, over, std::chrono::milliseconds(1))->id; // a minute at least
        const QString second = tasks.add(u"run_code"_s, goesOn, std::chrono::minutes(1))->id;
        clock.now += 60'000'000;
        QVERIFY(tasks.find(first) && tasks.find(second));
        clock.now += 1'000;
        QVERIFY(!tasks.find(first));
        QVERIFY(tasks.find(second)); // somebody may still want its answer
        QVERIFY(tasks.cancel(second));
        QVERIFY(!tasks.find(second));
    }

    void aCancelledTaskStaysSoAndTakesItsRunAlong()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client);
        const QString id = talk.taskOf(endless);
        QCOMPARE(talk.about(u"tasks/get"_s, id)["result"_L1]["status"_L1].toString(), u"working"_s);
        const int waiting = talk.send(u"tasks/result"_s, {{u"taskId"_s, id}});
        QCOMPARE(talk.about(u"tasks/cancel"_s, id)["result"_L1]["status"_L1].toString(), u"cancelled"_s);
        QCOMPARE(talk.answerTo(waiting)["result"_L1]["structuredContent"_L1]["outcome"_L1].toString(), u"cancelled"_s);
        QCOMPARE(talk.about(u"tasks/get"_s, id)["result"_L1]["status"_L1].toString(), u"cancelled"_s);
        QCOMPARE(codeOf(talk.about(u"tasks/cancel"_s, id)), ErrorNumber::invalidParams);
    }

    void whatDoesNotRunIsAFailedTaskOrNone()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client);
        m_approver->says = false;
        const QString id = talk.start(u"echo ran"_s, {},
                                      {{u"allow"_s, QJsonArray{u"example.org"_s}}})["result"_L1]["task"_L1]["taskId"_L1]
                               .toString();
        const QJsonObject result = talk.about(u"tasks/result"_s, id)["result"_L1].toObject();
        QCOMPARE(result["isError"_L1].toBool(), true);
        QCOMPARE(result["structuredContent"_L1]["outcome"_L1].toString(), u"denied"_s);
        QCOMPARE(talk.about(u"tasks/get"_s, id)["result"_L1]["status"_L1].toString(), u"failed"_s);
        QCOMPARE(codeOf(talk.start(u"1"_s, {}, {{u"dry_run"_s, true}})), ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.start(u"1"_s, {}, {{u"colour"_s, 1}})), ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.start(u"1"_s, {{u"ttl"_s, -1}})), ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.start(u"1"_s, {{u"ttl"_s, u"1"_s}})), ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.ask(u"tools/call"_s, {{u"name"_s, u"run_code"_s}, {u"task"_s, 7}})),
                 ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.ask(u"tools/call"_s, {{u"name"_s, u"sandbox_info"_s}, {u"task"_s, QJsonObject()}})),
                 ErrorNumber::methodNotFound);
        QCOMPARE(talk.ask(u"tasks/list"_s)["result"_L1]["tasks"_L1].toArray().size(), 1);
    }

    void anotherClientsTasksAreNone()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        const auto other = newClient();
        Talk mine(server, *m_client), theirs(server, *other);
        const QString id = mine.taskOf(endless);
        QVERIFY(!id.isEmpty());
        for (const QString &method : {u"tasks/get"_s, u"tasks/result"_s, u"tasks/cancel"_s}) {
            QCOMPARE(codeOf(theirs.about(method, id)), ErrorNumber::invalidParams);
            QCOMPARE(codeOf(mine.about(method, u"no-such"_s)), ErrorNumber::invalidParams);
            QCOMPARE(codeOf(mine.ask(method, {{u"taskId"_s, 1}})), ErrorNumber::invalidParams);
        }
        QCOMPARE(theirs.ask(u"tasks/list"_s)["result"_L1]["tasks"_L1].toArray(), QJsonArray());
        QCOMPARE(mine.about(u"tasks/get"_s, id)["result"_L1]["status"_L1].toString(), u"working"_s);
        // Nor has another revision any: there the wish for a task says nothing.
        Talk older(server, *m_client, u"2025-06-18"_s);
        QVERIFY(!older.greeting["result"_L1]["capabilities"_L1].toObject().contains(u"tasks"_s));
        QCOMPARE(older.start(u"exit 4"_s)["result"_L1]["structuredContent"_L1]["exit_code"_L1].toInt(), 4);
        QCOMPARE(codeOf(older.about(u"tasks/get"_s, id)), ErrorNumber::methodNotFound);
    }

    void manyTasksAreListedByPagesAndKeptUpToABound()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        ClientBounds bounds;
        bounds.results = 200;
        m_client = newClient(bounds);
        Talk talk(server, *m_client);
        QStringList started;
        for (int i = 0; i < ClientTasks::kept + 3; ++i) {
            started.prepend(talk.taskOf(u"echo %1"_s.arg(i)));
            talk.about(u"tasks/result"_s, started.first());
        }
        QStringList listed;
        QJsonObject params;
        do {
            const QJsonObject page = talk.ask(u"tasks/list"_s, params)["result"_L1].toObject();
            for (const auto &task : page["tasks"_L1].toArray())
                listed.append(task["taskId"_L1].toString());
            params = page.contains(u"nextCursor"_s) ? QJsonObject{{u"cursor"_s, page["nextCursor"_L1]}} : QJsonObject();
        } while (!params.isEmpty());
        QCOMPARE(listed, started.first(ClientTasks::kept));
        QCOMPARE(codeOf(talk.ask(u"tasks/list"_s, {{u"cursor"_s, u"x"_s}})), ErrorNumber::invalidParams);
        QCOMPARE(codeOf(talk.about(u"tasks/get"_s, started.last())), ErrorNumber::invalidParams);
    }

    void aClientThatGoesEndsItsTasks()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        {
            Talk talk(server, *m_client);
            const QString id = talk.taskOf(endless);
            talk.send(u"tasks/result"_s, {{u"taskId"_s, id}});
        }
        const QList<Task> tasks = m_client->tasks.all();
        QCOMPARE(tasks.size(), 1);
        m_client->runs.close();
        QVERIFY(tasks.first().run->waitUntilDone(std::chrono::steady_clock::now() + std::chrono::seconds(10), {}));
        QCOMPARE(toString(tasks.first().run->run().result()->outcome), toString(Outcome::Cancelled));
    }
};

QTEST_GUILESS_MAIN(TestTasks)
#include "tst_tasks.moc"
