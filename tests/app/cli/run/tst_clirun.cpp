// SPDX-License-Identifier: Apache-2.0
// `glovebox run` keeps the contract that scripts rely on: exit statuses, streams, one JSON object, sentences for bad input.
#include "tests/app/cli/program.h"

#include "engine/base/base.h"
#include "tests/support/controlgroups.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exitStatusTellsHowItEnded_data();
    void exitStatusTellsHowItEnded();
    void everyLanguagePrints_data();
    void everyLanguagePrints();
    void nodeHasNoListOfInterfaces();
    void codeComesFromFileOrStandardInput();
    void argumentsReachTheCode();
    void filesAreInTheWorkFolder();
    void streamsAreByteExact();
    void outputAppearsWhileItRuns();
    void inputIsInteractive();
    void whatARunWaitsForIsTold();
    void inputComesFromAFileOrIsEmpty();
    void largeInputIsPassedWhole();
    void endlessLoopEndsAtItsTimeLimit();
    void truncatedOutputKeepsBothEndsAndSaysSo();
    void jsonIsOneObject();
    void jsonHoldsOutputAndFailure();
    void refusedProcessesAreToldAsAnEvent();
    void badInputGetsASentenceAndNothingRuns_data();
    void badInputGetsASentenceAndNothingRuns();
    void hugeCodeIsRefusedWithoutBeingRead();
    void wrongUsageIsTwo_data();
    void wrongUsageIsTwo();
    void aMachineThatGivesLittleIsNoDisaster_data();
    void aMachineThatGivesLittleIsNoDisaster();
    void aStackThatMayGrowGrows();
    void closedStandardStreamsAreNoDisaster();
    void aFullOutputDeviceIsTold();

private:
    // $0: the program.
    Ended bySh(const QString &script)
    {
        const auto process = m_home.program({u"-c"_s, script, programFile()});
        process->setProgram(u"/bin/sh"_s);
        process->setWorkingDirectory(m_home.path());
        process->start();
        return finish(*process);
    }

    Home m_home;
};

void TestCliRun::exitStatusTellsHowItEnded_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("outcome");
    const auto row = [](const char *name, const QStringList &arguments, int status, const QString &outcome) {
        QTest::newRow(name) << arguments << status << outcome;
    };
    row("success", {u"-c"_s, u"pass"_s}, 0, u"completed"_s);
    row("its own status", {u"-c"_s, u"import sys; sys.exit(42)"_s}, 42, u"failed"_s);
    row("exception", {u"-c"_s, u"1/0"_s}, 1, u"failed"_s);
    row("signal", {u"-c"_s, u"import os; os.kill(os.getpid(), 15)"_s}, 128 + 15, u"signalled"_s);
    row("abort", {u"-c"_s, u"import os; os.abort()"_s}, 128 + 6, u"signalled"_s);
    row("time limit", {u"-t"_s, u"0.5"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"sleep 60"_s}, 124, u"timed_out"_s);
    row("processor time", {u"--cpu"_s, u"1"_s, u"-c"_s, u"while True: pass"_s}, 124, u"cpu_limit"_s);
    row("not found in sh", {u"-l"_s, u"sh"_s, u"-c"_s, u"nothing-of-that-name"_s}, 127, u"failed"_s);
}

void TestCliRun::exitStatusTellsHowItEnded()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QString, outcome);
    const Ended ended = m_home.run(QStringList(u"run"_s) + arguments);
    QVERIFY2(ended.status == status, ended.err);
    QCOMPARE(m_home.runsOnRecord().value(0).value("outcome"_L1).toString(), outcome);
    const bool isPlainEnd = outcome == u"completed"_s || outcome == u"failed"_s;
    QCOMPARE(ended.err.contains("glovebox: "), !isPlainEnd);
}

void TestCliRun::everyLanguagePrints_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("code");
    QTest::newRow("python") << u"python"_s << u"print('ok')"_s;
    QTest::newRow("node") << u"node"_s << u"console.log('ok')"_s;
    QTest::newRow("bash") << u"bash"_s << u"echo ok"_s;
    QTest::newRow("sh") << u"sh"_s << u"echo ok"_s;
}

void TestCliRun::everyLanguagePrints()
{
    QFETCH(QString, language);
    QFETCH(QString, code);
    const Ended ended = m_home.run({u"run"_s, u"-l"_s, language, u"-c"_s, code});
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray("ok\n"));
    QCOMPARE(ended.err, QByteArray());
}

