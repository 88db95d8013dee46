// SPDX-License-Identifier: Apache-2.0
// A snippet in the Python driver behaves as `python3 main.py` does.
#include "snippet.h"

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestPython : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void behavesLikePlainPython_data();
    void behavesLikePlainPython();
    void leavesNoTraceOfTheDriver();
    void passesArgumentsOfAnyBytes();
    void printsEachLineAtOnce();
    void waitsForInput();
    void runsNothingWithoutAJob();
    void leavesNoCaches();
    void systemPythonNeedNotCompileTheDriver();

private:
    LaunchRecipe recipe(const QByteArrayList &args = {}) const
    {
        return m_python->recipe(m_interpreter, args, Limits(), QString());
    }

    Languages m_languages{{}, QString()};
    const Language *m_python = nullptr;
    QList<InterpreterCandidate> m_interpreters;
    InterpreterCandidate m_interpreter;
};

void TestPython::initTestCase()
{
    m_python = *Languages::byId(u"python"_s);
    m_interpreters = interpretersFor(m_languages, *m_python);
    if (m_interpreters.isEmpty() && !isInstalled({u"python3"_s}))
        QSKIP("Python 3 is not installed.");
    QVERIFY(!m_interpreters.isEmpty());
    m_interpreter = m_interpreters.first();
}

