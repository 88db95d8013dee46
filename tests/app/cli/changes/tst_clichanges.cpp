// SPDX-License-Identifier: Apache-2.0
// `glovebox changes`: the lines of what a run changed in copies, and the words around a decision.
#include "tests/app/cli/program.h"
#include "tests/app/cli/terminal/desk.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void linesOfEachKindOfChangeAreShown();
    void linesAreThereAsJson();
    void whatIsNamedIsShownAlone();
    void ofACopyThatCouldNotBeComparedNothingIsCalledUnchanged();
    void linesOfManyFilesHaveABound();
    void whoSeesNamesOnlyIsLedToTheLines();
    void aFileThatIsInTheOriginalByNowIsNotCalledEmpty();
    void whatIsDecidedIsNamed();
    void aPathOfTwoChangesIsNamedOnce();
    void whatIsMarkedWaitsWhereNobodyIsAsked();
    void undoingNamesWhatItIsAboutAndAsks();
    void filesToDiscardLeadToApplyingTheOthers();

private:
    Home m_home;
    std::unique_ptr<QTemporaryDir> m_room; // apart from the home, whose data is never shown

    QString at(const QString &name) const { return m_room->filePath(name); }
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(at(name));
        if (!QDir().mkpath(QFileInfo(file).path()) || !file.open(QIODevice::WriteOnly)
            || file.write(content) != content.size())
            qFatal("A test file can't be written.");
    }
    // As root, runs belong to a user who owns nothing. Returns the run's id.
    QString change(const QString &folder, const QString &script) const
    {
        QProcess::execute(u"chmod"_s, {u"-R"_s, u"a+rwX"_s, at(folder)});
        const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(folder) + u":/work/x:stage"_s, u"-l"_s, u"sh"_s,
                                        u"-c"_s, u"cd x; "_s + script});
        if (ended.status != 0)
            qWarning() << ended.err;
        return m_home.runsOnRecord().value(0)["run"_L1].toString();
    }
    Ended changes(const QStringList &words) const { return m_home.run(QStringList{u"changes"_s} + words); }
};

void TestCliChanges::init()
{
    m_room = std::make_unique<QTemporaryDir>(u"/var/tmp/glovebox-test-XXXXXX"_s);
    QVERIFY(::chmod(QFile::encodeName(m_room->path()).constData(), 0755) == 0);
}

