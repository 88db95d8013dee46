// SPDX-License-Identifier: Apache-2.0
// `glovebox session open` and `close`: a real server in a real job, and what a browser and others on this machine get of it.
#include "portpage.h"
#include "sessionhome.h"
#include "tests/app/cli/builder.h"

#include "engine/base/base.h"
#include "engine/network/network.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QUrl>

#include <netinet/in.h>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// At 8000, for IPv4: tells what it got, keeps the connection whatever it was asked, and speaks as a WebSocket server does. At 8001, for
// IPv6 alone.
constexpr char server[] = R"(
import http.server, os, socket, threading
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self, body):
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.send_header('Set-Cookie', 'own=1')
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        print(self.requestline, flush=True)
        if self.path == '/socket':
            self.wfile.write(b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
            while data := self.connection.recv(1000):
                self.wfile.write(data.upper())
            return
        self.answer((self.path + '\n' + str(self.headers)).encode())
        self.close_connection = False
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        self.answer(b'%d %d' % (len(body), sum(body)))
    def log_message(self, *args):
        pass
class Server6(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
threading.Thread(target=Server6(('::1', 8001), Handler).serve_forever, daemon=True).start()
first = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Handler)
print('serves', flush=True)
first.serve_forever()
)";

constexpr char wsgiServer[] = R"(
import socketserver
from wsgiref.simple_server import make_server, WSGIServer
class Threaded(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
def application(asked, start):
    start('200 OK', [('Content-Type', 'text/plain')])
    body = asked['wsgi.input'].read(int(asked.get('CONTENT_LENGTH') or 0)).decode()
    return ['{REQUEST_METHOD} {PATH_INFO} {QUERY_STRING} of {HTTP_HOST}: '.format(**asked).encode() + body.encode()]
print('serves', flush=True)
make_server('127.0.0.1', 5000, application, server_class=Threaded).serve_forever()
)";

} // namespace

class TestCliPorts : public QObject
{
    Q_OBJECT

