// SPDX-License-Identifier: Apache-2.0
// Attacks on pairing over HTTP: by web pages, other users, and programs that want an answer that isn't theirs.
#include "pairingvisitor.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestPairingAttacks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void onlyAddressesOfThisMachineGetAnAnswer_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("isAllowed");
        const auto row = [](const char *address, bool isAllowed) {
            QTest::newRow(address) << QString::fromUtf8(address) << isAllowed;
        };
        for (const char *address :
             {"http://127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1:65535/a?b=c", "http://[::1]:1/a",
              "http://localhost:3000/callback", "http://localhost?x", "cursor://anysphere.cursor-mcp/oauth/callback"})
            row(address, true);
        for (const char *address : {"",
                                    "https://evil.example/",
                                    "http://evil.example/",
                                    "http://127.0.0.1.evil.example/",
                                    "http://127.0.0.1@evil.example/",
                                    "http://127.0.0.1:80@evil.example/",
                                    "http://127.0.0.1:/",
                                    "http://127.0.0.1:0/",
                                    "http://127.0.0.1:65536/",
                                    "http://127.0.0.1:+1/",
                                    "http://127.0.0.1:1x/",
                                    "http://localhost.evil.example/",
                                    "http://localhost\\@evil.example/",
                                    "http://127.0.0.1/#f",
                                    "http://127.0.0.1/ a",
                                    "http://127.0.0.1/\r\nX: y",
                                    "http://127.0.0.1/\xc3\xa4",
                                    "http://127.1/",
                                    "http://2130706433/",
                                    "http://0.0.0.0/",
                                    "http://[::ffff:127.0.0.1]/",
                                    "http://[::1]evil.example/",
                                    "http:/127.0.0.1/",
                                    "//127.0.0.1/",
                                    "HTTP://127.0.0.1/",
                                    " http://127.0.0.1/",
                                    "javascript:alert(1)//http://127.0.0.1/",
                                    "data:text/html,x",
                                    "file:///etc/passwd",
                                    "cursor://anysphere.cursor-mcp/oauth/callback2",
                                    "cursor://evil/",
                                    "vscode://x/y"})
            row(address, false);
    }
    void onlyAddressesOfThisMachineGetAnAnswer()
    {
        QFETCH(QString, address);
        QFETCH(bool, isAllowed);
        const PairingVisitor visitor(common().port);
        const HttpReply alone = visitor.registers({{u"redirect_uris"_s, QJsonArray{address}}});
        QCOMPARE(alone.status, isAllowed ? 201 : 400);
        if (!isAllowed)
            QCOMPARE(alone.json()[u"error"].toString(), u"invalid_redirect_uri"_s);
        // Beside a good one, as some editors name one of their web site: left out.
        const QString good = u"http://127.0.0.1/good"_s;
        const HttpReply beside = visitor.registers({{u"redirect_uris"_s, QJsonArray{address, good}}});
        QCOMPARE(beside.json()[u"redirect_uris"].toArray(), (isAllowed ? QJsonArray{address, good} : QJsonArray{good}));
    }

    void registrationsThatAreNoneAreRefused_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<int>("status");
        const QByteArray good = "{\"redirect_uris\":[\"http://127.0.0.1/\"]}";
        QTest::newRow("good") << QByteArray("application/json; charset=utf-8") << good << 201;
        // What a web page can send without asking first.
        QTest::newRow("as text") << QByteArray("text/plain") << good << 400;
        QTest::newRow("as a form") << QByteArray("application/x-www-form-urlencoded") << good << 400;
        const QByteArray json("application/json");
        QTest::newRow("nothing") << json << QByteArray() << 400;
        QTest::newRow("a list") << json << QByteArray("[]") << 400;
        QTest::newRow("addresses of other types") << json << QByteArray("{\"redirect_uris\":[1,null,{}]}") << 400;
        QTest::newRow("one address") << json << QByteArray("{\"redirect_uris\":\"http://127.0.0.1/\"}") << 400;
        QTest::newRow("twice") << json << QByteArray("{\"redirect_uris\":[],\"redirect_uris\":[\"http://127.0.0.1/\"]}")
                               << 400;
        QTest::newRow("a name of 1 MB") << json
                                        << "{\"redirect_uris\":[\"http://127.0.0.1/\"],\"client_name\":\""
                                               + QByteArray(1'000'000, 'x') + "\"}"
                                        << 413;
        QTest::newRow("deep") << json << QByteArray(8000, '[') << 400;
    }
    void registrationsThatAreNoneAreRefused()
    {
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, body);
        QFETCH(int, status);
        QCOMPARE(PairingVisitor(common().port).post("/register", type, body).status, status);
    }

    // Shown, or brought to the program: before its address is sure, nobody is led anywhere.
    void requestsThatAreNoneAreRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("error"); // empty: shown
        const auto row = [](const char *what, const QString &name, const QByteArray &value, const QByteArray &error) {
            QTest::newRow(what) << name << value << error;
        };
        row("unknown client", u"client_id"_s, QByteArray(43, 'A'), "");
        row("no client", u"client_id"_s, "", "");
        row("no address", u"redirect_uri"_s, "", "");
        row("another path", u"redirect_uri"_s, "http://127.0.0.1:4321/other?a=b", "");
        row("another query", u"redirect_uri"_s, "http://127.0.0.1:4321/callback?a=b&c", "");
        row("another name of this machine", u"redirect_uri"_s, "http://localhost:4321/callback?a=b", "");
        row("an address elsewhere", u"redirect_uri"_s, "http://evil.example/callback?a=b", "");
        row("an address that begins well", u"redirect_uri"_s, "http://127.0.0.1:4321/callback?a=b#.evil.example", "");
        row("no way of answering", u"response_type"_s, "", "unsupported_response_type");
        row("a token at once", u"response_type"_s, "token", "unsupported_response_type");
        row("no challenge", u"code_challenge"_s, "", "invalid_request");
        row("a short challenge", u"code_challenge"_s, "abc", "invalid_request");
        row("a plain challenge", u"code_challenge_method"_s, "plain", "invalid_request");
        row("no method", u"code_challenge_method"_s, "", "invalid_request");
        row("another server", u"resource"_s, "http://127.0.0.1:1/mcp", "invalid_target");
        row("a server elsewhere", u"resource"_s, "https://evil.example/mcp", "invalid_target");
    }
    void requestsThatAreNoneAreRefused()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, error);
        PairingVisitor visitor(common().port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        const Form form = visitor.request();
        for (const HttpReply &reply :
             {visitor.browse(with(form, name, value)), // as it is, or not at all
              visitor.browse(value.isEmpty() ? without(form, name) : with(form, name, value))}) {
            QCOMPARE(reply.status, error.isEmpty() ? 400 : 302);
            QCOMPARE(reply.field("Location").isEmpty(), error.isEmpty());
            QCOMPARE(PairingVisitor::brought(reply, u"error"_s), error);
            QVERIFY(!reply.head.contains("code="));
        }
        // A good one beside it isn't taken for it.
        QCOMPARE(
            visitor.get("/authorize?" + encoded(form) + '&' + encoded({{name, value.isEmpty() ? "x" : value}})).status,
            400);
        QVERIFY2(!common().desk.seen.contains("asks to be paired"), common().desk.seen);
    }

    void aPageThatLoadsItAsAPartAsksNobody_data()
    {
        QTest::addColumn<QByteArray>("fields");
        QTest::newRow("frame") << QByteArray("Sec-Fetch-Dest: iframe\r\nSec-Fetch-Mode: navigate\r\n");
        QTest::newRow("picture") << QByteArray("Sec-Fetch-Dest: image\r\nSec-Fetch-Mode: no-cors\r\n");
        QTest::newRow("script") << QByteArray("Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\n");
        QTest::newRow("mode alone") << QByteArray("Sec-Fetch-Mode: no-cors\r\n");
        QTest::newRow("in advance") << QByteArray("Sec-Purpose: prefetch;prerender\r\n");
        QTest::newRow("another site's form") << QByteArray("Origin: https://evil.example\r\n");
        QTest::newRow("a document without origin") << QByteArray("Origin: null\r\n");
    }
    void aPageThatLoadsItAsAPartAsksNobody()
    {
        QFETCH(QByteArray, fields);
        PairingVisitor visitor(common().port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        const HttpReply reply = visitor.browse(visitor.request(), fields);
        QCOMPARE(reply.status, 403);
        QVERIFY2(!common().desk.seen.contains("asks to be paired"), common().desk.seen);
    }

    void everyPlaceIsForThisMachineByItsOwnName()
    {
        for (const char *place : allPlaces) {
            QCOMPARE(PairingVisitor(common().port, "evil.example").get(place).status, 403);
            QCOMPARE(PairingVisitor(common().port).get(place, "Origin: http://evil.example\r\n").status, 403);
            QCOMPARE(PairingVisitor(common().port)
                         .post(place, "application/json", "{}", "Origin: http://evil.example\r\n")
                         .status,
                     403);
        }
        for (const char *place : {"/register", "/token"})
            QCOMPARE(PairingVisitor(common().port).get(place).status, 405);
        for (const char *place : {"/authorize", allPlaces[0], allPlaces[2]})
            QCOMPARE(PairingVisitor(common().port).post(place, "application/json", "{}").status, 405);
        for (const char *place : {"/authorize/", "/registers", "/token/x", "/.well-known/openid-configuration", "/"})
            QCOMPARE(PairingVisitor(common().port).get(place).status, 404);
    }

    void noPageCanFrameOrReadAnAnswer()
    {
        PairingVisitor visitor(common().port);
        QVERIFY(visitor.registersAs(u"My Editor"_s));
        Form bad = with(visitor.request(), u"response_type"_s, "token");
        for (const HttpReply &reply : {visitor.browse({}), visitor.browse(bad), visitor.registers({}),
                                       visitor.redeem({}), visitor.get(allPlaces[0])}) {
            QCOMPARE(reply.field("Cache-Control"), "no-store");
            QCOMPARE(reply.field("X-Frame-Options"), "DENY");
            QCOMPARE(reply.field("Referrer-Policy"), "no-referrer");
            QCOMPARE(reply.field("X-Content-Type-Options"), "nosniff");
            const QByteArray policy = reply.field("Content-Security-Policy");
            QVERIFY2(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'")
                         && policy.contains("form-action 'none'"),
                     policy);
            QVERIFY(!reply.head.toLower().contains("access-control-"));
        }
    }

    void anotherUserIsRefused()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can become another user.");
        for (const char *place : allPlaces) {
            const pid_t child = ::fork();
            if (child == 0) {
                if (::setgid(65534) != 0 || ::setuid(65534) != 0)
                    ::_exit(3);
                HttpVisitor visitor(common().port);
                const bool isPosted = QByteArray(place) == "/register" || QByteArray(place) == "/token";
                std::ignore = visitor.trySend(
                    (isPosted ? "POST " : "GET ") + QByteArray(place)
                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
                ::_exit(visitor.receive().status == 403 ? 0 : 5);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0, place);
        }
    }

    // As Java has them: the kernel has such a connection in another table.
    void aSocketForBothFamiliesIsKnown()
    {
        UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(common().port);
        QCOMPARE(::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr), 1);
        if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
            QSKIP("This machine has no IPv6.");
        HttpVisitor visitor(std::move(socket));
        visitor.send(QByteArray("GET ") + allPlaces[2] + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QCOMPARE(visitor.receive().status, 200);
    }

    void questionsAreOneAtATimeAndFewAMinute()
    {
        AskingService service;
        PairingVisitor first(service.port), second(service.port);
        QVERIFY(first.registersAs(u"First"_s) && second.registersAs(u"Second"_s));
        const Form waiting = first.request();
        QCOMPARE(first.browse(waiting).status, 200);
        QVERIFY(service.isAsked());
        QCOMPARE(PairingVisitor::brought(second.browse(second.request()), u"error"_s), "temporarily_unavailable");
        QCOMPARE(PairingVisitor::brought(first.browse(first.request()), u"error"_s), "temporarily_unavailable");
        QVERIFY2(!service.desk.seen.contains("Second"), service.desk.seen);
        service.answer("\r");
        QCOMPARE(first.browseUntilAnswered(waiting).status, 302);
        for (int i = 0; i < 4; ++i) { // under names of which none was refused
            QVERIFY(second.registersAs(u"Second %1"_s.arg(i)));
            const Form request = second.request();
            QCOMPARE(second.browse(request).status, 200);
            QVERIFY(service.isAsked());
            service.answer("\r");
            QCOMPARE(second.browseUntilAnswered(request).status, 302);
        }
        QVERIFY(second.registersAs(u"Third"_s));
        QCOMPARE(PairingVisitor::brought(second.browse(second.request()), u"error"_s), "temporarily_unavailable");
    }

    void registrationsAreFewAndTheOldestGoes()
    {
        PairingVisitor first(common().port), last(common().port);
        QVERIFY(first.registersAs(u"First"_s));
        for (int i = 0; i < 32; ++i)
            QVERIFY(last.registersAs(u"Last"_s));
        QCOMPARE(first.browse(with(first.request(), u"response_type"_s, "")).status, 400); // unknown: shown
        QCOMPARE(last.browse(with(last.request(), u"response_type"_s, "")).status, 302);
    }

    void aHostileNameIsShownAsText()
    {
        AskingService service;
        PairingVisitor visitor(service.port);
        const QString evil =
            u"<script>alert(1)</script>\x1b[2J\r\n  Registered by: /usr/bin/true\u202e\u200b"_s + QString(9000, u'x');
        QVERIFY(visitor.registersAs(evil));
        const HttpReply page = visitor.browse(visitor.request());
        QVERIFY2(page.body.contains("&lt;script&gt;") && !page.body.contains("<script") && !page.body.contains("\u202e")
                     && !page.body.contains('\x1b'),
                 page.body);
        QVERIFY(service.isAsked());
        QVERIFY2(!service.desk.seen.contains("\x1b[2J") && !service.desk.seen.contains("\u202e")
                     && service.desk.seen.contains("\\u{202e}"),
                 service.desk.seen);
        QCOMPARE(service.desk.seen.count("\n  Registered by: "), 1);
        service.answer("\r");
    }

    // No question outlives the server, and no pairing that nobody has the token of.

private:
    // Of tests that ask nobody anything.
    AskingService &common()
    {
        if (!m_common)
            m_common = std::make_unique<AskingService>();
        return *m_common;
    }
    std::unique_ptr<AskingService> m_common;
};

QTEST_GUILESS_MAIN(TestPairingAttacks)
#include "tst_pairingattacks.moc"
