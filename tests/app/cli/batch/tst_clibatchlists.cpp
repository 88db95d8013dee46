// SPDX-License-Identifier: Apache-2.0
// Lists that `glovebox batch` refuses: each problem is told with its place, and nothing runs.
#include "batchroom.h"

#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliBatchLists : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aLineCanOnlyAskForWhatOptionsGive_data();
    void aLineCanOnlyAskForWhatOptionsGive();
    void everyProblemIsToldBeforeAnythingRuns();
    void aPipeWithoutEndIsNotReadToItsEnd();
    void aHugeLineIsPassedOver();
    void aMillionTasksAreTheMost();
    void listsOfNoTextAreTold();
    void aListInAForbiddenFolderNamesNoFiles();
    void anotherListThanWasCheckedIsNeverRun();

private:
    QStringList batch(const QStringList &arguments) const { return QStringList{u"batch"_s} + arguments; }

    BatchRoom m_room;
};

void TestCliBatchLists::initTestCase()
{
    QVERIFY(QDir(m_room.at(u"."_s)).mkdir(u"lists"_s));
    m_room.write(u"outside.py"_s, "print('outside')");
    m_room.write(u"lists/inside.py"_s, "print('inside')");
    const auto inLists = [&](const QString &name) { return QFile::encodeName(m_room.at(u"lists/"_s + name)); };
    QCOMPARE(::symlink("../outside.py", inLists(u"link.py"_s).constData()), 0);
    QCOMPARE(::symlink("/etc", inLists(u"etc"_s).constData()), 0);
    QCOMPARE(::mkfifo(inLists(u"fifo.py"_s).constData(), 0666), 0);
}

void TestCliBatchLists::aLineCanOnlyAskForWhatOptionsGive_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const QByteArray &line, const QByteArray &says) {
        QTest::newRow(line.left(60)) << line << says;
    };
    row(R"-({"code": "1", "allow": ["example.org"]})-",
        "Line 2: Unknown field \"allow\". Only you give this to runs, all alike, with --allow.");
    row(R"-({"code": "1", "secrets": ["KEY"]})-", "Only you give this to runs, all alike, with --secret.");
    row(R"-({"code": "1", "mount": "/:/x"})-", "Only you give this to runs, all alike, with --mount.");
    row(R"-({"code": "1", "langage": "sh"})-", "Line 2: Unknown field \"langage\". Did you mean \"language\"?");
    row(R"-({"code": "1", "strict": false})-", "The fields are id, language, code, file, args, stdin, files, timeout.");
    row(R"-({"code": "1", "file": "inside.py"})-", "Line 2: A task has either \"code\" or \"file\".");
    row(R"-({"id": "x"})-", "Line 2: A task has either \"code\" or \"file\".");
    row(R"-({"code": 1})-", "Line 2: \"code\" takes a text.");
    row(R"-({"code": ""})-", "(line 2) can't run: The code is empty, so there is nothing to run.");
    row(R"-({"code": "1", "language": "cobol"})-", "Line 2: Unknown language \"cobol\".");
    row(R"-({"code": "1", "language": 3})-", "Line 2: \"language\" takes a text.");
    row(R"-({"file": ""})-", "Line 2: The name of a file is empty.");
    row(R"-({"code": "1", "args": "x"})-", "Line 2: \"args\" takes an array of texts.");
    row(R"-({"code": "1", "args": [1]})-", "Line 2: \"args\" takes a text.");
    row(R"-({"code": "1", "id": ""})-",
        "Line 2: \"id\" takes a whole number, or 1 to 200 characters that can be printed.");
    row(R"-({"code": "1", "id": "a\u001bb"})-", "Line 2: \"id\" takes");
    row(R"-({"code": "1", "timeout": 31})-",
        "Line 2: \"timeout\" is beyond the limit of this batch, 30 s. Allow more with -t TIME.");
    row(R"-({"code": "1", "timeout": "soon"})-", "\"timeout\" takes a number of seconds between");
    row(R"-({"code": "1", "timeout": true})-", "\"timeout\" takes a number of seconds between");
    row(R"-({"file": "../outside.py"})-", "Tasks get files only from the folder of their list.");
    row(R"-({"file": "/etc/passwd"})-", "Tasks get files only from the folder of their list.");
    row(R"-({"file": "link.py"})-", "Tasks get files only from the folder of their list.");
    row(R"-({"code": "1", "files": ["etc/passwd"]})-", "Tasks get files only from the folder of their list.");
    row(R"-({"file": "fifo.py"})-", "is not a regular file.");
    row(R"-({"file": "."})-", "is not a regular file.");
    row(R"-({"file": "none.py"})-", "can't be opened: No such file or directory.");
    row(R"-({"code": "1", "files": [{"name": "x", "path": "y"}]})-", "Unknown field \"path\" in \"files\".");
    row(R"-({"code": "1", "files": [{"name": "../x", "content": "y"}]})-",
        "(line 2) can't run: \"../x\" is not a file name.");
    row(R"-({"code": "1", "files": [{"name": "x", "content": "?", "encoding": "base64"}]})-", "is not base64.");
    row(R"-({"id": "first", "code": "1"})-",
        "The task \"first\" (line 2) has the id of another task. Give each its own.");
    row(R"-({"code": "1", "code": "2"})-", "Line 2, column 15: this name is there twice.");
    row(R"-({"code": "1")-", "Line 2, column 13: a comma or } is expected here.");
    row("[]", "Line 2, column 1: an object, {...}, is expected here.");
    row("{\"code\": \"\xff\"}", "Line 2, column 11: this is not valid UTF-8.");
}

