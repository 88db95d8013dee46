// SPDX-License-Identifier: Apache-2.0
// Streamable HTTP: who is let in, what a wrong request gets, and that a client which goes takes its calls along.
#include "httpvisitor.h"
#include "tests/mcp/testcatalogue.h"

#include <QTest>

using namespace glovebox;
using namespace glovebox::mcp;

namespace {

constexpr auto stateless =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
const QByteArray usual = HttpVisitor::usual;
const QByteArray modern = "MCP-Protocol-Version: 2026-07-28\r\n";
const QByteArray initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";

struct Place
{
    Client first{Caller{}}, second{Caller{}};
    Server server{testCatalogue(), [] { return fail(ErrorCode::Unavailable, "There is no engine in this test.", {}); }};
    UniqueFd listener = listenOnLoopback(0).value();
    const quint16 port = portOf(listener);
    HttpServer http{server, std::move(listener), [this](const QByteArray &token) -> Client * {
                        return token == "right" ? &first : token == "other" ? &second : nullptr;
                    }};
};

QByteArray request(const QByteArray &method, const QByteArray &params = {})
{
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
}

} // namespace

class TestHttp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneClientLeavesConnectionsToOthers()
    {
        Place place;
        const QByteArray ask = request("tools/list", stateless);
        const QByteArray fields = usual + modern + "Mcp-Method: tools/list\r\n";
        const QByteArray others = QByteArray(fields).replace("right", "other");
        std::vector<HttpVisitor> open;
        for (int i = 0; i < httpConnectionsOfOneMax; ++i) {
            open.emplace_back(place.port);
            QCOMPARE(open.back().exchange(ask, fields).status, 200);
        }
        QCOMPARE(open.front().exchange(ask, fields).status, 200); // those go on
        const HttpReply refused = HttpVisitor(place.port).exchange(ask, fields);
        QCOMPARE(refused.status, 503);
        QVERIFY2(refused.sentence().startsWith(u"You have 48 connections"), qPrintable(refused.sentence()));
        QCOMPARE(HttpVisitor(place.port).exchange(ask, others).status, 200);
        open.pop_back();
        // Not QTRY_COMPARE: it looks twice, and the second visitor may be there before the first one's end is noticed.
        QVERIFY(QTest::qWaitFor([&] { return HttpVisitor(place.port).exchange(ask, fields).status == 200; }));
    }

    void aSessionLastsFromInitializeToDelete()
    {
        Place place;
        HttpVisitor visitor(place.port);
        const HttpReply shaken = visitor.exchange(initialize);
        QCOMPARE(shaken.status, 200);
        const QByteArray session = "Mcp-Session-Id: " + shaken.field("Mcp-Session-Id") + "\r\n";
        QCOMPARE(shaken.field("Mcp-Session-Id").size(), 32);
        QCOMPARE(visitor.exchange(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", usual + session).status,
                 202);
        QCOMPARE(
            visitor.exchange(request("tools/list"), usual + session).json()[u"result"][u"tools"_s].toArray().size(), 3);
        QCOMPARE(visitor.exchange(request("tools/list"), usual).status, 400);
        QCOMPARE(
            visitor.exchange(request("tools/list"), usual + session + "MCP-Protocol-Version: 1999-01-01\r\n").status,
            400);
        // of another client's token it is no session
        QCOMPARE(visitor.exchange(request("tools/list"), QByteArray(usual).replace("right", "other") + session).status,
                 404);
        visitor.send("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + usual + session + "\r\n");
        QCOMPARE(visitor.receive().status, 200);
        QCOMPARE(visitor.exchange(request("tools/list"), usual + session).status, 404);
    }

    void aStatelessCallNeedsNoSession()
    {
        Place place;
        HttpVisitor visitor(place.port);
        const QByteArray call = request("tools/call", R"("name":"echo","arguments":{"n":4},)" + QByteArray(stateless));
        const HttpReply plain = visitor.exchange(call, usual + modern + "Mcp-Method: tools/call\r\nMcp-Name: echo\r\n");
        QCOMPARE(plain.status, 200);
        QCOMPARE(plain.field("Content-Type"), "application/json"_ba);
        QCOMPARE(plain.json()[u"result"][u"structuredContent"_s][u"n"_s].toInt(), 4);
        // progress makes it a stream
        const QByteArray told = QByteArray(call).replace("\"_meta\":{", "\"_meta\":{\"progressToken\":1,");
        const HttpReply stream =
            visitor.exchange(told, usual + modern + "Mcp-Method: tools/call\r\nMcp-Name: =?base64?ZWNobw==?=\r\n");
        QCOMPARE(stream.field("Content-Type"), "text/event-stream"_ba);
        QCOMPARE(stream.body.count("notifications/progress"), 2);
        QCOMPARE(stream.body.count("\"result\""), 1);
        QVERIFY(visitor.exchange(call, usual + modern + "Mcp-Method: tools/call\r\nMcp-Name: echo\r\n").status == 200);
    }

    void aRequestAboutATaskNamesItInItsHead()
    {
        Place place;
        HttpVisitor visitor(place.port);
        for (const QByteArray method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
            const QByteArray about = request(method, R"("taskId":"t1",)" + QByteArray(stateless));
            const QByteArray fields = usual + modern + "Mcp-Method: " + method + "\r\n";
            for (const QByteArray wrong : {"", "Mcp-Name: t2\r\n"}) {
                const HttpReply refused = visitor.exchange(about, fields + wrong);
                QCOMPARE(refused.status, 400);
                QCOMPARE(refused.error(), int(ErrorNumber::headerMismatch));
            }
            const HttpReply taken = visitor.exchange(about, fields + "Mcp-Name: t1\r\n");
            QCOMPARE(taken.status, 400);
            QCOMPARE(taken.error(), int(ErrorNumber::missingCapability));
        }
    }

    void aClientThatGoesListensNoLonger()
    {
        Place place;
        HttpVisitor visitor(place.port);
        visitor.post(request("subscriptions/listen", R"("notifications":{},)" + QByteArray(stateless)),
                     usual + modern + "Mcp-Method: subscriptions/listen\r\n");
        QTRY_COMPARE(place.first.listeners.load(), 1);
        visitor.hangUp();
        QTRY_COMPARE(place.first.listeners.load(), 0);
    }

    void theHeadSaysWhatTheBodySays_data()
    {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("error");
        QTest::newRow("right") << modern + "Mcp-Method: tools/list\r\n" << 200 << 0;
        QTest::newRow("no revision") << "Mcp-Method: tools/list\r\n"_ba << 400 << ErrorNumber::headerMismatch;
        QTest::newRow("another revision") << "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list\r\n"_ba << 400
                                          << ErrorNumber::headerMismatch;
        QTest::newRow("no method") << modern << 400 << ErrorNumber::headerMismatch;
        QTest::newRow("another method") << modern + "Mcp-Method: tools/call\r\n" << 400 << ErrorNumber::headerMismatch;
        QTest::newRow("another case") << modern + "Mcp-Method: Tools/List\r\n" << 400 << ErrorNumber::headerMismatch;
    }
    void theHeadSaysWhatTheBodySays()
    {
        QFETCH(QByteArray, fields);
        Place place;
        HttpVisitor visitor(place.port);
        const HttpReply reply = visitor.exchange(request("tools/list", stateless), usual + fields);
        QTEST(reply.status, "status");
        QTEST(reply.error(), "error");
    }

    void errorsHaveTheStatusOfTheirRevision()
    {
        Place place;
        HttpVisitor visitor(place.port);
        QCOMPARE(visitor.exchange(request("tools/fly", stateless), usual + modern + "Mcp-Method: tools/fly\r\n").status,
                 404);
        QCOMPARE(visitor.exchange(request("tools/list"), usual + modern + "Mcp-Method: tools/list\r\n").status, 400);
        QCOMPARE(visitor.exchange("{", usual).status, 400);
        QCOMPARE(visitor.exchange("{", usual).error(), ErrorNumber::parse);
    }

    // A page in a browser that was led here by its name server, or simply tries.
    void otherPagesAndNamesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<int>("status");
        for (const char *host : {"127.0.0.1", "127.0.0.1:80", "localhost:5", "LOCALHOST", "[::1]:9"})
            QTest::addRow("host %s", host) << QByteArray(host) << QByteArray() << 200;
        for (const char *host : {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
                                 "127.0.0.2", "[2001:db8::1]", "0.0.0.0"})
            QTest::addRow("host %s", host) << QByteArray(host) << QByteArray() << 403;
        for (const char *host : {"127.0.0.1@evil.example", "2130706433", "0177.0.0.1", "", "a b"})
            QTest::addRow("host %s", host) << QByteArray(host) << QByteArray() << 400;
        for (const char *origin : {"http://localhost:3000", "http://127.0.0.1", "https://[::1]:8"})
            QTest::addRow("origin %s", origin) << "localhost"_ba << "Origin: " + QByteArray(origin) + "\r\n" << 200;
        for (const char *origin : {"http://evil.example", "null", "", "file://", "http://localhost.evil.example",
                                   "http://localhost@evil.example", "ftp://localhost",
                                   "http://127.0.0.1.evil.example:80", "http://evil.example#localhost"})
            QTest::addRow("origin %s", origin) << "localhost"_ba << "Origin: " + QByteArray(origin) + "\r\n" << 403;
        QTest::newRow("two origins") << "localhost"_ba
                                     << "Origin: http://localhost\r\nOrigin: http://evil.example\r\n"_ba << 403;
        QTest::newRow("two origins, the local one last")
            << "localhost"_ba << "Origin: http://evil.example\r\nOrigin: http://localhost\r\n"_ba << 403;
    }
    void otherPagesAndNamesAreRefused()
    {
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, fields);
        QFETCH(int, status);
        Place place;
        QCOMPARE(HttpVisitor(place.port).exchange(initialize, usual + fields, host).status, status);
    }

    void onlyTheTokenLetsIn_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<int>("status");
        QTest::newRow("right") << "Authorization: Bearer right\r\n"_ba << 200;
        QTest::newRow("lower case") << "authorization: bearer right\r\n"_ba << 200;
        QTest::newRow("none") << ""_ba << 401;
        QTest::newRow("empty") << "Authorization: Bearer \r\n"_ba << 401;
        QTest::newRow("wrong") << "Authorization: Bearer wrong\r\n"_ba << 401;
        QTest::newRow("its beginning") << "Authorization: Bearer righ\r\n"_ba << 401;
        QTest::newRow("another kind") << "Authorization: Basic right\r\n"_ba << 401;
        QTest::newRow("in the address") << "X-Token: right\r\n"_ba << 401;
    }
    void onlyTheTokenLetsIn()
    {
        QFETCH(QByteArray, field);
        QFETCH(int, status);
        Place place;
        const HttpReply reply =
            HttpVisitor(place.port)
                .exchange(initialize, QByteArray(usual).replace("Authorization: Bearer right\r\n", field));
        QCOMPARE(reply.status, status);
        QCOMPARE(reply.field("WWW-Authenticate").startsWith("Bearer realm="), status == 401);
    }

    void otherRequestsAreRefused()
    {
        Place place;
        const auto status = [&](const QByteArray &bytes) {
            HttpVisitor visitor(place.port);
            visitor.send(bytes);
            return visitor.receive().status;
        };
        const QByteArray host = " HTTP/1.1\r\nHost: localhost\r\n";
        QCOMPARE(status("GET /mcp" + host + usual + "\r\n"), 405);
        QCOMPARE(status("OPTIONS /mcp" + host + usual + "\r\n"), 405);
        QCOMPARE(status("POST /" + host + usual + "Content-Length: 2\r\n\r\n{}"), 404);
        QCOMPARE(status("POST /mcp" + host + QByteArray(usual).replace("application/json\r\nA", "text/plain\r\nA")
                        + "Content-Length: 2\r\n\r\n{}"),
                 415);
        QCOMPARE(status("POST /mcp" + host + QByteArray(usual).replace(", text/event-stream", "")
                        + "Content-Length: 2\r\n\r\n{}"),
                 406);
        QCOMPARE(status("POST /mcp" + host + usual + "Content-Length: 104857600\r\n\r\n"), 413);
        QCOMPARE(status("POST /mcp" + host + usual + "\r\n"), 411);
        QCOMPARE(status("POST /mcp" + host + usual + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 411);
        QCOMPARE(status("POST /mcp" + host + usual + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), 400);
        QCOMPARE(status("POST /mcp" + host + usual + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"), 400);
        QCOMPARE(status("garbage\r\n\r\n"), 400);
    }

    void aClientThatGoesTakesItsCallAlong_data()
    {
        QTest::addColumn<bool>("withProgress");
        QTest::newRow("before an answer") << false;
    }
    void aClientThatGoesTakesItsCallAlong()
    {
        const int before = cancelled, started = waiting;
        Place place;
        HttpVisitor visitor(place.port);
        visitor.post(request("tools/call", R"("name":"wait",)" + QByteArray(stateless)),
                     usual + modern + "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n");
        QTRY_COMPARE(waiting.load(), started + 1);
        visitor.hangUp();
        QTRY_COMPARE(cancelled.load(), before + 1);
        QCOMPARE(HttpVisitor(place.port).exchange(initialize).status, 200);
    }

    void theEndOfTheServerEndsItsCalls()
    {
        const int before = cancelled, started = waiting;
        {
            Place place;
            std::vector<std::unique_ptr<HttpVisitor>> visitors;
            for (int i = 0; i < 5; ++i) {
                visitors.push_back(std::make_unique<HttpVisitor>(place.port));
                visitors.back()->post(request("tools/call", R"("name":"wait",)" + QByteArray(stateless)),
                                      usual + modern + "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n");
            }
            QTRY_COMPARE(waiting.load(), started + 5);
        }
        QCOMPARE(cancelled.load(), before + 5);
    }

    void thereAreNoMoreSessionsThanMayBe()
    {
        Place place;
        HttpVisitor visitor(place.port);
        const QByteArray others = QByteArray(usual).replace("right", "other");
        const QByteArray another = visitor.exchange(initialize, others).field("Mcp-Session-Id");
        const QByteArray first = visitor.exchange(initialize).field("Mcp-Session-Id");
        QByteArray last;
        for (int i = 0; i < httpSessionsMax; ++i)
            last = visitor.exchange(initialize).field("Mcp-Session-Id");
        QCOMPARE(visitor.exchange(request("ping"), usual + "Mcp-Session-Id: " + first + "\r\n").status, 404);
        QCOMPARE(visitor.exchange(request("ping"), usual + "Mcp-Session-Id: " + last + "\r\n").status, 200);
        // No client takes another's room.
        QCOMPARE(visitor.exchange(request("ping"), others + "Mcp-Session-Id: " + another + "\r\n").status, 200);
    }
};

QTEST_GUILESS_MAIN(TestHttp)
#include "tst_mcphttp.moc"