// glovebox-security(7) says so. When this fails, netlink sockets exist inside.
void TestCliRun::nodeHasNoListOfInterfaces()
{
    const Ended ended =
        m_home.run({u"run"_s, u"-l"_s, u"node"_s, u"-c"_s, u"console.log(require('os').networkInterfaces())"_s});
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains("uv_interface_addresses"), ended.err);
}

void TestCliRun::codeComesFromFileOrStandardInput()
{
    QCOMPARE(m_home.run({u"run"_s, m_home.write(u"a.sh"_s, "echo from $0")}).out.left(5), QByteArray("from "));
    QCOMPARE(m_home.run({u"run"_s, m_home.write(u"shebang"_s, "#!/bin/sh\necho sh")}).out, QByteArray("sh\n"));
    QCOMPARE(m_home.run({u"run"_s, u"-"_s}, "print('py')").out, QByteArray("py\n"));
    QCOMPARE(m_home.run({u"run"_s}, "#!/usr/bin/env bash\necho $BASH | grep -c bash").out, QByteArray("1\n"));
}

void TestCliRun::argumentsReachTheCode()
{
    const Ended ended =
        m_home.run({u"run"_s, u"-c"_s, u"import sys; print(sys.argv[1:])"_s, u"--"_s, u"--json"_s, u""_s, u"a b"_s});
    QCOMPARE(ended.out, QByteArray("['--json', '', 'a b']\n"));
}

void TestCliRun::filesAreInTheWorkFolder()
{
    const QString data = m_home.write(u"data.csv"_s, "1;2;3");
    const Ended ended = m_home.run({u"run"_s, u"--file"_s, data, u"-c"_s, u"print(open('data.csv').read())"_s});
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray("1;2;3\n"));
}

// Piped output goes through unchanged, whatever the bytes are.
void TestCliRun::streamsAreByteExact()
{
    const Ended ended = m_home.run({u"run"_s, u"-c"_s,
                                    u"import sys; sys.stdout.buffer.write(bytes(range(256))); "
                                    "sys.stderr.buffer.write(bytes(range(255, -1, -1)))"_s});
    QCOMPARE(ended.status, 0);
    QByteArray all(256, '\0');
    for (int i = 0; i < 256; ++i)
        all[i] = char(i);
    QCOMPARE(ended.out, all);
    std::reverse(all.begin(), all.end());
    QCOMPARE(ended.err, all);
}

void TestCliRun::outputAppearsWhileItRuns()
{
    const auto process = m_home.program({u"run"_s, u"-c"_s, u"print('early'); import time; time.sleep(60)"_s});
    process->start();
    QByteArray output;
    QVERIFY(waitForOutput(*process, "early\n", output));
    QCOMPARE(process->state(), QProcess::Running);
    process->terminate();
    finish(*process);
}

void TestCliRun::inputIsInteractive()
{
    const auto process = m_home.program({u"run"_s, u"-c"_s,
                                         u"for i in range(2):\n    name = input('who? ')\n    print('hello', name)\n"
                                         "import sys; print('rest', sys.stdin.read())"_s});
    process->start();
    QByteArray output;
    QVERIFY(waitForOutput(*process, "who? ", output));
    process->write("Ada\n");
    QVERIFY(waitForOutput(*process, "hello Ada\nwho? ", output));
    process->write("Grace\n");
    QVERIFY(waitForOutput(*process, "hello Grace\n", output));
    process->write("end");
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QCOMPARE(ended.status, 0);
    QVERIFY((output + ended.out).endsWith("rest end\n"));
}

void TestCliRun::whatARunWaitsForIsTold()
{
    const QString pipe = m_home.path(u"code.fifo"_s);
    QVERIFY(::mkfifo(QFile::encodeName(pipe).constData(), 0600) == 0);
    const auto program = m_home.program({u"run"_s, u"-l"_s, u"sh"_s, pipe});
    program->setProcessChannelMode(QProcess::MergedChannels);
    program->start();
    QByteArray said;
    QVERIFY2(waitForOutput(*program, "Waiting for " + QFile::encodeName(pipe), said), said);
    QFile writer(pipe);
    QVERIFY(writer.open(QIODevice::WriteOnly) && writer.write("echo hi") == 7);
    writer.close();
    QCOMPARE(finish(*program).out.right(3), QByteArray("hi\n"));
    // Who writes at once is read without a word, as in "glovebox run <(make code)".
    QProcess shell;
    shell.start(u"bash"_s, {u"-c"_s, u"GLOVEBOX_HOME='%1' exec '%2' run -l sh <(echo 'echo hi') 2>&1"_s.arg(
                                         m_home.path(), programFile())});
    QVERIFY(shell.waitForFinished());
    QCOMPARE(shell.readAll(), QByteArray("hi\n"));
}

