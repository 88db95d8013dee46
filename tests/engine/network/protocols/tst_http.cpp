// SPDX-License-Identifier: Apache-2.0
// Heads of requests and responses: what clients send to a proxy, and every way in which a second request could hide in one.
#include "engine/network/protocols/http/firstwords.h"
#include "engine/network/protocols/http/httprequest.h"
#include "engine/network/protocols/http/httpresponse.h"

#include "splits.h"

using namespace glovebox::network;

namespace {

auto request(const std::string &bytes, HttpListener listener = HttpListener::Proxy)
{
    return atEverySplit(
        bytes, [&](std::string_view part, std::size_t seen) { return parseHttpRequest(part, listener, seen); });
}

auto response(const std::string &bytes, const std::string &method = "GET"s)
{
    return atEverySplit(bytes,
                        [&](std::string_view part, std::size_t seen) { return parseHttpResponse(part, method, seen); });
}

// What the server gets of a request to the proxy with those fields.
std::string sentOn(const std::string &fields, const std::string &line = "GET http://example.org/a?b HTTP/1.1"s)
{
    const auto parsed = request(line + "\r\n"s + fields + "\r\n"s);
    return parsed.state == ParseState::Done ? httpHeadForServer(parsed.value) : std::string(parsed.fault);
}

// The verdict on each beginning is the same, or none.
std::optional<bool> firstVerdict(const std::string &bytes)
{
    const std::optional<bool> whole = looksLikeHttp(bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::optional<bool> part = looksLikeHttp(bytes.substr(0, size));
        if (part && part != whole)
            qFatal("another verdict on the first %zu bytes", size);
    }
    if (whole && looksLikeHttp(bytes + " HTTP/1.1\n\0"s) != whole)
        qFatal("what follows changes the verdict");
    return whole;
}

HttpBody length(std::uint64_t bytes)
{
    return {HttpBody::Framing::Length, bytes};
}

constexpr HttpBody chunked{HttpBody::Framing::Chunked, 0};
constexpr HttpBody untilClose{HttpBody::Framing::UntilClose, 0};

} // namespace

