// SPDX-License-Identifier: Apache-2.0
// The real program as a process: start, one window a person, signals, kill -9, and what it says where it can't start.
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>
#include <QLocalServer>
#include <QLocalSocket>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

using namespace Qt::StringLiterals;

namespace {

const auto workbenchProgram = QStringLiteral(GLOVEBOX_BIN "/glovebox-workbench");

// As on a machine whose person collects core files.
void allowCores()
{
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_CORE, &unlimited);
}

struct Started
{
    explicit Started(const QString &home, const QStringList &arguments = {}, const QStringList &without = {},
                     const QString &folder = {})
    {
        process.setWorkingDirectory(folder);
        process.setChildProcessModifier(allowCores);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home);
        environment.insert(u"QT_LOGGING_RULES"_s, u"glovebox.*.debug=true"_s);
        for (const QString &name : without)
            environment.remove(name);
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(workbenchProgram, arguments);
    }
    ~Started()
    {
        // In order where it can: openbox hangs now and then over a window that is killed while it frames it.
        process.terminate();
        if (process.state() != QProcess::NotRunning && !process.waitForFinished(10'000)) {
            process.kill();
            process.waitForFinished();
        }
    }
    bool waitFor(const QByteArray &words)
    {
        QElapsedTimer timer;
        timer.start();
        while (!said.contains(words) && timer.elapsed() < 15'000) {
            process.waitForReadyRead(100);
            said += process.readAll();
            if (process.state() == QProcess::NotRunning && !process.bytesAvailable())
                break;
        }
        said += process.readAll();
        return said.contains(words);
    }
    int finish()
    {
        if (!process.waitForFinished(10'000))
            return -1;
        said += process.readAll();
        return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    }
    QProcess process;
    QByteArray said;
};

bool waitForWindowOf(qint64 pid)
{
    QProcess find;
    find.start(u"timeout"_s, {u"15"_s, u"xdotool"_s, u"search"_s, u"--sync"_s, u"--all"_s, u"--onlyvisible"_s,
                              u"--pid"_s, QString::number(pid), u"--name"_s, u"Glovebox"_s});
    find.waitForFinished();
    return !find.readAllStandardOutput().isEmpty();
}

} // namespace

class TestProgram : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_room;
    QString home() const { return m_room.path() + u'/' + QString::fromLatin1(QTest::currentTestFunction()); }

private Q_SLOTS:
    void signalsEndItInOrder_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }

    void signalsEndItInOrder()
    {
        QFETCH(int, signal);
        Started workbench(home());
        QVERIFY2(workbench.waitFor("engine open"), workbench.said.constData());
        QVERIFY(waitForWindowOf(workbench.process.processId()));
        sendSignal(workbench.process.processId(), signal);
        QCOMPARE(workbench.finish(), 0);
        // The engine went in order: its lock is gone.
        QCOMPARE(QDir(home() + u"/data/engines"_s).entryList(QDir::Files), QStringList());
    }

    void aSignalRightAfterTheStartEndsItToo()
    {
        Started workbench(home());
        QVERIFY2(workbench.waitFor("window shown"), workbench.said.constData());
        sendSignal(workbench.process.processId(), SIGTERM);
        QCOMPARE(workbench.finish(), 0);
        QCOMPARE(QDir(home() + u"/data/engines"_s).entryList(QDir::Files), QStringList());
    }

    // As on a server that is gone: here by a lease, for which the kernel lets who opens the file wait for 45 s.
    void aReadThatDoesNotEndDoesNotKeepTheProgram_data()
    {
        QTest::addColumn<bool>("isHung");
        QTest::addColumn<bool>("canKeep");
        QTest::newRow("all is kept") << true << true;
        QTest::newRow("what is noted at the end can't be kept") << true << false;
        QTest::newRow("nor without such a read") << false << false;
    }
    void aReadThatDoesNotEndDoesNotKeepTheProgram()
    {
        QFETCH(bool, isHung);
        QFETCH(bool, canKeep);
        QVERIFY(QDir().mkpath(home()));
        QFile held(home() + u"/held.py"_s);
        QVERIFY(held.open(QIODevice::ReadWrite));
        std::signal(SIGIO, SIG_IGN); // the kernel tells that somebody waits
        struct stat info = {};
        QVERIFY(::fstat(held.handle(), &info) == 0);
        QVERIFY(!isHung || ::fcntl(held.handle(), F_SETLEASE, F_WRLCK) == 0);
        Started workbench(home(), {held.fileName()});
        QVERIFY2(workbench.waitFor("engine open"), workbench.said.constData());
        QVERIFY(waitForWindowOf(workbench.process.processId()));
        const auto waits = [inode = ':' + QByteArray::number(qulonglong(info.st_ino)) + ' '] {
            QFile locks(u"/proc/locks"_s); // of all programs
            const QByteArrayList lines =
                locks.open(QIODevice::ReadOnly) ? locks.readAll().split('\n') : QByteArrayList();
            return std::ranges::any_of(
                lines, [&](const QByteArray &line) { return line.contains("BREAKING") && line.contains(inode); });
        };
        QTRY_COMPARE(waits(), isHung);
        if (!canKeep)
            QVERIFY(QDir(home() + u"/data/stash"_s).removeRecursively());
        sendSignal(workbench.process.processId(), SIGTERM);
        QCOMPARE(workbench.finish(), canKeep ? 0 : 1);
        QCOMPARE(waits(), isHung); // it was still held
        QVERIFY2(workbench.said.contains("can't be kept") != canKeep, workbench.said.constData());
    }

    void aSecondStartLandsInTheFirstWindow()
    {
        Started first(home());
        QVERIFY2(first.waitFor("window shown"), first.said.constData());
        Started second(home(), {u"some file.py"_s});
        QCOMPARE(second.finish(), 0);
        QVERIFY2(first.waitFor("asked to open 1 file"), first.said.constData());
        QCOMPARE(first.process.state(), QProcess::Running);
    }

    // For some milliseconds after kill -9 the socket still takes connections, and hangs up.
    void aStartBesideAHangUpOpens()
    {
        QVERIFY(QDir().mkpath(home() + u"/run"_s));
        QVERIFY(QFile::setPermissions(home() + u"/run"_s, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QLocalServer server;
        QVERIFY(server.listen(home() + u"/run/workbench.sock"_s));
        Started workbench(home());
        QVERIFY(server.waitForNewConnection(10'000));
        server.nextPendingConnection()->abort();
        QVERIFY2(workbench.waitFor("window shown"), workbench.said.constData());
    }

    void theSocketIsThePersonsOwn()
    {
        Started workbench(home());
        QVERIFY2(workbench.waitFor("window shown"), workbench.said.constData());
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther
                            | QFile::WriteOther | QFile::ExeOther;
        QVERIFY(!(QFile::permissions(home() + u"/run"_s) & others));
        QVERIFY(!(QFile::permissions(home() + u"/run/workbench.sock"_s) & others));
    }

    void nonsenseOnTheSocketIsRefused()
    {
        Started workbench(home());
        QVERIFY2(workbench.waitFor("window shown"), workbench.said.constData());
        for (const QByteArray &line : {QByteArray("hello\n"), QByteArray("{\"v\":2}\n"), QByteArray(2'000'000, 'x')}) {
            QLocalSocket socket;
            socket.connectToServer(home() + u"/run/workbench.sock"_s);
            QVERIFY(socket.waitForConnected());
            socket.write(line);
            socket.waitForReadyRead(2000);
            QVERIFY(!socket.readAll().startsWith("ok"));
        }
        QCOMPARE(workbench.process.state(), QProcess::Running);
    }

    void afterAKillTheNextStartIsTheOneWindow()
    {
        {
            Started workbench(home());
            QVERIFY2(workbench.waitFor("engine open"), workbench.said.constData());
            QVERIFY(waitForWindowOf(workbench.process.processId()));
            sendSignal(workbench.process.processId(), SIGKILL);
            workbench.process.waitForFinished();
        }
        QVERIFY(QFile::exists(home() + u"/run/workbench.sock"_s)); // left over
        Started again(home());
        QVERIFY2(again.waitFor("engine open"), again.said.constData());
        Started third(home(), {u"x.py"_s});
        QCOMPARE(third.finish(), 0);
        QVERIFY(again.waitFor("asked to open 1 file"));
    }

    // Which would keep the values that it shows and lends.
    void aCrashLeavesNoCore()
    {
        // No window manager sees these windows: openbox hangs over one that dies while it is framed, and frames no other.
        const auto back = qScopeGuard([was = qgetenv("QT_QPA_PLATFORM")] { ::qputenv("QT_QPA_PLATFORM", was); });
        ::qputenv("QT_QPA_PLATFORM", "offscreen");
        const QTemporaryDir folder; // where the usual core_pattern puts them
        const auto cores = [&] { return QDir(folder.path()).entryList({u"core*"_s}, QDir::Files); };
        for (const QByteArray moment : {"window shown", "engine open"}) {
            for (const int signal : {SIGABRT, SIGSEGV}) {
                Started workbench(home(), {}, {}, folder.path());
                QVERIFY2(workbench.waitFor(moment), workbench.said.constData());
                const auto pid = pid_t(workbench.process.processId());
                rlimit limit{};
                QCOMPARE(::prlimit(pid, RLIMIT_CORE, nullptr, &limit), 0);
                QCOMPARE(limit.rlim_max, rlim_t(1)); // 0 isn't enforced where cores go to a program (core(5))
                sendSignal(pid, signal);
#ifdef __SANITIZE_ADDRESS__
                QCOMPARE(workbench.finish(), signal == SIGSEGV ? 1 : -2); // AddressSanitizer reports the one, and exits
#else
                QCOMPARE(workbench.finish(), -2);
#endif
                QCOMPARE(cores(), QStringList());
            }
        }
    }

    void noDisplayIsSaid()
    {
        Started workbench(home(), {}, {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s});
        QCOMPARE(workbench.finish(), 1);
        QVERIFY2(workbench.said.contains("There is no display"), workbench.said.constData());
    }

    void noHomeIsSaidInAWindow()
    {
        Started workbench(home(), {}, {u"GLOVEBOX_HOME"_s, u"HOME"_s, u"XDG_DATA_HOME"_s, u"XDG_CONFIG_HOME"_s});
        QVERIFY2(workbench.waitFor("home"), workbench.said.constData());
        QVERIFY(waitForWindowOf(workbench.process.processId()));
    }

    void aBrokenSettingsFileIsSaidAndTheWindowStays()
    {
        QVERIFY(QDir().mkpath(home() + u"/config"_s));
        QFile file(home() + u"/config/settings.json"_s);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{") == 1);
        file.close();
        Started workbench(home());
        QVERIFY2(workbench.waitFor("engine not open"), workbench.said.constData());
        QVERIFY(waitForWindowOf(workbench.process.processId()));
        sendSignal(workbench.process.processId(), SIGTERM);
        QCOMPARE(workbench.finish(), 0);
    }

    void helpAndVersionNeedNoDisplay()
    {
        for (const QStringList &arguments :
             {QStringList{u"--help"_s}, {u"--version"_s}, {u"--bogus"_s, u"x.py"_s, u"-h"_s}}) {
            Started workbench(home(), arguments, {u"DISPLAY"_s});
            QCOMPARE(workbench.finish(), 0);
            QVERIFY(workbench.said.contains("glovebox-workbench"));
            QVERIFY(!workbench.said.contains("Unknown"));
        }
    }

    void aMistypedOptionIsSaidWithoutADisplay()
    {
        for (const auto &option : {u"--bogus"_s, u"-x"_s, u"--styl=fusion"_s}) {
            Started workbench(home(), {u"x.py"_s, option}, {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s});
            QCOMPARE(workbench.finish(), 2);
            QVERIFY2(workbench.said.contains("Unknown option " + option.toUtf8() + ". See"),
                     workbench.said.constData());
        }
        // The toolkit's own reach it.
        Started workbench(home(), {u"-style"_s, u"fusion"_s, u"--"_s, u"--bogus"_s},
                          {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s});
        QCOMPARE(workbench.finish(), 1);
        QVERIFY2(workbench.said.contains("There is no display"), workbench.said.constData());
    }

    // The last one: window managers don't like a window that doesn't answer either.
    void aHungWindowIsSaid()
    {
        Started first(home());
        QVERIFY2(first.waitFor("window shown"), first.said.constData());
        sendSignal(first.process.processId(), SIGSTOP);
        Started second(home());
        const int status = second.finish();
        sendSignal(first.process.processId(), SIGCONT);
        QCOMPARE(status, 1);
        QVERIFY2(second.said.contains("doesn't answer"), second.said.constData());
    }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