void TestCliRun::inputComesFromAFileOrIsEmpty()
{
    const QString code = u"import sys; print(len(sys.stdin.buffer.read()))"_s;
    const QString file = m_home.write(u"input"_s, "12345");
    QCOMPARE(m_home.run({u"run"_s, u"-c"_s, code, u"--stdin"_s, file}, "ours").out, QByteArray("5\n"));
    QCOMPARE(m_home.run({u"run"_s, u"-"_s}, code.toUtf8()).out, QByteArray("0\n"));
    QCOMPARE(m_home.run({u"run"_s, u"-c"_s, code, u"--json"_s}, "ours").json().value("stdout"_L1).toString(), u"0\n"_s);
    QCOMPARE(m_home.run({u"run"_s, u"-c"_s, code, u"--json"_s, u"--stdin"_s, u"-"_s}, "ours").json().value("stdout"_L1),
             u"4\n"_s);
}

void TestCliRun::largeInputIsPassedWhole()
{
    constexpr int size = 20 * 1024 * 1024;
    const Ended ended = m_home.run({u"run"_s, u"-c"_s,
                                    u"import sys, hashlib, time\ntime.sleep(0.5)\n"
                                    "data = sys.stdin.buffer.read()\nprint(len(data), set(data))"_s},
                                   QByteArray(size, 'x'));
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray::number(size) + " {120}\n");
}

void TestCliRun::endlessLoopEndsAtItsTimeLimit()
{
    QElapsedTimer timer;
    timer.start();
    const Ended ended = m_home.run({u"run"_s, u"-t"_s, u"1"_s, u"-c"_s, u"while True: pass"_s});
    QCOMPARE(ended.status, 124);
    QVERIFY2(timer.elapsed() >= 1000 && timer.elapsed() < 3000, QByteArray::number(timer.elapsed()));
}

void TestCliRun::truncatedOutputKeepsBothEndsAndSaysSo()
{
    const Ended ended = m_home.run(
        {u"run"_s, u"-o"_s, u"1000"_s, u"-c"_s, u"import sys; sys.stdout.write('a' * 750 + 'b' * 5000 + 'c' * 250)"_s});
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.out, QByteArray(750, 'a') + QByteArray(250, 'c'));
    QVERIFY2(ended.err.startsWith("glovebox: 5000 bytes of standard output were left out"), ended.err);
    // What is shown is what is kept, to the byte.
    for (int limit = 1001; limit < 1004; ++limit) {
        const QStringList same{u"run"_s, u"-o"_s, QString::number(limit), u"-c"_s,
                               u"import sys; sys.stdout.write('a' * 750 + 'b' * 5000 + 'c' * 250)"_s};
        const QByteArray shown = m_home.run(same).out;
        const QByteArray kept = m_home.run(same + QStringList{u"--json"_s}).json()["stdout"_L1].toString().toUtf8();
        const QByteArray beginning = shown.first(shown.size() - limit / 4);
        QVERIFY2(kept.startsWith(beginning) && !kept.startsWith(beginning + 'b'), kept);
    }
    // Just within the limit nothing is left out and nothing said.
    const Ended whole = m_home.run({u"run"_s, u"-o"_s, u"1000"_s, u"-c"_s, u"print('a' * 999)"_s});
    QCOMPARE(whole.out, QByteArray(999, 'a') + '\n');
    QCOMPARE(whole.err, QByteArray());
}

