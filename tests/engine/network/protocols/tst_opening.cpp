// SPDX-License-Identifier: Apache-2.0
// What is passed on while it is looked at: no request of HTTP behind other words, and no second TLS hello for another host. TLS is
// OpenSSL's own.
#include "engine/network/protocols/opening.h"

#include "hellos.h"

#include <QTest>

#include <openssl/ssl.h>

#include <array>
#include <functional>
#include <memory>

using namespace glovebox::network;
using Side = Opening::Side;

namespace {

// What of the run's bytes gets to the server, in pieces of that size.
std::string passedOn(Opening &opening, const std::string &bytes, std::size_t step)
{
    std::string all;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
        const std::string piece = bytes.substr(i, step);
        if (!opening.follow(Side::Run, piece))
            return all;
        all += piece;
    }
    return all;
}

std::string plainly(const std::string &bytes, std::size_t step)
{
    PlainOpening opening;
    return passedOn(opening, bytes, step);
}

// One end of a handshake whose bytes go through our hands.
class TlsEnd
{
public:
    enum class Role { Client, Server };
    TlsEnd(Role role, int version, const char *groups, const char *host = nullptr)
        : m_context(SSL_CTX_new(role == Role::Client ? TLS_client_method() : TLS_server_method()), SSL_CTX_free)
    {
        SSL_CTX_set_max_proto_version(m_context.get(), version);
        SSL_CTX_set1_groups_list(m_context.get(), groups);
        if (role == Role::Server)
            useCertificate();
        m_ssl.reset(SSL_new(m_context.get()));
        m_in = BIO_new(BIO_s_mem());
        m_out = BIO_new(BIO_s_mem());
        SSL_set_bio(m_ssl.get(), m_in, m_out);
        if (role == Role::Client) {
            SSL_set_tlsext_host_name(m_ssl.get(), host);
            SSL_set_connect_state(m_ssl.get());
        } else {
            SSL_set_accept_state(m_ssl.get());
        }
    }

    void resume(const TlsEnd &other) { SSL_set_session(m_ssl.get(), SSL_get0_session(other.m_ssl.get())); }
    void shareTickets(const TlsEnd &other)
    {
        std::array<unsigned char, 80> keys{};
        SSL_CTX_get_tlsext_ticket_keys(other.m_context.get(), keys.data(), keys.size());
        SSL_CTX_set_tlsext_ticket_keys(m_context.get(), keys.data(), keys.size());
    }
    bool isResumed() const { return SSL_session_reused(m_ssl.get()) == 1; }

    // Takes what came, and gives what it says to that.
    std::string hear(const std::string &bytes)
    {
        BIO_write(m_in, bytes.data(), static_cast<int>(bytes.size()));
        if (SSL_do_handshake(m_ssl.get()) == 1 && !m_said) {
            m_said = true;
            SSL_write(m_ssl.get(), "hello", 5);
        }
        char piece[16];
        while (SSL_read(m_ssl.get(), piece, sizeof piece) > 0)
            m_heard = true;
        std::string out(BIO_ctrl_pending(m_out), '\0');
        BIO_read(m_out, out.data(), static_cast<int>(out.size()));
        return out;
    }
    bool heardTheOther() const { return m_heard; }

private:
    void useCertificate()
    {
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"),
                                                                      EVP_PKEY_free);
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
        X509_set_version(certificate.get(), X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        X509_sign(certificate.get(), key.get(), nullptr);
        SSL_CTX_use_certificate(m_context.get(), certificate.get());
        SSL_CTX_use_PrivateKey(m_context.get(), key.get());
    }

    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> m_context;
    std::unique_ptr<SSL, decltype(&SSL_free)> m_ssl{nullptr, SSL_free};
    BIO *m_in = nullptr; // the SSL's
    BIO *m_out = nullptr;
    bool m_said = false;
    bool m_heard = false;
};

constexpr const char *allowedName = "www.allowed.test";
constexpr const char *deniedName = "tenant.evil.test"; // as long

using Change = std::function<void(std::string &bytes, int turn)>; // of what the client says

