// SPDX-License-Identifier: Apache-2.0
// Output that redraws itself is shown as its program means it, with and without a terminal.
#include "tests/app/workbench/bench/benchseat.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalSpy>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// As tqdm does: a bar that is drawn 50 times, and a sentence behind it.
const QString bar = u"import sys, time\nfor i in range(1, 51):\n"
                    "    sys.stderr.write(f'\\r{2 * i:3}%|{\"#\" * i:50}| {i}/50')\n"
                    "    sys.stderr.flush()\n    time.sleep(0.005)\n"
                    "print('\\ndone', file=sys.stderr)\n"_s;
const QString fullBar = u"100%|"_s + QString(50, u'#') + u"| 50/50"_s;

} // namespace

class TestBenchTerminal : public QObject, private BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { sitDown(); }

    void aBarIsOneLineWithoutATerminal();
    void severalBarsStandBelowEachOther();
    void aBarIsOneLineInATerminal();
    void aProgramThatHasTheWholeScreenLeavesWhatWasBefore();
    void keysGoToTheProgramAndOneLeadsOut();
    void theMouseIsTheProgramsWhereItAskedForIt();
    void whatIsPastedIsTyped();
    void nothingHostileReachesTheWindow();

private:
    void runInTerminal(const QString &code)
    {
        tab()->policy().setTerminal(true);
        run(code);
    }
    void endsWithTheFullBar()
    {
        waitForEnd();
        const QStringList lines = shown().split(u'\n');
        QCOMPARE(lines.filter(u"%|"_s), QStringList(fullBar));
        QVERIFY2(lines.contains(u"done"_s), qPrintable(shown()));
    }
    OutputView *output() { return tab()->runs().output(); }
    QLineEdit *field() { return tab()->findChild<QLineEdit *>(u"bench.stdin"_s); }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(output(), Qt::Key(key), modifiers); }
};

void TestBenchTerminal::aBarIsOneLineWithoutATerminal()
{
    run(bar);
    endsWithTheFullBar();
    QVERIFY(m_desk->save(u"bench-bar"_s));
}

void TestBenchTerminal::severalBarsStandBelowEachOther()
{
    run(u"import sys, time\nfor i in range(1, 21):\n    for bar in range(3):\n"
        "        sys.stdout.write('\\n' * bar + f'\\r\\x1b[K{bar}: {i}' + '\\x1b[A' * bar)\n"
        "    sys.stdout.flush()\n    time.sleep(0.01)\nprint('\\n\\n\\nall of them')\n"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"\n0: 20\n1: 20\n2: 20\nall of them\n"_s), qPrintable(shown()));
}

void TestBenchTerminal::aBarIsOneLineInATerminal()
{
    runInTerminal(bar);
    endsWithTheFullBar();
}