void TestCliRun::jsonIsOneObject()
{
    const Ended ended = m_home.run(
        {u"run"_s, u"--json"_s, u"-c"_s, u"import sys; print(6*7); print('\\u00fc', file=sys.stderr); sys.exit(3)"_s});
    QCOMPARE(ended.status, 3);
    QCOMPARE(ended.err, QByteArray());
    const QJsonObject object = ended.json();
    for (const QString &key :
         {u"schema"_s,    u"id"_s,        u"outcome"_s,      u"reason"_s,       u"exit_code"_s, u"signal"_s,
          u"stdout"_s,    u"stderr"_s,    u"stdout_bytes"_s, u"stderr_bytes"_s, u"truncated"_s, u"value"_s,
          u"variables"_s, u"artifacts"_s, u"skipped"_s,      u"session"_s,      u"usage"_s,     u"isolation"_s,
          u"egress"_s,    u"events"_s,    u"audit"_s})
        QVERIFY2(object.contains(key), qPrintable(key));
    QCOMPARE(object.value("schema"_L1).toInt(), 1);
    QVERIFY(isId(object.value("id"_L1).toString()));
    QCOMPARE(object.value("outcome"_L1).toString(), u"failed"_s);
    QCOMPARE(object.value("exit_code"_L1).toInt(), 3);
    QVERIFY(object.value("signal"_L1).isNull() && object.value("value"_L1).isNull());
    QCOMPARE(object.value("stdout"_L1).toString(), u"42\n"_s);
    QCOMPARE(object.value("stderr"_L1).toString(), u"ü\n"_s);
    QVERIFY(!object.value("isolation"_L1)["controls"_L1].toArray().isEmpty());
    QVERIFY(object.value("audit"_L1)["index"_L1].toInteger() > 0);
}

void TestCliRun::jsonHoldsOutputAndFailure()
{
    const Ended missing = m_home.run({u"run"_s, u"--json"_s, m_home.path(u"nowhere.py"_s)});
    QCOMPARE(missing.status, 125);
    QCOMPARE(missing.json().value("outcome"_L1).toString(), u"rejected"_s);
    QVERIFY(missing.json().value("reason"_L1).toString().contains(u"nowhere.py"_s));
    QVERIFY(missing.json().value("id"_L1).toString().isEmpty());
    const Ended late =
        m_home.run({u"run"_s, u"--json"_s, u"-t"_s, u"0.3"_s, u"-c"_s, u"print('x')\nwhile True: pass"_s});
    QCOMPARE(late.status, 124);
    QCOMPARE(late.json().value("outcome"_L1).toString(), u"timed_out"_s);
    QCOMPARE(late.json().value("stdout"_L1).toString(), u"x\n"_s);
}

void TestCliRun::refusedProcessesAreToldAsAnEvent()
{
    const auto told = [this](const QString &code) {
        QStringList events;
        const QJsonObject result = m_home.run({u"run"_s, u"--json"_s, u"--procs"_s, u"4"_s, u"-c"_s, code}).json();
        for (const auto control : result["isolation"_L1]["controls"_L1].toArray()) {
            if (control["name"_L1] == u"processes"_s)
                events.append(control["detail"_L1].toString());
        }
        for (const auto event : result["events"_L1].toArray())
            events.append(event["type"_L1].toString() + u": "_s + event["detail"_L1].toString());
        return events;
    };
    const QStringList many = told(u"import os, time\n"
                                  "for _ in range(10):\n"
                                  "    try:\n        if os.fork() == 0: time.sleep(9)\n"
                                  "    except OSError: pass\n"
                                  "time.sleep(0.2)\n"_s);
    QVERIFY(!many.isEmpty());
    const bool isCounted = test::controlGroups().missing.isEmpty();
    QCOMPARE(many.first().startsWith(u"cgroup"_s), isCounted);
    QCOMPARE(many.mid(1),
             QStringList{isCounted
                             ? u"processes.limit: The run hit its limit of 4 processes and threads (refused: 7)."_s
                             : u"processes.limit: The run reached its limit of 4 processes and threads."_s});
    QCOMPARE(told(u"pass"_s).size(), 1);
}

