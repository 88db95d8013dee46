// SPDX-License-Identifier: Apache-2.0
// A run that was allowed no host reaches nobody, and whom it wanted to reach is told all the same.
#include "egressfixture.h"

#include "tests/support/testinternet/testinternet.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestClosedNetwork : public EgressFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }
    void tellsTheNameThatWasAskedFor_data();
    void tellsTheNameThatWasAskedFor();
    void tellsTheNameInWhatIsNoQuestion_data();
    void tellsTheNameInWhatIsNoQuestion();
    void tellsWhoComesWithoutAName_data();
    void tellsWhoComesWithoutAName();
    void tellsTheAddressThatWasTried_data();
    void tellsTheAddressThatWasTried();
    void tellsNothingOfWhatStaysInside();
    void makesNoMessageInsideWait_data();
    void makesNoMessageInsideWait();
    void isOnRecord();
    void tellsWhatWasAskedAtTheVeryEnd();
    void countsWhatItDoesNotList();
    void listsAHundredAddresses();
    void aQuestionThatIsNoneIsAnswered();

private:
    // bwrap gives nobody a low port: of a connection to it only that it was tried is told.
    static void tellsNoName(const RunResult &result)
    {
        QVERIFY2(has(result, EventType::NetworkLookup), said(result));
        QCOMPARE(result.egress.size(), 0);
    }
    static QByteArray python(const QByteArray &code) { return "exec /usr/bin/python3 -c '" + code + "'"; }
    // d: a socket for datagrams; s: a connection, made when it is first used; o: what stays open.
    static QByteArray pythonAsks(const QByteArray &deed)
    {
        return python("import os, socket, time\np = (\"127.0.0.1\", 53)\nd = socket.socket(2, 2)\no = []\n"
                      "def q(flags=b\"\\1\\0\", counts=b\"\\0\\1\" + bytes(6), end=b\"\\0\\1\\0\\1\"):\n"
                      "    return b\"\\0\\7\" + flags + counts + b\"\\4evil\\7example\\0\" + end\n"
                      + QByteArray(deed.contains("s.send(") ? "s = socket.create_connection(p)\n" : "") + deed);
    }
    static QStringList places(const RunResult &result)
    {
        QStringList places;
        for (const EgressAttempt &attempt : result.egress)
            places.append(u"%1 %2 %3"_s.arg(toString(attempt.way), attempt.host).arg(attempt.port));
        return places;
    }
    static bool has(const RunResult &result, EventType type)
    {
        return std::ranges::any_of(result.events, [type](const RunEvent &event) { return event.type == type; });
    }
};

void TestClosedNetwork::tellsTheNameThatWasAskedFor_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("create_connection") << python("import socket\nsocket.create_connection((\"evil.example\", 443))");
    QTest::newRow("gethostbyname") << python("import socket\nsocket.gethostbyname(\"evil.example\")");
    QTest::newRow("urllib") << python("import urllib.request\nurllib.request.urlopen(\"https://evil.example/\")");
    QTest::newRow("twice, in other letters")
        << QByteArray("getent hosts evil.example; getent ahosts evil.EXAMPLE; getent ahostsv4 EVIL.example");
    QTest::newRow("curl") << QByteArray("curl -s http://evil.example/");
    QTest::newRow("fetch") << QByteArray("node:await fetch('http://evil.example/')");
    QTest::newRow("a datagram of its own")
        << python("import socket\nsocket.socket(2, 2).sendto(b\"\\0\\7\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4evil"
                  "\\7example\\0\\0\\x10\\0\\1\", (\"127.0.0.1\", 53))");
    QTest::newRow("a message of its own") << pythonAsks("d.sendmsg([q()], [], 0, p)");
    QTest::newRow("many messages") << pythonAsks("for _ in range(3): d.sendmsg([q()], [], 0, p)");
    if (!isDirect) // who sends without flags to where it is connected isn't asked about
        return;
    QTest::newRow("a resolver of its own") << QByteArray("node:require('dns').resolve4('evil.example', () => {})");
    QTest::newRow("over TCP") << QByteArray("RES_OPTIONS=use-vc getent hosts evil.example");
}

