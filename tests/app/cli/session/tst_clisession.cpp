// SPDX-License-Identifier: Apache-2.0
// `glovebox session` and `run --session`: a workspace that lasts, and the way back.
#include "sessionhome.h"
#include "tests/app/cli/terminal/desk.h"

#include "engine/base/base.h"
#include "tests/support/signals.h"

#include <QJsonArray>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliSession : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunFindsWhatTheOneBeforeLeft()
    {
        const SessionHome home;
        const Ended made =
            home.session({u"create"_s, u"--name"_s, u"shop"_s, u"--disk"_s, u"32"_s, u"--ttl"_s, u"12h"_s});
        QCOMPARE(made.status, 0);
        QVERIFY2(isId(QString::fromUtf8(made.out.chopped(1))), made.out);
        QCOMPARE(made.err, QByteArray()); // no terminal
        const Ended first = home.shell(u"echo one > a; mkdir d; echo x > d/e"_s);
        QCOMPARE(first.err, "glovebox: Session shop: 3 added. To undo: glovebox session rollback shop\n");
        const Ended second = home.shell(u"cat a; echo two > a; rm -r d"_s);
        QCOMPARE(second.out, "one\n");
        QCOMPARE(second.err, "glovebox: Session shop: 1 changed, 2 removed. To undo: glovebox session rollback shop\n");
        QCOMPARE(home.shell(u"cat a"_s, {u"-q"_s}).err, QByteArray());
        QCOMPARE(home.shell(u"echo 3 > c"_s, {u"-q"_s}).err, QByteArray());

        const QJsonObject status = home.session({u"status"_s, u"shop"_s, u"--json"_s}).json();
        QCOMPARE(status["disk_bytes"_L1].toInteger(), 32 * 1024 * 1024);
        QCOMPARE(status["ttl_s"_L1].toInteger(), 12 * 3600);
        QCOMPARE(status["files"_L1].toInt(), 2);
        QCOMPARE(status["snapshots"_L1].toInt(), 4);
        QCOMPARE(status["busy"_L1].toBool(true), false);
        const QJsonObject json = home.shell(u"true"_s, {u"--json"_s}).json();
        QCOMPARE(json["session"_L1], status["id"_L1]);
        QCOMPARE(home.runsOnRecord().first()["session"_L1], status["id"_L1]);
        QVERIFY(home.run({u"audit"_s, u"list"_s}).out.contains(" shop "));
        QVERIFY(home.run({u"run"_s, u"--json"_s, u"-c"_s, u"1"_s}).json()["session"_L1].isNull());
        QVERIFY(home.session({u"list"_s}).out.contains("shop "));
        QVERIFY(home.session({u"status"_s, u"last"_s}).out.startsWith("Session shop\n"));
    }

    void anAgentsSessionIsNotTakenForOnesOwn()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QString agents = folder.section(u'/', -1);
        replaceInFile(folder + u"/session.json"_s, "\"agent\":\"\"", "\"agent\":\"unpaired\"");
        QCOMPARE(home.session({u"status"_s, u"shop"_s, u"--json"_s}).json()["id"_L1].toString(), agents);
        const QString own = home.create().section(u'/', -1);
        QCOMPARE(home.session({u"status"_s, u"shop"_s, u"--json"_s}).json()["id"_L1].toString(), own);
        const QByteArray listed = home.session({u"list"_s}).out;
        QVERIFY2(listed.contains("\nshop ") && listed.contains('\n' + agents.toUtf8() + " (shop) "), listed);
        // The command that is ready to copy is about the agent's.
        const Ended ended = home.run({u"run"_s, u"--session"_s, agents, u"-l"_s, u"sh"_s, u"-c"_s, u"echo > a"_s});
        QVERIFY2(ended.err.endsWith("glovebox session fork " + agents.toUtf8() + '\n'), ended.err);
    }

    void whatIsRefusedIsRefusedWithASentence_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const QStringList &words, int status, const QByteArray &says) {
            QTest::newRow(qPrintable(words.join(u' '))) << words << status << says;
        };
        const QString create = u"create"_s;
        row({create, u"shop"_s}, 2, "Names follow --name: glovebox session create --name shop\n");
        row({create, u"--name"_s, u"a/b"_s}, 2, "\"a/b\" can't be a session's name.");
        row({create, u"--name"_s, u"last"_s}, 2, "\"last\" stands for the session that was used last.");
        row({create, u"--name"_s, u"shop"_s}, 1, "There is a session \"shop\" already. Give another name.");
        row({create, u"--ttl"_s, u"5"_s}, 2, "such as 30d or 12h, or never, not \"5\".");
        row({create, u"--disk"_s, u"0"_s}, 2, "--disk takes a whole number of MB");
        row({create, u"--allow"_s, u"x y"_s}, 2, "is not a host name");
        row({u"status"_s, u"nope"_s}, 1, "There is no session \"nope\". \"glovebox session list\" shows all.\n");
        row({u"rollback"_s, u"shop"_s}, 1, "Nothing was changed in session shop yet");
        row({u"rollback"_s, u"shop"_s, u"x"_s}, 2, "\"x\" is not the number of a snapshot.");
        row({u"rollback"_s, u"shop"_s, u"77"_s}, 1, "has no snapshot 77");
        row({u"fork"_s, u"shop"_s, u"0"_s}, 2, "\"0\" is not the number of a snapshot.");
        row({u"snapshot"_s, u"shop"_s}, 2, "glovebox session snapshot shop --label TEXT\n");
        row({u"snapshot"_s, u"shop"_s, u"--label"_s, QString(201, u'x')}, 1, "has 1 to 200 characters.");
        row({u"get"_s, u"shop"_s}, 2, "glovebox session get shop --to FOLDER\n");
        row({u"remove"_s, u"shop"_s}, 2, "To delete a session: glovebox session delete SESSION\n");
        row({u"remove"_s, u"shop"_s, u"/work"_s}, 2, "/work itself can't be removed.");
        row({u"remove"_s, u"shop"_s, u"nope"_s}, 1, "To list its files: glovebox session files shop\n");
        row({u"files"_s, u"rm"_s, u"shop"_s, u"a b"_s}, 2, "glovebox session remove shop 'a b'\n");
        row({u"delete"_s, u"shop"_s}, 1, "Nobody is here to be asked, so nothing was deleted. --yes asks nothing.\n");
        row({u"undo"_s}, 2, "Did you mean \"session rollback\"?");
    }
    void whatIsRefusedIsRefusedWithASentence()
    {
        QFETCH(QStringList, words);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        if (!m_shop) {
            m_shop = std::make_unique<SessionHome>();
            m_shop->create();
        }
        const Ended ended = m_shop->session(words);
        QCOMPARE(ended.status, status);
        QVERIFY2(ended.err.contains(says), ended.err);
        QCOMPARE(ended.out, QByteArray());
    }

    void whatRunTakesWithASession()
    {
        const SessionHome home;
        home.create({u"--allow"_s, u"example.org:443"_s, u"--allow"_s, u"pypi"_s});
        const Ended disk = home.shell(u"true"_s, {u"--disk"_s, u"5"_s});
        QCOMPARE(disk.status, 2);
        QVERIFY2(disk.err.endsWith("glovebox session fork shop --disk MB\n"), disk.err);
        const Ended none = home.run({u"run"_s, u"--session"_s, u"nope"_s, u"--json"_s, u"-c"_s, u"1"_s});
        QCOMPARE(none.status, 125);
        QCOMPARE(none.json()["outcome"_L1].toString(), u"rejected"_s);
        // The session's hosts are the run's beside its own, and a file that it is given is the session's.
        const QString file = home.write(u"given"_s, "content");
        const Ended ended =
            home.shell(u"true"_s, {u"--allow"_s, u"example.com"_s, u"--traffic"_s, u"1"_s, u"--file"_s, file});
        QCOMPARE(ended.status, 0);
        const QJsonObject run = home.run({u"audit"_s, u"show"_s, u"--json"_s}).json();
        const QJsonArray allowed = run["entries"_L1][0]["entry"_L1]["policy"_L1]["network"_L1]["allow"_L1].toArray();
        for (const QString &host : {u"example.com"_s, u"example.org:443"_s, u"pypi.org:443"_s})
            QVERIFY2(allowed.contains(host), qPrintable(host));
        QCOMPARE(home.paths(), QStringList{u"given"_s});
        QVERIFY(home.run({u"audit"_s, u"show"_s}).out.contains("  session     "));
    }

    void theWayBackAndForward()
    {
        const SessionHome home;
        const QString id = home.create().section(u'/', -1);
        QCOMPARE(home.session({u"diff"_s, u"shop"_s}).out, "Nothing was changed in session shop yet.\n");
        QCOMPARE(home.shell(u"echo one > a; chmod 755 a"_s).status, 0);
        QCOMPARE(home.shell(u"echo two > a; echo x > b; ln -s /etc l"_s).status, 0);
        QCOMPARE(home.session({u"diff"_s, u"shop"_s}).out, "  changed a\n  added   b\n  added   l -> /etc\n");
        const QJsonObject diff = home.session({u"diff"_s, u"shop"_s, u"3"_s, u"1"_s, u"--json"_s}).json();
        QCOMPARE(diff["changes"_L1].toArray().size(), 3);
        QCOMPARE(diff["changes"_L1][0]["change"_L1].toString(), u"removed"_s);
        QCOMPARE(home.session({u"diff"_s, u"shop"_s, u"3"_s, u"3"_s}).out, "Snapshots 3 and 3 are the same.\n");

        const Ended label = home.session({u"snapshot"_s, u"shop"_s, u"--label"_s, u"the \033[31mbest"_s});
        QVERIFY2(label.err.contains("\\x1b[31mbest") && label.err.endsWith("glovebox session rollback shop 3\n"),
                 label.err);
        const Ended back = home.session({u"rollback"_s, u"shop"_s});
        QCOMPARE(
            back.err,
            "glovebox: Session shop: 1 changed, 2 removed (snapshot 4). To undo: glovebox session rollback shop\n");
        QCOMPARE(home.shell(u"cat a; ls"_s).out, "one\na\nmain.sh\n");
        QCOMPARE(home.session({u"rollback"_s, u"shop"_s}).status, 0);
        QCOMPARE(home.shell(u"cat a b"_s).out, "two\nx\n");
        QCOMPARE(home.session({u"rollback"_s, u"shop"_s, u"5"_s}).err,
                 "glovebox: Session shop is as in snapshot 5 already.\n");

        const auto snapshots = home.objects({u"snapshots"_s, u"shop"_s});
        QStringList causes;
        for (const QJsonObject &snapshot : snapshots)
            causes.append(snapshot["cause"_L1].toString());
        QCOMPARE(causes, (QStringList{u"created"_s, u"run"_s, u"run"_s, u"rollback"_s, u"rollback"_s}));
        QCOMPARE(snapshots[2]["label"_L1].toString(), u"the \033[31mbest"_s);
        QVERIFY(snapshots[4]["head"_L1].toBool(false) && !snapshots[3]["head"_L1].toBool(true));
        const QByteArray table = home.session({u"snapshots"_s, u"shop"_s}).out;
        QVERIFY2(table.contains("\n*    5  ") && table.count('*') == 1, table);
        QVERIFY2(table.contains("+2 ~1 -0") && table.contains("\\x1b[31mbest") && !table.contains('\033'), table);

        // A fork begins as the other was, and goes its own way, with a disk of its own.
        QCOMPARE(home.session({u"fork"_s, u"shop"_s, u"2"_s, u"--name"_s, u"old"_s, u"--disk"_s, u"512"_s}).status, 0);
        const Ended shared = home.session({u"status"_s, u"shop"_s});
        QVERIFY2(shared.out.contains(", and other sessions share 4 bytes of that\n"), shared.out);
        QCOMPARE(home.session({u"status"_s, u"old"_s, u"--json"_s}).json()["shared_bytes"_L1].toInteger(), 4);
        QCOMPARE(home.run({u"run"_s, u"--session"_s, u"old"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"cat a; rm a"_s}).out,
                 "one\n");
        QCOMPARE(home.paths(), (QStringList{u"a"_s, u"b"_s, u"l"_s}));
        QCOMPARE(home.session({u"status"_s, u"old"_s, u"--json"_s}).json()["disk_bytes"_L1].toInteger(),
                 512 * 1024 * 1024);

        QCOMPARE(home.session({u"delete"_s, u"old"_s, id, u"--yes"_s}).status, 0);
        QVERIFY(home.session({u"list"_s}).out.startsWith("There are no sessions."));
        QVERIFY(QDir(home.path(u"data/sessions"_s)).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        QByteArrayList kinds; // of no run, each with a way to be shown
        for (int seq = 1;; ++seq) {
            const Ended shown = home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq)});
            if (shown.status != 0)
                break;
            if (const qsizetype begin = shown.out.indexOf("session."); shown.out.startsWith("Entry") && begin >= 0) {
                kinds.append(shown.out.sliced(begin, shown.out.indexOf('\n', begin) - begin));
                QVERIFY2(shown.out.contains("  session     "), shown.out);
                QVERIFY(home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq), u"--json"_s}).status == 0);
            }
        }
        QCOMPARE(kinds, (QByteArrayList{"session.created", "session.changed", "session.changed", "session.changed",
                                        "session.created", "session.deleted", "session.deleted"}));
    }

    void aSessionGetsAnotherName()
    {
        const SessionHome home;
        const QString folder = home.create();
        QCOMPARE(home.session({u"create"_s, u"--name"_s, u"taken"_s}).status, 0);
        const Ended renamed = home.session({u"rename"_s, u"shop"_s, u"store"_s});
        QCOMPARE(renamed.status, 0);
        QCOMPARE(renamed.err, "glovebox: Session shop is called store now.\n");
        QCOMPARE(home.session({u"status"_s, u"shop"_s}).status, 1);
        QCOMPARE(home.folderOf(home.objects({u"status"_s, u"store"_s})[0]["id"_L1].toString()), folder);
        const Ended taken = home.session({u"rename"_s, u"store"_s, u"taken"_s});
        QCOMPARE(taken.status, 1);
        QVERIFY2(taken.err.contains("There is a session \"taken\" already."), taken.err);
        QCOMPARE(home.session({u"rename"_s, u"store"_s, u"no/name"_s}).status, 1);
        QCOMPARE(home.session({u"rename"_s, u"store"_s, u"last"_s}).status, 2);
        QCOMPARE(home.objects({u"list"_s}).size(), 2);
        const QByteArray list = home.session({u"list"_s}).out;
        QVERIFY2(list.contains("\nstore ") || list.startsWith("store "), list);
    }

    // The session's own figure, not that of a run without one.
    void aFullSessionNamesItsDisk()
    {
        const SessionHome home;
        home.create({u"--disk"_s, u"64"_s});
        const Ended full = home.shell(u"head -c 100m /dev/zero > big"_s);
        QVERIFY2(full.err.contains("The run failed with its 64 MB of disk space used up."), full.err);
    }

    void atATerminalARollbackShowsAndAsks()
    {
        const SessionHome home;
        home.create();
        QCOMPARE(home.shell(u"echo one > a"_s).status, 0);
        Desk no(home, {u"session"_s, u"rollback"_s, u"shop"_s});
        QVERIFY2(no.waitFor("Make session shop again as it was in snapshot 1? [y/N] "), no.seen);
        QVERIFY2(no.seen.contains("  removed a\r\n"), no.seen);
        no.type("n\r");
        QCOMPARE(no.status(), 1);
        QCOMPARE(home.paths(), QStringList{u"a"_s});
        Desk yes(home, {u"session"_s, u"rollback"_s, u"shop"_s});
        QVERIFY2(yes.waitFor("[y/N] "), yes.seen);
        yes.type("y\r");
        QCOMPARE(yes.status(), 0);
        QCOMPARE(home.paths(), QStringList());
        Desk gone(home, {u"session"_s, u"delete"_s, u"shop"_s});
        QVERIFY2(gone.waitFor(
                     "0 files of 0 bytes, and 3 snapshots. Nothing restores the session; what its runs left is in the "
                     "log until \"glovebox audit prune\". Delete it? [y/N] "),
                 gone.seen);
        gone.type("y\r");
        QCOMPARE(gone.status(), 0);
        QVERIFY(home.session({u"list"_s}).out.startsWith("There are no sessions."));
    }

    void aRunWaitsForAnotherOneAndSaysSo()
    {
        const SessionHome home;
        home.create();
        const QStringList shop{u"run"_s, u"--session"_s, u"shop"_s, u"-l"_s, u"sh"_s, u"-c"_s};
        const auto first = home.program(shop + QStringList{u"echo begun; cat > left"_s});
        first->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*first, "begun", seen));
        const Ended put = home.session({u"put"_s, u"shop"_s, home.write(u"f"_s, "x")});
        QCOMPARE(put.status, 1);
        QVERIFY2(put.err.contains("is in use by a run, or by another program."), put.err);
        const QJsonObject status = home.session({u"status"_s, u"shop"_s, u"--json"_s}).json();
        QCOMPARE(status["busy"_L1].toBool(false), true);
        QCOMPARE(status["runs"_L1].toArray().size(), 1);
        QVERIFY(home.session({u"list"_s}).out.contains("in use"));

        const auto waitsOf = [](QProcess &process) {
            process.setReadChannel(QProcess::StandardError);
            while (process.waitForReadyRead()) {
                if (process.peek(4096).contains("glovebox session status shop\n"))
                    return process.readAllStandardError();
            }
            return QByteArray();
        };
        const auto second = home.program(shop + QStringList{u"cat left"_s});
        second->start();
        second->closeWriteChannel();
        QVERIFY(waitsOf(*second).startsWith("glovebox: Session shop is in use, so the run waits. Ctrl+C cancels it."));
        QVERIFY(home.session({u"status"_s, u"shop"_s}).out.contains("; 1 waits after it\n"));
        const auto cancelled = home.program(shop + QStringList{u"echo never > never"_s});
        cancelled->start();
        cancelled->closeWriteChannel();
        QVERIFY(!waitsOf(*cancelled).isEmpty());
        sendSignal(cancelled->processId(), SIGINT);
        const Ended never = finish(*cancelled);
        QCOMPARE(never.status, 130);
        QVERIFY2(never.err.contains("Nothing of the code ran."), never.err);
        QVERIFY(home.run({u"audit"_s, u"show"_s, u"last"_s}).out.contains("  never ran "));

        first->write("what the first left");
        first->closeWriteChannel();
        QCOMPARE(finish(*first).status, 0);
        const Ended ended = finish(*second);
        QCOMPARE(ended.status, 0);
        QCOMPARE(ended.out, "what the first left");
        QCOMPARE(home.paths(), QStringList{u"left"_s});
    }

    // What it leaves is a snapshot beside the session's files.
    void aParallelRunHasACopy()
    {
        const SessionHome home;
        home.create();
        const QStringList shop{u"run"_s, u"--session"_s, u"shop"_s, u"-l"_s, u"sh"_s, u"-c"_s};
        const auto first = home.program(shop + QStringList{u"echo begun; cat > left"_s});
        first->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*first, "begun", seen));
        const Ended parallel = home.shell(u"ls; echo x > beside"_s, {u"--parallel"_s});
        QCOMPARE(parallel.out, "main.sh\n");
        QCOMPARE(parallel.err,
                 "glovebox: Snapshot 2 of session shop: 1 added in the run's copy. To make the session so: "
                 "glovebox session rollback shop 2\n");
        first->closeWriteChannel();
        QCOMPARE(finish(*first).status, 0);
        QCOMPARE(home.paths(), QStringList{u"left"_s});
        const auto snapshots = home.objects({u"snapshots"_s, u"shop"_s});
        QCOMPARE(snapshots.size(), 3);
        QVERIFY(snapshots[1]["beside"_L1].toBool(false) && !snapshots[1]["head"_L1].toBool(true));
        QVERIFY(snapshots[2]["head"_L1].toBool(false));
        QCOMPARE(snapshots[2]["parent"_L1].toInt(), 1);
        QVERIFY(home.session({u"snapshots"_s, u"shop"_s}).out.contains("  parallel run "));
        QCOMPARE(home.shell(u"true"_s, {u"--parallel"_s}).err, QByteArray()); // nothing changed
        QVERIFY(
            home.run({u"audit"_s, u"show"_s, u"--json"_s}).json()["entries"_L1][0]["entry"_L1]["parallel"_L1].toBool());
        QCOMPARE(home.session({u"rollback"_s, u"shop"_s, u"2"_s}).status, 0);
        QCOMPARE(home.paths(), QStringList{u"beside"_s});
        const Ended none = home.run({u"run"_s, u"--parallel"_s, u"-c"_s, u"1"_s});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.err.contains("--parallel needs a session"), none.err);
    }

    // Not by the id, which nobody typed.
    void wordsAfterARunHaveTheNameOfItsSession()
    {
        const SessionHome home;
        home.create();
        const Ended missing = home.run({u"run"_s, u"--session"_s, u"shop"_s, u"-c"_s, u"import numpy"_s});
        QVERIFY2(missing.err.contains("glovebox session install shop --python numpy"), missing.err);
    }

private:
    std::unique_ptr<SessionHome> m_shop;
};

QTEST_GUILESS_MAIN(TestCliSession)
#include "tst_clisession.moc"
