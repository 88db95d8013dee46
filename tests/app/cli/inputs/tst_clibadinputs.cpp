// SPDX-License-Identifier: Apache-2.0
// What people give by mistake, and places that are not as they should be: each has a sentence with the cause and the way out.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// In an empty folder of the home's. Root obeys permissions there, too, but for folders of other users.
Ended bySubjectShell(const Home &home, const QString &command)
{
    const auto process = home.program({u"-c"_s, command, programFile()});
    process->setProgram(u"/bin/sh"_s);
    if (::geteuid() == 0) {
        const QString few = u"-dac_override,-dac_read_search"_s;
        process->setArguments(QStringList{u"--bounding-set"_s, few, u"--inh-caps"_s, few, u"/bin/sh"_s}
                              + process->arguments());
        process->setProgram(u"/usr/bin/setpriv"_s);
    }
    process->setWorkingDirectory(home.path());
    process->start();
    process->closeWriteChannel();
    return finish(*process);
}

} // namespace

class TestCliBadInputs : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theWayOutIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *name, const QStringList &arguments, int status, const QByteArray &says) {
            QTest::newRow(name) << arguments << status << says;
        };
        row("a run's id that is empty", {u"audit"_s, u"show"_s, u""_s}, 1, "The name of the run is empty");
        row("an entry that isn't there", {u"artifact"_s, u"list"_s, u"99999"_s}, 1, "\"glovebox audit list\"");
        row("files of an entry of no run", {u"artifact"_s, u"list"_s, u"3"_s}, 1,
            "Entry 3 of the log belongs to no run.");
        row("changes of no run", {u"changes"_s, u"show"_s, u"nosuchrun"_s}, 1, "\"glovebox changes list\"");
        row("undoing no run's", {u"changes"_s, u"undo"_s, u"nosuchrun"_s}, 1,
            "No changes of a run nosuchrun can be undone. Only those that were applied last can, and there are none.");
        row("undoing the last run's", {u"changes"_s, u"undo"_s, u"last"_s}, 1, "No applied changes can be undone.");
        row("a word after mcp", {u"mcp"_s, u"list"_s}, 2, "Did you mean \"mcp clients\"?");
        row("removing a client", {u"mcp"_s, u"remove"_s, u"x"_s}, 2, "Did you mean \"mcp uninstall\"?");
        row("another word after mcp", {u"mcp"_s, u"frobnicate"_s}, 2, "\"mcp install\", \"mcp uninstall\"");
        row("removing a profile", {u"profile"_s, u"remove"_s, u"x"_s}, 2, "Did you mean \"profile delete\"?");
        row("deleting a package", {u"package"_s, u"delete"_s, u"x"_s}, 2, "Did you mean \"package remove\"?");
        row("printing a session's file", {u"session"_s, u"cat"_s, u"a"_s}, 2, "Did you mean \"session get\"?");
        row("one process", {u"run"_s, u"--procs"_s, u"1"_s, u"-c"_s, u"import os; os.fork()"_s}, 1,
            "its limit of 1 process");
        row("packages of Node.js that are none", {u"run"_s, u"-l"_s, u"node"_s, u"--with"_s, u"-x"_s, u"-c"_s, u"1"_s},
            2, "such as lodash@4");
        row("a registry that is none",
            {u"run"_s, u"-l"_s, u"node"_s, u"--with"_s, u"lodash"_s, u"--index"_s, u"http://x"_s, u"-c"_s, u"1"_s}, 125,
            "Write one as https://registry.npmjs.org.");
        row("packages for a file of Node.js", {u"run"_s, u"main.mjs"_s, u"--with"_s, u"http://x"_s}, 2,
            "such as lodash@4");
        row("packages for a file of Python", {u"run"_s, u"main.py"_s, u"--with"_s, u"http://x"_s}, 2, "such as pandas");
        row("packages for a shell", {u"run"_s, u"--with"_s, u"numpy"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"1"_s}, 2,
            "Packages can be installed for");
        row("packages for a file of a shell", {u"run"_s, u"main.sh"_s, u"--with"_s, u"numpy"_s}, 2,
            "Packages can be installed for");
        row("locked packages for a shell", {u"run"_s, u"-l"_s, u"bash"_s, u"--locked"_s, u"x"_s, u"-c"_s, u"1"_s}, 2,
            "Packages can be installed for");
        row("a source for a shell", {u"run"_s, u"-l"_s, u"sh"_s, u"--allow-source"_s, u"numpy"_s, u"-c"_s, u"1"_s}, 2,
            "--allow-source has no effect");
        row("a folder at no path", {u"run"_s, u"--mount"_s, u"data:"_s, u"-c"_s, u"1"_s}, 2, "PATH is missing");
        row("an outcome of other programs", {u"audit"_s, u"list"_s, u"--outcome"_s, u"success"_s}, 2,
            "Did you mean completed? The outcomes are completed, failed,");
        row("a secret's value as an argument", {u"secret"_s, u"set"_s, u"K"_s, u"value"_s}, 2,
            "type it when asked, or pass it on standard input");
        row("a secret with its value", {u"secret"_s, u"set"_s, u"K=value"_s}, 2,
            "in the shell's history, so change it. To be asked for the new one: glovebox secret set K.");
        row("a folder whose name is too long",
            {u"run"_s, u"--mount"_s, QString(300, u'a') + u":/mnt/x"_s, u"-c"_s, u"1"_s}, 125,
            "can't be opened: File name too long. Name another one.");
        row("a name of a session that is one character too long",
            {u"session"_s, u"create"_s, u"--name"_s, QString(65, u'a')}, 2, "aaa [...]\" can't be");
        row("a lock file below no folder",
            {u"run"_s, u"-l"_s, u"node"_s, u"--with"_s, u"lodash"_s, u"--yes"_s, u"--lock"_s, u"/nonexistent/a.lock"_s,
             u"-c"_s, u"1"_s},
            125, "glovebox: There is no folder \"/nonexistent\" for the lock file.");
        row("artifacts below no folder",
            {u"run"_s, u"--artifacts"_s, u"/nonexistent/folder/out"_s, u"-c"_s, u"print(1)"_s}, 125,
            "There is no folder \"/nonexistent/folder\"");
    }

    void theWayOutIsSaid()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, status);
        QFETCH(const QByteArray, says);
        const Home home;
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        const Ended ended = home.run(arguments);
        QVERIFY2(ended.status == status, ended.err);
        QVERIFY2(ended.err.contains(says), ended.err);
    }

    void aFileWithTheNameOfTheCodeIsWrongUsage()
    {
        const Home home;
        home.write(u"main.py"_s, "print(1)\n");
        home.write(u"f.py"_s, "print(2)\n");
        home.write(u"script"_s, "#!/usr/bin/python3\n");
        for (const QString &typed :
             {u"run --file main.py -c 1"_s, u"run --file main.py f.py"_s, u"run --file main.py script"_s,
              u"run --file main.py - <f.py"_s, u"run --file main.py - <script"_s, u"run -l py --file main.py <f.py"_s,
              u"batch --file main.py f.py"_s, u"batch --file main.py script f.py"_s}) {
            const Ended ended = bySubjectShell(home, u"\"$0\" "_s + typed);
            QVERIFY2(ended.status == 2 && ended.out.isEmpty(),
                     qPrintable(typed + u'\n' + QString::fromUtf8(ended.err)));
            QVERIFY2(ended.err.contains("The name \"main.py\" is taken by the code itself. Rename the file."),
                     ended.err);
        }
        const Ended other = bySubjectShell(home, u"echo 'cat main.py' | \"$0\" run -l sh --file main.py -"_s);
        QVERIFY2(other.status == 0 && other.out == "print(1)\n", other.err);
    }

    void placesThatLeadNowhereAreNamed_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("a home that depends on the folder")
            << u"unset GLOVEBOX_HOME; HOME=here \"$0\" run -c 1"_s
            << QByteArray(
                   "HOME must be an absolute path, not here. Set HOME to your home folder, or set GLOVEBOX_HOME");
        QTest::newRow("a link to nothing")
            << u"ln -s nowhere d.py; \"$0\" run d.py"_s << QByteArray("\"d.py\" is a link to a file that isn't there.");
        QTest::newRow("a copy whose folder is gone")
            << u"mkdir z; \"$0\" run --mount ./z:/mnt/z:stage -l sh -c 'echo 2 >/mnt/z/x'; rmdir z; "
               "\"$0\" changes apply last"_s
            << QByteArray("0 changes were applied.\nglovebox: All of them wait: \"glovebox changes show ");
    }
    void placesThatLeadNowhereAreNamed()
    {
        QFETCH(const QString, typed);
        QFETCH(const QByteArray, says);
        const Home home;
        const Ended ended = bySubjectShell(home, typed);
        QVERIFY2(ended.status != 0 && ended.err.contains(says), ended.err);
    }

    void theBeginningOfSeveralIdsListsThem()
    {
        const Home home;
        QStringList ids; // begin with the time: those of about a minute have eight digits in common
        while (ids.size() < 2 || ids[0].first(8) != ids[1].first(8))
            ids.prepend(
                home.run({u"run"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).json()[u"id"_s].toString());
        const Ended shown = home.run({u"audit"_s, u"show"_s, ids[0].first(8)});
        QCOMPARE(shown.status, 1);
        QVERIFY2(shown.err.contains("More than one run has an id that begins with " + ids[0].first(8).toUtf8())
                     && shown.err.contains(ids[0].toUtf8()) && shown.err.contains(ids[1].toUtf8()),
                 shown.err);
    }

    // Whoever may not read a folder: a person, or as root the user to whom runs belong.
    void nothingIsAdvisedThatGivesOthersARight()
    {
        const Home home;
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        const Ended ended = bySubjectShell(home, u"mkdir shut; chmod 0 shut; \"$0\" run --mount shut:/mnt/x -c 1"_s);
        for (const char *wider : {"chmod", "everybody", "permissions"})
            QVERIFY2(ended.status == 125 && !ended.err.contains(wider), ended.err);
        QVERIFY2(ended.err.contains("may not read"), ended.err);
    }

    void aWordOfAnyLengthLeavesTheSentenceReadable()
    {
        const Home home;
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        const QString word(100'000, u'a');
        for (const QStringList &arguments : {QStringList{word},
                                             {u"audit"_s, u"show"_s, word},
                                             {u"run"_s, word},
                                             {u"run"_s, u"--"_s + word},
                                             {u"settings"_s, u"get"_s, word},
                                             {u"session"_s, u"status"_s, word},
                                             {u"changes"_s, u"show"_s, word}}) {
            const Ended ended = home.run(arguments);
            QVERIFY2(ended.status != 0 && ended.err.size() < 2100, ended.err.left(200) + ended.err.right(200));
            QVERIFY(ended.err.startsWith("glovebox: ") && ended.err.endsWith(".\n"));
        }
    }

    // As of an unset variable of a script: no choice of all files, of /work, or of no name.
    void anEmptyWordIsNoChoice()
    {
        const Home home;
        QCOMPARE(home.run({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        const QString file = home.write(u"a"_s, "x");
        QCOMPARE(home.run({u"session"_s, u"put"_s, u"shop"_s, file}).status, 0);
        const QString none;
        for (const QStringList &arguments : {QStringList{u"rename"_s, u"shop"_s, none},
                                             {u"get"_s, u"shop"_s, none, u"--to"_s, home.path(u"out"_s)},
                                             {u"files"_s, u"shop"_s, none},
                                             {u"remove"_s, u"shop"_s, none},
                                             {u"put"_s, u"shop"_s, none},
                                             {u"put"_s, u"shop"_s, file, u"--to"_s, none},
                                             {u"uninstall"_s, u"shop"_s, none},
                                             {u"open"_s, u"shop"_s, none}}) {
            const Ended ended = home.run(QStringList{u"session"_s} + arguments);
            QVERIFY2(ended.status == 2, ended.err);
            QVERIFY2(ended.err.contains("(an unset variable?)"), ended.err);
        }
        QVERIFY(!QFile::exists(home.path(u"out"_s)));
        const Ended back = home.run({u"session"_s, u"rollback"_s, u"shop"_s, u"99"_s});
        QVERIFY2(back.err.contains("\"glovebox session snapshots shop\" lists"), back.err);
    }

    // One reason and one way out: those of the folder are for folders that Glovebox chose itself.
    void aSocketInABadFolderHasOneWayOut()
    {
        const Home home;
        home.write(u"file"_s, "x");
        QVERIFY(QDir().mkdir(home.path(u"everybodys"_s))
                && ::chmod(QFile::encodeName(home.path(u"everybodys"_s)).constData(), 01777) == 0);
        for (const QString &place : {home.path(u"file/s"_s), u"/proc/none/s"_s, home.path(u"everybodys/s"_s)}) {
            const QByteArray err = home.run({u"mcp"_s, u"--http-socket"_s, place}).err;
            QVERIFY2(err.contains("The socket " + place.toUtf8() + " needs a folder that is yours alone"), err);
            QVERIFY2(err.count(". ") <= 2 && !err.contains("GLOVEBOX_HOME") && !err.contains("aside"), err);
        }
    }

    // Descriptors of Glovebox's own are no files of the person's: one is the audit log.
    void aDescriptorThatNobodyGaveIsNoFile()
    {
        const Home home;
        QCOMPARE(home.run({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        for (int number = 3; number < 16; ++number) {
            const int flags = ::fcntl(number, F_GETFD);
            if (flags >= 0 && (flags & FD_CLOEXEC) == 0)
                continue; // whoever started the test gave it
            for (const QString &folder : {u"/dev/fd/"_s, u"/proc/self/fd/"_s, u"/proc/thread-self/fd/"_s}) {
                const QString file = folder + QString::number(number);
                const Ended ended = home.run({u"run"_s, u"--stdin"_s, file, u"-l"_s, u"sh"_s, u"-c"_s, u"cat"_s});
                QVERIFY2(ended.status == 125 && ended.out.isEmpty(), (file + u": "_s).toUtf8() + ended.out.left(99));
                QVERIFY2(ended.err.contains("There is no file \"" + file.toUtf8() + '"'), ended.err);
            }
            const QString file = u"/dev/fd/"_s + QString::number(number);
            const Ended put = home.run({u"session"_s, u"put"_s, u"shop"_s, file});
            QVERIFY2(put.status == 1 && put.err.contains("can't be read") && put.err.contains("Nothing was copied."),
                     put.err);
        }
        const Ended given =
            bySubjectShell(home, u"echo given >given; \"$0\" run --stdin /dev/fd/7 -l sh -c cat 7<given && "
                                 "\"$0\" session put shop /dev/fd/7 7<given"_s);
        QVERIFY2(given.status == 0 && given.out == "given\n", given.out + given.err);
    }

    void anotherNameOfASavedFileIsTold()
    {
        const Home home;
        const Ended ended = home.run({u"run"_s, u"--artifacts"_s, home.path(u"out"_s), u"-l"_s, u"bash"_s, u"-c"_s,
                                      u"echo x > $'a\\nb'; echo x > c"_s});
        QVERIFY2(ended.err.contains("Names that could mislead are changed: a\\nb -> a_b (1 in all).\n"), ended.err);
        QVERIFY(QFile::exists(home.path(u"out/a_b"_s)));
    }

    void aLockFileTakesThePlaceOfNothingElse()
    {
        const Home home;
        const QString file = home.write(u"main.js"_s, "mine");
        const Ended ended = home.run(
            {u"run"_s, u"-l"_s, u"node"_s, u"--with"_s, u"lodash"_s, u"--yes"_s, u"--lock"_s, file, u"-c"_s, u"1"_s});
        QVERIFY2(ended.status == 125 && ended.err.startsWith("glovebox: \"" + file.toUtf8() + "\" is not a lock file"),
                 ended.err);
    }

    void anEmptiedLogIsTold()
    {
        const Home home;
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo x"_s}).status, 0);
        QVERIFY(QFile::resize(home.path(u"data/audit.db"_s), 0));
        for (const QStringList &arguments : {QStringList{u"audit"_s, u"list"_s},
                                             {u"audit"_s, u"show"_s},
                                             {u"secret"_s, u"list"_s},
                                             {u"doctor"_s},
                                             {u"run"_s, u"-c"_s, u"1"_s}}) {
            const Ended ended = home.run(arguments);
            const QByteArray all = (ended.out + ended.err).simplified();
            QVERIFY2(ended.status != 0, all);
            QVERIFY2(all.contains("audit.db is empty, and its history is gone"), all);
            QVERIFY2(all.contains("Restore the log from a backup"), all);
        }
        QCOMPARE(QFileInfo(home.path(u"data/audit.db"_s)).size(), 0);
        QVERIFY(QFile::rename(home.path(u"data/audit.db"_s), home.path(u"aside"_s)));
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo x"_s}).status, 0);
    }

    // A word that is offered is typed for the person, and code may have chosen the name of a file.
    void shellsAreOfferedWhatIsThere()
    {
        const Home home;
        const auto offered = [&](const QStringList &words) {
            QByteArrayList all;
            for (const QByteArray &line : home.run(QStringList{u"complete"_s, u"--"_s} + words).out.split('\n'))
                all.append(line.split('\t').first());
            all.removeAll(QByteArray());
            return all;
        };
        QCOMPARE(offered({u"audit"_s, u"show"_s, QString()}), QByteArrayList{"last"});
        QCOMPARE(home.run({u"settings"_s, u"set"_s, u"vault.store"_s, u"file"_s}).status, 0);
        QVERIFY(QFile::setPermissions(home.write(u"pass"_s, "correct horse battery\n"), QFile::ReadOwner));
        const Ended set =
            home.run({u"secret"_s, u"set"_s, u"API_KEY"_s, u"--passphrase-file"_s, home.path(u"pass"_s)}, "value");
        QVERIFY2(set.status == 0, set.err);
        QCOMPARE(home.run({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        const Ended ran = home.run({u"run"_s, u"--session"_s, u"shop"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                                    u"echo x > fine.txt; echo x > '$(id)'; echo x > 'a;b'; echo x > ./--to=x"_s});
        QVERIFY2(ran.status == 0, ran.err);
        QCOMPARE(offered({u"run"_s, u"--secret"_s, QString()}), QByteArrayList{"API_KEY"});
        QCOMPARE(offered({u"run"_s, u"--secret="_s}), QByteArrayList{"--secret=API_KEY"});
        QCOMPARE(offered({u"secret"_s, u"edit"_s, QString()}), QByteArrayList{"API_KEY"});
        QCOMPARE(offered({u"secret"_s, u"rename"_s, u"API_KEY"_s, QString()}), QByteArrayList());
        QCOMPARE(offered({u"audit"_s, u"show"_s, QString()}),
                 (QByteArrayList{"last", home.runsOnRecord().first()[u"run"_s].toString().toUtf8()}));
        QCOMPARE(offered({u"changes"_s, u"show"_s, QString()}), QByteArrayList{"last"}); // that run has none
        QCOMPARE(offered({u"session"_s, u"get"_s, u"shop"_s, QString()}), QByteArrayList{"fine.txt"});
        QCOMPARE(offered({u"session"_s, u"rollback"_s, u"shop"_s, QString()}), (QByteArrayList{"2", "1"}));
        QCOMPARE(offered({u"session"_s, u"status"_s, QString()}), (QByteArrayList{"last", "shop"}));
        QCOMPARE(offered({u"session"_s, u"put"_s, u"shop"_s, QString()}), QByteArrayList()); // files
    }

    // Whoever may not look doesn't know that nothing is there.
    void aPlaceThatCantBeReadIsNotToldAsEmpty()
    {
        const Home home;
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        for (const char *command : {"audit list", "audit show", "audit prune --older-than 9d", "secret list",
                                    "changes list", "session list", "artifact list last", "run -c 1"}) {
            const Ended ended =
                bySubjectShell(home, u"chmod 000 data; \"$0\" %1; status=$?; chmod 700 data; exit $status"_s.arg(
                                         QString::fromLatin1(command)));
            QVERIFY2(ended.status == 1 || ended.status == 125, command + ended.out + ended.err);
            QVERIFY2(ended.out.isEmpty() && ended.err.contains("/data") && ended.err.contains("ermissions"),
                     command + ended.out + ended.err);
        }
        QVERIFY(bySubjectShell(home, u"\"$0\" audit list"_s).out.contains("completed"));
    }

    // An ordinary user's runs are no other user's.
    void whatAPersonMayNotReadIsToldAsThat()
    {
        const Home home;
        const QTemporaryDir place;
        const auto process = home.program({});
        QProcessEnvironment environment = process->processEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, place.filePath(u"data"_s));
        process->setProcessEnvironment(environment);
        process->setWorkingDirectory(place.path());
        QStringList command{u"/bin/sh"_s, u"-c"_s,
                            u"mkdir closed open && chmod 0 closed && chmod 555 open && for folder in closed:/mnt/x "
                            "closed:/mnt/x:rw open:/mnt/x:rw; do \"$0\" run --mount $folder -l sh -c true; done"_s,
                            programFile()};
        if (::geteuid() == 0) {
            constexpr uid_t person = 61002;
            QCOMPARE(::chown(QFile::encodeName(place.path()).constData(), person, person), 0);
            const QString id = QString::number(person);
            command =
                QStringList{u"/usr/bin/setpriv"_s, u"--reuid"_s, id, u"--regid"_s, id, u"--clear-groups"_s} + command;
        }
        process->setProgram(command.takeFirst());
        process->setArguments(command);
        process->start();
        process->closeWriteChannel();
        const Ended ended = finish(*process);
        QVERIFY2(ended.status == 125 && ended.err.count("Nothing was run.") == 3, ended.err);
        QVERIFY2(!ended.err.contains("might be missing"), ended.err); // of what nobody did
        const QByteArray folder = QFile::encodeName(place.path());
        QVERIFY2(ended.err.contains("You may not read " + folder + "/closed,"), ended.err);
        QVERIFY2(ended.err.contains("You may not write to " + folder + "/closed,"), ended.err);
        QVERIFY2(ended.err.contains("You may not write to " + folder + "/open,"), ended.err);
        QVERIFY2(!ended.err.contains("glovebox doctor"), ended.err); // nothing is wrong with the machine
    }

    void theReasonIsToldOnce()
    {
        const Home home;
        home.write(u"unreadable"_s, "x");
        QVERIFY(QDir(home.path()).mkpath(u"closed"_s));
        QVERIFY(QFile::setPermissions(home.path(u"unreadable"_s), {})
                && QFile::setPermissions(home.path(u"closed"_s), QFile::ReadOwner | QFile::ExeOwner));
        QCOMPARE(home.run({u"session"_s, u"create"_s, u"--name"_s, u"s"_s}).status, 0);
        for (const QStringList &options : {QStringList{u"--session"_s, u"s"_s}, QStringList()})
            QCOMPARE(home.run(QStringList{u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo x > a"_s} + options).status, 0);
        for (const char *command :
             {"session put s unreadable", "session get s --to closed/x", "artifact get last a -o closed/x",
              "run --artifacts closed/x -c 1", "session get s --to closed"}) {
            const Ended ended = bySubjectShell(home, u"\"$0\" "_s + QString::fromLatin1(command));
            if (QByteArrayView(command) == "artifact get last a -o closed/x")
                QVERIFY2(ended.err.contains("\"closed/x\" can't be saved"), ended.err); // which is what was typed
            QVERIFY2(ended.status != 0 && ended.err.count("Permission denied") == 1, command + (": " + ended.err));
        }
    }

    void aFolderThatCantBeReadIsToldWhenItIsPutIntoASession()
    {
        const Home home;
        QCOMPARE(home.run({u"session"_s, u"create"_s, u"--name"_s, u"s"_s}).status, 0);
        const Ended closed = bySubjectShell(
            home,
            u"mkdir -p in/closed; chmod 000 in/closed; \"$0\" session put s in; e=$?; chmod 700 in/closed; exit $e"_s);
        QVERIFY2(closed.status == 1 && closed.err.contains("A folder in in can't be read."), closed.err);
    }

    void aScriptOfAnotherLanguageIsNotAdvisedToBePython()
    {
        const Home home;
        const Ended ruby = home.run({u"run"_s, home.write(u"deploy"_s, "#!/usr/bin/env ruby\nputs 1\n")});
        QCOMPARE(ruby.status, 125);
        QVERIFY2(ruby.err.contains("deploy is a script for ruby. Glovebox runs python, node, bash or sh.\n"), ruby.err);
        const Ended unknown = home.run({u"run"_s, home.write(u"other"_s, "puts 1\n")});
        QVERIFY2(unknown.err.contains("For example: -l python"), unknown.err);
    }

    // Ids of one minute share their first characters.
    void runsThatShareTheBeginningOfTheirIdsAreListed()
    {
        const Home home;
        QSet<QByteArray> beginnings;
        QByteArray shared;
        for (int run = 0; run < 20 && shared.isEmpty(); ++run) {
            const QByteArray id = home.run({u"run"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s})
                                      .json()[u"id"_s]
                                      .toString()
                                      .toLatin1();
            if (beginnings.contains(id.first(8)))
                shared = id.first(8);
            beginnings.insert(id.first(8));
        }
        QVERIFY(!shared.isEmpty());
        const auto show = [&] { return home.run({u"audit"_s, u"show"_s, QString::fromLatin1(shared)}); };
        const Ended two = show();
        QVERIFY2(two.status == 1 && two.err.count(shared) == 3, two.err);
        for (int run = 0; run < 5; ++run)
            QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        const Ended many = show();
        if (many.err.contains("More than 5")) // else a minute was over in between
            QVERIFY2(many.err.count(shared) == 6 && !many.err.contains("..."), many.err);
    }

    void filesThatTheDiskDidNotTakeAreALoss()
    {
        // Room for the log, and for no large file: a file system of 2 MB that is the program's own.
        if (::geteuid() != 0)
            QSKIP("Only root may mount a small file system.");
        const Home home;
        const auto process = home.program({});
        process->setProgram(u"/usr/bin/unshare"_s);
        process->setArguments({u"-m"_s, u"/bin/sh"_s, u"-c"_s,
                               u"mount -t tmpfs -o size=2M,mode=700 none \"$GLOVEBOX_HOME\" && cd / && "
                               "\"$0\" run --artifacts \"$GLOVEBOX_HOME/out\" -c "
                               "'import os; open(\"a\", \"wb\").write(os.urandom(3000000))'; echo $? && "
                               "\"$0\" run -c 'import os; open(\"b\", \"wb\").write(os.urandom(3000000))'; echo $?"_s,
                               programFile()});
        process->start();
        process->closeWriteChannel();
        const Ended ended = finish(*process);
        QCOMPARE(ended.out, QByteArray("74\n0\n"));
        QVERIFY2(ended.err.count("This machine's disk has no space for some files, so they aren't kept") == 2
                     && ended.err.count('\n') == 2,
                 ended.err);
    }
};

QTEST_GUILESS_MAIN(TestCliBadInputs)
#include "tst_clibadinputs.moc"