void TestClosedNetwork::tellsTheNameThatWasAskedFor()
{
    QFETCH(QByteArray, code);
    QElapsedTimer time;
    time.start();
    const auto result = run(code, {});
    QVERIFY2(time.elapsed() < 4000, said(*result)); // a resolver that hears nothing waits for 5 s
    QVERIFY2(result->egress.size() == 1, said(*result) + places(*result).join(u';').toUtf8());
    const EgressAttempt &attempt = result->egress.first();
    QCOMPARE(attempt.host.toLower(), u"evil.example"_s);
    QCOMPARE(toString(attempt.way), u"name"_s);
    QCOMPARE(toString(attempt.verdict), u"denied"_s);
    QCOMPARE(attempt.reason.english(), u"no host was allowed"_s);
    QCOMPARE(attempt.port, 0);
    QCOMPARE(result->events.size(), 0);
    QVERIFY(ruleFor(attempt));
}

void TestClosedNetwork::tellsTheNameInWhatIsNoQuestion_data()
{
    QTest::addColumn<QByteArray>("code");
    const auto row = [](const char *name, const QByteArray &deed) { QTest::newRow(name) << pythonAsks(deed); };
    row("another opcode", "d.sendto(q(flags=b\"\\x28\\0\"), p)");
    row("an answer", "d.sendto(q(flags=b\"\\x80\\0\"), p)");
    row("cut", "d.sendto(q(flags=b\"\\3\\0\"), p)");
    row("another class", "d.sendto(q(end=b\"\\0\\1\\0\\3\"), p)");
    row("no type", "d.sendto(q(end=b\"\"), p)");
    row("more behind it", "d.sendto(q() + b\"x\", p)");
    row("too long", "d.sendto(q() + bytes(2000), p)");
    row("no question", "d.sendto(q(counts=bytes(8)), p)");
    row("two questions", "d.sendto(q(counts=b\"\\0\\2\" + bytes(6)), p)");
    row("with answers", "d.sendto(q(counts=b\"\\0\\1\\0\\1\" + bytes(4)), p)");
    row("over TCP, another opcode", "s.send(b\"\\0\\x1e\" + q(flags=b\"\\x28\\0\")); s.recv(9)");
    row("over TCP, too long", "s.send(b\"\\xff\\xff\" + q()); s.recv(9)");
    row("over TCP, too short", "s.send(b\"\\0\\1\" + q()); s.recv(9)");
    row("over TCP, not whole", "s.send(b\"\\1\\0\" + q())");
    row("over TCP, not whole, to the end", "s.send(b\"\\1\\0\" + q()); os.kill(os.getpid(), 9)");
    row("over TCP, in pieces", "for c in b\"\\xff\\0\" + q(): s.send(bytes([c])); time.sleep(0.001)");
    row("over TCP, reset", "s.setsockopt(1, 13, b\"\\1\" + bytes(7)); s.send(b\"\\0\\x1e\" + q()); s.close()");
    row("over TCP, behind many",
        "for i in range(30):\n    c = socket.create_connection(p); c.send(b\"\\0\\x1e\" + q()); o.append(c)");
    row("over TCP, before many", "s.send(b\"\\1\\0\" + q())\nfor i in range(30):\n    c = socket.create_connection(p); "
                                 "c.send(b\"\\0\\x1e\" + q()); "
                                 "o.append(c)");
}

// The name is read as far as it can be.
void TestClosedNetwork::tellsTheNameInWhatIsNoQuestion()
{
    QFETCH(QByteArray, code);
    const auto result = run(code, {});
    if (!isDirect && QByteArrayView(QTest::currentDataTag()).startsWith("over TCP"))
        return tellsNoName(*result);
    QVERIFY2(result->outcome == Outcome::Completed || result->outcome == Outcome::Signalled, said(*result));
    QCOMPARE(places(*result), QStringList{u"name evil.example 0"_s});
    QCOMPARE(result->egress.first().reason.english(), u"no host was allowed"_s);
    QCOMPARE(result->events.size(), 0);
}

void TestClosedNetwork::tellsWhoComesWithoutAName_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("a connection") << pythonAsks("socket.create_connection(p)");
    QTest::newRow("another protocol") << QByteArray("curl -s -m 5 http://127.0.0.1:53/");
    QTest::newRow("a datagram") << pythonAsks("d.sendto(b\"x\", p)");
    QTest::newRow("a header") << pythonAsks("d.sendto(bytes(12), p)");
}

