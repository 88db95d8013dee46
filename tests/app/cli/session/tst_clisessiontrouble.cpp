// SPDX-License-Identifier: Apache-2.0
// Sessions that are expired, damaged, of a newer version, not one's own or in the middle of something when the program is killed: a
// sentence each, with the way out, and what was there is there.
#include "sessionhome.h"

#include <QDeadlineTimer>

#include <grp.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliSessionTrouble : public QObject
{
    Q_OBJECT

private:
    // In a file system of a few MB below the home, gone with the shell.
    static Ended onSmallDisk(const SessionHome &home, const QString &script, const QString &size = u"6m"_s)
    {
        const auto process = home.program(
            {::geteuid() == 0 ? u"-m"_s : u"-rm"_s, u"sh"_s, u"-c"_s,
             u"mount -t tmpfs -o size="_s + size + u",mode=700 tmpfs \"$GLOVEBOX_HOME\" || exit 99\n"_s + script,
             programFile()});
        process->setProgram(u"unshare"_s);
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    }

    static QStringList bodiesOf(const QString &folder)
    {
        QStringList all;
        for (const QString &first : QDir(folder + u"/content"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            for (const QString &rest : QDir(folder + u"/content/"_s + first).entryList(QDir::Files))
                all.append(folder + u"/content/"_s + first + u'/' + rest);
        }
        return all;
    }

private Q_SLOTS:
    void anExpiredOneIsTold()
    {
        const SessionHome home;
        const QString folder = home.create({u"--ttl"_s, u"1h"_s});
        QCOMPARE(home.shell(u"echo x > a"_s).status, 0);
        const qint64 used = home.session({u"status"_s, u"shop"_s, u"--json"_s}).json()["used_us"_L1].toInteger();
        replaceInFile(folder + u"/session.json"_s, QByteArray("\"used_us\":") + QByteArray::number(used),
                      QByteArray("\"used_us\":") + QByteArray::number(used - 3'601'000'000));
        const QByteArray status = home.session({u"status"_s, u"shop"_s}).out;
        QVERIFY2(status.contains("expired") && status.contains("; deleted 1 hour later unless it is used"), status);
        const Ended listed = home.session({u"list"_s});
        QVERIFY2(listed.out.contains("expired, still kept"), listed.out);
        const QString doubt = folder + u"/doubt"_s; // as of looks in the course of an hour
        QCOMPARE(replaceFile(doubt, QByteArray::number(used - 3'601'000'000) + " 1 3600000000"), 0);
        QVERIFY(home.session({u"status"_s, u"shop"_s}).err.contains("The session shop expired on 20"));
        QVERIFY(home.session({u"list"_s}).out.startsWith("There are no sessions."));
        QVERIFY(QFile::exists(folder)); // those only look
        QVERIFY(QDir().mkpath(folder + u"0.removed/content"_s)); // of one that was killed while it deleted
        const Ended run = home.shell(u"true"_s);
        QCOMPARE(run.status, 125);
        QVERIFY2(run.err.contains("The session shop expired on 20") && run.err.contains("\"glovebox session create\""),
                 run.err);
        QVERIFY(!QFile::exists(folder)); // also where nobody starts anything but runs
        QVERIFY(!QFile::exists(folder + u"0.removed"_s));
        home.create(); // the name is free again
    }

    void oneOfANewerVersionIsLeftAlone()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QByteArray notes = contentOfFile(folder + u"/session.json"_s);
        replaceInFile(folder + u"/session.json"_s, "\"schema\":1", "\"schema\":5");
        const QString id = folder.section(u'/', -1);
        for (const QStringList &words : {QStringList{u"list"_s}, {u"status"_s, id}, {u"files"_s, id}}) {
            const Ended ended = home.session(words);
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.err.contains("A newer version of Glovebox made the session " + id.toUtf8()), ended.err);
            QVERIFY2(!ended.err.contains("session delete"), ended.err);
        }
        const Ended run = home.run({u"run"_s, u"--session"_s, id, u"-c"_s, u"1"_s});
        QVERIFY2(run.status == 125 && run.err.contains("A newer version of Glovebox"), run.err);
        const QByteArray says = "A newer version of Glovebox made the session shop. Use that version.";
        for (const QStringList &words :
             {QStringList{u"status"_s, u"shop"_s}, {u"create"_s, u"--name"_s, u"shop"_s}, {u"delete"_s, u"shop"_s}}) {
            const Ended ended = home.session(words);
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.err.contains(says), ended.err);
        }
        QCOMPARE(contentOfFile(folder + u"/session.json"_s), QByteArray(notes).replace("\"schema\":1", "\"schema\":5"));
    }

    void damagedNotesAreNamedAndCanBeDeleted()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QString id = folder.section(u'/', -1);
        QCOMPARE(home.session({u"create"_s, u"--name"_s, u"whole"_s}).status, 0);
        QFile notes(folder + u"/session.json"_s);
        QVERIFY(notes.resize(notes.size() / 2));
        const Ended list = home.session({u"list"_s});
        QCOMPARE(list.status, 1);
        QVERIFY2(list.out.contains("whole"), list.out);
        QVERIFY2(
            list.err.contains("can't be read. Restore session.json from a backup, or delete the session. To delete the "
                              "session: glovebox session delete "
                              + id.toUtf8() + '\n'),
            list.err);
        QVERIFY(home.session({u"status"_s, id.first(13)}).err.contains("can't be read. Restore session.json"));
        QCOMPARE(home.run({u"run"_s, u"--session"_s, id, u"-c"_s, u"1"_s}).status, 125);
        QVERIFY(home.session({u"delete"_s, id}).err.contains("which can't be read. Nobody is here to be asked"));
        QCOMPARE(home.session({u"delete"_s, id, u"--yes"_s}).status, 0);
        QVERIFY(!QFile::exists(folder));
        QCOMPARE(home.session({u"list"_s}).status, 0);
    }

    void aDamagedSnapshotHasAWayBack()
    {
        const SessionHome home;
        const QString folder = home.create();
        QCOMPARE(home.shell(u"echo one > a"_s).status, 0);
        const QStringList whole = bodiesOf(folder);
        QCOMPARE(home.shell(u"rm a"_s).status, 0);
        QCOMPARE(home.shell(u"echo one > b"_s).status, 0); // its list is the one new body
        const QStringList bodies = bodiesOf(folder);
        QVERIFY(bodies.size() == whole.size() + 1);
        for (const QString &body : bodies) {
            if (!whole.contains(body))
                QVERIFY(QFile::resize(body, 3));
        }
        const QByteArray way = "glovebox session rollback shop 3\n";
        for (const QStringList &words : {QStringList{u"files"_s, u"shop"_s},
                                         {u"get"_s, u"shop"_s, u"--to"_s, home.path(u"o"_s)},
                                         {u"put"_s, u"shop"_s, home.write(u"f"_s, "x")},
                                         {u"diff"_s, u"shop"_s}}) {
            const Ended ended = home.session(words);
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.err.contains("Snapshot 4 of the session is damaged") && ended.err.endsWith(way), ended.err);
        }
        const Ended run = home.shell(u"echo never"_s);
        QCOMPARE(run.status, 125);
        QVERIFY2(run.err.contains("Snapshot 4 of the session is damaged") && run.err.endsWith(way)
                     && !run.err.contains("doctor"),
                 run.err);
        QCOMPARE(home.session({u"rollback"_s, u"shop"_s, u"2"_s}).status, 0);
        QCOMPARE(home.shell(u"cat a"_s).out, "one\n");
    }

    void aDamagedFileIsNamed()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QStringList before = bodiesOf(folder);
        QCOMPARE(home.session({u"put"_s, u"shop"_s, home.write(u"good"_s, "good"), home.write(u"bad"_s, "untouched")})
                     .status,
                 0);
        for (const QString &body : bodiesOf(folder)) {
            if (contentOfFile(body) == "untouched")
                replaceInFile(body, "untouched", "otherwise");
        }
        const Ended run = home.shell(u"echo never"_s);
        QCOMPARE(run.status, 125);
        QCOMPARE(run.out, QByteArray());
        QVERIFY2(run.err.contains("The session's file \"bad\" is damaged on this machine's disk. Nothing was run."),
                 run.err);
        const Ended get = home.session({u"get"_s, u"shop"_s, u"--to"_s, home.path(u"out"_s)});
        QCOMPARE(get.status, 74);
        QVERIFY2(get.err.contains("The session's file \"bad\" is damaged") && get.err.contains("1 file was saved"),
                 get.err);
        QCOMPARE(QDir(home.path(u"out"_s)).entryList(QDir::Files), QStringList{u"good"_s});
        QCOMPARE(home.session({u"get"_s, u"shop"_s, u"bad"_s, u"--to"_s, u"-"_s}).out, QByteArray());
        QCOMPARE(home.session({u"remove"_s, u"shop"_s, u"bad"_s}).status, 0);
        QCOMPARE(home.shell(u"cat good"_s).out, "good");
    }

    // Each deletion is on record, and there is room for that.
    void onAFullDiskOneIsDeletedAndARunIsRefused()
    {
        const SessionHome home;
        const Ended ended = onSmallDisk(home, uR"(
cd "$GLOVEBOX_HOME"; "$0" session create --name shop >&2
"$0" session create --name other >&2
head -c 1000000 /dev/zero > large; "$0" session put shop large 2>/dev/null; rm large
cat /dev/zero > filled 2>/dev/null
"$0" run -l sh -c 'echo ran'; echo status $?
"$0" session delete --yes shop; echo status $?
"$0" session list --json | grep -c '"name"'
rm filled; "$0" run -l sh -c 'echo ran'
python3 -c 'import sqlite3; print(*sqlite3.connect("data/audit.db").execute("SELECT kind FROM entries ORDER BY seq"))'
)"_s,
                                        u"16m"_s);
        if (ended.status == 99)
            QSKIP("A file system in memory can't be mounted here.");
        QVERIFY2(ended.out.startsWith("status 125\nstatus 0\n1\n"), ended.out + ended.err);
        // For an ordinary user the disk is one of a user namespace, whose root is let run nothing.
        QVERIFY2(ended.out.contains("\nran\n") == (::geteuid() == 0), ended.out + ended.err);
        QVERIFY2(ended.out.contains("('session.deleted',) ('run.accepted',)"), ended.out);
        QVERIFY2(ended.err.contains("so no run starts"), ended.err);
    }

    void aFullDiskLeavesTheSessionAsItWas()
    {
        const SessionHome home;
        const Ended put = onSmallDisk(home, uR"(
cd "$GLOVEBOX_HOME"; "$0" session create --name shop >&2
echo first > first; "$0" session put shop first 2>/dev/null
mkdir many; for i in 1 2 3 4 5 6 7 8 9; do head -c 450000 /dev/urandom > many/$i; done
"$0" session put shop many; echo status $?
ls data/sessions/*/keeping data/sessions/*/content/incoming 2>/dev/null
"$0" session files shop; rm -r many
"$0" session put shop first --to again; echo status $?; "$0" session list
)"_s);
        if (put.status == 99)
            QSKIP("A file system in memory can't be mounted here.");
        QVERIFY2(put.err.contains("space left"), put.err);
        QCOMPARE(put.out.count("status 1\n"), 1);
        QVERIFY2(put.out.contains("  first\nstatus 0\n") && !put.out.contains("many/") && !put.out.contains("keeping"),
                 put.out);
    }

    void aRunWhoseFilesCannotBeKeptSaysSo()
    {
        const SessionHome home;
        const QString folder = home.create();
        QCOMPARE(home.shell(u"echo one > a"_s).status, 0);
        const auto run = home.program({u"run"_s, u"--session"_s, u"shop"_s, u"-q"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                                       u"echo two > a; echo begun; cat > b"_s});
        run->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*run, "begun", seen));
        // There is no place for files when the run has ended.
        const QString content = folder + u"/content"_s;
        QVERIFY(QFile::rename(content, content + u"-away"_s));
        QFile file(content);
        QVERIFY(file.open(QIODevice::WriteOnly));
        run->closeWriteChannel();
        const Ended ended = finish(*run);
        QVERIFY(file.remove() && QFile::rename(content + u"-away"_s, content));
        QCOMPARE(ended.status, 74);
        QVERIFY2(ended.err.contains("The run's files can't be kept, so the session has none of them:"), ended.err);
        QCOMPARE(home.shell(u"cat a"_s).out, "one\n");
        QCOMPARE(home.paths(), QStringList{u"a"_s});
    }

    void aFolderThatMayNotBeReadIsNotAnEmptyOne()
    {
        const SessionHome home;
        home.create();
        const QString sessions = home.path(u"data/sessions"_s);
        constexpr uid_t ordinaryUser = 61001;
        const auto asOrdinaryUser = [&](const QStringList &words) {
            const auto process = home.program(words);
            process->setChildProcessModifier([] {
                if (::geteuid() == 0
                    && (::setgroups(0, nullptr) != 0 || ::setresuid(ordinaryUser, ordinaryUser, ordinaryUser) != 0))
                    ::_exit(126);
            });
            process->start();
            process->closeWriteChannel();
            return finish(*process);
        };
        if (::geteuid() == 0)
            QCOMPARE(QProcess::execute(u"chown"_s, {u"-R"_s, QString::number(ordinaryUser), home.path()}), 0);
        QVERIFY(QFile::setPermissions(sessions, {}));
        for (const QStringList &words :
             {QStringList{u"session"_s, u"list"_s}, {u"session"_s, u"status"_s, u"shop"_s}}) {
            const Ended ended = asOrdinaryUser(words);
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.err.contains("can't be listed: Permission denied."), ended.err);
        }
        QCOMPARE(asOrdinaryUser({u"run"_s, u"--session"_s, u"shop"_s, u"-c"_s, u"1"_s}).status, 125);
        QCOMPARE(asOrdinaryUser({u"session"_s, u"create"_s}).status, 1);
        QVERIFY(QFile::setPermissions(sessions, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const Ended list = asOrdinaryUser({u"session"_s, u"list"_s});
        QVERIFY2(list.status == 0 && list.out.contains("shop"), list.err);
    }

    void aKillInTheMiddleOfAPutLeavesNothing()
    {
        const SessionHome home;
        const QString folder = home.create();
        QCOMPARE(home.session({u"put"_s, u"shop"_s, home.write(u"first"_s, "first")}).status, 0);
        const QStringList bodies = bodiesOf(folder);
        const QDir content(folder + u"/content"_s);
        const auto before = content.count();
        QVERIFY(QDir(home.path()).mkpath(u"many"_s));
        for (int i = 0; i < 600; ++i)
            home.write(u"many/%1"_s.arg(i), QByteArray::number(i));
        const auto put = home.program({u"session"_s, u"put"_s, u"shop"_s, home.path(u"many"_s)});
        put->start();
        const QDeadlineTimer deadline(30000);
        while (QDir(content.path()).count() < before + 4 && !deadline.hasExpired()) { } // the middle is short
        put->kill();
        QVERIFY(put->waitForFinished());
        QVERIFY(QFile::exists(folder + u"/keeping"_s)); // so that it was in the middle
        QCOMPARE(home.session({u"list"_s}).status, 0);
        QCOMPARE(home.paths(), QStringList{u"first"_s});
        QCOMPARE(home.shell(u"cat first; ls"_s).out, "first"
                                                     "first\nmain.sh\n");
        QCOMPARE(bodiesOf(folder), bodies);
        QVERIFY(!QFile::exists(folder + u"/keeping"_s));
    }
};

QTEST_GUILESS_MAIN(TestCliSessionTrouble)
#include "tst_clisessiontrouble.moc"
