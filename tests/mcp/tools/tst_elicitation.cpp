// SPDX-License-Identifier: Apache-2.0
// The client puts a question to the person, in revisions with a handshake and without: it counts once, for this, and never too much.
#include "talk.h"
#include "toolfixture.h"

#include <QElapsedTimer>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QJsonObject canAsk{{u"elicitation"_s, QJsonObject()}};
const QJsonObject yes{{u"action"_s, u"accept"_s}, {u"content"_s, QJsonObject{{u"answer"_s, u"allow this once"_s}}}};
const QJsonObject no{{u"action"_s, u"decline"_s}};
const QString question = u"elicitation/create"_s;

QJsonObject callOf(const QString &tool, const QJsonObject &arguments)
{
    return {{u"name"_s, tool}, {u"arguments"_s, arguments}};
}

QJsonObject runWith(const QString &code, QJsonObject more = {{u"allow"_s, QJsonArray{u"a.example"_s}}})
{
    more[u"language"_s] = u"sh"_s;
    more[u"code"_s] = code;
    return callOf(u"run_code"_s, more);
}

// Of the revision that says everything with each request.
QJsonObject modern(QJsonObject params, const QJsonObject &capabilities = canAsk)
{
    params[u"_meta"_s] =
        QJsonObject{{u"io.modelcontextprotocol/protocolVersion"_s, u"2026-07-28"_s},
                    {u"io.modelcontextprotocol/clientInfo"_s, QJsonObject{{u"name"_s, u"t"_s}, {u"version"_s, u"1"_s}}},
                    {u"io.modelcontextprotocol/clientCapabilities"_s, capabilities}};
    return params;
}

QJsonObject resultOf(const QJsonObject &answer)
{
    return answer["result"_L1]["structuredContent"_L1].toObject();
}

} // namespace

class TestElicitation : public ToolFixture
{
    Q_OBJECT

    std::unique_ptr<Server> m_server;

    void begin(ClientBounds bounds = {}, const QStringList &settings = {})
    {
        m_throughClient = std::make_shared<ClientApprover>(
            [](const ApprovalRequest &request) {
                return u"It wants %1: %2"_s.arg(wordsOf(request.wants), QString::fromUtf8(request.code));
            },
            Inbox::Patience{});
        open(settings, bounds);
        m_server = std::make_unique<Server>(gloveboxCatalogue(), *m_engine);
    }
    QList<QJsonObject> entries(const QString &kind)
    {
        QList<QJsonObject> found;
        const auto reader = m_engine->auditReader();
        const auto all = (*reader)->entries(1, 100).value();
        for (const StoredEntry &entry : all) {
            const QJsonObject object = QJsonDocument::fromJson(entry.json).object();
            if (object[u"kind"_s] == kind)
                found.append(object);
        }
        return found;
    }

private Q_SLOTS:
    void cleanup()
    {
        m_server.reset();
        close();
    }

