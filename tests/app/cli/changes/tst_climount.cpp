// SPDX-License-Identifier: Apache-2.0
// `glovebox run --mount`: what is shown, what is refused with which sentence, and what is on record of it.
#include "tests/app/cli/program.h"

#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliMount : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aFolderIsShownAndOnRecord();
    void relativeNamesAndColonsAreFine();
    void whatCantBeShownIsRefusedOnRecord_data();
    void whatCantBeShownIsRefusedOnRecord();
    void aMalformedMountIsWrongUsage_data();
    void aMalformedMountIsWrongUsage();
    void mountsBelowComeAlongReadOnly();
    void aWritableFolderIsWrittenAndWhatMattersIsTold();
    void aCopyIsBoundedByTheKernel();
    void changesToACopyWaitUntilTheyAreTakenOver();
    void lastIsTheLatestRunThatACommandCanBeAbout();
    void someAreTakenOverAndUndone();
    void whatIsBeingDecidedIsListedAsThat();
    void aChangeIsNamedAsItIsShown();
    void whatANewerVersionKeptIsNamed();
    void whatOtherProgramsObeyIsShownBeforeManyOthers();
    void changesAreTakenOverAtOnceWhenAskedFor();
    void aCopyLeavesNothingBehind();

private:
    Home m_home;
    std::unique_ptr<QTemporaryDir> m_room; // apart from the home, whose data is never shown

    QString at(const QString &name) const { return m_room->filePath(name); }
    // As root, runs belong to a user who owns nothing.
    void openToAll(const QString &name) const { QProcess::execute(u"chmod"_s, {u"-R"_s, u"a+rwX"_s, at(name)}); }
    // Where copies are: as root, in a place that the user of runs can reach.
    QString stagingFolder() const
    {
        if (::geteuid() != 0)
            return m_home.path(u"data/staging"_s);
        const QByteArray data = QFile::encodeName(m_home.path(u"data"_s));
        return u"/var/lib/glovebox/staging-"_s + QString::fromLatin1(sha256({data}).toHex().first(16));
    }
    QStringList stagedFolders() const
    {
        QStringList folders = QDir(stagingFolder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        folders.removeAll(u"kept"_s); // what waits, or can be undone
        return folders;
    }
    QByteArray readBack(const QString &name) const
    {
        QFile file(at(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(at(name));
        if (!QDir().mkpath(QFileInfo(file).path()) || !file.open(QIODevice::WriteOnly)
            || file.write(content) != content.size())
            qFatal("A test file can't be written.");
    }
};

void TestCliMount::init()
{
    m_room = std::make_unique<QTemporaryDir>(u"/var/tmp/glovebox-test-XXXXXX"_s);
    QVERIFY(::chmod(QFile::encodeName(m_room->path()).constData(), 0755) == 0);
    write(u"data/a"_s, "hello\n");
}

void TestCliMount::aFolderIsShownAndOnRecord()
{
    QVERIFY(QFile::link(at(u"data"_s), at(u"link"_s)));
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(u"link"_s) + u":/mnt/data"_s, u"--json"_s, u"-l"_s,
                                    u"sh"_s, u"-c"_s, u"cat /mnt/data/a; echo x > /mnt/data/b"_s});
    const QJsonObject result = ended.json();
    QCOMPARE(result["stdout"_L1].toString(), u"hello\n"_s);
    QVERIFY(result["stderr"_L1].toString().contains(u"Read-only file system"_s));
    QVERIFY(!QFile::exists(at(u"data/b"_s)));
    QVERIFY2(ended.out.contains(
                 (u"shown "_s + at(u"data"_s) + u" as /mnt/data, read-only. Its locks there also hold"_s).toUtf8()),
             ended.out);
    const Ended shown = m_home.run({u"audit"_s, u"show"_s, u"#1"_s, u"--json"_s});
    QVERIFY2(shown.out.contains(
                 (u"{\"host\":\""_s + at(u"link"_s) + u"\",\"mode\":\"ro\",\"path\":\"/mnt/data\"}"_s).toUtf8()),
             shown.out);
}

