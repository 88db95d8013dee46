// SPDX-License-Identifier: Apache-2.0
// A batch that is stopped, killed or can't write goes on with --resume: what was told as done never runs again, and nothing is missing.
#include "batchroom.h"
#include "tests/support/signals.h"

#include <QDirIterator>
#include <QJsonDocument>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliBatchResume : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_room = std::make_unique<BatchRoom>(); }
    void signalsCancelAndResumeGoesOn_data();
    void signalsCancelAndResumeGoesOn();
    void killNineRunsAgainOnlyWhatWasUnderWay();
    void whatNobodyReadIsShownByTheNext_data();
    void whatNobodyReadIsShownByTheNext();
    void failedTasksRunAgainOnlyWhenAskedFor();
    void changedTasksRunAgain();
    void aTornJournalLosesOneTask_data();
    void aTornJournalLosesOneTask();
    void otherFilesAreNoJournal_data();
    void otherFilesAreNoJournal();
    void aJournalIsNeverOverwritten();
    void twoBatchesDontShareAJournal();
    void theUsualJournalBeginsAgainWithoutResume();
    void anUnusedJournalIsRemovedAfterThirtyDays();
    void aListOnStandardInputIsKnownByItsContent();
    void aFullDiskStopsTheBatch();

private:
    // Tasks that leave a mark and print their name; the last of these waits for the mark "gate".
    QString listOf(const QByteArrayList &names) const;
    QStringList batch(const QStringList &arguments) const
    {
        return QStringList{u"batch"_s, u"-j1"_s} + arguments + m_room->showsMarks();
    }
    Ended run(const QStringList &arguments) const { return m_room->home.run(batch(arguments)); }
    QByteArray journal() const
    {
        QFile file(m_room->at(u"journal"_s));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<BatchRoom> m_room;
};

QString TestCliBatchResume::listOf(const QByteArrayList &names) const
{
    QByteArray list;
    for (const QByteArray &name : names) {
        const QString code = QString::fromUtf8(BatchRoom::marking(name, name == names.last() ? "gate" : ""));
        list += QJsonDocument(QJsonObject{{u"id"_s, QString::fromUtf8(name)}, {u"code"_s, code}})
                    .toJson(QJsonDocument::Compact)
                + '\n';
    }
    return m_room->write(u"list.jsonl"_s, list);
}

void TestCliBatchResume::signalsCancelAndResumeGoesOn_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

void TestCliBatchResume::signalsCancelAndResumeGoesOn()
{
    QFETCH(int, signal);
    const QString list = listOf({"a", "b"});
    const QString later = m_room->write(u"later.py"_s, "print('later')");
    const auto program = m_room->home.program(batch({u"-k"_s, list, later}));
    program->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_room->marks(u"b"_s), 1, 30000);
    sendSignal(program->processId(), signal);
    Ended ended = finish(*program);
    QCOMPARE(ended.status, 128 + signal);
    QCOMPARE(ended.out, QByteArray("a\n"));
    QVERIFY2(ended.err.contains("3 tasks: 1 completed, 1 cancelled, 1 not started; "), ended.err);
    QVERIFY2(ended.err.endsWith("glovebox: Run the same command with --resume to go on.\n"), ended.err);
    QCOMPARE(m_room->home.runsOnRecord().value(0).value("outcome"_L1).toString(), u"cancelled"_s);

    m_room->mark(u"gate"_s);
    ended = run({list, later, u"--resume"_s});
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.out, QByteArray("b\nlater\n"));
    QVERIFY2(ended.err.contains("[2/3] b: ") && ended.err.contains("3 tasks: 1 done before, 2 completed; "), ended.err);
    QCOMPARE(m_room->marks(u"a"_s), 1);
}

void TestCliBatchResume::killNineRunsAgainOnlyWhatWasUnderWay()
{
    const QString list = listOf({"a", "b", "c"});
    const auto program = m_room->home.program(batch({list, u"--json"_s}));
    program->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_room->marks(u"c"_s), 1, 30000);
    sendSignal(program->processId(), SIGKILL);
    const Ended killed = finish(*program);
    QCOMPARE(killed.status, 128 + SIGKILL);
    QCOMPARE(killed.out.count('\n'), 2);

    m_room->mark(u"gate"_s);
    const Ended ended = run({list, u"--resume"_s, u"--json"_s});
    QCOMPARE(ended.status, 0);
    QCOMPARE(ended.json()["task"_L1]["id"_L1].toString(), u"c"_s); // alone
    QCOMPARE(m_room->marks(u"a"_s), 1);
    QCOMPARE(m_room->marks(u"b"_s), 1);
    QCOMPARE(m_room->marks(u"c"_s), 2);
    QVERIFY(!ended.err.contains("killed"));
    // All is done now, as often as it is asked for.
    const Ended again = run({list, u"--resume"_s});
    QCOMPARE(again.status, 0);
    QCOMPARE(again.out, QByteArray());
    QVERIFY2(again.err.contains("3 tasks: 3 done before; "), again.err);
}

