// SPDX-License-Identifier: Apache-2.0
// `glovebox run --tty` at a terminal, as a person would use it: keys, sizes, and the terminal as it was afterwards, however
// the run or the program ends. The question about changes to a copy is asked there, too.
#include "desk.h"
#include "tests/support/signals.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// By one program: a process for each file is most of the time.
const QString filesOfHundredKilobytes =
    u"head -c $((%1 * 100000)) /dev/zero | tr '\\0' a | split -a 3 -b 100000 - x/"_s;

} // namespace

class TestCliTty : public QObject
{
    Q_OBJECT

private:
    Home m_home;

private Q_SLOTS:
    void keysAndSizesReachTheRun()
    {
        Desk desk(m_home, {u"run"_s, u"--tty"_s, u"-l"_s, u"bash"_s, u"-c"_s,
                           u"trap 'echo interrupted' INT; trap 'stty size' WINCH; stty size; echo ready; while ! read "
                           u"-t 0.1 x; do :; "
                           "done; echo got $x; printf '\\033[2J'; exit 5"_s});
        QVERIFY2(desk.waitFor("33 111") && desk.waitFor("ready"), desk.seen);
        QVERIFY(!desk.isAsBefore());
        desk.resize(40, 90);
        QVERIFY2(desk.waitFor("40 90"), desk.seen);
        desk.type("\3");
        QVERIFY2(desk.waitFor("interrupted"), desk.seen);
        desk.type("word\r");
        QVERIFY2(desk.waitFor("got word"), desk.seen);
        QCOMPARE(desk.status(), 5);
        QVERIFY2(desk.seen.contains("\\x1b[2J") && !desk.seen.contains("\033[2J"), desk.seen); // what controls is shown
        QVERIFY(desk.isAsBefore());
    }

    void theTerminalIsPutBack_data()
    {
        QTest::addColumn<int>("signal"); // 0: the key
        QTest::addColumn<int>("status");
        QTest::newRow("key") << 0 << 130;
        QTest::newRow("SIGTERM") << SIGTERM << 143;
        QTest::newRow("SIGQUIT") << SIGQUIT << 128 + SIGQUIT;
        QTest::newRow("SIGABRT") << SIGABRT << 128 + SIGABRT;
    }
    void theTerminalIsPutBack()
    {
        QFETCH(int, signal);
        QFETCH(int, status);
        Desk desk(m_home, {u"run"_s, u"--tty"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"trap '' INT; echo ready; sleep 60"_s});
        QVERIFY2(desk.waitFor("ready"), desk.seen);
        QTRY_VERIFY(!desk.isAsBefore());
        if (signal == 0)
            desk.type("\x1d\x1d\x1d");
        else
            sendSignal(desk.pid(), signal);
        QCOMPARE(desk.status(), status);
        QVERIFY(desk.isAsBefore());
    }

