// SPDX-License-Identifier: Apache-2.0
// `glovebox batch`: what runs at once, what is shown of it, and how it ends.
#include "batchroom.h"

#include "tests/app/cli/terminal/desk.h"

#include <QJsonDocument>
#include <QTest>
#include <QThread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliBatch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void filesAreTasksWithOutputInOnePiece();
    void asManyRunAtOnceAsJobs();
    void asManyRunAtOnceAsProcessorsOrTheSetting();
    void oneJobKeepsTheOrder();
    void theFirstFailureStopsTheBatch();
    void aBatchThatKeepsGoingTellsEachOutcome();
    void tasksOfAListGetWhatTheirLineSays();
    void jsonIsALineATask();
    void argumentsAndFilesOfTheCommandAreForAll();
    void filesOfAListAreThoseOfItsFolder();
    void quietSaysNothingOfSuccess();
    void aTerminalHasALineOfProgress();
    void withoutStandardErrorItGoesOn();
    void wrongUsageIsTold_data();
    void wrongUsageIsTold();

private:
    static QStringList batch(const QStringList &arguments) { return QStringList{u"batch"_s} + arguments; }

    BatchRoom m_room;
};

void TestCliBatch::filesAreTasksWithOutputInOnePiece()
{
    const QByteArray lines =
        "import sys, time\nfor i in range(5):\n    print(sys.argv[0][-4], flush=True)\n    time.sleep(0.05)\n";
    const QString a = m_room.write(u"a.py"_s, lines + "print('err', file=sys.stderr)");
    const QString b = m_room.write(u"b.py"_s, lines);
    const QString c = m_room.write(u"c.sh"_s, "for i in 1 2 3 4 5; do echo c; sleep 0.05; done");
    const Ended ended = m_room.home.run(batch({u"-j"_s, u"3"_s, a, b, c}));
    QCOMPARE(ended.status, 0);
    // Each in one piece, in any order.
    const QByteArray unmixed = QByteArray(ended.out).replace("n\nn\nn\nn\nn\n", "P").replace("c\nc\nc\nc\nc\n", "C");
    QVERIFY2(QByteArrayList({"PPC", "PCP", "CPP"}).contains(unmixed), ended.out);
    QVERIFY2(ended.err.contains("/3] " + a.toUtf8() + ": completed (0."), ended.err);
    QVERIFY2(ended.err.contains("\nerr\n"), ended.err);
    QVERIFY2(ended.err.contains("glovebox: 3 tasks: 3 completed; "), ended.err);
    QVERIFY(!ended.err.contains('\r'));
    QCOMPARE(m_room.home.runsOnRecord().size(), 3);
}

void TestCliBatch::asManyRunAtOnceAsJobs()
{
    // Each ends only when the other is there, too.
    const QString a = m_room.write(u"one.py"_s, BatchRoom::marking("one", "two"));
    const QString b = m_room.write(u"two.py"_s, BatchRoom::marking("two", "one"));
    QCOMPARE(m_room.home.run(batch(QStringList{u"-j2"_s, a, b} + m_room.showsMarks())).status, 0);
    // With one at a time, the first waits for a second that never starts.
    const QString first = m_room.write(u"first.py"_s, BatchRoom::marking("first", "second"));
    const QString second = m_room.write(u"second.py"_s, BatchRoom::marking("second"));
    const Ended ended =
        m_room.home.run(batch(QStringList{u"-j"_s, u"1"_s, u"-t"_s, u"1"_s, first, second} + m_room.showsMarks()));
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains("2 tasks: 1 timed out, 1 not started"), ended.err);
    QCOMPARE(m_room.marks(u"second"_s), 0);
}

void TestCliBatch::asManyRunAtOnceAsProcessorsOrTheSetting()
{
    const QString a = m_room.write(u"left.py"_s, BatchRoom::marking("left", "right"));
    const QString b = m_room.write(u"right.py"_s, BatchRoom::marking("right", "left"));
    const QStringList both = batch(QStringList{a, b} + m_room.showsMarks());
    if (QThread::idealThreadCount() > 1)
        QCOMPARE(m_room.home.run(both).status, 0);
    const QString first = m_room.write(u"head.py"_s, BatchRoom::marking("head", "tail"));
    const QString second = m_room.write(u"tail.py"_s, BatchRoom::marking("tail"));
    qputenv("GLOVEBOX_ENGINE_MAX_CONCURRENT", "1");
    const Ended ended = m_room.home.run(batch(QStringList{u"-t"_s, u"1"_s, first, second} + m_room.showsMarks()));
    qunsetenv("GLOVEBOX_ENGINE_MAX_CONCURRENT");
    QCOMPARE(ended.status, 1);
    QCOMPARE(m_room.marks(u"tail"_s), 0);
}