// Lets both talk, in pieces of that size, until one hears the other's "hello". Nothing: everything was passed on.
QByteArrayView faultOf(TlsEnd &client, TlsEnd &server, std::size_t step, const Change &change = {})
{
    std::string out = client.hear({});
    TlsOpening opening(parseClientHello(out).value, out.size());
    for (int turn = 0; turn < 8 && !server.heardTheOther(); ++turn) {
        if (change)
            change(out, turn);
        const auto pass = [&](Side side, const std::string &bytes) {
            for (std::size_t i = 0; i < bytes.size(); i += step) {
                if (!opening.follow(side, bytes.substr(i, step)))
                    return false;
            }
            return true;
        };
        if (!pass(Side::Run, out))
            return QByteArrayView(opening.fault().data(), qsizetype(opening.fault().size()));
        const std::string answer = server.hear(out);
        if (!pass(Side::Server, answer))
            return QByteArrayView(opening.fault().data(), qsizetype(opening.fault().size()));
        out = client.hear(answer);
    }
    if (!server.heardTheOther() || !opening.isOver(Side::Run) || !opening.isOver(Side::Server))
        return "nobody came to an end";
    return {};
}

using Role = TlsEnd::Role;

// The second of these is what the server can't use at once.
constexpr const char *clientsGroups = "P-256:P-384";

Parsed<ClientHello> firstHello(std::string &bytes)
{
    bytes = record(named("example.org"));
    return parseClientHello(bytes);
}

// The server's answer that asks for another hello.
std::string retry()
{
    return record('\2'
                  + sized(3, "\3\3\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91"
                             "\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c"s
                                 + sized(1, "session"s) + "\x13\1\0"s + sized(2, ""s)));
}

} // namespace