// As less, top and editors do; their own ends are what tells that they are on.
void TestBenchTerminal::aProgramThatHasTheWholeScreenLeavesWhatWasBefore()
{
    runInTerminal(u"import os, sys\nprint(os.environ['TERM'])\nsize = os.get_terminal_size()\n"
                  "sys.stdout.write('\\x1b[?1049h\\x1b[H\\x1b[2J\\x1b[7mhead\\x1b[m')\n"
                  "sys.stdout.write(f'\\x1b[{size.lines};1Hfoot')\nsys.stdout.flush()\ninput()\n"
                  "sys.stdout.write('\\x1b[?1049l')\nprint('after')\n"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(output()->visibleText().endsWith(u"foot"_s), qPrintable(shown()), 20'000);
    QVERIFY2(output()->visibleText().startsWith(u"head"_s), qPrintable(output()->visibleText()));
    QVERIFY(m_desk->save(u"bench-terminal-screen"_s));
    m_desk->frame.resize(1000, 700);
    output()->setFocus();
    press(Qt::Key_Return);
    waitForEnd();
    QVERIFY2(shown().contains(u"xterm-256color\nafter\n"_s), qPrintable(shown()));
    QVERIFY(!shown().contains(u"foot"_s));
}

void TestBenchTerminal::keysGoToTheProgramAndOneLeadsOut()
{
    runInTerminal(u"import os, termios, tty\ntty.setcbreak(0)\nprint('ready', flush=True)\nwhile True:\n"
                  "    got = os.read(0, 64)\n    print(repr(got), flush=True)\n    if got == b'q': break\n"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"ready"_s), qPrintable(shown()), 20'000);
    output()->setFocus();
    QTRY_VERIFY2(field()->placeholderText().contains(u"F6"_s), qPrintable(field()->placeholderText()));
    const struct
    {
        int key;
        Qt::KeyboardModifiers modifiers;
        const char *told;
    } keys[] = {{Qt::Key_Up, {}, "b'\\x1b[A'"},
                {Qt::Key_Home, {}, "b'\\x1b[H'"},
                {Qt::Key_F5, {}, "b'\\x1b[15~'"},
                {Qt::Key_Tab, {}, "b'\\t'"},
                {Qt::Key_Backtab, Qt::ShiftModifier, "b'\\x1b[Z'"},
                {Qt::Key_Escape, {}, "b'\\x1b'"},
                {Qt::Key_R, Qt::ControlModifier, "b'\\x12'"},
                {Qt::Key_W, Qt::ControlModifier, "b'\\x17'"}, // which would close the tab
                {Qt::Key_Backspace, {}, "b'\\x7f'"},
                {Qt::Key_X, Qt::AltModifier, "b'\\x1bx'"}};
    for (const auto &[key, modifiers, told] : keys) {
        press(key, modifiers);
        QTRY_VERIFY2(shown().trimmed().endsWith(QLatin1StringView(told)),
                     qPrintable(QLatin1StringView(told) + shown()));
        QVERIFY(output()->hasFocus());
    }
    QKeyEvent letter(QEvent::KeyPress, Qt::Key_Odiaeresis, {}, u"ö"_s);
    QApplication::sendEvent(output(), &letter);
    QTRY_VERIFY2(shown().contains(u"b'\\xc3\\xb6'"_s), qPrintable(shown()));
    press(Qt::Key_F6);
    QTRY_VERIFY(!output()->hasFocus());
    QTRY_VERIFY(!field()->placeholderText().contains(u"F6"_s));
    QVERIFY(!shown().contains(u"[17~"_s));
    output()->setFocus();
    press(Qt::Key_Q);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Completed);
}

void TestBenchTerminal::theMouseIsTheProgramsWhereItAskedForIt()
{
    runInTerminal(u"import os, tty\ntty.setcbreak(0)\nprint('\\x1b[?1002h\\x1b[?1006hready', flush=True)\nwhile True:\n"
                  "    got = os.read(0, 64)\n    print(repr(got), flush=True)\n    if got == b'q': break\n"
                  "    if got == b'x': print('\\x1b[?1002lno mouse', flush=True)\n"
                  "    if got == b'y': print('\\x1b[?1002hmouse again', flush=True)\n"
                  "    if got == b'c': print('\\x1b[H\\x1b[2Jready\\nclear', flush=True)\n"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"ready"_s), qPrintable(shown()), 20'000);
    QWidget *viewport = output()->viewport();
    const double width = QFontMetricsF(output()->font()).horizontalAdvance(u'0');
    const auto pointAt = [&](double column) {
        const qsizetype row = output()->visibleText().split(u'\n').lastIndexOf(u"ready"_s);
        return QPoint(int(Space::l + column * width), int(Space::s + (double(row) + 0.5) * output()->rowHeight()));
    };
    const auto isTold = [this](const char *bytes) { return shown().contains(QLatin1StringView(bytes)); };
    QTest::mouseClick(viewport, Qt::LeftButton, {}, pointAt(2.5));
    QTRY_VERIFY2(isTold("[<0;3;1M") && isTold("[<0;3;1m"), qPrintable(shown()));
    QTest::mouseClick(viewport, Qt::RightButton, Qt::ControlModifier, pointAt(0.5));
    QTRY_VERIFY2(isTold("[<18;1;1M") && isTold("[<18;1;1m"), qPrintable(shown()));
    QTest::mousePress(viewport, Qt::LeftButton, {}, pointAt(1.5));
    QTest::mouseMove(viewport, pointAt(4.5));
    QTRY_VERIFY2(isTold("[<32;5;1M"), qPrintable(shown()));
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, pointAt(4.5));
    QTRY_VERIFY2(isTold("[<0;5;1m"), qPrintable(shown()));
    const auto clear = [&] { // so that the first line is on the screen, however many lines were told
        output()->setFocus();
        press(Qt::Key_C);
        return QTest::qWaitFor([&] { return shown().trimmed().endsWith(u"ready\nclear"_s); });
    };
    QVERIFY2(clear(), qPrintable(shown()));
    const QPoint at = pointAt(3.5);
    QWheelEvent wheel(at, viewport->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QApplication::sendEvent(viewport, &wheel);
    QTRY_VERIFY2(isTold("[<64;4;1M"), qPrintable(shown()));
    QVERIFY(!output()->hasSelection());

    // A button that is released elsewhere is told where the mouse was last.
    QTest::mousePress(viewport, Qt::LeftButton, {}, pointAt(3.5));
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, QPoint(pointAt(3.5).x(), viewport->height() + 20));
    QTRY_VERIFY2(isTold("[<0;4;1m"), qPrintable(shown()));
    QVERIFY2(!isTold("[<0;1;1m"), qPrintable(shown()));

    // With Shift the mouse selects, and where the program doesn't ask.
    const auto drag = [&](Qt::KeyboardModifiers modifiers) {
        QTest::mousePress(viewport, Qt::LeftButton, modifiers, pointAt(1));
        const QPoint to = pointAt(4);
        QMouseEvent move(QEvent::MouseMove, to, viewport->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, modifiers);
        QApplication::sendEvent(viewport, &move);
        QTest::mouseRelease(viewport, Qt::LeftButton, modifiers, to);
        return output()->selectedText();
    };
    const QString before = shown();
    QCOMPARE(drag(Qt::ShiftModifier), u"ead"_s);
    QCOMPARE(shown(), before);
    output()->clearSelection();
    QVERIFY2(clear(), qPrintable(shown()));
    // The program lets go while buttons are held: the next one hears of its own alone, and the menu comes again.
    QTest::mousePress(viewport, Qt::LeftButton, {}, pointAt(1.5));
    QTest::mousePress(viewport, Qt::RightButton, {}, pointAt(1.5));
    QTRY_VERIFY2(isTold("[<2;2;1M"), qPrintable(shown()));
    press(Qt::Key_X);
    QTRY_VERIFY2(isTold("no mouse"), qPrintable(shown()));
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, pointAt(1.5));
    output()->disconnect(SIGNAL(contextMenuWanted(QPoint)));
    QSignalSpy menus(output(), &OutputView::contextMenuWanted);
    QContextMenuEvent menu(QContextMenuEvent::Mouse, pointAt(1), viewport->mapToGlobal(pointAt(1)));
    QApplication::sendEvent(viewport, &menu);
    QCOMPARE(menus.size(), 1);
    QTest::mouseRelease(viewport, Qt::RightButton, {}, pointAt(1.5));
    QCOMPARE(drag({}), u"ead"_s);
    output()->clearSelection();
    press(Qt::Key_Y);
    QTRY_VERIFY2(isTold("mouse again"), qPrintable(shown()));
    QVERIFY2(clear(), qPrintable(shown()));
    QTest::mouseClick(viewport, Qt::LeftButton, {}, pointAt(0.5));
    QTRY_VERIFY2(isTold("[<0;1;1M") && isTold("[<0;1;1m"), qPrintable(shown()));
    press(Qt::Key_Q);
    waitForEnd();
}

