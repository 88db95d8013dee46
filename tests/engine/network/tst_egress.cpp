// SPDX-License-Identifier: Apache-2.0
// A run's network, for real: in the test internet, by the whole engine. What counts is what the servers saw.
#include "egressfixture.h"

#include "engine/network/egress/messages.h"
#include "tests/support/signals.h"
#include "tests/support/testinternet/testinternet.h"

#include <QDir>
#include <QJsonDocument>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Living processes of this name that belong to this program; a zombie only waits for whoever reaps it.
QList<qint64> processesNamed(const QByteArray &name)
{
    QList<qint64> found;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        QFile stat(u"/proc/%1/stat"_s.arg(entry));
        if (entry.toLongLong() > 0 && stat.open(QIODevice::ReadOnly)) {
            const QByteArray text = stat.readAll();
            const QByteArrayList words = text.mid(text.lastIndexOf(')') + 2).split(' ');
            if (text.contains("(" + name + ")") && words.value(0) != "Z" && words.value(1).toLongLong() == ::getpid())
                found.append(entry.toLongLong());
        }
    }
    return found;
}

} // namespace

class TestEgress : public EgressFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }
    void allowedHostsAreReached_data();
    void allowedHostsAreReached();
    void whatIsNotAllowedIsNotReached_data();
    void whatIsNotAllowedIsNotReached();
    void withoutAnAllowlistThereIsNothing();
    void theNetworkIsClosedWhenItsProgramIsKilled();
    void theTimeLimitHoldsWhenItsProgramHangs();
    void nothingRunsWithoutItsProgram();
    void itsProgramEndsWithTheRun();
    void aProgramThatWasNotSealedIsRefused();
    void theControlsSayWhatWasReadBack();
    void whatWaitsWarmServesOneRunWithItsOwnHosts();
};

void TestEgress::allowedHostsAreReached_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<QByteArray>("seen");
    const auto row = [](const char *name, const char *code, const char *says, const char *seen) {
        QTest::newRow(name) << QByteArray(code) << QByteArray(says) << QByteArray(seen);
    };
    row("curl", "curl -sS https://www.allowed.test/a", "hello from www.allowed.test by https",
        "request https www.allowed.test GET /a");
    row("curl without TLS", "curl -sS http://www.allowed.test/b", "by http", "request http www.allowed.test GET /b");
    row("curl by SOCKS5", "curl -sS --socks5-hostname 127.0.0.1:1080 https://www.allowed.test/c", "hello from",
        "request https www.allowed.test GET /c");
    row("IPv6 only", "curl -sS http://v6.allowed.test/", "by http", "request http v6.allowed.test GET /");
    row("wget", "wget -qO- https://sub.allowed.test/", "hello from sub", "request https sub.allowed.test GET /");
    row("another port", "curl -sS https://www.allowed.test:8443/", "hello from", "sni www.allowed.test");
    row("urllib",
        "/usr/bin/python3 -c 'import urllib.request as r; print(r.urlopen(\"https://www.allowed.test/u\").read())'",
        "hello from www.allowed.test", "request https www.allowed.test GET /u");
    row("git", "git clone -q https://github.com/tiny.git && cat tiny/README", "hello from a repository",
        "request https github.com GET /tiny.git/HEAD");
    row("pip",
        "/usr/bin/python3 -m pip install -q --no-cache-dir --disable-pip-version-check "
        "--cert /etc/ssl/certs/ca-certificates.crt --target p tiny-wheel && PYTHONPATH=p /usr/bin/python3 -c 'import "
        "tiny_wheel; print(tiny_wheel.GREETING)'",
        "hello from a wheel", "request https pypi.org GET /simple/tiny-wheel/");
    if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
        qWarning("npm is not installed, and not tried.");
    else
        row("npm",
            "npm install --no-audit --no-fund --no-update-notifier tiny-package >&2 && node -p "
            "'require(\"tiny-package\")'",
            "hello from a package", "request https registry.npmjs.org GET /tiny-package");
    if (!isDirect) // it has proxies only
        return;
    row("curl without a proxy", "curl -sS --noproxy '*' https://www.allowed.test/d", "hello from",
        "request https www.allowed.test GET /d");
    row("plain HTTP without a proxy", "curl -sS --noproxy '*' http://www.allowed.test/e", "hello from",
        "request http www.allowed.test GET /e");
    row("Node fetch", "node: fetch('https://www.allowed.test/').then(r => r.text()).then(console.log)",
        "hello from www.allowed.test", "sni www.allowed.test");
    row("Node https.get",
        "node: require('https').get('https://www.allowed.test/', r => r.on('data', d => console.log(`${d}`)))",
        "hello from www.allowed.test", "sni www.allowed.test");
    row("raw socket", "exec 3<>/dev/tcp/v4.allowed.test/7777 && echo knock >&3 && head -n 1 <&3", "knock",
        "accept 203.0.113.12 7777");
    row("a server that speaks first", "exec 3<>/dev/tcp/v4.allowed.test/22 && head -n 1 <&3", "220 hello",
        "accept 203.0.113.12 22");
    row("an old request to a literal address",
        "exec 3<>/dev/tcp/203.0.113.12/8080 && printf 'GET /old HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3",
        "hello from 203.0.113.12:8080 by http", "request http 203.0.113.12:8080 GET /old");
    row("literal address", "exec 3<>/dev/tcp/203.0.113.12/7777 && echo knock >&3 && head -n 1 <&3", "knock",
        "accept 203.0.113.12 7777");
}