    void onlyAYesAllows_data()
    {
        QTest::addColumn<QString>("as");
        QTest::addColumn<QJsonObject>("answer");
        QTest::addColumn<QString>("outcome");
        const auto accepted = [](const QJsonValue &content) {
            return QJsonObject{{u"action"_s, u"accept"_s}, {u"content"_s, content}};
        };
        QTest::newRow("yes") << u"result"_s << yes << u"completed"_s;
        QTest::newRow("declined") << u"result"_s << no << u"denied"_s;
        QTest::newRow("closed") << u"result"_s << QJsonObject{{u"action"_s, u"cancel"_s}} << u"denied"_s;
        QTest::newRow("accepted as it stood")
            << u"result"_s << accepted(QJsonObject{{u"answer"_s, u"deny"_s}}) << u"denied"_s;
        QTest::newRow("accepted, empty") << u"result"_s << accepted(QJsonObject()) << u"denied"_s;
        QTest::newRow("accepted, nothing") << u"result"_s << QJsonObject{{u"action"_s, u"accept"_s}} << u"denied"_s;
        QTest::newRow("other words") << u"result"_s << accepted(QJsonObject{{u"answer"_s, u"allow"_s}}) << u"denied"_s;
        QTest::newRow("other type") << u"result"_s << accepted(QJsonObject{{u"answer"_s, true}}) << u"denied"_s;
        QTest::newRow("no object") << u"result"_s << accepted(u"allow this once"_s) << u"denied"_s;
        QTest::newRow("declined with a yes")
            << u"result"_s << QJsonObject{{u"action"_s, u"decline"_s}, {u"content"_s, yes["content"_L1]}}
            << u"denied"_s;
        QTest::newRow("error") << u"error"_s << QJsonObject{{u"code"_s, -32603}, {u"message"_s, u"no window"_s}}
                               << u"denied"_s;
    }
    void onlyAYesAllows()
    {
        QFETCH(const QString, as);
        QFETCH(const QJsonObject, answer);
        QFETCH(const QString, outcome);
        begin();
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const int call = talk.send(u"tools/call"_s, runWith(u"echo here"_s));
        const QJsonObject asked = talk.asked(question);
        const QJsonObject form = asked["params"_L1].toObject();
        QCOMPARE(form["message"_L1].toString(), u"It wants the network: a.example: echo here"_s);
        const QJsonValue choice = form["requestedSchema"_L1]["properties"_L1]["answer"_L1];
        QCOMPARE(choice["default"_L1].toString(), u"deny"_s); // Enter alone allows nothing
        QVERIFY(choice["enum"_L1].toArray().contains(yes["content"_L1]["answer"_L1]));
        talk.answer(asked, as, answer);
        const QJsonObject result = resultOf(talk.answerTo(call));
        QCOMPARE(result["outcome"_L1].toString(), outcome);
        QCOMPARE(result["stdout"_L1].toString(), outcome == u"completed"_s ? u"here\n"_s : QString());
        QCOMPARE(talk.count(question), 1);
        const QList<QJsonObject> decided = entries(u"approval.decided"_s);
        QCOMPARE(decided.size(), 1);
        QCOMPARE(decided.first()["by"_L1].toString(), u"client"_s);
        QCOMPARE(decided.first()["scope"_L1].toString(), u"once"_s);
        QCOMPARE(decided.first()["allowed"_L1].toBool(), outcome == u"completed"_s);
    }

    // Once is once.
    void theNextRunIsAskedAboutAnew()
    {
        begin();
        Talk talk(*m_server, *m_client, u"2025-06-18"_s, canAsk);
        for (int turn = 0; turn < 2; ++turn) {
            const int call = talk.send(u"tools/call"_s, runWith(u"echo here"_s));
            talk.answer(talk.asked(question, turn), u"result"_s, yes);
            QCOMPARE(resultOf(talk.answerTo(call))["outcome"_L1].toString(), u"completed"_s);
        }
        QCOMPARE(talk.count(question), 2);
    }

    void whoIsTiredOfAQuestionIsAskedItNoMore()
    {
        begin();
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const QJsonObject host{{u"allow"_s, QJsonArray{u"a.example"_s}}, {u"timeout"_s, 60}};
        const int call = talk.send(u"tools/call"_s, runWith(u"echo here"_s));
        const QJsonObject asked = talk.asked(question);
        const QString further = u"deny this and what wants the same"_s;
        QVERIFY(asked["params"_L1]["requestedSchema"_L1]["properties"_L1]["answer"_L1]["enum"_L1].toArray().contains(
            further));
        talk.answer(asked, u"result"_s,
                    {{u"action"_s, u"accept"_s}, {u"content"_s, QJsonObject{{u"answer"_s, further}}}});
        QCOMPARE(resultOf(talk.answerTo(call))["outcome"_L1].toString(), u"denied"_s);
        QCOMPARE(entries(u"approval.decided"_s).value(0)["scope"_L1].toString(), u"never"_s);
        const QJsonObject again = resultOf(talk.ask(u"tools/call"_s, runWith(u"echo there"_s, host)));
        QCOMPARE(again["outcome"_L1].toString(), u"denied"_s);
        QVERIFY2(again["reason"_L1].toString().contains(u"until it disconnects"),
                 qPrintable(again["reason"_L1].toString()));
        QCOMPARE(talk.count(question), 1);
        const int other = talk.send(u"tools/call"_s, runWith(u"echo there"_s, {{u"timeout"_s, 60}}));
        talk.answer(talk.asked(question, 1), u"result"_s, yes); // another question
        QCOMPARE(resultOf(talk.answerTo(other))["outcome"_L1].toString(), u"completed"_s);
    }