void TestCliBatch::oneJobKeepsTheOrder()
{
    QByteArray list, expected;
    for (int i = 0; i < 6; ++i) {
        const QByteArray slow = i % 2 == 0 ? "import time; time.sleep(0.2); " : ""; // a next one would overtake it
        list += "{\"code\": \"" + slow + "print(" + QByteArray::number(i) + ")\"}\n";
        expected += QByteArray::number(i) + '\n';
    }
    const Ended ended = m_room.home.run(batch({u"-"_s, u"--jobs"_s, u"1"_s}), list);
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.out, expected);
}

void TestCliBatch::theFirstFailureStopsTheBatch()
{
    const QString a = m_room.write(u"good.py"_s, "print('good')");
    const QString b = m_room.write(u"bad.sh"_s, "echo bad; exit 3");
    const QString c = m_room.write(u"later.py"_s, "print('later')");
    const Ended ended = m_room.home.run(batch({u"-j1"_s, a, b, c}));
    QCOMPARE(ended.status, 1);
    QCOMPARE(ended.out, QByteArray("good\nbad\n"));
    QVERIFY2(ended.err.contains("[2/3] " + b.toUtf8() + ": failed with status 3 ("), ended.err);
    QVERIFY2(ended.err.contains("3 tasks: 1 completed, 1 failed, 1 not started; "), ended.err);
    QVERIFY2(ended.err.contains("The first failure stopped the batch. --resume goes on, --keep-going runs all."),
             ended.err);
}

void TestCliBatch::aBatchThatKeepsGoingTellsEachOutcome()
{
    const QString bad = m_room.write(u"bad2.sh"_s, "exit 3");
    const QString endless = m_room.write(u"endless.py"_s, "while True: pass");
    const QString killed = m_room.write(u"killed.sh"_s, "kill -9 $$");
    const QString good = m_room.write(u"good2.py"_s, "print('good')");
    Ended ended = m_room.home.run(batch({u"-j1"_s, u"-k"_s, u"-t"_s, u"500ms"_s, bad, endless, killed, good}));
    QCOMPARE(ended.status, 1);
    QCOMPARE(ended.out, QByteArray("good\n"));
    QVERIFY2(ended.err.contains("4 tasks: 1 completed, 1 failed, 1 ended by a signal, 1 timed out; "), ended.err);
    QVERIFY2(ended.err.contains("Allow more with -t TIME."), ended.err);
    QVERIFY(!ended.err.contains("The first failure"));

    // A task that can't run is worse than one that fails.
    const QString secret = u"--secret"_s;
    ended = m_room.home.run(batch({u"-k"_s, bad, good, secret, u"NO_SUCH_SECRET"_s}));
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("NO_SUCH_SECRET"), ended.err);
}

void TestCliBatch::tasksOfAListGetWhatTheirLineSays()
{
    QByteArray list =
        R"-({"id": "words", "code": "import sys; print(sys.argv[1:], input())", "args": ["a b", ""], "stdin": "in\n"})-";
    list.prepend("\xef\xbb\xbf"); // as editors on Windows begin a file
    list += "\r\n\n";
    list += R"-({"id": 7, "language": "sh", "code": "cat one two; echo $1", "timeout": "20s", )-";
    list +=
        R"-("files": [{"name": "one", "content": "1\n"}, {"name": "two", "content": "Mgo=", "encoding": "base64"}]})-";
    list += '\n';
    list += R"-({"code": "#!/bin/bash\necho ${BASH_VERSION:+bash}", "timeout": 1})-"; // without a line break
    const Ended ended = m_room.home.run(batch({u"-"_s, u"-j1"_s}), list);
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray("['a b', ''] in\n1\n2\n\nbash\n"));
    for (const char *id : {"[1/3] words: ", "[2/3] 7: ", "[3/3] -:4: "})
        QVERIFY2(ended.err.contains(id), ended.err);

    // More input than a pipe, or the engine, holds at once.
    QByteArray much = R"-({"code": "import sys, time; time.sleep(0.2); print(len(sys.stdin.read()))", "stdin": "-)-";
    much.chop(1);
    much += QByteArray(3'000'000, 'x') + "\"}";
    QCOMPARE(m_room.home.run(batch({u"-"_s}), much).out, QByteArray("3000000\n"));
}

void TestCliBatch::jsonIsALineATask()
{
    const QString a = m_room.write(u"j.py"_s, "print('out')");
    const QString list = m_room.write(u"j.ndjson"_s, "\n{\"id\": \"x\", \"code\": \"exit(4)\"}\n");
    const Ended ended = m_room.home.run(batch({a, list, u"--json"_s, u"-j1"_s})); // held to the contract, too
    QCOMPARE(ended.status, 1);
    const QByteArrayList lines = ended.out.split('\n');
    QCOMPARE(lines.size(), 3);
    const QJsonObject first = QJsonDocument::fromJson(lines[0]).object();
    const QJsonObject second = QJsonDocument::fromJson(lines[1]).object();
    QCOMPARE(first["stdout"_L1].toString(), u"out\n"_s);
    QCOMPARE(first["task"_L1], (QJsonValue(QJsonObject{{u"id"_s, a}, {u"index"_s, 1}, {u"line"_s, QJsonValue()}})));
    QCOMPARE(second["exit_code"_L1].toInt(), 4);
    QCOMPARE(second["task"_L1], (QJsonValue(QJsonObject{{u"id"_s, u"x"_s}, {u"index"_s, 2}, {u"line"_s, 2}})));
    QVERIFY2(ended.err.startsWith("glovebox: 2 tasks: 1 completed, 1 failed; "), ended.err);
}

