// SPDX-License-Identifier: Apache-2.0
// Programs as they are work in a run to which a host was allowed, and nothing but that host is reached.
#include "networkrun.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QStandardPaths>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliEgress : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { chooseBuilder(); }

    void theControlSaysHowProgramsComeOut()
    {
        const NetworkRun run(m_home, {u"www.allowed.test"_s}, u"bash"_s, u"true"_s);
        QCOMPARE(run.result()[u"isolation"_s][u"builder"_s].toString(), isDirect ? u"direct"_s : u"bwrap"_s);
        QVERIFY2(run.control(u"egress-listeners"_s).startsWith(isDirect ? u"verified"_s : u"degraded"_s), run.story());
        const NetworkRun strict(m_home, {u"www.allowed.test"_s}, u"bash"_s, u"echo ran"_s, {u"--strict"_s});
        QVERIFY2(isDirect || strict.result()[u"reason"_s].toString().contains(u"egress-listeners"_s), strict.story());
        QVERIFY2(isDirect || strict.out().isEmpty(), strict.story());
    }

    void programsWorkUnchanged_data()
    {
        QTest::addColumn<QStringList>("allow");
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QByteArray>("says");
        QTest::addColumn<QByteArray>("seen");
        QTest::addColumn<QString>("attempt");
        const auto row = [](const char *name, const char *allow, const char *language, const char *code,
                            const char *says, const char *seen, const char *attempt) {
            if (!isDirect
                && (std::string_view(attempt).contains(" direct ") || std::string_view(name).contains("inside")))
                return;
            QTest::newRow(name) << QString::fromUtf8(allow).split(u' ') << QString::fromUtf8(language)
                                << QString::fromUtf8(code) << QByteArray(says) << QByteArray(seen)
                                << QString::fromUtf8(attempt);
        };
        const char *const www = "www.allowed.test";
        const char *const hello = "hello from www.allowed.test by https";
        const char *const page = "request https www.allowed.test GET /";
        row("curl", www, "bash", "curl -sS https://www.allowed.test/", hello, page,
            "allowed connect www.allowed.test:443");
        row("curl without a proxy", www, "bash", "curl -sS --noproxy '*' https://www.allowed.test/", hello, page,
            "allowed direct www.allowed.test:443");
        row("curl, plain", www, "bash", "curl -sS http://www.allowed.test/", "by http\n",
            "request http www.allowed.test GET /", "allowed http www.allowed.test:80");
        row("curl, plain, without a proxy", www, "bash", "curl -sS --noproxy '*' http://www.allowed.test/", "by http\n",
            "request http www.allowed.test GET /", "allowed direct www.allowed.test:80");
        row("curl by SOCKS", www, "bash", "curl -sS -x socks5h://127.0.0.1:1080 https://www.allowed.test/", hello, page,
            "allowed socks www.allowed.test:443");
        row("curl by SOCKS, resolved inside", www, "bash",
            "curl -sS -x socks5://127.0.0.1:1080 https://www.allowed.test/", hello, page,
            "allowed socks www.allowed.test:443");
        row("wget", www, "bash", "wget -qO- https://www.allowed.test/", hello, page,
            "allowed connect www.allowed.test:443");
        row("urllib", www, "python",
            "import urllib.request\nprint(urllib.request.urlopen('https://www.allowed.test/').read())", hello, page,
            "allowed connect www.allowed.test:443");
        row("urllib, plain", www, "python",
            "import urllib.request\nprint(urllib.request.urlopen('http://www.allowed.test/').read())", "by http",
            "request http www.allowed.test GET /", "allowed http www.allowed.test:80");
        row("fetch of Node.js", www, "node", "console.log(await (await fetch('https://www.allowed.test/')).text())",
            hello, page, "allowed direct www.allowed.test:443");
        row("https of Node.js", www, "node",
            "import https from 'node:https';\nhttps.get('https://www.allowed.test/', r => r.pipe(process.stdout));",
            hello, page, "allowed direct www.allowed.test:443");
        row("socket", "v4.allowed.test:7777", "python",
            "import socket\ns = socket.create_connection(('v4.allowed.test', 7777))\ns.sendall(b'knock')\n"
            "s.shutdown(socket.SHUT_WR)\nprint(s.recv(100))",
            "knock", "accept 203.0.113.12 7777", "allowed direct v4.allowed.test:7777");
        row("a server that speaks first", "v4.allowed.test:22", "bash",
            "exec 3<>/dev/tcp/v4.allowed.test/22 && head -n 1 <&3", "220 hello", "accept 203.0.113.12 22",
            "allowed direct v4.allowed.test:22");
        row("address", "203.0.113.10", "bash", "curl -sS http://203.0.113.10/", "hello from 203.0.113.10",
            "request http 203.0.113.10 GET /", "allowed http 203.0.113.10:80");
        row("address without a proxy", "203.0.113.10", "bash", "curl -sS --noproxy '*' https://203.0.113.10/",
            "hello from 203.0.113.10", "accept 203.0.113.10 443", "allowed direct 203.0.113.10:443");
        row("IPv6 address without a proxy", "[2001:db8:2::12]", "bash",
            "curl -g -sS --noproxy '*' http://[2001:db8:2::12]/", "hello from [2001:db8:2::12]",
            "accept 2001:db8:2::12 80", "allowed direct 2001:db8:2::12:80");
        row("a name of IPv6 only", "v6.allowed.test", "bash", "curl -sS --noproxy '*' https://v6.allowed.test/",
            "hello from v6", "accept 2001:db8:2::12 443", "allowed direct v6.allowed.test:443");
        row("wildcard", "*.allowed.test", "bash", "curl -sS https://sub.allowed.test/", "hello from sub.allowed.test",
            "request https sub.allowed.test GET /", "allowed connect sub.allowed.test:443");
        row("another port", "www.allowed.test:8443", "bash", "curl -sS https://www.allowed.test:8443/", "hello from",
            "request https www.allowed.test:8443 GET /", "allowed connect www.allowed.test:8443");
        row("another port without a proxy", "www.allowed.test:8080", "bash",
            "curl -sS --noproxy '*' http://www.allowed.test:8080/", "hello from",
            "request http www.allowed.test:8080 GET /", "allowed direct www.allowed.test:8080");
        row("alias", "alias.allowed.test", "bash", "curl -sS https://alias.allowed.test/", "hello from alias",
            "request https alias.allowed.test GET /", "allowed connect alias.allowed.test:443");
        row("spelt otherwise", www, "bash", "curl -sS https://WWW.Allowed.Test./", "hello from", "sni www.allowed.test",
            "allowed connect www.allowed.test:443");
        row("pip", "pypi", "bash",
            "python3 -m pip install -q --no-cache-dir --disable-pip-version-check "
            "--cert /etc/ssl/certs/ca-certificates.crt --target p tiny-wheel && "
            "PYTHONPATH=p python3 -c 'import tiny_wheel; print(tiny_wheel.GREETING)'",
            "hello from a wheel", "request https pypi.org GET /simple/tiny-wheel/", "allowed connect pypi.org:443");
        row("git", "github", "bash", "git clone -q https://github.com/tiny.git && cat tiny/README",
            "hello from a repository", "request https github.com GET /tiny.git/HEAD", "allowed connect github.com:443");
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            qWarning("npm is not installed, and not tried.");
        else
            row("npm", "npm", "bash",
                "npm install --no-audit --no-fund --no-update-notifier tiny-package >&2 && "
                "node -p 'require(\"tiny-package\")'",
                "hello from a package", "request https registry.npmjs.org GET /tiny-package",
                "allowed connect registry.npmjs.org:443");
    }

    // Of the README, those that print the status of an answer.
    void commandsOfTheReadmeReachTheirHosts_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QFile readme(QStringLiteral(GLOVEBOX_SOURCE_DIR "/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        static const QRegularExpression command(u"glovebox run --allow (\\w+).*?(?: -l (\\w+))? -c '(.*://.*)'"_s);
        int count = 0;
        for (auto found = command.globalMatch(QString::fromUtf8(readme.readAll())); found.hasNext(); ++count) {
            const auto match = found.next();
            const QString language = match.captured(2).isEmpty() ? u"python"_s : match.captured(2);
            if (isDirect || language != u"node") // whose fetch knows of no proxy
                QTest::newRow(qPrintable(match.captured(1))) << match.captured(1) << language << match.captured(3);
        }
        QCOMPARE(count, 2);
    }

    void commandsOfTheReadmeReachTheirHosts()
    {
        QFETCH(QString, preset);
        QFETCH(QString, language);
        QFETCH(QString, code);
        const NetworkRun run(m_home, {preset}, language, code);
        QCOMPARE(run.out(), QByteArray("200\n"));
        QVERIFY2(run.attempts().filter(u"denied"_s).isEmpty(), run.story());
    }

    void programsWorkUnchanged()
    {
        QFETCH(QStringList, allow);
        QFETCH(QString, language);
        QFETCH(QString, code);
        QFETCH(QByteArray, says);
        QFETCH(QByteArray, seen);
        QFETCH(QString, attempt);
        const NetworkRun run(m_home, allow, language, code);
        QVERIFY2(run.out().contains(says), run.story());
        QVERIFY2(run.reached(seen), run.story());
        QVERIFY2(run.attempts().contains(attempt), run.story());
        QVERIFY2(run.attempts().filter(u"denied"_s).isEmpty(), run.story());
    }

    void everyKindOfBodyPasses_data()
    {
        QTest::addColumn<QString>("way");
        QTest::newRow("proxy") << QString();
        if (isDirect)
            QTest::newRow("direct") << u"--noproxy '*'"_s;
        QTest::newRow("tunnel") << u"-p"_s;
    }

    void everyKindOfBodyPasses()
    {
        QFETCH(QString, way);
        const QString code = uR"(
c="curl -sS %1"
$c http://allowed.test/chunks | wc -c
$c http://allowed.test/until-close; echo
$c -I http://allowed.test/bytes?count=1000 | grep -ci 'content-length: 1000'
head -c 3000000 /dev/zero | $c -T - http://allowed.test/echo | wc -c
head -c 3000000 /dev/zero > f
$c -T f http://allowed.test/echo | wc -c
$c -d hello http://allowed.test/echo; echo
$c http://allowed.test/echo http://allowed.test/bytes?count=3 -d x -w '%{num_connects},'; echo
$c 'http://allowed.test/bytes?count=100000000' | wc -c
)"_s.arg(way);
        const NetworkRun run(m_home, {u"allowed.test"_s}, u"bash"_s, code, {u"-t"_s, u"60"_s});
        QVERIFY2(run.out() == "101001\nuntil the end\n1\n3000000\n3000000\nhello\nx1,xxx0,\n100000000\n", run.story());
    }

    void serversMayAnswerBeforeTheyHaveReadAll_data() { everyKindOfBodyPasses_data(); }

    void serversMayAnswerBeforeTheyHaveReadAll()
    {
        QFETCH(QString, way);
        const NetworkRun run(
            m_home, {u"allowed.test"_s}, u"bash"_s,
            u"head -c 50000000 /dev/zero > f\n"
            "curl -sS -m 2 %1 -T f http://allowed.test/early; curl -sS http://allowed.test/"_s.arg(way));
        QVERIFY2(run.out().startsWith("answered early"), run.story());
        QVERIFY2(run.out().endsWith("hello from allowed.test by http\n"), run.story());
    }

    void requestAndAnswerPassAtTheSameTime()
    {
        const NetworkRun run(m_home, {u"allowed.test"_s}, u"python"_s, attackTools() + u"streamed()"_s);
        QVERIFY2(run.out() == "a\nb\nc\na\nb\nc\n", run.story());
    }

    void afterAnUpgradeEverythingPasses()
    {
        const NetworkRun run(m_home, {u"allowed.test"_s}, u"python"_s, attackTools() + u"websocket()"_s);
        QVERIFY2(run.out()
                     == QByteArray("b'HTTP/1.1 101 Switching Protocols' b'\\x00\\xffGET no request'\n").repeated(3),
                 run.story());
        const QJsonObject last = run.result()[u"egress"_s].toArray().last().toObject();
        QVERIFY2(last[u"bytes"_s].toInt() > 150, run.story());
    }

    void otherProtocolsPassWhateverTheySayFirst()
    {
        const NetworkRun run(m_home, {u"www.allowed.test:7777"_s}, u"python"_s,
                             attack(u"first words of other protocols"_s), {u"-t"_s, u"60"_s});
        QVERIFY2(run.out().count("True") == 61 && !run.out().contains("False"), run.story());
        QVERIFY2(run.attempts().filter(u"denied"_s).isEmpty(), run.story());
    }

    // Which protocol it is, is told by a few bytes: the server gets none of them that make it HTTP.
    void http2IsNotLetThroughToAnybody()
    {
        const NetworkRun run(m_home, {u"www.allowed.test:7777"_s, u"www.allowed.test:22"_s}, u"python"_s,
                             attack(u"http 2 with prior knowledge"_s), {u"-t"_s, u"60"_s});
        QVERIFY2(!run.out().contains("HTTP/2.0"), run.story());
        const QStringList denied = run.attempts().filter(u"denied"_s);
        QVERIFY2(denied.size() == run.attempts().size() && denied.size() == 6, run.story());
    }

    // Nor is what some servers take for HTTP or TLS all the same, each on all ways.
    void otherBeginsOfHttpAndTlsAreNotLetThroughToAnybody()
    {
        for (const char *attempt : {"the proxy protocol", "a hello of another version"}) {
            const NetworkRun run(m_home, {u"www.allowed.test:7777"_s}, u"python"_s, attack(QString::fromUtf8(attempt)),
                                 {u"-t"_s, u"60"_s});
            QVERIFY2(!run.out().contains("tenant"), run.story());
            QVERIFY2(run.attempts().filter(u"denied"_s).size() >= 10, run.story());
            QVERIFY2(!run.story().contains("Traceback"), run.story());
        }
    }

    void oneOfManyAddressesThatMayBeDialledIsTaken()
    {
        const NetworkRun run(m_home, {u"mixed.trap.test"_s}, u"bash"_s, u"curl -sS http://mixed.trap.test/"_s);
        QVERIFY2(run.reached("accept 203.0.113.15 80") && !run.reachedAny("canary"), run.story());
    }

    void connectionsAtOnceAreServed()
    {
        const NetworkRun run(m_home, {u"v4.allowed.test:7777"_s}, u"python"_s, attackTools() + uR"(
open = [direct("v4.allowed.test", 7777) for _ in range(200)]
for number, each in enumerate(open):
    each.sendall(b"%d" % number)
print(all(each.recv(100) == b"%d" % number for number, each in enumerate(open)))
)"_s,
                             {u"-t"_s, u"60"_s});
        QVERIFY2(run.out() == "True\n", run.story());
    }

    void whatWasNotReachedIsSaidAndAllIsInTheRecord()
    {
        const Ended ended = m_home.run({u"run"_s, u"-l"_s, u"bash"_s, u"--allow"_s, u"www.allowed.test"_s, u"-c"_s,
                                        u"curl -s https://www.allowed.test/; curl -s -o /dev/null http://denied.test/; "
                                        "curl -gs http://[2001:db8:2::20]/"_s});
        QCOMPARE(ended.out.sliced(ended.out.indexOf("Glovebox: [")),
                 "Glovebox: [2001:db8:2::20]:80 is not on this run's allowlist.\n");
        QCOMPARE(ended.err,
                 "glovebox: The run could not reach denied.test:80: not on the allowlist. To allow it: --allow "
                 "denied.test:80\n"
                 "glovebox: The run could not reach [2001:db8:2::20]:80: not on the allowlist. To allow it: --allow "
                 "[2001:db8:2::20]:80\n");
        const Ended list = m_home.run({u"audit"_s, u"list"_s, u"--json"_s});
        const QJsonObject latest = QJsonDocument::fromJson(list.out.left(list.out.indexOf('\n'))).object();
        const Ended shown = m_home.run({u"audit"_s, u"show"_s, latest[u"run"_s].toString()});
        QVERIFY2(shown.out.contains("  allowed     www.allowed.test\n"), shown.out + shown.err);
        QVERIFY2(shown.out.contains("  network     allowed www.allowed.test:443 by connect, "), shown.out + shown.err);
        for (const char *place : {"denied.test:80", "[2001:db8:2::20]:80"})
            QVERIFY2(
                shown.out.contains("  network     denied " + QByteArray(place) + " by http: not on the allowlist\n"),
                shown.out + shown.err);
    }

    // By the run's own address for the host nobody could allow anything.
    void anotherPortOfAnAllowedHostIsToldByItsName()
    {
        const Ended ended =
            m_home.run({u"run"_s, u"--allow"_s, u"www.allowed.test"_s, u"--allow"_s, u"v4.allowed.test:3128"_s, u"-c"_s,
                        u"import socket\n"
                        "for place in ('v4.allowed.test', 22), ('www.allowed.test', 5432), ('v4.allowed.test', 3128):\n"
                        "    try: socket.create_connection(place)\n"
                        "    except OSError: pass\n"_s});
        const QByteArray withoutNames =
            "glovebox: The run asked the name server at 127.0.0.1 for a host's address. A run "
            "can ask no name server but its own.\n";
        const QByteArray withNames =
            "glovebox: The run could not reach v4.allowed.test:22: not on the allowlist. To allow it: --allow "
            "v4.allowed.test:22\n"
            "glovebox: The run could not reach www.allowed.test:5432: not on the allowlist. To allow it: --allow "
            "www.allowed.test:5432\n"
            "glovebox: The run tried to reach v4.allowed.test:3128. Only TCP connections to allowed hosts leave a "
            "run.\n";
        QCOMPARE(ended.err, isDirect ? withNames : withoutNames);
    }

private:
    Home m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliEgress)
#include "tst_cliegress.moc"