void TestPython::behavesLikePlainPython_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("input");

    QTest::newRow("prints") << QByteArray("print(6 * 7)\n") << QByteArray();
    QTest::newRow("nothing to do") << QByteArray("pass") << QByteArray();
    QTest::newRow("a traceback with source lines")
        << QByteArray("def f(x):\n    return 1 / x\n\nf(0)\n") << QByteArray();
    QTest::newRow("a chain of exceptions")
        << QByteArray("try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('no a') from e\n")
        << QByteArray();
    QTest::newRow("an exception while handling one")
        << QByteArray("try:\n    1/0\nexcept ZeroDivisionError:\n    undefined\n") << QByteArray();
    QTest::newRow("a syntax error") << QByteArray("print('a')\nprint('b'\nx = 1\n") << QByteArray();
    QTest::newRow("a bad indent") << QByteArray("if True:\nprint(1)\n") << QByteArray();
    QTest::newRow("not the encoding it says") << QByteArray("# coding: nonsense\nprint(1)\n") << QByteArray();
    QTest::newRow("a byte order mark and CRLF") << QByteArray("\xEF\xBB\xBFprint(1)\r\nprint(2)\r\n") << QByteArray();
    QTest::newRow("an exit code") << QByteArray("import sys\nsys.exit(7)\n") << QByteArray();
    QTest::newRow("an exit with a message") << QByteArray("import sys\nsys.exit('no luck')\n") << QByteArray();
    QTest::newRow("an exit without a code") << QByteArray("raise SystemExit\n") << QByteArray();
    QTest::newRow("an exit that skips all")
        << QByteArray("import os\nprint('lost', end='')\nos._exit(9)\n") << QByteArray();
    QTest::newRow("Ctrl+C") << QByteArray("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass\n")
                            << QByteArray();
    QTest::newRow("killed") << QByteArray("import os\nos.kill(os.getpid(), 9)\n") << QByteArray();
    QTest::newRow("aborts") << QByteArray("import os, sys\nprint('x', flush=True)\nos.abort()\n") << QByteArray();
    QTest::newRow("deep recursion") << QByteArray("def f(): f()\nf()\n") << QByteArray();
    QTest::newRow("the main module") << QByteArray(
        "import sys, __main__\nassert __main__.__dict__ is globals()\n"
        "print(__name__, __file__, __spec__, __package__, type(__loader__).__name__, sorted(globals()))\n"
        "print(sys.argv, sys.path, getattr(sys, 'orig_argv', [])[1:])\n"
        "if __name__ == '__main__': print('main')\n")
                                     << QByteArray();
    QTest::newRow("the stack below") << QByteArray("import inspect, traceback\ntraceback.print_stack()\n"
                                                   "print([f.filename for f in inspect.stack()])\n"
                                                   "print(inspect.getsource(inspect.currentframe()))\n")
                                     << QByteArray();
    QTest::newRow("pickle and dataclasses")
        << QByteArray("import pickle\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n"
                      "print(pickle.loads(pickle.dumps(P(3))))\n")
        << QByteArray();
    for (const char *method : {"spawn", "fork", "forkserver"})
        QTest::addRow("multiprocessing by %s", method)
            << QByteArray("import multiprocessing as m\ndef double(x): return 2 * x\nif __name__ == '__main__':\n"
                          "    with m.get_context('"
                          + QByteArray(method) + "').Pool(2) as p: print(p.map(double, range(5)))\n")
            << QByteArray();
    QTest::newRow("a second interpreter")
        << QByteArray("import subprocess, sys\nprint('first', flush=True)\n"
                      "print(subprocess.run([sys.executable, '-c', 'import sys; print(sys.argv, sys.path[0])'],"
                      " capture_output=True))\n")
        << QByteArray();
    QTest::newRow("threads end before exit handlers")
        << QByteArray("import atexit, threading, time\natexit.register(print, 'at exit')\n"
                      "threading.Thread(target=lambda: (time.sleep(.2), print('thread'))).start()\nprint('end')\n")
        << QByteArray();
    QTest::newRow("an exception in a thread") << QByteArray("import threading\n"
                                                            "t = threading.Thread(target=lambda: 1/0, name='T')\n"
                                                            "t.start(); t.join()\n")
                                              << QByteArray();
    QTest::newRow("an own excepthook") << QByteArray("import sys\n"
                                                     "assert sys.excepthook is sys.__excepthook__\n"
                                                     "sys.excepthook = lambda *a: print('hook', a[0], a[2].tb_next)\n"
                                                     "1/0\n")
                                       << QByteArray();
    QTest::newRow("a warning") << QByteArray(
        "import warnings\nwarnings.warn('old', stacklevel=2)\nwarnings.warn('x')\n")
                               << QByteArray();
    QTest::newRow("input with a prompt") << QByteArray("print('hello ' + input('Name? '))\n") << QByteArray("Ada\n");
    QTest::newRow("input at the end") << QByteArray("input()\n") << QByteArray();
    QTest::newRow("all of stdin") << QByteArray("import sys\nprint(len(sys.stdin.read()))\n")
                                  << QByteArray(100'000, 'x');
    QTest::newRow("stdout closed") << QByteArray("import sys\nprint(1)\nsys.stdout.close()\n") << QByteArray();
    QTest::newRow("non-ASCII output") << QByteArray(
        "print('\xc3\xa4\xe2\x82\xac')\nimport sys\nprint(sys.stdout.encoding)\n")
                                      << QByteArray();
    QTest::newRow("a helper module") << QByteArray("import helper\nhelper.fail()\n") << QByteArray();
    QTest::newRow("open files") << QByteArray("import os\nprint(sorted(os.listdir('/dev/fd')))\n") << QByteArray();
    QTest::newRow("who refers to a value") << QByteArray(
        "import gc, sys\nclass A: pass\na = A(); b = [a]; c = {'a': a}\n"
        "print([type(x).__name__ for x in gc.get_referrers(a)], gc.garbage, gc.callbacks, gc.get_threshold())\n"
        "import __main__\nprint(__main__.a is a, __main__, list(vars()), __main__ is sys.modules['__main__'])\n")
                                           << QByteArray();
    QTest::newRow("what ends with Python")
        << QByteArray("import os, sys\nclass A:\n    def __init__(self, name): self.name = name\n"
                      "    def __del__(self, out=os.write): out(1, self.name)\n"
                      "class B: of_class = A(b'class ')\n"
                      "a = A(b'cycle '); a.itself = a\nb = A(b'name ')\nc = [A(b'list '), B()]; c.append(c)\n"
                      "os.held = A(b'module '); sys.held = A(b'sys ')\nos.environ.held = A(b'environment ')\n"
                      "del a\n")
        << QByteArray();
    QTest::newRow("asyncio") << QByteArray("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1/0\n"
                                           "asyncio.run(f())\n")
                             << QByteArray();
}

void TestPython::behavesLikePlainPython()
{
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, input);
    for (const InterpreterCandidate &interpreter : std::as_const(m_interpreters)) {
        const LaunchRecipe recipe = m_python->recipe(interpreter, {"a", "b c"}, Limits(), QString());
        Snippet snippet(recipe, code, {{u"helper.py"_s, "def fail():\n    raise OSError(2, 'nothing there')\n"}});
        const Ending plain = snippet.runPlainly(recipe.argv + QByteArrayList{"a", "b c"}, input);
        const Ending driven = snippet.run(input);
        QCOMPARE(driven.out, plain.out);
        QCOMPARE(driven.err, plain.err);
        QCOMPARE(driven.exitCode, plain.exitCode);
        QCOMPARE(driven.files, plain.files);
    }
}