void TestCliMount::relativeNamesAndColonsAreFine()
{
    write(u"a:b/c"_s, "colon\n");
    const auto process = m_home.program({u"run"_s, u"--mount"_s, u"data:/work/data/"_s, u"--mount=./a:b:/mnt:ro"_s,
                                         u"-l"_s, u"sh"_s, u"-c"_s, u"cat data/a /mnt/c"_s});
    process->setWorkingDirectory(m_room->path());
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.out == "hello\ncolon\n", ended.err);
}

void TestCliMount::whatCantBeShownIsRefusedOnRecord_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("missing") << u"/nonexistent"_s << QByteArray("There is no folder /nonexistent");
    QTest::newRow("everything") << u"/"_s << QByteArray("whole machine");
    QTest::newRow("own data") << m_home.path() << QByteArray("Glovebox keeps its log");
    QTest::newRow("in own data") << m_home.path(u"data"_s) << QByteArray("Glovebox keeps its log");
    QTest::newRow("above own data") << QFileInfo(m_home.path()).path() << QByteArray("can't be shown to a run");
    QTest::newRow("system") << u"/proc"_s << QByteArray("running system");
    QTest::newRow("home") << QDir::homePath() << QByteArray("home folder");
    QTest::newRow("device") << u"/dev/zero"_s << QByteArray("it is a device");
}

void TestCliMount::whatCantBeShownIsRefusedOnRecord()
{
    QFETCH(QString, host);
    QFETCH(QByteArray, says);
    QVERIFY(QFile::exists(m_home.path()));
    m_home.run({u"run"_s, u"-c"_s, u"pass"_s}); // so that there is a record to be shown
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, host + u":/mnt/x"_s, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.contains(says), ended.err);
    QCOMPARE(m_home.runsOnRecord().value(0).value("outcome"_L1).toString(), u"rejected"_s);
}

void TestCliMount::aMalformedMountIsWrongUsage_data()
{
    QTest::addColumn<QString>("mount");
    QTest::newRow("no place") << u"/srv"_s;
    QTest::newRow("relative place") << u"/srv:mnt"_s;
    QTest::newRow("no folder") << u":/mnt"_s;
    QTest::newRow("unknown mode") << u"/srv:/mnt:all"_s;
    QTest::newRow("dots") << u"/srv:/mnt/../etc"_s;
    QTest::newRow("the sandbox's own") << u"/srv:/usr/share/x"_s;
    QTest::newRow("empty") << QString();
}

void TestCliMount::aMalformedMountIsWrongUsage()
{
    QFETCH(QString, mount);
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, mount, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: "), ended.err);
}

// In a mount namespace of its own, so that the machine's mounts stay as they are.
void TestCliMount::mountsBelowComeAlongReadOnly()
{
    write(u"data/below/covered"_s, "secret\n");
    write(u"elsewhere/f"_s, "elsewhere\n");
    const QString script = uR"(set -e
mount -t tmpfs none "$1/below"
echo first > "$1/below/f"
mount -t tmpfs none "$1/below"
echo second > "$1/below/f"
mkdir "$1/below/deeper"
mount --bind "$2" "$1/below/deeper"
"$3" run --mount "$1:/mnt" -l sh -c 'cat /mnt/a /mnt/below/f /mnt/below/deeper/f; ls /mnt/below; touch /mnt/below/x || true'
mkdir "$1/below/proc"
mount --rbind /proc "$1/below/proc"
"$3" run --mount "$1:/mnt" -c 'print("ran")' && exit 9
umount -l "$1/below/proc"
mount --bind "$4" "$1/below/proc"
"$3" run --mount "$1:/mnt" -c 'print("ran")' && exit 9
echo end)"_s;
    QStringList arguments{u"-m"_s};
    if (::geteuid() != 0)
        arguments = {u"-U"_s, u"-m"_s, u"--map-current-user"_s, u"--keep-caps"_s};
    arguments += {u"sh"_s, u"-c"_s, script, u"sh"_s, at(u"data"_s), at(u"elsewhere"_s), programFile(), m_home.path()};
    const auto process = m_home.program(arguments);
    process->setProgram(u"unshare"_s);
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.out == "hello\nsecond\nelsewhere\ndeeper\nf\nend\n", ended.out + ended.err);
    QVERIFY2(ended.err.contains("Read-only file system"), ended.err);
    QVERIFY2(ended.err.contains("is a part of the running system"), ended.err);
    QVERIFY2(ended.err.contains("Glovebox keeps its log"), ended.err);
}

