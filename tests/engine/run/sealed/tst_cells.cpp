// SPDX-License-Identifier: Apache-2.0
// Code in an interpreter that stays in its session: what it keeps, and what it may not survive.
#include "lentfixture.h"

#include "engine/run/cells/interpreters.h"

#include <QDir>
#include <QFile>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestCells : public LentFixture
{
    Q_OBJECT

    void begin(NativeBuilder builder = NativeBuilder::Direct)
    {
        open(builder, false);
        m_session = m_engine->createSession({}, m_engine->caller()).value().id;
    }
    RunRequest cell(const QByteArray &code, const QByteArray &language = "python")
    {
        RunRequest wanted = request(language, code, {});
        wanted.session = m_session;
        wanted.isStateful = true;
        return wanted;
    }
    std::shared_ptr<const RunResult> runCell(const QByteArray &code, const QByteArray &language = "python")
    {
        return m_engine->start(cell(code, language))->wait();
    }
    static bool has(const RunResult &result, EventType type)
    {
        return std::ranges::find(result.events, type, &RunEvent::type) != result.events.end();
    }
    static bool isNew(const RunResult &result) { return has(result, EventType::InterpreterStarted); }
    QByteArrayList paths() const
    {
        QByteArrayList paths;
        const SessionTree tree = m_engine->sessions().tree(*m_engine->sessions().find(m_session)).value();
        for (const SessionEntry &entry : tree)
            paths.append(entry.path);
        return paths;
    }
    // Until the run has written that, so that its code is in the middle.
    static bool waitForOutput(Run &run, const QByteArray &text)
    {
        return QTest::qWaitFor(
            [&] {
                QByteArray all;
                for (const OutputChunk &chunk : run.output(0, 1'000'000).chunks)
                    all += chunk.bytes;
                return all.contains(text);
            },
            20'000);
    }

    // Whether a thread of this name, in whichever sandbox, waits where no signal reaches it.
    static bool isAnyWaiting(const QByteArray &name)
    {
        const auto numbers = [](const QString &folder) {
            return QDir(folder).entryList({u"[0-9]*"_s}, QDir::Dirs | QDir::NoDotAndDotDot);
        };
        for (const QString &process : numbers(u"/proc"_s)) {
            const QString threads = u"/proc/"_s + process + u"/task/"_s;
            for (const QString &thread : numbers(threads)) {
                QFile stat(threads + thread + u"/stat"_s);
                if (stat.open(QIODevice::ReadOnly) && stat.readAll().contains('(' + name + ") D "))
                    return true;
            }
        }
        return false;
    }

    QString m_session;

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    // As long as the interpreter stays, so do they.
    void filesInTheHomeAreToldWhenTheInterpreterEnds()
    {
        begin();
        const auto left = runCell("import os\nopen(os.path.expanduser('~/out'), 'w').write('x')");
        QVERIFY(left->outcome == Outcome::Completed);
        QVERIFY(!has(*left, EventType::HomeLeft));
        const auto there = runCell("open(os.path.expanduser('~/out')).read()");
        QVERIFY(there->value && there->value->text.contains("x"));
        QVERIFY(!has(*there, EventType::HomeLeft));
        const auto last = runCell("os._exit(0)");
        QVERIFY(has(*last, EventType::InterpreterEnded));
        QVERIFY(has(*last, EventType::HomeLeft));
    }

    void whatCodeLeavesIsThereForTheNext_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        const QByteArray python =
            "import os\nx = 20\nopen('a', 'w').write('one')\nawait __import__('asyncio').sleep(0)";
        const QByteArray pythonNext = "print(open('b').read(), os.path.exists('a'))\nx + 1";
        const QByteArray node = "const fs = require('fs'); let x = 20; fs.writeFileSync('a', 'one'); await null;";
        const QByteArray nodeNext = "console.log(fs.readFileSync('b', 'utf8'), fs.existsSync('a')); let x2 = x + 1; x2";
        QTest::newRow("python") << NativeBuilder::Direct << QByteArray("python") << python << pythonNext;
        QTest::newRow("python, bwrap") << NativeBuilder::Bubblewrap << QByteArray("python") << python << pythonNext;
        QTest::newRow("node") << NativeBuilder::Direct << QByteArray("node") << node << nodeNext;
    }
    void whatCodeLeavesIsThereForTheNext()
    {
        QFETCH(NativeBuilder, builder);
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        begin(builder);
        const auto one = runCell(first, language);
        QVERIFY2(one->outcome == Outcome::Completed,
                 qPrintable(one->reason.english() + QString::fromUtf8(one->err.kept())));
        QVERIFY(isNew(*one));
        QCOMPARE(paths(), QByteArrayList{"a"});
        // Between the two the session is anybody's.
        QVERIFY(m_engine->changeSession(m_session, RemoveFile{"a"}, m_engine->caller()));
        QVERIFY(m_engine->changeSession(m_session, WriteFile{"b", "two"}, m_engine->caller()));
        const auto two = runCell(second, language);
        QVERIFY2(two->outcome == Outcome::Completed,
                 qPrintable(two->reason.english() + QString::fromUtf8(two->err.kept())));
        QVERIFY(!isNew(*two));
        QCOMPARE(two->out.kept().toLower(), "two false\n21\n");
        QCOMPARE(paths(), QByteArrayList{"b"});
        QVERIFY(entries(two->id).contains("\"stateful\":true"));
    }

    // Each is on record for itself: what an earlier one has tried as well is news of this one.
    void eachTellsWhatItTried()
    {
        begin();
        const QByteArray looks = "import os\nfor i in range(3):\n    os.path.exists('/root/.ssh/id_rsa')\n";
        const QByteArray deed = "import ctypes\nfor i in range(3):\n    ctypes.CDLL(None).unshare(0x20000000)\n";
        const auto told = [](const RunResult &result, EventType type) {
            QStringList all;
            for (const RunEvent &event : result.events) {
                if (event.type == type)
                    all.append(event.detail.english());
            }
            return all;
        };
        const auto one = runCell(looks + deed);
        const bool isWatched = std::ranges::any_of(one->controls, [](const Control &control) {
            return control.detail.english() == u"places of secrets are watched"_s;
        });
        const QStringList files =
            isWatched ? QStringList{u"The run looked for \"/root/.ssh/id_rsa\", which isn't in the sandbox."_s}
                      : QStringList();
        QCOMPARE(told(*one, EventType::FileRefused), files);
        const QStringList calls = told(*one, EventType::CallRefused);
        QVERIFY2(calls.size() == 1, qPrintable(calls.join(u'\n')));
        for (int i = 0; i < 2; ++i) {
            const auto next = runCell(looks + deed);
            QVERIFY(next->outcome == Outcome::Completed && !isNew(*next));
            QCOMPARE(told(*next, EventType::FileRefused), files);
            QCOMPARE(told(*next, EventType::CallRefused), calls);
        }
        const auto quiet = runCell("1");
        QCOMPARE(told(*quiet, EventType::FileRefused) + told(*quiet, EventType::CallRefused), QStringList());
    }

    // The folder would be told once it is known that nothing in it is looked for: the end is as good as that.
    void whatItLookedAtLastIsToldAtItsEnd()
    {
        begin();
        const auto first = runCell("import os, threading, time\n"
                                   "def ask():\n"
                                   "    while goes_on: os.statvfs('/root'); time.sleep(0.005)\n"
                                   "goes_on = True\n"
                                   "threading.Thread(target=ask, daemon=True).start()\n"
                                   "os.path.exists('/root/.ssh')\n");
        const bool isWatched = std::ranges::any_of(first->controls, [](const Control &control) {
            return control.detail.english() == u"places of secrets are watched"_s;
        });
        QCOMPARE(std::ranges::count(first->events, EventType::FileRefused, &RunEvent::type), isWatched ? 1 : 0);
        QVERIFY(!isNew(*runCell("goes_on = False")));
    }

    // The parent waits where no signal reaches it (vfork(2)) until a timer ends the child, which stands still, after the cell.
    void whatWaitsForAMomentEndsNoInterpreter()
    {
        begin();
        const auto first = runCell(R"(import ctypes, os, threading, time
libc = ctypes.CDLL(None)
CLONE_VFORK, SIGCHLD, SIGKILL, SYS_clone = 0x4000, 17, 9, {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
class Event(ctypes.Structure):
    _fields_ = [('value', ctypes.c_void_p), ('signo', ctypes.c_int), ('notify', ctypes.c_int), ('rest', ctypes.c_byte * 48)]
class Times(ctypes.Structure):
    _fields_ = [('every', ctypes.c_long * 2), ('first', ctypes.c_long * 2)]
event, timer = Event(None, SIGKILL, 0), ctypes.c_void_p()
times = Times((0, 0), (0, 700_000_000))
def work():
    libc.prctl(15, b'gb-vfork-parent') # PR_SET_NAME
    time.sleep(0.2) # until the other thread sleeps: where that one has Python's lock, the child waits for it for ever
    if libc.syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0:
        libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer))
        libc.timer_settime(timer, 0, ctypes.byref(times), None)
        os.write(armed[1], b'x')
        while True: time.sleep(9)
def waiting():
    return sum(') D ' in open(f'/proc/self/task/{task}/stat').read() for task in os.listdir('/proc/self/task'))
armed = os.pipe()
threading.Thread(target=work, daemon=True).start()
os.read(armed[0], 1)
for _ in range(1000):
    if waiting(): break
    time.sleep(0.005)
print(waiting()))");
        QCOMPARE(first->out.kept(), "1\n");
        QTRY_VERIFY(!isAnyWaiting("gb-vfork-parent")); // the timer has ended the child
        const auto next = runCell("'kept'");
        QVERIFY2(!isNew(*next), qPrintable(next->reason.english()));
        QCOMPARE(next->out.kept(), "'kept'\n");
    }

    void nothingRunsOnBetweenTwoCells_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second"); // how many milliseconds of processor something else had meanwhile
        const QByteArray thread = "import threading, time\ndef work():\n    while True: pass\n"
                                  "threading.Thread(target=work, daemon=True).start()\nbefore = time.process_time()";
        const QByteArray threadNext = "int(1000 * (time.process_time() - before))";
        QTest::newRow("thread") << NativeBuilder::Direct << QByteArray("python") << thread << threadNext;
        QTest::newRow("thread, bwrap") << NativeBuilder::Bubblewrap << QByteArray("python") << thread << threadNext;
        QTest::newRow("program of a session of its own")
            << NativeBuilder::Direct << QByteArray("python")
            << QByteArray("import subprocess\n"
                          "p = subprocess.Popen(['sh', '-c', 'while :; do :; done'], start_new_session=True)\n"
                          "ticks = lambda: sum(map(int, open(f'/proc/{p.pid}/stat').read().split()[13:15]))\n"
                          "before = ticks()")
            << QByteArray("10 * (ticks() - before)");
        QTest::newRow("node") << NativeBuilder::Direct << QByteArray("node")
                              << QByteArray("let n = 0; setInterval(() => { n++ }, 1); let before = n;")
                              << QByteArray("n - before");
    }
    void nothingRunsOnBetweenTwoCells()
    {
        QFETCH(NativeBuilder, builder);
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        begin(builder);
        QVERIFY(runCell(first, language)->outcome == Outcome::Completed);
        QTest::qWait(800); // for what must not happen
        const auto next = runCell(second, language);
        QVERIFY(!isNew(*next));
        bool isNumber = false;
        const int spent = next->out.kept().trimmed().toInt(&isNumber);
        QVERIFY2(isNumber, next->out.kept().constData());
        QVERIFY2(spent < 250, qPrintable(QString::number(spent)));
    }

    void anErrorKeepsIt()
    {
        begin();
        runCell("x = 1");
        const auto failed = runCell("def f():\n    return 1 / 0\nf()");
        QVERIFY(failed->outcome == Outcome::Failed);
        QCOMPARE(failed->exitCode, 1);
        QVERIFY(failed->err.kept().contains("return 1 / 0"));
        QCOMPARE(runCell("import sys; sys.exit(7)")->exitCode, 7);
        QCOMPARE(runCell("x")->out.kept(), "1\n");
    }

    void anInterruptKeepsItAndSoDoesTheTime_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("endless");
        QTest::addColumn<bool>("byTime");
        for (const bool byTime : {false, true}) {
            const QByteArray how = byTime ? ", time" : ", cancel";
            QTest::newRow("python" + how)
                << QByteArray("python") << QByteArray("x = 2; print('in')\nwhile True: pass") << byTime;
            QTest::newRow("node" + how) << QByteArray("node") << QByteArray("x = 2; console.log('in'); for (;;);")
                                        << byTime;
            QTest::newRow("node, waiting" + how)
                << QByteArray("node")
                << QByteArray("x = 2; await new Promise(() => setTimeout(() => console.log('in'), 9));") << byTime;
        }
    }
    void anInterruptKeepsItAndSoDoesTheTime()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, endless);
        QFETCH(bool, byTime);
        begin();
        runCell("0", language); // its start takes no time from the cell
        RunRequest wanted = cell(endless, language);
        if (byTime)
            wanted.policy.limits.wall = 1500ms;
        const auto run = m_engine->start(wanted);
        QVERIFY(waitForOutput(*run, "in\n"));
        if (!byTime)
            run->cancel();
        QVERIFY(run->wait()->outcome == (byTime ? Outcome::TimedOut : Outcome::Cancelled));
        QVERIFY(!has(*run->result(), EventType::InterpreterEnded));
        const auto next = runCell("x", language);
        QVERIFY(!isNew(*next));
        QCOMPARE(next->out.kept(), "2\n");
    }

    void whatEndsItIsToldAndTheNextIsClean_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<Outcome>("outcome");
        QTest::newRow("it ends itself") << QByteArray("import os; os._exit(3)") << Outcome::Failed;
        QTest::newRow("it kills itself") << QByteArray("import os; os.kill(os.getpid(), 9)") << Outcome::Signalled;
        QTest::newRow("memory") << QByteArray("y = b'x' * 400_000_000") << Outcome::OutOfMemory;
        QTest::newRow("deaf") << QByteArray(
            "import signal, time\nsignal.signal(2, signal.SIG_IGN)\nwhile True: time.sleep(1)")
                              << Outcome::TimedOut;
        QTest::newRow("closes the channel")
            << QByteArray("import os\nfor i in range(3, 30):\n    try: os.close(i)\n    except OSError: pass\n"
                          "__import__('time').sleep(60)")
            << Outcome::TimedOut;
    }
    void whatEndsItIsToldAndTheNextIsClean()
    {
        QFETCH(QByteArray, code);
        QFETCH(Outcome, outcome);
        begin();
        runCell("x = 1; open('f', 'w').write('kept')");
        RunRequest wanted = cell(code);
        wanted.policy.limits.wall = 2s;
        const auto ended = m_engine->start(wanted)->wait();
        if (QByteArray(QTest::currentDataTag()) == "memory")
            QVERIFY(ended->outcome == outcome || ended->outcome == Outcome::Failed); // Python may be told first
        else
            QVERIFY(ended->outcome == outcome);
        if (ended->outcome != Outcome::Failed || QByteArray(QTest::currentDataTag()) != "memory")
            QVERIFY(has(*ended, EventType::InterpreterEnded));
        const auto next = runCell("print('x' in globals(), open('f').read())");
        if (has(*ended, EventType::InterpreterEnded)) {
            QVERIFY(isNew(*next));
            QCOMPARE(next->out.kept(), "False kept\n");
        }
    }

    // A forged answer ends no cell but the forger's, also where more of them and its own come while the next cell runs.
    void answersThatNobodyAskedForAreNone()
    {
        begin();
        const auto forger = runCell("import os, sys, time\n"
                                    "frame = sys._getframe()\n"
                                    "while 'tag' not in frame.f_locals: frame = frame.f_back\n"
                                    "for text in (b'\\x06' * 100, (frame.f_locals['tag'] + b'\\x05') * 100):\n"
                                    "    for f in os.listdir('/proc/self/fd'):\n"
                                    "        try: int(f) > 2 and os.write(int(f), text)\n"
                                    "        except OSError: pass\n"
                                    "time.sleep(0.2)\n");
        QCOMPARE(forger->exitCode, 5);
        const auto next = runCell("print('mine')");
        QVERIFY(next->outcome == Outcome::Completed);
        QCOMPARE(next->out.kept(), "mine\n");
    }

    void oneSessionSeesNothingOfAnother()
    {
        begin();
        runCell("x = 'other'");
        const QString first = m_session;
        m_session = m_engine->createSession({.name = u"second"_s}, m_engine->caller()).value().id;
        QCOMPARE(runCell("'x' in globals()")->out.kept(), "False\n");
        m_session = first;
        QCOMPARE(runCell("x")->out.kept(), "'other'\n");
        QVERIFY(m_engine->deleteSession(first, m_engine->caller()));
        QVERIFY(runCell("x")->outcome == Outcome::Rejected);
    }

    void oneThatWaitsIsKnownAndCanBeEnded()
    {
        begin();
        QCOMPARE(m_engine->waitingInterpreters(m_session), QStringList());
        runCell("x = 1");
        runCell("let x = 1", "node");
        QCOMPARE(m_engine->waitingInterpreters(m_session), (QStringList{u"python"_s, u"node"_s}));
        QCOMPARE(m_engine->waitingInterpreters(u"another"_s), QStringList());
        m_engine->endInterpreter(m_session, u"python"_s);
        QCOMPARE(m_engine->waitingInterpreters(m_session), QStringList{u"node"_s});
        QCOMPARE(runCell("'x' in globals()")->out.kept(), "False\n");
        QCOMPARE(runCell("x", "node")->out.kept(), "1\n");
        // While it runs code, it doesn't wait.
        const auto run = m_engine->start(cell("print('in')\nwhile True: pass"));
        QVERIFY(waitForOutput(*run, "in\n"));
        QCOMPARE(m_engine->waitingInterpreters(m_session), QStringList{u"node"_s});
        run->cancel();
        run->wait();
        QVERIFY(m_engine->waitingInterpreters(m_session).contains(u"python"_s));
    }

    void onlySoManyStay()
    {
        begin();
        const QString first = m_session;
        runCell("x = 1");
        for (std::size_t i = 0; i < Interpreters::most; ++i) {
            m_session = m_engine->createSession({}, m_engine->caller()).value().id;
            runCell("x = 2");
        }
        m_session = first;
        QVERIFY(isNew(*runCell("1")));
    }

    // Neither a link nor a folder in the way leads out of the workspace, and what was put there is what is there.
    void aHostileWorkspaceIsRefreshed()
    {
        begin();
        runCell("import os; os.mkdir('d'); open('d/f', 'w').write('1'); open('g', 'w').write('1')");
        QVERIFY(m_engine->changeSession(m_session, WriteFile{"d/f", "2"}, m_engine->caller()));
        QCOMPARE(runCell("print(open('d/f').read(), open('g').read())")->out.kept(), "2 1\n");
        runCell("import threading, time\n"
                "def swap():\n"
                "    while True:\n"
                "        try:\n"
                "            os.rename('d', 'e'); os.symlink('/etc', 'd'); os.remove('d'); os.rename('e', 'd')\n"
                "        except OSError: time.sleep(0.001)\n"
                "threading.Thread(target=swap, daemon=True).start()");
        for (int i = 0; i < 10; ++i) {
            std::ignore =
                m_engine->changeSession(m_session, WriteFile{"d/f", QByteArray::number(i)}, m_engine->caller());
            const auto result = runCell("1");
            QVERIFY(result->outcome == Outcome::Completed || result->outcome == Outcome::Rejected);
        }
        QVERIFY(!QFile::exists(u"/etc/f"_s));
    }

    void whatItCannotBeGivenIsRefused()
    {
        begin();
        const auto refused = [this](const std::function<void(RunRequest &)> &change) {
            RunRequest wanted = cell("1");
            change(wanted);
            return m_engine->start(wanted)->wait()->outcome == Outcome::Rejected;
        };
        QVERIFY(refused([](RunRequest &wanted) { wanted.session.clear(); }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.policy.allow = {u"example.org"_s}; }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.secrets.push_back({.name = u"KEY"_s}); }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.files.append(InnerFile{"a", "b"}); }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.args.append("a"); }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.terminal = Terminal(); }));
        QVERIFY(refused([](RunRequest &wanted) { wanted.language = u"bash"_s; }));
        QVERIFY(runCell("1")->outcome == Outcome::Completed);
    }

    void theEngineEndsInTheMiddle()
    {
        begin();
        runCell("x = 1");
        const auto run = m_engine->start(cell("print('in')\nwhile True: pass"));
        QVERIFY(waitForOutput(*run, "in\n"));
        m_engine->shutdown().wait();
        QVERIFY(run->wait()->outcome == Outcome::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestCells)
#include "tst_cells.moc"
