// SPDX-License-Identifier: Apache-2.0
// What an allowlist opens and, above all, what it doesn't.
#include "engine/network/network.h"

#include <QRandomGenerator>
#include <QSysInfo>
#include <QTest>

using namespace glovebox;
using namespace glovebox::network;
using namespace Qt::StringLiterals;

namespace {

Allowlist list(const QStringList &texts)
{
    const auto allowlist = allowlistFromTexts(texts);
    if (!allowlist)
        qFatal("%s", qPrintable(allowlist.error().message.english()));
    return *allowlist;
}

bool allows(const QStringList &rules, std::string_view host, std::uint16_t port = 443)
{
    const auto canonical = canonicalHost(host);
    return canonical && allow(list(rules), *canonical, port);
}

std::optional<HostFault> faultOf(std::string_view host)
{
    const auto canonical = canonicalHost(host);
    return canonical ? std::nullopt : std::optional(canonical.error());
}

AddressKind kind(const char *text)
{
    const auto address = addressFromText(text);
    if (!address)
        qFatal("%s is no address", text);
    return kindOf(*address);
}

} // namespace

class TestRules : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anEmptyListAllowsNothing()
    {
        for (const char *host : {"example.org", "localhost", "93.184.216.34", "2606:2800::1"})
            QVERIFY(!allows({}, host));
        QVERIFY(!mayDial({}, *addressFromText("127.0.0.1"), 80, {}));
    }

    void aRuleOpensItsHostOnTheWebsPortsOrOnItsOwn()
    {
        QVERIFY(allows({u"example.org"_s}, "example.org", 80));
        QVERIFY(allows({u"example.org"_s}, "example.org", 443));
        QVERIFY(!allows({u"example.org"_s}, "example.org", 22));
        QVERIFY(allows({u"example.org:22"_s}, "example.org", 22));
        QVERIFY(!allows({u"example.org:22"_s}, "example.org", 443));
        QVERIFY(allows({u"192.0.2.7:8080"_s}, "192.0.2.7", 8080));
        QVERIFY(allows({u"[2606:2800::1]"_s}, "2606:2800:0:0::1", 443));
    }

    void spellingsOfTheSameHostAreTheSame()
    {
        for (const char *host : {"example.org", "EXAMPLE.org", "Example.Org."})
            QVERIFY(allows({u"eXample.ORG."_s}, host));
        QCOMPARE(list({u"a.org"_s, u"A.ORG."_s}).size(), 1U);
    }

    void suffixTricksDontPass()
    {
        const QStringList rules{u"example.org"_s, u"*.example.net"_s};
        for (const std::string_view host :
             {std::string_view("evil-example.org"), std::string_view("example.org.evil"),
              std::string_view("www.example.org"), std::string_view("example.org.."), std::string_view(".example.org"),
              std::string_view("example.org\0", 12), std::string_view("example.org\0.evil.com", 21),
              std::string_view("example.org\r\n"), std::string_view("example.org%00"),
              std::string_view("example.org:443"), std::string_view("example.org@evil.com"),
              std::string_view("ex\xc3\xa4mple.org"), std::string_view("example\xe3\x80\x82org"),
              std::string_view("example.net"), std::string_view("evilexample.net"), std::string_view(".example.net"),
              std::string_view("a.example.net.evil")})
            QVERIFY2(!allows(rules, host), host.data());
        QVERIFY(allows(rules, "a.example.net"));
        QVERIFY(allows(rules, "a.b.example.net."));
    }

    void anAddressIsOpenedByItselfOnly()
    {
        for (const char *host : {"127.0.0.1", "93.184.216.34", "2606:2800::1"})
            QVERIFY(!allows({u"example.org"_s, u"*.example.org"_s, u"10.0.0.1"_s}, host));
        QVERIFY(allows({u"10.0.0.1"_s}, "10.0.0.1"));
    }

    void otherSpellingsOfAnAddressAreNoHost()
    {
        for (const std::string_view host : {"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.01", "0x7f.1",
                                            "127.0.0.1.", "127.0.0.0x1", "1.2.3.4.5", "256.1.1.1", "a.0x"})
            QVERIFY2(faultOf(host) == HostFault::NumericSpelling, host.data());
        for (const std::string_view host :
             {"::ffff:127.0.0.1", "[::ffff:7f00:1]", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"})
            QVERIFY2(faultOf(host) == HostFault::EmbeddedAddress, host.data());
        for (const std::string_view host : {"fe80::1%eth0", "[::1", "[]", "[127.0.0.1]", ":::", "1::2::3"})
            QVERIFY2(faultOf(host) == HostFault::BadAddress, host.data());
    }

    // Linux takes 0.0.0.0 for 127.0.0.1 and [::] for [::1], and a server that listens at all addresses calls itself so.
    void allAddressesOfThisMachineAreItsLoopback()
    {
        const auto written = [](const QString &text) {
            const auto rule = ::glovebox::ruleFromText(text);
            return rule ? toText(*rule) : rule.error().message.english().toStdString();
        };
        QCOMPARE(written(u"0.0.0.0:8080"_s), "127.0.0.1:8080");
        QCOMPARE(written(u"0.0.0.0"_s), "127.0.0.1");
        QCOMPARE(written(u"[::]:8080"_s), "[::1]:8080");
        QCOMPARE(written(u"[0:0::0]"_s), "[::1]");
        QCOMPARE(list({u"0.0.0.0:8080"_s, u"127.0.0.1:8080"_s}).size(), 1U);
        for (const char *rule : {"0.0.0.0:8080", "127.0.0.1:8080"}) {
            for (const char *host : {"0.0.0.0", "127.0.0.1"}) {
                QVERIFY2(allows({QString::fromLatin1(rule)}, host, 8080), rule);
                QVERIFY2(!allows({QString::fromLatin1(rule)}, host, 80), rule);
            }
            for (const char *host : {"::", "::1", "0.0.0.1", "127.0.0.2"})
                QVERIFY2(!allows({QString::fromLatin1(rule)}, host, 8080), host);
        }
        for (const char *rule : {"[::]:8080", "[::1]:8080"}) {
            for (const char *host : {"::", "[::]", "::1"})
                QVERIFY2(allows({QString::fromLatin1(rule)}, host, 8080), rule);
            for (const char *host : {"0.0.0.0", "127.0.0.1", "::2"})
                QVERIFY2(!allows({QString::fromLatin1(rule)}, host, 8080), host);
        }
        // The limit of whoever asks for a host.
        QVERIFY(covers(list({u"127.0.0.1:80"_s}), list({u"0.0.0.0:80"_s}).front()));
        // A name that leads there is as one that leads to 127.0.0.1.
        for (const char *address : {"0.0.0.0", "127.0.0.1"}) {
            QVERIFY(!mayDial(list({u"example.org"_s}), *addressFromText(address), 80, {}));
            QVERIFY(mayDial(list({u"0.0.0.0"_s}), *addressFromText(address), 80, {}));
        }
        QVERIFY(!mayDial(list({u"example.org"_s}), *addressFromText("::"), 80, {}));
        // What a server is asked for by a browser is no such thing (engine/mcp, requestheaders.h).
        QCOMPARE(canonicalHost("0.0.0.0")->text, "0.0.0.0");
    }

    void otherSpellingsOfThisMachineCannotBeAllowed_data()
    {
        QTest::addColumn<QString>("says");
        const auto rows = [](const QStringList &entries, const QString &says) {
            for (const QString &entry : entries)
                QTest::newRow(qPrintable(entry)) << says.arg(entry);
        };
        rows({u"0:8080"_s, u"0x7f.1:8080"_s, u"127.1:8080"_s, u"0177.0.0.1:8080"_s, u"2130706433:8080"_s, u"0.0.0.00"_s,
              u"0x0:80"_s, u"127.0.0.1.:80"_s, u"00:80"_s},
             u"\"%1\" is not a valid IPv4 address. Write four decimal numbers, such as 192.0.2.1."_s);
        rows({u"[::ffff:127.0.0.1]:8080"_s, u"[::ffff:7f00:1]"_s, u"[::ffff:0.0.0.0]:80"_s, u"[64:ff9b::7f00:1]:80"_s,
              u"[64:ff9b:1::7f00:1]"_s, u"[2002:7f00:1::]"_s, u"[::127.0.0.1]"_s, u"[::ffff:0:127.0.0.1]"_s,
              u"[2001::1]:80"_s},
             u"\"%1\" is an IPv6 address that carries an IPv4 address. Write the IPv4 address."_s);
        rows({u"[fe80::1%lo]:80"_s, u"[::1%lo]:80"_s, u"[127.0.0.1]:80"_s},
             u"\"%1\" is not an IPv6 address. Write it as [2001:db8::1] or [2001:db8::1]:443."_s);
        rows({u"localhost:8080"_s, u"LOCALHOST.:80"_s, u"a.localhost"_s},
             u"In a run \"%1\" is the run itself. To let it reach a server of this computer, name its address and "
             "port, such as 127.0.0.1:8000."_s);
        rows(
            {u"localhost.localdomain:80"_s, u"localhost6"_s, u"ip6-localhost:80"_s, u"ip6-loopback"_s, u"localhost4"_s},
            u"\"%1\" is this computer, which a run reaches by no name. To let it reach a server here, name its "
            "address and port, such as 127.0.0.1:8000."_s);
        rows({u"255.255.255.255:80"_s, u"224.0.0.1:80"_s, u"240.0.0.1"_s, u"[ff02::1]:80"_s, u"0.1.2.3:80"_s},
             u"\"%1\" is the address of no single machine. Name the address of a host."_s);
    }
    void otherSpellingsOfThisMachineCannotBeAllowed()
    {
        QFETCH(QString, says);
        const auto rule = ::glovebox::ruleFromText(QString::fromUtf8(QTest::currentDataTag()));
        QVERIFY(!rule);
        QCOMPARE(rule.error().message.english(), says);
    }

    void addressesAreToldApart_data()
    {
        QTest::addColumn<QByteArrayList>("addresses");
        QTest::addColumn<int>("expected");
        const auto row = [](const char *name, AddressKind kind, const QByteArrayList &addresses) {
            QTest::newRow(name) << addresses << int(kind);
        };
        row("public", AddressKind::Public, {"1.1.1.1",         "9.255.255.255",   "11.0.0.0",
                                            "100.63.255.255",  "100.128.0.0",     "126.255.255.255",
                                            "128.0.0.0",       "169.253.255.255", "169.255.0.0",
                                            "172.15.255.255",  "172.32.0.0",      "192.0.1.0",
                                            "192.167.255.255", "192.169.0.0",     "198.17.255.255",
                                            "198.20.0.0",      "223.255.255.255", "2000::",
                                            "2001:200::",      "2003::",          "3fff:ffff:ffff:ffff::"});
        row("unspecified", AddressKind::Unspecified, {"0.0.0.0", "0.255.255.255", "::"});
        row("loopback", AddressKind::Loopback, {"127.0.0.1", "127.255.255.255", "::1"});
        row("private", AddressKind::Private,
            {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
             "fc00::", "fdff::1", "fec0::1", "feff::1"});
        row("link-local", AddressKind::LinkLocal, {"169.254.0.0", "169.254.255.255", "fe80::1", "febf::1"});
        row("metadata", AddressKind::Metadata,
            {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"});
        row("shared", AddressKind::Shared, {"100.64.0.0", "100.127.255.255"});
        row("multicast", AddressKind::Multicast, {"224.0.0.1", "239.255.255.255", "ff02::1"});
        row("reserved", AddressKind::Reserved,
            {"192.0.0.1", "198.18.0.0", "198.19.255.255", "240.0.0.0", "255.255.255.255",
             "2001:1ff::", "1::", "4000::", "5f00::", "100::1"});
        row("embedded", AddressKind::Embedded,
            {"::1.2.3.4", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::808:808", "2002:808::1",
             "2001:0:808::1", "192.88.99.1"});
    }

    void addressesAreToldApart()
    {
        QFETCH(QByteArrayList, addresses);
        QFETCH(int, expected);
        for (const QByteArray &address : addresses)
            QVERIFY2(int(kind(address.constData())) == expected, address.constData());
    }

    void anAllowedNameLeadsToPublicAddressesOfOthersOnly()
    {
        const Allowlist rules = list({u"example.org"_s, u"10.0.0.1:8080"_s});
        const Address publicOne = *addressFromText("93.184.216.34");
        const Address privateOne = *addressFromText("10.0.0.1");
        QVERIFY(mayDial(rules, publicOne, 443, {}));
        QVERIFY(!mayDial(rules, publicOne, 443, std::array{publicOne}));
        QVERIFY(!mayDial(rules, privateOne, 443, {}));
        QVERIFY(mayDial(rules, privateOne, 8080, {}));
        QVERIFY(mayDial(list({u"93.184.216.34"_s}), publicOne, 443, std::array{publicOne}));
    }

    void aRuleIsTheSameAfterBeingWrittenAndRead()
    {
        for (const char *text : {"example.org", "*.example.org:8443", "10.0.0.1", "10.0.0.1:1", "[::1]",
                                 "[fc00::1]:65535", "xn--bcher-kva.example", "intranet:80"}) {
            const auto rule = network::ruleFromText(text);
            QVERIFY2(rule, text);
            QCOMPARE(network::toText(*rule), std::string(text));
        }
    }

    void listsAllowWhatOneOfTheirRulesAllows()
    {
        // A second opinion, written another way, over random lists and hosts of few labels, so that many match.
        QRandomGenerator random(5);
        const auto pick = [&](const QStringList &from) { return from[random.bounded(from.size())]; };
        int allowed = 0;
        for (int round = 0; round < 20000; ++round) {
            const auto name = [&] {
                QStringList labels;
                for (int count = random.bounded(2, 5); count > 0; --count)
                    labels.append(pick({u"a"_s, u"b"_s, u"A"_s, u"ab"_s}));
                return labels.join(u'.');
            };
            QStringList texts;
            for (int count = random.bounded(4); count > 0; --count)
                texts.append(pick({u""_s, u"*."_s}) + name() + pick({u""_s, u":80"_s, u":81"_s}));
            const QString host = name() + pick({u""_s, u"."_s});
            const auto port = std::uint16_t(pick({u"80"_s, u"81"_s, u"443"_s}).toUInt());

            bool expected = false;
            for (const QString &text : std::as_const(texts)) {
                const QString plain = (host.endsWith(u'.') ? host.chopped(1) : host).toLower();
                const QString rule = text.section(u':', 0, 0).toLower();
                const QString rulePort = text.section(u':', 1);
                const bool portFits = rulePort.isEmpty() ? port != 81 : rulePort == QString::number(port);
                expected |= portFits && (rule.startsWith(u'*') ? plain.endsWith(rule.mid(1)) : plain == rule);
            }
            allowed += expected;
            QVERIFY2(allows(texts, host.toStdString(), port) == expected,
                     qPrintable(host + u' ' + QString::number(port) + u" by "_s + texts.join(u' ')));
        }
        QVERIFY(allowed > 100);
    }

    void limitsCoverWhatTheyAllow_data()
    {
        QTest::addColumn<QStringList>("limits");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<bool>("covered");
        QTest::newRow("nothing") << QStringList() << u"a.org"_s << false;
        QTest::newRow("the same") << QStringList{u"a.org"_s} << u"A.org."_s << true;
        QTest::newRow("another") << QStringList{u"a.org"_s} << u"b.org"_s << false;
        QTest::newRow("one of its ports") << QStringList{u"a.org"_s} << u"a.org:443"_s << true;
        QTest::newRow("another port") << QStringList{u"a.org"_s} << u"a.org:8443"_s << false;
        QTest::newRow("more ports") << QStringList{u"a.org:443"_s} << u"a.org"_s << false;
        QTest::newRow("ports of two") << QStringList{u"a.org:443"_s, u"a.org:80"_s} << u"a.org"_s << true;
        QTest::newRow("below") << QStringList{u"*.a.org"_s} << u"x.y.a.org"_s << true;
        QTest::newRow("not itself") << QStringList{u"*.a.org"_s} << u"a.org"_s << false;
        QTest::newRow("the same wildcard") << QStringList{u"*.a.org"_s} << u"*.a.org:80"_s << true;
        QTest::newRow("a deeper wildcard") << QStringList{u"*.a.org"_s} << u"*.x.a.org"_s << true;
        QTest::newRow("a higher wildcard") << QStringList{u"*.x.a.org"_s} << u"*.a.org"_s << false;
        QTest::newRow("a wildcard by a name") << QStringList{u"a.org"_s} << u"*.a.org"_s << false;
        QTest::newRow("suffix trick") << QStringList{u"*.a.org"_s} << u"*.evil-a.org"_s << false;
        QTest::newRow("address") << QStringList{u"192.0.2.1"_s} << u"192.0.2.1:80"_s << true;
    }

    void limitsCoverWhatTheyAllow()
    {
        QFETCH(const QStringList, limits);
        QFETCH(const QString, rule);
        QFETCH(const bool, covered);
        QCOMPARE(network::covers(allowlistFromTexts(limits).value(), ruleFromText(rule).value()), covered);
    }

    void badEntriesGetASentence_data()
    {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<QString>("says");
        const auto row = [](const QString &entry, const QString &says) {
            QTest::newRow(qPrintable(entry.left(30))) << entry << says;
        };
        row({}, u"is empty"_s);
        row(u"*"_s, u"every host"_s);
        row(u"*:443"_s, u"every host"_s);
        row(u"*."_s, u"names no host"_s);
        row(u"*.com"_s, u"top-level"_s);
        row(u"*.com."_s, u"top-level"_s);
        row(u"a.*.org"_s, u"wrong place"_s);
        row(u"*a.org"_s, u"wrong place"_s);
        row(u"*.*.org"_s, u"wrong place"_s);
        row(u"*.10.0.0.1"_s, u"wrong place"_s);
        row(u"a b"_s, u"Host names have letters"_s);
        row(u" a.org"_s, u"Host names have letters"_s);
        row(u"a_b.org"_s, u"Host names have letters"_s);
        row(u"user@a.org"_s, u"Host names have letters"_s);
        row(u"http://x"_s, u"Give only the host"_s);
        row(u"x.org/path"_s, u"Give only the host"_s);
        row(u"x.org:0"_s, u"between 1 and 65535"_s);
        row(u"x.org:99999"_s, u"between 1 and 65535"_s);
        row(u"x.org:"_s, u"between 1 and 65535"_s);
        row(u"x.org:080"_s, u"between 1 and 65535"_s);
        row(u"x.org:+80"_s, u"between 1 and 65535"_s);
        row(u"x.org:https"_s, u"between 1 and 65535"_s);
        row(u":443"_s, u"names no host"_s);
        row(u"b\u00fccher.example"_s, u"xn--"_s);
        row(u"xn--.example"_s, u"after \"xn\""_s);
        row(u"ab--c.example"_s, u"after \"xn\""_s);
        row(u"-a.org"_s, u"letter or digit"_s);
        row(u"a..org"_s, u"letter or digit"_s);
        row(u"."_s, u"letter or digit"_s);
        row(QString(300, u'a'), u"too long"_s);
        row((QString(60, u'b') + u'.').repeated(5) + u"org"_s, u"too long"_s);
        row(u"2130706433"_s, u"four decimal"_s);
        row(u"0x7f.1:80"_s, u"four decimal"_s);
        row(u"::1"_s, u"in brackets"_s);
        row(u"[::1"_s, u"IPv6"_s);
        row(u"[::1]x"_s, u"IPv6"_s);
        row(u"[fe80::1%lo]"_s, u"IPv6"_s);
        row(u"[::ffff:10.0.0.1]"_s, u"carries an IPv4 address"_s);
        row(u"LocalHost:8000"_s, u"is the run itself"_s);
        row(u"*.api.localhost"_s, u"such as 127.0.0.1:8000"_s);
        row(QSysInfo::machineHostName().section(u'.', 0, 0) + u".local"_s, u"is this computer"_s);
    }

    void badEntriesGetASentence()
    {
        QFETCH(QString, entry);
        QFETCH(QString, says);
        const auto rule = glovebox::ruleFromText(entry);
        QVERIFY(!rule);
        QCOMPARE(rule.error().code, ErrorCode::InvalidInput);
        const QString sentence = rule.error().message.english();
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
        QVERIFY2(sentence.endsWith(u'.') && !sentence.contains(u"%1"_s), qPrintable(sentence));
        QVERIFY(!allowlistFromTexts({u"example.org"_s, entry}));
    }

    void listsHaveAnEnd()
    {
        QStringList texts;
        for (int i = 0; i < allowlistMax; ++i)
            texts.append(u"h%1.example.org"_s.arg(i));
        QCOMPARE(list(texts + texts).size(), std::size_t(allowlistMax));
        const auto refusal = [](const QStringList &hosts) {
            const auto list = allowlistFromTexts(hosts);
            return list ? QString() : list.error().message.english();
        };
        QVERIFY(refusal(texts + QStringList{u"more.org"_s}).startsWith(u"More than 256 hosts "_s));
        QStringList ports; // each is a listener in the run's network
        for (int i = 1; i <= 64; ++i)
            ports.append(u"example.org:%1"_s.arg(9000 + i));
        QCOMPARE(refusal(ports + QStringList{u"*.example.net:9001"_s}), QString());
        QVERIFY(refusal(ports + QStringList{u"example.org:8999"_s}).startsWith(u"More than 64 different ports "_s));
    }

    void presetsShowExactlyWhatTheyOpen()
    {
        QCOMPARE(networkPresets().size(), 5);
        for (const NetworkPreset &preset : networkPresets()) {
            QVERIFY(!preset.purpose.isEmpty());
            QStringList again;
            for (const Rule &rule : list(preset.opens)) {
                QVERIFY2(!rule.wildcard && rule.port == 443, qPrintable(preset.name));
                again.append(QString::fromStdString(network::toText(rule)));
            }
            QCOMPARE(again, preset.opens);
        }
    }
};

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