void TestCliMount::aWritableFolderIsWrittenAndWhatMattersIsTold()
{
    write(u"data/.git/hooks/sample"_s, "");
    openToAll(u"data"_s);
    const Ended ended =
        m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:rw"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                    u"cd data; echo new > b; echo evil > '.git/hooks/x\", + y'; mkdir .vscode"_s});
    QCOMPARE(ended.json()["outcome"_L1].toString(), u"completed"_s);
    QFile written(at(u"data/b"_s));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), QByteArray("new\n"));
    QStringList told;
    for (const auto event : ended.json()["events"_L1].toArray()) {
        if (event["type"_L1] == u"folder.sensitive-change"_s)
            told.append(event["detail"_L1].toString());
    }
    QCOMPARE(told.size(), 2);
    QVERIFY2(told.at(0).contains(uR"(added ".git/hooks/x\x22, + y" to )"_s + at(u"data"_s)), qPrintable(told.at(0)));
    QVERIFY2(told.at(1).contains(u".vscode"_s), qPrintable(told.at(1)));
    QVERIFY2(ended.out.contains("could write to it"), ended.out);
}

void TestCliMount::aCopyIsBoundedByTheKernel()
{
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:stage"_s, u"--disk"_s, u"16"_s, u"--json"_s, u"-c"_s,
         u"import os\nfor i in range(64):\n    f = os.open(f'/mnt/{i}', os.O_CREAT | os.O_WRONLY)\n"
         "    try: os.posix_fallocate(f, 0, 4 << 20)\n    except OSError as e: print(i, e.errno); break\n"
         "try:\n    for i in range(100000): os.link('/mnt/a', f'/mnt/link{i}')\n"
         "except OSError as e: print(e.errno, i < 3000)"_s});
    QCOMPARE(ended.json()["stdout"_L1].toString(), u"3 28\n28 True\n"_s);
    QVERIFY(QFileInfo(at(u"data"_s)).isDir());
    m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString()});
}