void TestCliChanges::linesOfEachKindOfChangeAreShown()
{
    write(u"d/text"_s, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    write(u"d/open"_s, "same\nend\n");
    write(u"d/gone"_s, "was\n");
    write(u"d/mode"_s, "x\n");
    write(u"d/binary"_s, "x\n");
    write(u"d/link"_s, "x\n");
    change(u"d"_s, u"sed -i 's/^5$/five/' text; printf 'same\\nend' > open; rm gone; chmod a+x mode; "
                   "printf '\\000x' > binary; ln -sf text link; printf 'new\\033[2J\\ttab\\n' > new; : > empty; "
                   "printf '\\377\\n' > latin; head -c 1200000 /dev/zero | tr '\\0' a > big; mkdir folder; "
                   "head -c 3000 /dev/zero | tr '\\0' b > long"_s);
    const QByteArray shown = changes({u"show"_s, u"last"_s, u"--diff"_s}).out;
    for (const QByteArray &text : QByteArrayList{
             "  changed text\n    @@ -2,7 +2,7 @@\n     2\n     3\n     4\n    -5\n    +five\n     6\n     7\n     8\n",
             "  changed open\n    @@ -1,2 +1,2 @@\n     same\n    -end\n    +end\n"
             "    \\ No newline at the end of the file\n",
             "  removed gone\n    @@ -1,1 +0,0 @@\n    -was\n", "  changed mode (0", "    The content is the same.\n",
             "  changed binary\n    This file is not text in UTF-8.\n",
             "  added   new\n    @@ -0,0 +1,1 @@\n    +new\\x1b[2J\ttab\n", "  added   empty\n    The file is empty.\n",
             "  added   latin\n    This file is not text in UTF-8.\n",
             "  added   big\n    big is too large to be compared here.\n", "  added   folder/\n",
             "  added   link -> text\n",
             "bbb [... and 2000 more characters]\n    \\ No newline at the end of the file\n"})
        QVERIFY2(shown.contains(text), text + " isn't in\n" + shown.left(4000));
    QVERIFY(!shown.contains('\033') && !shown.contains("--diff"));
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::linesAreThereAsJson()
{
    write(u"d/a"_s, "one\ntwo");
    write(u"d/b"_s, "x\n");
    const QString run = change(u"d"_s, u"printf 'one\\n2\\n' > a; printf '\\000' > b; mkdir c"_s);
    const auto changesOf = [](const Ended &ended) {
        return ended.json()["folders"_L1][0]["changes"_L1].toArray(); // the contract is checked meanwhile
    };
    const QJsonArray shown = changesOf(changes({u"show"_s, run, u"--diff"_s, u"--json"_s}));
    QCOMPARE(shown.size(), 3);
    const auto line = [](const char *kind, const char *text, QJsonValue before, QJsonValue after, bool newline) {
        return QJsonObject{{u"kind"_s, QLatin1StringView(kind)},
                           {u"text"_s, QLatin1StringView(text)},
                           {u"before"_s, before},
                           {u"after"_s, after},
                           {u"newline"_s, newline}};
    };
    QCOMPARE(shown[0]["diff"_L1].toObject(),
             (QJsonObject{{u"lines"_s,
                           QJsonArray{line("same", "one", 1, 1, true), line("removed", "two", 2, QJsonValue(), false),
                                      line("added", "2", QJsonValue(), 2, true)}},
                          {u"left_out"_s, 0},
                          {u"why"_s, QJsonValue()}}));
    QCOMPARE(shown[1]["diff"_L1].toObject(),
             (QJsonObject{
                 {u"lines"_s, QJsonValue()}, {u"left_out"_s, 0}, {u"why"_s, u"This file is not text in UTF-8."_s}}));
    QVERIFY(shown[2]["diff"_L1].isNull());
    for (const auto change : changesOf(changes({u"show"_s, run, u"--json"_s})))
        QVERIFY(!change.toObject().contains("diff"_L1));
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::whatIsNamedIsShownAlone()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo 2 > a; mkdir -p new/deep; echo 3 > new/deep/b; echo 4 > newer"_s);
    const QByteArray named = changes({u"show"_s, run, u"--diff"_s, u"new"_s}).out;
    QVERIFY2(named.contains("+3\n") && named.contains("  added   new/\n") && !named.contains("+2\n"), named);
    QVERIFY2(!named.contains("newer"), named);
    const QByteArray one = changes({u"show"_s, run, u"--"_s, at(u"d/a"_s)}).out;
    QVERIFY2(one.contains("  changed a\n") && !one.contains("new"), one);
    // As somebody types them who stands in the folder that holds d.
    const auto fromRoom = [&](const QStringList &words) {
        const auto program = m_home.program(QStringList{u"changes"_s} + words);
        program->setWorkingDirectory(m_room->path());
        program->start();
        return finish(*program);
    };
    for (const QString &name : {u"d"_s, u"./d/"_s, at(u"d"_s), u"/work/x"_s}) {
        const QByteArray all = fromRoom({u"show"_s, run, name}).out;
        QVERIFY2(all.contains("  changed a\n") && all.contains("new/deep/b") && all.contains("newer"), all);
    }
    for (const QString &name : {u"d/new/deep"_s, u"./d/new/deep/"_s}) {
        const QByteArray below = fromRoom({u"show"_s, run, name}).out;
        QVERIFY2(below.contains("new/deep/b") && !below.contains("  changed a\n"), below);
    }
    const QByteArray below = fromRoom({u"apply"_s, run, u"d"_s}).err;
    QVERIFY2(below.contains("d itself wasn't changed, but what is below it. Name each file: \"glovebox changes show "
                            + run.toUtf8() + " -- d\" lists them."),
             below);
    const QByteArray applied = fromRoom({u"apply"_s, run, u"d/a"_s}).err;
    QVERIFY2(applied.contains("1 change was applied."), applied);
    const Ended none = changes({u"show"_s, run, u"--diff"_s, u"deep"_s});
    QVERIFY2(none.status == 1 && none.err.contains("Nothing at deep was changed by this run."), none.err);
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::ofACopyThatCouldNotBeComparedNothingIsCalledUnchanged()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo 2 > a; for i in $(seq 120); do mkdir d; cd d; done"_s);
    for (const QString &name : {at(u"d"_s), at(u"d/b"_s), u"/work/x"_s, u"/work/x/b/"_s, u"b"_s}) {
        for (const QString &command : {u"show"_s, u"apply"_s}) {
            const Ended named = changes({command, run, name});
            QCOMPARE(named.status, 1);
            QVERIFY2(named.err.contains("isn't known: The copy of " + at(u"d"_s).toUtf8()
                                        + " is too large, too deep or too private to be compared"),
                     named.err);
            QVERIFY2(!named.err.contains("Nothing at"), named.err);
        }
    }
    const Ended list = changes({u"list"_s});
    QVERIFY2(
        list.out.startsWith(run.toUtf8() + "  the copy of " + at(u"d"_s).toUtf8() + ", which couldn't be compared\n"),
        list.out);
    QVERIFY2(changes({u"show"_s, run, u"/elsewhere"_s}).err.contains("Nothing at /elsewhere"), qPrintable(run));
    changes({u"discard"_s, run});
}

void TestCliChanges::linesOfManyFilesHaveABound()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"for i in $(seq 1100); do echo $i > f$i; done; seq 6000 > many"_s);
    const QByteArray few = changes({u"show"_s, run, u"--diff"_s}).out;
    QVERIFY2(few.count("\n  added ") == 40 && few.contains("  ... and 1061 more, none of them marked\n"),
             few.left(2000));
    const QByteArray many = changes({u"show"_s, run, u"--diff"_s, u"many"_s}).out;
    QVERIFY2(many.contains("    +5000\n    ... and 1000 more lines\n"), many.right(200));
    const QJsonArray all =
        changes({u"show"_s, run, u"--diff"_s, u"--json"_s}).json()["folders"_L1][0]["changes"_L1].toArray();
    QCOMPARE(all.size(), 1101);
    const auto isLeftOut = [](const QJsonValue &change) {
        return change["diff"_L1]["why"_L1].toString().startsWith(u"The lines are left out"_s);
    };
    QCOMPARE(std::ranges::count_if(all, isLeftOut), 101);
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::whoSeesNamesOnlyIsLedToTheLines()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo 2 > a"_s);
    const QByteArray shown = changes({u"show"_s, u"last"_s}).out;
    QVERIFY2(shown.endsWith("glovebox changes show " + run.toUtf8() + " --diff\n"), shown);
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::aFileThatIsInTheOriginalByNowIsNotCalledEmpty()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo same > b; : > c"_s);
    write(u"d/b"_s, "same\n");
    const QByteArray shown = changes({u"show"_s, run, u"--diff"_s}).out;
    QVERIFY2(shown.contains("  added   b\n    The content is the same.\n"), shown);
    QVERIFY2(shown.contains("  added   c\n    The file is empty.\n"), shown);
    changes({u"discard"_s, run});
}

