// SPDX-License-Identifier: Apache-2.0
// What the command line says to people who ask for help, and to those who mistype a command.
#include "program.h"

#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

#include <pwd.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliHelp : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void helpAndVersionAreForPeople();
    void aSingleRunHasASandboxOfItsOwn();
    void helpHasTheWidthOfTheTerminal();
    void fishCompletes();
    void zshCompletes();
    void bashCompletes();
    void helpIsFoundHoweverItIsAskedFor();
    void outputThatCannotBeWrittenHasItsStatus();
    void unknownCommandsAreToldWithWhatWasMeant_data();
    void unknownCommandsAreToldWithWhatWasMeant();
    void namesAreTakenAsAShellLeavesThem();
    void aNumberOfADescriptorIsNoName();

private:
    Home m_home;
};

// Of every command, as of runs.
void TestCliHelp::outputThatCannotBeWrittenHasItsStatus()
{
    for (const QStringList &command : {QStringList{u"help"_s},
                                       {u"run"_s, u"--help"_s},
                                       {u"version"_s},
                                       {u"completion"_s, u"bash"_s},
                                       {u"settings"_s, u"list"_s, u"--json"_s},
                                       {u"audit"_s, u"list"_s},
                                       {u"session"_s, u"list"_s}}) {
        const auto process = m_home.program(command);
        process->setStandardOutputFile(u"/dev/full"_s);
        process->start();
        const Ended ended = finish(*process);
        QVERIFY2(ended.status == 74 && ended.err.contains("No space left on device"), qPrintable(command.join(u' ')));
    }
}

// Of --no-warm: "a single run never does".
void TestCliHelp::aSingleRunHasASandboxOfItsOwn()
{
    for (const QStringList &options : {QStringList(), {u"--no-warm"_s}}) {
        const Ended ended =
            m_home.run(QStringList{u"run"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s} + options);
        QCOMPARE(ended.json()["isolation"_L1]["warm"_L1], QJsonValue(false));
    }
}

void TestCliHelp::helpAndVersionAreForPeople()
{
    for (const QStringList &arguments : {QStringList{u"help"_s},
                                         {u"--help"_s},
                                         {u"help"_s, u"run"_s},
                                         {u"run"_s, u"--help"_s},
                                         {u"audit"_s, u"--help"_s},
                                         {u"help"_s, u"audit"_s},
                                         {u"audit"_s, u"list"_s, u"-h"_s},
                                         {u"help"_s, u"policy"_s, u"show"_s}}) {
        const Ended ended = m_home.run(arguments);
        QCOMPARE(ended.status, 0);
        QVERIFY2(ended.out.contains("Usage: glovebox"), ended.out);
        QCOMPARE(ended.err, QByteArray());
    }
    const QByteArray commands = m_home.run({u"help"_s}).out;
    for (const char *heading :
         {"\nRun code:\n  run ", "\nChanges and files of runs:\n  changes list", "\nThe log:\n  audit list",
          "\nSecrets:\n  secret set", "\nSettings:\n  settings list", "\nAgents:\n  mcp"})
        QVERIFY2(commands.contains(heading), heading);
    QVERIFY2(commands.contains("\n\n  completion "), commands); // only this and help are of no group
    QCOMPARE(commands.count("\n  run  "), 1);
    QCOMPARE(m_home.run({u"help"_s, u"help"_s}).out, commands);
    for (const char *line :
         {"\n  run                run code", "\n  artifact release   let go", "\n  secret passphrase  change"})
        QVERIFY2(commands.contains(line), commands);
    for (const QString &version : {u"--version"_s, u"-V"_s, u"-v"_s, u"version"_s})
        QCOMPARE(m_home.run({version}).out.left(9), QByteArray("glovebox "));
}

void TestCliHelp::helpHasTheWidthOfTheTerminal()
{
    const auto widest = [&](const QByteArray &columns) {
        const auto program = m_home.program({u"help"_s, u"run"_s});
        QProcessEnvironment environment = program->processEnvironment();
        environment.remove(u"COLUMNS"_s);
        if (!columns.isEmpty())
            environment.insert(u"COLUMNS"_s, QString::fromLatin1(columns));
        program->setProcessEnvironment(environment);
        program->start();
        qsizetype size = 0;
        const QByteArray text = finish(*program).out;
        for (const QByteArray &line : text.first(text.indexOf("\n  -h, --help")).split('\n'))
            size = std::max(size, line.size());
        return size;
    };
    for (const auto &[columns, width] :
         {std::pair<QByteArray, qsizetype>{"", 80}, {"60", 60}, {"300", 100}, {"no", 80}})
        QVERIFY2(widest(columns) <= width && widest(columns) > width - 12,
                 columns + ": " + QByteArray::number(widest(columns)));
}

