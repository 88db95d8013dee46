// SPDX-License-Identifier: Apache-2.0
// `glovebox open` with the real programs: what it opens lands in the one window, and what can't be opened is said.
#include "tests/app/cli/program.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QDirIterator>
#include <QLocalSocket>
#include <QtTest>

#include <csignal>
#include <sys/socket.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// The process that listens for files; 0: none.
pid_t windowOf(const Home &home)
{
    QLocalSocket socket;
    socket.connectToServer(home.path(u"run/workbench.sock"_s));
    ucred peer = {};
    socklen_t size = sizeof(peer);
    if (!socket.waitForConnected(1000)
        || ::getsockopt(int(socket.socketDescriptor()), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return 0;
    return peer.pid;
}

// The window keeps what its tabs hold in the stash: there it can be seen from outside.
bool isInATab(const Home &home, const QByteArray &text)
{
    QDirIterator files(home.path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.fileName().contains(u"stash"_s) && file.open(QIODevice::ReadOnly) && file.readAll().contains(text))
            return true;
    }
    return false;
}

Ended runWithout(const Home &home, const QStringList &arguments, const QStringList &variables)
{
    const auto process = home.program(arguments);
    QProcessEnvironment environment = process->processEnvironment();
    for (const QString &variable : variables)
        environment.remove(variable);
    process->setProcessEnvironment(environment);
    process->start();
    process->closeWriteChannel();
    return finish(*process);
}

const QStringList displays{u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s};

} // namespace

class TestOpen : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Home> m_home;

private Q_SLOTS:
    void init() { m_home = std::make_unique<Home>(); }
    void cleanup()
    {
        if (const pid_t window = windowOf(*m_home)) {
            sendSignal(window, SIGTERM);
            QTRY_VERIFY_WITH_TIMEOUT(sendSignal(window, 0) != 0, 20'000);
        }
        m_home.reset();
    }

    void theWorkbenchIsStartedWithTheFileAndStays()
    {
        const QString file = m_home->write(u"snippet.py"_s, "print('opened')\n");
        const Ended opened = m_home->run({u"open"_s, file});
        QVERIFY2(opened.status == 0, opened.err.constData());
        QCOMPARE(opened.out, QByteArray());
        QVERIFY(windowOf(*m_home) > 0);
        QTRY_VERIFY_WITH_TIMEOUT(isInATab(*m_home, "snippet.py"), 20'000);
    }

    void theWindowThatIsThereTakesFilesAndInputAlsoFromWhereThereIsNoDisplay()
    {
        const Ended first = m_home->run({u"open"_s});
        QVERIFY2(first.status == 0, first.err.constData());
        const pid_t window = windowOf(*m_home);
        QVERIFY(window > 0);
        const QString file = m_home->write(u"second.sh"_s, "echo second\n");
        const Ended second = runWithout(*m_home, {u"open"_s, file}, displays);
        QVERIFY2(second.status == 0, second.err.constData());
        QTRY_VERIFY_WITH_TIMEOUT(isInATab(*m_home, "second.sh"), 20'000);
        const Ended third = m_home->run({u"open"_s, u"-"_s}, "print('from a pipe')\n");
        QVERIFY2(third.status == 0, third.err.constData());
        QTRY_VERIFY_WITH_TIMEOUT(isInATab(*m_home, "print('from a pipe')"), 20'000);
        QCOMPARE(windowOf(*m_home), window);
    }

    void withoutAWindowInputStartsOne()
    {
        const Ended opened = m_home->run({u"open"_s, u"-"_s}, "echo piped\n");
        QVERIFY2(opened.status == 0, opened.err.constData());
        QTRY_VERIFY_WITH_TIMEOUT(isInATab(*m_home, "echo piped"), 20'000);
    }

    void moreInputThanOnePacketArrivesWhole()
    {
        QVERIFY(m_home->run({u"open"_s}).status == 0);
        const QByteArray text =
            QByteArray("# a comment of some length, again and again\n").repeated(60'000) + "# the end\n";
        const Ended opened = m_home->run({u"open"_s, u"-"_s}, text);
        QVERIFY2(opened.status == 0, opened.err.constData());
        QTRY_VERIFY_WITH_TIMEOUT(isInATab(*m_home, "# the end"), 20'000);
    }

    void withoutADisplayThatIsSaid()
    {
        const Ended opened = runWithout(*m_home, {u"open"_s}, displays);
        QCOMPARE(opened.status, 1);
        QVERIFY2(opened.err.contains("There is no display"), opened.err.constData());
    }

    void aWorkbenchThatIsNotInstalledIsSaid()
    {
        QVERIFY(QFile::copy(programFile(), m_home->path(u"glovebox"_s)));
        const auto process = m_home->program({u"open"_s});
        process->setProgram(m_home->path(u"glovebox"_s));
        process->start();
        const Ended opened = finish(*process);
        QCOMPARE(opened.status, 1);
        QVERIFY2(opened.err.contains("The workbench is not installed"), opened.err.constData());
    }

    void whatCannotBeOpenedIsSaidAndNothingStarts_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("missing") << QStringList{u"/nowhere/x.py"_s} << 1
                                 << QByteArray("There is no file \"/nowhere/x.py\".");
        QTest::newRow("folder") << QStringList{u"/usr"_s} << 1 << QByteArray("\"/usr\" is a folder.");
        QTest::newRow("binary") << QStringList{u"/bin/sh"_s} << 1 << QByteArray("\"/bin/sh\" is not text");
        QTest::newRow("device") << QStringList{u"/dev/null"_s} << 1
                                << QByteArray("\"/dev/null\" is a pipe or a device. To open what comes from it: "
                                              "glovebox open - </dev/null");
        QTest::newRow("option") << QStringList{u"--wide"_s} << 2 << QByteArray("--wide");
    }

    void whatCannotBeOpenedIsSaidAndNothingStarts()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QByteArray, sentence);
        const Ended opened = m_home->run(QStringList{u"open"_s} + arguments);
        QCOMPARE(opened.status, status);
        QVERIFY2(opened.err.contains(sentence), opened.err.constData());
        QCOMPARE(windowOf(*m_home), 0);
    }
};

QTEST_GUILESS_MAIN(TestOpen)
#include "tst_open.moc"