void TestEgress::allowedHostsAreReached()
{
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, says);
    QFETCH(QByteArray, seen);
    const InternetLog log;
    Policy policy =
        allowing({u"*.allowed.test"_s, u"*.allowed.test:8443"_s, u"*.allowed.test:7777"_s, u"*.allowed.test:22"_s,
                  u"203.0.113.12:7777"_s, u"203.0.113.12:8080"_s, u"github.com:443"_s, u"pypi.org:443"_s,
                  u"files.pythonhosted.org:443"_s, u"registry.npmjs.org:443"_s});
    policy.limits.memoryBytes = 1024 * mebibyte; // npm's
    const auto result = start(code, policy)->wait();
    QVERIFY2(result->out.kept().contains(says), said(*result));
    QVERIFY2(log.has(seen), log.lines().join('\n'));
    QVERIFY(std::ranges::any_of(result->egress, [](const EgressAttempt &attempt) {
        return attempt.verdict == EgressAttempt::Verdict::Allowed && attempt.received > 0 && !attempt.isOpen;
    }));
}

void TestEgress::whatIsNotAllowedIsNotReached_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("host"); // told as denied
    const auto row = [](const char *name, const char *code, const char *host) {
        QTest::newRow(name) << QByteArray(code) << QByteArray(host);
    };
    row("HTTP", "curl -s http://denied.test/", "denied.test");
    row("CONNECT", "curl -s https://denied.test/", "denied.test");
    row("SOCKS5", "curl -s --socks5-hostname 127.0.0.1:1080 http://denied.test/", "denied.test");
    row("literal by CONNECT", "curl -sk https://203.0.113.20/", "203.0.113.20");
    row("suffix", "curl -s http://evil-allowed.test/", "evil-allowed.test");
    row("prefix", "curl -s http://allowed.test.evil.test/", "allowed.test.evil.test");
    row("the domain above a wildcard", "curl -s http://allowed.test/", "allowed.test");
    row("another port", "curl -s http://www.allowed.test:81/", "www.allowed.test");
    row("another SNI", "curl -sk --connect-to tenant.denied.test:443:www.allowed.test:443 https://tenant.denied.test/",
        "www.allowed.test");
    row("another Host in a tunnel", "curl -s -p -H 'Host: tenant.denied.test' http://www.allowed.test/",
        "tenant.denied.test");
    row("second request",
        "printf 'GET http://www.allowed.test/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET http://denied.test/ "
        "HTTP/1.1\\r\\nHost: denied.test\\r\\n\\r\\n' | curl -s -m 5 telnet://127.0.0.1:3128",
        "denied.test");
    for (const char *trap : {"loopback", "loopback6", "zero", "linklocal", "metadata", "private", "shared", "own",
                             "own6", "mapped", "nat64", "sixtofour"})
        QTest::newRow(trap) << "curl -s http://" + QByteArray(trap) + ".trap.test/" << QByteArray(trap) + ".trap.test";
    row("own by alias", "curl -s http://alias.trap.test/", "alias.trap.test");
    if (!isDirect)
        return;
    row("HTTP without a proxy", "curl -s --noproxy '*' http://denied.test/", "denied.test");
    row("literal without a proxy", "curl -s --noproxy '*' http://203.0.113.20/", "203.0.113.20");
    row("IPv6 literal without a proxy", "curl -s --noproxy '*' 'http://[2001:db8:2::20]/'", "2001:db8:2::20");
    row("another Host without a proxy", "curl -s --noproxy '*' -H 'Host: tenant.denied.test' http://www.allowed.test/",
        "tenant.denied.test");
    row("another SNI without a proxy",
        "curl -sk --noproxy '*' --connect-to tenant.denied.test:443:www.allowed.test:443 https://tenant.denied.test/",
        "www.allowed.test");
    row("no TLS at its port", "curl -s --noproxy '*' http://www.allowed.test:443/", "www.allowed.test");
}

