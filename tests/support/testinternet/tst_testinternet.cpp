// SPDX-License-Identifier: Apache-2.0
// The positive control of all tests of a run's network: on the host, everything in the test internet can be reached, the places
// nobody may be led to above all. What a run can't reach there is proof only because of this.
#include "testinternet.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestTestInternet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void programsReachIt_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QByteArray>("says");
        QTest::addColumn<QByteArray>("seen");
        const auto row = [](const char *name, const char *command, const char *says, const char *seen) {
            QTest::newRow(name) << QString::fromUtf8(command) << QByteArray(says) << QByteArray(seen);
        };
        row("curl", "curl -sS https://www.allowed.test/a", "hello from www.allowed.test by https",
            "request https www.allowed.test GET /a");
        row("curl by IPv6", "curl -6 -sS http://v6.allowed.test/", "by http", "request http v6.allowed.test GET /");
        row("wget", "wget -qO- https://sub.allowed.test/", "hello from sub", "request https sub.allowed.test GET /");
        row("urllib",
            "/usr/bin/python3 -c 'import urllib.request as r; print(r.urlopen(\"https://allowed.test/\").read())'",
            "hello from allowed.test", "request https allowed.test GET /");
        row("alias", "curl -sS https://alias.allowed.test/", "hello from alias",
            "request https alias.allowed.test GET /");
        row("another port", "curl -sS https://www.allowed.test:8443/", "hello from", "accept 2001:db8:2::10 8443");
        row("Node fetch",
            "NODE_EXTRA_CA_CERTS=$TEST_INTERNET_CA node -e "
            "'fetch(\"https://www.allowed.test/\").then(r => r.text()).then(console.log)'",
            "hello from www.allowed.test", "sni www.allowed.test");
        row("socket", "exec 3<>/dev/tcp/v4.allowed.test/7777 && echo knock >&3 && head -n 1 <&3", "knock",
            "accept 203.0.113.12 7777");
        row("a server that speaks first", "exec 3<>/dev/tcp/v4.allowed.test/22 && head -n 1 <&3", "220 hello",
            "accept 203.0.113.12 22");
        row("pip",
            "/usr/bin/python3 -m pip install -q --no-cache-dir --disable-pip-version-check --cert $TEST_INTERNET_CA "
            "--target p tiny-wheel && PYTHONPATH=p /usr/bin/python3 -c 'import tiny_wheel; print(tiny_wheel.GREETING)'",
            "hello from a wheel", "request https pypi.org GET /simple/tiny-wheel/");
        row("git", "git clone -q https://github.com/tiny.git && cat tiny/README", "hello from a repository",
            "request https github.com GET /tiny.git/HEAD");
        // Not in installer/packages: Debian's npm can't be beside a Node.js that brings its own.
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            qWarning("npm is not installed, and not tried.");
        else
            row("npm",
                "npm_config_cafile=$TEST_INTERNET_CA npm install --no-audit --no-fund --no-update-notifier "
                "tiny-package >&2 && node -p 'require(\"tiny-package\")'",
                "hello from a package", "request https registry.npmjs.org GET /tiny-package");
        row("redirect", "curl -sS -L 'https://www.allowed.test/redirect?to=https://www.denied.test/secret'",
            "hello from www.denied.test", "request https www.denied.test GET /secret");
        row("kept connection, two hosts",
            "curl -sS http://www.allowed.test/ http://www.allowed.test/ -H 'Host: denied.test'",
            "hello from denied.test", "request http denied.test GET /");
        row("wrong server name", "curl -sS --connect-to denied.test:443:v4.allowed.test:443 https://denied.test/",
            "hello from denied.test", "sni denied.test");
        row("chunks", "curl -sS http://allowed.test/chunks | wc -c", "101001", "request http allowed.test GET /chunks");
        row("until it closes", "curl -sS http://allowed.test/until-close", "until the end",
            "request http allowed.test GET /until-close");
        row("echo", "curl -sS -d hello http://allowed.test/echo", "hello", "request http allowed.test POST /echo");
        row("echo of chunks", "echo hello | curl -sS -T - http://allowed.test/echo", "hello",
            "request http allowed.test PUT /echo");
    }

    void programsReachIt()
    {
        QFETCH(QString, command);
        QFETCH(QByteArray, says);
        QFETCH(QByteArray, seen);
        const InternetLog log;
        QByteArray errors;
        const QByteArray output = bash(command, &errors);
        QVERIFY2(output.contains(says), (output + errors).constData());
        QVERIFY2(log.has(seen), log.lines().join(" | ").constData());
    }

    void trapsSpring_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("seen");
        const auto row = [](const char *host, const char *seen) {
            QTest::newRow(host) << QByteArray(host) << QByteArray(seen);
        };
        row("loopback.trap.test", "canary 127.0.0.1 80");
        row("loopback6.trap.test", "canary ::1 80");
        row("alias.trap.test", "canary 127.0.0.1 80");
        row("own.trap.test", "canary 198.51.100.2 80");
        row("own6.trap.test", "canary 2001:db8:1::2 80");
        row("mapped.trap.test", "canary 127.0.0.1 80");
        row("zero.trap.test", "canary 127.0.0.1 80");
        row("mixed.trap.test", "canary 127.0.0.1 80");
        row("linklocal.trap.test", "accept 169.254.7.7 80");
        row("metadata.trap.test", "accept 169.254.169.254 80");
        row("private.trap.test", "accept 10.0.0.5 80");
        row("shared.trap.test", "accept 100.64.0.5 80");
        row("nat64.trap.test", "accept 64:ff9b::7f00:1 80");
        row("sixtofour.trap.test", "accept 2002:7f00:1::1 80");
    }

    void trapsSpring()
    {
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, seen);
        const InternetLog log;
        const QByteArray output = bash(u"curl -sS --max-time 5 http://%1/"_s.arg(QString::fromLatin1(host)));
        QVERIFY2(!output.isEmpty() && log.has(seen), (output + log.lines().join(" | ")).constData());
    }

    void aNameIsReboundAfterItsFirstAnswer()
    {
        const QString ask = u"getent ahostsv4 rebind.trap.test | head -n 1"_s;
        QVERIFY(bash(ask).startsWith("203.0.113.14"));
        QVERIFY(bash(ask).startsWith("127.0.0.1"));
    }

    void aGibibyteComesThrough()
    {
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(bash(u"curl -sS 'http://allowed.test/bytes?count=1073741824' | wc -c"_s).trimmed(), "1073741824");
        QVERIFY(timer.elapsed() < 20000);
    }

    void otherNamesAndTheRealInternetAreNotThere()
    {
        const InternetLog log;
        QVERIFY(bash(u"curl -sS --max-time 5 http://example.org/"_s).isEmpty());
        QVERIFY(log.has("dns example.org 1"));
        QVERIFY(bash(u"curl -sS --max-time 1 http://93.184.216.34/"_s).isEmpty());
    }

private:
    QByteArray bash(const QString &command, QByteArray *errors = nullptr) const
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"HOME"_s, m_folder->path());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(m_folder->path());
        process.start(u"bash"_s, {u"-c"_s, command});
        process.waitForFinished(60000);
        if (errors)
            *errors = process.readAllStandardError();
        return process.readAllStandardOutput();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestTestInternet)
#include "tst_testinternet.moc"