// Files are offered only where nothing else is.
void TestCliHelp::fishCompletes()
{
    const QString program = QStandardPaths::findExecutable(u"fish"_s);
    const QByteArray script = m_home.run({u"completion"_s, u"fish"_s}).out;
    QVERIFY(script.contains("complete -c glovebox"));
    if (program.isEmpty()) // few machines have it
        return;
    m_home.write(u"file.py"_s, "");
    m_home.write(u"script.fish"_s, script);
    const auto completed = [&](const QString &line) {
        QProcess fish;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PATH"_s, QFileInfo(programFile()).path() + u':' + environment.value(u"PATH"_s));
        fish.setProcessEnvironment(environment);
        fish.setWorkingDirectory(m_home.path());
        fish.start(program, {u"--no-config"_s, u"-c"_s, u"source script.fish; complete -C '%1'"_s.arg(line)});
        if (!fish.waitForFinished())
            return QByteArrayList{"hangs"};
        QByteArrayList words;
        for (const QByteArray &candidate : fish.readAllStandardOutput().trimmed().split('\n'))
            words.append(candidate.split('\t').first());
        return words;
    };
    QCOMPARE(completed(u"glovebox ru"_s), QByteArrayList{"run"});
    QCOMPARE(completed(u"glovebox run -l "_s), (QByteArrayList{"bash", "node", "python", "sh"}));
    QCOMPARE(completed(u"glovebox run --language=py"_s), QByteArrayList{"--language=python"});
    QCOMPARE(completed(u"glovebox run fi"_s), QByteArrayList{"file.py"});
}

void TestCliHelp::zshCompletes()
{
    const QString program = QStandardPaths::findExecutable(u"zsh"_s);
    const QByteArray script = m_home.run({u"completion"_s, u"zsh"_s}).out;
    QVERIFY(script.startsWith("#compdef glovebox\n"));
    if (program.isEmpty())
        QSKIP("zsh isn't installed");
    const QString file = m_home.write(u"script.zsh"_s, script);
    // What its completion system is told, which itself works at a terminal only.
    const auto completed = [&](const QString &words, int current) {
        QProcess zsh;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PATH"_s, QFileInfo(programFile()).path() + u':' + environment.value(u"PATH"_s));
        zsh.setProcessEnvironment(environment);
        zsh.start(
            program,
            {u"-f"_s, u"-c"_s,
             u"compdef() { registered=$*; }; compset() { :; }; _files() { print files; }; _describe() { print -rl -- "
             "\"${(@P)2}\"; }; source %1; words=(glovebox %2); CURRENT=%3; _glovebox; print $registered"_s
                 .arg(file, words)
                 .arg(current)});
        return zsh.waitForFinished() ? zsh.readAllStandardOutput() + zsh.readAllStandardError() : QByteArray("hangs");
    };
    QCOMPARE(completed(u"ru"_s, 2), QByteArray("run:run code sealed off from this machine\n_glovebox glovebox\n"));
    QCOMPARE(completed(u"run -l ''"_s, 4),
             QByteArray("python:Python\nnode:Node.js\nbash:Bash\nsh:sh\n_glovebox glovebox\n"));
    QCOMPARE(completed(u"run x.p"_s, 3), QByteArray("files\n_glovebox glovebox\n"));
    QVERIFY(completed(u"run --al"_s, 3).contains("\n--allow:allow connections to HOST, *.HOST or a preset\\: pypi, "));
}

void TestCliHelp::bashCompletes()
{
    const auto completed = [](const QString &words, int current) {
        QProcess bash;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PATH"_s, QFileInfo(programFile()).path() + u':' + environment.value(u"PATH"_s));
        bash.setProcessEnvironment(environment);
        bash.start(u"/bin/bash"_s,
                   {u"-c"_s, u"source <(glovebox completion bash); COMP_WORDS=(glovebox %1); COMP_CWORD=%2; _glovebox; "
                             "printf '%s ' \"${COMPREPLY[@]}\""_s.arg(words)
                                 .arg(current)});
        return bash.waitForFinished() ? bash.readAllStandardOutput() + bash.readAllStandardError()
                                      : QByteArray("hangs");
    };
    QCOMPARE(completed(u"ru"_s, 1), QByteArray("run "));
    QCOMPARE(completed(u"secret ''"_s, 2), QByteArray("set edit rename remove passphrase list check "));
    QCOMPARE(completed(u"run --allow p"_s, 3), QByteArray("pypi "));
    QCOMPARE(completed(u"run x.py"_s, 2), QByteArray(" "));
    QCOMPARE(m_home.run({u"completion"_s}).status, 2);
}

