// SPDX-License-Identifier: Apache-2.0
// A conversation with the server, from the first word: what each revision gets, and what the protocol's errors are.
#include "testcatalogue.h"

#include "engine/mcp/protocol/schema.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <condition_variable>

using namespace Qt::StringLiterals;
using namespace glovebox;
using namespace glovebox::mcp;

namespace {

QJsonObject parsed(const QByteArray &text)
{
    return QJsonDocument::fromJson(text).object();
}

class Recorder : public Outlet
{
public:
    void send(const QByteArray &message, Sending what) override
    {
        const std::lock_guard lock(m_mutex);
        m_sent.append(message);
        m_kinds.append(what.kind);
        m_changed.notify_all();
    }
    // The next message, in the order in which they were sent; empty: none within 10 s.
    QByteArray next()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, std::chrono::seconds(10), [this] { return m_sent.size() > m_taken; });
        return m_sent.size() > m_taken ? m_sent[m_taken++] : QByteArray();
    }
    qsizetype left()
    {
        const std::lock_guard lock(m_mutex);
        return m_sent.size() - m_taken;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    QByteArrayList m_sent;
    QList<Sending::Kind> m_kinds;
    qsizetype m_taken = 0;
};

struct Conversation
{
    Client client{Caller{.kind = Caller::Kind::Mcp, .pid = 1, .program = {}, .claimed = {}}};
    Server server{testCatalogue(), [] { return fail(ErrorCode::Unavailable, "There is no engine in this test.", {}); }};
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
    mcp::Connection connection{server, client};

    void say(const QByteArray &text) { connection.receive(text, recorder); }
    QJsonObject ask(const QByteArray &text)
    {
        say(text);
        return parsed(recorder->next());
    }
    void shake(const QByteArray &revision)
    {
        const QJsonObject answer = ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")"
                                       + revision + R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
        QCOMPARE(answer[u"result"][u"protocolVersion"_s].toString(), QString::fromLatin1(revision));
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
};

constexpr auto modernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

int errorOf(const QJsonObject &answer)
{
    return answer[u"error"][u"code"_s].toInt();
}

} // namespace