class TestHttp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRequestToTheProxyBecomesOneToTheServer()
    {
        QCOMPARE(sentOn("Host: example.org\r\nAccept: */*\r\n"s),
                 "GET /a?b HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n"s);
        QCOMPARE(sentOn("Host: x\r\n"s, "GET http://Example.ORG.:8080 HTTP/1.1"s),
                 "GET / HTTP/1.1\r\nHost: example.org:8080\r\n\r\n"s);
        QCOMPARE(sentOn("Host: x\r\n"s, "GET HTTP://example.org:80?q HTTP/1.1"s),
                 "GET /?q HTTP/1.1\r\nHost: example.org\r\n\r\n"s);
        QCOMPARE(sentOn("Host: x\r\n"s, "OPTIONS http://[2606:2800:0::1]:81 HTTP/1.1"s),
                 "OPTIONS * HTTP/1.1\r\nHost: [2606:2800::1]:81\r\n\r\n"s);
        QCOMPARE(sentOn(""s, "GET http://example.org/\xc3\xa4 HTTP/1.0"s),
                 "GET /\xc3\xa4 HTTP/1.0\r\nHost: example.org\r\nConnection: close\r\n\r\n"s);
    }

    void theUrisHostWinsOverTheHostField()
    {
        QCOMPARE(sentOn("Host: evil.com\r\n"s), "GET /a?b HTTP/1.1\r\nHost: example.org\r\n\r\n"s);
        const auto parsed = request("GET http://example.org/ HTTP/1.1\r\nHost: evil.com\r\n\r\n"s);
        QCOMPARE(parsed.value.host, *canonicalHost("example.org"));
        QCOMPARE(parsed.value.port, 80);
    }

    void whatIsMeantForTheProxyStaysThere()
    {
        QCOMPARE(
            sentOn("Host: x\r\nProxy-Connection: Keep-Alive\r\nPROXY-Authorization: Basic eA==\r\nKeep-Alive: 5\r\n"
                   "TE: trailers\r\nConnection: X-One, x-two,close\r\nX-One: 1\r\nX-TWO: 2\r\nX-Three: 3\r\n"s),
            "GET /a?b HTTP/1.1\r\nHost: example.org\r\nX-Three: 3\r\nConnection: close\r\n\r\n"s);
        // No upgrade but one: what came after it could not be checked.
        QCOMPARE(
            sentOn("Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"s),
            "GET /a?b HTTP/1.1\r\nHost: example.org\r\n\r\n"s);
        for (const std::string &upgrade :
             {"Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n"s, "Upgrade: websocket\r\n"s,
              "Connection: Upgrade\r\n"s, "Connection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n"s})
            QCOMPARE(sentOn("Host: x\r\n"s + upgrade), "GET /a?b HTTP/1.1\r\nHost: example.org\r\n\r\n"s);
        QCOMPARE(sentOn("Host: x\r\nConnection: keep-alive, upgrade\r\nUpgrade: WebSocket\r\n"s),
                 "GET /a?b HTTP/1.1\r\nHost: example.org\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"s);
        // Naming the body's framing or the host as of this hop doesn't make them go away.
        QCOMPARE(sentOn("Host: x\r\nConnection: Content-Length, Host\r\nContent-Length: 5\r\n"s,
                        "POST http://example.org/ HTTP/1.1"s),
                 "POST / HTTP/1.1\r\nHost: example.org\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"s);
        QCOMPARE(sentOn("Host: x\r\nConnection: Transfer-Encoding\r\nTransfer-Encoding: Chunked\r\n"s,
                        "POST http://example.org/ HTTP/1.1"s),
                 "POST / HTTP/1.1\r\nHost: example.org\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"s);
    }

    void aTunnelIsAskedForByHostAndPort()
    {
        const std::string bytes = "CONNECT Example.org:443 HTTP/1.1\r\nHost: evil.com:443\r\n\r\n"s;
        const auto parsed = request(bytes + "\x16\3\1"s);
        QCOMPARE(parsed.state, ParseState::Done);
        QVERIFY(parsed.value.isConnect());
        QCOMPARE(parsed.value.host, *canonicalHost("example.org"));
        QCOMPARE(parsed.value.port, 443);
        QCOMPARE(parsed.used, bytes.size());
        QCOMPARE(request("CONNECT [2606:2800::1]:22 HTTP/1.0\r\n\r\n"s).value.host, *canonicalHost("2606:2800::1"));
    }

    void withoutAProxyTheHostFieldNamesTheHost()
    {
        const auto parsed =
            request("GET //a HTTP/1.1\r\nAccept: a\r\nhost:\tExample.ORG:8080 \r\n\r\n"s, HttpListener::Transparent);
        QCOMPARE(parsed.state, ParseState::Done);
        QCOMPARE(parsed.value.host, *canonicalHost("example.org"));
        QCOMPARE(parsed.value.port, 8080);
        QCOMPARE(httpHeadForServer(parsed.value), "GET //a HTTP/1.1\r\nHost: example.org:8080\r\nAccept: a\r\n\r\n"s);
        QCOMPARE(request("OPTIONS * HTTP/1.1\r\nHost: a.org\r\n\r\n"s, HttpListener::Transparent).value.target, "*"s);
        for (const std::string &line :
             {"GET http://a.org/ HTTP/1.1"s, "CONNECT a.org:443 HTTP/1.1"s, "GET a.org HTTP/1.1"s, "GET * HTTP/1.1"s})
            QCOMPARE(request(line + "\r\nHost: a.org\r\n\r\n"s, HttpListener::Transparent).state,
                     ParseState::Malformed);
        for (const std::string &fields : {""s, "Host:\r\n"s, "Host: a.org\r\nHost: a.org\r\n"s, "Host: *.a.org\r\n"s,
                                          "Host: a.org,b.org\r\n"s, "Host: a.org/\r\n"s, "Host: a@b.org\r\n"s})
            QCOMPARE(request("GET / HTTP/1.1\r\n"s + fields + "\r\n"s, HttpListener::Transparent).state,
                     ParseState::Malformed);
    }

    void anOldRequestWithoutAHostMeansItsConnections()
    {
        const auto parsed = request("GET /a HTTP/1.0\r\nAccept: a\r\n\r\n"s, HttpListener::Transparent);
        QCOMPARE(parsed.state, ParseState::Done);
        QCOMPARE(parsed.value.host, Host());
        QVERIFY(!parsed.value.keepAlive);
        QCOMPARE(request("GET / HTTP/1.0\r\nHost:\r\n\r\n"s, HttpListener::Transparent).state, ParseState::Malformed);
        QCOMPARE(request("GET / HTTP/1.0\r\n\r\n"s).state, ParseState::Malformed); // a proxy has no host of its own
    }

    void bodiesAreDescribed()
    {
        const auto body = [](const std::string &fields) {
            return request("POST http://a.org/ HTTP/1.1\r\nHost: a.org\r\n"s + fields + "\r\n"s).value.body;
        };
        QCOMPARE(body(""s), HttpBody{});
        QCOMPARE(body("Content-Length: 0\r\n"s), length(0));
        QCOMPARE(body("content-length:7 \r\n"s), length(7));
        QCOMPARE(body("Content-Length: 7\r\nContent-Length: 7\r\n"s), length(7));
        QCOMPARE(body("Content-Length: 999999999999999999\r\n"s), length(999999999999999999));
        QCOMPARE(body("Transfer-Encoding: CHUNKED\r\n"s), chunked);
        QCOMPARE(sentOn("Host: x\r\nContent-Length: 07\r\nContent-Length: 7\r\n"s),
                 "GET /a?b HTTP/1.1\r\nHost: example.org\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"s);
    }

    void aClientThatWaitsBeforeItsBodyIsKnown()
    {
        const std::string line = "POST http://a.org/ HTTP/1.1\r\nHost: a.org\r\n"s;
        const auto parsed = request(line + "Expect: 100-Continue\r\nContent-Length: 7\r\n\r\n"s);
        QVERIFY(parsed.value.expectsContinue);
        QCOMPARE(httpHeadForServer(parsed.value),
                 "POST / HTTP/1.1\r\nHost: a.org\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"s);
        QVERIFY(!request(line + "Expect: 100-continue\r\n\r\n"s).value.expectsContinue); // for nothing
        QCOMPARE(request(line + "Expect: more\r\nContent-Length: 7\r\n\r\n"s).state, ParseState::Malformed);
    }

    void connectionsAreKeptAsTheClientWishes()
    {
        const auto keeps = [](const std::string &version, const std::string &fields) {
            return request("GET http://a.org/ HTTP/"s + version + "\r\nHost: a.org\r\n"s + fields + "\r\n"s)
                .value.keepAlive;
        };
        QVERIFY(keeps("1.1"s, ""s));
        QVERIFY(!keeps("1.1"s, "Connection: close\r\n"s));
        QVERIFY(!keeps("1.1"s, "Connection: x, Close\r\n"s));
        QVERIFY(!keeps("1.1"s, "Proxy-Connection: close\r\n"s));
        QVERIFY(!keeps("1.0"s, "Connection: keep-alive\r\n"s));
    }

    void badRequestsAreRefused_data()
    {
        QTest::addColumn<std::string>("bytes");
        const auto row = [](const char *name, const std::string &bytes) { QTest::newRow(name) << bytes; };
        const auto line = [&](const char *name, const std::string &first) {
            row(name, first + "\r\nHost: a.org\r\n\r\n"s);
        };
        const auto field = [&](const char *name, const std::string &fields) {
            row(name, "POST http://a.org/ HTTP/1.1\r\nHost: a.org\r\n"s + fields + "\r\n\r\n"s);
        };
        row("TLS", "\x16\3\1\2\0\1\0\1\xfc"s);
        row("SOCKS", "\5\1\0"s);
        row("a first byte that no method has", "(GET"s);
        row("empty line first", "\r\nGET http://a.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n"s);
        line("HTTP/2", "PRI * HTTP/2.0"s);
        line("HTTP/0.9", "GET http://a.org/"s);
        line("HTTP/1.2", "GET http://a.org/ HTTP/1.2"s);
        line("http/1.1", "GET http://a.org/ http/1.1"s);
        line("two blanks", "GET  http://a.org/ HTTP/1.1"s);
        line("blank in the address", "GET http://a.org/ b HTTP/1.1"s);
        line("tab in the address", "GET http://a.org/\tb HTTP/1.1"s);
        line("blank at the end", "GET http://a.org/ HTTP/1.1 "s);
        line("blank first", " GET http://a.org/ HTTP/1.1"s);
        line("odd method", "GE(T http://a.org/ HTTP/1.1"s);
        line("long method", std::string(33, 'G') + " http://a.org/ HTTP/1.1"s);
        line("path to a proxy", "GET / HTTP/1.1"s);
        line("https", "GET https://a.org/ HTTP/1.1"s);
        line("ftp", "GET ftp://a.org/ HTTP/1.1"s);
        line("no host", "GET http:/// HTTP/1.1"s);
        line("user", "GET http://user@a.org/ HTTP/1.1"s);
        line("user and password", "GET http://user:pw@a.org/ HTTP/1.1"s);
        line("user that looks like a host", "GET http://a.org:80@evil.com/ HTTP/1.1"s);
        line("backslash", "GET http://a.org\\@evil.com/ HTTP/1.1"s);
        line("fragment", "GET http://a.org/#x HTTP/1.1"s);
        line("fragment for a path", "GET http://a.org#@evil.com/ HTTP/1.1"s);
        line("percent in the host", "GET http://a%2eorg/ HTTP/1.1"s);
        line("not ASCII", "GET http://\xc3\xa4.org/ HTTP/1.1"s);
        line("port 0", "GET http://a.org:0/ HTTP/1.1"s);
        line("port 99999", "GET http://a.org:99999/ HTTP/1.1"s);
        line("no port after the colon", "GET http://a.org:/ HTTP/1.1"s);
        line("decimal address", "GET http://2130706433/ HTTP/1.1"s);
        line("zone", "GET http://[fe80::1%25eth0]/ HTTP/1.1"s);
        line("mapped address", "GET http://[::ffff:7f00:1]/ HTTP/1.1"s);
        line("wildcard", "GET http://*.a.org/ HTTP/1.1"s);
        line("CONNECT without a port", "CONNECT a.org HTTP/1.1"s);
        line("CONNECT with a path", "CONNECT a.org:443/ HTTP/1.1"s);
        line("CONNECT with a scheme", "CONNECT http://a.org:443 HTTP/1.1"s);
        line("CONNECT with a user", "CONNECT user@a.org:443 HTTP/1.1"s);
        line("CONNECT without brackets", "CONNECT ::1:443 HTTP/1.1"s);
        line("connect in small letters", "connect a.org:443 HTTP/1.1"s);
        row("CONNECT with a body", "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org\r\nContent-Length: 5\r\n\r\n"s);
        row("CONNECT with an empty body", "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org\r\nContent-Length: 0\r\n\r\n"s);
        row("no Host", "GET http://a.org/ HTTP/1.1\r\n\r\n"s);
        field("two Hosts", "Host: b.org"s);
        field("length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked"s);
        field("chunks and length", "Transfer-Encoding: chunked\r\nContent-Length: 5"s);
        field("two lengths", "Content-Length: 5\r\nContent-Length: 6"s);
        field("list of lengths", "Content-Length: 5, 5"s);
        field("empty length", "Content-Length:"s);
        field("negative length", "Content-Length: -1"s);
        field("length with plus", "Content-Length: +5"s);
        field("hexadecimal length", "Content-Length: 0x5"s);
        field("fraction", "Content-Length: 5.0"s);
        field("huge length", "Content-Length: 18446744073709551616"s);
        field("length past 63 bits", "Content-Length: 9223372036854775808"s);
        field("gzip, chunked", "Transfer-Encoding: gzip, chunked"s);
        field("chunked, identity", "Transfer-Encoding: chunked, identity"s);
        field("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"s);
        field("identity", "Transfer-Encoding: identity"s);
        field("xchunked", "Transfer-Encoding: xchunked"s);
        field("empty coding", "Transfer-Encoding:"s);
        field("vertical tab", "Transfer-Encoding: \vchunked"s);
        row("chunks in HTTP/1.0", "POST http://a.org/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"s);
        field("blank before the colon", "Content-Length : 5"s);
        field("tab before the colon", "Transfer-Encoding\t: chunked"s);
        field("field that goes on", "X: a\r\n b"s);
        field("field that goes on by a tab", "X: a\r\n\tTransfer-Encoding: chunked"s);
        row("first field that goes on", "GET http://a.org/ HTTP/1.1\r\n Host: a.org\r\n\r\n"s);
        field("no colon", "X"s);
        field("no name", ": x"s);
        field("odd name", "X(y): z"s);
        field("NUL", "X: a\0b"s);
        field("escape", "X: a\x1b[2J"s);
        field("delete", "X: a\x7f"s);
        field("CR alone", "X: a\rTransfer-Encoding: chunked"s);
        field("LF alone", "X: a\nTransfer-Encoding: chunked"s);
        field("CR CR LF", "X: a\r\r\nY: b"s);
        row("LF only", "GET http://a.org/ HTTP/1.1\nHost: a.org\n\n"s);
        QByteArray many;
        for (int i = 0; i < 129; ++i)
            many += "X: y\r\n";
        field("too many fields", many.chopped(2).toStdString());
    }

    void badRequestsAreRefused()
    {
        QFETCH(std::string, bytes);
        QCOMPARE(request(bytes).state, ParseState::Malformed);
    }

    void aHeadHasAnEnd()
    {
        const std::string start = "GET http://a.org/ HTTP/1.1\r\nHost: a.org\r\nX: "s;
        const std::string fits = start + std::string(httpHeadMax - start.size() - 4, 'x') + "\r\n\r\n"s;
        QCOMPARE(fits.size(), httpHeadMax);
        const auto parse = [](const std::string &bytes) { return parseHttpRequest(bytes, HttpListener::Proxy).state; };
        QCOMPARE(parse(fits), ParseState::Done);
        QCOMPARE(parse(start + 'x' + fits.substr(start.size())), ParseState::Malformed);
        QCOMPARE(parse(fits.substr(0, httpHeadMax - 4)), ParseState::NeedMore);
        QCOMPARE(parse(start + std::string(httpHeadMax, 'x')), ParseState::Malformed);
    }

    void aRequestIsToldFromOtherFirstWords()
    {
        for (const std::string &bytes :
             {"GET / HTTP/1.1\r\n"s, "CONNECT a"s, "\r\n\nPOST "s, "BREW /pot HTTP/1.1\r\n"s, "get / HTTP/1.0"s,
              std::string(57, '\n'), std::string(56, '\n') + "GET "s, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s,
              " BREW /pot HTTP/1.1"s, "BREW\t/pot\tHTTP/1.1"s, "BREW /pot http/1.1"s, "BREW /\xc3\xa4 b HTTP/"s,
              "BREW /"s + std::string(8000, 'x') + " HTTP/1.1"s, "BREW /\rHTTP/1.1"s})
            QVERIFY2(firstVerdict(bytes).value_or(false), bytes.c_str());
        for (const std::string &bytes : {""s, "G"s, "GET"s, "\r\n"s, "\r\nTRAC"s, "PING"s, "knock"s, "BREW /pot"s,
                                         "BREW /pot HTTP"s, "EHLO a\r"s, "PRI * "s, std::string(56, '\n'), " "s})
            QVERIFY2(!firstVerdict(bytes), bytes.c_str());
        for (const std::string &bytes :
             {"SSH-2.0-x\r\n"s, "knock\n"s, "get key\r\n"s, "EHLO a\r\n"s, "\0"s, "\x16\3\1"s, "Gopher\r\n"s,
              "{\"a\": 1}\nX HTTP/1.1"s, "PING\r"s, "a1 LOGIN a b\nX / HTTP/1.1\r\n"s, "AMQP\0\0\x09\x01"s,
              "0031git-upload-pack /a\0host=a\0"s, "BREW /\x01 HTTP/1.1"s, std::string(33, 'B') + " / HTTP/1.1"s,
              "BREW /"s + std::string(8200, 'x') + " HTTP/1.1"s})
            QVERIFY2(!firstVerdict(bytes).value_or(true), bytes.c_str());
    }

    void responsesSayHowTheyEnd_data()
    {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::string>("method");
        QTest::addColumn<int>("status");
        QTest::addColumn<HttpBody>("body");
        QTest::addColumn<bool>("keepAlive");
        const auto row = [](const char *name, const std::string &line, const std::string &fields, int status,
                            const HttpBody &body, bool keepAlive, const std::string &method = "GET"s) {
            QTest::newRow(name) << "HTTP/1."s + line + "\r\n"s + fields + "\r\n"s << method << status << body
                                << keepAlive;
        };
        row("length", "1 200 OK"s, "Content-Length: 5\r\n"s, 200, length(5), true);
        row("empty", "1 200 OK"s, "Content-Length: 0\r\n"s, 200, length(0), true);
        row("chunks", "1 404 Not Found"s, "Transfer-Encoding: chunked\r\n"s, 404, chunked, true);
        row("until it closes", "1 200 OK"s, ""s, 200, untilClose, false);
        row("closes", "1 200 OK"s, "Content-Length: 5\r\nConnection: Close\r\n"s, 200, length(5), false);
        row("HEAD", "1 200 OK"s, "Content-Length: 5\r\n"s, 200, {}, true, "HEAD"s);
        row("HEAD of chunks", "1 200 OK"s, "Transfer-Encoding: chunked\r\n"s, 200, {}, true, "HEAD"s);
        row("continue", "1 100 Continue"s, ""s, 100, {}, true);
        row("early hints", "1 103 Early Hints"s, "Link: </a>\r\n"s, 103, {}, true);
        row("another protocol", "1 101 Switching Protocols"s, "Upgrade: websocket\r\n"s, 101, {}, true);
        row("no content", "1 204"s, ""s, 204, {}, true);
        row("not modified", "1 304 "s, "Content-Length: 5\r\n"s, 304, {}, true);
        row("HTTP/1.0", "0 200 OK"s, "Content-Length: 5\r\n"s, 200, length(5), false);
        row("HTTP/1.0, kept", "0 200 OK"s, "Content-Length: 5\r\nConnection: keep-alive\r\n"s, 200, length(5), true);
        row("odd reason", "1 599 \xc3\xa4 (x): "s, "Content-Length: 5\r\n"s, 599, length(5), true);
    }

    void responsesSayHowTheyEnd()
    {
        QFETCH(std::string, bytes);
        QFETCH(std::string, method);
        QFETCH(int, status);
        QFETCH(HttpBody, body);
        QFETCH(bool, keepAlive);
        const auto parsed = response(bytes, method);
        QCOMPARE(parsed, done(HttpResponse{status, body, keepAlive}, bytes.size()));
        QCOMPARE(parsed.value.isInterim(), status < 200 && status != 101);
        QCOMPARE(parsed.value.changesProtocol(), status == 101);
    }

    void badResponsesAreRefused()
    {
        const std::string end = "\r\nContent-Length: 5\r\n\r\n"s;
        for (const std::string &bytes :
             {"HTTP/2 200 OK"s + end, "HTTP/1.2 200 OK"s + end, "HTTP/1.1 20 OK"s + end, "HTTP/1.1 2000"s + end,
              "HTTP/1.1  200 OK"s + end, "HTTP/1.1 099 OK"s + end, "HTTP/1.1 600 OK"s + end, "ICY 200 OK"s + end,
              "HTTP/1.1 200 OK\n"s, "\x15\3\3"s, "<html>"s, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"s + end,
              "HTTP/1.1 200 OK\r\nContent-Length: 6"s + end, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"s,
              "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n"s, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"s})
            QVERIFY2(response(bytes).state == ParseState::Malformed, bytes.c_str());
    }

    void ourOwnAnswersAreResponses()
    {
        for (const int status : {400, 403, 502, 503, 504}) {
            const auto parsed = response(httpReply(status, "No."));
            QCOMPARE(parsed.value, (HttpResponse{status, length(3), false}));
            QVERIFY(httpReply(status, "No.").ends_with("\r\n\r\nNo."));
        }
        QCOMPARE(httpReply(200), "HTTP/1.1 200 Connection established\r\n\r\n"s);
        QVERIFY(response(std::string(httpContinue)).value.isInterim());
    }
};

QTEST_GUILESS_MAIN(TestHttp)
#include "tst_http.moc"