void TestCliHelp::unknownCommandsAreToldWithWhatWasMeant_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const QStringList &arguments, const QByteArray &says) {
        QTest::newRow(qPrintable(arguments.join(u' '))) << arguments << says;
    };
    row({u"rnu"_s, u"x"_s}, "Unknown command \"rnu\". Did you mean \"run\"?");
    const QString file = m_home.write(u"snippet.py"_s, "print(1)");
    const QByteArray advice =
        '"' + file.toUtf8() + "\" is not a command. To run the file: \"glovebox run " + file.toUtf8() + "\".";
    row({file}, advice);
    const QString spaced = m_home.write(u"my snippet.py"_s, "print(1)");
    row({spaced}, "To run the file: \"glovebox run '" + spaced.toUtf8() + "'\".");
    row({u"prune"_s}, "Did you mean \"audit prune\"?");
    row({u"other.py"_s}, "Unknown command \"other.py\".");
    row({u"list"_s}, "Unknown command \"list\". There are \"");
    row({u"audit"_s, u"copy"_s}, "Did you mean \"audit export\"?");
    row({u"xyzzy"_s}, "Unknown command \"xyzzy\".");
    row({QString()}, "Unknown command \"\".");
    row({u"help"_s, u"rnu"_s}, "Did you mean \"run\"?");
    row({u"secrets"_s, u"list"_s}, "Did you mean \"secret\"?");
    row({u"setings"_s, u"list"_s}, "Did you mean \"settings\"?");
    row({u"config"_s}, "Did you mean \"settings\"?");
    row({u"settings"_s}, "Name one of \"settings list\", \"settings get\"");
    row({u"history"_s}, "Did you mean \"audit list\"?");
    row({u"log"_s}, "Did you mean \"audit\"?");
    row({u"audit"_s, u"lst"_s}, "Unknown command \"audit lst\". Did you mean \"audit list\"?");
    row({u"audit"_s}, "Name one of \"audit list\", \"audit show\"");
    row({u"policy"_s, u"set"_s, u"k"_s, u"v"_s}, "Settings are changed by \"glovebox settings set\". See");
    row({u"secret"_s, u"show"_s, u"K"_s},
        "Values are never shown; the workbench shows one while you press a button. See");
    row({u"secret"_s, u"delete"_s, u"K"_s}, "Did you mean \"secret remove\"?");
    row({u"secret"_s, u"ls"_s}, "Did you mean \"secret list\"?");
    row({u"secret"_s, u"frobnicate"_s}, "Unknown command \"secret frobnicate\". There are \"secret set\"");
    row({u"--bogus"_s}, "Unknown option --bogus.");
    row({u"-c"_s, u"print(1)"_s}, "Options follow the command: \"glovebox run -c 'print(1)'\".");
    row({u"--json"_s, u"run"_s, u"x.py"_s}, "Options follow the command: \"glovebox run --json x.py\".");
    row({u"--timeout=5"_s, u"x.py"_s}, "Options follow the command: \"glovebox run --timeout=5 x.py\".");
    row({u"--"_s}, "Unknown option --.");
    row({u"-"_s}, "Unknown option -.");
    row({u"version"_s, u"x"_s}, "\"version\" takes no arguments.");
    row({u"--version"_s, u"run"_s}, "\"--version\" takes no arguments.");
    row({u"completion"_s, u"bash"_s, u"--"_s, u"x"_s}, "Name your shell");
}

