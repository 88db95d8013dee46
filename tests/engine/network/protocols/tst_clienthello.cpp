// SPDX-License-Identifier: Apache-2.0
// The server name in a TLS client's first bytes: OpenSSL's own, and made up ones.
#include "engine/network/protocols/clienthello.h"

#include "hellos.h"
#include "splits.h"

#include <openssl/ssl.h>

#include <memory>

using namespace glovebox::network;

namespace {

auto hello(const std::string &bytes)
{
    return atEverySplit(bytes, [](std::string_view part, std::size_t) { return parseClientHello(part); });
}

// What OpenSSL sends first.
std::string fromOpenSsl(const char *name, int maxVersion)
{
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_max_proto_version(context.get(), maxVersion);
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    BIO *const sent = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), sent);
    if (name)
        SSL_set_tlsext_host_name(ssl.get(), name);
    SSL_connect(ssl.get());
    std::string bytes(BIO_ctrl_pending(sent), '\0');
    BIO_read(sent, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
}

} // namespace

class TestClientHello : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theNameThatOpenSslAsksForIsFound()
    {
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            const std::string bytes = fromOpenSsl("Www.Example.ORG", version);
            QVERIFY(bytes.size() > 100);
            QCOMPARE(hello(bytes), done(ClientHello{*canonicalHost("www.example.org")}, bytes.size()));
            QCOMPARE(hello(fromOpenSsl(nullptr, version)).value, ClientHello{});
        }
    }

    void aHelloMayBeSpreadOverRecords()
    {
        const std::string whole = named("example.org");
        const auto expected = ClientHello{*canonicalHost("example.org")};
        for (std::size_t size = 1; size <= 8; ++size) {
            for (const std::size_t first : {size, whole.size() / 2}) {
                std::string bytes = record(whole.substr(0, first));
                for (std::size_t at = first; at < whole.size(); at += 2 + size)
                    bytes += record(whole.substr(at, 2 + size));
                const std::size_t used = bytes.size();
                if (hello(bytes).state == ParseState::Malformed)
                    QVERIFY(std::size_t(std::ranges::count(bytes, '\x16')) > clientHelloRecordsMax);
                else
                    QCOMPARE(hello(bytes), done(expected, used));
            }
        }
        // Early data follows it.
        const std::string bytes = record(whole);
        QCOMPARE(hello(bytes + "\x14\3\3\0\1\1\x17\3\3"s), done(expected, bytes.size()));
    }

    void aHelloWithoutExtensionsOrNameIsOne()
    {
        QCOMPARE(hello(record(message(""s))).value, ClientHello{});
        QCOMPARE(hello(record(message(sized(2, ""s)))).value, ClientHello{});
        QCOMPARE(hello(record(message(sized(2, extension('\x0a', "\0\2\0\x1d"s))))).state, ParseState::Done);
        // An extension that browsers send at random, and that would hold an encrypted name.
        const std::string ech = "\xfe\x0d"s + sized(2, std::string(200, 'e'));
        QCOMPARE(hello(record(message(sized(2, ech + serverName("example.org"))))).value.serverName,
                 *canonicalHost("example.org"));
    }

    void whatIsNoTlsIsToldAtOnce()
    {
        for (const std::string &bytes :
             {"GET / HTTP/1.1\r\n"s, "\x17"s, "SSH-2.0"s, "\x16\2"s, "\0"s, "\x80\x2e\1\3\1"s})
            QCOMPARE(hello(bytes), (Parsed<ClientHello>{ParseState::Malformed, {}, 0, "not TLS"}));
        QVERIFY(looksLikeTls("\x16"));
        QVERIFY(looksLikeTls("\x16\3\1"));
        for (const std::string &bytes : {""s, "GET"s, "\x17\3\3"s, "\x16\0\0\0\1\0\0\0\3\0\0\0secret"s})
            QVERIFY(!looksLikeTls(bytes));
        // Servers that overlook the version, or a warning before the hello.
        const std::string whole = record(named("example.org"));
        for (const std::string &version : {"\2\1"s, "\0\0"s, "\x0f\x0f"s, "\xff\xff"s}) {
            const std::string odd = whole.substr(0, 1) + version + whole.substr(3);
            for (std::size_t size = 1; size < 10; ++size)
                QVERIFY(looksLikeTls(odd.substr(0, size)));
            QCOMPARE(hello(odd).fault, "not TLS");
        }
        QVERIFY(looksLikeTls("\x15\3\1\0\2\1\x70"s));
        QCOMPARE(hello("\x15\3\1\0\2\1\x70"s + whole).fault, "not TLS");
    }

    void badHellosAreRefused_data()
    {
        QTest::addColumn<std::string>("bytes");
        const auto row = [](const char *name, const std::string &bytes) { QTest::newRow(name) << bytes; };
        const auto with = [](const std::string &extensions) { return record(message(sized(2, extensions))); };
        row("empty record", "\x16\3\1\0\0"s);
        row("record of 16385", "\x16\3\1\x40\1"s);
        row("server hello", record("\2"s + named("a.org").substr(1)));
        row("another record in between", record(named("a.org").substr(0, 20)) + "\x15\3\1\0\2\2\x28"s);
        row("more in the record", record(named("a.org") + "x"s));
        row("more in the second record",
            record(named("a.org").substr(0, 20)) + record(named("a.org").substr(20) + "x"s));
        row("a hello of 16 MiB", record("\1\xff\xff\xff"s));
        row("two names", with(serverName("a.org") + serverName("b.org")));
        row("the same name twice", with(serverName("a.org") + serverName("a.org")));
        row("two names in one list",
            with(extension(0, sized(2, '\0' + sized(2, "a.org"s) + '\0' + sized(2, "b.org"s)))));
        row("empty list", with(extension(0, sized(2, ""s))));
        row("name of another type", with(extension(0, sized(2, '\1' + sized(2, "a.org"s)))));
        row("empty name", with(serverName("")));
        row("NUL in the name", with(serverName("example.org\0.evil"s)));
        row("address", with(serverName("93.184.216.34")));
        row("not ASCII", with(serverName("ex\xc3\xa4mple.org")));
        row("number", with(serverName("0x7f.1")));
        row("long name", with(serverName(std::string(300, 'a'))));
        row("list shorter than the extension", with(extension(0, sized(2, '\0' + sized(2, "a.org"s)) + "x"s)));
        row("extension longer than all", with("\0\0\xff\xff"s));
        row("extensions longer than the message", record(message("\0\xff"s)));
        row("extensions shorter than the message", record(message(sized(2, serverName("a.org")) + "x"s)));
        row("ends in the random", record('\1' + sized(3, "\3\3rrrr"s)));
        row("empty", record('\1' + sized(3, ""s)));
    }

    void badHellosAreRefused()
    {
        QFETCH(std::string, bytes);
        QCOMPARE(hello(bytes).state, ParseState::Malformed);
    }

    void aHelloHasAnEnd()
    {
        const std::string large = message(sized(2, extension('\x15', std::string(clientHelloMax - 100, 'p'))));
        QVERIFY(large.size() < clientHelloMax);
        QCOMPARE(parseClientHello(record(large)).state, ParseState::Done);
        const std::string tooLarge = message(sized(2, extension('\x15', std::string(clientHelloMax - 60, 'p'))));
        QCOMPARE(parseClientHello(record(tooLarge)).state, ParseState::Malformed);
        std::string crumbs;
        for (const char byte : named("example.org"))
            crumbs += record({byte});
        QCOMPARE(hello(crumbs).state, ParseState::Malformed);
    }
};

QTEST_GUILESS_MAIN(TestClientHello)
#include "tst_clienthello.moc"
