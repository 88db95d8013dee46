// SPDX-License-Identifier: Apache-2.0
// Revision 2026-07-28: long calls become tasks for clients that know of them, and clients listen for changes. With real runs behind them.
#include "talk.h"
#include "toolfixture.h"

#include "engine/mcp/protocol/watch/listening.h"

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;

namespace {

enum class Knows { Nothing, Tasks };

// A client that says everything with each request.
class StatelessTalk
{
public:
    StatelessTalk(Server &server, Client &client)
        : m_connection(server, client)
    {
    }
    int send(const QString &method, QJsonObject params, Knows knows = Knows::Tasks)
    {
        QJsonObject capabilities;
        if (knows == Knows::Tasks)
            capabilities[u"extensions"_s] = QJsonObject{{tasksExtension, QJsonObject()}};
        params[u"_meta"_s] = QJsonObject{{u"io.modelcontextprotocol/protocolVersion"_s, u"2026-07-28"_s},
                                         {u"io.modelcontextprotocol/clientCapabilities"_s, capabilities}};
        const QJsonObject message{
            {u"jsonrpc"_s, u"2.0"_s}, {u"id"_s, ++m_id}, {u"method"_s, method}, {u"params"_s, params}};
        m_connection.receive(QJsonDocument(message).toJson(), m_inbox);
        return m_id;
    }
    QJsonObject ask(const QString &method, const QJsonObject &params = {}, Knows knows = Knows::Tasks)
    {
        return m_inbox->answerTo(send(method, params, knows));
    }
    QJsonObject run(const QString &code, Knows knows = Knows::Tasks, QJsonObject more = {})
    {
        more[u"language"_s] = u"sh"_s;
        more[u"code"_s] = code;
        return ask(u"tools/call"_s, {{u"name"_s, u"run_code"_s}, {u"arguments"_s, more}}, knows)["result"_L1]
            .toObject();
    }
    QJsonObject about(const QString &method, const QString &task, Knows knows = Knows::Tasks)
    {
        return ask(method, {{u"taskId"_s, task}, {u"inputResponses"_s, QJsonObject()}}, knows);
    }
    // The task once it is over.
    QJsonObject ended(const QString &task)
    {
        QJsonObject now;
        std::ignore = QTest::qWaitFor(
            [&] {
                now = about(u"tasks/get"_s, task)["result"_L1].toObject();
                return now["status"_L1].toString() != u"working"_s;
            },
            20'000);
        return now;
    }
    void cancel(int id)
    {
        const QJsonObject message{{u"jsonrpc"_s, u"2.0"_s},
                                  {u"method"_s, u"notifications/cancelled"_s},
                                  {u"params"_s, QJsonObject{{u"requestId"_s, id}}}};
        m_connection.receive(QJsonDocument(message).toJson(), m_inbox);
    }
    SentMessages &inbox() { return *m_inbox; }

private:
    const std::shared_ptr<SentMessages> m_inbox = std::make_shared<SentMessages>();
    mcp::Connection m_connection;
    int m_id = 0;
};

const QString someTime = u"echo begun; sleep 1; echo over; exit 3"_s;

} // namespace

class TestTaskExtension : public ToolFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { open({}, {.untilTask = std::chrono::milliseconds(300)}); }
    void cleanup() { close(); }