    // A job whose server serves.
    static QString start(const SessionHome &home, const char *code = server)
    {
        const Ended started = home.run({u"run"_s, u"--session"_s, u"shop"_s, u"--detach"_s, u"-q"_s, u"-t"_s, u"120"_s,
                                        u"-l"_s, u"python"_s, u"-c"_s, QString::fromLatin1(code)});
        if (started.status != 0)
            qWarning("%s", started.err.constData());
        const QString job = QString::fromUtf8(started.out.trimmed());
        const auto following = home.program({u"session"_s, u"logs"_s, job, u"-f"_s});
        following->start();
        QByteArray seen;
        if (!waitForOutput(*following, "serves\n", seen))
            qWarning("%s", seen.constData());
        following->kill();
        following->waitForFinished();
        return job;
    }
    static QString open(const SessionHome &home, int port = 8000)
    {
        const Ended opened = home.session({u"open"_s, u"shop"_s, QString::number(port)});
        if (opened.status != 0)
            qWarning("%s", opened.err.constData());
        return QString::fromUtf8(opened.out.trimmed());
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!isDirect && ::geteuid() != 0)
            QSKIP("Only root refuses programs the direct builder, and nothing else.");
        QVERIFY(isDirect || refuseDirectBuilder());
        const SessionHome home;
        const QJsonObject run = home.run({u"run"_s, u"--json"_s, u"-c"_s, u"1"_s}).json();
        QCOMPARE(run["isolation"_L1]["builder"_L1].toString(), isDirect ? u"direct"_s : u"bwrap"_s);
    }
    void init()
    {
        m_home = std::make_unique<SessionHome>();
        m_home->create();
        m_job = start(*m_home);
    }
    void cleanup()
    {
        m_home->session({u"stop"_s, m_job});
        m_home.reset();
    }

    void aBrowserWithTheLinkHasThePage()
    {
        Page page(open(*m_home));
        QVERIFY2(page.host.contains(".localhost:"), page.host);
        page.come();
        const QByteArray got = page.get("/a?b=c&glovebox=1", "Accept: text/html\r\n");
        QVERIFY2(got.startsWith("HTTP/1.1 200 OK\r\n") && got.contains("/a?b=c&glovebox=1\n"), got);
        QVERIFY2(got.contains("Set-Cookie: own=1\r\n"), got);
        QVERIFY2(got.contains("Host: " + page.host + '\n') && got.contains("Connection: close\n"), got);
        // The server gets its own cookies alone, and never the token.
        QVERIFY2(got.contains("Cookie: a=1; b=2\n") && !got.contains(page.cookie), got);
        const QByteArray token = page.query.mid(page.query.indexOf('=') + 1);
        QVERIFY(token.size() == 64 && !m_home->session({u"logs"_s, m_job}).out.contains(token));

        const QByteArray body(1'000'000, 'x');
        const UniqueFd posting = connectTo(page.port);
        send(posting, page.head("POST /", "Content-Length: 1000000\r\nOrigin: http://" + page.host + "\r\n") + body);
        QVERIFY(receive(posting, "\r\n\r\n1000000 120000000").contains("\r\n\r\n1000000 120000000"));
    }

    // As Flask's own server: WSGI, a thread a request, and HTTP/1.0, whose answers end with the connection.
    void aJobHasFourPortsOpenAtMost()
    {
        for (const int port : {8000, 8001, 8002, 8003})
            QVERIFY(open(*m_home, port).startsWith(u"http://"_s));
        const Ended fifth = m_home->session({u"open"_s, u"shop"_s, u"8004"_s});
        QCOMPARE(fifth.status, 1);
        QVERIFY2(fifth.err.contains("The job has 4 ports open, and no more can be."), fifth.err);
        QCOMPARE(m_home->session({u"close"_s, u"shop"_s, u"8002"_s}).status, 0);
        QVERIFY(open(*m_home, 8004).startsWith(u"http://"_s));
    }

    void aPortHasTwentyFourConnectionsAtMost()
    {
        Page page(open(*m_home));
        page.come();
        const QByteArray socket = page.head("GET /socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
        std::vector<UniqueFd> kept;
        for (int i = 0; i < 24; ++i) {
            kept.push_back(connectTo(page.port));
            send(kept.back(), socket);
            QVERIFY2(receive(kept.back(), "\r\n\r\n").startsWith("HTTP/1.1 101 "), QByteArray::number(i));
        }
        const QByteArray refused = page.get("/");
        QVERIFY2(refused.startsWith("HTTP/1.1 503 ") && refused.contains("as many connections as it can have"),
                 refused);
        Page other(open(*m_home, 8001)); // which has connections of its own
        other.come();
        QVERIFY(other.get("/six").contains("/six\n"));
        kept.pop_back();
        QByteArray freed; // asked once more than it takes, there might be none again
        QVERIFY2(QTest::qWaitFor([&] { return (freed = page.get("/")).startsWith("HTTP/1.1 200 "); }), freed);
    }

    void aServerOfWsgiHasForms()
    {
        const QString job = start(*m_home, wsgiServer);
        const Ended opened = m_home->session({u"open"_s, u"shop"_s, u"5000"_s, u"--job"_s, job});
        Page page(QString::fromUtf8(opened.out.trimmed()));
        page.come();
        QVERIFY(page.get("/hello?x=1").contains("GET /hello x=1 of " + page.host));
        const UniqueFd posting = connectTo(page.port);
        send(posting, page.head("POST /form", "Content-Length: 3\r\nOrigin: http://" + page.host + "\r\n") + "a=b");
        QVERIFY(receive(posting).contains("POST /form  of " + page.host + ": a=b"));
        QCOMPARE(m_home->session({u"stop"_s, job}).status, 0);
    }

    void nobodyElseHasIt()
    {
        const QString link = open(*m_home);
        Page page(link);
        QVERIFY(!connectTo(page.port, network::hopsOfRuns)); // a run, whatever it was granted
        const Ended run =
            m_home->run({u"run"_s, u"--allow"_s, u"127.0.0.1:%1"_s.arg(page.port), u"-c"_s, u"print(1)"_s});
        QVERIFY2(run.status == 125 && run.out.isEmpty() && run.err.contains("is one of Glovebox's own"), run.err);
        QVERIFY(page.get("/").startsWith("HTTP/1.1 403 "));
        QVERIFY(page.get("/?glovebox-token=" + QByteArray(64, '0')).startsWith("HTTP/1.1 403 "));
        page.come();
        QVERIFY(page.get("/", "Origin: http://example.org\r\n").startsWith("HTTP/1.1 403 "));
        QVERIFY(page.get("/", "Origin: null\r\n").startsWith("HTTP/1.1 403 "));
        Page again(link); // somebody who read the link in a list of processes
        QVERIFY(again.get("/?" + again.query).contains("this link was used already"));
        again.cookie = QByteArray(64, '0');
        QVERIFY(again.get("/").startsWith("HTTP/1.1 403 "));
        Page rebound = page;
        for (const QByteArray &host : {QByteArray("127.0.0.1"), QByteArray("localhost"), QByteArray("evil.example")}) {
            rebound.host = host + ':' + QByteArray::number(page.port);
            QVERIFY(rebound.get("/").startsWith("HTTP/1.1 403 "));
        }
        rebound.host = page.host.first(page.host.indexOf(':'));
        QVERIFY(rebound.get("/").startsWith("HTTP/1.1 403 "));
        const QByteArray seen = m_home->session({u"logs"_s, m_job}).out;
        QCOMPARE(seen, "serves\n"); // none of these came to the server
        Page second(open(*m_home)); // another link to the same
        QCOMPARE(second.port, page.port);
        second.come();
        QVERIFY(page.get("/").startsWith("HTTP/1.1 200 "));
    }

    // What a browser asks for on a connection that it keeps might be another site's request, without the cookie.
    void noRequestRidesOnAnother()
    {
        Page page(open(*m_home));
        page.come();
        Page stranger = page;
        stranger.cookie.clear();
        const UniqueFd kept = connectTo(page.port);
        send(kept, page.head("GET /first"));
        QVERIFY(receive(kept, "/first\n").contains("/first\n"));
        send(kept, stranger.head("GET /second"));
        receive(kept, "/second\n", 1'000);
        const UniqueFd atOnce = connectTo(page.port);
        send(atOnce, page.head("GET /third") + stranger.head("GET /fourth"));
        receive(atOnce, "/fourth\n", 1'000);
        // The server doesn't go on as a WebSocket, and would take another request.
        const UniqueFd refused = connectTo(page.port);
        send(refused, page.head("GET /fifth", "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
        QVERIFY(receive(refused, "/fifth\n").startsWith("HTTP/1.1 200 "));
        send(refused, stranger.head("GET /sixth"));
        receive(refused, "/sixth\n", 1'000);
        const QByteArray seen = m_home->session({u"logs"_s, m_job}).out;
        QCOMPARE(seen, "serves\nGET /first HTTP/1.1\nGET /third HTTP/1.1\nGET /fifth HTTP/1.1\n");
    }

    void webSocketsPass()
    {
        Page page(open(*m_home));
        page.come();
        const UniqueFd connection = connectTo(page.port);
        send(connection,
             page.head("GET /socket", "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nOrigin: http://"
                                          + page.host + "\r\n"));
        QVERIFY(receive(connection, "\r\n\r\n").startsWith("HTTP/1.1 101 "));
        for (const char *word : {"hello", "again"}) {
            send(connection, word);
            QCOMPARE(receive(connection, QByteArray(word).toUpper()), QByteArray(word).toUpper());
        }
    }

    void aServerOfIPv6IsReachedAndAMissingOneIsTold()
    {
        Page page(open(*m_home, 8001));
        page.come();
        QVERIFY(page.get("/six").contains("/six\n"));
        Page none(open(*m_home, 8002));
        none.come();
        for (int i = 0; i < 40; ++i) // more often than there are sockets
            QVERIFY2(none.get("/").contains("nothing in the job listens at port 8002 yet"),
                     qPrintable(QString::number(i)));
        QVERIFY(page.get("/six").contains("/six\n"));
    }

    // Of a server that keeps its connections, too.
    void whatABrowserClosedIsFree()
    {
        Page page(open(*m_home));
        page.come();
        for (int i = 0; i < 60; ++i) { // more often than there are sockets
            const UniqueFd connection = connectTo(page.port);
            send(connection, page.head("GET /again"));
            const QByteArray answer = receive(connection, "/again\n");
            QVERIFY2(answer.contains("/again\n"), QByteArray::number(i) + ": " + answer);
        }
    }

    // Whoever connects and says little keeps nobody else from it.
    void idleAndTooLargeRequestsAreBounded()
    {
        Page page(open(*m_home));
        page.come();
        std::vector<UniqueFd> idle;
        for (int i = 0; i < 60; ++i) {
            idle.push_back(connectTo(page.port));
            send(idle.back(), "GET / HTTP/1.1\r\n");
        }
        QVERIFY(page.get("/").startsWith("HTTP/1.1 200 "));
        QVERIFY(page.get("/", "X: " + QByteArray(40'000, 'x') + "\r\n").startsWith("HTTP/1.1 400 "));
    }

    // As when the machine was busy for a while.
    void aLateAnswerClosesNoPort()
    {
        Page page(open(*m_home));
        page.come();
        const QByteArray job = QByteArray::number(m_home->objects({u"jobs"_s})[0]["pid"_L1].toInteger());
        pid_t program = -1;
        for (const QString &pid : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
            QFile stat(u"/proc/"_s + pid + u"/stat"_s);
            const QByteArray text = stat.open(QIODevice::ReadOnly) ? stat.readAll() : QByteArray();
            if (text.contains("(glovebox-port) ") && text.mid(text.lastIndexOf(')') + 2).split(' ').value(1) == job)
                program = pid.toInt();
        }
        QVERIFY(program > 0);
        // SIGSTOP won't do: what comes to the program continues it.
        if (::ptrace(PTRACE_SEIZE, program, nullptr, nullptr) != 0)
            QSKIP("Only root may hold up the program for a port.");
        QCOMPARE(::ptrace(PTRACE_INTERRUPT, program, nullptr, nullptr), 0);
        QCOMPARE(::waitpid(program, nullptr, __WALL), program);
        const Ended late = m_home->session({u"open"_s, u"shop"_s, u"8000"_s});
        QCOMPARE(::ptrace(PTRACE_DETACH, program, nullptr, nullptr), 0);
        QVERIFY2(late.status == 1 && late.err.contains("Port 8000 of the job could not be opened"), late.err);
        QTest::qWait(1'500); // ports are looked at once a second
        QVERIFY(page.get("/").startsWith("HTTP/1.1 200 "));
        Page second(open(*m_home));
        QCOMPARE(second.port, page.port);
        second.come();
    }

    void whatIsOpenIsShownAndOnRecord()
    {
        const Ended opened = m_home->session({u"open"_s, u"shop"_s, u"8000"_s, u"--json"_s});
        QCOMPARE(opened.json()["job"_L1].toString(), m_job);
        const Page page(opened.json()["link"_L1].toString());
        const QByteArray address = "http://" + page.host + '/';
        const QJsonValue shown = m_home->objects({u"status"_s, u"shop"_s})[0]["ports"_L1][0];
        QCOMPARE(shown["port"_L1].toInt(), 8000);
        QCOMPARE(shown["job"_L1].toString(), m_job);
        QCOMPARE(shown["address"_L1].toString().toUtf8(), address); // without a token
        QVERIFY(m_home->session({u"status"_s, u"shop"_s}).out.contains("8000 of the job " + m_job.toUtf8()));
        QCOMPARE(m_home->session({u"close"_s, u"shop"_s, u"8000"_s}).status, 0);
        QVERIFY(!page.isThere());
        const Ended again = m_home->session({u"close"_s, u"shop"_s, u"8000"_s});
        QCOMPARE(again.status, 1);
        QVERIFY2(again.err.contains("isn't open"), again.err);
        const QByteArray record = m_home->run({u"audit"_s, u"show"_s, m_job}).out;
        QVERIFY2(record.contains("8000 opened at " + address) && record.contains("closed: You closed the port."),
                 record);
        QVERIFY(!record.contains("token"));
        for (const char *port : {"0", "65536", "x"})
            QCOMPARE(m_home->session({u"open"_s, u"shop"_s, QString::fromLatin1(port)}).status, 2);
        for (const int port : {8000, 8001, 8002, 8003})
            QVERIFY(!open(*m_home, port).isEmpty());
        const Ended fifth = m_home->session({u"open"_s, u"shop"_s, u"8004"_s});
        QCOMPARE(fifth.status, 1);
        QVERIFY2(fifth.err.contains("The job has 4 ports open, and no more can be."), fifth.err);
    }

    void aStoppedJobHasNoPort()
    {
        const Page page(open(*m_home));
        QCOMPARE(m_home->session({u"stop"_s, m_job}).status, 0);
        QVERIFY(!page.isThere());
        const QByteArray record = m_home->run({u"audit"_s, u"show"_s, m_job}).out;
        QVERIFY2(record.contains("closed: The job has ended."), record);
        const Ended none = m_home->session({u"open"_s, u"shop"_s, u"8000"_s});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.err.contains("No job of session shop is running."), none.err);
    }

    void aKilledJobHasNoPort()
    {
        Page page(open(*m_home));
        page.come();
        const UniqueFd connection = connectTo(page.port);
        send(connection, page.head("GET /socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
        QVERIFY(receive(connection, "\r\n\r\n").startsWith("HTTP/1.1 101 "));
        QCOMPARE(sendSignal(m_home->objects({u"jobs"_s})[0]["pid"_L1].toInteger(), SIGKILL), 0);
        QTRY_VERIFY(!page.isThere());
        QCOMPARE(receive(connection), QByteArray());
        QCOMPARE(m_home->session({u"fork"_s, u"shop"_s}).status, 0); // an engine opens the log
        const QByteArray record = m_home->run({u"audit"_s, u"show"_s, m_job}).out;
        QVERIFY2(record.contains("closed: The job's process ended in the middle."), record);
    }

    void aDeletedSessionHasNoPort()
    {
        const Page page(open(*m_home));
        const QString session = m_home->objects({u"status"_s, u"shop"_s})[0]["id"_L1].toString();
        QVERIFY(QDir(m_home->folderOf(session)).removeRecursively()); // whoever does it
        QTRY_VERIFY(!page.isThere());
        QCOMPARE(m_home->objects({u"jobs"_s}).size(), 1);
    }

private:
    std::unique_ptr<SessionHome> m_home;
    QString m_job;
};

QTEST_GUILESS_MAIN(TestCliPorts)
#include "tst_cliports.moc"
