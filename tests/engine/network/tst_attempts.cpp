// SPDX-License-Identifier: Apache-2.0
// What a run asked of the network is told and on record: each once, also at the last moment, and by number where there are many.
#include "egressfixture.h"

#include "tests/support/testinternet/testinternet.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestAttempts : public EgressFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin(); }
    void eachAttemptIsInTheResultAndOnRecord();
    void aConnectionIsToldOnceByWhoServesIt_data();
    void aConnectionIsToldOnceByWhoServesIt();
    void whatIsCutOffWhileItIsDialledIsTold();
    void whoDoesntWaitForTheAnswerIsTold_data();
    void whoDoesntWaitForTheAnswerIsTold();
    void theNameInWhatIsNoQuestionIsTold();
    void aFloodOfAttemptsIsCounted();
};

void TestAttempts::eachAttemptIsInTheResultAndOnRecord()
{
    const auto result = run("curl -s https://www.allowed.test/; curl -s http://denied.test/", {u"www.allowed.test"_s});
    QCOMPARE(result->egress.size(), 2);
    const QJsonArray told = toJson(*result)[u"egress"_s].toArray();
    QCOMPARE(told.at(0)[u"host"_s].toString(), u"www.allowed.test"_s);
    QCOMPARE(told.at(0)[u"port"_s].toInt(), 443);
    QCOMPARE(told.at(0)[u"verdict"_s].toString(), u"allowed"_s);
    QVERIFY(told.at(0)[u"bytes"_s].toInt() > 500);
    QCOMPARE(told.at(1)[u"verdict"_s].toString(), u"denied"_s);
    QCOMPARE(told.at(1)[u"reason"_s].toString(), u"not on the allowlist"_s);
    QCOMPARE(told.at(0)[u"off_allowlist"_s], QJsonValue(false));
    QCOMPARE(told.at(1)[u"off_allowlist"_s], QJsonValue(true));
    const auto reader = m_engine->auditReader();
    QVERIFY(reader);
    const auto entries = (*reader)->entriesOf(result->id);
    QVERIFY(entries);
    const QJsonArray recorded = QJsonDocument::fromJson(entries->last().json).object()[u"egress"_s].toArray();
    QCOMPARE(recorded.size(), 2);
    QCOMPARE(recorded.at(1)[u"host"_s].toString(), u"denied.test"_s);
}

void TestAttempts::aConnectionIsToldOnceByWhoServesIt_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("tried"); // the only event; empty: none
    QTest::addColumn<qsizetype>("attempts");
    const auto tcp = [](const char *name, const char *place, const char *tried, qsizetype attempts) {
        QTest::newRow(name) << "exec 3<>/dev/tcp/" + QByteArray(place) << QString::fromUtf8(tried) << attempts;
    };
    const auto udp = [](const char *name, const char *deed, const char *tried) {
        QTest::newRow(name)
            << "/usr/bin/python3 -c 'import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns."
                   + QByteArray(deed) + "'"
            << QString::fromUtf8(tried) << qsizetype(0);
    };
    if (isDirect) {
        tcp("allowed address", "203.0.113.12/7777", "", 1);
        tcp("denied address", "203.0.113.20/7777", "", 1);
        tcp("allowed IPv6 address", "2001:db8:2::12/7777", "", 1);
        tcp("allowed name", "v4.allowed.test/7777", "", 1);
        QTest::newRow("a hundred at the very end")
            << QByteArray("/usr/bin/python3 -c 'import os, socket\nfor _ in range(100): socket.socket().connect("
                          "(\"203.0.113.20\", 7777))\nos._exit(0)'")
            << QString() << qsizetype(100);
    } else {
        tcp("allowed address", "203.0.113.12/7777", "The run tried to reach 203.0.113.12:7777.", 0);
    }
    tcp("port that nobody serves", "203.0.113.12/23", "", 1);
    tcp("port that nobody serves, of IPv6", "2001:db8:2::12/23", "", 1);
    tcp("itself", "127.0.0.1/23", "The run tried to reach 127.0.0.1:23.", 0);
    tcp("proxy", "127.0.0.1/3128", "", 0);
    udp("datagram", "sendto(b\"x\", (\"203.0.113.12\", 7777))", "The run tried to reach 203.0.113.12:7777.");
    udp("datagrams", "connect((\"203.0.113.12\", 7777))", "The run tried to reach 203.0.113.12:7777.");
}

void TestAttempts::aConnectionIsToldOnceByWhoServesIt()
{
    QFETCH(QByteArray, code);
    QFETCH(QString, tried);
    QFETCH(qsizetype, attempts);
    const auto result = run(code, {u"v4.allowed.test:7777"_s, u"203.0.113.12:7777"_s, u"[2001:db8:2::12]:7777"_s});
    QStringList told;
    for (const RunEvent &event : result->events)
        told.append(event.detail.english());
    QCOMPARE(told, tried.isEmpty() ? QStringList() : QStringList{tried});
    QCOMPARE(result->egress.size(), attempts);
}