void TestCliMount::changesToACopyWaitUntilTheyAreTakenOver()
{
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"-l"_s, u"sh"_s,
                                    u"-c"_s, u"echo more >> data/a; echo x > data/.envrc"_s});
    QCOMPARE(ended.status, 0);
    QCOMPARE(readBack(u"data/a"_s), QByteArray("hello\n"));
    QVERIFY2(ended.err.contains("  changed a\n") && ended.err.contains("  added   .envrc (!) Tools that start in"),
             ended.err);
    const QString run = m_home.runsOnRecord().value(0)["run"_L1].toString();
    QVERIFY2(ended.err.contains(("glovebox changes apply " + run.toUtf8())), ended.err);
    QVERIFY(m_home.run({u"changes"_s, u"list"_s}).out.startsWith(run.toUtf8()));
    const QJsonObject shown = m_home.run({u"changes"_s, u"show"_s, u"--json"_s, run}).json();
    QCOMPARE(shown["folders"_L1][0]["changes"_L1][0]["path"_L1].toString(), u".envrc"_s);
    write(u"data/.envrc"_s, "mine\n");
    const QString number = QString::number(m_home.runsOnRecord().value(0)["seq"_L1].toInteger());
    for (const QString &name : {u"last"_s, run.first(9), run.toUpper(), number, u'#' + number})
        QCOMPARE(m_home.run({u"changes"_s, u"show"_s, u"--json"_s, name}).json(), shown);
    for (const QString &name : {u"first"_s, QString(), u"x"_s, u"9999999"_s, u"#"_s})
        QCOMPARE(m_home.run({u"changes"_s, u"show"_s, name}).status, 1);
    const Ended applied = m_home.run({u"changes"_s, u"apply"_s, run.first(13), u"--yes"_s});
    QCOMPARE(applied.status, 1);
    QVERIFY2(applied.err.contains(".envrc was changed in the original meanwhile"), applied.err);
    QCOMPARE(readBack(u"data/a"_s), QByteArray("hello\nmore\n"));
    QCOMPARE(readBack(u"data/.envrc"_s), QByteArray("mine\n"));
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    const QByteArray listed = m_home.run({u"changes"_s, u"list"_s}).out;
    QVERIFY2(listed.startsWith("No pending changes.\n"), listed);
    QVERIFY2(listed.contains(run.toUtf8() + "  ") && listed.endsWith(", applied: can be undone\n"), listed);
    QCOMPARE(m_home.run({u"changes"_s, u"list"_s, u"--json"_s}).json()["applied"_L1].toBool(), true);
    // What was decided is on record.
    const QJsonArray entries = m_home.run({u"audit"_s, u"show"_s, u"--json"_s, run}).json()["entries"_L1].toArray();
    QStringList kinds;
    for (const auto entry : entries)
        kinds.append(entry["entry"_L1]["kind"_L1].toString());
    QCOMPARE(kinds, (QStringList{u"run.accepted"_s, u"run.finished"_s, u"folder.applying"_s, u"folder.applied"_s,
                                 u"folder.discarding"_s, u"folder.discarded"_s}));
    QVERIFY(entries[3]["entry"_L1]["changes"_L1].toInteger() > 0);
    QVERIFY(!entries[3]["entry"_L1]["folders"_L1][0].toString().isEmpty());
    const QByteArray told = m_home.run({u"audit"_s, u"show"_s, run}).out;
    QVERIFY2(told.contains(" applied to ") && !told.contains("being"), told);
    for (const QString &action : {u"apply"_s, u"discard"_s, u"show"_s}) {
        QCOMPARE(m_home.run({u"changes"_s, action, run}).status, 1);
        QCOMPARE(m_home.run({u"changes"_s, action, u"../engines"_s}).status, 1);
        QCOMPARE(m_home.run({u"changes"_s, action}).status, 2);
    }
}

void TestCliMount::lastIsTheLatestRunThatACommandCanBeAbout()
{
    const auto changes = [this](const QStringList &words) { return m_home.run(QStringList{u"changes"_s} + words); };
    const auto change = [this](const QString &folder) {
        write(folder + u"/a"_s, "hello\n");
        openToAll(folder);
        m_home.run({u"run"_s, u"--mount"_s, at(folder) + u":/work/data:stage"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                    u"echo more >> data/a"_s});
        return m_home.runsOnRecord().value(0)["run"_L1].toString();
    };
    const QString first = change(u"first"_s), second = change(u"second"_s);
    for (const QString &shared : {first.first(1), first.first(7)}) // the beginning of anybody's id
        QCOMPARE(changes({u"discard"_s, shared}).status, 1);
    QCOMPARE(changes({u"apply"_s, u"last"_s}).status, 0);
    QCOMPARE(readBack(u"second/a"_s), QByteArray("hello\nmore\n"));

    // The latest run has nothing left that waits, and is the only one that can be undone.
    QVERIFY(changes({u"show"_s, u"last"_s}).out.contains("changed a"));
    QCOMPARE(changes({u"show"_s, u"last"_s, u"--json"_s}).json()["run"_L1].toString(), first);
    QCOMPARE(changes({u"discard"_s, first.first(7)}).status, 1);
    QCOMPARE(changes({u"undo"_s, QString()}).status, 1); // an unset variable
    QCOMPARE(readBack(u"second/a"_s), QByteArray("hello\nmore\n"));
    QCOMPARE(changes({u"undo"_s, u"last"_s}).status, 0);
    QCOMPARE(readBack(u"second/a"_s), QByteArray("hello\n"));
    const QString seq = QString::number(m_home.runsOnRecord().value(0)["seq"_L1].toInteger()); // of the second one
    QCOMPARE(changes({u"apply"_s, seq}).status, 0);
    QCOMPARE(readBack(u"second/a"_s), QByteArray("hello\nmore\n"));
    QCOMPARE(changes({u"undo"_s, u'#' + seq}).status, 0);
    QCOMPARE(changes({u"discard"_s, seq}).status, 0);
    QVERIFY(changes({u"discard"_s, second}).err.contains("wait"));
    QVERIFY(changes({u"discard"_s, u"last"_s}).err.contains(first.toUtf8() + " that waited were discarded"));
    const Ended nothing = changes({u"discard"_s, u"last"_s});
    QVERIFY2(nothing.status == 1 && nothing.err.contains("\"last\" names no run here."), nothing.err);
}