void TestCliRun::badInputGetsASentenceAndNothingRuns_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<bool>("isRecorded"); // what the engine refuses is; what never reached it isn't
    const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says, bool isRecorded) {
        QTest::newRow(name) << arguments << says << isRecorded;
    };
    row("missing file", {m_home.path(u"nowhere.py"_s)}, "There is no file", false);
    row("page", {u"https://example.org/x.py"_s}, "curl -sL https://example.org/x.py | glovebox run -l LANGUAGE -",
        false);
    row("folder", {m_home.path()}, "is a folder", false);
    row("missing input", {u"-c"_s, u"print(1)"_s, u"--stdin"_s, m_home.path(u"nowhere"_s)}, "There is no file", false);
    row("missing extra file", {u"-c"_s, u"print(1)"_s, u"--file"_s, m_home.path(u"nowhere"_s)}, "There is no file",
        false);
    row("extra file too large",
        {u"-c"_s, u"print(1)"_s, u"--disk"_s, u"1"_s, u"--file"_s,
         m_home.write(u"large"_s, QByteArray(2 * 1024 * 1024, 'x'))},
        "--disk", false);
    row("a line break in a name", {u"no\nsuch.py"_s}, "no\\nsuch.py", false);
    row("empty code", {u"-c"_s, u""_s}, "empty", true);
    row("empty file", {m_home.write(u"empty.py"_s, "")}, "empty", true);
    row("binary",
        {m_home.write(u"binary.py"_s, QByteArray("\x7f"
                                                 "ELF\0\1",
                                                 6))},
        "binary", true);
    row("not UTF-8", {m_home.write(u"latin1.py"_s, "print('\xfc')")}, "UTF-8", true);
    QFile::link(m_home.path(u"loop.py"_s), m_home.path(u"loop.py"_s));
    row("a link to itself", {m_home.path(u"loop.py"_s)}, "Name another file", false);
    row("too long", {m_home.write(u"long.py"_s, QByteArray(5'000'000, 'x'))}, "The code is larger than 4 MB.", true);
    row("language not to be told", {m_home.write(u"riddle.xyz"_s, "x")}, "For example: -l python", true);
}

void TestCliRun::badInputGetsASentenceAndNothingRuns()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    QFETCH(bool, isRecorded);
    const qsizetype before = m_home.runsOnRecord().size();
    const Ended ended = m_home.run(QStringList(u"run"_s) + arguments);
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.count('\n') == 1 && ended.err.contains(says), ended.err);
    const auto rows = m_home.runsOnRecord();
    QCOMPARE(rows.size() - before, isRecorded ? 1 : 0);
    if (isRecorded)
        QCOMPARE(rows.first().value("outcome"_L1).toString(), u"rejected"_s);
}

void TestCliRun::hugeCodeIsRefusedWithoutBeingRead()
{
    QFile huge(m_home.path(u"huge.py"_s));
    QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64(50) * 1024 * 1024 * 1024)); // sparse
    QElapsedTimer timer;
    timer.start();
    const Ended ended = m_home.run({u"run"_s, huge.fileName()});
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("MiB") || ended.err.contains("bytes") || ended.err.contains("large"), ended.err);
    QVERIFY(timer.elapsed() < 5000);
    huge.remove();
    const Ended endless = m_home.run({u"run"_s, u"-l"_s, u"sh"_s, u"/dev/zero"_s});
    QCOMPARE(endless.status, 125);
}

void TestCliRun::wrongUsageIsTwo_data()
{
    QTest::addColumn<QByteArrayList>("arguments");
    QTest::newRow("nothing") << QByteArrayList();
    QTest::newRow("unknown command") << QByteArrayList{"frobnicate"};
    QTest::newRow("unknown option") << QByteArrayList{"--frobnicate"};
    QTest::newRow("not text") << QByteArrayList{"\xff\xfe\x1b[2J"};
    QTest::newRow("half a command") << QByteArrayList{"audit"};
    QTest::newRow("wrong half") << QByteArrayList{"audit", "burn"};
    QTest::newRow("unknown option of run") << QByteArrayList{"run", "--gpu", "-c", "print(1)"};
    QTest::newRow("every host") << QByteArrayList{"run", "--allow", "*", "-c", "print(1)"};
    QTest::newRow("missing value") << QByteArrayList{"run", "-c"};
    QTest::newRow("out of range") << QByteArrayList{"run", "-t", "-5", "-c", "print(1)"};
    QTest::newRow("no language") << QByteArrayList{"run", "-l", "", "-c", "print(1)"};
    QTest::newRow("unknown language") << QByteArrayList{"run", "-l", "cobol", "-c", "x"};
    QTest::newRow("two sources") << QByteArrayList{"run", "-c", "print(1)", "x.py"};
    QTest::newRow("wrong usage and JSON") << QByteArrayList{"run", "--json", "-t", "x", "-c", "print(1)"};
    QTest::newRow("show two runs") << QByteArrayList{"audit", "show", "1", "2"};
    QTest::newRow("list with a word") << QByteArrayList{"audit", "list", "x"};
    QTest::newRow("limit zero") << QByteArrayList{"audit", "list", "--limit", "0"};
    QTest::newRow("unknown outcome") << QByteArrayList{"audit", "list", "--outcome", "superb"};
    QTest::newRow("help for nothing") << QByteArrayList{"help", "frobnicate"};
}

