// SPDX-License-Identifier: Apache-2.0
// A run with a terminal of its own: what it is to programs inside, and that it is nobody else's.
#include "sealed.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestPty : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend = backendUnderTest(u"test"_s);

    static SealedSpec specFor(const QByteArray &script)
    {
        SealedSpec spec = shellSpec(script);
        spec.shape.environment.append("TERM=dumb");
        spec.shape.hasTerminal = true;
        spec.assignment.terminal = Terminal{.rows = 30, .columns = 100};
        return spec;
    }

    QByteArray outputOf(const QByteArray &script, const QByteArray &input = {})
    {
        const auto r = runSealed(*m_backend, specFor(script), input);
        return r ? r->out : r.error().message.english().toUtf8() + ": " + r.error().detail.english().toUtf8();
    }

    // Under bwrap the devices are elsewhere, and the names in /dev lead there.
    static QByteArray plain(QByteArray text) { return text.replace("/.dev/", "/dev/"); }

    // Reads until text has come; false after ten seconds or at the end.
    static bool waitFor(const QByteArray &text, SealedProcess &process, const UniqueFd &out, QByteArray &seen)
    {
        while (!seen.contains(text)) {
            char part[4096];
            if (!waitUntilReadable(process, out.get()))
                return false;
            const ssize_t n = ::read(out.get(), part, sizeof part);
            if (n <= 0)
                return false;
            seen.append(part, n);
        }
        return true;
    }

private Q_SLOTS:
    void isATerminalOfTheRunsOwn()
    {
        const QByteArray out =
            outputOf("test -t 0 -a -t 1 -a -t 2 && echo yes; tty; stty size; ls -1 /dev/pts; ps -o tty= -p $$; "
                     "echo here > /dev/tty");
        QCOMPARE(plain(out), QByteArray("yes\n/dev/pts/0\n30 100\n0\nptmx\npts/0\nhere\n"));
        QCOMPARE(plain(outputOf("readlink /proc/self/fd/[012]")), QByteArray("/dev/pts/0\n/dev/pts/0\n/dev/pts/0\n"));
        QCOMPARE(
            outputOf("for f in /proc/self/fd/*; do echo ${f##*/}; done | sort -n | tr '\\n' ' '").simplified().left(5),
            QByteArray("0 1 2"));
        QVERIFY(!outputOf("ls -l /proc/*/fd 2>/dev/null").contains("ptmx")); // the outer side is outside
    }

    void echoesWhatIsTyped()
    {
        // What is typed before the program asks is echoed before.
        QCOMPARE(outputOf("python3 -c 'print(input(\"name? \").upper())'", "me\n").replace("name? ", ""),
                 QByteArray("me\nME\n"));
    }

    void refusesTypingIntoItByProgram_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("TIOCSTI") << QByteArray("0x5412");
        QTest::newRow("TIOCSTI with high bits") << QByteArray("0x500005412");
        QTest::newRow("TIOCLINUX") << QByteArray("0x541c");
        QTest::newRow("TIOCSETD") << QByteArray("0x5423");
    }
    void refusesTypingIntoItByProgram()
    {
        QFETCH(QByteArray, command);
        SealedSpec spec = specFor("exec python3 main.py");
        spec.assignment.files.append({"main.py", "import ctypes, errno\nl = ctypes.CDLL(None, use_errno=True)\n"
                                                 "r = l.syscall(16, 0, ctypes.c_ulong("
                                                     + command
                                                     + "), b'x')\nprint(r, errno.errorcode[ctypes.get_errno()])"});
        const auto r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out, QByteArray("-1 EPERM\n"));
    }

    void keysInterruptAndSizesArrive()
    {
        auto process = launchIn(*m_backend,
                                specFor("trap 'echo interrupted; exit 7' INT; trap 'stty size' WINCH; echo ready; "
                                        "while :; do sleep 0.05; done"),
                                {});
        QVERIFY(process);
        const UniqueFd in = (*process)->takeStdin();
        const UniqueFd out = (*process)->takeStdout();
        QVERIFY(!(*process)->takeStderr());
        QVERIFY((*process)->start());
        QByteArray seen;
        QVERIFY2(waitFor("ready", **process, out, seen), seen);
        (*process)->resize({.rows = 50, .columns = 132});
        QVERIFY2(waitFor("50 132", **process, out, seen), seen);
        QCOMPARE(::write(in.get(), "\3", 1), 1);
        QVERIFY2(waitFor("interrupted", **process, out, seen), seen);
    }

    void losesNothingOfALongOutput()
    {
        const QByteArray out = outputOf("seq 20000");
        QVERIFY(out.endsWith("\n19999\n20000\n"));
        QCOMPARE(out.count('\n'), 20000);
    }

    void endsWithItsProgramWhoeverHoldsTheTerminal()
    {
        const auto r = runSealed(*m_backend, specFor("sleep 60 & setsid sleep 60 & echo bye; exit 3"));
        QVERIFY(r);
        QCOMPARE(r->out, QByteArray("bye\n"));
        QCOMPARE(r->end.exitCode, std::optional(3));
    }

    void worksWhereItIsAlsoShownAFolder()
    {
        SealedSpec spec = specFor("test -t 1 && ls -d /mnt/x");
        spec.assignment.granted = {*openFolder({u"/usr/share"_s, u"/mnt/x"_s}, {})};
        const auto r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out, QByteArray("/mnt/x\n"));
    }
};

QTEST_GUILESS_MAIN(TestPty)
#include "tst_pty.moc"
