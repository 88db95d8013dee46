// SPDX-License-Identifier: Apache-2.0
// `glovebox audit prune` deletes what old runs left, after a question, and the record tells it.
#include "tests/app/cli/program.h"

#include <QDate>
#include <QJsonArray>
#include <QProcess>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliPrune : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pruneDeletesWhatOldRunsLeft();
    void pruneSaysWhatStaysForAnHour();
    void pruneTellsOfTheRestOfAnEarlierDeletion();
    void pruneDeletesRunsByName();
};

// As if all that is on record were from 100 days ago.
static bool makeOld(const Home &home, const QString &more = {})
{
    const QString script = uR"(
import os, sqlite3, sys, time
data = sys.argv[1]
log = sqlite3.connect(data + "/audit.db")
log.execute("UPDATE runs SET time_us = time_us - 100 * 86400000000")
log.commit()
for folder, _, files in os.walk(data + "/store"):
    for name in files:
        os.utime(folder + "/" + name, (time.time() - 7200,) * 2)
)"_s;
    return QProcess::execute(u"python3"_s, {u"-c"_s, script + more, home.path(u"data"_s)}) == 0;
}

void TestCliPrune::pruneDeletesWhatOldRunsLeft()
{
    Home home;
    const QString prune = u"prune"_s, age = u"--older-than"_s, yes = u"--yes"_s, audit = u"audit"_s;
    QVERIFY(home.run({audit, prune, age, u"90d"_s}).out.contains("No run that old"));
    QCOMPARE(home.run({audit, prune}).status, 2);
    QCOMPARE(home.run({audit, prune, age, u"90"_s}).status, 2);
    QCOMPARE(home.run({audit, prune, age, u"0d"_s}).status, 2);
    QVERIFY(home.run({audit, prune, age, u"0h"_s}).err.contains("between 1 and 36500, not \"0\""));
    QVERIFY(home.run({audit, prune, age, u"0d"_s}).err.contains("Hours end with h, minutes with m: 12h, 30m."));
    QVERIFY(home.run({audit, prune, age, u"30m"_s}).out.contains("No run that old"));
    QCOMPARE(home.run({audit, prune, u"last"_s, age, u"90d"_s}).status, 2);
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"open('a.txt', 'w').write('left'); print('shared')"_s}).status, 0);
    QVERIFY(makeOld(home));
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('shared')"_s}).status, 0);
    const QJsonValue entries = home.run({audit, u"show"_s, u"#1"_s, u"--json"_s}).json()[u"entries"_s];

    const Ended asked = home.run({audit, prune, age, u"90d"_s});
    QCOMPARE(asked.status, 1);
    QVERIFY2(asked.err.contains("1 run older than 90 days"), asked.err);
    QVERIFY2(asked.err.contains("--yes"), asked.err);
    QVERIFY(home.run({audit, prune, age, u"2399h"_s}).err.contains("1 run older than 2399 hours"));
    QVERIFY(home.run({audit, prune, age, u"2401h"_s, yes}).out.contains("No run that old"));
    QVERIFY(home.run({audit, u"show"_s, u"#1"_s}).out.contains("a.txt"));
    QVERIFY(home.run({audit, prune, age, u"200d"_s, yes}).out.contains("No run that old"));

    const Ended pruned = home.run({audit, prune, age, u"90d"_s, yes, u"--json"_s});
    QCOMPARE(pruned.status, 0);
    QCOMPARE(pruned.json()[u"runs"_s].toInt(), 1);
    QCOMPARE(pruned.json()[u"files"_s].toInt(), 2); // its output is the younger run's, too
    QCOMPARE(pruned.json()[u"bytes"_s].toInt(), int(strlen("open('a.txt', 'w').write('left'); print('shared')left")));

    const QByteArray date = QDate::currentDate().toString(Qt::ISODate).toUtf8();
    const Ended shown = home.run({audit, u"show"_s, u"#1"_s});
    QVERIFY2(shown.out.contains("code, 49 bytes; deleted on " + date), shown.out);
    QVERIFY2(shown.out.contains("stdout, 7 bytes; deleted on " + date), shown.out);
    QVERIFY2(!shown.out.contains("write('left')"), shown.out);
    const QJsonObject json = home.run({audit, u"show"_s, u"#1"_s, u"--json"_s}).json();
    QCOMPARE(json[u"bodies"_s][0][u"state"_s].toString(), u"deleted"_s);
    QCOMPARE(json[u"entries"_s], entries);
    const qint64 entry = pruned.json()[u"entry"_s].toInteger();
    QVERIFY(home.run({audit, u"show"_s, u'#' + QString::number(entry)}).out.contains("retention.applied"));
    QCOMPARE(home.run({u"artifact"_s, u"verify"_s, u"#1"_s}).status, 0);
    QVERIFY(home.run({u"artifact"_s, u"verify"_s, u"#1"_s}).out.startsWith("deleted"));
    QVERIFY(home.run({u"artifact"_s, u"get"_s, u"#1"_s, u"a.txt"_s}).err.contains("was deleted"));
    QVERIFY(!home.run({audit, u"list"_s}).out.contains("write('left')"));
    QVERIFY(home.run({audit, u"list"_s}).out.contains("print('shared')"));
}