class TestOpening : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Whatever was taken for something else, or waited for no longer, doesn't become a request.
    void noRequestPassesInAFirstLine()
    {
        for (const std::string &line :
             {"BREW /pot HTTP/1.1\r\n"s, "\r\n \r\nBREW /pot HTTP/1.1\r\n"s, "BREW /\x01 HTTP/1.1\n"s,
              "BREW /HTTHTTP/1.1\n"s, "PRI * HTTP/2.0\r\n"s, "brew /pot hTtP/1.1\r\n"s, "x\rBREW /pot HTTP/1.1\r\r"s,
              std::string(70000, 'x') + " / HTTP/1.1\r\n"s, "\xff\0 HTTP/1.1\n"s}) {
            const std::string bytes = line + "Host: b.org\r\n\r\n"s;
            for (const std::size_t step : {1, 2, 3, 5, 7, 64, 1000, 100'000})
                QVERIFY2(!plainly(bytes, step).contains("Host"), bytes.c_str());
            QVERIFY(plainly(bytes, 1).size() < bytes.find('/', bytes.find_last_of("Pp")) + 1);
        }
    }

    // Neither does what a server takes for one without the name of HTTP, or what it takes off before one.
    void otherBeginsOfARequestDoNotPass()
    {
        for (const std::string &line :
             {"GET\thttp://b.org/\r\n"s, "\r\nget  http://b.org/\n"s, "BREW\x0chttps://b.org/\r\n"s,
              "PROXY TCP4 1.2.3.4 5.6.7.8 80 80\r\n"s, "PROXY UNKNOWN\r\n"s, "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"s}) {
            for (const std::string &next : {"GET http://b.org/\r\n"s, record(named("b.org")), "Host: b.org\r\n\r\n"s}) {
                for (const std::size_t step : {1, 2, 3, 5, 7, 64, 100'000})
                    QVERIFY2(!plainly(line + next, step).contains("b.org"), line.c_str());
            }
        }
    }

    void noRequestPassesBehindOtherLines()
    {
        for (const std::string &junk : {"junk\r\n"s, "junk\n"s, "\0\xff\r\n"s, "GET / \r\n\r\n"s, "a\r\nb\r\n\r\n"s,
                                        "{\"a\": 1}\n"s, std::string(100'000, 'x') + '\n'}) {
            for (const std::string &line :
                 {"GET / HTTP/1.1\r\n"s, "  GET / HTTP/1.1\n"s, "get\t/\thttp/1.0 \r\n"s, "PRI * HTTP/2.0\r\n"s,
                  "BREW /HTTP/1.1 HTTP/1.1\r\n"s, "BREW / HTTP/1.1 HTTP/1.1\r\n"s, "BREW a b HTTP/1.1\r\r"s,
                  "GET\x0b/\x0cHTTP/1.1\x0b\r\n"s, "\x21\x11\0\x0cGET / HTTP/1.1\r\n"s, "[M / HTTP/ 1.1\n"s,
                  "GET http://b.org/\r\n"s, std::string(300, 'M') + " / HTTP/1.1\r\n"s}) {
                const std::string bytes = junk + line + "Host: b.org\r\n\r\n"s;
                for (const std::size_t step : {1, 2, 3, 5, 7, 64, 1'000'000})
                    QVERIFY2(!plainly(bytes, step).contains("Host"), bytes.c_str());
            }
        }
    }

    void otherTalkPasses()
    {
        for (const std::string &bytes :
             {"\n\nknock\nHTTP/1.1"s, "HTTHTTPHTTP\nHTTP/"s, "BREW a http://a.org/\n"s, "PING"s,
              "\0\0\0\x08\x04\xd2\x16\x2f"s, "a\n1.2.3.4 - - [1/Jan/2026] \"GET / HTTP/1.1\" 200 5\n"s,
              "a\n{\"request\": \"GET / HTTP/1.1\"}\n"s, "a\nwe speak of HTTP/1.1, not of HTTP/2 yet\n"s,
              "a\nsee HTTP/1.1\n"s, "a\nHTTP/1.1 200 OK\n"s, "PROXYING\r\n"s, "\0\r\r\n"s, "http://a.org/\nhttp://"s}) {
            for (const std::size_t step : {1, 2, 3, 100})
                QCOMPARE(plainly(bytes, step), bytes);
        }
    }

    void afterTheServersOwnWordsLaterLinesAreNotLookedAt()
    {
        PlainOpening opening;
        QVERIFY(opening.follow(Side::Server, "HTT"));
        QVERIFY(opening.follow(Side::Server, "220 hello\r\n"));
        QVERIFY(opening.isOver(Side::Server) && !opening.isOver(Side::Run));
        QCOMPARE(passedOn(opening, "DATA\r\n"s, 2), "DATA\r\n"s);
        QVERIFY(opening.isOver(Side::Run));
        QVERIFY(opening.follow(Side::Run, "GET / HTTP/1.1\r\n"));
        // The first one is: servers of HTTP/2 may speak first.
        PlainOpening first;
        QVERIFY(first.follow(Side::Server, std::string_view("\0\0\0\4\0\0\0\0\0", 9)));
        QVERIFY(!first.follow(Side::Run, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    }

    void aServerThatAnswersByHttpIsNotAnswered()
    {
        for (const std::size_t step : {1, 2, 4, 100}) {
            PlainOpening opening;
            QVERIFY(opening.follow(Side::Run, "junk\r\n"));
            const std::string answer = "HTTP/1.1 400 Bad Request\r\n"s;
            bool passes = true;
            for (std::size_t i = 0; passes && i < answer.size(); i += step)
                passes = opening.follow(Side::Server, answer.substr(i, step));
            QVERIFY(!passes);
            QVERIFY(!opening.fault().empty());
        }
    }

    void muchJunkIsNotLookedThroughForEver()
    {
        PlainOpening opening;
        QCOMPARE(passedOn(opening, std::string(PlainOpening::junkMax, '\n') + "x\n"s, 4096).size(),
                 PlainOpening::junkMax + 2);
        QVERIFY(opening.isOver(Side::Run) && !opening.isOver(Side::Server));
        QVERIFY(!opening.follow(Side::Server, "HTTP/1.1 400 Bad Request\r\n"));
    }

    void handshakesPass_data()
    {
        QTest::addColumn<int>("version");
        QTest::addColumn<QByteArray>("groups"); // the server's
        QTest::newRow("TLS 1.3") << TLS1_3_VERSION << QByteArray("P-256");
        QTest::newRow("TLS 1.3 by a retry") << TLS1_3_VERSION << QByteArray("P-384");
        QTest::newRow("TLS 1.2") << TLS1_2_VERSION << QByteArray("P-256");
    }

    void handshakesPass()
    {
        QFETCH(int, version);
        QFETCH(QByteArray, groups);
        for (const std::size_t step : {1, 3, 100, 100'000}) {
            TlsEnd client(Role::Client, version, clientsGroups, allowedName);
            TlsEnd server(Role::Server, version, groups.constData());
            QCOMPARE(QLatin1StringView(faultOf(client, server, step)), QLatin1StringView(""));
            // Again, by the session: in TLS 1.2 the client's first record after the hello is encrypted.
            TlsEnd again(Role::Client, version, clientsGroups, allowedName);
            TlsEnd serverAgain(Role::Server, version, groups.constData());
            serverAgain.shareTickets(server);
            client.hear(server.hear({}));
            again.resume(client);
            QCOMPARE(QLatin1StringView(faultOf(again, serverAgain, step)), QLatin1StringView(""));
            QVERIFY(again.isResumed());
        }
    }

    void aSecondHelloForAnotherHostDoesNotPass()
    {
        for (const std::size_t step : {1, 3, 100, 100'000}) {
            TlsEnd client(Role::Client, TLS1_3_VERSION, clientsGroups, allowedName);
            TlsEnd server(Role::Server, TLS1_3_VERSION, "P-384");
            const auto fault = faultOf(client, server, step, [](std::string &bytes, int turn) {
                const std::size_t at = bytes.find(allowedName);
                if (turn == 1 && at != std::string::npos)
                    bytes.replace(at, std::string_view(allowedName).size(), deniedName);
            });
            QCOMPARE(QLatin1StringView(fault), QLatin1StringView("another host in the second TLS hello"));
        }
    }

    void oddSecondHellosDoNotPass_data()
    {
        QTest::addColumn<std::string>("answer");
        QTest::addColumn<std::string>("then");
        const auto row = [](const char *label, const std::string &answer, const std::string &then) {
            QTest::newRow(label) << answer << then;
        };
        const std::string other = record(named("evil.example"));
        const std::string change = "\x14\3\3\0\1\1"s;
        const std::string early = "\x17\3\3"s + sized(2, "early"s);
        const std::string plain = record('\2' + sized(3, "\3\3"s + std::string(40, 'r')));
        row("before any answer", {}, other);
        row("the same before any answer", {}, record(named("example.org")));
        row("after a change before any answer", {}, change + other);
        row("after early data", {}, early + other);
        row("after an answer", plain, other);
        row("after an alert", "\x15\3\3\0\2\1\x70"s, other);
        row("after a warning and a retry", "\x15\3\3\0\2\1\x70"s + retry(), change + other);
        row("for another host", retry(), other);
        row("for another host, after all else", retry(), early + change + early + other);
        row("without a host", retry(), record(message(""s)));
        row("in crumbs", retry(),
            record(named("evil.example").substr(0, 60)) + record(named("evil.example").substr(60)));
        row("two names", retry(), record(message(sized(2, serverName("example.org") + serverName("evil.example")))));
        row("another message", retry(), record("\x10"s + sized(3, "key"s)));
        row("no TLS", retry(), "GET / HTTP/1.1\r\n"s);
        row("no TLS before any answer", {}, "GET / HTTP/1.1\r\n"s);
        row("a request in early data", {}, "\x17\3\3"s + sized(2, "\r\nGET / HTTP/1.1\r\nHost: b.org\r\n"s));
        row("an endless record", retry(), "\x17\3\3\xff\xff"s);
    }

    void oddSecondHellosDoNotPass()
    {
        QFETCH(std::string, answer);
        QFETCH(std::string, then);
        for (const std::size_t step : {1, 2, 7, 100'000}) {
            std::string bytes;
            const auto first = firstHello(bytes);
            TlsOpening opening(first.value, first.used);
            QCOMPARE(passedOn(opening, bytes, step), bytes);
            QVERIFY(opening.follow(Side::Server, answer));
            QVERIFY(passedOn(opening, then, step).size() < then.size());
            QVERIFY(!opening.fault().empty());
        }
    }

    void theSameHostMayBeAskedForAgain()
    {
        for (const std::string &before : {""s, "\x14\3\3\0\1\1"s, "\x17\3\3"s + sized(2, std::string(5000, 'e'))}) {
            std::string bytes;
            const auto first = firstHello(bytes);
            TlsOpening opening(first.value, first.used);
            QCOMPARE(passedOn(opening, bytes, 50), bytes);
            const std::string second =
                before + record(named("Example.ORG").substr(0, 20)) + record(named("Example.ORG").substr(20));
            QVERIFY(opening.follow(Side::Server, retry()));
            QCOMPARE(passedOn(opening, second, 50), second);
            QVERIFY(opening.isOver(Side::Run));
        }
    }

    void aHelloIsAnsweredByTls()
    {
        for (const std::string &answer : {"HTTP/1.1 400 Bad Request\r\n"s, "220 hello\r\n"s, "\x17\3\3\0\1x"s}) {
            std::string bytes;
            const auto first = firstHello(bytes);
            TlsOpening opening(first.value, first.used);
            QVERIFY(opening.follow(Side::Run, bytes));
            QVERIFY(!opening.follow(Side::Server, answer));
        }
        // A request could be in an extension that nobody reads, and be found by a server that knows no TLS.
        const std::string hidden = "\r\nGET / HTTP/1.1\r\nHost: b.org\r\n\r\n"s;
        const std::string bytes = record(message(sized(2, serverName("example.org") + extension('\x15', hidden))));
        const auto first = parseClientHello(bytes);
        QCOMPARE(first.state, ParseState::Done);
        QVERIFY(!TlsOpening(first.value, first.used).follow(Side::Run, bytes));
    }
};

QTEST_GUILESS_MAIN(TestOpening)
#include "tst_opening.moc"
