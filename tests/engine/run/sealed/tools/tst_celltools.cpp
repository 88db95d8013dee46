// SPDX-License-Identifier: Apache-2.0
// Cells of an interpreter that stays call tools of a real server outside: each what it was given itself, whatever earlier cells left.
#include "toolfixture.h"

#include <QDateTime>
#include <QDir>
#include <QTest>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestCellTools : public ToolFixture
{
    Q_OBJECT

    RunRequest cell(const QByteArray &code, const QStringList &tools = {}, const QByteArray &language = "python")
    {
        RunRequest wanted = request(language, code, {});
        wanted.session = m_session;
        wanted.isStateful = true;
        wanted.policy.tools = tools;
        return wanted;
    }
    std::shared_ptr<const RunResult> runCell(const QByteArray &code, const QStringList &tools = {},
                                             const QByteArray &language = "python")
    {
        return m_engine->start(cell(code, tools, language))->wait();
    }
    static bool isNew(const RunResult &result) { return !eventsOf(result, EventType::InterpreterStarted).isEmpty(); }
    static bool ended(const RunResult &result) { return !eventsOf(result, EventType::InterpreterEnded).isEmpty(); }
    static QByteArray shown(const RunResult &result)
    {
        return result.out.kept() + result.err.kept() + result.reason.english().toUtf8();
    }
    // Until the run has written that, so that its code is in the middle.
    static bool waitForOutput(Run &run, const QByteArray &text)
    {
        const auto isThere = [&] {
            QByteArray all;
            for (const OutputChunk &chunk : run.output(0, 1'000'000).chunks)
                all += chunk.bytes;
            return all.contains(text);
        };
        return QTest::qWaitFor(isThere, 20'000);
    }

    QString m_session;

private Q_SLOTS:
    void init()
    {
        open(test::isBubblewrapTried() ? NativeBuilder::Bubblewrap : NativeBuilder::Direct);
        QVERIFY(QDir().mkpath(m_engine->paths().config));
        list({u"echo"_s, u"say"_s, u"fails"_s, u"hangs"_s, u"dies"_s, u"slow"_s});
        m_session = m_engine->createSession({}, m_engine->caller()).value().id;
    }
    void cleanup() { m_engine.reset(); }

    void cellsCallTools_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::newRow("Python") << QByteArray("python") << QByteArray(R"(
from glovebox_tools import t, ToolError
print(t.say(text="ä"))
try:
    t.fails()
except ToolError as error:
    print(error)
)") << QByteArray(R"(
print(t.say(text="kept"))
import glovebox_tools
print(glovebox_tools.t.say(text="anew"), glovebox_tools.t is t or glovebox_tools.ToolError is not ToolError)
)");
        QTest::newRow("Node.js") << QByteArray("node") << QByteArray(R"(
const { t, ToolError } = require('./glovebox_tools.cjs');
console.log(await t.say({ text: 'ä' }));
await t.fails().catch((error) => console.log(error instanceof ToolError ? error.message : error));
)") << QByteArray(R"(
console.log(await t.say({ text: 'kept' }));
const anew = require('./glovebox_tools.cjs');
console.assert(new anew.ToolError('x') instanceof ToolError && !(new Error('x') instanceof ToolError));
console.log(await anew.t.say({ text: 'anew' }), anew.t === t ? 'True' : 'False');
)");
    }
    void cellsCallTools()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        const auto one = runCell(first, {u"t.say"_s, u"t.fails"_s}, language);
        QVERIFY2(one->out.kept() == "said ä\nthe disk is on fire\n", shown(*one));
        QCOMPARE(eventsOf(*one, EventType::ToolServerStarted).size(), 1);
        QCOMPARE(eventsOf(*one, EventType::ToolCalled).size(), 2);
        const auto two = runCell(second, {u"t.say"_s}, language);
        QVERIFY2(two->out.kept() == "said kept\nsaid anew False\n", shown(*two));
        QVERIFY(isNew(*one) && !isNew(*two));
        // Each on record for itself.
        QCOMPARE(eventsOf(*two, EventType::ToolServerStarted).size(), 1);
        QCOMPARE(eventsOf(*two, EventType::ToolCalled).size(), 2);
        QCOMPARE(entries(one->id).count(R"("kind":"tool.called")"), 2);
        QCOMPARE(entries(two->id).count(R"("kind":"tool.called")"), 2);
        QVERIFY(entries(two->id).contains(R"("tools":["t.say"])"));
        // The session has no file of it.
        QVERIFY(m_engine->sessions().tree(*m_engine->sessions().find(m_session)).value().isEmpty());
        const auto three =
            runCell(language == "node" ? "require('./glovebox_tools.cjs')" : "import glovebox_tools", {}, language);
        QVERIFY(three->outcome == Outcome::Failed && !isNew(*three));
        QVERIFY(eventsOf(*three, EventType::ToolServerStarted).isEmpty());
    }

    // The broker checks, and not what is in the interpreter: a function that an earlier cell kept, the module's own, a socket.
    void aCellCallsWhatItWasGivenItself()
    {
        const auto all =
            runCell("import glovebox_tools as kept\nt = kept.t\nt.echo(text='a')", {u"t.echo"_s, u"t.say"_s});
        QVERIFY2(all->outcome == Outcome::Completed, shown(*all));
        const QByteArray tries = R"(
import json, socket
def tried(call):
    try:
        print(call())
    except kept.ToolError as error:
        print(error)
def forged():
    # What a cell could think that says whose call this is.
    with socket.create_connection(("127.0.0.1", kept._port)) as connection:
        connection.sendall(json.dumps({"tool": "t.echo", "arguments": {"text": "b"}, "cell": "cell-1", "id": 1,
                                       "run": "RUN", "tools": ["t.echo"]}).encode())
        connection.shutdown(socket.SHUT_WR)
        return json.loads(connection.recv(65536))["error"]
tried(lambda: t.echo(text="b"))
tried(forged)
tried(lambda: t.say(text="c"))
)";
        const QByteArray code = QByteArray(tries).replace("RUN", all->id.toLatin1());
        const auto fewer = runCell(code, {u"t.say"_s});
        const QByteArray refusal = "The call of t.echo was refused: the run may call only t.say.\n";
        QVERIFY2(fewer->out.kept() == refusal + refusal + "said c\n", shown(*fewer));
        QCOMPARE(eventsOf(*fewer, EventType::ToolRefused).size(), 2);
        QCOMPARE(entries(fewer->id).count(R"("kind":"tool.called")"), 1);
        const auto none = runCell(code);
        const QByteArray both = "The call of t.echo was refused: the run may call no tools.\n";
        QVERIFY2(none->out.kept() == both + both + QByteArray(both).replace("echo", "say"), shown(*none));
        QCOMPARE(eventsOf(*none, EventType::ToolRefused).size(), 3);
        QVERIFY(!entries(none->id).contains("tool.called"));
        QVERIFY(!isNew(*fewer) && !isNew(*none));
        QCOMPARE(entries(all->id).count(R"("kind":"tool.called")"), 1);
    }

    void cellsThatWaitForEachOtherHaveTheirOwn()
    {
        const QByteArray code = R"(
import time, glovebox_tools
for tool in (kept.echo, kept.say):
    try:
        print(bool(tool(text="a")))
    except glovebox_tools.ToolError:
        print("refused")
time.sleep(0.5)
)";
        runCell("from glovebox_tools import t as kept", {u"t.echo"_s, u"t.say"_s});
        std::vector<std::shared_ptr<Run>> runs;
        for (const QString &tool : {u"t.echo"_s, u"t.say"_s, u"t.echo"_s})
            runs.push_back(m_engine->start(cell(code, {tool})));
        QByteArrayList out;
        for (const auto &run : runs) {
            const auto result = run->wait();
            QVERIFY2(result->outcome == Outcome::Completed, shown(*result));
            out.append(result->out.kept());
            QCOMPARE(eventsOf(*result, EventType::ToolCalled).size(), 1);
            QCOMPARE(eventsOf(*result, EventType::ToolRefused).size(), 1);
            QCOMPARE(entries(result->id).count(R"("kind":"tool.called")"), 1);
        }
        QCOMPARE(out, (QByteArrayList{"True\nrefused\n", "refused\nTrue\n", "True\nrefused\n"}));
    }

    void bytesThatAreNoCallsHarmNothing()
    {
        const auto result = runCell(R"(
import json, socket
from glovebox_tools import t, _port
def answer(pieces, ends=True):
    with socket.create_connection(("127.0.0.1", _port)) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            if ends:
                connection.shutdown(socket.SHUT_WR)
                return json.loads(connection.recv(65536))["error"]
        except OSError as error:
            return error
for bytes in (b"\x00\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n", b'{"tool":"t.say"', b"5\x00cell-1\x00", b""):
    print(answer([bytes]))
print(answer([b"x" * 1_000_000] * 100))
halves = [socket.create_connection(("127.0.0.1", _port)) for _ in range(10)]
for half in halves:
    half.sendall(b'{"tool":')
print(t.say(text="fine"))
)",
                                    {u"t.say"_s});
        const QByteArray noCall = "A call of a tool was refused: it is not a JSON object with \"tool\" and "
                                  "\"arguments\".\n";
        QVERIFY2(result->out.kept()
                     == noCall.repeated(5)
                            + "A call of a tool was refused: its arguments have more than the 1 MB that a call may "
                              "have.\nsaid fine\n",
                 shown(*result));
        const auto next = runCell("print(t.say(text='fine'), half.recv(65536).decode())", {u"t.say"_s});
        QVERIFY2(!isNew(*next) && next->out.kept().startsWith("said fine {\"error\":"), shown(*next));
    }

    void aFloodOfCallsIsCutOff()
    {
        const auto flood = runCell(R"(
from glovebox_tools import t, ToolError
answers = {}
for i in range(3000):
    try:
        answer = t.say(text="a")
    except ToolError as error:
        answer = str(error)
    answers[answer] = answers.get(answer, 0) + 1
for answer, times in answers.items():
    print(times, answer)
)",
                                   {u"t.say"_s});
        QCOMPARE(flood->out.kept(), QByteArray("500 said a\n1500 The call of t.say was refused: a run may call tools "
                                               "500 times.\n1000 The call of t.say was cut off.\n"));
        QCOMPARE(eventsOf(*flood, EventType::ToolRefused).size(), 1);
        const auto next = runCell("print(t.say(text='b'))", {u"t.say"_s});
        QVERIFY2(!isNew(*next) && next->out.kept() == "said b\n", shown(*next));
    }

    void theNextCellGetsAServerThatIsWhole()
    {
        const auto died = runCell(R"(
from glovebox_tools import t, ToolError
for call in (t.dies, t.say):
    try:
        call()
    except ToolError as error:
        print(error)
)",
                                  {u"t.say"_s, u"t.dies"_s});
        QVERIFY2(died->out.kept() == QByteArray("The server t ended by itself, with exit status 7.\n").repeated(2),
                 shown(*died));
        RunRequest hangs = cell("t.hangs()", {u"t.hangs"_s});
        hangs.code = "from glovebox_tools import t as other\nother.hangs()";
        hangs.policy.limits.wall = 2s;
        const auto hung = m_engine->start(hangs)->wait();
        QVERIFY2(hung->outcome == Outcome::TimedOut && !ended(*hung), shown(*hung));
        const QStringList calls = eventsOf(*hung, EventType::ToolCalled);
        QCOMPARE(calls.size(), 1);
        QVERIFY2(calls.first().endsWith(u"The run was interrupted before the server answered, so the server may have "
                                        "carried the call out."_s),
                 qPrintable(calls.first()));
        const auto next = runCell("print(t.say(text='b'))", {u"t.say"_s});
        QVERIFY2(!isNew(*next) && next->out.kept() == "said b\n", shown(*next));
    }

    void anInterruptCancelsTheCallsOfACell_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("next");
        QTest::newRow("Python") << QByteArray("python")
                                << QByteArray("from glovebox_tools import t\nprint('calls')\nt.hangs()")
                                << QByteArray("print(t.say(text='b'))");
        QTest::newRow("Python, another thread")
            << QByteArray("python")
            << QByteArray("import threading\nfrom glovebox_tools import t, ToolError\nsaid = []\n"
                          "def work():\n    try: t.hangs()\n    except ToolError as error: said.append(str(error))\n"
                          "thread = threading.Thread(target=work)\nthread.start()\nprint('calls')\nthread.join()")
            << QByteArray("import time\nfor i in range(100):\n    said or time.sleep(0.1)\n"
                          "assert 'interrupted' in said[0], said\nprint(t.say(text='b'))");
        QTest::newRow("Node.js") << QByteArray("node")
                                 << QByteArray("const { t } = require('./glovebox_tools.cjs'); console.log('calls');\n"
                                               "await t.hangs()")
                                 << QByteArray("console.log(await t.say({ text: 'b' }))");
    }
    void anInterruptCancelsTheCallsOfACell()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, next);
        const auto run = m_engine->start(cell(code, {u"t.hangs"_s, u"t.say"_s}, language));
        QVERIFY(waitForOutput(*run, "calls\n"));
        QTRY_VERIFY_WITH_TIMEOUT(entries(run->id()).contains("tool.called"), 10'000);
        run->cancel();
        const auto result = run->wait();
        QVERIFY2(result->outcome == Outcome::Cancelled && !ended(*result), shown(*result));
        const QStringList calls = eventsOf(*result, EventType::ToolCalled);
        QVERIFY2(calls.size() == 1 && calls.first().contains(u"was interrupted before the server answered"_s),
                 qPrintable(calls.join(u'\n')));
        const auto later = runCell(next, {u"t.say"_s}, language);
        QVERIFY2(!isNew(*later) && later->out.kept() == "said b\n", shown(*later));
    }

    // One that a server works on, and one that nobody took yet: neither is the next cell's.
    void noCallOutlivesItsCell()
    {
        const auto first = runCell(R"(
import threading, time
from glovebox_tools import t, ToolError
said = []
threading.stack_size(256 * 1024) # where memory is bounded by addresses, 30 whole stacks are too many
def work():
    try:
        said.append(t.slow(seconds=1))
    except ToolError as error:
        said.append(str(error))
threads = [threading.Thread(target=work, daemon=True) for _ in range(30)]
for thread in threads:
    thread.start()
time.sleep(0.5)
)",
                                   {u"t.slow"_s});
        QVERIFY2(first->outcome == Outcome::Completed, shown(*first));
        const QStringList calls = eventsOf(*first, EventType::ToolCalled);
        QCOMPARE(calls.size(), 16);
        for (const QString &call : calls)
            QVERIFY2(call.endsWith(u"so the server may have carried the call out."_s), qPrintable(call));
        const QStringList refused = eventsOf(*first, EventType::ToolRefused);
        QVERIFY2(!refused.isEmpty(), shown(*first));
        QCOMPARE(refused.first(),
                 u"A call of a tool was refused: no run was using the interpreter when its turn came."_s);
        const auto next = runCell(R"(
for thread in threads:
    thread.join(10)
for text in sorted(set(said)):
    print(said.count(text), text)
)",
                                  {u"t.slow"_s});
        QVERIFY2(!isNew(*next)
                     && next->out.kept()
                            == "14 A call of a tool was refused: no run was using the interpreter when its "
                               "turn came.\n"
                               "16 The run ended before the server answered, so the server may have carried the call "
                               "out.\n",
                 shown(*next));
        QVERIFY(eventsOf(*next, EventType::ToolCalled).isEmpty() && eventsOf(*next, EventType::ToolRefused).isEmpty());
        QVERIFY(!entries(next->id).contains("tool.called"));
    }

    // By what takes a stop back: a signal that a timer sends, and one that threads of two processes send without end.
    void nothingRunsBetweenCells_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("a timer") << QByteArray(R"(
signal.signal(signal.SIGCONT, lambda *_: None)
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
assert libc.timer_create(1, struct.pack("=qii48x", 0, signal.SIGCONT, 0), ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, struct.pack("=4q", 0, 20_000_000, 0, 20_000_000), None) == 0
threading.Thread(target=tick, daemon=True).start()
)");
#if defined(__x86_64__)
        QTest::newRow("threads") << QByteArray(R"(
def spin():
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(b"\xbf" + struct.pack("<I", os.getpid()) + b"\xbe\x12\0\0\0\xb8\x3e\0\0\0\x0f\x05\xeb\xf7") # kill(pid, SIGCONT)
    code = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    for _ in range(2):
        threading.Thread(target=code, daemon=True).start()
    tick()
for _ in range(2):
    if os.fork() == 0:
        spin()
)");
#endif
    }
    void nothingRunsBetweenCells()
    {
        QFETCH(QByteArray, code);
        const auto left = runCell(R"(
import ctypes, glob, mmap, os, signal, struct, threading, time
def tick():
    with open("/work/ticks%d" % os.getpid(), "w") as ticks:
        while True:
            print(int(time.time() * 1000), file=ticks, flush=True)
            time.sleep(0.01)
)" + code + "time.sleep(0.5)");
        QVERIFY2(left->outcome == Outcome::Completed, shown(*left));
        const qint64 from = QDateTime::currentMSecsSinceEpoch() + 300; // what was on its way has come
        QTest::qWait(1'500);
        const QByteArray between = QByteArray::number(from) + " < int(each) < " + QByteArray::number(from + 1'000);
        const auto next = runCell("import glob\n"
                                  "ticks = ''.join(open(name).read() for name in glob.glob('/work/ticks*')).split()\n"
                                  "print('ran', sum("
                                  + between + " for each in ticks))");
        const bool isWhole = !ended(*left) && !isNew(*next) && next->outcome == Outcome::Completed;
        QVERIFY2(!isWhole || next->out.kept() == "ran 0\n", shown(*next));
        QCOMPARE(runCell("print('on')")->out.kept(), "on\n");
    }

    // What an earlier cell left running calls while another runs: the call is that cell's.
    void aThreadCallsAsTheCellThatRuns()
    {
        runCell(R"(
import threading, time
import glovebox_tools
from glovebox_tools import ToolError
said, goes = [], threading.Event()
def work():
    goes.wait()
    for tool in ("t.echo", "t.say"):
        try:
            said.append(bool(glovebox_tools._call(tool, {"text": "a"})))
        except ToolError as error:
            said.append(str(error))
thread = threading.Thread(target=work, daemon=True)
thread.start()
)",
                {u"t.echo"_s});
        const auto other = runCell("goes.set()\nthread.join()\nprint(*said, sep='\\n')", {u"t.say"_s});
        QVERIFY2(other->out.kept() == "The call of t.echo was refused: the run may call only t.say.\nTrue\n",
                 shown(*other));
        QCOMPARE(eventsOf(*other, EventType::ToolCalled).size(), 1);
        QCOMPARE(eventsOf(*other, EventType::ToolRefused).size(), 1);
    }

    void aCleanInterpreterHasTheToolsAgain_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("it ends itself") << QByteArray("import os; os._exit(3)");
        QTest::newRow("it kills itself") << QByteArray("import os; os.kill(os.getpid(), 9)");
        QTest::newRow("it is deaf, and the time is over")
            << QByteArray("import signal, time\nsignal.signal(2, signal.SIG_IGN)\nwhile True: time.sleep(1)");
    }
    void aCleanInterpreterHasTheToolsAgain()
    {
        QFETCH(QByteArray, code);
        const QByteArray calls = "from glovebox_tools import t\nprint(t.say(text='a'))\n";
        QCOMPARE(runCell(calls, {u"t.say"_s})->out.kept(), "said a\n");
        RunRequest wanted = cell(calls + code, {u"t.say"_s});
        wanted.policy.limits.wall = 3s;
        const auto gone = m_engine->start(wanted)->wait();
        QVERIFY2(ended(*gone), shown(*gone));
        QCOMPARE(eventsOf(*gone, EventType::ToolCalled).size(), 1);
        const auto next = runCell(calls, {u"t.say"_s});
        QVERIFY2(isNew(*next) && next->out.kept() == "said a\n", shown(*next));
        m_engine->endInterpreter(m_session, u"python"_s);
        const auto anew = runCell(calls, {u"t.say"_s});
        QVERIFY2(isNew(*anew) && anew->out.kept() == "said a\n", shown(*anew));
    }

    void theSocketGoesWithTheInterpreter()
    {
        const auto openFiles = [] { return QDir(u"/proc/self/fd"_s).count(); };
        const auto once = [&] {
            runCell("from glovebox_tools import t\nt.say(text='a')", {u"t.say"_s});
            runCell("1");
            m_engine->endInterpreter(m_session, u"python"_s);
        };
        once();
        const auto before = openFiles(); // with what isn't closed yet of the first one, on a busy machine
        for (int i = 0; i < 3; ++i)
            once();
        QTRY_VERIFY2(openFiles() <= before, qPrintable(u"%1 instead of %2"_s.arg(openFiles()).arg(before)));
    }

    // Also once nobody listens there any more.
    void noCodeTakesTheSocketsPlace()
    {
        const auto taker = runCell(R"(
import socket
from glovebox_tools import t, ToolError, _port
for i in range(2500):
    try:
        t.say(text="a")
    except ToolError as error:
        last = error
place = socket.socket()
place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
try:
    place.bind(("127.0.0.1", _port))
    place.listen()
except OSError as error:
    print(last, error.strerror)
)",
                                   {u"t.say"_s});
        QVERIFY2(taker->out.kept() == "The call of t.say was cut off. Address already in use\n", shown(*taker));
        const auto next = runCell("print(t.say(text='b'))", {u"t.say"_s});
        QVERIFY2(next->out.kept() == "said b\n", shown(*next));
    }
};

QTEST_GUILESS_MAIN(TestCellTools)
#include "tst_celltools.moc"