void TestEgress::whatIsNotAllowedIsNotReached()
{
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, host);
    const InternetLog log;
    const auto result = run(code, {u"*.allowed.test"_s, u"*.trap.test"_s});
    const QByteArrayList lines = log.lines();
    for (const char *never :
         {"request http denied", "request http tenant", "request https tenant", "request https denied",
          "accept 203.0.113.2", "canary", "sni tenant", "request http allowed.test"})
        QVERIFY2(log.count(never) == 0, lines.join('\n'));
    QVERIFY2(std::ranges::any_of(result->egress,
                                 [&](const EgressAttempt &attempt) {
                                     return attempt.verdict == EgressAttempt::Verdict::Denied
                                            && attempt.host.toUtf8() == host && !attempt.reason.isEmpty();
                                 }),
             said(*result) + QJsonDocument(toJson(*result)).toJson());
}

void TestEgress::withoutAnAllowlistThereIsNothing()
{
    const InternetLog log;
    const auto result =
        run("curl -s -m 5 http://203.0.113.10/; curl -s -m 5 -x 127.0.0.1:3128 http://www.allowed.test/; "
            "env | grep -ci proxy; cat /etc/resolv.conf",
            {});
    QCOMPARE(result->out.kept(), "0\n");
    QVERIFY2(log.count("accept") == 0, log.lines().join('\n'));
    QCOMPARE(result->egress.size(), 1); // told, and that is all
    QCOMPARE(result->egress[0].host, u"203.0.113.10"_s);
    QVERIFY(result->egress[0].verdict == EgressAttempt::Verdict::Denied);
    QVERIFY(processesNamed("glovebox-egress").isEmpty());
}