void TestCliChanges::whatIsDecidedIsNamed()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo 2 > a; for i in 1 2 3 4 5 6; do echo $i > f$i; done"_s);
    const QByteArray folder = at(u"d"_s).toUtf8();
    const QByteArray six = "glovebox: In " + folder + ": f1, f2, f3, f4, f5, and 1 more\n";
    const QByteArray applied = changes({u"apply"_s, u"last"_s, u"a"_s}).err;
    QVERIFY2(applied.startsWith("glovebox: To be applied: changes of run " + run.toUtf8() + " of 20"), applied);
    QVERIFY2(applied.contains("1 change was applied.\nglovebox: In " + folder + ": a\n"), applied);
    const QByteArray undone = changes({u"undo"_s}).err;
    QVERIFY2(undone.startsWith("glovebox: Undoing the changes of run " + run.toUtf8() + " of 20")
                 && undone.contains(" in " + folder + ".\n"),
             undone);
    QVERIFY2(undone.contains("1 change was undone.\nglovebox: In " + folder + ": a\n"), undone);
    changes({u"apply"_s, u"last"_s, u"a"_s});
    {
        Desk desk(m_home, {u"changes"_s, u"discard"_s, u"last"_s});
        QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
        QVERIFY2(desk.seen.contains("Changes in the copy of " + folder + ":") && desk.seen.contains("  added   f6"),
                 desk.seen);
        desk.type("n\r");
        QCOMPARE(desk.status(), 1);
    }
    const QByteArray discarded = changes({u"discard"_s, u"last"_s}).err;
    QVERIFY2(discarded.contains(run.toUtf8() + " that waited were discarded.\n" + six), discarded);
    changes({u"undo"_s});
    changes({u"discard"_s, run});
}

