// SPDX-License-Identifier: Apache-2.0
// Calls of a run on their way to a real server and back, with servers and runs that mean ill.
#include "brokerfixture.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>

#include <future>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

bool isAlive(pid_t process)
{
    QFile status(u"/proc/%1/stat"_s.arg(process));
    return status.open(QIODevice::ReadOnly) && !status.readAll().contains(") Z ");
}

} // namespace

class TestBroker : public BrokerFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { glovebox::blockSignals(); } // as the engine's threads do
    void cleanup() { forget(); }

    void offersWhatTheServerSays()
    {
        open({u"say"_s, u"echo"_s});
        const QList<OfferedTool> tools = m_broker->tools();
        QCOMPARE(tools.size(), 2);
        QCOMPARE(tools[0].name.text(), u"t.say"_s);
        QCOMPARE(tools[1].description, u"Gives its arguments back."_s);
        QCOMPARE(tools[1].inputSchema[u"required"_s].toArray(), QJsonArray{u"text"_s});
    }

    void passesCallsOnAndTellsOfThem()
    {
        open({u"echo"_s, u"say"_s, u"fails"_s});
        const QJsonObject arguments{{u"text"_s, u"ä\"\n"_s}, {u"count"_s, 1.5}};
        QCOMPARE(call(u"t.echo"_s, arguments), (QJsonObject{{u"value"_s, QJsonObject{{u"got"_s, arguments}}}}));
        QCOMPARE(call(u"t.say"_s, {}), (QJsonObject{{u"value"_s, u"said nothing"_s}}));
        QCOMPARE(call(u"t.fails"_s, {}), (QJsonObject{{u"error"_s, u"the disk is on fire"_s}}));
        const QList<ToolCall> calls = told();
        QCOMPARE(calls.size(), 3);
        const QByteArray text = QJsonDocument(arguments).toJson(QJsonDocument::Compact);
        QCOMPARE(calls[0].tool, u"t.echo"_s);
        QCOMPARE(calls[0].verdict, ToolCall::Verdict::Answered);
        QCOMPARE(calls[0].digest, sha256({text}));
        QCOMPARE(calls[0].sent, text.size());
        QCOMPARE(calls[2].verdict, ToolCall::Verdict::Failed);
        QCOMPARE(calls[2].reason.english(), u"The server says: the disk is on fire"_s);
    }

    void refusesWhatTheRunMayNotCall()
    {
        open({u"echo"_s, u"say"_s}, {}, {{u"say"_s, {{u"text"_s, {u"hello"_s}}}}});
        const QList<std::pair<QByteArray, QString>> refused{
            {requestFor(u"t.fails"_s, {}), u"may call only t.echo, t.say"_s},
            {requestFor(u"u.echo"_s, {}), u"may call only"_s},
            {requestFor(u"t.echo "_s, {}), u"no tool can have the name that it gave."_s},
            {requestFor(u"echo"_s, {}), u"no tool can have the name that it gave."_s},
            {requestFor(u"t.say"_s, {{u"text"_s, u"other"_s}}), u"doesn't allow this value"_s},
            {requestFor(u"t.say"_s, {}), u"has to name it"_s},
            // What is checked is what is passed on: of two, the last.
            {R"({"tool":"t.say","arguments":{"text":"hello","text":"other"}})", u"doesn't allow this value"_s},
            {R"({"tool":"t.echo","tool":"t.fails","arguments":{}})", u"may call only"_s},
            {R"({"tool":"t.echo"})", u"not a JSON object"_s},
            {R"({"tool":"t.echo","arguments":[]})", u"not a JSON object"_s},
            {R"({"tool":1,"arguments":{}})", u"not a JSON object"_s},
            {"[]", u"not a JSON object"_s},
            {"", u"not a JSON object"_s},
            {"\xff\xfe", u"not a JSON object"_s},
            {requestFor(u"t.echo"_s, {{u"text"_s, QString(ToolBroker::requestMax, u'x')}}), u"more than the 1 MB"_s},
            {QByteArray(8 * 1024 * 1024, '['), u"more than the 1 MB"_s},
        };
        for (const auto &[request, sentence] : refused) {
            const QString said = exchange(request)[u"error"_s].toString();
            QVERIFY2(said.contains(sentence), qPrintable(u"%1: %2"_s.arg(QString::fromUtf8(request.left(80)), said)));
        }
        const QList<ToolCall> calls = told();
        QCOMPARE(calls.size(), refused.size());
        for (const ToolCall &call : calls) {
            QCOMPARE(call.verdict, ToolCall::Verdict::Refused);
            QVERIFY(call.digest.isEmpty());
        }
        QCOMPARE(call(u"t.say"_s, {{u"text"_s, u"hello"_s}})[u"value"_s].toString(), u"said hello"_s);
    }

    void passesNothingOnThatIsNotOnRecord()
    {
        open({u"say"_s});
        call(u"t.say"_s, {});
        call(u"t.other"_s, {});
        QCOMPARE(m_begun, 1);
        m_isLogFull = true;
        QCOMPARE(call(u"t.say"_s, {})[u"error"_s].toString(),
                 u"The call of t.say was refused, as it can't be logged: The disk is full."_s);
        QCOMPARE(told().last().verdict, ToolCall::Verdict::Refused);
        QVERIFY(told().last().digest.isEmpty());
    }

    void letsNoSecretOut()
    {
        m_secret = "sw0rdf1sh";
        open({u"echo"_s});
        for (const QJsonObject &arguments :
             {QJsonObject{{u"text"_s, u"it is sw0rdf1sh"_s}}, QJsonObject{{u"sw0rdf1sh"_s, 1}},
              QJsonObject{{u"deep"_s, QJsonArray{QJsonObject{{u"x"_s, u"sw0rdf1sh"_s}}}}}}) {
            QCOMPARE(call(u"t.echo"_s, arguments)[u"error"_s].toString(),
                     u"The call of t.echo was refused: the value of the secret KEY is in its arguments."_s);
        }
        for (const ToolCall &each : told())
            QVERIFY(each.digest.isEmpty());
        m_secret.clear();
    }

    void bearsBadServers_data()
    {
        QTest::addColumn<QString>("tool");
        QTest::addColumn<QJsonObject>("arguments");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<bool>("goesOn");
        const auto row = [](const QString &tool, const QString &sentence, bool goesOn,
                            const QJsonObject &arguments = {}) {
            QTest::newRow(qPrintable(tool)) << tool << arguments << sentence << goesOn;
        };
        row(u"hangs"_s, u"The server t didn't answer within 2 seconds."_s, true);
        row(u"breaks"_s, u"The server t answered with a message that isn't valid JSON."_s, true);
        row(u"closes"_s, u"The server t closed its output."_s, false);
        row(u"dies"_s, u"The server t ended by itself, with exit status 7."_s, false);
        row(u"floods"_s, u"sent a message of more than 4 MB, and was ended."_s, false);
        row(u"large"_s, u"more than the 1 MB"_s, true, {{u"bytes"_s, 1024 * 1024}});
    }
    void bearsBadServers()
    {
        QFETCH(QString, tool);
        QFETCH(QJsonObject, arguments);
        QFETCH(QString, sentence);
        QFETCH(bool, goesOn);
        open({tool, u"say"_s});
        QElapsedTimer timer;
        timer.start();
        const QString said = call(u"t."_s + tool, arguments)[u"error"_s].toString();
        QVERIFY2(said.contains(sentence), qPrintable(said));
        QVERIFY(timer.elapsed() < 10'000);
        QCOMPARE(told().last().verdict, ToolCall::Verdict::Failed);
        QCOMPARE(call(u"t.say"_s, {}).contains(u"value"_s), goesOn);
    }

    // What is broken may be anybody's where more than one waits.
    void endsNoOtherCallForABrokenMessage()
    {
        open({u"slow"_s, u"breaks"_s});
        auto slow = std::async(std::launch::async, [this] { return call(u"t.slow"_s, {{u"seconds"_s, 1.0}}); });
        QTRY_COMPARE(m_begun, 1);
        QCOMPARE(call(u"t.breaks"_s, {})[u"error"_s].toString(), u"The server t didn't answer within 2 seconds."_s);
        QCOMPARE(slow.get(), (QJsonObject{{u"value"_s, u"waited"_s}}));
    }

    // A server that doesn't end where it should is waited for by nobody else.
    void makesNobodyWaitForAnother()
    {
        ToolBroker::Spec wanted = spec({u"closes"_s});
        wanted.servers.append(spec({u"say"_s}).servers.first());
        wanted.servers.last().name = u"u"_s;
        openWith(wanted);
        auto closed = std::async(std::launch::async, [this] { return call(u"t.closes"_s, {}); });
        QTRY_COMPARE(m_begun, 1);
        qint64 longest = 0;
        while (closed.wait_for(0s) != std::future_status::ready) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(call(u"u.say"_s, {}).contains(u"value"_s));
            longest = std::max(longest, timer.elapsed());
            std::this_thread::sleep_for(10ms);
        }
        QCOMPARE(closed.get()[u"error"_s].toString(), u"The server t closed its output."_s);
        QVERIFY2(longest < 700, qPrintable(QString::number(longest)));
    }

    void takesNoAnswerForAnother()
    {
        open({u"lies"_s, u"say"_s, u"asks"_s, u"large"_s});
        QCOMPARE(call(u"t.lies"_s, {}), (QJsonObject{{u"value"_s, u"first"_s}}));
        QCOMPARE(call(u"t.say"_s, {{u"text"_s, u"x"_s}}), (QJsonObject{{u"value"_s, u"said x"_s}}));
        QCOMPARE(call(u"t.asks"_s, {}), (QJsonObject{{u"value"_s, u"-32601 {}"_s}}));
        const qint64 fits = ToolBroker::answerMax - 100;
        QCOMPARE(call(u"t.large"_s, {{u"bytes"_s, fits}})[u"value"_s].toString().size(), fits);
    }

    void servesManyAtOnce()
    {
        open({u"slow"_s});
        QElapsedTimer timer;
        timer.start();
        std::vector<std::future<QJsonObject>> answers;
        for (int i = 0; i < 12; ++i)
            answers.push_back(
                std::async(std::launch::async, [this] { return call(u"t.slow"_s, {{u"seconds"_s, 1.0}}); }));
        for (auto &answer : answers)
            QCOMPARE(answer.get(), (QJsonObject{{u"value"_s, u"waited"_s}}));
        QVERIFY(timer.elapsed() < 6'000); // one after the other: 12 seconds
    }

    // Nobody else has to wait for a run's connections that say nothing.
    void endsWithConnectionsOpen()
    {
        open({u"say"_s});
        std::vector<UniqueFd> idle;
        for (int i = 0; i < 2 * ToolBroker::callsAtOnce; ++i)
            idle.push_back(connected());
        m_broker->finish();
        QVERIFY(told().isEmpty());
    }

    void countsCalls()
    {
        open({u"say"_s});
        for (int i = 0; i < ToolBroker::callsMax; ++i)
            QVERIFY(call(i % 2 ? u"t.say"_s : u"t.other"_s, {}).contains(i % 2 ? u"value"_s : u"error"_s));
        QVERIFY(call(u"t.say"_s, {})[u"error"_s].toString().contains(u"500 times"_s));
        call(u"t.say"_s, {});
        QCOMPARE(told().size(), ToolBroker::callsMax);
        m_broker->finish();
        QCOMPARE(told().size(), ToolBroker::callsMax + 1);
        QVERIFY(told().last().reason.english().contains(u"2 further calls"_s));
    }

    void takesNoFloodOfConnections()
    {
        open({u"say"_s});
        int taken = 0;
        for (int i = 0; i < 5 * ToolBroker::callsMax; ++i)
            taken += exchange({}).isEmpty() ? 0 : 1;
        QVERIFY2(taken <= 4 * ToolBroker::callsMax, qPrintable(QString::number(taken)));
        m_broker->finish();
        QCOMPARE(told().size(), ToolBroker::callsMax + 1);
    }

    void tellsCallsThatTheEndCutsOff()
    {
        open({u"hangs"_s});
        auto answer = std::async(std::launch::async, [this] { return call(u"t.hangs"_s, {}); });
        QTRY_COMPARE(m_begun, 1);
        m_broker->finish();
        answer.wait();
        QCOMPARE(told().size(), 1);
        QCOMPARE(told().first().reason.english(),
                 u"The run ended before the server answered, so the server may have carried the call out."_s);
    }

    void cancelsWhatIsUnderWay()
    {
        open({u"hangs"_s, u"say"_s});
        auto answer = std::async(std::launch::async, [this] { return call(u"t.hangs"_s, {}); });
        QTRY_COMPARE(m_begun, 1);
        m_broker->cancelCalls();
        const QString sentence =
            u"The run was interrupted before the server answered, so the server may have carried the call out."_s;
        QCOMPARE(answer.get(), (QJsonObject{{u"error"_s, sentence}}));
        QCOMPARE(told().last().verdict, ToolCall::Verdict::Failed);
        // Whatever code makes of its interrupt.
        QCOMPARE(call(u"t.say"_s, {}),
                 (QJsonObject{{u"error"_s, u"The call of t.say was refused: the run was stopped."_s}}));
        QCOMPARE(told().last().verdict, ToolCall::Verdict::Refused);
        QCOMPARE(m_begun, 1);
    }

    // What an earlier run left at the socket that both use in turn.
    void servesNobodyWhoCameBefore()
    {
        open({u"say"_s});
        m_broker->finish();
        m_broker = ToolBroker::start(test::spec({u"say"_s}), {}).value();
        UniqueFd listener = listening();
        const UniqueFd idle = connected();
        auto earlier = std::async(std::launch::async, [this] { return call(u"t.say"_s, {}); });
        QTest::qWait(200); // for its request to wait
        QVERIFY(serve(std::move(listener)));
        QCOMPARE(earlier.get(), QJsonObject());
        QCOMPARE(call(u"t.say"_s, {}), (QJsonObject{{u"value"_s, u"said nothing"_s}}));
        QCOMPARE(told().size(), 1);
    }

    void isNotHeldUpByThoseWhoSayNothing()
    {
        open({u"say"_s});
        std::vector<UniqueFd> idle;
        for (int i = 0; i < 3 * ToolBroker::callsAtOnce; ++i)
            idle.push_back(connected());
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(call(u"t.say"_s, {}), (QJsonObject{{u"value"_s, u"said nothing"_s}}));
        QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
        m_broker->close();
        m_broker->finish();
        QCOMPARE(told().size(), 1); // a connection is no call
    }

    void takesNoCallOnceItIsClosed()
    {
        open({u"slow"_s, u"say"_s});
        auto slow = std::async(std::launch::async, [this] { return call(u"t.slow"_s, {{u"seconds"_s, 0.5}}); });
        QTRY_COMPARE(m_begun, 1);
        m_broker->close();
        const QString sentence =
            u"A call of a tool was refused: no run was using the interpreter when its turn came."_s;
        QCOMPARE(call(u"t.say"_s, {}), (QJsonObject{{u"error"_s, sentence}}));
        QCOMPARE(told().last().verdict, ToolCall::Verdict::Refused);
        QCOMPARE(slow.get(), (QJsonObject{{u"value"_s, u"waited"_s}}));
        QCOMPARE(m_begun, 1);
    }

    // Also of those who call by a socket that nobody has taken them from yet: all of them are answered.
    void refusesWhoWaitsAtTheEnd()
    {
        open({u"slow"_s});
        std::vector<std::future<QJsonObject>> answers;
        for (int i = 0; i < ToolBroker::callsAtOnce + 4; ++i)
            answers.push_back(
                std::async(std::launch::async, [this] { return call(u"t.slow"_s, {{u"seconds"_s, 9.0}}); }));
        QTRY_COMPARE(m_begun, ToolBroker::callsAtOnce);
        QTest::qWait(200); // for the others to wait
        m_broker->close();
        m_broker->finish();
        int refused = 0;
        for (auto &answer : answers)
            refused += answer.get()[u"error"_s].toString().contains(u"no run was using the interpreter"_s) ? 1 : 0;
        QCOMPARE(refused, 4);
        QCOMPARE(told().size(), ToolBroker::callsAtOnce + 4);
    }

    void takesAllOfTheServerAlong_data()
    {
        QTest::addColumn<bool>("stays");
        QTest::newRow("a server that ends with its input") << false;
        QTest::newRow("a server that doesn't") << true;
    }
    void takesAllOfTheServerAlong()
    {
        QFETCH(bool, stays);
        open({u"starts"_s}, stays ? QStringList{u"stays"_s} : QStringList());
        const QJsonValue started = call(u"t.starts"_s, {})[u"value"_s];
        QList<pid_t> processes{started[u"own"_s].toInt()};
        for (const auto process : started[u"pids"_s].toArray())
            processes.append(process.toInt());
        QCOMPARE(processes.size(), 4);
        for (const pid_t process : processes)
            QVERIFY(isAlive(process));
        QElapsedTimer timer;
        timer.start();
        m_broker->finish();
        QVERIFY(timer.elapsed() < 3'000);
        for (const pid_t process : processes)
            QVERIFY2(!isAlive(process), qPrintable(QString::number(process)));
    }

    // As when the engine is killed: the kernel closes what it had open, and nothing of it runs any more.
    void endsWithTheEngine()
    {
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        const pid_t engine = ::fork();
        if (engine == 0) {
            ToolServer server = spec({u"starts"_s}, {u"stays"_s}).servers.first();
            auto broker = ToolBroker::start({.libexec = QStringLiteral(GLOVEBOX_LIBEXEC), .servers = {server}}, {});
            m_broker = broker ? *std::move(broker) : nullptr;
            const bool serves = m_broker && serve();
            const QByteArray started =
                serves ? QJsonDocument(call(u"t.starts"_s, {})).toJson(QJsonDocument::Compact) : QByteArray("{}");
            static_cast<void>(writeWhole(ends[1], {started.constData(), std::size_t(started.size())}));
            ::raise(SIGKILL);
        }
        ::close(ends[1]);
        QFile reading;
        QVERIFY(reading.open(ends[0], QIODevice::ReadOnly, QFile::AutoCloseHandle));
        const QJsonValue started = QJsonDocument::fromJson(reading.readAll())[u"value"_s];
        ::waitpid(engine, nullptr, 0);
        QCOMPARE(started[u"pids"_s].toArray().size(), 3);
        for (const auto process : started[u"pids"_s].toArray())
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(process.toInt()), 5'000);
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(started[u"own"_s].toInt()), 5'000);
    }

    void givesServersTheirOwnEnvironment()
    {
        qputenv("TOOLS_TEST_TOKEN", "value");
        qputenv("TOOLS_TEST_OTHER", "value");
        ToolBroker::Spec wanted = spec({u"world"_s});
        wanted.servers.first().environment = {u"TOOLS_TEST_TOKEN"_s};
        openWith(wanted);
        const QJsonValue world = call(u"t.world"_s, {})[u"value"_s];
        const QJsonObject variables = world[u"variables"_s].toObject();
        QCOMPARE(variables[u"TOOLS_TEST_TOKEN"_s].toString(), u"value"_s);
        QVERIFY(!variables.contains(u"TOOLS_TEST_OTHER"_s));
        QCOMPARE(variables[u"PATH"_s].toString(), u"/usr/bin:/usr/local/bin:/usr/bin:/bin"_s);
        QCOMPARE(world[u"folder"_s].toString(), accountHome());
        QCOMPARE(world[u"descriptors"_s].toArray(), (QJsonArray{0, 1, 2, 3})); // the last is the look itself

        wanted.servers.first().environment = {u"TOOLS_TEST_ABSENT"_s};
        const auto absent = ToolBroker::start(wanted, {});
        QVERIFY(!absent);
        QVERIFY(absent.error().message.english().contains(u"TOOLS_TEST_ABSENT"_s));
    }

    void bearsServersThatPrintFirst()
    {
        open({u"say"_s}, {u"prints"_s});
        QCOMPARE(call(u"t.say"_s, {}), (QJsonObject{{u"value"_s, u"said nothing"_s}}));
    }
};

QTEST_GUILESS_MAIN(TestBroker)
#include "tst_broker.moc"