void TestCliHelp::helpIsFoundHoweverItIsAskedFor()
{
    const QByteArray overview = m_home.run({u"help"_s}).out, ofRun = m_home.run({u"help"_s, u"run"_s}).out;
    QVERIFY(overview != ofRun);
    for (const QStringList &arguments : {QStringList{u"help"_s, u"-h"_s},
                                         {u"--help"_s},
                                         {u"-h"_s, u"x"_s},
                                         {u"version"_s, u"-h"_s},
                                         {u"--bogus"_s, u"-h"_s},
                                         {u"-c"_s, u"1"_s, u"--help"_s}})
        QCOMPARE(m_home.run(arguments).out, overview);
    QCOMPARE(m_home.run({u"audit"_s, u"--bogus"_s, u"-h"_s}).out, m_home.run({u"help"_s, u"audit"_s}).out);
    QCOMPARE(m_home.run({u"--bogus"_s, u"--"_s, u"-h"_s}).status, 2);
    for (const QStringList &arguments : {QStringList{u"--help"_s, u"run"_s}, {u"help"_s, u"run"_s, u"--help"_s}})
        QCOMPARE(m_home.run(arguments).out, ofRun);
}

void TestCliHelp::unknownCommandsAreToldWithWhatWasMeant()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const Ended ended = m_home.run(arguments);
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.contains(says), ended.err);
}

void TestCliHelp::namesAreTakenAsAShellLeavesThem()
{
    const Home home;
    const auto byShell = [&home](const QString &typed) {
        const auto shell = home.program({u"-c"_s, typed, programFile()});
        shell->setProgram(u"/bin/sh"_s);
        shell->setWorkingDirectory(home.path());
        shell->start();
        shell->closeWriteChannel();
        return finish(*shell);
    };
    home.write(u"-dash.py"_s, "print('dashed')\n");
    const Ended dash = byShell(u"\"$0\" run -dash.py"_s);
    QVERIFY2(dash.status == 2 && dash.err.contains("To run the file: \"glovebox run ./-dash.py\"."), dash.err);
    for (const QString &typed : {u"\"$0\" run ./-dash.py"_s, u"\"$0\" run -- -dash.py"_s}) {
        const Ended ended = byShell(typed);
        QVERIFY2(ended.status == 0 && ended.out == "dashed\n", ended.err);
    }
    // No shell expands a ~ after "=".
    const Ended missing = byShell(u"HOME=/nonexistent/home \"$0\" run --mount=~/x:/mnt/x -c 1"_s);
    QVERIFY2(missing.err.contains("There is no folder /nonexistent/home/x to show"), missing.err);
    const QByteArray other = ::getpwuid(::geteuid())->pw_name; // "~NAME" is a name, whoever's it is
    const Ended others =
        byShell(u"HOME=/nonexistent \"$0\" run --mount '~%1/nope:/mnt/x' -c 1"_s.arg(QFile::decodeName(other)));
    QVERIFY2(others.err.contains("There is no folder " + QByteArray(::getpwuid(::geteuid())->pw_dir) + "/nope to show"),
             others.err);
    const Ended nobodys = byShell(u"\"$0\" run --mount=~no-such-user/x:/mnt/x -c 1"_s);
    QVERIFY2(nobodys.status == 2
                 && nobodys.err.contains("\"~no-such-user/x\" leads nowhere: there is no user \"no-such-user\""),
             nobodys.err);
    home.write(u"~no-such-user"_s, "a file");
    const Ended here = byShell(u"\"$0\" run --mount=~no-such-user:/mnt/x -c 1"_s);
    QVERIFY2(!here.err.contains("leads nowhere"), here.err);
    const Ended dots = byShell(u"\"$0\" run --mount ././nope/./x/:/mnt/x -c 1"_s);
    QVERIFY2(dots.err.contains("There is no folder " + home.path(u"nope/x"_s).toUtf8() + " to show"), dots.err);
    const Ended client = home.run({u"mcp"_s, u"install"_s, u"vs-code"_s, u"--dry-run"_s});
    QVERIFY2(client.status == 2 && client.err.contains("Did you mean vscode?"), client.err);
}

// <(...) of a shell is one.
void TestCliHelp::aNumberOfADescriptorIsNoName()
{
    const Home home;
    for (const QString &command : {u"run"_s, u"batch"_s}) {
        const auto shell = home.program({u"-c"_s, u"\"$0\" %1 <(echo 'print(1)')"_s.arg(command), programFile()});
        shell->setProgram(u"/bin/bash"_s);
        shell->start();
        shell->closeWriteChannel();
        const Ended ended = finish(*shell);
        QVERIFY2(ended.status != 0 && ended.err.contains("The code's language is unknown. Name it: python, node"),
                 ended.err);
    }
}

QTEST_GUILESS_MAIN(TestCliHelp)
#include "tst_clihelp.moc"
