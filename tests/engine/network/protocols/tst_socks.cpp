// SPDX-License-Identifier: Apache-2.0
// SOCKS5 as clients send it, and as they should not.
#include "engine/network/protocols/socks.h"

#include "splits.h"

using namespace glovebox::network;

namespace {

auto greeting(const std::string &bytes)
{
    return atEverySplit(bytes, [](std::string_view part, std::size_t) { return parseSocksGreeting(part); });
}

auto socksRequest(const std::string &bytes)
{
    return atEverySplit(bytes, [](std::string_view part, std::size_t) { return parseSocksRequest(part); });
}

std::string connectTo(const std::string &name, const std::string &port = "\x01\xbb"s)
{
    return "\5\1\0\3"s + static_cast<char>(name.size()) + name + port;
}

} // namespace

class TestSocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aGreetingSaysWhetherNoPasswordIsNeeded()
    {
        QCOMPARE(greeting("\5\1\0"s), done(SocksGreeting{true}, 3));
        QCOMPARE(greeting("\5\2\2\0rest"s), done(SocksGreeting{true}, 4));
        QCOMPARE(greeting("\5\1\2"s), done(SocksGreeting{false}, 3));
        QCOMPARE(greeting("\5\xff"s + std::string(254, 'x')).state, ParseState::NeedMore);
        QCOMPARE(greeting("\5\xff"s + std::string(255, 'x')), done(SocksGreeting{false}, 257));
    }

    void whatIsNoGreetingIsRefused()
    {
        for (const std::string &bytes : {"\4\1\0\x50\1\2\3\4\0"s, "\5\0"s, "GET / HTTP/1.1\r\n"s, "\x16\3\1"s, "\0"s})
            QCOMPARE(greeting(bytes).state, ParseState::Malformed);
    }

    void aRequestNamesAHostOrAnAddress()
    {
        const auto name = socksRequest(connectTo("Example.ORG."s));
        QCOMPARE(name.state, ParseState::Done);
        QCOMPARE(name.value, (SocksRequest{SocksRequest::Command::Connect, {"example.org", {}}, 443}));
        QCOMPARE(name.used, 7 + 12U);
        const auto v4 = socksRequest("\5\1\0\1\x7f\0\0\1\0\x50"s);
        QCOMPARE(v4.value.host, *canonicalHost("127.0.0.1"));
        QCOMPARE(v4.value.port, 80);
        const auto v6 = socksRequest("\5\1\0\4\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\1\x1f\x90"s);
        QCOMPARE(v6.value.host, *canonicalHost("2001:db8::1"));
        QCOMPARE(v6.value.port, 8080);
        QCOMPARE(socksRequest(connectTo("93.184.216.34"s)).value.host, *canonicalHost("93.184.216.34"));
    }

    void otherCommandsAreUnderstoodSoThatTheyCanBeAnswered()
    {
        QCOMPARE(socksRequest("\5\2\0\1\1\2\3\4\0\0"s).value.command, SocksRequest::Command::Bind);
        QCOMPARE(socksRequest("\5\3\0\1\0\0\0\0\0\0"s).value.command, SocksRequest::Command::UdpAssociate);
    }

    void badRequestsAreRefused_data()
    {
        QTest::addColumn<std::string>("bytes");
        const auto row = [](const char *name, const std::string &bytes) { QTest::newRow(name) << bytes; };
        row("version", "\4\1\0\1\1\2\3\4\0\x50"s);
        row("command 0", "\5\0\0\1\1\2\3\4\0\x50"s);
        row("command 4", "\5\4\0\1\1\2\3\4\0\x50"s);
        row("reserved byte", "\5\1\1\1\1\2\3\4\0\x50"s);
        row("address type", "\5\1\0\2\1\2\3\4\0\x50"s);
        row("port 0", connectTo("example.org"s, "\0\0"s));
        row("empty name", connectTo(""s));
        row("NUL in the name", connectTo("example.org\0.evil.com"s));
        row("CR LF in the name", connectTo("example.org\r\nHost: evil.com"s));
        row("percent", connectTo("example.org%00"s));
        row("port in the name", connectTo("example.org:443"s));
        row("user in the name", connectTo("example.org@evil.com"s));
        row("not ASCII", connectTo("ex\xc3\xa4mple.org"s));
        row("hexadecimal address", connectTo("0x7f.1"s));
        row("long name", connectTo(std::string(255, 'a')));
        row("mapped address", "\5\1\0\4"s + std::string(10, '\0') + "\xff\xff\x7f\0\0\1\0\x50"s);
        row("NAT64 address", "\5\1\0\4\0\x64\xff\x9b"s + std::string(8, '\0') + "\x7f\0\0\1\0\x50"s);
    }

    void badRequestsAreRefused()
    {
        QFETCH(std::string, bytes);
        QCOMPARE(socksRequest(bytes).state, ParseState::Malformed);
    }

    void repliesTellNothingOfOurs()
    {
        QCOMPARE(socksMethodReply(true), "\5\0"s);
        QCOMPARE(socksMethodReply(false), "\5\xff"s);
        QCOMPARE(socksReply(SocksReply::Succeeded), "\5\0\0\1\0\0\0\0\0\0"s);
        QCOMPARE(socksReply(SocksReply::NotAllowed), "\5\2\0\1\0\0\0\0\0\0"s);
        QCOMPARE(socksReply(SocksReply::CommandNotSupported), "\5\7\0\1\0\0\0\0\0\0"s);
    }
};

QTEST_GUILESS_MAIN(TestSocks)
#include "tst_socks.moc"
