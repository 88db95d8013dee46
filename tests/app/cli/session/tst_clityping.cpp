// SPDX-License-Identifier: Apache-2.0
// Cells that a person types at a terminal: keys that edit a line, pastes, and the terminal afterwards.
#include "sessionhome.h"

#include "tests/app/cli/terminal/desk.h"
#include "tests/support/signals.h"

#include <QCryptographicHash>
#include <QScopeGuard>

#include <csignal>

#include <dlfcn.h>
#include <link.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr const char *editlineNames[] = {"libedit.so.2", "libedit.so.0"};

// The file of the libedit that is installed here, whatever its name.
QString editlineFile()
{
    for (const char *const name : editlineNames) {
        link_map *map = nullptr;
        void *const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (library && ::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0)
            return QString::fromLocal8Bit(map->l_name);
    }
    return {};
}

} // namespace

class TestCliTyping : public QObject
{
    Q_OBJECT

    SessionHome m_home;

    static QStringList typedCells() { return {u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s, u"--quiet"_s}; }

private Q_SLOTS:
    void initTestCase() { m_home.create(); }
    void init() { qputenv("TERM", "xterm-256color"); }

    // Each makes the line print(6 * 7), or one that prints the same.
    void keysEditALine_data()
    {
        QTest::addColumn<QByteArray>("keys");
        const QByteArray left = "\033[D", right = "\033[C", up = "\033[A", down = "\033[B", home = "\033[H",
                         end = "\033[F";
        QTest::newRow("none") << QByteArray("print(6 * 7)");
        QTest::newRow("left") << "print(6  7)" + left + left + left + "*";
        QTest::newRow("right") << "print(6 * )" + left + left + right + "7";
        QTest::newRow("application mode") << QByteArray("print(6 * )\033OD7");
        QTest::newRow("home, end") << "rint(6 * 7" + home + "p" + end + ")";
        QTest::newRow("^A, ^E") << QByteArray("rint(6 * 7\001p\005)");
        QTest::newRow("backspace") << QByteArray("print(6 * 77\177)");
        QTest::newRow("delete") << "pprint(6 * 7)" + home + "\033[3~";
        QTest::newRow("^D") << QByteArray("pprint(6 * 7)\001\004");
        QTest::newRow("^K") << "print(6 * 7) + 1" + left + left + left + left + "\013";
        QTest::newRow("^U") << QByteArray("oops\025print(6 * 7)");
        QTest::newRow("^W") << QByteArray("print(6 * seven\0277)");
        QTest::newRow("^K, ^Y") << QByteArray("print(6 * 7)\001\013\031");
        QTest::newRow("^L") << QByteArray("print(6 *\014 7)");
        QTest::newRow("word") << "print(66 * 7)" + home + "\033[1;5C\033[1;5C\177" + end;
        QTest::newRow("wide") << "print(len('日本語') * 4)" + left + left + "1" + left.repeated(5) + "\177\177x'" + end;
        QTest::newRow("composed") << QByteArray("print(len('\u00e9e\u0301') * 14)");
        QTest::newRow("tab") << QByteArray("print(ord('\t') // 9 * 42)");
        QTest::newRow("no UTF-8") << QByteArray("'\xff'\025print(6 * 7)");
        QTest::newRow("wrapped") << "print(6  7) #" + QByteArray(300, '-') + home + right.repeated(8) + "*";
        QTest::newRow("up") << "pass\nprint(6 * )\nx = 1\n" + up + up + left + "7";
        QTest::newRow("up, down") << "print(6 * 7)\nx = 1\n" + up + up + up + down + down + down + "print(6 * 7)";
        QTest::newRow("up in a block") << "if True:\n    y = 7\n\nif True:\n" + up + up + "\n\nprint(6 * y)";
        QTest::newRow("^R") << QByteArray("six = 6\nseven = 7\n\022six\005; print(six * seven)");
        QTest::newRow("^R, left") << "print(6 * )\npass\n\022rint\033[F" + left + "7";
        QTest::newRow("^R, paste") << QByteArray("rint(6 * 7)\npass\n\022rint\033[200~p\033[201~");
        QTest::newRow("^C") << QByteArray("1 / 0\003print(6 * 7)");
        QTest::newRow("^C while searching") << QByteArray("y = 1\n\022y =\003print(6 * 7)");
        QTest::newRow("M-x") << QByteArray("\033xprint(6 * 7)");
        QTest::newRow("paste") << QByteArray("print()\033[D\033[200~6 * 7\033[201~");
        QTest::newRow("paste of lines") << QByteArray("print()\033[D\033[200~6 *\r 7\033[201~");
    }
    void keysEditALine()
    {
        QFETCH(QByteArray, keys);
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        // A signal drops what is typed after it, too, as long as nobody took it.
        for (qsizetype at = 0; at < keys.size();) {
            const qsizetype signal = keys.indexOf('\003', at);
            const qsizetype until = signal < 0 ? keys.size() : signal + 1;
            const qsizetype lineEnd = keys.indexOf('\n', at);
            const qsizetype next = lineEnd < 0 ? until : std::min(until, lineEnd + 1);
            desk.seen.clear();
            desk.type(keys.sliced(at, next - at));
            QVERIFY2(next == keys.size() || desk.waitForAny({"\n>>> ", "\n... "}), desk.seen);
            at = next;
        }
        desk.type("\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n"), desk.seen);
        QVERIFY2(!desk.seen.contains("Error"), desk.seen);
        QVERIFY2(desk.waitFor("\r\n>>> "), desk.seen);
        desk.type("\4");
        QCOMPARE(desk.status(), 0);
        QVERIFY(desk.isAsBefore());
    }

    void linesOfMoreThan4096CharactersAreNotKept()
    {
        const QByteArray longest = "print(6 * 7) #", longer = "print(6 * 8) #";
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        QVERIFY(desk.feed(longest + QByteArray(4096 - longest.size(), '-') + '\n'));
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen.right(1000));
        desk.seen.clear();
        QVERIFY(desk.feed(longer + QByteArray(4097 - longer.size(), '-') + '\n'));
        QVERIFY2(desk.waitFor("\r\n48\r\n>>> "), desk.seen.right(1000));
        desk.seen.clear();
        desk.type("\033[A\n");
        QVERIFY2(desk.waitForAny({"\r\n42\r\n", "\r\n48\r\n"}), desk.seen.right(1000));
        QVERIFY2(desk.seen.contains("\r\n42\r\n"), desk.seen.right(1000));
    }

    void tenThousandLinesAreKept()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * 8) #first\n");
        QVERIFY2(desk.waitFor("\r\n48\r\n>>> "), desk.seen);
        desk.seen.clear();
        desk.type("print(6 * 7) #second\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
        desk.seen.clear();
        QByteArray lines = "lines = '''\r";
        for (int i = 0; i < 9'997; ++i)
            lines += QByteArray::number(i) + '\r';
        QVERIFY(desk.feed("\033[200~" + lines + "'''\r\033[201~"));
        QVERIFY2(desk.waitFor("\r\n>>> "), desk.seen.right(1000));
        desk.seen.clear();
        desk.type("\022#second\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen.right(1000));
        desk.seen.clear();
        const QByteArray search = "\022#first";
        const qint64 read = desk.bytesRead();
        desk.type(search);
        QVERIFY(desk.waitForReading(read + search.size() - 1));
        desk.type("\003"); // throws away what is typed and not read
        QVERIFY2(desk.waitFor("^C"), desk.seen.right(1000));
        QVERIFY2(!desk.seen.contains("6 * 8"), desk.seen.right(1000));
        desk.seen.remove(0, desk.seen.indexOf("^C"));
        QVERIFY2(desk.waitFor(">>> "), desk.seen.right(1000));
        desk.type("print('not there')\n");
        QVERIFY2(desk.waitFor("\r\nnot there\r\n"), desk.seen.right(1000));
    }

    void aPasteArrivesByteForByte_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("bracketed") << QByteArray("\033[200~") << QByteArray("\033[201~");
        QTest::newRow("as keys") << QByteArray() << QByteArray();
    }
    void aPasteArrivesByteForByte()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QByteArray text;
        for (int i = 0; i < 2000; ++i)
            text += "\tline " + QByteArray::number(i) + "\t \tdéjà 日本\t\n\n";
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        QVERIFY(desk.feed(before + "s = '''" + QByteArray(text).replace('\n', '\r') + "'''\r" + after));
        QVERIFY2(desk.waitFor("\n>>> "), desk.seen.right(1000));
        desk.type("import hashlib; hashlib.sha256(s.encode()).hexdigest()\n");
        QVERIFY2(desk.waitFor(QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex()),
                 desk.seen.right(1000));
    }

    void aLineOfAMegabyteIsPasted()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        QVERIFY(desk.feed("\033[200~s = '" + QByteArray(1024 * 1024, 'x') + "'\033[201~\n"));
        QVERIFY2(desk.waitFor("\n>>> "), desk.seen.right(1000));
        desk.type("len(s)\n");
        QVERIFY2(desk.waitFor("\r\n1048576\r\n"), desk.seen.right(1000));
    }

    void theTerminalIsPutBack_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("status");
        QTest::newRow("SIGTERM") << SIGTERM << 128 + SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP << 128 + SIGHUP;
        QTest::newRow("SIGQUIT") << SIGQUIT << 128 + SIGQUIT;
        QTest::newRow("none") << 0 << 0;
    }
    void theTerminalIsPutBack()
    {
        QFETCH(int, signal);
        QFETCH(int, status);
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print('be' + 'gun'); __import__('time').sleep(60)\n");
        QVERIFY2(desk.waitFor("begun\r\n"), desk.seen);
        QVERIFY(desk.isAsBefore());
        desk.seen.clear();
        desk.type("\3");
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("half typed");
        QVERIFY2(desk.waitFor("half typed"), desk.seen);
        QVERIFY(!desk.isAsBefore());
        if (signal != 0)
            sendSignal(desk.pid(), signal);
        else
            desk.type("\025\004");
        QCOMPARE(desk.status(), status);
        QVERIFY(desk.isAsBefore());
        QVERIFY2(desk.seen.contains("\033[?2004l"), desk.seen); // pastes are no longer marked
    }

    void aShellHasTheTerminalWhileStopped()
    {
        const QString script = u"set -m; \"$0\" \"$@\"; echo st''opped; read -r line; fg"_s;
        Desk desk(m_home, QStringList{u"-c"_s, script, programFile()} + typedCells(), u"bash"_s);
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * ");
        QVERIFY2(desk.waitFor("6 * "), desk.seen);
        desk.type("\032");
        QVERIFY2(desk.waitFor("stopped\r\n"), desk.seen);
        QVERIFY(desk.isAsBefore());
        desk.seen.clear();
        desk.type("\n");
        QVERIFY2(desk.waitFor(">>> print(6 * "), desk.seen);
        QVERIFY(!desk.isAsBefore());
        desk.type("7)\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
        desk.type("\4");
        QCOMPARE(desk.status(), 0);
        QVERIFY(desk.isAsBefore());
    }

    void anotherSizeDrawsTheLineAgain()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * ");
        QVERIFY2(desk.waitFor("6 * "), desk.seen);
        desk.seen.clear();
        desk.resize(20, 40);
        QVERIFY2(desk.waitFor(">>> print(6 * "), desk.seen);
        desk.type("7)\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
    }

    void anotherSizeIsNoTextOfTheLine()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * 7) #");
        QVERIFY2(desk.waitFor("7) #"), desk.seen);
        qint64 before = desk.bytesRead();
        desk.type("\026"); // Ctrl+V: what comes next is text
        QVERIFY(desk.waitForReading(before));
        before = desk.bytesRead();
        desk.resize(20, 40);
        QVERIFY(desk.waitForReading(before));
        desk.type("#");
        QVERIFY2(desk.waitFor(">>> print(6 * 7) ##"), desk.seen); // drawn again
        desk.type("\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> ") && !desk.seen.contains("^]"), desk.seen);
    }

    // Memory for each of its characters would be tens of gigabytes.
    void aSizeThatNoWindowHas()
    {
        const QString script = u"stty rows 65535 cols 65535; exec \"$0\" \"$@\""_s;
        Desk desk(m_home, QStringList{u"-c"_s, script, programFile()} + typedCells(), u"sh"_s);
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * 7)\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
        desk.type("\4");
        QCOMPARE(desk.status(), 0);
    }

    // While a line is typed: it goes on as it was drawn, and the terminal edits the next ones itself until the window is one again.
    void aSizeThatNoWindowHasComesLater()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print(6 * ");
        QVERIFY2(desk.waitFor("6 * "), desk.seen);
        const qint64 before = desk.bytesRead();
        desk.resize(65535, 65535);
        QVERIFY(desk.waitForReading(before));
        desk.type("7)\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
        desk.seen.clear();
        desk.type("print(7 * 7)\n");
        QVERIFY2(desk.waitFor("\r\n49\r\n>>> "), desk.seen);
        desk.resize(33, 111);
        desk.seen.clear();
        desk.type("print(7 * 8)\n");
        QVERIFY2(desk.waitFor("\r\n56\r\n>>> "), desk.seen);
        desk.type("print(8 * )\033[D8\n");
        QVERIFY2(desk.waitFor("\r\n64\r\n>>> "), desk.seen);
        desk.type("\4");
        QCOMPARE(desk.status(), 0);
        QVERIFY(desk.isAsBefore());
    }

    // As where the terminal edits lines itself.
    void whatIsTypedWhileACellRunsIsReadNext_data()
    {
        QTest::addColumn<QByteArray>("terminal");
        QTest::newRow("edited") << QByteArray("xterm-256color");
        QTest::newRow("not edited") << QByteArray("dumb");
    }
    void whatIsTypedWhileACellRunsIsReadNext()
    {
        QFETCH(QByteArray, terminal);
        qputenv("TERM", terminal);
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print('be' + 'gun'); __import__('time').sleep(1)\n");
        QVERIFY2(desk.waitFor("begun\r\n"), desk.seen);
        desk.type("print(6 * 7)\n\4"); // Ctrl+D leaves
        QVERIFY2(desk.waitFor("42\r\n"), desk.seen);
        QCOMPARE(desk.status(), 0);
        QVERIFY(desk.isAsBefore());
    }

    // As where the terminal edits lines itself.
    void stoppingACellDropsWhatIsPastedAfterIt_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("bracketed") << QByteArray("\033[200~") << QByteArray("\033[201~");
        QTest::newRow("as keys") << QByteArray() << QByteArray();
    }
    void stoppingACellDropsWhatIsPastedAfterIt()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type(before + "print('be' + 'gun'); __import__('time').sleep(60)\rprint('go' + 'ne')\rx = 1\r" + after);
        QVERIFY2(desk.waitFor("begun\r\n"), desk.seen);
        desk.type("\3");
        QVERIFY2(desk.waitFor("keeps its variables.\r\n>>> "), desk.seen);
        desk.type("print(6 * 7)\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n>>> "), desk.seen);
        QVERIFY2(!desk.seen.contains("gone"), desk.seen);
    }

    void libeditIsFoundUnderEitherName_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *const name : editlineNames)
            QTest::newRow(name) << QString::fromLatin1(name);
        QTest::newRow("none") << QString();
    }
    // The others are there, and no libraries.
    void libeditIsFoundUnderEitherName()
    {
        QFETCH(const QString, name);
        const QString folder = m_home.path(u"libraries-"_s + name);
        QVERIFY(QDir().mkdir(folder));
        for (const char *const other : editlineNames) {
            QFile file(folder + u'/' + QLatin1StringView(other));
            if (QLatin1StringView(other) == name)
                QVERIFY(QFile::link(editlineFile(), file.fileName()));
            else
                QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no library") > 0);
        }
        qputenv("LD_LIBRARY_PATH", QFile::encodeName(folder));
        const auto unset = qScopeGuard([] { qunsetenv("LD_LIBRARY_PATH"); });
        QStringList words = typedCells();
        words.removeAll(u"--quiet"_s);
        Desk desk(m_home, words);
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        QCOMPARE(desk.seen.contains("because libedit isn't installed"), name.isEmpty());
        desk.type(name.isEmpty() ? "print(6 * 7)\n" : "print(6 * )\033[D7\n");
        QVERIFY2(desk.waitFor("\r\n42\r\n"), desk.seen);
    }

    void thePromptBeginsALine()
    {
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        desk.type("print('o' + 'ut', end='')\n");
        QVERIFY2(desk.waitFor("\r\nout\r\n>>> "), desk.seen);
        desk.type("import sys; sys.stderr.write('e' + 'rr') and None\n");
        QVERIFY2(desk.waitFor("\r\nerr\r\n>>> "), desk.seen);
    }

    // Its lines are those of the terminal itself.
    void aTerminalThatCannotMoveItsCursorGetsNoSequences_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::newRow("dumb") << QByteArray("dumb");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("unknown") << QByteArray("nothing-that-terminfo-knows");
    }
    void aTerminalThatCannotMoveItsCursorGetsNoSequences()
    {
        QFETCH(QByteArray, type);
        qputenv("TERM", type);
        Desk desk(m_home, typedCells());
        QVERIFY2(desk.waitFor(">>> "), desk.seen);
        QVERIFY(desk.isAsBefore());
        desk.type("print(6 * 7, end='')\n");
        QVERIFY2(desk.waitFor("\r\n42>>> "), desk.seen);
        QVERIFY2(desk.seen.startsWith(">>> ") && !desk.seen.contains('\033') && !desk.bracketsPastes, desk.seen);
    }
};

QTEST_GUILESS_MAIN(TestCliTyping)
#include "tst_clityping.moc"