void TestCliBatchResume::whatNobodyReadIsShownByTheNext_data()
{
    QTest::addColumn<bool>("isJson");
    QTest::addColumn<bool>("isResumedAsJson");
    QTest::newRow("output") << false << false;
    QTest::newRow("JSON") << true << true;
    QTest::newRow("another form") << false << true;
}

// As after a kill between a task's entry in the journal and its output.
void TestCliBatchResume::whatNobodyReadIsShownByTheNext()
{
    QFETCH(bool, isJson);
    QFETCH(bool, isResumedAsJson);
    const QString list = listOf({"a", "b"});
    m_room->mark(u"gate"_s);
    const auto program = m_room->home.program(batch(isJson ? QStringList{list, u"--json"_s} : QStringList{list}));
    program->setChildProcessModifier([] { BatchRoom::breakDescriptor(STDOUT_FILENO); });
    program->start();
    QCOMPARE(finish(*program).status, 128 + SIGPIPE);
    QCOMPARE(m_room->marks(u"a"_s), 1);

    const QStringList resuming =
        isResumedAsJson ? QStringList{list, u"--resume"_s, u"--json"_s} : QStringList{list, u"--resume"_s};
    const Ended ended = run(resuming);
    QCOMPARE(ended.status, 0);
    QCOMPARE(m_room->marks(u"a"_s), 1);
    if (isJson) {
        QCOMPARE(ended.out.count('\n'), 2);
        QCOMPARE(QJsonDocument::fromJson(ended.out.split('\n')[0]).object()["stdout"_L1].toString(), u"a\n"_s);
    } else if (isResumedAsJson) { // it can only be named
        QCOMPARE(ended.json()["task"_L1]["id"_L1].toString(), u"b"_s);
        QVERIFY2(ended.err.contains("perhaps before it showed the output of one task: glovebox audit show "),
                 ended.err);
    } else {
        QCOMPARE(ended.out, QByteArray("a\nb\n"));
        QVERIFY2(ended.err.contains("[1/2] a: completed"), ended.err);
    }
    const Ended again = run(resuming);
    QCOMPARE(again.status, 0);
    QCOMPARE(again.out, QByteArray()); // once
    QVERIFY2(again.err.startsWith("glovebox: 2 tasks: 2 done before; "), again.err);
}

void TestCliBatchResume::failedTasksRunAgainOnlyWhenAskedFor()
{
    const QString bad = m_room->write(u"bad.py"_s, BatchRoom::marking("bad") + "exit(3)");
    const QString good = m_room->write(u"good.py"_s, BatchRoom::marking("good"));
    QCOMPARE(run({bad, good}).status, 1);
    Ended ended = run({bad, good, u"--resume"_s});
    QCOMPARE(ended.status, 1); // of all of the batch
    QCOMPARE(ended.out, QByteArray("good\n"));
    QVERIFY2(ended.err.contains("2 tasks: 1 done before (1 of them failed), 1 completed; "), ended.err);
    QCOMPARE(m_room->marks(u"bad"_s), 1);
    ended = run({bad, good, u"--resume-failed"_s});
    QCOMPARE(ended.status, 1);
    QCOMPARE(ended.out, QByteArray("bad\n"));
    QCOMPARE(m_room->marks(u"bad"_s), 2);
    QCOMPARE(m_room->marks(u"good"_s), 1);
}