    void whoIsNotAskedIsDeniedAtOnce_data()
    {
        QTest::addColumn<QString>("revision");
        QTest::addColumn<QJsonObject>("capabilities");
        QTest::addColumn<QJsonObject>("wants");
        QTest::addColumn<QStringList>("settings");
        const QJsonObject host{{u"allow"_s, QJsonArray{u"a.example"_s}}};
        const QString now = u"2025-11-25"_s;
        QTest::newRow("can't ask") << now << QJsonObject() << host << QStringList();
        QTest::newRow("only links") << now << QJsonObject{{u"elicitation"_s, QJsonObject{{u"url"_s, QJsonObject()}}}}
                                    << host << QStringList();
        QTest::newRow("older revision") << u"2025-03-26"_s << canAsk << host << QStringList();
        QTest::newRow("secret") << now << canAsk << QJsonObject{{u"secrets"_s, QJsonArray{u"KEY"_s}}} << QStringList();
        QTest::newRow("secret beside a host")
            << now << canAsk
            << QJsonObject{{u"secrets"_s, QJsonArray{u"KEY"_s}}, {u"allow"_s, QJsonArray{u"a.example"_s}}}
            << QStringList();
        QTest::newRow("hosts of a run with a secret that needs no question")
            << now << canAsk
            << QJsonObject{{u"secrets"_s, QJsonArray{u"KEY"_s}}, {u"allow"_s, QJsonArray{u"a.example"_s}}}
            << QStringList{u"GLOVEBOX_MCP_SECRETS=on"_s};
        QTest::newRow("turned off") << now << canAsk << host << QStringList{u"GLOVEBOX_MCP_ELICITATION=off"_s};
        QTest::newRow("hosts turned off") << now << canAsk << host << QStringList{u"GLOVEBOX_MCP_HOSTS=off"_s};
    }
    void whoIsNotAskedIsDeniedAtOnce()
    {
        QFETCH(const QString, revision);
        QFETCH(const QJsonObject, capabilities);
        QFETCH(const QJsonObject, wants);
        QFETCH(const QStringList, settings);
        begin({}, settings);
        Talk talk(*m_server, *m_client, revision, capabilities);
        const QJsonObject answer = talk.ask(u"tools/call"_s, runWith(u"echo here"_s, wants));
        const QJsonObject result =
            revision < u"2025-06-18"_s
                ? QJsonDocument::fromJson(answer["result"_L1]["content"_L1][0]["text"_L1].toString().toUtf8()).object()
                : resultOf(answer);
        if (revision >= u"2025-06-18"_s)
            QCOMPARE(result["outcome"_L1].toString(), u"denied"_s);
        QVERIFY(!QJsonDocument(answer).toJson().contains("here\\n"));
        QCOMPARE(talk.count(question), 0);
        QCOMPARE(entries(u"run.started"_s).size(), 0);
    }

    // A task is answered before the person is: nobody would put the question.
    void aTaskIsDeniedAtOnce()
    {
        begin();
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const QJsonObject made = talk.start(u"echo here"_s, {}, {{u"allow"_s, QJsonArray{u"a.example"_s}}});
        const QString task = made["result"_L1]["task"_L1]["taskId"_L1].toString();
        QVERIFY2(!task.isEmpty(), QJsonDocument(made).toJson());
        QCOMPARE(resultOf(talk.about(u"tasks/result"_s, task))["outcome"_L1].toString(), u"denied"_s);
        QCOMPARE(talk.count(question), 0);
    }

    // The call answers in time, the client hears that nobody waits for that answer, and wait_run puts the question again.
    void silenceIsNoAnswer()
    {
        begin({.longestCall = 300ms});
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const QJsonObject waiting = resultOf(talk.ask(u"tools/call"_s, runWith(u"echo here"_s)));
        QCOMPARE(waiting["state"_L1].toString(), u"waiting_for_approval"_s);
        const QJsonObject first = talk.asked(question);
        QCOMPARE(talk.notified(u"notifications/cancelled"_s)["requestId"_L1], first["id"_L1]);
        talk.answer(first, u"result"_s, yes); // comes too late, and is for nobody
        const int call = talk.send(u"tools/call"_s, callOf(u"wait_run"_s, {{u"run"_s, waiting["run"_L1]}}));
        const QJsonObject second = talk.asked(question, 1);
        QCOMPARE(second["params"_L1], first["params"_L1]);
        talk.answer(second, u"result"_s, yes);
        QCOMPARE(resultOf(talk.answerTo(call))["stdout"_L1].toString(), u"here\n"_s);
    }