void TestEgress::theNetworkIsClosedWhenItsProgramIsKilled()
{
    const auto run =
        start("curl -sS http://www.allowed.test/one; read line; curl -s -m 5 http://www.allowed.test/two; curl -s "
              "-m 5 --noproxy '*' http://203.0.113.10/three; echo end",
              allowing({u"www.allowed.test"_s, u"203.0.113.10"_s}));
    QTRY_VERIFY(run->output(0, 1000).next > 0);
    const InternetLog log;
    const QList<qint64> programs = processesNamed("glovebox-egress");
    QCOMPARE(programs.size(), 1);
    sendSignal(programs.first(), SIGKILL);
    QTRY_VERIFY(!run->events(0).events.isEmpty());
    run->write("go\n");
    const auto result = run->wait();
    QVERIFY2(result->out.kept().endsWith("end\n"), said(*result));
    QVERIFY2(log.count("accept") == 0 && log.count("request") == 0, log.lines().join('\n'));
    QVERIFY(
        std::ranges::any_of(result->events, [](const RunEvent &event) { return event.type == EventType::EgressLost; }));
}

void TestEgress::theTimeLimitHoldsWhenItsProgramHangs()
{
    Policy policy = allowing({u"www.allowed.test"_s});
    policy.limits.wall = std::chrono::seconds(2);
    const auto run = start("echo ready; sleep 0.5; curl -s http://www.allowed.test/; sleep 20", policy);
    QTRY_VERIFY(run->output(0, 1000).next > 0);
    const QList<qint64> programs = processesNamed("glovebox-egress");
    QCOMPARE(programs.size(), 1);
    sendSignal(programs.first(), SIGSTOP);
    const auto result = run->wait();
    QVERIFY2(result->outcome == Outcome::TimedOut, said(*result));
    QVERIFY2(result->usage.wall < std::chrono::milliseconds(4000),
             qPrintable(QString::number(result->usage.wall.count())));
    QTRY_VERIFY(processesNamed("glovebox-egress").isEmpty());
}

// The other programs of a folder without glovebox-egress, or with something else of that name.
static void fillFolder(const QString &folder, const QStringList &programs)
{
    for (const QString &name : programs)
        QVERIFY(QFile::copy(QStringLiteral(GLOVEBOX_LIBEXEC "/") + name, folder + u'/' + name));
}

void TestEgress::nothingRunsWithoutItsProgram()
{
    const QTemporaryDir folder;
    fillFolder(folder.path(), {u"glovebox-spawner"_s});
    const QTemporaryDir home;
    m_engine = open(home.path(), folder.path());
    const auto with = run("echo ran", {u"www.allowed.test"_s});
    QVERIFY2(with->outcome == Outcome::SetupFailed, said(*with));
    QVERIFY2(with->reason.english().startsWith(u"Glovebox's program glovebox-egress can't be started"), said(*with));
    QVERIFY(with->out.kept().isEmpty());
    QCOMPARE(run("echo ran", {})->out.kept(), "ran\n");
    initTestCase();
}

