// SPDX-License-Identifier: Apache-2.0
// Servers as they are started: which there are, and why one can't be had.
#include "toolserverspec.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestServerStart : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { glovebox::blockSignals(); } // as the engine's threads do

    void saysWhyAServerCannotBeHad_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QString>("sentence");
        const QString script = serverScript();
        const auto row = [](const char *name, const QStringList &command, const QString &sentence) {
            QTest::newRow(name) << command << sentence;
        };
        row("no such program", {u"/nowhere/server"_s}, u"No such file or directory (/nowhere/server)"_s);
        row("no program", {u"/etc/passwd"_s}, u"Permission denied"_s);
        row("ends at once", {python(), script, u"ends"_s}, u"ended by itself, with exit status 3"_s);
        row("says nothing", {python(), script, u"hangs"_s}, u"didn't say in time"_s);
        row("a broken message", {python(), script, u"breaks"_s}, u"answered with a message that isn't valid JSON"_s);
        row("an unknown revision", {python(), script, u"old"_s}, u"speaks no revision"_s);
        row("another program", {u"/bin/cat"_s}, u"answered with an error"_s);
        row("one that prints", {u"/usr/bin/yes"_s}, u"didn't say in time"_s);
    }
    void saysWhyAServerCannotBeHad()
    {
        QFETCH(QStringList, command);
        QFETCH(QString, sentence);
        ToolBroker::Spec wanted = spec({u"echo"_s});
        wanted.servers.first().command = command;
        wanted.startPatience = 2s;
        const auto broker = ToolBroker::start(wanted, {});
        QVERIFY(!broker);
        const QString said = broker.error().message.english();
        QVERIFY2(said.contains(sentence), qPrintable(said));
        QVERIFY2(said.contains(u"The server t "_s), qPrintable(said));
    }

    // Each one that ran, whatever became of it and of the next.
    void tellsOfEachServerThatWasStarted()
    {
        ToolBroker::Spec wanted = spec({u"echo"_s});
        const auto add = [&wanted](const QString &name, const QStringList &command) {
            wanted.servers.append(ToolServer{name, command, {}, {}});
        };
        add(u"u"_s, {python(), serverScript(), u"old"_s});
        QStringList started;
        wanted.started = [&started](const ToolServer &server) { started.append(server.name); };
        QVERIFY(!ToolBroker::start(wanted, {}));
        QCOMPARE(started, (QStringList{u"t"_s, u"u"_s}));

        started.clear();
        wanted.servers.removeLast();
        add(u"u"_s, {u"/nowhere/server"_s});
        QVERIFY(!ToolBroker::start(wanted, {}));
        QCOMPARE(started, QStringList{u"t"_s});
    }

    // The caller is a program of the terminal, which ends when nobody reads its output any more.
    void isNotEndedByAServerThatClosesItsInput()
    {
#ifdef __SANITIZE_THREAD__
        QSKIP("ThreadSanitizer follows no threads of a child that was forked beside others.");
#endif
        const pid_t program = ::fork();
        if (program == 0) {
            sigset_t pipe;
            sigemptyset(&pipe);
            sigaddset(&pipe, SIGPIPE);
            ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
            const auto tools = toolsOfServer(QStringLiteral(GLOVEBOX_LIBEXEC), spec({}, {u"deaf"_s}).servers.first());
            ::_exit(!tools && tools.error().message.english().contains(u"exit status 4"_s) ? 0 : 1);
        }
        int status = 0;
        ::waitpid(program, &status, 0);
        QCOMPARE(status, 0);
    }

    // The spawner's AppArmor profile gives user namespaces, and what a program with such a profile executes keeps it.
    void isNotStartedByTheProgramThatMayMakeNamespaces()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"parent"_s);
        ToolBroker::Spec wanted = spec({u"echo"_s});
        wanted.servers.first().command = {
            python(), u"-c"_s,
            u"import os, sys; open(sys.argv[1], 'w').write(os.readlink(f'/proc/{os.getppid()}/exe'))"_s, file};
        QVERIFY(!ToolBroker::start(wanted, {}));
        QFile told(file);
        QVERIFY(told.open(QIODevice::ReadOnly));
        QCOMPARE(QFileInfo(QString::fromUtf8(told.readAll())).fileName(), u"glovebox-toolhost"_s);

        const QString mark = folder.filePath(u"mark"_s);
        const QString spawner = QStringLiteral(GLOVEBOX_LIBEXEC "/glovebox-spawner");
        for (const QStringList &words :
             {QStringList{u"toolhost"_s, folder.path(), u"/usr/bin/touch"_s, mark},
              QStringList{folder.path(), u"/usr/bin/touch"_s, mark}, QStringList{u"/usr/bin/touch"_s, mark}}) {
            QCOMPARE(QProcess::execute(spawner, words), 2);
            QVERIFY(!QFile::exists(mark));
        }
    }

    void namesToolsThatAreNotThere()
    {
        const auto broker = ToolBroker::start(spec({u"echo"_s, u"other"_s}), {});
        QVERIFY(!broker);
        QCOMPARE(broker.error().message.english(),
                 u"The server t has no tool \"other\". To see its tools: glovebox mcp servers t"_s);
    }

    void readsAllPagesAndNotForEver()
    {
        const auto tools = toolsOfServer(QStringLiteral(GLOVEBOX_LIBEXEC), spec({}, {u"endless"_s}).servers.first());
        QVERIFY(tools);
        QVERIFY(tools->size() > 10);
    }

    void canBeCancelledWhileServersStart()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"hangs"_s);
        std::stop_source stop;
        auto broker = std::async(std::launch::async, [&] {
            glovebox::blockSignals();
            return ToolBroker::start(spec({u"echo"_s}, {u"hangs"_s, file}), stop.get_token());
        });
        QTRY_VERIFY(QFile::exists(file));
        QElapsedTimer timer;
        timer.start();
        stop.request_stop();
        const auto result = broker.get();
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
        QVERIFY(timer.elapsed() < 3'000);
    }
};

QTEST_GUILESS_MAIN(TestServerStart)
#include "tst_serverstart.moc"