void TestCliBatch::argumentsAndFilesOfTheCommandAreForAll()
{
    const QString data = m_room.write(u"data.txt"_s, "data\n");
    const QString a = m_room.write(u"plain"_s, "cat data.txt; echo $@");
    const Ended ended = m_room.home.run(batch({u"-l"_s, u"sh"_s, u"--file"_s, data, a, u"--"_s, u"-x"_s, u"y"_s}));
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray("data\n-x y\n"));
}

void TestCliBatch::filesOfAListAreThoseOfItsFolder()
{
    m_room.write(u"listed.py"_s, "print(open('listed.txt').read())");
    m_room.write(u"listed.txt"_s, "text");
    const QString list = m_room.write(u"listed.jsonl"_s, R"({"file": "listed.py", "files": ["listed.txt"]})");
    const Ended ended = m_room.home.run(batch({list}));
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(ended.out, QByteArray("text\n"));
}

void TestCliBatch::quietSaysNothingOfSuccess()
{
    const QString good = m_room.write(u"good3.py"_s, "print('good')");
    const QString bad = m_room.write(u"bad3.sh"_s, "exit 3");
    const Ended quiet = m_room.home.run(batch({u"-q"_s, good}));
    QCOMPARE(quiet.err, QByteArray());
    QCOMPARE(quiet.out, QByteArray("good\n"));
    const QByteArray err = m_room.home.run(batch({u"-qj1"_s, good, bad})).err; // letters can be put together
    QVERIFY2(err.contains("bad3.sh: failed with status 3") && !err.contains("good3.py"), err);
}

void TestCliBatch::aTerminalHasALineOfProgress()
{
    qputenv("TERM", "xterm");
    const QString a = m_room.write(u"p1.py"_s, BatchRoom::marking("p1"));
    const QString b = m_room.write(u"p2.sh"_s, "printf 'no line end\\033[2J'; exit 1");
    const QString c = m_room.write(u"p3.py"_s, BatchRoom::marking("p3", "gate"));
    Desk desk(m_room.home, batch(QStringList{u"-j1"_s, u"-k"_s, a, b, c} + m_room.showsMarks()));
    QVERIFY2(desk.waitFor("2 of 3 done, 1 failed, 1 running"), desk.seen);
    QVERIFY2(desk.seen.contains("\r\x1b[K"), desk.seen);
    QVERIFY2(desk.seen.contains("no line end\\x1b[2J\r\n"),
             desk.seen); // what controls is shown, and a line of ours begins one
    m_room.mark(u"gate"_s);
    QCOMPARE(desk.status(), 1);
    QVERIFY2(desk.seen.endsWith(" s\r\n"), desk.seen);
    QVERIFY2(desk.seen.sliced(desk.seen.lastIndexOf("1 running")).contains("\r\x1b[Kglovebox: [3/3]"),
             desk.seen); // it is gone
}

void TestCliBatch::withoutStandardErrorItGoesOn()
{
    const QString a = m_room.write(u"e1.py"_s, "print(1)");
    const QString b = m_room.write(u"e2.py"_s, "print(2)");
    const auto program = m_room.home.program(batch({u"-j1"_s, a, b}));
    program->setChildProcessModifier([] { BatchRoom::breakDescriptor(STDERR_FILENO); });
    program->start();
    const Ended ended = finish(*program);
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.out, QByteArray("1\n2\n"));
}

void TestCliBatch::wrongUsageIsTold_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const QStringList &arguments, const QByteArray &says) {
        QTest::newRow(qPrintable(arguments.join(u' '))) << arguments << says;
    };
    row({}, "Name files of code, lists of tasks (.jsonl), or \"-\".");
    row({QString()}, "The name of a file is empty (an unset variable?).");
    row({u"-j"_s, u"0"_s, u"a.py"_s}, "-j takes a whole number of tasks between 1 and 256, not \"0\".");
    row({u"--journal"_s, QString(), u"a.py"_s}, "--journal takes the name of a file, not nothing.");
    row({u"-c"_s, u"print(1)"_s}, "Unknown option -c. A list has code in its lines: echo ");
    row({u"a.py"_s, u"--tty"_s}, "Unknown option --tty. Tasks of a batch have no terminal.");
    row({u"a.py"_s, u"--resum"_s}, "Unknown option --resum. Did you mean --resume?");
    row({u"a.py"_s, u"--mount"_s, u"x"_s}, "--mount takes HOST:PATH");
}

void TestCliBatch::wrongUsageIsTold()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const Ended ended = m_room.home.run(batch(arguments));
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.contains(says), ended.err);
    QCOMPARE(ended.out, QByteArray());
}

QTEST_GUILESS_MAIN(TestCliBatch)
#include "tst_clibatch.moc"