void TestCliBatchResume::changedTasksRunAgain()
{
    m_room->write(u"list.jsonl"_s,
                  "{\"id\": 1, \"code\": \"print(1)\"}\n{\"id\": 2, \"code\": \"print(2)\", \"stdin\": \"x\"}\n"
                  "{\"id\": 3, \"code\": \"print(3)\", \"args\": [\"ab\"]}\n");
    const QString list = m_room->at(u"list.jsonl"_s);
    QCOMPARE(run({list}).out, QByteArray("1\n2\n3\n"));
    m_room->write(u"list.jsonl"_s, "{\"id\": 0, \"code\": \"print(0)\"}\n{\"id\": 1, \"code\": \"print(1)\"}\n"
                                   "{\"id\": 2, \"code\": \"print(2)\", \"stdin\": \"y\"}\n"
                                   "{\"id\": 3, \"code\": \"print(3)\", \"args\": [\"a\", \"b\"]}\n");
    const Ended ended = run({list, u"--resume"_s});
    QCOMPARE(ended.out, QByteArray("0\n2\n3\n"));
    QVERIFY2(ended.err.contains("2 tasks changed since then and run again."), ended.err);
}

void TestCliBatchResume::aTornJournalLosesOneTask_data()
{
    QTest::addColumn<int>("bytes"); // that are gone
    QTest::newRow("line break") << 1;
    QTest::newRow("half of the line") << 60;
}

void TestCliBatchResume::aTornJournalLosesOneTask()
{
    QFETCH(int, bytes);
    const QString list = listOf({"a", "b"});
    m_room->mark(u"gate"_s);
    const QStringList arguments{list, u"--journal"_s, m_room->at(u"journal"_s)};
    QCOMPARE(run(arguments).status, 0);
    const QByteArray whole = journal();
    QCOMPARE(whole.count('\n'), 3); // and nothing that was shown
    m_room->write(u"journal"_s, whole.chopped(bytes));
    QCOMPARE(run(arguments + QStringList{u"--resume"_s}).out, QByteArray("b\n"));
    QCOMPARE(journal().count('\n'), 3);
    // One that was torn when it was made.
    m_room->write(u"journal"_s, whole.first(5));
    QCOMPARE(run(arguments + QStringList{u"--resume"_s}).out, QByteArray("a\nb\n"));
}

void TestCliBatchResume::otherFilesAreNoJournal_data()
{
    QTest::addColumn<QByteArray>("content"); // HEADER stands for the journal's
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("text") << QByteArray("a text\n") << QByteArray("is not a journal of a batch.");
    QTest::newRow("text without a line break") << QByteArray("a text") << QByteArray("is not a journal of a batch.");
    QTest::newRow("JSON") << QByteArray("{}\n") << QByteArray("is not a journal of a batch.");
    QTest::newRow("newer") << QByteArray("{\"glovebox_batch\":2}\n") << QByteArray("A newer version wrote the journal");
    QTest::newRow("damaged") << QByteArray("HEADERjunk\n") << QByteArray("Line 2 of the journal");
    QTest::newRow("of others") << QByteArray(
        "HEADER{\"digest\":\"00\",\"id\":\"x\",\"outcome\":\"completed\",\"run\":\"\"}\n")
                               << QByteArray("is of other tasks. Name the right one with --journal");
    QTest::newRow("output of no task") << QByteArray(
        "HEADER{\"digest\":\"00\",\"id\":\"x\",\"outcome\":\"completed\",\"run\":\"\",\"output\":[]}\n")
                                       << QByteArray("is of other tasks. Name the right one with --journal");
}

void TestCliBatchResume::otherFilesAreNoJournal()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, says);
    const QString list = listOf({"a"});
    m_room->mark(u"gate"_s);
    content.replace("HEADER", "{\"glovebox_batch\":1}\n");
    const QString file = m_room->write(u"journal"_s, content);
    const Ended ended = run({list, u"--journal"_s, file, u"--resume"_s});
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains(says), ended.err);
    QCOMPARE(journal(), content);
    QCOMPARE(m_room->marks(u"a"_s), 0);
    QVERIFY2(run({list, u"--journal"_s, u"/dev/full"_s}).err.contains("is not a regular file."), "/dev/full");
}

void TestCliBatchResume::aJournalIsNeverOverwritten()
{
    const QString list = listOf({"a"});
    m_room->mark(u"gate"_s);
    const QStringList arguments{list, u"--journal"_s, m_room->at(u"journal"_s)};
    const Ended first = run(arguments + QStringList{u"--resume"_s}); // as scripts always say
    QCOMPARE(first.status, 0);
    QVERIFY2(first.err.contains("There is no journal of this batch, so all tasks run."), first.err);
    const QByteArray before = journal();
    const Ended ended = run(arguments);
    QCOMPARE(ended.status, 125);
    QVERIFY2(ended.err.contains("has ended tasks. Skip these with --resume, or name another file."), ended.err);
    QCOMPARE(journal(), before);
}