    void whoCancelsEndsTheQuestion()
    {
        begin();
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const int call = talk.send(u"tools/call"_s, runWith(u"echo here"_s));
        const QJsonObject asked = talk.asked(question);
        talk.notify(u"notifications/cancelled"_s, {{u"requestId"_s, call}});
        QTRY_COMPARE_WITH_TIMEOUT(entries(u"run.finished"_s).size(), 1, 10'000);
        QCOMPARE(entries(u"run.finished"_s).first()["outcome"_L1].toString(), u"cancelled"_s);
        talk.answer(asked, u"result"_s, yes);
        QCOMPARE(talk.ask(u"ping"_s).contains(u"result"), true);
        QCOMPARE(entries(u"run.started"_s).size(), 0);
    }

    // By another call: the first one doesn't wait for an answer that nobody needs.
    void whoCancelsTheRunEndsTheQuestion()
    {
        begin();
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const int call = talk.send(u"tools/call"_s, runWith(u"echo here"_s));
        const QJsonObject asked = talk.asked(question);
        const QJsonValue run = entries(u"run.accepted"_s).value(0)["run"_L1];
        QElapsedTimer time;
        time.start();
        talk.ask(u"tools/call"_s, callOf(u"cancel_run"_s, {{u"run"_s, run}}));
        QCOMPARE(resultOf(talk.answerTo(call))["outcome"_L1].toString(), u"cancelled"_s);
        QVERIFY2(time.elapsed() < 20'000, qPrintable(QString::number(time.elapsed())));
        QCOMPARE(talk.notified(u"notifications/cancelled"_s)["requestId"_L1], asked["id"_L1]);
        QCOMPARE(entries(u"run.started"_s).size(), 0);
    }

    void whoGoesEndsTheQuestion()
    {
        begin();
        {
            Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
            talk.send(u"tools/call"_s, runWith(u"echo here"_s));
            talk.asked(question);
            talk.close();
        }
        m_client->runs.close();
        QTRY_COMPARE_WITH_TIMEOUT(entries(u"run.finished"_s).size(), 1, 10'000);
        QCOMPARE(entries(u"run.started"_s).size(), 0);
    }

    // The client is asked by an answer, and calls again with that of the person.
    void withoutAHandshakeTheClientCallsAgain_data()
    {
        QTest::addColumn<QJsonObject>("answer");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("yes") << yes << u"completed"_s;
        QTest::newRow("no") << no << u"denied"_s;
    }
    void withoutAHandshakeTheClientCallsAgain()
    {
        QFETCH(const QJsonObject, answer);
        QFETCH(const QString, outcome);
        begin();
        Talk talk(*m_server, *m_client);
        QJsonObject call = modern(runWith(u"echo here"_s));
        const QJsonObject asks = talk.ask(u"tools/call"_s, call)["result"_L1].toObject();
        QCOMPARE(asks["resultType"_L1].toString(), u"input_required"_s);
        const QJsonObject questions = asks["inputRequests"_L1].toObject();
        QCOMPARE(questions.size(), 1);
        const QString name = questions.keys().first();
        QCOMPARE(questions[name]["method"_L1].toString(), question);
        QVERIFY(questions[name]["params"_L1]["message"_L1].toString().contains(u"a.example"));
        call[u"requestState"_s] = asks["requestState"_L1];
        call[u"inputResponses"_s] = QJsonObject{{name + u'0', yes}}; // to a question that nobody put
        QCOMPARE(talk.ask(u"tools/call"_s, call)["result"_L1]["resultType"_L1].toString(), u"input_required"_s);
        call[u"inputResponses"_s] = QJsonObject{{name, answer}};
        const QJsonObject result = resultOf(talk.ask(u"tools/call"_s, call));
        QCOMPARE(result["outcome"_L1].toString(), outcome);
        QCOMPARE(entries(u"run.accepted"_s).size(), 1);
        // The answer was for that run: the same words with other code ask again.
        QJsonObject other = modern(runWith(u"echo there"_s));
        other[u"inputResponses"_s] = QJsonObject{{name, yes}};
        QCOMPARE(talk.ask(u"tools/call"_s, other)["result"_L1]["resultType"_L1].toString(), u"input_required"_s);
    }

    // A client that kept the answer can't give it again, with what it was given to bring back or without.
    void withoutAHandshakeAnAnswerCountsOnce_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::newRow("run") << u"run_code"_s;
        QTest::newRow("call") << u"sandbox_info"_s;
    }
    void withoutAHandshakeAnAnswerCountsOnce()
    {
        QFETCH(const QString, tool);
        begin();
        QVERIFY(m_engine->settings().store(u"mcp.sandbox_info"_s, u"asks"_s));
        Talk talk(*m_server, *m_client);
        QJsonObject call = modern(tool == u"run_code"_s ? runWith(u"echo here"_s) : callOf(tool, {}));
        const auto typeOf = [&](const QJsonObject &params) {
            return talk.ask(u"tools/call"_s, params)["result"_L1]["resultType"_L1].toString();
        };
        const QJsonObject asks = talk.ask(u"tools/call"_s, call)["result"_L1].toObject();
        const QString name = asks["inputRequests"_L1].toObject().keys().value(0);
        call[u"inputResponses"_s] = QJsonObject{{name, yes}};
        QCOMPARE(typeOf(call), u"input_required"_s); // without the state
        call[u"requestState"_s] = asks["requestState"_L1];
        QCOMPARE(typeOf(call), u"complete"_s);
        QCOMPARE(entries(u"approval.decided"_s).size(), 1);
        call.remove(u"requestState"_s);
        QCOMPARE(typeOf(call), u"input_required"_s);
        call[u"requestState"_s] = asks["requestState"_L1];
        QCOMPARE(typeOf(call), tool == u"run_code"_s ? u"complete"_s : u"input_required"_s); // the run that was
        QCOMPARE(entries(u"approval.decided"_s).size(), 1);
        QCOMPARE(entries(u"run.finished"_s).size(), tool == u"run_code"_s ? 1 : 0);
    }

    // A host by the client's word could get what only the person's own word gives.
    void aFolderThatWasGrantedIsForThePersonToo()
    {
        ClientApprover approver([](const ApprovalRequest &) { return u"?"_s; });
        ApprovalRequest request;
        request.run = u"run"_s;
        request.caller.isAskable = true;
        request.codeDigest = QByteArray(32, 'c');
        request.wants = {{Want::Kind::Host, u"a.example"_s, {}, {}}};
        request.policy.allow = {u"a.example"_s};
        approver.ask(request, [](const ApprovalDecision &) { QFAIL("this one waits"); });
        QVERIFY(approver.waiting(u"run"_s));
        approver.withdraw(u"run"_s);
        request.policy.folders = {{.hostPath = u"/srv/data"_s, .path = u"/data"_s}};
        bool isAnswered = false;
        approver.ask(request, [&](const ApprovalDecision &decision) { isAnswered = !decision.allowed; });
        QVERIFY(isAnswered);
    }

    void aToolThatAsksIsAskedAbout()
    {
        begin();
        QVERIFY(m_engine->settings().store(u"mcp.sandbox_info"_s, u"asks"_s));
        Talk talk(*m_server, *m_client, u"2025-11-25"_s, canAsk);
        const QJsonObject info = callOf(u"sandbox_info"_s, {});
        int call = talk.send(u"tools/call"_s, info);
        talk.answer(talk.asked(question), u"result"_s, no);
        QVERIFY(talk.answerTo(call)["result"_L1]["isError"_L1].toBool());
        call = talk.send(u"tools/call"_s, info);
        talk.answer(talk.asked(question, 1), u"result"_s, yes);
        QVERIFY(!talk.answerTo(call)["result"_L1]["isError"_L1].toBool());

        QJsonObject again = modern(info);
        const QJsonObject asks = talk.ask(u"tools/call"_s, again)["result"_L1].toObject();
        QCOMPARE(asks["resultType"_L1].toString(), u"input_required"_s);
        again[u"requestState"_s] = asks["requestState"_L1];
        again[u"inputResponses"_s] = QJsonObject{{asks["inputRequests"_L1].toObject().keys().first(), yes}};
        QVERIFY(!resultOf(talk.ask(u"tools/call"_s, again)).isEmpty());
        QList<bool> allowed;
        for (const QJsonObject &entry : entries(u"approval.decided"_s))
            allowed.append(entry["allowed"_L1].toBool());
        QCOMPARE(allowed, (QList{false, true, true}));
    }
};

QTEST_GUILESS_MAIN(TestElicitation)
#include "tst_elicitation.moc"