void TestClosedNetwork::tellsWhoComesWithoutAName()
{
    QFETCH(QByteArray, code);
    QElapsedTimer time;
    time.start();
    const auto result = run(code, {});
    QVERIFY2(time.elapsed() < 4000, said(*result));
    if (!isDirect)
        return tellsNoName(*result);
    QCOMPARE(result->events.size(), 1);
    QCOMPARE(result->events.first().detail.english(),
             u"The run came to the name server of its network without a name that can be read."_s);
    QCOMPARE(result->egress.size(), 0);
}

void TestClosedNetwork::tellsTheAddressThatWasTried_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("place");
    QTest::newRow("address") << QByteArray("exec 3<>/dev/tcp/1.2.3.4/443") << u"direct 1.2.3.4 443"_s;
    QTest::newRow("address of version 6")
        << QByteArray("exec 3<>/dev/tcp/2606:4700::1/80") << u"direct 2606:4700::1 80"_s;
    QTest::newRow("address in the clothes of the other")
        << python("import socket\nsocket.socket(socket.AF_INET6).connect((\"::ffff:1.2.3.4\", 443))")
        << u"direct 1.2.3.4 443"_s;
    QTest::newRow("datagram") << python("import socket\nsocket.socket(2, 2).sendto(b\"x\", (\"1.2.3.4\", 9))")
                              << u"direct 1.2.3.4 9"_s;
    QTest::newRow("words with the connection")
        << python("import socket\nsocket.socket().sendto(b\"x\", socket.MSG_FASTOPEN, (\"1.2.3.4\", 80))")
        << u"direct 1.2.3.4 80"_s;
    QTest::newRow("private address") << QByteArray("curl -s http://10.0.0.5:8080/") << u"direct 10.0.0.5 8080"_s;
}

void TestClosedNetwork::tellsTheAddressThatWasTried()
{
    QFETCH(QByteArray, code);
    QFETCH(QString, place);
    const auto result = run(code, {});
    QCOMPARE(places(*result), QStringList{place});
    QCOMPARE(result->egress.first().reason.english(), u"no host was allowed"_s);
    QVERIFY(ruleFor(result->egress.first()));
    QCOMPARE(result->events.size(), 0);
}

// Its own loopback is nobody else's, and nothing to allow.
void TestClosedNetwork::tellsNothingOfWhatStaysInside()
{
    const auto result = run(python("import socket\nserver = socket.create_server((\"0.0.0.0\", 8000))\n"
                                   "for place in \"127.0.0.1\", \"localhost\", \"0.0.0.0\", \"127.9.9.9\":\n"
                                   "    socket.create_connection((place, 8000))\n"
                                   "socket.socket(10).connect((\"::ffff:127.0.0.1\", 8000))\n"
                                   "socket.socket(10).connect_ex((\"::1\", 8001))\n"),
                            {});
    QVERIFY2(result->outcome == Outcome::Completed, said(*result));
    QCOMPARE(places(*result), QStringList());
}

void TestClosedNetwork::makesNoMessageInsideWait_data()
{
    QTest::addColumn<QByteArray>("send");
    QTest::addColumn<int>("times");
    QTest::newRow("words") << QByteArray("send(bytes(64))") << 2500;
    QTest::newRow("messages") << QByteArray("sendmsg([bytes(32), bytes(32)])") << 5000; // each is asked about
}

// While only so many questions were answered in a second, 5,000 of these took 5 s.
void TestClosedNetwork::makesNoMessageInsideWait()
{
    QFETCH(QByteArray, send);
    QFETCH(int, times);
    const auto result = run(python("import socket, time\na, b = socket.socketpair()\n"
                                   "l = socket.create_server((\"127.0.0.1\", 0))\n"
                                   "c = socket.create_connection(l.getsockname())\nd = l.accept()[0]\n"
                                   "t = time.monotonic()\nfor _ in range("
                                   + QByteArray::number(times)
                                   + "):\n"
                                     "    for x, y in (a, b), (c, d):\n        x."
                                   + send
                                   + "; y.recv(64)\n"
                                     "print(time.monotonic() - t)"),
                            {});
    const double seconds = result->out.kept().trimmed().toDouble();
    QVERIFY2(seconds > 0 && seconds < 2.5, said(*result));
}

