// SPDX-License-Identifier: Apache-2.0
// `glovebox run --stateful`: cells for an interpreter that stays as long as the command, from options, files, a pipe and a person's keys.
#include "sessionhome.h"

#include "tests/app/cli/terminal/desk.h"
#include "tests/support/signals.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliCells : public QObject
{
    Q_OBJECT

    SessionHome m_home;

    static QStringList cells(const QStringList &more)
    {
        return QStringList{u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s} + more;
    }
    Ended run(const QStringList &more, const QByteArray &input = {}) const { return m_home.run(cells(more), input); }
    static QList<QJsonObject> objectsIn(const QByteArray &text)
    {
        QList<QJsonObject> all;
        for (const QByteArray &line : text.trimmed().split('\n'))
            all.append(QJsonDocument::fromJson(line).object());
        return all;
    }

private Q_SLOTS:
    void initTestCase() { m_home.create(); }

    void eachSeesWhatThoseBeforeItLeft_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("output");
        const QString first =
            m_home.write(u"first.py"_s, "# %% one\nx = 6\n# %%\nx * 2\n\n#%% nothing but white space\n\n");
        const QString second = m_home.write(u"second.py"_s, "x * 7\n");
        QTest::newRow("-c") << QStringList{u"-c"_s, u"x = 6"_s, u"-c"_s, u"x * 7"_s} << QByteArray()
                            << QByteArray("42\n");
        QTest::newRow("node") << QStringList{u"-l"_s, u"node"_s, u"-c"_s, u"const x = 6"_s, u"-c"_s, u"x * 7"_s}
                              << QByteArray() << QByteArray("42\n");
        QTest::newRow("files") << QStringList{first, second} << QByteArray() << QByteArray("12\n42\n");
        QTest::newRow("pipe") << QStringList{} << QByteArray("x = 6\n\n\n# %%\nif x:\n\n    y = x\n\n# %%\ny * 7")
                              << QByteArray("42\n");
        QTest::newRow("pipe, node") << QStringList{u"-l"_s, u"js"_s, u"-"_s}
                                    << QByteArray("let x = 6;\r\n// %%\r\nx * 7\r\n") << QByteArray("42\n");
        QTest::newRow("nothing") << QStringList{} << QByteArray() << QByteArray();
    }
    void eachSeesWhatThoseBeforeItLeft()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, output);
        const Ended ended = run(options, input);
        QCOMPARE(ended.err, "");
        QCOMPARE(ended.out, output);
        QCOMPARE(ended.status, 0);
    }

    // With the lines of the cell that each place is in, also of a function from an earlier one.
    void tracebacksNameTheCell_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArrayList>("lines");
        QTest::newRow("Python") << QStringList{u"-c"_s, u"def f():\n    raise ValueError('sour')"_s,
                                               u"-c"_s, u"1"_s,
                                               u"-c"_s, u"x = 1\nf()  # at last"_s}
                                << QByteArrayList{"File \"cell-3\", line 2, in <module>\n    f()  # at last\n",
                                                  "File \"cell-1\", line 2, in f\n    raise ValueError('sour')\n"};
        QTest::newRow("Node.js") << QStringList{u"-l"_s, u"node"_s,
                                                u"-c"_s, u"function f() {\n    throw new Error('sour'); }"_s,
                                                u"-c"_s, u"1"_s,
                                                u"-c"_s, u"let x = 1\nf()"_s}
                                 << QByteArrayList{"cell-1:2:", "cell-3:2:"};
    }
    void tracebacksNameTheCell()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArrayList, lines);
        const Ended ended = run(options);
        QCOMPARE(ended.status, 1);
        for (const QByteArray &line : std::as_const(lines))
            QVERIFY2(ended.err.contains(line), ended.err);
    }

    // A program at the other end gets its answer before it writes the next cell.
    void aPipedCellRunsWhenItIsWhole()
    {
        const auto program = m_home.program(cells({}));
        program->start();
        QByteArray output;
        program->write("x = 20\nprint('first')\n# %%\n");
        QVERIFY2(waitForOutput(*program, "first\n", output), output);
        program->write("x + 1\n# %%\n");
        QVERIFY2(waitForOutput(*program, "21\n", output), output);
        program->closeWriteChannel();
        QVERIFY(program->waitForFinished());
        QCOMPARE(program->exitCode(), 0);
    }

    void eachIsOnRecordAndALineOfJson()
    {
        const qsizetype before = m_home.runsOnRecord().size();
        const Ended ended = run({u"--json"_s, u"-k"_s, u"-c"_s, u"x = 1"_s, u"-c"_s, u"1 / 0"_s, u"-c"_s, u"x"_s});
        QCOMPARE(ended.status, 1);
        QCOMPARE(ended.err, "");
        const QList<QJsonObject> objects = objectsIn(ended.out);
        QCOMPARE(objects.size(), 3);
        QStringList outcomes;
        for (const QJsonObject &object : objects)
            outcomes.append(object[u"outcome"_s].toString());
        QCOMPARE(outcomes, (QStringList{u"completed"_s, u"failed"_s, u"completed"_s}));
        QCOMPARE(objects[2][u"stdout"_s].toString(), u"1\n"_s);
        QVERIFY(objects[0][u"value"_s].isNull() && objects[1][u"value"_s].isNull());
        QCOMPARE(objects[2][u"value"_s], QJsonValue(u"1"_s));
        QCOMPARE(objects[2][u"value_truncated"_s], QJsonValue(false));
        QCOMPARE(objects[0][u"events"_s].toArray().first()[u"type"_s].toString(), u"session.interpreter_started"_s);
        const QJsonArray laterEvents = objects[2][u"events"_s].toArray();
        QVERIFY2(laterEvents.isEmpty(), QJsonDocument(laterEvents).toJson());
        const QList<QJsonObject> recorded = m_home.runsOnRecord();
        QCOMPARE(recorded.size(), before + 3);
        const QByteArray entry = m_home.run({u"audit"_s, u"show"_s, objects[2][u"id"_s].toString(), u"--json"_s}).out;
        QVERIFY2(entry.contains("\"stateful\":true") && !entry.contains("\"value\""), entry);
    }

    void theFirstThatFailsEndsIt()
    {
        const Ended one =
            run({u"-c"_s, u"print('in')"_s, u"-c"_s, u"import sys; sys.exit(7)"_s, u"-c"_s, u"print('no')"_s});
        QCOMPARE(one.out, "in\n");
        QCOMPARE(one.status, 7);
        QVERIFY2(one.err.contains("glovebox: 1 more cell was not run."), one.err);
        const Ended all = run({u"--keep-going"_s, u"-c"_s, u"import sys; sys.exit(7)"_s, u"-c"_s, u"print('yes')"_s});
        QCOMPARE(all.out, "yes\n");
        QCOMPARE(all.status, 7);
    }

    void whatEndsTheInterpreterIsTold_data()
    {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QByteArray>("told");
        QTest::addColumn<QByteArray>("next"); // what "x" is then
        QTest::addColumn<int>("status");
        const QByteArray gone = "and its variables are gone. The next cell gets a clean one.";
        QTest::newRow("exit") << u"import os; os._exit(3)"_s << "The interpreter ended (exit code 3), " + gone
                              << QByteArray("False\n") << 3;
        QTest::newRow("signal") << u"import os; os.kill(os.getpid(), 9)"_s << "The interpreter ended, " + gone
                                << QByteArray("False\n") << 137;
        QTest::newRow("deaf") << u"import signal, time\nsignal.signal(2, signal.SIG_IGN)\nwhile True: time.sleep(1)"_s
                              << "Allow more with -t TIME. The interpreter ended, " + gone << QByteArray("False\n")
                              << 124;
        QTest::newRow("time") << u"while True: pass"_s
                              << QByteArray("Allow more with -t TIME. The interpreter keeps its variables.")
                              << QByteArray("True\n") << 124;
    }
    void whatEndsTheInterpreterIsTold()
    {
        QFETCH(QString, code);
        QFETCH(QByteArray, told);
        QFETCH(QByteArray, next);
        QFETCH(int, status);
        const Ended ended =
            run({u"-t"_s, u"2s"_s, u"-k"_s, u"-c"_s, u"x = 1"_s, u"-c"_s, code, u"-c"_s, u"'x' in globals()"_s});
        QVERIFY2(ended.err.contains(told), ended.err);
        QCOMPARE(ended.out, next);
        QCOMPARE(ended.status, status);
    }

    void aPersonTypesCells_data()
    {
        QTest::addColumn<QByteArray>("terminal");
        QTest::newRow("edited") << QByteArray("xterm-256color");
        QTest::newRow("not edited") << QByteArray("dumb");
    }
    void aPersonTypesCells()
    {
        QFETCH(QByteArray, terminal);
        qputenv("TERM", terminal);
        Desk desk(m_home, cells({}));
        QVERIFY2(desk.waitFor("Python 3") && desk.waitFor("keeps its variables while this command runs")
                     && desk.waitFor(">>> "),
                 desk.seen);
        const auto say = [&desk](const QByteArray &line, const QByteArray &answer) {
            desk.seen.clear();
            desk.type(line);
            return desk.waitFor(answer);
        };
        QVERIFY2(say("x = 6\n", "\r\n>>> "), desk.seen);
        QVERIFY2(say("x * 7\n", "\r\n42\r\n>>> "), desk.seen);
        // A block ends by an empty line, a bracket by its other half.
        QVERIFY2(say("def f(a):\n", "... ") && say("    return a + 1\n", "... ") && say("\n", ">>> "), desk.seen);
        QVERIFY2(say("f(\n", "... ") && say("\n", "... ") && say("x)\n", "7\r\n>>> "), desk.seen);
        // An error keeps everything.
        QVERIFY2(say("1 / 0\n", "ZeroDivisionError") && desk.waitFor(">>> "), desk.seen);
        // Code with empty lines.
        QVERIFY2(say("# %%\n", "... ") && say("def g():\n", "... ") && say("\n", "... ")
                     && say("    return 'g'\n", "... ") && say("print(g() * 3)\n", "... ")
                     && say("# %%\n", "ggg\r\n... ") && say("print(x)\n", "... ") && say("\4", "6\r\n>>> "),
                 desk.seen);
        // Ctrl+C drops what is typed, and stops what runs.
        QVERIFY2(say("y = (\n", "... ") && say("\3", ">>> "), desk.seen);
        QVERIFY2(say("for i in range(2): print('be' + 'gun') if i == 0 else __import__('time').sleep(60)\n", "... "),
                 desk.seen);
        QVERIFY2(say("\n", "begun\r\n"), desk.seen); // a key before that would be for the prompt
        QVERIFY2(say("\3", "^C"), desk.seen);
        QVERIFY2(desk.waitFor("The interpreter keeps its variables."), desk.seen);
        QVERIFY2(desk.waitFor(">>> ") && say("x\n", "6\r\n>>> "), desk.seen);
        QVERIFY2(say("import os; os._exit(1)\n", "The interpreter ended (exit code 1)") && desk.waitFor(">>> "),
                 desk.seen);
        QVERIFY2(say("'x' in globals()\n", "False\r\n>>> "), desk.seen);
        desk.type("\4");
        QCOMPARE(desk.status(), 0);
        QVERIFY(desk.isAsBefore());
    }

    void aTerminalThatIsGoneRunsNothingHalfTyped_data()
    {
        QTest::addColumn<QByteArray>("terminal");
        QTest::addColumn<QByteArray>("typed");
        for (const char *terminal : {"xterm-256color", "dumb"}) {
            QTest::addRow("nothing, %s", terminal) << QByteArray(terminal) << QByteArray();
            QTest::addRow("half a line, %s", terminal) << QByteArray(terminal) << QByteArray("open('mark', 'w')");
            QTest::addRow("half a block, %s", terminal)
                << QByteArray(terminal) << QByteArray("if True:\n    open('mark', 'w')\n");
        }
    }
    void aTerminalThatIsGoneRunsNothingHalfTyped()
    {
        QFETCH(QByteArray, terminal);
        QFETCH(QByteArray, typed);
        qputenv("TERM", terminal);
        const qsizetype before = m_home.runsOnRecord().size();
        for (int i = 0; i < 10; ++i) { // while a key is waited for, or the terminal is made ready for that
            Desk desk(m_home, cells({}));
            QVERIFY2(desk.waitFor(">>> "), desk.seen);
            desk.type(typed);
            QVERIFY2(typed.isEmpty() || desk.waitFor("'w')"), desk.seen);
            desk.goAway();
            QCOMPARE(desk.status(), 128 + SIGHUP);
            QCOMPARE(m_home.runsOnRecord().size(), before);
        }
    }

    void aPersonTypesNode()
    {
        Desk desk(m_home, cells({u"-l"_s, u"node"_s, u"-q"_s}));
        QVERIFY2(desk.waitFor("> ") && !desk.seen.contains("Node.js"), desk.seen);
        desk.type("const f = (a) => {\n");
        QVERIFY2(desk.waitFor("... "), desk.seen);
        desk.type("return `${a}!` }\n");
        QVERIFY2(desk.waitFor("\r\n> "), desk.seen);
        desk.type("f('node')\n");
        QVERIFY2(desk.waitFor("'node!'\r\n> "), desk.seen);
        desk.type(".exit\n");
        QCOMPARE(desk.status(), 0);
    }

    void signalsEndIt_data()
    {
        QTest::addColumn<bool>("isRunning");
        QTest::addColumn<int>("signal");
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            QTest::addRow("%d, waiting", signal) << false << signal;
            QTest::addRow("%d, running", signal) << true << signal;
        }
    }
    void signalsEndIt()
    {
        QFETCH(bool, isRunning);
        QFETCH(int, signal);
        const auto program = m_home.program(cells({}));
        program->start();
        QByteArray output;
        program->write("print('ready')\n# %%\n");
        if (isRunning)
            program->write("print('begun')\nwhile True: pass\n# %%\n# %%\n");
        QVERIFY2(waitForOutput(*program, isRunning ? "begun\n" : "ready\n", output), output);
        sendSignal(program->processId(), signal);
        QVERIFY(program->waitForFinished());
        QCOMPARE(program->exitStatus() == QProcess::CrashExit ? -1 : program->exitCode(), 128 + signal);
        // Nothing is left that goes on.
        for (const QJsonObject &recorded : m_home.runsOnRecord())
            QVERIFY(!recorded[u"outcome"_s].toString().isEmpty());
    }

    // To another program, as long as it stays; a killed one leaves no word of it.
    void statusNamesTheInterpretersThatStay()
    {
        const auto staying = [this] {
            return m_home.objects({u"status"_s, u"shop"_s}).value(0)[u"interpreters"_s].toVariant().toStringList();
        };
        QCOMPARE(staying(), QStringList());
        const auto program = m_home.program(cells({}));
        program->start();
        QByteArray output;
        program->write("print('ready')\n# %%\n");
        QVERIFY2(waitForOutput(*program, "ready\n", output), output);
        QTRY_COMPARE(staying(), QStringList{u"python"_s});
        const Ended shown = m_home.session({u"status"_s, u"shop"_s});
        QVERIFY2(shown.out.contains("\n  interpreter python\n"), shown.out);
        program->closeWriteChannel();
        QVERIFY(program->waitForFinished());
        QCOMPARE(staying(), QStringList());
        const auto killed = m_home.program(cells({}));
        killed->start();
        output.clear();
        killed->write("print('ready')\n# %%\n");
        QVERIFY2(waitForOutput(*killed, "ready\n", output), output);
        QTRY_COMPARE(staying(), QStringList{u"python"_s});
        sendSignal(killed->processId(), SIGKILL);
        QVERIFY(killed->waitForFinished());
        QCOMPARE(staying(), QStringList());
    }

    void whatMakesNoSenseIsRefusedWithAWayOut_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("told");
        const auto in = [](const QStringList &more) { return cells(QStringList{u"-c"_s, u"1"_s} + more); };
        QTest::newRow("no session") << QStringList{u"run"_s, u"--stateful"_s, u"-c"_s, u"1"_s} << 2
                                    << QByteArray("glovebox session create --name NAME");
        QTest::newRow("unknown session") << QStringList{u"run"_s, u"--stateful"_s, u"--session"_s,
                                                        u"nix"_s, u"-c"_s,         u"1"_s}
                                         << 125 << QByteArray("glovebox session list");
        QTest::newRow("shell") << in({u"-l"_s, u"bash"_s}) << 2 << QByteArray("Run the code without --stateful.");
        QTest::newRow("parallel") << in({u"--parallel"_s}) << 2 << QByteArray("Leave out one of both.");
        QTest::newRow("detach") << in({u"--detach"_s}) << 2 << QByteArray("Leave out one of both.");
        QTest::newRow("allow") << in({u"--allow"_s, u"example.org"_s}) << 2
                               << QByteArray("Run that code without --stateful.");
        QTest::newRow("secret") << in({u"--secret"_s, u"KEY"_s}) << 2
                                << QByteArray("Run that code without --stateful.");
        QTest::newRow("tty") << in({u"--tty"_s}) << 2 << QByteArray("glovebox session put shop FILE");
        QTest::newRow("with") << in({u"--with"_s, u"numpy"_s}) << 2
                              << QByteArray("glovebox session install shop --python NAME");
        QTest::newRow("allow source") << in({u"--allow-source"_s, u"numpy"_s}) << 2
                                      << QByteArray("glovebox session install shop --python NAME");
        QTest::newRow("artifacts") << in({u"--artifacts"_s, u"d"_s}) << 2
                                   << QByteArray("glovebox session get shop FILE");
        QTest::newRow("arguments") << in({u"--"_s, u"a"_s}) << 2 << QByteArray("Write them into the code");
        QTest::newRow("two places") << in({u"a.py"_s}) << 2 << QByteArray("from one place only");
        QTest::newRow("two languages") << cells({u"a.py"_s, u"b.js"_s}) << 2
                                       << QByteArray("Name files of one language.");
        QTest::newRow("no file") << cells({u"nowhere.py"_s}) << 125 << QByteArray("There is no file");
        QTest::newRow("empty file") << cells({m_home.write(u"empty.py"_s, "\n# %%\n")}) << 125
                                    << QByteArray("Name files with at least one cell.");
        QTest::newRow("keep going alone")
            << QStringList{u"run"_s, u"-k"_s, u"-c"_s, u"1"_s} << 2 << QByteArray("no effect without --stateful");
    }
    void whatMakesNoSenseIsRefusedWithAWayOut()
    {
        QFETCH(QStringList, words);
        QFETCH(int, status);
        QFETCH(QByteArray, told);
        const Ended ended = m_home.run(words);
        QCOMPARE(ended.status, status);
        QVERIFY2(ended.err.contains(told), ended.err);
        QCOMPARE(ended.out, "");
    }

    // A line without an end doesn't take all memory, and is refused on record like code that is too large.
    void aCellThatIsTooLargeIsNone()
    {
        const Ended ended = run({}, QByteArray(9 * 1024 * 1024, 'x'));
        QCOMPARE(ended.status, 125);
        QVERIFY2(ended.err.contains("4"), ended.err);
    }
};

QTEST_GUILESS_MAIN(TestCliCells)
#include "tst_clicells.moc"