void TestCliRun::wrongUsageIsTwo()
{
    QFETCH(QByteArrayList, arguments);
    const Ended ended = m_home.runBytes(arguments);
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.contains("glovebox help") || ended.err.startsWith("Glovebox"), ended.err);
    QVERIFY(!ended.err.contains('\x1b'));
}

void TestCliRun::aMachineThatGivesLittleIsNoDisaster_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QByteArray>("says");
    for (const int files : {8, 10, 12, 14, 16, 20}) // each is missed by another part
        QTest::addRow("%d files", files) << u"ulimit -n %1"_s.arg(files) << QByteArray();
    QTest::newRow("few files for the launcher") << u"ulimit -n 30"_s << QByteArray("ulimit -n");
#ifndef __SANITIZE_THREAD__ // which writes to files of its own
    QTest::newRow("no size for files") << u"ulimit -f 0"_s << QByteArray("limits the size of files (ulimit -f)");
#ifndef __SANITIZE_ADDRESS__ // both need more before they come to main()
    QTest::newRow("little stack") << u"ulimit -s 64"_s << QByteArray("sudo prlimit --pid $$ --stack=8388608");
#endif
#endif
    if (::geteuid() == 0) // seen as root only: for others the namespace has a user to become
        QTest::newRow("root of a user namespace") << QString() << QByteArray("not as its root");
    QTest::newRow("no folder to be in") << u"mkdir gone; cd gone; rmdir ../gone"_s << QByteArray("started in is gone");
}

// Each has a sentence with the true reason, and the status that says that nothing ran.
void TestCliRun::aMachineThatGivesLittleIsNoDisaster()
{
    QFETCH(QString, before);
    QFETCH(QByteArray, says);
    const bool asRoot = before.isEmpty();
    const QString command = asRoot ? u"exec unshare -Ur \"$0\" run -l sh -c 'echo ran'"_s
                                   : before + u" && exec \"$0\" run -l sh -c 'echo ran'"_s;
    const bool mounts = before.startsWith(u"mkdir"_s);
    const Ended ended = bySh(command + (mounts ? u" --mount data:/mnt/data"_s : QString()));
    QVERIFY2(ended.status == (mounts ? 2 : 125), ended.err + ' ' + QByteArray::number(ended.status));
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.count('\n') == 1 && ended.err.contains(says), ended.err);
}

void TestCliRun::aStackThatMayGrowGrows()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const QString little = u"512"_s; // a sanitizer needs more before it comes to main()
#else
    const QString little = u"64"_s;
#endif
    const Ended ended = bySh(u"ulimit -S -s "_s + little + u" && exec \"$0\" run -c 'print(1)'"_s);
    QVERIFY2(ended.status == 0 && ended.out == "1\n", ended.err);
}

void TestCliRun::closedStandardStreamsAreNoDisaster()
{
    const Ended noInput = bySh(u"\"$0\" run -c 'import sys; print(len(sys.stdin.read()))' <&-"_s);
    QVERIFY2(noInput.status == 0, noInput.err);
    QCOMPARE(noInput.out, QByteArray("0\n"));
    QCOMPARE(bySh(u"\"$0\" run -c 'pass' >&- 2>&-"_s).status, 0);
    QCOMPARE(bySh(u"\"$0\" run -c 'print(1)' >&-"_s).status, 74);
}

void TestCliRun::aFullOutputDeviceIsTold()
{
    const auto process = m_home.program({u"run"_s, u"-c"_s, u"print('x' * 100); import time; time.sleep(60)"_s});
    process->setStandardOutputFile(u"/dev/full"_s);
    process->start();
    const Ended ended = finish(*process);
    QCOMPARE(ended.status, 74);
    QVERIFY2(ended.err.contains("No space left"), ended.err);
    QCOMPARE(m_home.runsOnRecord().first().value("outcome"_L1).toString(), u"cancelled"_s);
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_clirun.moc"