// Packets have left the machine, and no answer came before the run was over.
void TestAttempts::whatIsCutOffWhileItIsDialledIsTold()
{
    QByteArray code = "curl -s -m 1 -p telnet://203.0.113.99:7777 & curl -s -m 1 http://203.0.113.99:7777/ & "
                      "curl -s -m 1 -x socks5h://127.0.0.1:1080 http://nobody.test:7777/ & "
                      "curl -s -m 1 http://silent.test:7777/ & ";
    QStringList expected{u"connect 203.0.113.99"_s, u"http 203.0.113.99"_s, u"http silent.test"_s,
                         u"socks nobody.test"_s};
    if (isDirect) {
        code += "timeout 1 bash -c 'exec 3<>/dev/tcp/203.0.113.99/7777' & "
                "timeout 1 bash -c 'exec 3<>/dev/tcp/nobody.test/7777' & ";
        expected += {u"direct 203.0.113.99"_s, u"direct nobody.test"_s};
    }
    expected.sort();
    const auto result = run(code + "wait", {u"203.0.113.99:7777"_s, u"nobody.test:7777"_s, u"silent.test:7777"_s});
    QStringList told;
    for (const EgressAttempt &attempt : result->egress) {
        told.append(toString(attempt.way) + u' ' + attempt.host);
        QCOMPARE(attempt.port, 7777);
        QCOMPARE(toString(attempt.verdict), u"failed"_s);
        QCOMPARE(attempt.reason.english(), u"the run ended first"_s);
        QVERIFY(attempt.duration > std::chrono::milliseconds(400) && !attempt.isOpen);
    }
    told.sort();
    QCOMPARE(told, expected);
}

// Who asked is gone; the connection was made all the same.
void TestAttempts::whoDoesntWaitForTheAnswerIsTold_data()
{
    QTest::addColumn<QByteArray>("words"); // to the proxy's socket s
    QTest::newRow("CONNECT") << QByteArray("s.connect((\"127.0.0.1\", 3128))\n"
                                           "    s.sendall(b\"CONNECT v4.allowed.test:7777 HTTP/1.1\\r\\n"
                                           "Host: x\\r\\n\\r\\n\")\n");
    QTest::newRow("SOCKS") << QByteArray("s.connect((\"127.0.0.1\", 1080))\n"
                                         "    s.sendall(b\"\\5\\1\\0\")\n    s.recv(2)\n"
                                         "    s.sendall(b\"\\5\\1\\0\\3\\x0fv4.allowed.test\\x1e\\x61\")\n");
}

void TestAttempts::whoDoesntWaitForTheAnswerIsTold()
{
    QFETCH(QByteArray, words);
    const InternetLog log;
    const auto result =
        run("/usr/bin/python3 -c 'import socket, time\nfor _ in range(20):\n    s = socket.socket()\n    " + words
                + "    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b\"\\1\\0\\0\\0\\0\\0\\0\\0\")\n"
                  "    s.close()\ntime.sleep(0.5)'",
            {u"v4.allowed.test:7777"_s});
    QVERIFY2(log.count("accept 203.0.113.12 7777") > 0, log.lines().join('\n') + said(*result));
    QCOMPARE(result->egress.size(), log.count("accept 203.0.113.12 7777"));
}

void TestAttempts::theNameInWhatIsNoQuestionIsTold()
{
    if (!isDirect) { // bwrap gives nobody a low port, and nobody answers there
        const auto refused = run("/usr/bin/python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 53))'",
                                 {u"www.allowed.test"_s});
        QVERIFY2(said(*refused).contains("ConnectionRefusedError"), said(*refused));
        QCOMPARE(refused->egress.size(), 0);
        return;
    }
    const auto result = run("/usr/bin/python3 -c '\n"
                            "import socket\n"
                            "place = (\"127.0.0.1\", 53)\n"
                            "d = socket.socket(2, 2)\n"
                            "q = lambda name, flags=b\"\\1\\0\": b\"\\0\\7\" + flags + b\"\\0\\1\" + bytes(6) + "
                            "bytes([len(name)]) + name + b\"\\0\\0\\1\\0\\1\"\n"
                            "d.sendto(q(b\"opcode\", b\"\\x28\\0\"), place)\nd.recv(512)\n"
                            "for i in range(3): d.sendto(q(b\"answer\", b\"\\x80\\0\"), place)\n"
                            "d.sendto(b\"x\", place)\n"
                            "for length, name in (b\"\\xff\\xff\", b\"long\"), (b\"\\0\\1\", b\"short\"), "
                            "(b\"\\1\\0\", b\"cut\"):\n"
                            "    s = socket.create_connection(place)\n    s.send(length + q(name))\n"
                            "    s.shutdown(1)\n    s.recv(9)\n'",
                            {u"www.allowed.test"_s});
    QVERIFY2(result->outcome == Outcome::Completed, said(*result));
    QStringList told;
    for (const EgressAttempt &attempt : result->egress) {
        QCOMPARE(attempt.reason.english(), u"malformed: no question for an address"_s);
        told.append(attempt.host);
    }
    QCOMPARE(told, (QStringList{u"opcode"_s, u"answer"_s, QString(), u"long"_s, u"short"_s, u"cut"_s}));
}

void TestAttempts::aFloodOfAttemptsIsCounted()
{
    const auto result = run("/usr/bin/python3 -c '\n"
                            "import socket\n"
                            "for i in range(1500):\n"
                            "    s = socket.create_connection((\"127.0.0.1\", 3128))\n"
                            "    s.sendall(b\"GET http://h%d.test/ HTTP/1.0\\r\\n\\r\\n\" % i)\n"
                            "    s.recv(1000)\n"
                            "    s.close()\n'",
                            {u"www.allowed.test"_s});
    QVERIFY2(result->outcome == Outcome::Completed, said(*result));
    QCOMPARE(result->egress.size(), 1000);
    QVERIFY2(std::ranges::any_of(result->events,
                                 [](const RunEvent &event) {
                                     return event.type == EventType::EgressMore
                                            && event.detail.args == QStringList{u"500"_s};
                                 }),
             QJsonDocument(toJson(*result)).toJson().right(2000));
}

GLOVEBOX_INTERNET_TEST_MAIN(TestAttempts)
#include "tst_attempts.moc"