    // A script that has --tty by mistake would wait for keys, or take a shell's prompt for output.
    void withoutATerminalItIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("code") << QStringList{u"-c"_s, u"print(1)"_s};
        QTest::newRow("json") << QStringList{u"--json"_s, u"-c"_s, u"print(1)"_s};
        QTest::newRow("code from the pipe") << QStringList{u"-"_s};
    }
    void withoutATerminalItIsRefused()
    {
        QFETCH(const QStringList, arguments);
        const Ended ended = m_home.run(QStringList{u"run"_s, u"--tty"_s} + arguments, "print(2)\n");
        QCOMPARE(ended.status, 2);
        QCOMPARE(ended.out, QByteArray());
        QVERIFY2(ended.err.startsWith("glovebox: --tty needs a terminal") && ended.err.contains("--stdin FILE"),
                 ended.err);
    }

    void aNamedInputIsTypedIntoATerminalInside()
    {
        const Ended ended = m_home.run({u"run"_s, u"--tty"_s, u"--stdin"_s, u"-"_s, u"-c"_s,
                                        u"print(input('? ')); import sys; print(sys.stdin.isatty())"_s},
                                       "x\n");
        QCOMPARE(QByteArray(ended.out).replace("? ", ""),
                 QByteArray("x\nx\nTrue\n")); // echoed before or after it is asked
        QCOMPARE(ended.err, QByteArray());
        const QString file = m_home.write(u"input"_s, "a\n");
        QCOMPARE(
            m_home.run({u"run"_s, u"--tty"_s, u"--stdin"_s, file, u"-l"_s, u"sh"_s, u"-c"_s, u"cat; echo end"_s}).out,
            QByteArray("a\na\nend\n"));
    }

    // Without it they wait for the time limit.
    void theEndOfInputReachesWhoeverReads_data()
    {
        QTest::addColumn<QStringList>("code");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("shell") << QStringList{u"bash"_s, u"bash -i; echo done"_s} << QByteArray("a\n")
                               << QByteArray("done\n");
        QTest::newRow("shell in the middle of a line")
            << QStringList{u"bash"_s, u"bash -i"_s} << QByteArray("true\necho $((40 + 2))") << QByteArray("42\n");
        QTest::newRow("one after the other")
            << QStringList{u"sh"_s, u"cat; cat; cat; cat; echo done"_s} << QByteArray() << QByteArray("done\n");
        QTest::newRow("a line that was begun")
            << QStringList{u"python"_s, u"import sys; print(repr(sys.stdin.read()))"_s} << QByteArray("a\nb")
            << QByteArray("'a\\nb'");
    }
    void theEndOfInputReachesWhoeverReads()
    {
        QFETCH(QStringList, code);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, says);
        const Ended ended = m_home.run(
            {u"run"_s, u"--tty"_s, u"--stdin"_s, u"-"_s, u"-t"_s, u"20"_s, u"-l"_s, code[0], u"-c"_s, code[1]}, input);
        QCOMPARE(ended.status, 0);
        QVERIFY2(ended.out.contains(says), ended.out + ended.err);
    }

    void changesToACopyAreAskedAbout_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("yes") << QByteArray("y\r") << QByteArray("2\n");
        QTest::newRow("no") << QByteArray("n\r") << QByteArray("1\n");
        QTest::newRow("nothing") << QByteArray("\r") << QByteArray("1\n");
        QTest::newRow("Ctrl+C") << QByteArray("y\x03") << QByteArray("1\n");
    }
    void changesToACopyAreAskedAbout()
    {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, content);
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QFile file(room.filePath(u"a"_s));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write("1\n") == 2 && file.flush());
        Desk desk(m_home, {u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                           u"echo 2 > x/a"_s});
        QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
        desk.type(answer);
        QCOMPARE(desk.status(), answer.endsWith('\x03') ? 130 : 0);
        QFile now(file.fileName());
        QVERIFY(now.open(QIODevice::ReadOnly));
        QCOMPARE(now.readAll(), content);
        if (content == "1\n") {
            QVERIFY2(desk.seen.contains("\nglovebox: No change of this run is in the originals yet.")
                         && desk.seen.contains("\"glovebox changes apply ") && desk.seen.endsWith('\n'),
                     desk.seen);
            m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString()});
        }
    }

    // Behind more others than are listed, and asked about apart.
    void whatOtherProgramsObeyIsAskedAboutByItself_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("isTaken");
        QTest::newRow("no") << QByteArray("n\r") << false;
        QTest::newRow("yes") << QByteArray("y\r") << true;
    }
    void whatOtherProgramsObeyIsAskedAboutByItself()
    {
        QFETCH(QByteArray, answer);
        QFETCH(bool, isTaken);
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        Desk desk(m_home, {u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                           u"cd x; for i in $(seq 60); do : > a$i; done; mkdir -p z/.git/hooks; "
                           "echo evil > z/.git/hooks/post-checkout"_s});
        QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
        const qsizetype hook = desk.seen.indexOf("post-checkout (!) Git runs");
        QVERIFY2(hook > 0 && hook < desk.seen.indexOf(" a1"), desk.seen);
        QVERIFY2(desk.seen.contains("Also apply the "), desk.seen);
        desk.type(answer);
        QVERIFY2(desk.waitFor("Apply 6"), desk.seen);
        desk.type("y\r");
        QCOMPARE(desk.status(), 0);
        QVERIFY(QFile::exists(room.filePath(u"a60"_s)));
        QCOMPARE(QFile::exists(room.filePath(u"z/.git/hooks/post-checkout"_s)), isTaken);
        m_home.run({u"changes"_s, u"discard"_s, m_home.runsOnRecord().value(0)["run"_L1].toString(), u"--yes"_s});
    }

    void applyingIsStoppedByCtrlC_data()
    {
        QTest::addColumn<bool>("isAsked");
        QTest::newRow("at the question") << true;
        QTest::newRow("in the middle") << false;
    }
    void applyingIsStoppedByCtrlC()
    {
        QFETCH(bool, isAsked);
        const int files = isAsked ? 3 : 4000;
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        const Ended ended =
            m_home.run({u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"--json"_s, u"--disk"_s, u"900"_s,
                        u"-l"_s, u"sh"_s, u"-c"_s, filesOfHundredKilobytes.arg(files)});
        const QString run = ended.json()["id"_L1].toString();
        const auto count = [&] { return QDir(room.path()).entryList(QDir::Files | QDir::Hidden).size(); };
        {
            Desk desk(m_home,
                      QStringList{u"changes"_s, u"apply"_s, run} + (isAsked ? QStringList() : QStringList{u"--yes"_s}));
            QVERIFY2(desk.waitFor(isAsked ? "[y/N] " : " of 4000 changes, "), desk.seen);
            desk.type("\3");
            if (!isAsked)
                desk.type("\3"); // again
            QCOMPARE(desk.status(), 128 + SIGINT); // by itself, or by the signal
            QVERIFY2(isAsked || desk.seen.contains("Stopped"), desk.seen);
        }
        const qsizetype applied = count();
        QVERIFY2(applied < files, QByteArray::number(applied));
        QCOMPARE(isAsked ? applied : 0, 0);
        QVERIFY(!m_home.run({u"changes"_s, u"show"_s, run}).out.contains("Glovebox ended"));
        QCOMPARE(m_home.run({u"changes"_s, u"apply"_s, run}).status, 0);
        QCOMPARE(count(), files);
        const Ended undone = m_home.run({u"changes"_s, u"undo"_s, run});
        QVERIFY2(undone.err.contains(QByteArray::number(files) + " changes were undone."), undone.err);
        QCOMPARE(count(), 0);
        QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    }

    void undoingIsStoppedByCtrlC()
    {
        constexpr int files = 3000;
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        for (int i = 0; i < files; ++i) {
            QFile file(room.filePath(QString::number(i)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(100'000, 'a')) > 0);
        }
        QCOMPARE(QProcess::execute(u"chmod"_s, {u"-R"_s, u"a+rwX"_s, room.path()}), 0);
        const auto changed = [&] {
            int count = 0;
            for (int i = 0; i < files; ++i)
                count += QFileInfo(room.filePath(QString::number(i))).size() == 100'000 ? 0 : 1;
            return count;
        };
        const Ended ended =
            m_home.run({u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"--json"_s, u"--disk"_s, u"900"_s,
                        u"-m"_s, u"1024"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"cd x; for i in *; do echo b > $i; done"_s});
        const QString run = ended.json()["id"_L1].toString();
        QCOMPARE(m_home.run({u"changes"_s, u"apply"_s, run, u"--yes"_s}).status, 0);
        QCOMPARE(changed(), files);
        {
            Desk desk(m_home, {u"changes"_s, u"undo"_s, run, u"--yes"_s});
            QVERIFY2(desk.waitFor(" of 3000 changes, "), desk.seen);
            desk.type("\3");
            QCOMPARE(desk.status(), 128 + SIGINT);
            QVERIFY2(desk.seen.contains("Stopped: ") && desk.seen.contains(" of 3000 changes were undone."), desk.seen);
        }
        const int left = changed();
        QVERIFY2(left > 0, QByteArray::number(left)); // many files get their names at once
        const Ended rest = m_home.run({u"changes"_s, u"undo"_s, run});
        QVERIFY2(rest.status == 0 && rest.err.contains(QByteArray::number(left) + " changes were undone."), rest.err);
        QCOMPARE(changed(), 0);
        QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    }

    void removalsAreCountedWithoutBytes()
    {
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        for (int i = 0; i < 3000; ++i) {
            QFile file(room.filePath(QString::number(i)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("a") > 0);
        }
        QCOMPARE(QProcess::execute(u"chmod"_s, {u"-R"_s, u"a+rwX"_s, room.path()}), 0);
        const Ended ended = m_home.run({u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"--json"_s, u"-l"_s,
                                        u"sh"_s, u"-c"_s, u"rm x/*"_s});
        Desk desk(m_home, {u"changes"_s, u"apply"_s, ended.json()["id"_L1].toString(), u"--yes"_s});
        QCOMPARE(desk.status(), 0);
        QVERIFY2(desk.seen.contains(" 3000 changes"), desk.seen);
        QVERIFY2(!desk.seen.contains("0 bytes"), desk.seen);
        QCOMPARE(QDir(room.path()).entryList(QDir::Files).size(), 0);
    }

    void aRunWhoseApplyingIsStoppedSaysSo()
    {
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        {
            Desk desk(m_home, {u"run"_s, u"--apply"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"--disk"_s,
                               u"900"_s, u"-l"_s, u"sh"_s, u"-c"_s, filesOfHundredKilobytes.arg(4000)});
            QVERIFY2(desk.waitFor(" of 4000 changes, "), desk.seen);
            desk.type("\3");
            QCOMPARE(desk.status(), 128 + SIGINT);
            QVERIFY2(desk.seen.contains("Stopped: "), desk.seen);
        }
        const QString run = m_home.runsOnRecord().value(0)["run"_L1].toString();
        m_home.run({u"changes"_s, u"undo"_s, run});
        QCOMPARE(m_home.run({u"changes"_s, u"discard"_s, run}).status, 0);
    }

    // Those whose notes can't be read, too: nobody knows what they are.
    void discardingChangesAsks_data()
    {
        QTest::addColumn<char>("version");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("readable") << '\2' << QByteArray("1 change in copies waits.");
        QTest::newRow("damaged") << '\0' << QByteArray("can't be read");
        QTest::newRow("of a newer version") << '\x9' << QByteArray("A newer version of Glovebox");
    }
    void discardingChangesAsks()
    {
        QFETCH(char, version);
        QFETCH(QByteArray, says);
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        const Ended ended = m_home.run({u"run"_s, u"--mount"_s, room.path() + u":/work/x:stage"_s, u"--json"_s, u"-l"_s,
                                        u"sh"_s, u"-c"_s, u"echo 2 > x/a"_s});
        const QString run = ended.json()["run"_L1].toString(ended.json()["id"_L1].toString());
        QString kept;
        for (const QString &base : {QDir(m_home.path()).filePath(u"data/staging"_s), u"/var/lib/glovebox"_s}) {
            QDirIterator all(base, {u"manifest"_s}, QDir::Files, QDirIterator::Subdirectories);
            while (all.hasNext()) {
                if (const QString path = all.next(); path.contains(run))
                    kept = path;
            }
        }
        QFile notes(kept);
        QVERIFY2(notes.open(QIODevice::ReadWrite | QIODevice::ExistingOnly), qPrintable(kept));
        QVERIFY(notes.seek(3) && notes.putChar(version) && notes.flush());
        for (const QByteArray answer : {"\x03", "n\r", "y\r"}) {
            Desk desk(m_home, {u"changes"_s, u"discard"_s, run});
            QVERIFY2(desk.waitFor("[y/N] "), desk.seen);
            QVERIFY2(desk.seen.contains(says), desk.seen);
            desk.type(answer);
            QCOMPARE(desk.status(), answer == "\x03" ? 130 : answer == "n\r" ? 1 : 0);
            QCOMPARE(desk.seen.contains("\nglovebox: Nothing was discarded."), answer != "y\r");
            QCOMPARE(QFile::exists(kept), answer != "y\r");
        }
    }
};

QTEST_GUILESS_MAIN(TestCliTty)
#include "tst_clitty.moc"
