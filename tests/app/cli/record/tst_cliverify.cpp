// SPDX-License-Identifier: Apache-2.0
// `glovebox audit verify` says what isn't as it was written, and its last line shows later what was changed since.
#include "tests/app/cli/program.h"
#include "tests/app/cli/terminal/desk.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QByteArray bytesIn(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestCliVerify : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<Home>();
        for (const char *code : {"print('one')", "print('two')", "print('three')"})
            QCOMPARE(m_home->run({u"run"_s, u"-c"_s, QString::fromLatin1(code)}).status, 0);
    }

    void aLogAsItWasWrittenIsWhole()
    {
        const Ended first = verify();
        QCOMPARE(first.status, 0);
        QCOMPARE(first.err, QByteArray());
        QVERIFY2(first.out.contains("The log has 7 entries, from 2")
                     && first.out.contains("Code and output of 3 runs are as they were written.\n"),
                 first.out);
        const QString line = lineOf(first);
        QVERIFY2(line.startsWith(u"7:"_s), qPrintable(line));
        QCOMPARE(m_home->run({u"run"_s, u"-c"_s, u"print('four')"_s}).status, 0);

        const Ended later = verify({u"--against"_s, line});
        QCOMPARE(later.status, 0);
        QVERIFY2(later.out.contains(
                     "The first 7 entries are those of the line: none of them was changed or removed since.\n"),
                 later.out);
        const QJsonObject json = verify({u"--against"_s, line + u'\n', u"--json"_s}).json(); // as a shell's file has it
        QCOMPARE(json["whole"_L1], true);
        QCOMPARE(json["as_kept"_L1], true);
        QCOMPARE(json["entries"_L1], 9);
        QCOMPARE(json["runs"_L1], 4);
        QCOMPARE(json["head"_L1].toString(), lineOf(later));
    }

    void whatSomebodyChangesIsTold_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("says");
        QTest::addColumn<bool>("isListed"); // "audit list" tells it, too
        QTest::newRow("an entry") << QByteArray("UPDATE entries SET json = CAST(replace(CAST(json AS TEXT), 'python', "
                                                "'pytham') AS BLOB) WHERE kind = 'run.accepted'")
                                  << QByteArray("was changed after it was written: the log has another hash of it.\n")
                                  << true;
        QTest::newRow("the list") << QByteArray("UPDATE runs SET outcome = 'failed'")
                                  << QByteArray("is in the list of runs otherwise than in its entries") << false;
        QTest::newRow("a body") << QByteArray("DELETE FROM bodies WHERE what = 'stdout'")
                                << QByteArray("isn't as it was written: see \"glovebox audit show ") << false;
        QTest::newRow("a deletion that nobody logged")
            << QByteArray("UPDATE bodies SET salt = NULL, digest = NULL WHERE what = 'code'")
            << QByteArray("isn't as it was written: see \"glovebox audit show ") << false;
        QTest::newRow("a gap") << QByteArray("DELETE FROM entries WHERE seq = (SELECT min(finished_seq) FROM runs)")
                               << QByteArray(" is missing.\n") << true;
        QTest::newRow("a gap before more entries") << QByteArray(
            "DELETE FROM entries WHERE seq = 2; INSERT INTO entries SELECT 8, time_us, kind, NULL, json, leaf FROM "
            "entries WHERE seq = 1; INSERT INTO entries SELECT 9, time_us, kind, NULL, json, leaf FROM entries "
            "WHERE seq = 1")
                                                   << QByteArray("aren't those of the line: entries were changed or "
                                                                 "removed since, or the line is of another log.\n")
                                                   << true;
        const QByteArray latest = " WHERE seq >= (SELECT max(seq) FROM runs);";
        QTest::newRow("the end") << "DELETE FROM bodies" + latest + "DELETE FROM entries" + latest + "DELETE FROM runs"
                                        + latest
                                 << QByteArray(": entries were removed, or the line is of another log.\n") << false;
    }
    void whatSomebodyChangesIsTold()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, says);
        QFETCH(bool, isListed);
        const QString line = lineOf(verify());
        QVERIFY(edit(change));
        const Ended told = verify({u"--against"_s, line});
        QCOMPARE(told.status, 1);
        QVERIFY2(told.err.contains(says), told.err);
        QVERIFY2(!told.out.contains("Keep this line"), told.out);
        const QJsonObject json = verify({u"--against"_s, line, u"--json"_s}).json();
        QCOMPARE(json["whole"_L1], false);
        QCOMPARE(json["as_kept"_L1].toBool(), told.out.contains("none of them was changed or removed since"));
        const Ended list = m_home->run({u"audit"_s, u"list"_s});
        QCOMPARE(list.status, isListed ? 1 : 0);
        QCOMPARE(list.err.contains("were changed after they were written, or are missing"), isListed);
    }

    // All entries can be read, and the next run needs the page.
    void aBrokenIndexIsTold()
    {
        const QString log = m_home->path(u"data/audit.db"_s);
        const QString script = u"import sqlite3, sys\nlog = sqlite3.connect(sys.argv[1])\n"
                               "log.execute('PRAGMA wal_checkpoint(TRUNCATE)')\n"
                               "size = log.execute('PRAGMA page_size').fetchone()[0]\n"
                               "page = log.execute(\"SELECT rootpage FROM sqlite_schema WHERE name = "
                               "'runs_open'\").fetchone()[0]\nlog.close()\n"
                               "with open(sys.argv[1], 'r+b') as file:\n"
                               "    file.seek((page - 1) * size)\n    file.write(b'\\x55' * size)\n"_s;
        QCOMPARE(QProcess::execute(u"python3"_s, {u"-c"_s, script, log}), 0);
        const Ended told = verify();
        QCOMPARE(told.status, 1);
        QVERIFY2(told.err.contains("The audit log " + log.toUtf8()
                                   + " is damaged, so that runs may fail. SQLite says: "
                                     "\"runs_open: ")
                     && told.err.endsWith("Glovebox then starts a new log.\n"),
                 told.err);
        QVERIFY2(!told.out.contains("Each has its hash") && !told.out.contains("Keep this line"), told.out);
        const QJsonObject json = verify({u"--json"_s}).json();
        QCOMPARE(json["whole"_L1], false);
        QCOMPARE(json["faults"_L1],
                 (QJsonArray{QJsonObject{{u"what"_s, u"damaged"_s}, {u"first"_s, 0}, {u"last"_s, 0}}}));
        QCOMPARE(m_home->run({u"run"_s, u"-c"_s, u"print(1)"_s}).status, 125);
    }

    void aDeletionThatNobodyLoggedIsTold()
    {
        QVERIFY(edit("UPDATE bodies SET salt = NULL, digest = NULL WHERE what = 'code'"));
        const Ended shown = m_home->run({u"audit"_s, u"show"_s, u"last"_s});
        QCOMPARE(shown.status, 1);
        QVERIFY2(shown.out.contains("; deleted, and no entry of the log says so"), shown.out);
        QVERIFY2(shown.err.contains("Code or output of this run was deleted, and no entry of the log says so.\n"),
                 shown.err);
        const Ended json = m_home->run({u"audit"_s, u"show"_s, u"last"_s, u"--json"_s});
        QCOMPARE(json.status, 1);
        QCOMPARE(json.json()[u"bodies"_s][0][u"state"_s].toString(), u"deleted"_s);
    }

    void outputOfAnotherContentIsTold()
    {
        QDirIterator store(m_home->path(u"data/store"_s), QDir::Files, QDirIterator::Subdirectories);
        QVERIFY(store.hasNext());
        QFile file(store.next());
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        QVERIFY(file.write("other") == 5);
        file.close();
        const Ended told = verify();
        QCOMPARE(told.status, 1);
        QVERIFY2(told.err.contains("Code or output of run "), told.err);
        QCOMPARE(verify({u"--json"_s}).json()["faulty_run_count"_L1].toInt(), 1);
    }

    // Another home stands for another machine: there is no log.
    void aColleagueChecksAFileOfTheEntries()
    {
        const QString file = m_home->path(u"log.jsonl"_s);
        const Ended exported = m_home->run({u"audit"_s, u"export"_s, file});
        QCOMPARE(exported.err, QByteArray());
        QCOMPARE(exported.status, 0);
        const QString line = lineOf(exported);
        QCOMPARE(line, lineOf(verify())); // one line stands for both
        QCOMPARE(QFileInfo(file).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        const QByteArray sound = bytesIn(file);
        QCOMPARE(sound.count('\n'), 7);
        QVERIFY2(!sound.contains("print("), "code isn't in there");

        const Home colleague;
        const auto check = [&](const QStringList &options = {}) {
            return colleague.run(QStringList{u"audit"_s, u"verify"_s, u"--file"_s, file} + options);
        };
        const Ended whole = check({u"--against"_s, line});
        QCOMPARE(whole.err, QByteArray());
        QCOMPARE(whole.status, 0);
        QVERIFY2(
            whole.out.contains("The first 7 entries are those of the line: none of them was changed or removed.\n"),
            whole.out);
        QCOMPARE(lineOf(check()), line); // for whoever compares by eye
        QCOMPARE(check({u"--against"_s, line, u"--json"_s}).json()["as_kept"_L1], true);
        QVERIFY(!QDir(colleague.path(u"data"_s)).exists());

        const QByteArrayList lines = sound.split('\n');
        QByteArrayList gap = lines, swapped = lines;
        gap.removeAt(3);
        swapped.swapItemsAt(2, 3);
        const std::pair<QByteArray, QByteArray> changes[] = {
            {QByteArray(sound).replace("\"outcome\":\"completed\"", "\"outcome\":\"failed\""),
             "aren't those of the line"},
            {sound.first(sound.lastIndexOf("\n", -2) + 1), "The line is of a log of 7 entries, and this log has 6"},
            {sound.chopped(20), "aren't those of the line"},
            {gap.join('\n'), "Entry 4 is missing."},
            {swapped.join('\n'), "Entry 3 is missing."},
            {sound + R"({"seq":8,"kind":"run.accepted"})" + '\n', "1 entry of the file came after the line was told"},
            {sound + R"({"seq":9223372036854775807})" + '\n', "Entries 8 to 9223372036854775806, "},
        };
        for (const auto &[content, says] : changes) {
            QVERIFY(content != sound);
            m_home->write(u"log.jsonl"_s, content);
            const Ended told = check({u"--against"_s, line});
            QCOMPARE(told.status, 1);
            QVERIFY2(told.err.contains(says), told.err + "\nnot: " + says);
        }
        m_home->write(u"log.jsonl"_s, sound + R"({"seq":8,"kind":"run.accepted"})" + '\n');
        const QJsonObject more = check({u"--against"_s, line, u"--json"_s}).json();
        QCOMPARE(more["whole"_L1], false);
        QCOMPARE(more["as_kept"_L1], true);
        QCOMPARE(more["faults"_L1],
                 (QJsonArray{QJsonObject{{u"what"_s, u"beyond"_s}, {u"first"_s, 8}, {u"last"_s, 8}}}));
        for (const QByteArray &content : {QByteArray("no log\n"), QByteArray("{}\n"), QByteArray(1, 0)}) {
            m_home->write(u"log.jsonl"_s, content);
            const Ended told = check({u"--against"_s, line});
            QCOMPARE(told.status, 1);
            QVERIFY2(told.err.contains("The file has no entries of a log: its first line is none."), told.err);
        }
    }

    void onlyAWholeLogIsExportedToANewFile()
    {
        const QString file = m_home->write(u"log.jsonl"_s, "mine");
        const Ended there = m_home->run({u"audit"_s, u"export"_s, file});
        QCOMPARE(there.status, 1);
        QVERIFY2(there.err.contains("There is " + QFile::encodeName(file) + " already. Name a new file."), there.err);
        QCOMPARE(bytesIn(file), "mine");
        QVERIFY(QFile::remove(file));
        QVERIFY(
            edit("UPDATE entries SET json = CAST(replace(CAST(json AS TEXT), 'python', 'pytham') AS BLOB) WHERE seq "
                 "= 4"));
        const Ended damaged = m_home->run({u"audit"_s, u"export"_s, file});
        QCOMPARE(damaged.status, 1);
        QVERIFY2(damaged.err.contains("Entry 4 of the log isn't as it was written"), damaged.err);
        QVERIFY(!QFile::exists(file));
        const Home empty;
        QVERIFY2(empty.run({u"audit"_s, u"export"_s, file}).err.contains("so there is nothing to export"), "no log");
        QVERIFY(!QFile::exists(file));
    }

    // In a mount namespace of its own, where the disk is small.
    void outputThatNoDiskTookIsNoFault()
    {
        const Home home;
        QVERIFY(QDir().mkpath(home.path(u"data/store"_s)));
        const QString script = uR"(mount -t tmpfs -o size=100K,mode=700 none "$1" || exit 9
"$2" run -l sh -c 'head -c 300000 /dev/urandom | base64' >/dev/null; echo $?; "$2" audit verify; echo $?)"_s;
        QStringList arguments{u"-m"_s};
        if (::geteuid() != 0)
            arguments = {u"-U"_s, u"-m"_s, u"--map-current-user"_s, u"--keep-caps"_s};
        const auto process = home.program(
            arguments + QStringList{u"sh"_s, u"-c"_s, script, u"sh"_s, home.path(u"data/store"_s), programFile()});
        process->setProgram(u"unshare"_s);
        process->start();
        process->closeWriteChannel();
        const Ended ended = finish(*process);
        QVERIFY2(ended.err.contains("There is no space left"), ended.err);
        QVERIFY2(ended.out.startsWith("74\n")
                     && ended.out.contains("Not all of 1 run could be kept at its time, as the log says.\n")
                     && ended.out.endsWith("\n0\n"),
                 ended.out + ended.err);
    }

    void aLineThatIsNoneIsASentence_data()
    {
        QTest::addColumn<QStringList>("words");
        for (const char *line :
             {"", "7", "7:", "x:y", "7:0123", "seven:0000000000000000000000000000000000000000000000000000000000000000"})
            QTest::newRow(*line == 0 ? "nothing" : line) << QStringList{u"--against"_s, QString::fromLatin1(line)};
        QTest::newRow("a run") << QStringList{u"last"_s};
    }
    void aLineThatIsNoneIsASentence()
    {
        QFETCH(QStringList, words);
        const Ended ended = verify(words);
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.err.startsWith("glovebox: "), ended.err);
        QCOMPARE(ended.out, QByteArray());
    }

    void whoWaitsSeesHowFarItIs()
    {
        QVERIFY(edit("DROP TRIGGER entries_dense; WITH RECURSIVE n(i) AS (SELECT 8 UNION ALL SELECT i + 1 FROM n WHERE "
                     "i < 200000) "
                     "INSERT INTO entries SELECT i, 1, 'x.y', NULL, CAST('{}' AS BLOB), zeroblob(32) FROM n"));
        Desk desk(*m_home, {u"audit"_s, u"verify"_s});
        QCOMPARE(desk.status(), 1);
        QVERIFY2(desk.seen.contains("Checking entries: ") && desk.seen.contains(" of 200000"), desk.seen.left(2000));
        QVERIFY2(!verify().err.contains("Checking"), "not on a terminal");
    }

    void whereNothingRanThereIsNothingToVerify()
    {
        const Home empty;
        const Ended ended = empty.run({u"audit"_s, u"verify"_s});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.contains("so there is nothing to verify"), ended.err);
        QVERIFY(!QDir(empty.path(u"data"_s)).exists());
    }

private:
    Ended verify(const QStringList &words = {}) const
    {
        return m_home->run(QStringList{u"audit"_s, u"verify"_s} + words);
    }
    static QString lineOf(const Ended &ended) { return QString::fromUtf8(ended.out.trimmed().split('\n').last()); }
    bool edit(const QByteArray &change) const
    {
        const QString script =
            u"import sqlite3, sys\nlog = sqlite3.connect(sys.argv[1])\n"
            "log.executescript('DROP TRIGGER entries_no_update; DROP TRIGGER entries_no_delete; ' + sys.argv[2])\n"
            "log.commit()\n"_s;
        return QProcess::execute(u"python3"_s,
                                 {u"-c"_s, script, m_home->path(u"data/audit.db"_s), QString::fromUtf8(change)})
               == 0;
    }

    std::unique_ptr<Home> m_home;
};

QTEST_GUILESS_MAIN(TestCliVerify)
#include "tst_cliverify.moc"
