// SPDX-License-Identifier: Apache-2.0
// Questions for names as resolvers send them, and as they should not; answers byte by byte.
#include "engine/network/protocols/dns.h"

#include "splits.h"

using namespace glovebox::network;

namespace {

std::string labels(const QByteArrayList &parts)
{
    std::string bytes;
    for (const QByteArray &part : parts)
        bytes += static_cast<char>(part.size()) + part.toStdString();
    return bytes + '\0';
}

const std::string exampleOrg = labels({"example", "org"});
const std::string typeAInternet = "\0\1\0\1"s;

std::string query(const std::string &question, const std::string &flags = "\1\0"s,
                  const std::string &counts = "\0\1\0\0\0\0\0\0"s)
{
    return "\x12\x34"s + flags + counts + question;
}

DnsCode verdict(const std::string &message)
{
    const auto parsed = parseDnsQuery(message);
    if (!parsed)
        qFatal("no answer is to be given");
    return parsed->verdict;
}

} // namespace

class TestDns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aQuestionIsRead()
    {
        const auto parsed = parseDnsQuery(query(labels({"Www", "eXample", "org"}) + "\0\x1c\0\1"s));
        QVERIFY(parsed);
        QCOMPARE(parsed->verdict, DnsCode::NoError);
        QCOMPARE(parsed->id, 0x1234);
        QCOMPARE(parsed->type, DnsQuery::typeAaaa);
        QCOMPARE(parsed->asked, "Www.eXample.org"s);
        QCOMPARE(parsed->name, *canonicalHost("www.example.org"));
    }

    void theNameIsReadHoweverWrongTheRestIs()
    {
        const std::string name = labels({"Evil", "a b"});
        for (const std::string &message :
             {query(name + typeAInternet), query(name), query(name + "x"s), query(name, "\xff\xff"s),
              query(name, "\1\0"s, std::string(8, '\0')), query(name + std::string(70000, 'x'))})
            QCOMPARE(askedName(message), "Evil.a\\032b"s);
        for (const std::string &message : {""s, "x"s, query(""s), query("\0"s), query("\4evi"s), query("\4evil"s),
                                           query("\4evil\xc0\x0c"s), query(std::string(100, 'x'))})
            QCOMPARE(askedName(message), ""s);
    }

    void extensionsAreIgnored()
    {
        const std::string counts = "\0\1\0\0\0\0\0\1"s;
        const std::string opt = "\0\0\x29\x10\0\0\0\x80\0\0\4\0\x0a\0\0"s;
        const std::string question = exampleOrg + typeAInternet;
        QCOMPARE(verdict(query(question + opt, "\1\x20"s, counts)), DnsCode::NoError);
        // Signed, or something else behind the question.
        for (const std::string &record : {"\0\0\xfa\0\xff\0\0\0\0\0\0"s, opt + "x"s, opt.substr(0, 10), ""s})
            QCOMPARE(verdict(query(question + record, "\1\0"s, counts)), DnsCode::FormatError);
    }

    void whatNoRuleCanBeAboutIsNoName_data()
    {
        QTest::addColumn<QByteArrayList>("parts");
        QTest::addColumn<std::string>("asked");
        const auto row = [](const char *name, const QByteArrayList &parts, const std::string &asked) {
            QTest::newRow(name) << parts << asked;
        };
        row("root", {}, "."s);
        row("underscore", {"_ldap", "_tcp", "example", "org"}, "_ldap._tcp.example.org"s);
        row("dot in a label", {"example.org"}, "example\\.org"s);
        row("dots in labels", {"a", "example.org", "evil"}, "a.example\\.org.evil"s);
        row("NUL", {"example", QByteArray("org\0", 4)}, "example.org\\000"s);
        row("line break", {"example\r\n", "org"}, "example\\013\\010.org"s);
        row("escape", {"\x1b[2J", "org"}, "\\027[2J.org"s);
        row("backslash", {"a\\b", "org"}, "a\\\\b.org"s);
        row("not ASCII", {"\xc3\xa4", "org"}, "\\195\\164.org"s);
        row("blank", {"a b", "org"}, "a\\032b.org"s);
        row("address", {"127", "0", "0", "1"}, "127.0.0.1"s);
        row("number", {"2130706433"}, "2130706433"s);
        row("hexadecimal", {"0x7f", "1"}, "0x7f.1"s);
        row("V6", {"::1"}, "::1"s);
    }

    void whatNoRuleCanBeAboutIsNoName()
    {
        QFETCH(QByteArrayList, parts);
        QFETCH(std::string, asked);
        const auto parsed = parseDnsQuery(query(labels(parts) + typeAInternet));
        QVERIFY(parsed);
        QCOMPARE(parsed->verdict, DnsCode::NoError);
        QVERIFY(!parsed->name);
        QCOMPARE(parsed->asked, asked);
    }

    void badQuestionsGetAFormatError_data()
    {
        QTest::addColumn<std::string>("message");
        const auto row = [](const char *name, const std::string &message) { QTest::newRow(name) << message; };
        const std::string good = exampleOrg + typeAInternet;
        row("no question", query(""s, "\1\0"s, "\0\0\0\0\0\0\0\0"s));
        row("two questions", query(good + good, "\1\0"s, "\0\2\0\0\0\0\0\0"s));
        row("with an answer", query(good, "\1\0"s, "\0\1\0\1\0\0\0\0"s));
        row("with an authority", query(good, "\1\0"s, "\0\1\0\0\0\1\0\0"s));
        row("two additional records", query(good, "\1\0"s, "\0\1\0\0\0\0\0\2"s));
        row("truncated", query(good, "\3\0"s));
        row("pointer to itself", query("\xc0\x0c"s + typeAInternet));
        row("pointer into the header", query("\xc0\0"s + typeAInternet));
        row("pointer after a label", query("\3www\xc0\x0c"s + typeAInternet));
        row("label of 64", query(labels({QByteArray(64, 'a')}) + typeAInternet));
        row("name of 256", query(labels(QByteArrayList(4, QByteArray(63, 'a'))) + typeAInternet));
        row("name without an end", query("\3www"s));
        row("no type", query(exampleOrg));
        row("half a class", query(exampleOrg + "\0\1\0"s));
        row("more behind it", query(good + "x"s));
        row("longer than 512", query(good + std::string(500, 'x')));
    }

    void badQuestionsGetAFormatError()
    {
        QFETCH(std::string, message);
        QCOMPARE(verdict(message), DnsCode::FormatError);
        const auto parsed = parseDnsQuery(message);
        QCOMPARE(dnsAnswer(*parsed, parsed->verdict).substr(0, 4), "\x12\x34\x81\x81"s);
    }

    void theLongestNameIsRead()
    {
        const QByteArrayList parts{QByteArray(63, 'a'), QByteArray(63, 'b'), QByteArray(63, 'c'), QByteArray(61, 'd')};
        const auto parsed = parseDnsQuery(query(labels(parts) + typeAInternet));
        QCOMPARE(parsed->verdict, DnsCode::NoError);
        QCOMPARE(parsed->name->text.size(), 253U);
        QVERIFY(dnsAnswer(*parsed, DnsCode::NoError, addressFromText("198.18.0.1")).size() <= 512);
    }

    void otherWishesAreNotImplemented()
    {
        for (const char opcode : {'\x08', '\x10', '\x28'}) { // inverse, status, update
            const auto parsed = parseDnsQuery(query(exampleOrg + typeAInternet, {opcode, '\0'}));
            QCOMPARE(parsed->verdict, DnsCode::NotImplemented);
            QCOMPARE(dnsAnswer(*parsed, parsed->verdict)[2], static_cast<char>(opcode | '\x80'));
        }
        QCOMPARE(verdict(query(exampleOrg + "\0\1\0\3"s)), DnsCode::NotImplemented); // class CHAOS
        QCOMPARE(verdict(query(exampleOrg + "\0\1\0\xff"s)), DnsCode::NotImplemented); // any class
    }

    void answersAndCrumbsGetNoReply()
    {
        QVERIFY(!parseDnsQuery(query(exampleOrg + typeAInternet, "\x81\x80"s)));
        for (std::size_t size = 0; size < 12; ++size)
            QVERIFY(!parseDnsQuery(query(exampleOrg + typeAInternet).substr(0, size)));
    }

    void answersAreWhatResolversExpect()
    {
        const std::string question = labels({"eXample", "oRG"}) + typeAInternet;
        const auto parsed = parseDnsQuery(query(question));
        QCOMPARE(dnsAnswer(*parsed, DnsCode::NoError, addressFromText("198.18.0.7"), 0x01020304),
                 "\x12\x34\x81\x80\0\1\0\1\0\0\0\0"s + question + "\xc0\x0c\0\1\0\1\1\2\3\4\0\4\xc6\x12\0\x07"s);
        QCOMPARE(dnsAnswer(*parsed, DnsCode::NoError), "\x12\x34\x81\x80\0\1\0\0\0\0\0\0"s + question);
        QCOMPARE(dnsAnswer(*parsed, DnsCode::NoSuchName), "\x12\x34\x81\x83\0\1\0\0\0\0\0\0"s + question);
        // Recursion was not desired: it isn't said to have been.
        QCOMPARE(dnsAnswer(*parseDnsQuery(query(question, "\0\0"s)), DnsCode::NoSuchName).substr(0, 4),
                 "\x12\x34\x80\x83"s);
        QVERIFY(!parseDnsQuery(dnsAnswer(*parsed, DnsCode::NoError)));
    }

    void overTcpAMessageHasItsLength()
    {
        const auto frame = [](const std::string &bytes) {
            return atEverySplit(bytes, [](std::string_view part, std::size_t) { return parseDnsFrame(part); });
        };
        const std::string message = query(exampleOrg + typeAInternet);
        const std::string two = dnsFrame(message) + dnsFrame("another");
        const auto whole = frame(two);
        QCOMPARE(whole.state, ParseState::Done);
        QCOMPARE(std::string(whole.value), message);
        QCOMPARE(whole.used, message.size() + 2);
        for (const std::string &bytes : {"\0\0"s, "\0\x0b"s, "\2\1"s, "\xff\xff"s, "GET "s})
            QCOMPARE(frame(bytes).state, ParseState::Malformed);
        QCOMPARE(frame("\2\0"s).state, ParseState::NeedMore);
    }
};

QTEST_GUILESS_MAIN(TestDns)
#include "tst_dns.moc"