void TestCliBatchResume::twoBatchesDontShareAJournal()
{
    const QString list = listOf({"a"});
    const auto program = m_room->home.program(batch({list, u"-q"_s}));
    program->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_room->marks(u"a"_s), 1, 30000);
    const Ended resumed = run({list, u"--resume"_s});
    QCOMPARE(resumed.status, 125);
    QVERIFY2(resumed.err.contains("Another batch writes the journal"), resumed.err);
    const auto second = m_room->home.program(batch({list}));
    second->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_room->marks(u"a"_s), 2, 30000);
    m_room->mark(u"gate"_s);
    const Ended ended = finish(*second);
    QCOMPARE(ended.status, 0);
    QVERIFY2(ended.err.contains("Another batch of the same files is running, so --resume can't resume this one."),
             ended.err);
    QCOMPARE(finish(*program).status, 0);
}

void TestCliBatchResume::theUsualJournalBeginsAgainWithoutResume()
{
    const QString list = listOf({"a"});
    m_room->mark(u"gate"_s);
    QCOMPARE(run({list}).status, 0);
    QCOMPARE(run({list}).status, 0);
    QCOMPARE(m_room->marks(u"a"_s), 2);
    QCOMPARE(run({list, u"--resume"_s}).status, 0);
    QCOMPARE(m_room->marks(u"a"_s), 2);
    const QDir batches(m_room->home.path(u"data/batches"_s));
    QCOMPARE(batches.entryList(QDir::Files).size(), 1);
    QCOMPARE(QFileInfo(batches.path()).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

void TestCliBatchResume::anUnusedJournalIsRemovedAfterThirtyDays()
{
    const QString code = m_room->write(u"one.py"_s, "print(1)");
    QCOMPARE(run({code}).status, 0);
    const QString other = m_room->write(u"other.py"_s, "print(2)");
    QStringList journals;
    QDirIterator files(m_room->home.path(), {u"*.jsonl"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        journals.append(files.next());
    QCOMPARE(journals.size(), 1);
    for (const auto &[days, isThere] : {std::pair(29, true), std::pair(31, false)}) {
        QProcess::execute(u"touch"_s, {u"-d"_s, u"%1 days ago"_s.arg(days), journals.first()});
        QCOMPARE(run({other}).status, 0);
        QCOMPARE(QFile::exists(journals.first()), isThere);
    }
}

void TestCliBatchResume::aListOnStandardInputIsKnownByItsContent()
{
    const QByteArray list = "{\"code\": \"print(1)\"}\n";
    QCOMPARE(m_room->home.run(batch({u"-"_s}), list).out, QByteArray("1\n"));
    QCOMPARE(m_room->home.run(batch({u"-"_s, u"--resume"_s}), list).out, QByteArray());
    QCOMPARE(m_room->home.run(batch({u"-"_s, u"--resume"_s}), list + list).out, QByteArray("1\n1\n"));
}

void TestCliBatchResume::aFullDiskStopsTheBatch()
{
    // More than this goes into no file, nor does what a megabyte on each stream becomes in the journal.
    constexpr rlim_t most = 2'500'000;
    const QByteArray much = "import sys\nsys.stdout.write('x' * 1000000); sys.stderr.write('x' * 1000000)\n";
    const QString first = m_room->write(u"first.py"_s, much);
    const QString second = m_room->write(u"second.py"_s, "print('second')");
    const QStringList arguments{first, second, u"--journal"_s, m_room->at(u"journal"_s)};
    const auto program = m_room->home.program(batch(arguments));
    program->setChildProcessModifier([] {
        const rlimit limit{most, most};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    program->start();
    const Ended ended = finish(*program);
    QCOMPARE(ended.status, 74);
    QCOMPARE(ended.out.count('x'), 1'000'000); // it ran, and was shown
    QVERIFY2(ended.err.right(2000).contains("The journal \""), ended.err.right(2000));
    QVERIFY2(ended.err.right(2000).contains("2 tasks: 1 completed, 1 not started; "), ended.err.right(2000));
    const Ended resumed = run(arguments + QStringList{u"--resume"_s});
    QCOMPARE(resumed.status, 0);
    QVERIFY2(resumed.out.endsWith("second\n"), resumed.out.right(100));
}

QTEST_GUILESS_MAIN(TestCliBatchResume)
#include "tst_clibatchresume.moc"
