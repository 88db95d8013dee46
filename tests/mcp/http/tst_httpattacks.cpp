// SPDX-License-Identifier: Apache-2.0
// Attacks on `glovebox mcp --http`: by web pages, other users, code in the sandbox, and clients that send too much or too little.
#include "service.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

qint64 mostMemoryOf(const QProcess &process) // kB
{
    QFile status(u"/proc/%1/status"_s.arg(process.processId()));
    if (!status.open(QIODevice::ReadOnly))
        return -1;
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith("VmHWM:"))
            return line.simplified().split(' ')[1].toLongLong();
    }
    return -1;
}

// Of the person's, at 127.0.0.1.
struct LoopbackListener
{
    LoopbackListener()
        : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto *const any = reinterpret_cast<sockaddr *>(&address);
        const int on = 1; // others listen there soon after
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(socket.get(), any, size) == 0 && ::listen(socket.get(), 8) == 0
            && ::getsockname(socket.get(), any, &size) == 0)
            port = ntohs(address.sin_port);
    }
    bool hasVisitor(int patience = 0) const // ms
    {
        pollfd wait{socket.get(), POLLIN, 0};
        return ::poll(&wait, 1, patience) == 1;
    }
    bool answersOne(const QByteArray &answer) const
    {
        if (!hasVisitor(30'000))
            return false;
        HttpVisitor visitor(UniqueFd(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC)));
        return !visitor.receive().head.isEmpty() && visitor.trySend(answer);
    }

    UniqueFd socket;
    quint16 port = 0;
};

} // namespace