void TestBenchTerminal::whatIsPastedIsTyped()
{
    runInTerminal(u"for i in range(2):\n    print('got', repr(input('> ')))\n"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"> "_s), qPrintable(shown()), 20'000);
    output()->setFocus();
    QGuiApplication::clipboard()->setText(u"one\ntwo\n"_s);
    press(Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
    waitForEnd();
    QVERIFY2(shown().contains(u"got 'one'"_s) && shown().contains(u"got 'two'"_s), qPrintable(shown()));
}

void TestBenchTerminal::nothingHostileReachesTheWindow()
{
    QGuiApplication::clipboard()->setText(u"mine"_s);
    const QString title = m_desk->frame.windowTitle();
    runInTerminal(u"import os, sys, tty, select\ntty.setraw(0)\n"
                  "os.write(1, b'\\x1b]0;evil\\a\\x1b]52;c;ZXZpbA==\\a\\x1b[21t\\x1b]52;c;?\\a\\x1bP+q544e\\x1b\\\\')\n"
                  "os.write(1, 'a\\u202eb'.encode())\n"
                  "answers = os.read(0, 100) if select.select([0], [], [], 0.5)[0] else b''\n"
                  "os.write(1, b'\\x1b[6n' * 1000)\nplace = os.read(0, 100)\n"
                  "print('\\r\\ntold', answers, place[-1:])\n"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"told b'' b'R'"_s), qPrintable(shown()));
    QVERIFY2(shown().contains(u"a\\u{202e}b"_s), qPrintable(shown()));
    QVERIFY(!shown().contains(u"evil"_s));
    QCOMPARE(m_desk->frame.windowTitle(), title);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"mine"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchTerminal)
#include "tst_benchterminal.moc"
