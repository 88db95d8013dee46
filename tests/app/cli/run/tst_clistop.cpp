// SPDX-License-Identifier: Apache-2.0
// Stopping: Ctrl+C, SIGTERM, a reader that goes away, kill -9; and what a terminal is shown.
#include "tests/app/cli/program.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliStop : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void signalsCancelAndCloseTheEntry_data();
    void signalsCancelAndCloseTheEntry();
    void gettingPackagesEndsByItsSignal_data();
    void gettingPackagesEndsByItsSignal();
    void theCodeIsAskedBeforeItIsKilled();
    void codeThatIgnoresCtrlCIsKilled();
    void aSecondCtrlCKillsAtOnce();
    void aCancelledRunIsToldAsJson();
    void aReaderThatGoesAwayCancels();
    void killNineLeavesNoProcessAndIsTurnedIntoInterrupted();
    void onATerminalOnlyColoursPass();
    void rawSendsEverything();
    void aTerminalIsTypedInto();
    void ctrlCOnATerminalCancels();
    void inTheBackgroundOfATerminalItRunsOn();
    void withoutCodeATerminalGetsUsage();

private:
    QString lastOutcome() const { return m_home.runsOnRecord().value(0).value("outcome"_L1).toString(); }

    Home m_home;
};

const QString sleeping = u"import time\nprint('up')\ntime.sleep(60)"_s;