    void aLongCallBecomesATaskWithTheAnswerThatItWouldHaveHad()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        const QJsonObject capabilities = talk.ask(u"server/discover"_s)["result"_L1]["capabilities"_L1].toObject();
        QVERIFY(capabilities["extensions"_L1][tasksExtension].isObject());
        QVERIFY(!capabilities.contains(u"tasks"_s));
        const QJsonObject task = talk.run(someTime);
        QCOMPARE(task["resultType"_L1].toString(), u"task"_s);
        QCOMPARE(task["status"_L1].toString(), u"working"_s);
        QVERIFY(task["ttlMs"_L1].toInteger() > 0 && task["pollIntervalMs"_L1].toInteger() > 0);
        QVERIFY(!task.contains(u"content"_s) && !task.contains(u"ttl"_s));
        const QString id = task["taskId"_L1].toString();
        const QJsonObject working = talk.about(u"tasks/get"_s, id)["result"_L1].toObject(); // at once
        QCOMPARE(working["resultType"_L1].toString(), u"complete"_s);
        QCOMPARE(working["status"_L1].toString(), u"working"_s);
        QVERIFY(!working.contains(u"result"_s));
        const QJsonObject over = talk.ended(id);
        QCOMPARE(over["status"_L1].toString(), u"completed"_s);
        QCOMPARE(over["result"_L1]["resultType"_L1].toString(), u"complete"_s);
        QCOMPARE(over["result"_L1]["structuredContent"_L1]["exit_code"_L1].toInt(), 3);
        QCOMPARE(over["result"_L1]["structuredContent"_L1]["stdout"_L1].toString(), u"begun\nover\n"_s);
    }

    void aShortCallAndOneOfAnotherClientBecomeNone()
    {
        open(); // a machine that is busy takes its time
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        QCOMPARE(talk.run(u"exit 3"_s)["structuredContent"_L1]["exit_code"_L1].toInt(), 3);
        const QJsonObject whole = talk.run(someTime, Knows::Nothing);
        QCOMPARE(whole["resultType"_L1].toString(), u"complete"_s);
        QCOMPARE(whole["structuredContent"_L1]["stdout"_L1].toString(), u"begun\nover\n"_s);
        QCOMPARE(m_client->tasks.all().size(), 0);
    }

    void whoDoesNotKnowOfTasksIsToldWhatToDeclare()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        const QString id = talk.run(endless)["taskId"_L1].toString();
        QVERIFY(!id.isEmpty());
        for (const QString &method : {u"tasks/get"_s, u"tasks/update"_s, u"tasks/cancel"_s}) {
            const QJsonObject refused = talk.about(method, id, Knows::Nothing);
            QCOMPARE(codeOf(refused), ErrorNumber::missingCapability);
            QVERIFY(
                refused["error"_L1]["data"_L1]["requiredCapabilities"_L1]["extensions"_L1][tasksExtension].isObject());
        }
        for (const QString &method : {u"tasks/list"_s, u"tasks/result"_s})
            QCOMPARE(codeOf(talk.about(method, id)), ErrorNumber::methodNotFound);
        QCOMPARE(codeOf(talk.ask(u"subscriptions/listen"_s,
                                 {{u"notifications"_s, QJsonObject{{u"taskIds"_s, QJsonArray{id}}}}}, Knows::Nothing)),
                 ErrorNumber::missingCapability);
    }

    void aCancelledTaskTakesItsRunAlong()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        const QString id = talk.run(endless)["taskId"_L1].toString();
        const auto run = m_client->tasks.find(id)->run;
        const QJsonObject update = talk.about(u"tasks/update"_s, id)["result"_L1].toObject();
        QCOMPARE(update["resultType"_L1].toString(), u"complete"_s);
        for (int i = 0; i < 2; ++i) { // the second is as good
            const QJsonObject ended = talk.about(u"tasks/cancel"_s, id)["result"_L1].toObject();
            QCOMPARE(ended["resultType"_L1].toString(), u"complete"_s);
            QVERIFY(!ended.contains(u"taskId"_s));
        }
        QVERIFY(run->waitUntilDone(std::chrono::steady_clock::now() + std::chrono::seconds(10), {}));
        const QJsonObject over = talk.ended(id);
        QCOMPARE(over["status"_L1].toString(), u"cancelled"_s);
        QVERIFY(!over.contains(u"result"_s));
        for (const QString &method : {u"tasks/get"_s, u"tasks/update"_s, u"tasks/cancel"_s})
            QCOMPARE(codeOf(talk.about(method, u"no-such"_s)), ErrorNumber::invalidParams);
    }

    void aTaskSaysThatThePersonIsAsked()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        m_approver->isSilent = true;
        const QJsonObject task = talk.run(u"echo ran"_s, Knows::Tasks, {{u"allow"_s, QJsonArray{u"example.org"_s}}});
        const QString id = task["taskId"_L1].toString();
        const auto message = [&] { return talk.about(u"tasks/get"_s, id)["result"_L1]["statusMessage"_L1].toString(); };
        QTRY_COMPARE(message(), u"waiting_for_approval"_s); // a busy machine tells of the task before
        m_engine->find(m_client->tasks.find(id)->run->run().id())->cancel();
        QCOMPARE(talk.ended(id)["status"_L1].toString(), u"cancelled"_s);
    }

    void aCallThatIsRefusedInTimeHasItsAnswer()
    {
        open();
        m_approver->says = false;
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        const QJsonObject denied = talk.run(u"echo ran"_s, Knows::Tasks, {{u"allow"_s, QJsonArray{u"example.org"_s}}});
        QCOMPARE(denied["resultType"_L1].toString(), u"complete"_s);
        QVERIFY(denied["isError"_L1].toBool());
    }

    void anotherClientsTasksAreNone()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        const auto other = newClient();
        StatelessTalk mine(server, *m_client), theirs(server, *other);
        const QString id = mine.run(endless)["taskId"_L1].toString();
        QVERIFY(!id.isEmpty());
        for (const QString &method : {u"tasks/get"_s, u"tasks/update"_s, u"tasks/cancel"_s})
            QCOMPARE(codeOf(theirs.about(method, id)), ErrorNumber::invalidParams);
        QCOMPARE(mine.about(u"tasks/get"_s, id)["result"_L1]["status"_L1].toString(), u"working"_s);
    }

    void aClientListensForItsTasksAndRuns()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        QVERIFY(
            talk.ask(u"server/discover"_s)["result"_L1]["capabilities"_L1]["resources"_L1]["subscribe"_L1].toBool());
        const QString task = talk.run(u"sleep 1; echo over; sleep 1"_s)["taskId"_L1].toString();
        const QString uri = u"glovebox://runs/"_s + m_client->tasks.find(task)->run->run().id();
        const QJsonObject filter{{u"toolsListChanged"_s, true},
                                 {u"resourceSubscriptions"_s, QJsonArray{uri, u"glovebox://runs/none"_s}},
                                 {u"taskIds"_s, QJsonArray{task, u"none"_s}}};
        const int listening = talk.send(u"subscriptions/listen"_s, {{u"notifications"_s, filter}});
        const auto isOfIt = [&](const QJsonObject &params) {
            return params["_meta"_L1]["io.modelcontextprotocol/subscriptionId"_L1].toInt() == listening;
        };
        const QJsonObject agreed = talk.inbox().notified(u"notifications/subscriptions/acknowledged"_s);
        QVERIFY(isOfIt(agreed));
        QCOMPARE(agreed["notifications"_L1].toObject(),
                 (QJsonObject{{u"resourceSubscriptions"_s, QJsonArray{uri}}, {u"taskIds"_s, QJsonArray{task}}}));
        const QJsonObject updated = talk.inbox().notified(u"notifications/resources/updated"_s);
        QVERIFY(isOfIt(updated));
        QCOMPARE(updated["uri"_L1].toString(), uri);
        const QJsonObject told = talk.inbox().notified(u"notifications/tasks"_s);
        QVERIFY(isOfIt(told));
        QCOMPARE(told["taskId"_L1].toString(), task);
        QCOMPARE(told["status"_L1].toString(), u"completed"_s);
        QCOMPARE(told["result"_L1]["structuredContent"_L1]["stdout"_L1].toString(), u"over\n"_s);
        talk.cancel(listening);
        QTRY_COMPARE(m_client->listeners.load(), 0);
    }

    void listenersAreBounded()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        StatelessTalk talk(server, *m_client);
        const QJsonObject nothing{{u"notifications"_s, QJsonObject()}};
        for (int i = 0; i < listenersMax; ++i)
            talk.send(u"subscriptions/listen"_s, nothing);
        QVERIFY(!talk.inbox().notified(u"notifications/subscriptions/acknowledged"_s, listenersMax - 1).isEmpty());
        QCOMPARE(codeOf(talk.ask(u"subscriptions/listen"_s, nothing)), ErrorNumber::internal);
        for (const QJsonValue &wrong : {QJsonValue(7), QJsonValue(QJsonObject{{u"taskIds"_s, u"x"_s}}),
                                        QJsonValue(QJsonObject{{u"resourceSubscriptions"_s, QJsonArray{1}}})})
            QCOMPARE(codeOf(talk.ask(u"subscriptions/listen"_s, {{u"notifications"_s, wrong}})),
                     ErrorNumber::invalidParams);
        // As many as a message has room for, each of its own: refused before they are compared.
        QJsonArray names;
        for (int i = 0; i < 150'000; ++i)
            names.append(u"r%1"_s.arg(i));
        QCOMPARE(codeOf(talk.ask(u"subscriptions/listen"_s,
                                 {{u"notifications"_s, QJsonObject{{u"resourceSubscriptions"_s, names}}}})),
                 ErrorNumber::invalidParams);
    }

    // Before 2026-07-28, where the transport has a way to say what belongs to no request.
    void aClientOfAnEarlierRevisionSubscribesToARun()
    {
        Server server(gloveboxCatalogue(), *m_engine);
        Talk talk(server, *m_client);
        QVERIFY(talk.greeting["result"_L1]["capabilities"_L1]["resources"_L1]["subscribe"_L1].toBool());
        talk.taskOf(u"sleep 1; echo over; sleep 1"_s);
        QVERIFY(QTest::qWaitFor([&] { return !m_client->runs.ids().isEmpty(); }));
        const QString uri = u"glovebox://runs/"_s + m_client->runs.ids().first() + u"/stdout"_s;
        QVERIFY(talk.ask(u"resources/subscribe"_s, {{u"uri"_s, uri}}).contains(u"result"_s));
        QCOMPARE(talk.notified(u"notifications/resources/updated"_s)["uri"_L1].toString(), uri);
        QVERIFY(talk.ask(u"resources/unsubscribe"_s, {{u"uri"_s, uri}}).contains(u"result"_s));
        // What is watched is kept: a thousand of a megabyte each are not.
        QCOMPARE(codeOf(talk.ask(u"resources/subscribe"_s, {{u"uri"_s, uri + QString(1'000'000, u'x')}})),
                 ErrorNumber::invalidParams);
    }
};

QTEST_GUILESS_MAIN(TestTaskExtension)
#include "tst_taskextension.moc"