class TestHttpAttacks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A page that was led here by its name server knows no token; one that did would be refused all the same.
    void otherPagesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<QByteArray>("origin");
        QTest::addColumn<int>("status");
        const auto row = [](const char *host, const char *origin, int status) {
            QTest::addRow("%s, %s", host, origin)
                << QByteArray(host) << (*origin ? "Origin: " + QByteArray(origin) + "\r\n" : QByteArray()) << status;
        };
        row("127.0.0.1", "", 200);
        row("localhost:1", "http://localhost:3000", 200);
        row("evil.example", "", 403);
        row("evil.example", "http://evil.example", 403);
        row("127.0.0.1", "http://evil.example", 403);
        row("127.0.0.1", "null", 403);
        row("127.0.0.1.evil.example", "", 403);
    }
    void otherPagesAreRefused()
    {
        QFETCH(QByteArray, host);
        QFETCH(QByteArray, origin);
        QFETCH(int, status);
        const ToolRequest request(m_token, u"sandbox_info"_s, {});
        for (HttpVisitor &visitor : visitors())
            QCOMPARE(visitor.exchange(request.body, request.fields + origin, host).status, status);
    }

    void onlyAWholeTokenLetsIn()
    {
        const QByteArray nearly = m_token.chopped(1) + (m_token.endsWith('A') ? 'B' : 'A');
        for (const QByteArray &token : {QByteArray(), m_token.chopped(1), m_token + 'A', nearly, m_token.toUpper(),
                                        m_token + ", " + m_token, QByteArray(8000, 'A')}) {
            const ToolRequest request(token, u"sandbox_info"_s, {});
            for (HttpVisitor &visitor : visitors())
                QCOMPARE(visitor.exchange(request.body, request.fields).status, 401);
        }
    }

    void anotherUserIsRefusedAtTheSocket()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can become another user.");
        const auto asNobody = [this](bool isOpen) {
            const pid_t child = ::fork();
            if (child == 0) {
                if (::setgid(65534) != 0 || ::setuid(65534) != 0)
                    ::_exit(3);
                HttpVisitor visitor(m_socket);
                if (!visitor.isConnected())
                    ::_exit(4);
                const ToolRequest request(m_token, u"sandbox_info"_s, {});
                std::ignore = visitor.trySend("POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + request.fields + "\r\n");
                ::_exit(visitor.receive().status == 403 ? 0 : 5);
            }
            int status = 0;
            ::waitpid(child, &status, 0);
            return WIFEXITED(status) && WEXITSTATUS(status) == (isOpen ? 0 : 4);
        };
        QVERIFY(asNobody(false)); // by the file system
        // Even where that would let another user in, as after a chmod.
        for (const QString &path : {m_folder.path(), m_folder.filePath(u"s"_s), m_socket})
            QCOMPARE(::chmod(path.toUtf8().constData(), 0777), 0);
        QVERIFY(asNobody(true));
        QCOMPARE(::chmod(m_folder.filePath(u"s"_s).toUtf8().constData(), 0700), 0);
    }

    void whatIsPlantedInTheSocketsPlaceIsRefused()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"s/http.sock"_s);
        const auto refusal = [&] {
            const Ended ended = m_home->run({u"mcp"_s, u"--http-socket"_s, path});
            return ended.status == 1 ? ended.err : "served";
        };
        QVERIFY(QDir().mkdir(folder.filePath(u"s"_s)));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY2(refusal().contains("is not a socket of yours"), refusal());
        QVERIFY(file.remove() && QFile::link(m_socket, path));
        QVERIFY2(refusal().contains("is not a socket of yours"), refusal());
        QVERIFY(QFile::remove(path));
        QCOMPARE(::chmod(folder.filePath(u"s"_s).toUtf8().constData(), 0777), 0);
        QVERIFY2(refusal().contains("needs a folder that is yours alone"), refusal());
    }

    void muchIsRefusedAndTheNextRequestAnswered()
    {
        const ToolRequest request(m_token, u"sandbox_info"_s, {});
        const QByteArray head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + request.fields;
        HttpVisitor large(m_service->port);
        large.send(head + "Content-Length: 104857600\r\n\r\n");
        const QByteArray piece(1024 * 1024, 'x');
        for (int i = 0; i < 100 && large.trySend(piece); ++i) { }
        QCOMPARE(large.receive().status, 413);
        HttpVisitor endless(m_service->port); // never ends its head
        for (int i = 0; i < 100 && endless.trySend("X-Much: " + piece + "\r\n"); ++i) { }
        QCOMPARE(endless.receive().status, 400);
        QCOMPARE(HttpVisitor(m_service->port).exchange(request.body, request.fields).status, 200);
        QVERIFY(mostMemoryOf(m_service->process()) < 150 * 1024);
    }

    // A run reaches neither place, granted or not: not even a token that was planted in it would help.
    void noRunReachesTheService_data()
    {
        QTest::addColumn<QString>("allow");
        QTest::addColumn<int>("status");
        QTest::newRow("nothing granted") << QString() << 0;
        for (const char *host : {"127.0.0.1", "0.0.0.0"})
            QTest::newRow(host) << QString::fromLatin1(host) << 125;
        QTest::newRow("mapped") << u"[::ffff:127.0.0.1]"_s << 2;
        QTest::newRow("by name") << u"localhost"_s << 2;
    }
    void noRunReachesTheService()
    {
        QFETCH(QString, allow);
        QFETCH(int, status);
        const QString code =
            u"import socket\n"
            "try:\n"
            "    s = socket.create_connection(('%1', %2), 5)\n"
            "    s.sendall(b'GET /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\n"
            "    print(s.recv(100))\n"
            "except OSError as e: print('closed')"_s.arg(allow == u"localhost"_s ? allow : u"127.0.0.1"_s)
                .arg(m_service->port);
        QStringList arguments{u"run"_s, u"-l"_s, u"python"_s, u"-c"_s, code};
        if (!allow.isEmpty())
            arguments += {u"--allow"_s, u"%1:%2"_s.arg(allow).arg(m_service->port)};
        const Ended ended = m_home->run(arguments);
        QVERIFY2(ended.status == status && !ended.out.contains("HTTP/1"), ended.out + ended.err);
        QCOMPARE(ended.err.contains("is one of Glovebox's own"), status == 125);
    }

    // Nor one that was granted the port while another program served there, by whichever way.
    void noRunThatWasThereBeforeReachesTheService_data()
    {
        QTest::addColumn<bool>("isOtherHome");
        QTest::addColumn<bool>("hasProxy");
        QTest::newRow("the same data folder") << false << false;
        QTest::newRow("another data folder") << true << false;
        QTest::newRow("with a proxy of this machine") << true << true;
    }
    void noRunThatWasThereBeforeReachesTheService()
    {
        QFETCH(bool, isOtherHome);
        QFETCH(bool, hasProxy);
        const Home other;
        const Home &home = isOtherHome ? other : *m_home;
        LoopbackListener earlier, proxy;
        if (hasProxy) {
            QVERIFY(QDir(home.path()).mkpath(u"config"_s));
            home.write(u"config/settings.json"_s,
                       "{\"engine\":{\"upstream_proxy\":\"http://127.0.0.1:" + QByteArray::number(proxy.port) + "\"}}");
        }
        const QString place = u"127.0.0.1:%1"_s.arg(earlier.port);
        const QString code = u"import socket\n"
                             "def look():\n"
                             "    s = socket.create_connection(('127.0.0.1', 3128), 25)\n"
                             "    s.sendall(b'CONNECT %1 HTTP/1.1\\r\\nHost: %1\\r\\n\\r\\n')\n"
                             "    told = s.recv(1000).split(b'\\r\\n')[0]\n"
                             "    if b' 200 ' in told:\n"
                             "        s.sendall(b'GET /mcp HTTP/1.1\\r\\nHost: %1\\r\\n\\r\\n')\n"
                             "        told = b'connected, ' + s.recv(1000).split(b'\\r\\n')[0]\n"
                             "    print(told.decode() + '.', flush=True)\n"
                             "look()\n"
                             "input()\n"
                             "look()\n"_s.arg(place);
        const auto run = home.program({u"run"_s, u"-l"_s, u"python"_s, u"-c"_s, code, u"--allow"_s, place});
        run->start();
        QVERIFY(earlier.answersOne("HTTP/1.1 204 Earlier\r\n\r\n"));
        QByteArray said;
        QVERIFY2(waitForOutput(*run, "connected, HTTP/1.1 204 Earlier.\n", said), said + run->readAllStandardError());
        earlier.socket.reset();

        const HttpService service(*m_home, {u"--http"_s, QString::number(earlier.port)});
        QCOMPARE(service.port, earlier.port);
        run->write("now\n");
        run->closeWriteChannel();
        said.clear();
        QVERIFY2(waitForOutput(*run, ".\n", said), said + run->readAllStandardError());
        QVERIFY2(said.startsWith("HTTP/1.1 502 "), said);
        QVERIFY(!proxy.hasVisitor());
        QCOMPARE(HttpVisitor(service.port).exchange("{}", fieldsWith("wrong")).status, 401);
        QCOMPARE(finish(*run).status, 0);
    }

    void noRunReachesTheSocket()
    {
        const QString code = u"import socket\n"
                             "try:\n"
                             "    s = socket.socket(socket.AF_UNIX)\n"
                             "    s.connect('%1')\n"
                             "    s.sendall(b'GET /mcp HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\n"
                             "    print(s.recv(100))\n"
                             "except OSError as e: print('closed')"_s.arg(m_socket);
        const QString folder = QFileInfo(m_socket).path();
        for (const QStringList &more : {QStringList(), QStringList{u"--mount"_s, folder + u':' + folder}}) {
            const Ended ended = m_home->run(QStringList{u"run"_s, u"-l"_s, u"python"_s, u"-c"_s, code} + more);
            // Of root's runs the folder isn't shown: they are another user's, and it is its owner's alone.
            const bool isNotShown = !more.isEmpty() && ended.status == 125 && ended.out.isEmpty();
            QVERIFY2(isNotShown || (ended.status == 0 && ended.out == "closed\n"), ended.out + ended.err);
        }
    }

    void aKilledClientTakesItsRunAlong()
    {
        const ToolRequest request(m_token, u"run_code"_s, shellCode(u"trap '' INT TERM; echo sleeper; sleep 1000"_s));
        const auto before = m_home->runsOnRecord().size();
        HttpVisitor visitor(m_service->port);
        visitor.post(request.body, request.fields);
        QTRY_COMPARE_WITH_TIMEOUT(m_home->runsOnRecord().size(), before + 1, 20'000);
        visitor.hangUp();
        QTRY_COMPARE_WITH_TIMEOUT(m_home->runsOnRecord().first()[u"outcome"].toString(), u"cancelled"_s, 20'000);
    }

    // Of 64 connections that send a word now and then, each ends; meanwhile others are told why they have to wait.
    void idleConnectionsKeepNobodyOutForLong()
    {
        HttpService service(*m_home);
        std::vector<HttpVisitor> idle;
        for (int i = 0; i < 64; ++i) {
            idle.emplace_back(service.port);
            idle.back().send("POST /mcp HTTP/1.1\r\nHost: local");
        }
        const ToolRequest request(m_token, u"sandbox_info"_s, {});
        const HttpReply refused = HttpVisitor(service.port).exchange(request.body, request.fields);
        QCOMPARE(refused.status, 503);
        QVERIFY2(refused.sentence().startsWith(u"All 64 connections"), qPrintable(refused.sentence()));
        QVERIFY(!refused.field("Retry-After").isEmpty());
        QCOMPARE(idle.front().receive(20'000).status, 408);
        idle.clear();
        QTRY_COMPARE_WITH_TIMEOUT(HttpVisitor(service.port).exchange(request.body, request.fields).status, 200, 20'000);
    }

    void initTestCase()
    {
        m_home = std::make_unique<Home>();
        m_token = tokenFor(*m_home, u"client"_s);
        m_socket = m_folder.filePath(u"s/http.sock"_s);
        m_service =
            std::make_unique<HttpService>(*m_home, QStringList{u"--http"_s, u"0"_s, u"--http-socket"_s, m_socket});
        QVERIFY2(m_service->port != 0, m_service->said);
    }
    void cleanupTestCase() { m_service.reset(); }

private:
    std::vector<HttpVisitor> visitors() const
    {
        std::vector<HttpVisitor> both;
        both.emplace_back(m_service->port);
        both.emplace_back(m_socket);
        return both;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<Home> m_home;
    QByteArray m_token;
    QString m_socket;
    std::unique_ptr<HttpService> m_service;
};

QTEST_GUILESS_MAIN(TestHttpAttacks)
#include "tst_httpattacks.moc"
