// SPDX-License-Identifier: Apache-2.0
// What a person set for all of a run's network: how much, how fast, and by which proxy of theirs.
#include "networkrun.h"

#include <QDir>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliEgressLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The run gets no more than it may have, on every way, and it is said.
    void trafficIsLimited_data()
    {
        QTest::addColumn<QString>("command");
        QTest::newRow("proxy") << u"curl -sS http://allowed.test/bytes?count=100000000"_s;
        QTest::newRow("direct") << u"curl -sS --noproxy '*' http://allowed.test/bytes?count=100000000"_s;
        QTest::newRow("tunnel") << u"curl -sS https://allowed.test/bytes?count=100000000"_s;
        QTest::newRow("SOCKS") << u"curl -sS -x socks5h://127.0.0.1:1080 http://allowed.test/bytes?count=100000000"_s;
        QTest::newRow("upwards") << u"curl -sS -T /work/big http://allowed.test/echo"_s;
        QTest::newRow("small") << u"curl -sS 'http://allowed.test/bytes?count=10000&n=[1-200]'"_s;
        QTest::newRow("small, direct") << u"curl -sS --noproxy '*' 'http://allowed.test/bytes?count=10000&n=[1-200]'"_s;
        QTest::newRow("at once") << u"curl -sSZ 'http://allowed.test/bytes?count=100000&n=[1-30]'"_s;
        QTest::newRow("long requests")
            << u"for i in {1..40}; do curl -sS -o /dev/null -H @/work/head http://allowed.test/; "
               "done; echo"_s;
        QTest::newRow("many") << u"for i in 1 2 3 4; do curl -sS http://allowed.test/bytes?count=300000; done"_s;
    }

    void trafficIsLimited()
    {
        QFETCH(QString, command);
        const NetworkRun run(
            m_home, {u"allowed.test"_s}, u"bash"_s,
            u"truncate -s 10M /work/big; (echo -n X:; head -c 28000 /dev/zero | tr '\\0' x) > /work/head; "
            "(%1) 2>&1 | wc -c; curl -sS http://allowed.test/"_s.arg(command),
            {u"--traffic"_s, u"1"_s});
        const QByteArrayList lines = run.out().split('\n');
        QVERIFY2(lines[0].toInt() > 0 || command.contains(u"-T"_s), run.story());
        QVERIFY2(lines[0].toInt() <= 1'048'576 + 200, run.story());
        QVERIFY2(lines[1] == "Glovebox: this run has used up its network traffic.", run.story());
        QVERIFY2(run.event(u"network.traffic"_s).contains(u"its 1 MB"_s), run.story());
        qint64 moved = 0;
        const QJsonArray attempts = run.result()[u"egress"_s].toArray();
        for (const auto &attempt : attempts)
            moved += attempt[u"sent"_s].toInteger() + attempt[u"received"_s].toInteger();
        QVERIFY2(moved == 1'048'576, QByteArray::number(moved) + '\n' + run.story());
        QVERIFY2(run.control(u"egress"_s).startsWith(u"verified"_s), run.story());
    }

    // At the end of the run, in its result, and on record.
    void whatALimitCutOffIsSaid()
    {
        const Ended ended = m_home.run({u"run"_s, u"-l"_s, u"bash"_s, u"--allow"_s, u"allowed.test"_s, u"--traffic"_s,
                                        u"1"_s, u"--bandwidth"_s, u"100000"_s, u"-c"_s,
                                        u"curl -s -o /dev/null http://allowed.test/bytes?count=3000000"_s});
        QCOMPARE(ended.err,
                 "glovebox: The run's connection to allowed.test:80 was cut off: more bytes than the run may move.\n"
                 "glovebox: The run has used up its 1 MB of network traffic, and the rest was cut off. Allow more with "
                 "--traffic MB.\n");
        const Ended shown = m_home.run({u"audit"_s, u"show"_s, m_home.runsOnRecord().first()[u"run"_s].toString()});
        for (const char *line :
             {"  allowed     allowed.test; at most 1048576 bytes; 102400000 bytes a second\n",
              "  control     egress                 1 rule, at most 1 MB, 100000 KB a second verified",
              "  network     denied allowed.test:80 by http: more bytes than the run may move, ",
              "  event       network.traffic: The run has used up its 1 MB of network traffic, and the rest was cut "
              "off."})
            QVERIFY2(shown.out.contains(line), shown.out);
        const NetworkRun within(m_home, {u"allowed.test"_s}, u"bash"_s,
                                u"curl -sS http://allowed.test/bytes?count=900000 | wc -c"_s, {u"--traffic"_s, u"1"_s});
        QVERIFY2(within.out() == "900000\n" && within.event(u"network.traffic"_s).isEmpty(), within.story());
    }

    void bandwidthIsLimited()
    {
        const NetworkRun run(m_home, {u"allowed.test"_s}, u"bash"_s,
                             u"c='curl -sS -w %{time_total}\\n -o /dev/null'\n"
                             "$c http://allowed.test/bytes?count=150000 & $c https://allowed.test/bytes?count=150000\n"
                             "wait; curl -sS http://allowed.test/bytes?count=100000 | wc -c"_s,
                             {u"--bandwidth"_s, u"100"_s});
        QByteArrayList lines = run.out().split('\n');
        QCOMPARE(lines.size(), 4);
        for (int i = 0; i < 2; ++i)
            QVERIFY2(lines[i].toDouble() > 1.5 && lines[i].toDouble() < 6, run.story());
        QVERIFY2(lines[2] == "100000", run.story());
    }

    void throughAProxyOfThePersons_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QByteArray>("says");
        QTest::addColumn<QByteArray>("seen"); // by the proxy
        QTest::addColumn<QString>("attempt");
        const auto row = [](const char *name, const char *code, const char *says, const char *seen,
                            const char *attempt) {
            QTest::newRow(name) << QString::fromUtf8(code) << QByteArray(says) << QByteArray(seen)
                                << QString::fromUtf8(attempt);
        };
        row("HTTPS", "curl -sS https://www.allowed.test/", "hello from www.allowed.test by https",
            "proxy CONNECT www.allowed.test:443", "allowed connect www.allowed.test:443");
        row("HTTP", "curl -sS http://www.allowed.test/", "hello from www.allowed.test by http",
            "proxy CONNECT www.allowed.test:80", "allowed http www.allowed.test:80");
        row("direct", "curl -sS --noproxy '*' https://www.allowed.test/", "hello from www.allowed.test by https",
            "proxy CONNECT www.allowed.test:443", "allowed direct www.allowed.test:443");
        row("SOCKS", "curl -sS -x socks5h://127.0.0.1:1080 https://www.allowed.test/", "hello from www.allowed.test",
            "proxy CONNECT www.allowed.test:443", "allowed socks www.allowed.test:443");
        row("a name that only the proxy knows", "curl -sS http://inner.proxied.test/", "hello from inner.proxied.test",
            "proxy CONNECT inner.proxied.test:80", "allowed http inner.proxied.test:80");
        row("a server that speaks first", "exec 3<>/dev/tcp/www.allowed.test/22 && head -n 1 <&3", "220 hello",
            "proxy CONNECT www.allowed.test:22", "allowed direct www.allowed.test:22");
        row("an IPv6 address", "curl -gsS 'http://[2001:db8:2::12]/'", "hello from",
            "proxy CONNECT [2001:db8:2::12]:80", "allowed http 2001:db8:2::12:80");
        row("a proxy that wants a password", "curl -sS http://password.proxied.test/",
            "Glovebox: the upstream proxy refused a connection to password.proxied.test:80.",
            "proxy CONNECT password.proxied.test:80", "failed http password.proxied.test:80");
    }

    void throughAProxyOfThePersons()
    {
        QFETCH(QString, code);
        QFETCH(QByteArray, says);
        QFETCH(QByteArray, seen);
        QFETCH(QString, attempt);
        const Home home;
        useProxy(home, "http://proxy.test:3129");
        const NetworkRun run(home, proxied(), u"bash"_s, code);
        QVERIFY2(run.out().contains(says), run.story());
        QVERIFY2(run.reached(seen), run.story());
        QVERIFY2(run.attempts().contains(attempt), run.story());
        QVERIFY2(!run.reachedAny("dns www.allowed.test"), run.story()); // which the proxy has looked up
        QVERIFY2(run.control(u"egress"_s).contains(u"degraded through the proxy http://proxy.test:3129"_s),
                 run.story());
    }

    void behindAProxyTheListAndTheHelloStillCount_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("attempt");
        QTest::newRow("a denied host") << u"curl -sS https://denied.test/"_s << u"denied connect denied.test:443"_s;
        QTest::newRow("a denied address") << u"curl -sS http://10.0.0.5/"_s << u"denied http 10.0.0.5:80"_s;
        QTest::newRow("itself") << u"curl -sS http://localhost/ --noproxy x"_s << u"denied http localhost:80"_s;
        QTest::newRow("the proxy") << u"curl -sS http://proxy.test:3129/"_s << u"denied http proxy.test:3129"_s;
        QTest::newRow("another SNI")
            << u"curl -sk --connect-to tenant.denied.test:443:www.allowed.test:443 https://tenant.denied.test/"_s
            << u"denied connect www.allowed.test:443"_s;
    }

    void behindAProxyTheListAndTheHelloStillCount()
    {
        QFETCH(QString, code);
        QFETCH(QString, attempt);
        const Home home;
        useProxy(home, "http://203.0.113.60:3129");
        const NetworkRun run(home, proxied(), u"bash"_s, code);
        QVERIFY2(run.attempts().contains(attempt), run.story());
        for (const char *never : {"sni tenant", "request", "canary", "proxy CONNECT denied", "proxy CONNECT 10.",
                                  "proxy CONNECT localhost", "proxy CONNECT proxy"})
            QVERIFY2(!run.reachedAny(never), run.story());
    }

    void aServerOfThisMachineIsReachedWithoutTheProxy()
    {
        const Home home;
        useProxy(home, "http://proxy.test:3129");
        const NetworkRun run(home, {u"127.0.0.1:80"_s}, u"bash"_s,
                             u"curl -sS --max-time 3 -x http://127.0.0.1:3128 http://127.0.0.1/"_s);
        QVERIFY2(run.reachedAny("canary 127.0.0.1 80") && !run.reachedAny("proxy CONNECT"), run.story());
    }

    // Linux takes 0.0.0.0 for 127.0.0.1: a rule with one of them is about both, whichever way a program goes.
    void allAddressesOfThisMachineAreItsLoopback_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("way");
        for (const QString &rule : {u"0.0.0.0:80"_s, u"127.0.0.1:80"_s}) {
            for (const QString &way :
                 {u"-x http://127.0.0.1:3128 http://0.0.0.0/"_s, u"-x socks5h://127.0.0.1:1080 http://0.0.0.0/"_s,
                  u"-p -x http://127.0.0.1:3128 http://0.0.0.0/"_s, u"--noproxy '*' http://0.0.0.0/"_s,
                  u"--noproxy '*' http://127.0.0.1/"_s, u"-x http://127.0.0.1:3128 http://127.0.0.1/"_s})
                QTest::addRow("%s by %s", qPrintable(rule), qPrintable(way)) << rule << way;
        }
    }
    void allAddressesOfThisMachineAreItsLoopback()
    {
        QFETCH(QString, rule);
        QFETCH(QString, way);
        const NetworkRun run(m_home, {rule}, u"bash"_s, u"curl -sS --max-time 3 "_s + way);
        QVERIFY2(run.reachedAny("canary 127.0.0.1 80"), run.story());
        const NetworkRun other(m_home, {u"0.0.0.0:8080"_s, u"127.0.0.1:8080"_s}, u"bash"_s,
                               u"curl -sS --max-time 3 "_s + way);
        QVERIFY2(!other.reachedAny("canary"), other.story());
    }

    void withoutItsProxyNothingIsReached()
    {
        const Home home;
        useProxy(home, "http://proxy.test:3130");
        const NetworkRun run(home, proxied(), u"bash"_s, u"curl -sS http://www.allowed.test/"_s);
        QCOMPARE(run.out(), "Glovebox: the upstream proxy could not be reached.\n");
        QVERIFY2(!run.reachedAny("accept"), run.story());
    }

    // Somebody else's word for it counts for nothing.
    void variablesOfTheHostAreNotTaken()
    {
        for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
            qputenv(name, "http://203.0.113.60:3129");
        const NetworkRun run(m_home, proxied(), u"bash"_s, u"curl -sS https://www.allowed.test/"_s);
        for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
            qunsetenv(name);
        QVERIFY2(run.out().contains("hello from www.allowed.test"), run.story());
        QVERIFY2(!run.reachedAny("proxy"), run.story());
    }

    void strictRunsGoThroughNoProxy()
    {
        const Home home;
        useProxy(home, "http://proxy.test:3129");
        const NetworkRun run(home, proxied(), u"bash"_s, u"curl -sS http://www.allowed.test/"_s, {u"--strict"_s});
        QCOMPARE(run.result()[u"outcome"_s].toString(), u"setup_failed"_s);
        QVERIFY2(!run.reachedAny("accept"), run.story());
    }

    void doctorAndPolicySayWhichProxyAndByWhom()
    {
        const Home home;
        useProxy(home, "http://proxy.test:3129");
        const QByteArray doctor = home.run({u"doctor"_s}).out;
        QVERIFY2(doctor.contains("  network   through http://proxy.test:3129 (file): the proxy resolves names"),
                 doctor);
        const QByteArray policy = home.run({u"policy"_s, u"show"_s}).out;
        QVERIFY2(policy.contains("engine.upstream_proxy  http://proxy.test:3129 file"), policy);
        QVERIFY(!m_home.run({u"doctor"_s}).out.contains("  network   through"));
    }

private:
    static QStringList proxied()
    {
        return {u"www.allowed.test"_s, u"www.allowed.test:22"_s, u"*.proxied.test"_s, u"[2001:db8:2::12]"_s};
    }
    static void useProxy(const Home &home, const QByteArray &proxy)
    {
        QVERIFY(QDir(home.path()).mkpath(u"config"_s));
        home.write(u"config/settings.json"_s, "{\"engine\":{\"upstream_proxy\":\"" + proxy + "\"}}");
    }

    Home m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliEgressLimits)
#include "tst_cliegresslimits.moc"