void TestPython::leavesNoTraceOfTheDriver()
{
    const Ending ending = Snippet(recipe(), "import os, sys\n"
                                            "print('PYTHONPATH' in os.environ)\n"
                                            "print(os.environ['HOME'] == os.getcwd() == sys.path[0])\n"
                                            "try: os.fstat(3)\nexcept OSError: print('no 3')\n")
                              .run();
    QCOMPARE(ending.err, QByteArray());
    QCOMPARE(ending.out, QByteArray("False\nTrue\nno 3\n"));
}

void TestPython::passesArgumentsOfAnyBytes()
{
    const QByteArrayList args = {"", "-c", "--", "a b\n", "\xc3\xa4", "\xff", QByteArray(100'000, 'x')};
    const Ending ending =
        Snippet(recipe(args), "import os, sys\nprint([os.fsencode(a) for a in sys.argv[1:-1]], len(sys.argv[-1]))\n")
            .run();
    QCOMPARE(ending.out, QByteArray("[b'', b'-c', b'--', b'a b\\n', b'\\xc3\\xa4', b'\\xff'] 100000\n"));
}

void TestPython::printsEachLineAtOnce()
{
    Snippet snippet(recipe(), "import sys\nprint('one')\nsys.stdin.read()\n");
    QProcess process;
    snippet.start(process);
    while (!process.canReadLine())
        QVERIFY2(process.waitForReadyRead(10'000), "nothing was printed while the snippet goes on");
    QCOMPARE(process.readLine(), QByteArray("one\n"));
    QCOMPARE(snippet.finish(process).exitCode, 0);
}

void TestPython::waitsForInput()
{
    Snippet snippet(recipe(), "print('hello ' + input('Name? '))\n");
    QProcess process;
    snippet.start(process);
    QByteArray prompt;
    while (prompt != "Name? ") {
        QVERIFY2(process.waitForReadyRead(10'000), "no prompt");
        prompt += process.readAllStandardOutput();
    }
    const Ending ending = snippet.finish(process, "Ada\n");
    QCOMPARE(ending.out, QByteArray("hello Ada\n"));
}

void TestPython::runsNothingWithoutAJob()
{
    LaunchRecipe broken = recipe();
    for (const QByteArray &job : {broken.job.first(3), broken.job.chopped(1)}) {
        broken.job = job;
        Snippet snippet(broken, "print('ran')\n");
        QProcess process;
        snippet.start(process);
        snippet.hangUp();
        const Ending ending = snippet.finish(process);
        QCOMPARE(ending.out, QByteArray());
        QCOMPARE(ending.exitCode, 125);
    }
}

void TestPython::leavesNoCaches()
{
    const Ending ending = Snippet(recipe(), "import helper\n", {{u"helper.py"_s, "x = 1\n"}}).run();
    QCOMPARE(ending.files, (QStringList{u"helper.py"_s, u"main.py"_s}));
}

void TestPython::systemPythonNeedNotCompileTheDriver()
{
    if (!QFile::exists(u"/usr/bin/python3"_s))
        QSKIP("/usr/bin/python3 is not installed.");
    const QList<InterpreterCandidate> all = m_languages.candidates(*m_python);
    const auto system = std::ranges::find_if(all, [](const InterpreterCandidate &interpreter) {
        return interpreter.usable && interpreter.path.startsWith(u"/usr/bin/"_s);
    });
    QVERIFY(system != all.end());
    LaunchRecipe recipe = m_python->recipe(*system, {}, Limits(), QString());
    recipe.environment.append("PYTHONVERBOSE=1");
    const QByteArray said = Snippet(recipe, "pass\n").run().err;
    QVERIFY(said.contains("import 'sitecustomize'"));
    const qsizetype at = said.indexOf("/__pycache__/sitecustomize.");
    QVERIFY2(at > 0 && said.left(at).contains("# code object from"), said);
}

QTEST_GUILESS_MAIN(TestPython)
#include "tst_python.moc"