void TestCliMount::someAreTakenOverAndUndone()
{
    const Ended ended =
        m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                    u"echo more >> data/a; mkdir data/d; echo x > data/d/f; echo y > data/g"_s});
    QCOMPARE(ended.status, 0);
    const QString run = m_home.runsOnRecord().value(0)["run"_L1].toString();
    QCOMPARE(m_home.run({u"changes"_s, u"apply"_s, run, u"h"_s}).status, 1);
    const Ended applied = m_home.run({u"changes"_s, u"apply"_s, run, u"a"_s, u"d/f"_s}); // and d
    QCOMPARE(applied.status, 0);
    QVERIFY2(applied.err.contains("3 changes were applied."), applied.err);
    QVERIFY2(applied.err.contains("glovebox changes undo"), applied.err);
    QCOMPARE(readBack(u"data/d/f"_s), QByteArray("x\n"));
    QVERIFY(!QFile::exists(at(u"data/g"_s)));
    write(u"data/d/f"_s, "mine\n");
    const Ended undone = m_home.run({u"changes"_s, u"undo"_s});
    QCOMPARE(undone.status, 1);
    QVERIFY2(undone.err.contains("d/f was changed in the original since"), undone.err);
    QVERIFY2(undone.err.contains("1 change was undone."), undone.err);
    QCOMPARE(readBack(u"data/a"_s), QByteArray("hello\n"));
    QCOMPARE(readBack(u"data/d/f"_s), QByteArray("mine\n"));
    const QByteArray told = m_home.run({u"audit"_s, u"show"_s, run}).out;
    QVERIFY2(told.contains("1 undone in ") && told.contains(", 2 refused"), told);
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    QCOMPARE(m_home.run({u"changes"_s, u"undo"_s, u"0199a3b4-0000-7000-8000-000000000000"_s}).status, 1);
}

void TestCliMount::aChangeIsNamedAsItIsShown()
{
    write(u"two/f"_s, "1\n");
    openToAll(u"two"_s);
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"--mount"_s,
         at(u"two"_s) + u":/work/two:stage"_s, u"-l"_s, u"bash"_s, u"-c"_s,
         u"for d in data two; do cd /work/$d; echo x > -dash; echo x > $'new\\nline'; mkdir d; echo x > d/f; done"_s});
    QVERIFY2(ended.status == 0, ended.err);
    const QString run = m_home.runsOnRecord().value(0)["run"_L1].toString();
    const QByteArray shown = m_home.run({u"changes"_s, u"show"_s, run}).out;
    QByteArray newline;
    for (const QByteArray &line : shown.split('\n')) {
        if (line.contains("new") && line.contains("line"))
            newline = line.sliced(line.indexOf("new"));
    }
    const auto apply = [&](const QStringList &names) {
        return m_home.run(QStringList{u"changes"_s, u"apply"_s, run} + names);
    };
    const Ended several = apply({u"d/f"_s});
    QCOMPARE(several.status, 1);
    QVERIFY2(several.err.contains("Several folders have a change at d/f.")
                 && several.err.contains(at(u"two"_s).toUtf8() + '/'),
             several.err);
    const Ended taken =
        apply({at(u"data/"_s) + QString::fromUtf8(newline), u"/work/two/d/"_s, u"--"_s, at(u"two/-dash"_s)});
    QVERIFY2(taken.status == 0 && taken.err.contains("3 changes were applied."), taken.err);
    QCOMPARE(readBack(u"data/new\nline"_s), QByteArray("x\n"));
    QVERIFY(QFileInfo(at(u"two/d"_s)).isDir() && !QFile::exists(at(u"two/d/f"_s)) && QFile::exists(at(u"two/-dash"_s)));
    QCOMPARE(apply({u"--"_s, u"-dash"_s}).status, 0); // of the only folder where one is left
    QVERIFY(QFile::exists(at(u"data/-dash"_s)));
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    const Ended undone = m_home.run({u"changes"_s, u"undo"_s});
    QVERIFY2(undone.status == 0 && undone.err.contains("1 change was undone."), undone.err);
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
}