void TestCliBatchLists::aLineCanOnlyAskForWhatOptionsGive()
{
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, says);
    const QString list =
        m_room.write(u"lists/tasks.jsonl"_s, "{\"id\": \"first\", \"code\": \"print('ran')\"}\n" + line + "\n");
    const Ended ended = m_room.home.run(batch({list}));
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.contains(says), ended.err);
    QVERIFY2(ended.err.contains(".jsonl") || line.contains("first"), ended.err);
    QVERIFY2(ended.err.endsWith("glovebox: Nothing ran.\n"), ended.err);
}

void TestCliBatchLists::everyProblemIsToldBeforeAnythingRuns()
{
    const QString good = m_room.write(u"good.py"_s, "print('ran')");
    const QString binary = m_room.write(u"binary.py"_s, QByteArray("\0\1\2", 3));
    const QString unknown = m_room.write(u"notes.txt"_s, "words");
    const QString list = m_room.write(u"two.jsonl"_s, "{}\n{\"code\": \"1\"}\n{\"cod\": 1}\n");
    const Ended ended = m_room.home.run(
        batch({good, m_room.at(u"a.py"_s), m_room.at(u"b.py"_s), binary, unknown, list, good, m_room.at(u"."_s)}));
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    for (const char *said :
         {"/a.py\". Check its name", "/b.py\". Check its name", "binary.py\" can't run: ", "notes.txt\" can't run: ",
          "two.jsonl: Line 1: ", "two.jsonl: Line 3: ", "good.py\" is named twice.", "is a folder."})
        QVERIFY2(ended.err.contains(said), ended.err);
    QCOMPARE(ended.err.count('\n'), 9);
    QVERIFY(m_room.home.runsOnRecord().isEmpty());
}

void TestCliBatchLists::aPipeWithoutEndIsNotReadToItsEnd()
{
    const auto program = m_room.home.program({u"-c"_s, u"yes | \"$0\" batch -"_s, programFile()});
    program->setProgram(u"/bin/sh"_s);
    program->start();
    const Ended ended = finish(*program);
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("standard input: Line 20, column 1: ") && !ended.err.contains("Line 21,"), ended.err);
    QVERIFY2(ended.err.contains("At least 980 more problems follow."), ended.err);
}

void TestCliBatchLists::aHugeLineIsPassedOver()
{
    const QByteArray list = "{\"code\": \"" + QByteArray(40'000'000, 'x')
                            + "\"}\n{\"code\": 2}\n{\"code\": \"" // of the code's limit
                            + QByteArray(5'000'000, 'x') + "\"}\n";
    const Ended ended = m_room.home.run(batch({u"-"_s}), list);
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("Line 1: more than 32 MB. Put the code in a file, and name it with \"file\"."),
             ended.err.left(4000));
    QVERIFY2(ended.err.contains("Line 2: \"code\" takes a text."), ended.err.left(4000));
    QVERIFY2(ended.err.contains("(line 3) can't run: "), ended.err.left(4000));
}

void TestCliBatchLists::aMillionTasksAreTheMost()
{
    const Ended ended = m_room.home.run(batch({u"-"_s}), QByteArray("{\"code\":\"1\"}\n").repeated(1'000'001));
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("The batch has more than 1000000 tasks. Split it."), ended.err.left(4000));
    QVERIFY(m_room.home.runsOnRecord().isEmpty());
}

void TestCliBatchLists::listsOfNoTextAreTold()
{
    Ended ended = m_room.home.run(batch({m_room.write(u"empty.jsonl"_s, {})}));
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.err, QByteArray("glovebox: There are no tasks to run: the list is empty.\n"));
    ended = m_room.home.run(batch({m_room.write(u"binary.jsonl"_s, QByteArray("\x7f"
                                                                              "ELF\0\0\n\n\n",
                                                                              9))}));
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("binary.jsonl\" is binary data, as line 1 has a zero byte. Name a list of JSON lines."),
             ended.err);
    QCOMPARE(ended.err.count('\n'), 2);
}

void TestCliBatchLists::aListInAForbiddenFolderNamesNoFiles()
{
    m_room.home.write(u"mine.py"_s, "print(1)"); // beside Glovebox's own data
    const QString list = m_room.home.write(u"list.jsonl"_s, R"-({"file": "mine.py"})-");
    Ended ended = m_room.home.run(batch({list}));
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("Line 1: ") && ended.err.contains("can't be shown to a run: "), ended.err);
    m_room.home.write(u"list.jsonl"_s, "{\"code\": \"print(2)\"}");
    QCOMPARE(m_room.home.run(batch({list})).out, QByteArray("2\n"));
}

void TestCliBatchLists::anotherListThanWasCheckedIsNeverRun()
{
    const QString list = m_room.write(
        u"edited.jsonl"_s, "{\"code\": \"" + QByteArray(BatchRoom::marking("first", "gate")).replace("\n", "\\n")
                               + "\"}\n{\"code\": \"print('checked')\"}\n");
    const auto program = m_room.home.program(batch(QStringList{u"-j1"_s, list} + m_room.showsMarks()));
    program->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_room.marks(u"first"_s), 1, 30000);
    m_room.write(u"edited.jsonl"_s, "{\"code\": \"print('edited')\"}\n{\"code\": \"print('edited')\"}\n");
    m_room.mark(u"gate"_s);
    const Ended ended = finish(*program);
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.out, QByteArray("first\nchecked\n"));
}

QTEST_GUILESS_MAIN(TestCliBatchLists)
#include "tst_clibatchlists.moc"