void TestEgress::aProgramThatWasNotSealedIsRefused()
{
    const QTemporaryDir folder;
    fillFolder(folder.path(), {u"glovebox-spawner"_s});
    QFile liar(folder.filePath(u"glovebox-egress"_s));
    QVERIFY(liar.open(QIODevice::WriteOnly));
    liar.write("#!/usr/bin/python3\nimport socket, time\ns = socket.socket(fileno=3)\n"
               "s.send(b'\\x01' + ("
               + QByteArray::number(network::egressVersion)
               + ").to_bytes(4, 'little') + bytes(4) + (7).to_bytes(4, 'little'))\ntime.sleep(10)\n");
    liar.close();
    QVERIFY(liar.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QTemporaryDir home;
    m_engine = open(home.path(), folder.path());
    const auto result = run("echo ran", {u"www.allowed.test"_s});
    QVERIFY2(result->outcome == Outcome::SetupFailed, said(*result));
    QVERIFY(result->out.kept().isEmpty());
    QVERIFY2(std::ranges::any_of(result->events,
                                 [](const RunEvent &event) { return event.detail.english().contains(u"not sealed"); }),
             QJsonDocument(toJson(*result)).toJson());
    initTestCase();
}

void TestEgress::itsProgramEndsWithTheRun()
{
    run("exec 3<>/dev/tcp/127.0.0.1/3128; sleep 60 & disown", {u"www.allowed.test"_s});
    QTRY_VERIFY(processesNamed("glovebox-egress").isEmpty());
}

void TestEgress::theControlsSayWhatWasReadBack()
{
    const auto result = run("true", {u"www.allowed.test"_s});
    const auto found = [&](ControlId id) {
        const auto control = std::ranges::find(result->controls, id, &Control::id);
        return control == result->controls.end() ? Control() : *control;
    };
    QVERIFY(found(ControlId::Egress).state == (Control::State::Verified));
    QVERIFY(found(ControlId::EgressListeners).state
            == (isDirect ? Control::State::Verified : Control::State::Degraded));
    Policy strict = allowing({u"www.allowed.test"_s});
    strict.strict = true;
    const auto refused = start("true", strict)->wait();
    if (!isDirect) {
        QVERIFY2(refused->outcome == Outcome::SetupFailed, said(*refused));
        QVERIFY(refused->reason.english().contains(u"egress-listeners"));
    }
}

void TestEgress::whatWaitsWarmServesOneRunWithItsOwnHosts()
{
    EngineConfig config;
    const QTemporaryDir home;
    config.paths = {home.path() + u"/data"_s, home.path() + u"/config"_s, home.path() + u"/run"_s,
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.backends = {makeNativeBackend(config.paths.libexec, QStringLiteral("egress"), {.only = builderUnderTest})};
    config.keepsWarm = true;
    const auto engine = Engine::open(std::move(config)).value();
    const auto reach = [&](const QString &host, const QByteArray &code) {
        RunRequest request;
        request.language = u"python"_s;
        request.code = "import os, urllib.request as r\nprint(os.readlink('/proc/self/ns/net'))\n" + code;
        request.policy = allowing({host});
        return engine->start(std::move(request))->wait();
    };
    const QByteArray both = "for host in 'www.allowed.test', 'sub.allowed.test':\n"
                            "    try: print(r.urlopen(f'http://{host}/').read().decode(), end='')\n"
                            "    except OSError as error: print(host, error.code)\n";
    const auto first = reach(u"www.allowed.test"_s, both + "open('/tmp/mine', 'w').write('secret')\n");
    QVERIFY2(!first->warm, said(*first));
    QTRY_VERIFY(engine->backend().waiting() > 0);
    QTRY_VERIFY(processesNamed("glovebox-egress").isEmpty()); // nobody serves what waits

    const auto second = reach(u"sub.allowed.test"_s, both + "print(os.listdir('/tmp'), os.listdir('/work'))\n");
    QVERIFY2(second->warm, said(*second));
    QCOMPARE(second->egress.size(), 2);
    const QByteArray file = second->out.kept().split('\n').value(3);
    QVERIFY2(second->out.kept().contains("\nwww.allowed.test 403\nhello from sub.allowed.test by http\n"),
             said(*second));
    QVERIFY2(!file.contains("mine"), said(*second));
    QVERIFY(first->out.kept().contains("\nhello from www.allowed.test by http\nsub.allowed.test 403\n"));

    QTRY_VERIFY(engine->backend().waiting() > 0);
    const auto third = reach(u"sub.allowed.test"_s, both);
    QVERIFY2(third->warm, said(*third));
    QSet<QByteArray> networks;
    for (const auto &result : {first, second, third})
        networks.insert(result->out.kept().split('\n').value(0));
    QCOMPARE(networks.size(), 3); // none serves twice

    QTRY_VERIFY(engine->backend().waiting() > 0);
    const auto other = reach(u"www.allowed.test:8080"_s, "print(r.urlopen('http://www.allowed.test:8080/').read())\n");
    QVERIFY2(!other->warm, said(*other)); // another shape
    QVERIFY2(other->out.kept().contains("hello from www.allowed.test:8080"), said(*other));
}

GLOVEBOX_INTERNET_TEST_MAIN(TestEgress)
#include "tst_egress.moc"