// The state in which another program is in the middle of it: its lock and its notes are there.
void TestCliMount::whatIsBeingDecidedIsListedAsThat()
{
    openToAll(u"data"_s);
    const QString code = u"echo 2 > data/one; echo 2 > data/two"_s, folder = at(u"data"_s) + u":/work/data:stage"_s;
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, folder, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, code});
    const QString run = ended.json()["id"_L1].toString();
    QCOMPARE(m_home.run({u"changes"_s, u"apply"_s, run, u"one"_s}).status, 0);
    const QString kept = stagingFolder() + u"/kept/"_s + run;
    QVERIFY(QFile::rename(kept + u"/before"_s, kept + u"/before-now"_s));
    const auto listed = [&](const QString &note) {
        QFile::copy(kept + u"/lock"_s, kept + note);
        QByteArray all = m_home.run({u"changes"_s, u"list"_s}).out;
        for (const QByteArray &line : m_home.run({u"changes"_s, u"list"_s, u"--json"_s}).out.trimmed().split('\n')) {
            const auto one = QJsonDocument::fromJson(line).object();
            all += (one["applied"_L1].toBool() ? "applied " : "waits ") + one["under_way"_L1].toString(u"-"_s).toUtf8();
        }
        QFile::remove(kept + note);
        return all;
    };
    const QByteArray begin = run.toUtf8() + "  1 change in the copy of " + QFile::encodeName(at(u"data"_s));
    {
        const auto lock = FileLock::create(kept + u"/lock"_s);
        QCOMPARE(listed(u"/applying"_s), begin + ", being applied\nwaits apply");
        QCOMPARE(listed(u"/undoing"_s), begin + '\n' + begin + ", being undone\nwaits -applied undo");
        QVERIFY(QFile::copy(kept + u"/lock"_s, kept + u"/applying"_s)); // of what was half applied
        QCOMPARE(listed(u"/discarding"_s), begin + ", being discarded\nwaits discard");
    }
    QCOMPARE(listed(u"/applying"_s), begin + ", cut short while they were applied: apply them again\n" + begin
                                         + ", some of them applied: can be undone\nwaits -applied -");
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
}

// After a step back to this version.
void TestCliMount::whatANewerVersionKeptIsNamed()
{
    openToAll(u"data"_s);
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"--json"_s,
                                    u"-l"_s, u"sh"_s, u"-c"_s, u"echo new > data/a"_s});
    const QString run = ended.json()["id"_L1].toString();
    const auto putVersion = [&](char version) {
        QFile notes(stagingFolder() + u"/kept/"_s + run + u"/manifest"_s);
        return notes.open(QIODevice::ReadWrite | QIODevice::ExistingOnly) && notes.seek(3) && notes.putChar(version)
               && notes.flush();
    };
    QVERIFY(putVersion(9));
    const QByteArray says = "A newer version of Glovebox kept the changes in ";
    const Ended list = m_home.run({u"changes"_s, u"list"_s});
    QCOMPARE(list.status, 1);
    QVERIFY2(list.err.contains(says) && list.err.contains(run.toUtf8()), list.err);
    QVERIFY2(!list.out.contains("No pending changes"), list.out);
    for (const QString &word : {u"show"_s, u"apply"_s}) {
        const Ended asked = m_home.run({u"changes"_s, word, run});
        QVERIFY2(asked.status == 1 && asked.err.contains(says) && !asked.err.contains("discard"), asked.err);
    }
    QVERIFY(putVersion(2));
    QVERIFY2(m_home.run({u"changes"_s, u"list"_s}).out.startsWith(run.toUtf8()), "lost");
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
}