void TestClosedNetwork::isOnRecord()
{
    const auto result = run("exec 3<>/dev/tcp/1.2.3.4/443", {});
    const QJsonArray told = toJson(*result)[u"egress"_s].toArray();
    QCOMPARE(told.size(), 1);
    QCOMPARE(told.at(0)[u"host"_s].toString(), u"1.2.3.4"_s);
    QCOMPARE(told.at(0)[u"port"_s].toInt(), 443);
    QCOMPARE(told.at(0)[u"verdict"_s].toString(), u"denied"_s);
    QCOMPARE(told.at(0)[u"reason"_s].toString(), u"no host was allowed"_s);
    const auto reader = m_engine->auditReader();
    QVERIFY(reader);
    const auto entries = (*reader)->entriesOf(result->id);
    QVERIFY(entries);
    const QJsonArray recorded = QJsonDocument::fromJson(entries->last().json).object()[u"egress"_s].toArray();
    QCOMPARE(recorded.size(), 1);
    QCOMPARE(recorded.at(0)[u"host"_s].toString(), u"1.2.3.4"_s);
}

static const QByteArray ask = "import os, socket\ns = socket.socket(2, 2)\ns.connect((\"127.0.0.1\", 53))\n"
                              "def ask(name):\n"
                              "    s.send(b\"\\0\\7\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\" + bytes([len(name)]) + name + "
                              "b\"\\7example\\0\\0\\1\\0\\1\", socket.MSG_NOSIGNAL)\n";

void TestClosedNetwork::tellsWhatWasAskedAtTheVeryEnd()
{
    const auto result = run(python(ask + "for i in range(50): ask(b\"h%d\" % i)\nos.kill(os.getpid(), 9)"), {});
    if (!isDirect) { // nobody is there, which the second call hears
        QVERIFY2(places(*result).contains(u"name h0.example 0"_s), said(*result));
        return;
    }
    QCOMPARE(result->egress.size(), 50);
    QVERIFY(places(*result).contains(u"name h49.example 0"_s));
}

void TestClosedNetwork::countsWhatItDoesNotList()
{
    const auto result = run(
        python(ask + "for i in range(130):\n    ask(b\"h%d\" % i)\n    s.recv(512)\nask(b\"h0\")\ns.recv(512)"), {});
    if (!isDirect) {
        QCOMPARE(places(*result), QStringList{u"name h0.example 0"_s});
        return;
    }
    QVERIFY2(result->outcome == Outcome::Completed, said(*result));
    QCOMPARE(result->egress.size(), 100);
    QCOMPARE(result->events.size(), 1);
    QCOMPARE(toString(result->events.first().type), u"egress.more"_s);
    QCOMPARE(result->events.first().detail.args, QStringList{u"30"_s});
}

void TestClosedNetwork::listsAHundredAddresses()
{
    const auto result = run(python("import socket\nfor i in range(110):\n"
                                   "    socket.socket().connect_ex((\"192.0.2.1\", 1000 + i))"),
                            {});
    QCOMPARE(result->egress.size(), 100);
    QCOMPARE(result->events.size(), 1);
    QCOMPARE(toString(result->events.first().type), u"events.more"_s);
}

void TestClosedNetwork::aQuestionThatIsNoneIsAnswered()
{
    // An answer, to which none may be given; half a question; one of another opcode; one that is right.
    const auto result = run(python(ask
                                   + "s.send(b\"\\0\\1\\x80\\0\" + bytes(8))\ns.send(b\"x\")\n"
                                     "s.send(b\"\\0\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\x3f\")\n"
                                     "print(s.recv(512)[3] & 15)\n"
                                     "s.send(b\"\\0\\3\\x28\\0\\0\\1\\0\\0\\0\\0\\0\\0\\1x\\0\\0\\1\\0\\1\")\n"
                                     "print(s.recv(512)[3] & 15)\nask(b\"x\")\nprint(s.recv(512)[3] & 15)"),
                            {});
    if (!isDirect)
        return tellsNoName(*result);
    QCOMPARE(result->out.kept(), "1\n4\n3\n");
    QCOMPARE(places(*result), (QStringList{u"name x 0"_s, u"name x.example 0"_s}));
}

GLOVEBOX_INTERNET_TEST_MAIN(TestClosedNetwork)
#include "tst_closednetwork.moc"