class TestProtocol : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachRevisionHasItsOwnShape_data()
    {
        QTest::addColumn<QByteArray>("revision");
        QTest::addColumn<bool>("hasStructure");
        QTest::newRow("2024-11-05") << "2024-11-05"_ba << false;
        QTest::newRow("2025-03-26") << "2025-03-26"_ba << false;
        QTest::newRow("2025-06-18") << "2025-06-18"_ba << true;
        QTest::newRow("2025-11-25") << "2025-11-25"_ba << true;
    }
    void eachRevisionHasItsOwnShape()
    {
        QFETCH(QByteArray, revision);
        QFETCH(bool, hasStructure);
        Conversation talk;
        talk.shake(revision);
        const QJsonObject tool =
            talk.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")[u"result"][u"tools"_s][0].toObject();
        QCOMPARE(tool[u"name"].toString(), u"echo"_s);
        QCOMPARE(tool.contains(u"outputSchema"), hasStructure);
        QCOMPARE(tool.contains(u"title"), hasStructure);
        QCOMPARE(tool.contains(u"annotations"), revision != "2024-11-05");
        const QJsonObject result =
            talk.ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"n":3}}})")
                [u"result"]
                    .toObject();
        QCOMPARE(result[u"content"][0][u"text"_s].toString(), u"{\"n\":3}"_s);
        QCOMPARE(result.contains(u"structuredContent"), hasStructure);
        QVERIFY(!result.contains(u"resultType"));
    }

    void theLatestRevisionNeedsNoHandshake()
    {
        Conversation talk;
        const QJsonObject found =
            talk.ask(R"({"jsonrpc":"2.0","id":"d","method":"server/discover","params":{)"_ba + modernMeta + "}}");
        QCOMPARE(found[u"id"].toString(), u"d"_s);
        QVERIFY(found[u"result"][u"supportedVersions"_s].toArray().contains(u"2026-07-28"_s));
        QCOMPARE(found[u"result"][u"resultType"_s].toString(), u"complete"_s);
        QVERIFY(found[u"result"][u"ttlMs"_s].isDouble());
        const QJsonObject called = talk.ask(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",)"_ba + modernMeta + "}}");
        QCOMPARE(called[u"result"][u"resultType"_s].toString(), u"complete"_s);
        QCOMPARE(called[u"result"][u"_meta"_s][u"io.modelcontextprotocol/serverInfo"_s][u"name"_s].toString(),
                 u"test"_s);
        QCOMPARE(errorOf(talk.ask(R"({"jsonrpc":"2.0","id":2,"method":"ping","params":{)"_ba + modernMeta + "}}")),
                 ErrorNumber::methodNotFound);
    }

    // The log keeps it for ever, with each run.
    void ofAClaimedNameTheBeginningIsKept()
    {
        Catalogue catalogue = testCatalogue();
        catalogue.tools.back().run = [](const Call &call) -> Result<ToolReply> {
            return ToolReply{.text = call.caller().claimed};
        };
        const QByteArray name =
            '"' + QByteArray(claimedNameMax - 1, 'n') + QByteArray("\xF0\x9F\xA7\xAA").repeated(9999) + '"';
        const QString kept(claimedNameMax - 1, u'n'); // and no half of a character
        const QByteArray call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pause")";
        const auto textOf = [](const QJsonObject &answer) {
            return answer[u"result"][u"content"_s][0][u"text"_s].toString();
        };
        Client client{Caller{.kind = Caller::Kind::Mcp, .pid = 1, .program = {}, .claimed = {}}};
        Server server{catalogue, [] { return fail(ErrorCode::Unavailable, "There is no engine in this test.", {}); }};
        const auto recorder = std::make_shared<Recorder>();
        mcp::Connection connection{server, client};
        const auto say = [&](const QByteArray &text) { connection.receive(text, recorder); };
        say(call
            + R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"version":"1","name":)"
            + name + "}}}}");
        QCOMPARE(textOf(parsed(recorder->next())), kept);
        say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"version":"1","name":)"
            + name + "}}}");
        QVERIFY(parsed(recorder->next()).contains(u"result"));
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        say(call + "}}");
        QCOMPARE(textOf(parsed(recorder->next())), kept);
    }

    void anUnknownRevisionIsNegotiated()
    {
        Conversation talk;
        const QJsonObject answer = talk.ask(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
        QCOMPARE(answer[u"result"][u"protocolVersion"_s].toString(), u"2025-11-25"_s);
        const QJsonObject refused = talk.ask(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}})");
        QCOMPARE(errorOf(refused), ErrorNumber::unsupportedVersion);
        QCOMPARE(refused[u"error"][u"data"_s][u"requested"_s].toString(), u"1999-01-01"_s);
        QVERIFY(refused[u"error"][u"data"_s][u"supported"_s].toArray().contains(u"2026-07-28"_s));
    }

    void wrongRequestsHaveTheirOwnErrors_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("code");
        QTest::newRow("unknown method") << R"("method":"tools/fly")"_ba << ErrorNumber::methodNotFound;
        QTest::newRow("method of another revision")
            << R"("method":"server/discover")"_ba << ErrorNumber::methodNotFound;
        QTest::newRow("no name") << R"("method":"tools/call")"_ba << ErrorNumber::invalidParams;
        QTest::newRow("unknown tool") << R"("method":"tools/call","params":{"name":"fly"})"_ba
                                      << ErrorNumber::invalidParams;
        QTest::newRow("arguments of a wrong type")
            << R"("method":"tools/call","params":{"name":"echo","arguments":[]})"_ba << ErrorNumber::invalidParams;
        QTest::newRow("argument out of range")
            << R"("method":"tools/call","params":{"name":"echo","arguments":{"n":10}})"_ba
            << ErrorNumber::invalidParams;
        QTest::newRow("argument of a wrong type")
            << R"("method":"tools/call","params":{"name":"echo","arguments":{"n":"1"}})"_ba
            << ErrorNumber::invalidParams;
        QTest::newRow("argument that isn't there")
            << R"("method":"tools/call","params":{"name":"echo","arguments":{"m":1}})"_ba << ErrorNumber::invalidParams;
        QTest::newRow("initialized again")
            << R"("method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{}})"_ba
            << ErrorNumber::invalidRequest;
        QTest::newRow("unknown cursor") << R"("method":"tools/list","params":{"cursor":"7"})"_ba
                                        << ErrorNumber::invalidParams;
        QTest::newRow("unknown level") << R"("method":"logging/setLevel","params":{"level":"loud"})"_ba
                                       << ErrorNumber::invalidParams;
        QTest::newRow("unknown resource")
            << R"("method":"resources/read","params":{"uri":"x:y"})"_ba << ErrorNumber::resourceNotFound;
        QTest::newRow("unknown prompt") << R"("method":"prompts/get","params":{"name":"x"})"_ba
                                        << ErrorNumber::invalidParams;
        QTest::newRow("completion of nothing")
            << R"("method":"completion/complete","params":{})"_ba << ErrorNumber::invalidParams;
    }
    void wrongRequestsHaveTheirOwnErrors()
    {
        QFETCH(QByteArray, request);
        QFETCH(int, code);
        Conversation talk;
        talk.shake("2025-06-18");
        const QJsonObject answer = talk.ask(R"({"jsonrpc":"2.0","id":[7],)"_ba.replace("[7]", "7") + request + '}');
        QCOMPARE(errorOf(answer), code);
        QCOMPARE(answer[u"id"].toInt(), 7);
        QVERIFY(answer[u"error"][u"message"_s].toString().endsWith(u'.'));
    }

    // Since 2025-11-25 the model is told what was wrong with its arguments, and can mend them.
    void badArgumentsAreTheToolsErrorSince2025_11_25()
    {
        Conversation talk;
        talk.shake("2025-11-25");
        const QJsonObject answer =
            talk.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":10}}})");
        QCOMPARE(answer[u"result"][u"isError"_s].toBool(), true);
        QCOMPARE(answer[u"result"][u"content"_s][0][u"text"_s].toString(), u"\"n\" must be at most 9."_s);
        const QJsonObject unknown =
            talk.ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"k)"
                     + QByteArray(9999, 'k') + R"(":1}}})");
        QVERIFY(unknown[u"result"][u"content"_s][0][u"text"_s].toString().size() < 200);
    }

    void boundsAreToldAsTheyAreWritten()
    {
        const QJsonObject seconds{{u"type"_s, u"number"_s}, {u"minimum"_s, 0.1}, {u"maximum"_s, 4194304}};
        QCOMPARE(faultOf(-1, seconds, u"t"_s).value_or(QString()), u"\"t\" must be at least 0.1."_s);
        QCOMPARE(faultOf(1e9, seconds, u"t"_s).value_or(QString()), u"\"t\" must be at most 4194304."_s);
        const QJsonObject text{{u"type"_s, u"string"_s}, {u"minLength"_s, 1}};
        QCOMPARE(faultOf(QString(), text, u"code"_s).value_or(QString()), u"\"code\" must not be empty."_s);
    }

    void nothingIsAnsweredBeforeTheHandshake()
    {
        Conversation talk;
        QCOMPARE(errorOf(talk.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")), ErrorNumber::invalidParams);
        QVERIFY(talk.ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").contains(u"result"));
        QCOMPARE(
            errorOf(talk.ask(
                R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})")),
            ErrorNumber::invalidParams);
    }

    void missingArgumentsAreNone()
    {
        Conversation talk;
        talk.shake("2025-06-18");
        for (const char *params :
             {R"({"name":"echo"})", R"({"name":"echo","arguments":null})", R"({"name":"echo","arguments":{}})"}) {
            const QJsonObject answer =
                talk.ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"_ba + params + '}');
            QVERIFY(answer.contains(u"result"));
            QVERIFY(!answer[u"result"][u"isError"_s].toBool());
        }
    }

    void progressIncreasesAndIsSentOnlyWhereItIsWanted()
    {
        Conversation talk;
        talk.shake("2025-06-18");
        const QJsonObject first = talk.ask(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"p"}}})");
        QCOMPARE(first[u"method"].toString(), u"notifications/progress"_s);
        QCOMPARE(first[u"params"][u"message"_s].toString(), u"half"_s);
        const QJsonObject second = parsed(talk.recorder->next());
        QVERIFY(second[u"params"][u"progress"_s].toDouble() > first[u"params"][u"progress"_s].toDouble());
        QVERIFY(parsed(talk.recorder->next()).contains(u"result"));
        QCOMPARE(talk.recorder->left(), 0);
    }

    // Clients end calls that they hear nothing of.
    void aSilentCallHasAHeartbeat()
    {
        Conversation talk;
        talk.shake("2025-06-18");
        talk.say(
            R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":"p"}}})");
        const QJsonObject first = parsed(talk.recorder->next());
        QCOMPARE(first[u"params"][u"progressToken"_s].toString(), u"p"_s);
    }

    void aCancelledCallEndsWithoutAnAnswer()
    {
        Conversation talk;
        talk.shake("2025-06-18");
        const int before = cancelled, started = waiting;
        talk.say(R"({"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"wait"}})");
        QTRY_COMPARE(waiting.load(), started + 1);
        QCOMPARE(errorOf(talk.ask(R"({"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"wait"}})")),
                 ErrorNumber::invalidRequest);
        talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}})");
        talk.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}})");
        QTRY_COMPARE(cancelled.load(), before + 1);
        QVERIFY(talk.ask(R"({"jsonrpc":"2.0","id":2,"method":"ping"})").contains(u"result"));
        QCOMPARE(talk.recorder->left(), 0);
    }

    void closingCancelsWhatIsUnderWay()
    {
        const int before = cancelled, started = waiting;
        {
            Conversation talk;
            talk.shake("2025-06-18");
            for (int i = 1; i <= callsMax + 8; ++i)
                talk.say(R"({"jsonrpc":"2.0","id":)" + QByteArray::number(i)
                         + R"(,"method":"tools/call","params":{"name":"wait"}})");
            QTRY_COMPARE(waiting.load(), started + callsMax);
        }
        QCOMPARE(cancelled.load(), before + callsMax);
        QCOMPARE(waiting.load(), started + callsMax);
    }

    void batchesAreOfOneRevision()
    {
        const QByteArray batch =
            R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}])";
        Conversation with;
        with.shake("2025-03-26");
        with.say(batch);
        const QJsonArray answers = QJsonDocument::fromJson(with.recorder->next()).array();
        QCOMPARE(answers.size(), 3);
        with.say(R"([{"jsonrpc":"2.0","method":"x"}])");
        QCOMPARE(with.recorder->left(), 0);
        Conversation without;
        without.shake("2025-06-18");
        QCOMPARE(errorOf(without.ask(batch)), ErrorNumber::invalidRequest);
    }

    // The engine can't be had: a failure that the caller sees, not one of the protocol's.
    void whatTheToolCannotDoIsItsOwnError()
    {
        Client client{Caller{}};
        Server server(gloveboxCatalogue(),
                      [] { return fail(ErrorCode::Unavailable, "There is no engine in this test.", {}); });
        mcp::Connection connection(server, client);
        const auto recorder = std::make_shared<Recorder>();
        connection.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sandbox_info",)"_ba
                               + modernMeta + "}}",
                           recorder);
        const QJsonObject answer = parsed(recorder->next());
        QCOMPARE(answer[u"result"][u"isError"_s].toBool(), true);
        QCOMPARE(answer[u"result"][u"content"_s][0][u"text"_s].toString(), u"There is no engine in this test."_s);
    }
};

QTEST_GUILESS_MAIN(TestProtocol)
#include "tst_protocol.moc"