void TestCliMount::whatOtherProgramsObeyIsShownBeforeManyOthers()
{
    const Ended ended =
        m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                    u"cd data; i=0; while [ $i -lt 1500 ]; do : > a$i; i=$((i+1)); done; mkdir -p z/.git/hooks; "
                    "echo evil > z/.git/hooks/pre-commit; mkdir -p zz/objects zz/refs; : > zz/HEAD; : > zz/config"_s});
    QCOMPARE(ended.status, 0);
    const qsizetype hook = ended.err.indexOf("z/.git/hooks/pre-commit (!) Git runs"),
                    bare = ended.err.indexOf("zz/config (!) Git loads");
    QVERIFY2(hook > 0 && bare > 0 && hook < ended.err.indexOf("added   a0\n"), ended.err);
    QVERIFY2(ended.err.contains("more, none of them marked"), ended.err);
    QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString()}).status, 0);
}

void TestCliMount::changesAreTakenOverAtOnceWhenAskedFor()
{
    const auto run = [&](const QString &code) {
        return m_home.run({u"run"_s, u"--apply"_s, u"--json"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s,
                           u"-l"_s, u"sh"_s, u"-c"_s, code});
    };
    const Ended failed = run(u"echo 2 > data/a; exit 1"_s); // who failed may have stopped half-way
    QCOMPARE(readBack(u"data/a"_s), QByteArray("hello\n"));
    QVERIFY2(failed.err.contains("glovebox changes apply"), failed.err);
    m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString()});
    const Ended ended = run(u"echo 3 > data/a"_s);
    QCOMPARE(ended.json()["changes"_L1][0]["changes"_L1][0]["change"_L1].toString(), u"changed"_s);
    QCOMPARE(readBack(u"data/a"_s), QByteArray("3\n"));
}

void TestCliMount::aCopyLeavesNothingBehind()
{
    const auto runs = [&](const QStringList &more) {
        return m_home.run(QStringList{u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s} + more);
    };
    QCOMPARE(runs({u"-c"_s, u"print(open('data/a').read())"_s}).err, QByteArray());
    QCOMPARE(runs({u"-t"_s, u"0.3"_s, u"-c"_s, u"import time; time.sleep(9)"_s}).status, 124);
    QCOMPARE(runs({u"--mount"_s, u"/nonexistent:/mnt"_s, u"-c"_s, u"pass"_s}).status, 125);
    write(u"data/large"_s, QByteArray(2 * 1024 * 1024, 'x'));
    const Ended large = runs({u"--disk"_s, u"1"_s, u"-c"_s, u"pass"_s});
    QCOMPARE(large.status, 125);
    QVERIFY2(large.err.contains("more than 1 MB"), large.err);
    const Ended grows = runs({u"--disk"_s, u"3"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                              u"for i in $(seq 400); do head -c 1M /dev/zero > data/$i || exit 1; done"_s});
    QVERIFY2(grows.err.contains("with its 3 MB of disk space used up"), grows.err);
    m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString()});
    // A program that was killed leaves nothing on disk, since the copy is in memory.
    const auto killed = m_home.program({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:stage"_s, u"-l"_s,
                                        u"sh"_s, u"-c"_s, u"echo up; sleep 60"_s});
    killed->start();
    QByteArray output;
    QVERIFY(waitForOutput(*killed, "up", output));
    killed->kill();
    killed->waitForFinished();
    QVERIFY2(stagedFolders().isEmpty(), qPrintable(stagedFolders().join(u' ')));
    m_home.run({u"run"_s, u"-c"_s, u"pass"_s});
    QVERIFY2(stagedFolders().isEmpty(), qPrintable(stagedFolders().join(u' ')));
    QVERIFY(m_home.run({u"changes"_s, u"list"_s}).out.startsWith("No pending changes.\n"));
}

QTEST_GUILESS_MAIN(TestCliMount)
#include "tst_climount.moc"