// The program on a terminal of its own.
class OnTerminal
{
public:
    OnTerminal(const Home &home, const QStringList &arguments, const QString &program = programFile())
    {
        QByteArrayList bytes{program.toLocal8Bit()};
        for (const QString &argument : arguments)
            bytes.append(argument.toLocal8Bit());
        std::vector<char *> argv;
        for (QByteArray &argument : bytes)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        const QByteArray homePath = home.path().toLocal8Bit();
        m_pid = ::forkpty(&m_master, nullptr, nullptr, nullptr);
        if (m_pid == 0) {
            for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
                ::signal(signal, SIG_DFL);
            ::setenv("GLOVEBOX_HOME", homePath.constData(), 1);
            ::execv(argv[0], argv.data());
            ::_exit(99);
        }
    }
    ~OnTerminal()
    {
        ::close(m_master);
        if (m_pid > 0) {
            sendSignal(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
    }
    void type(const QByteArray &keys)
    {
        QCOMPARE(::write(m_master, keys.constData(), size_t(keys.size())), keys.size());
    }
    // Until text was shown, or the end.
    bool waitFor(const QByteArray &text)
    {
        while (!shown.contains(text) && readSome()) { }
        return shown.contains(text);
    }
    int finish()
    {
        while (readSome()) { }
        int status = 0;
        ::waitpid(std::exchange(m_pid, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    QByteArray shown;

private:
    bool readSome()
    {
        pollfd ready{m_master, POLLIN, 0};
        char bytes[4096];
        if (::poll(&ready, 1, 30000) != 1)
            return false;
        const ssize_t count = ::read(m_master, bytes, sizeof bytes);
        if (count > 0)
            shown.append(bytes, count);
        return count > 0; // EIO at the end
    }

    int m_master = -1;
    pid_t m_pid = -1;
};

void TestCliStop::signalsCancelAndCloseTheEntry_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
}

void TestCliStop::signalsCancelAndCloseTheEntry()
{
    QFETCH(int, signal);
    const auto process = m_home.program({u"run"_s, u"-c"_s, sleeping});
    process->start();
    QByteArray output;
    QVERIFY(waitForOutput(*process, "up\n", output));
    QElapsedTimer timer;
    timer.start();
    sendSignal(process->processId(), signal);
    const Ended ended = finish(*process);
    QCOMPARE(ended.status, 128 + signal);
    QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()));
    QCOMPARE(lastOutcome(), u"cancelled"_s);
}

// Of an index that never answers.
void TestCliStop::gettingPackagesEndsByItsSignal_data()
{
    signalsCancelAndCloseTheEntry_data();
}

void TestCliStop::gettingPackagesEndsByItsSignal()
{
    QFETCH(int, signal);
    const UniqueFd silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const any = reinterpret_cast<sockaddr *>(&address);
    QVERIFY(::bind(silent.get(), any, size) == 0 && ::listen(silent.get(), 8) == 0);
    QVERIFY(::getsockname(silent.get(), any, &size) == 0);
    const QString index = u"https://127.0.0.1:%1/simple"_s.arg(ntohs(address.sin_port));
    if (m_home.run({u"session"_s, u"status"_s, u"shop"_s}).status != 0)
        QCOMPARE(m_home.run({u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
    for (const QStringList &command :
         {QStringList{u"session"_s, u"install"_s, u"shop"_s, u"--python"_s, u"numpy"_s},
          QStringList{u"run"_s, u"-l"_s, u"python"_s, u"-c"_s, u"1"_s, u"--with"_s, u"numpy"_s}}) {
        const auto process = m_home.program(command + QStringList{u"--index"_s, index, u"--yes"_s});
        process->setProcessChannelMode(QProcess::MergedChannels);
        process->start();
        QByteArray output;
        QVERIFY2(waitForOutput(*process, "Fetching numpy", output), output);
        pollfd asked{silent.get(), POLLIN, 0};
        QCOMPARE(::poll(&asked, 1, 20'000), 1);
        const UniqueFd connection(::accept(silent.get(), nullptr, nullptr)); // which gets no answer
        sendSignal(process->processId(), signal);
        QVERIFY(process->waitForFinished(20'000));
        output += process->readAll();
        QVERIFY2(output.contains("Nothing was installed, as you cancelled it."), output);
        QCOMPARE(process->exitCode(), 128 + signal);
    }
}

// On a machine that stands still for the second that the code has, Glovebox kills the code: that is tried again.
void TestCliStop::theCodeIsAskedBeforeItIsKilled()
{
    QByteArray output;
    for (int attempt = 0; attempt < 3 && !output.endsWith("tidied up\n"); ++attempt) {
        output.clear();
        const auto process = m_home.program({u"run"_s, u"-c"_s,
                                             u"import time\ntry:\n    print('up')\n    time.sleep(60)\n"
                                             "except KeyboardInterrupt:\n    print('tidied up')"_s});
        process->start();
        QVERIFY(waitForOutput(*process, "up\n", output));
        sendSignal(process->processId(), SIGINT);
        const Ended ended = finish(*process);
        QCOMPARE(ended.status, 130);
        output += ended.out;
    }
    QVERIFY2(output.endsWith("tidied up\n"), output);
}

void TestCliStop::codeThatIgnoresCtrlCIsKilled()
{
    const auto process = m_home.program(
        {u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"trap '' INT TERM; echo up; while :; do sleep 1; done"_s});
    process->start();
    QByteArray output;
    QVERIFY(waitForOutput(*process, "up\n", output));
    QElapsedTimer timer;
    timer.start();
    sendSignal(process->processId(), SIGINT);
    QCOMPARE(finish(*process).status, 130);
    QVERIFY2(timer.elapsed() > 700 && timer.elapsed() < 4000, QByteArray::number(timer.elapsed()));
    QCOMPARE(lastOutcome(), u"cancelled"_s);
}

void TestCliStop::aSecondCtrlCKillsAtOnce()
{
    const auto process = m_home.program(
        {u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"trap 'echo asked' INT; echo up; while :; do sleep 0.1; done"_s});
    process->start();
    QByteArray output;
    QVERIFY(waitForOutput(*process, "up\n", output));
    QElapsedTimer timer;
    timer.start();
    sendSignal(process->processId(), SIGINT);
    QVERIFY(waitForOutput(*process, "asked\n", output));
    sendSignal(process->processId(), SIGINT);
    QCOMPARE(finish(*process).status, 130);
    QVERIFY2(timer.elapsed() < 900, QByteArray::number(timer.elapsed()));
}

void TestCliStop::aCancelledRunIsToldAsJson()
{
    const QTemporaryDir folder;
    QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7777))); // of root's, runs are another user's
    const auto process = m_home.program({u"run"_s, u"--json"_s, u"--mount"_s, folder.path() + u":/work/out:rw"_s,
                                         u"-c"_s, u"import time\nopen('/work/out/up', 'w').close()\ntime.sleep(60)"_s});
    process->start();
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath(u"up"_s)), 20'000);
    sendSignal(process->processId(), SIGINT);
    const Ended ended = finish(*process);
    QCOMPARE(ended.status, 130);
    QCOMPARE(ended.json().value("outcome"_L1).toString(), u"cancelled"_s);
}

void TestCliStop::aReaderThatGoesAwayCancels()
{
    const auto process = m_home.program(
        {u"-c"_s, u"{ \"$0\" run -t 20 -l sh -c 'while :; do echo y; done'; echo $? >&2; } | head -n 2"_s,
         programFile()});
    process->setProgram(u"/bin/sh"_s);
    QElapsedTimer timer;
    timer.start();
    process->start();
    const Ended ended = finish(*process);
    QCOMPARE(ended.out, QByteArray("y\ny\n"));
    QCOMPARE(ended.err, QByteArray("141\n"));
    QVERIFY(timer.elapsed() < 10000);
    QCOMPARE(lastOutcome(), u"cancelled"_s);
}

static bool isAlive(const QByteArray &mark)
{
    const auto pids = QDir(u"/proc"_s).entryList(QDir::Dirs);
    return std::any_of(pids.begin(), pids.end(), [&](const QString &pid) {
        QFile file(u"/proc/%1/cmdline"_s.arg(pid));
        return pid.front().isDigit() && file.open(QIODevice::ReadOnly) && file.readAll().contains(mark);
    });
}

void TestCliStop::killNineLeavesNoProcessAndIsTurnedIntoInterrupted()
{
    const auto bystander = m_home.program({u"run"_s, u"-c"_s, sleeping});
    bystander->start();
    QByteArray output;
    QVERIFY(waitForOutput(*bystander, "up\n", output));

    // A number of seconds that nobody else sleeps.
    const QByteArray mark = QByteArray::number(100000 + ::getpid());
    const auto victim =
        m_home.program({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo up; sleep %1"_s.arg(QString::fromLatin1(mark))});
    victim->start();
    output.clear();
    QVERIFY(waitForOutput(*victim, "up\n", output));
    QTRY_VERIFY(isAlive(mark));
    const auto before = m_home.runsOnRecord();
    sendSignal(victim->processId(), SIGKILL);
    QCOMPARE(finish(*victim).status, 128 + SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(mark), 1000);

    QCOMPARE(m_home.run({u"run"_s, u"-c"_s, u"print(1)"_s}).status, 0);
    const auto after = m_home.runsOnRecord();
    QCOMPARE(after.size(), before.size() + 1);
    QCOMPARE(after[0].value("outcome"_L1).toString(), u"completed"_s);
    QCOMPARE(after[1].value("outcome"_L1).toString(), u"interrupted"_s);
    QVERIFY(after[2].value("outcome"_L1).isNull()); // the bystander still runs
    QVERIFY(m_home.run({u"audit"_s, u"list"_s}).out.contains(" open "));
    const Ended shown = m_home.run({u"audit"_s, u"show"_s, after[1].value("run"_L1).toString()});
    QVERIFY2(shown.out.contains("closed at") && !shown.out.contains("  ended "), shown.out);
    bystander->terminate();
    QCOMPARE(finish(*bystander).status, 128 + SIGTERM);
    QCOMPARE(m_home.runsOnRecord()[2].value("outcome"_L1).toString(), u"cancelled"_s);
}

void TestCliStop::onATerminalOnlyColoursPass()
{
    const QString code =
        u"import sys, time\nfor piece in ['\\x1b[3', '1mred\\x1b', '[2J\\rtitle \\x1b]0;x\\x07 \\u202e\\tend']:\n"
        "    sys.stdout.write(piece); sys.stdout.flush(); time.sleep(0.05)"_s;
    OnTerminal terminal(m_home, {u"run"_s, u"-c"_s, code});
    QCOMPARE(terminal.finish(), 0);
    QCOMPARE(terminal.shown, QByteArray("\x1b[31mred\\x1b[2J\\rtitle \\x1b]0;x\\x07 \\u{202e}\tend\x1b[0m"));
}

void TestCliStop::rawSendsEverything()
{
    OnTerminal terminal(m_home, {u"run"_s, u"--raw"_s, u"-c"_s, u"print('\\x1b[2Jx')"_s});
    QCOMPARE(terminal.finish(), 0);
    QCOMPARE(terminal.shown, QByteArray("\x1b[2Jx\r\n"));
}

void TestCliStop::aTerminalIsTypedInto()
{
    OnTerminal terminal(m_home, {u"run"_s, u"-c"_s, u"print('hello', input('who? '))"_s});
    QVERIFY(terminal.waitFor("who? "));
    terminal.type("Ada\n");
    QVERIFY2(terminal.waitFor("hello Ada"), terminal.shown);
    QCOMPARE(terminal.finish(), 0);
}

void TestCliStop::ctrlCOnATerminalCancels()
{
    OnTerminal terminal(m_home, {u"run"_s, u"-c"_s, sleeping});
    QVERIFY(terminal.waitFor("up"));
    terminal.type("\x03");
    QCOMPARE(terminal.finish(), 130);
    QVERIFY2(terminal.shown.contains("glovebox: "), terminal.shown);
    QCOMPARE(lastOutcome(), u"cancelled"_s);
}

// A shell's job control stops what reads the terminal from the background; a run that needs no input must go on.
void TestCliStop::inTheBackgroundOfATerminalItRunsOn()
{
    OnTerminal terminal(
        m_home,
        {u"-ic"_s, u"set -m; \"$0\" run -c 'import time; time.sleep(1); print(6*7)' & sleep 0.5; wait; echo over"_s,
         programFile()},
        u"/bin/bash"_s);
    terminal.type("typed ahead\n");
    QVERIFY2(terminal.waitFor("over"), terminal.shown);
    QVERIFY2(terminal.shown.contains("42"), terminal.shown);
    QVERIFY2(!terminal.shown.contains("Stopped"), terminal.shown);
}

void TestCliStop::withoutCodeATerminalGetsUsage()
{
    OnTerminal terminal(m_home, {u"run"_s});
    QCOMPARE(terminal.finish(), 2);
    QVERIFY2(terminal.shown.contains("glovebox help run"), terminal.shown);
}

QTEST_GUILESS_MAIN(TestCliStop)
#include "tst_clistop.moc"