void TestCliPrune::pruneSaysWhatStaysForAnHour()
{
    Home home;
    const QStringList prune{u"audit"_s, u"prune"_s, u"--older-than"_s, u"90d"_s, u"--yes"_s};
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('copied')"_s}).status, 0);
    QVERIFY(makeOld(home, u"\nfor folder, _, files in os.walk(data + '/store'):\n"
                          "    for name in files: os.utime(folder + '/' + name)\n"_s));
    const Ended kept = home.run(prune);
    QCOMPARE(kept.status, 0);
    QVERIFY2(!kept.out.contains("Deleted"), kept.out);
    QVERIFY2(kept.out.contains("2 files stay, as they were stored within the last hour."), kept.out);
    const Ended shown = home.run({u"audit"_s, u"show"_s, u"#1"_s});
    QVERIFY2(shown.out.contains(", but its file stays until the next \"audit prune\""), shown.out);
    const Ended entry = home.run({u"audit"_s, u"show"_s, u"#5"_s}); // after the one that is on record first
    QVERIFY2(entry.out.contains("2 files that were stored within an hour before"), entry.out);

    QVERIFY(makeOld(home));
    const Ended later = home.run(prune);
    QVERIFY2(later.out.contains("Deleted code, output and files of 1 run: 22 bytes freed."), later.out);
}

void TestCliPrune::pruneTellsOfTheRestOfAnEarlierDeletion()
{
    Home home;
    const QStringList prune{u"audit"_s, u"prune"_s, u"--older-than"_s};
    QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('rest')"_s}).status, 0);
    // As a program leaves it that is killed after its first entry.
    QVERIFY(makeOld(
        home, u"\nlog.execute('CREATE TABLE deletions(seq INTEGER PRIMARY KEY, time_us INTEGER, before_us INTEGER,"
              "runs INTEGER, files INTEGER DEFAULT 0, bytes INTEGER DEFAULT 0, finished INTEGER DEFAULT 0,"
              "resumed INTEGER DEFAULT 0) STRICT')\n"
              "before = int(time.time() - 90 * 86400) * 1000000\n"
              "log.execute('INSERT INTO deletions(seq, time_us, before_us, runs) VALUES(3, ?1, ?1, 1)', [before])\n"
              "log.execute('UPDATE bodies SET salt = NULL WHERE kept > 0')\n"
              "log.commit()\n"_s));
    QCOMPARE(home.run({u"audit"_s, u"list"_s}).status, 0);
    QVERIFY(home.run(prune + QStringList{u"90d"_s}).err.contains("1 run older than 90 days"));
    const Ended rest = home.run(prune + QStringList{u"200d"_s}); // nothing is that old, and the rest was wanted before
    QVERIFY2(rest.status == 0, rest.err);
    QVERIFY2(rest.out.contains("The rest of an earlier deletion is deleted: 18 bytes freed."), rest.out);
    QVERIFY2(!rest.out.contains("No run that old"), rest.out);
}

void TestCliPrune::pruneDeletesRunsByName()
{
    Home home;
    const QStringList prune{u"audit"_s, u"prune"_s};
    for (const QString &word : {u"first"_s, u"second"_s, u"third"_s})
        QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print('%1')"_s.arg(word)}).status, 0);
    QVERIFY(makeOld(home));
    const QList<QJsonObject> runs = home.runsOnRecord(); // newest first
    const QString second = runs[1][u"run"_s].toString(), third = runs[0][u"run"_s].toString();
    const QString number = QString::number(runs[1][u"seq"_s].toInt());
    const Ended asked = home.run(prune + QStringList{u"-2"_s});
    QCOMPARE(asked.status, 1);
    QVERIFY2(asked.err.contains("Code, output and files of run #" + number.toUtf8() + " take "), asked.err);

    const Ended pruned = home.run(prune + QStringList{number, u"-2"_s, u"--yes"_s, u"--json"_s});
    QCOMPARE(pruned.status, 0);
    QCOMPARE(pruned.json()[u"runs"_s].toInt(), 1);
    QVERIFY(pruned.json()[u"before_us"_s].isNull());
    QVERIFY(home.run({u"audit"_s, u"show"_s, second}).out.contains("; deleted on "));
    QVERIFY(home.run({u"audit"_s, u"show"_s, third}).out.contains("print('third')"));
    const QString entry = u'#' + QString::number(pruned.json()[u"entry"_s].toInt());
    const Ended shown = home.run({u"audit"_s, u"show"_s, entry});
    QVERIFY2(shown.out.contains(second.toUtf8()) && !shown.out.contains(" from before "), shown.out);
    QVERIFY(home.run(prune + QStringList{second, u"--yes"_s}).out.contains("The run has no code, output or files"));
    QVERIFY(home.run(prune + QStringList{entry, u"--yes"_s}).err.contains("belongs to no run"));
}

QTEST_GUILESS_MAIN(TestCliPrune)
#include "tst_cliprune.moc"
