// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp` as its clients start it: only the protocol on standard output, whatever they send, and an end when they go.
#include "tests/app/cli/program.h"
#include "tests/support/signals.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QSet>
#include <QTest>

#include <csignal>

using namespace Qt::StringLiterals;
using namespace glovebox;

namespace {

const QByteArray handshake =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";
const QByteArray sleeper =
    R"json({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_code","arguments":{"language":"python","code":"import time\ntime.sleep(25)"}}})json";

QByteArray request(int id, const QByteArray &rest)
{
    return R"({"jsonrpc":"2.0","id":)" + QByteArray::number(id) + ",\"method\":" + rest + "}\n";
}

class Talk
{
public:
    explicit Talk(const Home &home)
        : m_program(home.program({u"mcp"_s}))
    {
        m_program->start();
        m_program->waitForStarted();
    }

    QProcess &program() { return *m_program; }
    void say(const QByteArray &bytes) { m_program->write(bytes); }
    // The next line; empty: none within 30 s.
    QJsonObject next()
    {
        while (!m_program->canReadLine()) {
            if (!m_program->waitForReadyRead(30'000))
                return {};
        }
        return QJsonDocument::fromJson(m_program->readLine()).object();
    }
    QJsonObject ask(const QByteArray &line)
    {
        say(line + '\n');
        return next();
    }

private:
    std::unique_ptr<QProcess> m_program;
};

int errorOf(const QJsonObject &answer)
{
    return answer[u"error"][u"code"_s].toInt();
}

} // namespace

class TestCliMcp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itEndsWithItsInputAndPrintsNothingElse()
    {
        const Home home;
        const Ended ended = home.run({u"mcp"_s}, "\n\n" + handshake + '\n');
        QCOMPARE(ended.status, 0);
        QCOMPARE(ended.out.count('\n'), 1);
        QCOMPARE(ended.err, QByteArray());
        QCOMPARE(home.run({u"mcp"_s}).out, QByteArray());
    }

    // As a closing terminal, or a service manager, ends it: runs are cancelled, and their entries closed.
    void aSignalEndsItInOrder_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    void aSignalEndsItInOrder()
    {
        QFETCH(int, signal);
        const Home home;
        Talk talk(home);
        QVERIFY(talk.ask(handshake).contains(u"result"));
        talk.say(sleeper + '\n');
        QTRY_COMPARE_WITH_TIMEOUT(home.runsOnRecord().size(), 1, 20'000);
        QElapsedTimer time;
        time.start();
        QCOMPARE(sendSignal(talk.program().processId(), signal), 0);
        QCOMPARE(finish(talk.program()).status, 0);
        QVERIFY(time.elapsed() < 15'000);
        QCOMPARE(home.runsOnRecord().first()[u"outcome"].toString(), u"cancelled"_s);
    }

    void aLineOf100MegabytesIsRefusedAndTheNextAnswered()
    {
        const Home home;
        Talk talk(home);
        QVERIFY(talk.ask(handshake).contains(u"result"));
        const QByteArray piece(1024 * 1024, 'x');
        for (int i = 0; i < 100; ++i) {
            talk.say(piece);
            while (talk.program().bytesToWrite() > 0)
                QVERIFY(talk.program().waitForBytesWritten(30'000));
        }
        talk.say("\n");
        QCOMPARE(errorOf(talk.next()), -32600);
        talk.say(request(1, "\"ping\""));
        QVERIFY(talk.next().contains(u"result"));
        QFile status(u"/proc/%1/status"_s.arg(talk.program().processId()));
        QVERIFY(status.open(QIODevice::ReadOnly));
        for (const QByteArray &line : status.readAll().split('\n')) {
            if (line.startsWith("VmHWM:")) // the most that it ever had
                QVERIFY2(line.simplified().split(' ')[1].toLongLong() < 100 * 1024, line.constData());
        }
    }

    void tenThousandRequestsInFlightAreAllAnswered()
    {
        const Home home;
        Talk talk(home);
        QVERIFY(talk.ask(handshake).contains(u"result"));
        constexpr int count = 10'000;
        QByteArray all;
        for (int i = 1; i <= count; ++i)
            all += request(i, i % 2 == 0 ? R"("ping")" : R"("prompts/get","params":{"name":"none"})");
        talk.say(all);
        QSet<int> answered;
        while (answered.size() < count) {
            const QJsonObject answer = talk.next();
            QVERIFY(!answer.isEmpty());
            answered.insert(answer[u"id"].toInt());
        }
        QVERIFY(!answered.contains(0));
    }

    void bytesThatAreNoTextAreRefused()
    {
        const Home home;
        Talk talk(home);
        QCOMPARE(errorOf(talk.ask("\xff\xfe{}")), -32700);
        QCOMPARE(errorOf(talk.ask(QByteArray("{\0}", 3))), -32700);
        QVERIFY(talk.ask(handshake).contains(u"result"));
    }
};

QTEST_GUILESS_MAIN(TestCliMcp)
#include "tst_climcp.moc"