// A file that takes a link's place is a link that was removed and a file that was added.
void TestCliChanges::aPathOfTwoChangesIsNamedOnce()
{
    write(u"d/a"_s, "one\n");
    QVERIFY(QFile::link(u"a"_s, at(u"d/l"_s)));
    change(u"d"_s, u"rm l; echo 2 > l"_s);
    const QByteArray applied = changes({u"apply"_s, u"last"_s}).err;
    QVERIFY2(applied.contains("2 changes were applied.\nglovebox: In " + at(u"d"_s).toUtf8() + ": l\n"), applied);
}

void TestCliChanges::whatIsMarkedWaitsWhereNobodyIsAsked()
{
    write(u"d/a"_s, "one\n");
    change(u"d"_s, u"echo two > a; echo all: > Makefile"_s);
    const Ended applied = changes({u"apply"_s, u"last"_s});
    QCOMPARE(applied.status, 1);
    QVERIFY2(applied.err.contains("1 change is marked or withheld and goes on waiting: name it, or add --yes.\n")
                 && applied.err.contains("1 change was applied."),
             applied.err);
    QVERIFY(!QFile::exists(at(u"d/Makefile"_s)));
    const Ended none = changes({u"apply"_s, u"last"_s});
    QVERIFY2(none.status == 1 && !QFile::exists(at(u"d/Makefile"_s)), none.err);
    QCOMPARE(changes({u"apply"_s, u"last"_s, u"Makefile"_s}).status, 0);
    QVERIFY(QFile::exists(at(u"d/Makefile"_s)));
    change(u"d"_s, u"echo some: > Makefile"_s);
    QCOMPARE(changes({u"apply"_s, u"last"_s, u"--yes"_s}).status, 0);
    QFile now(at(u"d/Makefile"_s));
    QVERIFY(now.open(QIODevice::ReadOnly));
    QCOMPARE(now.readAll(), "some:\n");
}

void TestCliChanges::undoingNamesWhatItIsAboutAndAsks()
{
    write(u"d/a"_s, "one\n");
    const QString run = change(u"d"_s, u"echo 2 > a"_s);
    changes({u"apply"_s, u"last"_s});
    const QByteArray place = "In " + at(u"d"_s).toUtf8() + ": a\r\n";
    for (const QByteArray answer : {"n\r", "y\r"}) {
        Desk desk(m_home, {u"changes"_s, u"undo"_s});
        QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
        QVERIFY2(desk.seen.contains("Run " + run.toUtf8() + " of 20") && desk.seen.contains(place), desk.seen);
        desk.type(answer);
        QCOMPARE(desk.status(), answer == "n\r" ? 1 : 0);
        QCOMPARE(changes({u"list"_s}).out.contains("can be undone"), answer == "n\r");
    }
    changes({u"apply"_s, u"last"_s});
    Desk desk(m_home, {u"changes"_s, u"undo"_s, u"--yes"_s});
    QCOMPARE(desk.status(), 0);
    QVERIFY2(desk.seen.contains("Undoing the changes of run " + run.toUtf8()) && !desk.seen.contains("[y/N]"),
             desk.seen);
    changes({u"discard"_s, u"last"_s});
}

void TestCliChanges::filesToDiscardLeadToApplyingTheOthers()
{
    const Ended discard = changes({u"discard"_s, u"last"_s, u"b"_s});
    QCOMPARE(discard.status, 2);
    QVERIFY2(discard.err.contains("\"changes discard\" takes all that waits of a run.")
                 && discard.err.endsWith("glovebox changes apply last PATH\n"),
             discard.err);
    const Ended undo = changes({u"undo"_s, u"last"_s, u"b"_s});
    QVERIFY2(undo.status == 2 && undo.err.contains("takes all files of one run"), undo.err);
}

QTEST_GUILESS_MAIN(TestCliChanges)
#include "tst_clichanges.moc"
