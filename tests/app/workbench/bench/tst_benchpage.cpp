// SPDX-License-Identifier: Apache-2.0
// A person at the bench: real keys in a real window, real sealed runs.
#include "benchseat.h"

#include "app/workbench/bench/policy/sealbadge.h"
#include "app/workbench/bench/tabs/tabstrip.h"
#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/runpanel/stdinline.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QThread>
#include <QToolButton>
#include <QTreeView>

#include <unistd.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Whether there is a process of that program anywhere below this one.
bool someoneRuns(const QByteArray &program)
{
    const auto contentOf = [](const QString &path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const auto parentOf = [&](qint64 pid) {
        const QByteArray stat = contentOf(u"/proc/%1/stat"_s.arg(pid));
        return stat.mid(stat.lastIndexOf(')') + 2).split(' ').value(1).toLongLong();
    };
    const QStringList processes = QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs);
    return std::any_of(processes.begin(), processes.end(), [&](const QString &process) {
        const QByteArray path = contentOf(u"/proc/%1/cmdline"_s.arg(process)).split('\0').first();
        qint64 above = path.mid(path.lastIndexOf('/') + 1).startsWith(program) ? process.toLongLong() : 0;
        while (above > 1 && above != ::getpid())
            above = parentOf(above);
        return above == ::getpid();
    });
}

} // namespace

class TestBenchPage : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aSnippetIsTypedAndRun();
    void inputAnswersAPrompt();
    void theEndOfInputIsTold();
    void aRunInATerminalTakesLinesAndKeys();
    void aLineBeforeAPasswordIsRecalled();
    void allThatWasKeptIsFoundAndCanBeRead();
    void aTerminalIsAsLargeAsWhatShowsIt();
    void aTerminalLeavesRoomForTheCard();
    void anEndlessLoopIsStoppedSoftlyThenHard();
    void aTracebackLeadsToItsLine();
    void controlsAreThereWhileItRuns();
    void aSandboxIsReadyInTheTabsLanguage();
    void whatWasBlockedIsListedAndCanBeAllowed();
    void onlyTheSelectedLinesRun();
    void severalRunsHaveChips();
    void badCodeGetsASentence_data();
    void badCodeGetsASentence();
    void anotherPageBringsCode();
    void pictures();

private:
    void chooseTerminal();
};

void TestBenchPage::aSnippetIsTypedAndRun()
{
    CodeEditor &editor = tab()->editor().editor();
    editor.setFocus();
    QTest::keyClicks(&editor, u"for i in range(3):"_s);
    QTest::keyClick(&editor, Qt::Key_Return);
    QTest::keyClicks(&editor, u"print('line', i)"_s);
    QTest::keyClick(&editor, Qt::Key_Return, Qt::ControlModifier);
    waitForEnd();
    QVERIFY2(shown().contains(u"line 0\nline 1\nline 2\n"_s), qPrintable(shown()));
    QVERIFY(shown().contains(u"exit 0 · "_s));
    QVERIFY(editor.hasFocus()); // nothing took it
    auto *badge = tab()->findChild<SealBadge *>(u"bench.seal"_s);
    QVERIFY(badge->isVisible());
    QVERIFY(badge->text().startsWith(u"Sealed · "_s));
    QVERIFY(tab()->runs().output()->isAtBottom());
}

void TestBenchPage::inputAnswersAPrompt()
{
    run(u"name = input('Who? ')\nprint('Hello', name)\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"Who? "_s), 20'000);
    QVERIFY(trigger("bench.input"));
    auto *field = tab()->findChild<QLineEdit *>(u"bench.stdin"_s);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, u"Ada"_s);
    QTest::keyClick(field, Qt::Key_Return);
    waitForEnd();
    QVERIFY2(shown().contains(u"Hello Ada"_s), qPrintable(shown()));
    QVERIFY(!field->isEnabled());
}

void TestBenchPage::theEndOfInputIsTold()
{
    run(u"import sys\nprint(len(sys.stdin.read().splitlines()), 'lines')\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current()->state() == RunState::Running, 20'000);
    auto *field = tab()->findChild<QLineEdit *>(u"bench.stdin"_s);
    QTRY_VERIFY(field->isEnabled());
    field->setFocus();
    QTest::keyClicks(field, u"one"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QTest::keyClick(field, Qt::Key_Up); // what was sent is recalled
    QCOMPARE(field->text(), u"one"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QTest::keyClick(field, Qt::Key_D, Qt::ControlModifier);
    waitForEnd();
    QVERIFY2(shown().contains(u"2 lines"_s), qPrintable(shown()));
}

void TestBenchPage::chooseTerminal()
{
    QVERIFY(trigger("bench.terminal"));
    auto *on = m_desk->frame.findChild<QRadioButton *>(u"bench.terminal.on"_s);
    QVERIFY(on && on->isVisible());
    on->click();
    QVERIFY(tab()->policy().sentence().endsWith(u", a terminal"_s));
}

// More lines than the view holds.
// The program has the line, and asks for a password, while the window is still sending it.
void TestBenchPage::aLineBeforeAPasswordIsRecalled()
{
    chooseTerminal();
    run(u"import getpass\nprint('hello', input('Who? '))\ngetpass.getpass('Word? ')\nprint(input('More? '))\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"Who? "_s), 20'000);
    auto *field = tab()->findChild<QLineEdit *>(u"bench.stdin"_s);
    QTRY_VERIFY(field->isEnabled());
    ShownRun *current = tab()->runs().current();
    const auto slow = connect(current, &ShownRun::inputChanged, this, [current] {
        const QDeadlineTimer patience(10'000);
        while (!current->run()->hidesInput() && !patience.hasExpired())
            QThread::msleep(5);
    });
    QTest::keyClicks(field, u"Ada"_s);
    QTest::keyClick(field, Qt::Key_Return);
    disconnect(slow);
    QTRY_VERIFY(shown().contains(u"Word? "_s));
    QTRY_COMPARE(field->echoMode(), QLineEdit::Password);
    QTest::keyClicks(field, u"hushhush"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY2(shown().contains(u"More? "_s), qPrintable(shown()));
    QTRY_COMPARE(field->echoMode(), QLineEdit::Normal);
    QTest::keyClick(field, Qt::Key_Up);
    QCOMPARE(field->text(), u"Ada"_s);
    QTest::keyClick(field, Qt::Key_Return);
    waitForEnd();
}

void TestBenchPage::allThatWasKeptIsFoundAndCanBeRead()
{
    run(u"import sys\nsys.stdout.write('needle first\\n' + 'x\\n' * 250000 + 'needle last\\n')\n"_s);
    waitForEnd();
    const auto *state = tab()->findChild<QLabel *>(u"bench.run.state"_s);
    const QString all = u" of "_s + QLocale().toString(250'002);
    QTRY_VERIFY2(state->text().contains(all), qPrintable(state->text()));
    QVERIFY(!shown().contains(u"needle first"_s));
    tab()->runs().showFind();
    QTest::keyClicks(QApplication::focusWidget(), u"needle first"_s);
    QTRY_VERIFY(tab()->runs().output()->visibleText().contains(u"needle first"_s));
    QVERIFY2(state->text().contains(all), qPrintable(state->text()));
    QVERIFY(m_desk->save(u"bench-output-page"_s));
    auto *later = tab()->findChild<QToolButton *>(u"bench.output.later"_s);
    for (int i = 0; i < 10 && later->isEnabled(); ++i) {
        const QString before = state->text();
        QTest::mouseClick(later, Qt::LeftButton);
        QTRY_VERIFY(state->text() != before);
    }
    QVERIFY(shown().contains(u"needle last"_s) && !shown().contains(u"needle first"_s));
    tab()->runs().output()->copy(); // no selection: says how much of it
    QVERIFY2(m_desk->context.notifications().notes().last().text.contains(QLocale().toString(250'002)),
             qPrintable(m_desk->context.notifications().notes().last().text));
}

void TestBenchPage::aRunInATerminalTakesLinesAndKeys()
{
    chooseTerminal();
    run(u"import sys, time, getpass\nprint('tty', sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())\n"
        "print('hello', input('Who? '))\ngetpass.getpass('Word? ')\ngetpass.getpass('Again? ')\ntry:\n    "
        "print('waits')\n    time.sleep(30)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\nprint('rest', repr(sys.stdin.read()))\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"Who? "_s), 20'000);
    QVERIFY2(shown().contains(u"tty True True True"_s), qPrintable(shown()));
    QVERIFY(trigger("bench.input"));
    auto *field = tab()->findChild<QLineEdit *>(u"bench.stdin"_s);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, u"Ada"_s);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY2(shown().contains(u"Who? Ada\nhello Ada\n"_s), qPrintable(shown())); // the terminal's own echo, once
    QTRY_VERIFY(shown().contains(u"Word? "_s));
    QTRY_COMPARE(field->echoMode(), QLineEdit::Password);
    QTest::keyClicks(field, u"hushhush"_s);
    QVERIFY(!field->displayText().contains(u'h'));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(shown().contains(u"Again? "_s));
    QTRY_COMPARE(field->echoMode(), QLineEdit::Password);
    QTest::keyClicks(field, u"hush"_s);
    QVERIFY(tab()->runs().current()->send("another\r")); // the program goes on while the line is typed
    QTRY_VERIFY2(shown().contains(u"waits"_s), qPrintable(shown()));
    QTest::keyClicks(field, u"h"_s);
    QVERIFY(!field->displayText().contains(u'h'));
    field->clear();
    QTRY_COMPARE(field->echoMode(), QLineEdit::Normal);
    QTest::keyClick(field, Qt::Key_Up); // nor is it recalled
    QCOMPARE(field->text(), u"Ada"_s);
    field->clear();
    auto *interrupt = tab()->findChild<QToolButton *>(u"bench.stdin.interrupt"_s);
    QVERIFY(interrupt->isVisible());
    QTRY_VERIFY2(shown().contains(u"waits"_s), qPrintable(shown()));
    QTest::keyClick(field, Qt::Key_C, Qt::ControlModifier);
    QTRY_VERIFY2(shown().contains(u"^Cinterrupted"_s), qPrintable(shown()));
    QTest::keyClick(field, Qt::Key_D, Qt::ControlModifier);
    waitForEnd();
    QVERIFY2(shown().contains(u"rest ''"_s), qPrintable(shown()));
    QVERIFY(!shown().contains(u"hushhush"_s));
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Completed);
    QVERIFY(!interrupt->isVisible());
    QTRY_VERIFY(!m_desk->context.actions().action(u"bench.terminal.interrupt"_s)->isEnabled());
}

void TestBenchPage::aTerminalIsAsLargeAsWhatShowsIt()
{
    chooseTerminal();
    run(u"import os, signal, time\ndef tell(*a):\n    s = os.get_terminal_size(0)\n"
        "    print(f'size {s.columns} {s.lines}.', flush=True)\nsignal.signal(signal.SIGWINCH, tell)\ntell()\n"
        "while True:\n    time.sleep(0.05)\n"_s);
    const auto size = [this] {
        const QSize cells = tab()->runs().output()->cells();
        return u"size %1 %2."_s.arg(cells.width()).arg(cells.height());
    };
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(size()), qPrintable(shown()), 20'000);
    const QString before = size();
    m_desk->frame.resize(1000, 700);
    QTRY_VERIFY(size() != before);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(size()), qPrintable(size() + shown()), 10'000);
    QVERIFY(trigger("bench.stop"));
    waitForEnd();
}

// The card comes beside the output when the run has ended: what was as wide as the terminal still has room.
void TestBenchPage::aTerminalLeavesRoomForTheCard()
{
    chooseTerminal();
    run(u"import os, time\ntime.sleep(1)\nprint('#' * os.get_terminal_size(0).columns)\n"_s);
    waitForEnd();
    QTRY_VERIFY(find<QWidget>("bench.story")->isVisible());
    Desk::settle();
    const int columns = int(shown().count(u'#'));
    QVERIFY(columns > 10);
    QCOMPARE(columns, tab()->runs().output()->cells().width());
}

void TestBenchPage::anEndlessLoopIsStoppedSoftlyThenHard()
{
    run(u"import signal, time\nsignal.signal(signal.SIGINT, lambda *a: print('no', flush=True))\n"
        "print('turning')\nwhile True: time.sleep(0.05)\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"turning"_s), 20'000);
    auto *stop = tab()->findChild<QWidget *>(u"bench.stop"_s);
    QVERIFY(stop->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"\nno"_s), 5'000);
    QTest::mouseClick(stop, Qt::LeftButton);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Cancelled);
    QVERIFY(!stop->isEnabled());
}

void TestBenchPage::aTracebackLeadsToItsLine()
{
    const QStringList languages{u"python"_s, u"node"_s, u"bash"_s, u"sh"_s};
    const QStringList codes{u"x = 1\ny = 2\nraise ValueError('no')\n"_s,
                            u"let x = 1;\nlet y = 2;\nthrow new Error('no');\n"_s, u"x=1\ny=2\nno_such_program\n"_s,
                            u"x=1\ny=2\nno_such_program\n"_s};
    for (int i = 0; i < languages.size(); ++i) {
        run(codes[i], languages[i]);
        waitForEnd();
        tab()->editor().editor().goTo(1);
        QVERIFY2(tab()->runs().output()->goToNextPlace(false), qPrintable(languages[i] + u": "_s + shown()));
        QCOMPARE(tab()->editor().editor().line(), 3);
        QVERIFY(tab()->editor().editor().hasFocus());
    }
}

void TestBenchPage::controlsAreThereWhileItRuns()
{
    run(u"input('Go on? ')\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"Go on? "_s), 20'000);
    QVERIFY(trigger("bench.isolation"));
    auto *list = tab()->findChild<QTreeView *>(u"bench.run.controls"_s);
    QTRY_VERIFY(list->isVisible());
    QVERIFY(list->model()->rowCount() > 10);
    const int rows = list->model()->rowCount();
    QVERIFY(!tab()->runs().current()->isDone());
    QVERIFY(trigger("bench.input"));
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Return);
    waitForEnd();
    QVERIFY(list->model()->rowCount() >= rows); // what the end adds (limits that were reached) comes to it
}

void TestBenchPage::aSandboxIsReadyInTheTabsLanguage()
{
    tab()->editor().setText(u"console.log('here')\n"_s, true);
    tab()->chooseLanguage(u"node"_s);
    if (QStandardPaths::findExecutable(u"node"_s).isEmpty() && QStandardPaths::findExecutable(u"nodejs"_s).isEmpty())
        QSKIP("Node.js is not installed.");
    const Languages &languages = m_desk->context.engine()->languages();
    QVERIFY(languages.find(**languages.byId(u"node"_s)));
    QTRY_VERIFY_WITH_TIMEOUT(someoneRuns("node"), 20'000);
    QTest::qWait(1500); // nobody presses Run as soon as the language is known
    QVERIFY(trigger("bench.run"));
    waitForEnd();
    QVERIFY2(shown().contains(u"here"_s), qPrintable(shown()));
    QVERIFY(tab()->runs().current()->result()->warm);
}

void TestBenchPage::whatWasBlockedIsListedAndCanBeAllowed()
{
    Policy policy = tab()->policy().policy();
    policy.allow = {u"192.0.2.1:443"_s};
    tab()->setPolicy(policy);
    run(u"import urllib.request\ntry:\n    urllib.request.urlopen('http://collect.example.net:8080/')\n"
        "except OSError as error:\n    print('no:', error)\ninput('Go on? ')\n"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"no: "_s), qPrintable(shown()), 20'000);
    RunTab *network = tab()->runs().tab(u"network"_s);
    QTRY_COMPARE(network->title(), u"Network · 1 blocked"_s); // while it goes on
    QVERIFY(trigger("bench.network"));
    auto *list = tab()->findChild<QTreeView *>(u"bench.network.list"_s);
    QCOMPARE(list->model()->index(0, 1).data().toString(), u"collect.example.net:8080"_s);
    auto *allow = tab()->findChild<QPushButton *>(u"bench.network.allow"_s);
    QTRY_VERIFY(allow->isVisible());
    QVERIFY(m_desk->save(u"bench-network"_s));
    QVERIFY(trigger("bench.input"));
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Return);
    waitForEnd();
    QCOMPARE(tab()->runs().current()->policy().allow, QStringList{u"192.0.2.1:443"_s}); // this run's stays
    QCOMPARE(network->title(), u"Network · 1 blocked"_s);
}

void TestBenchPage::onlyTheSelectedLinesRun()
{
    tab()->editor().setText(u"def f():\n    print('one')\n    print(1 / 0)\n    print('three')\n"_s, true);
    CodeEditor &editor = tab()->editor().editor();
    editor.goTo(2, 7);
    QTextCursor cursor = editor.textCursor();
    cursor.movePosition(QTextCursor::Down, QTextCursor::KeepAnchor);
    editor.setTextCursor(cursor);
    QTest::keyClick(&editor, Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier);
    waitForEnd();
    QVERIFY2(shown().contains(u"one\n"_s) && !shown().contains(u"three"_s), qPrintable(shown()));
    QVERIFY(tab()->runs().output()->goToNextPlace(false));
    QCOMPARE(editor.line(), 3); // the line in the editor, not in the selection
}

void TestBenchPage::severalRunsHaveChips()
{
    run(u"import time\nprint('first')\ntime.sleep(1.5)\n"_s);
    tab()->editor().setText(u"print('second')\n"_s, true);
    QVERIFY(trigger("bench.runbeside"));
    auto *first = tab()->findChild<QToolButton *>(u"bench.run.chip1"_s);
    QTRY_VERIFY(first && first->isVisible());
    waitForEnd();
    QTRY_VERIFY(shown().contains(u"second"_s));
    first->click();
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"first"_s), 20'000);
    QVERIFY(!shown().contains(u"second"_s));
    waitForEnd();
    QVERIFY(first->text().contains(u"exit 0"_s));
}

void TestBenchPage::badCodeGetsASentence_data()
{
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << u""_s << u"empty"_s;
    QTest::newRow("too long") << QString(5 * 1024 * 1024 / 10, u'#').replace(u"#"_s, u"#23456789\n"_s) << u"4"_s;
}

void TestBenchPage::badCodeGetsASentence()
{
    QFETCH(QString, code);
    QFETCH(QString, says);
    run(code);
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::Rejected);
    QVERIFY2(shown().contains(says), qPrintable(shown()));
    QVERIFY(!shown().contains(u"sealed"_s)); // what didn't run isn't said to be sealed
    auto *badge = tab()->findChild<SealBadge *>(u"bench.seal"_s);
    QCOMPARE(badge->text(), u"Nothing ran"_s);
    Desk::settle();
    const int words = badge->fontMetrics().horizontalAdvance(badge->text());
    QVERIFY2(badge->width() < words + 60,
             qPrintable(QString::number(badge->width() - words))); // px: an icon beside them
}

void TestBenchPage::anotherPageBringsCode()
{
    m_desk->frame.showPage(u"bench"_s,
                           {{u"code"_s, u"print(6 * 7)\n"_s}, {u"language"_s, u"python"_s}, {u"run"_s, true}});
    QTRY_VERIFY(tab()->runs().current());
    waitForEnd();
    QVERIFY(shown().contains(u"42"_s));
}

// States that the pictures of every page don't show.
void TestBenchPage::pictures()
{
    m_desk->theme.setChoice(SchemeChoice::Dark);
    run(u"import json, sys\n\n# from a forum post: what does it really do?\ndef rates(base):\n    url = "
        u"f\"https://rates.example.org/latest?base={base}\"\n"
        u"    print(\"fetching rates for\", base, \"… \\x1b[32m31 currencies\\x1b[0m\")\n    print(\"a warning\", "
        u"file=sys.stderr)\n"
        u"    return json.loads(\"{\")\n\nrates(\"EUR\")\n"_s);
    waitForEnd();
    tab()->editor().editor().goTo(8);
    QTest::keyClick(tab()->runs().output(), Qt::Key_Home);
    QVERIFY(m_desk->save(u"bench-traceback"_s));
    tab()->findChild<SealBadge *>(u"bench.seal"_s)->click();
    QVERIFY(m_desk->save(u"bench-seal"_s));
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Escape);
    tab()->policy().openLimit(LimitKind::Memory);
    QTest::keyClicks(m_desk->frame.focusWidget(), u"1 GB"_s);
    QVERIFY(m_desk->save(u"bench-limit"_s));
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Return);
    tab()->policy().openLanguage();
    QVERIFY(m_desk->save(u"bench-language"_s));
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Escape);
    tab()->runs().showTab(u"isolation"_s);
    QVERIFY(m_desk->save(u"bench-isolation"_s));
    tab()->runs().showTab(u"output"_s);
    run(QString::fromUtf8(
        R"(print('\x1b[1mbold\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munder\x1b[0m \x1b[9mstruck\x1b[0m \x1b[7minverse\x1b[0m \x1b[2mdim')
print('\x1b[0m' + ' '.join(f'\x1b[{c}m{c}\x1b[0m' for c in [*range(30, 38), *range(90, 98)]))
print(' '.join(f'\x1b[{c}m{c}\x1b[0m' for c in [*range(40, 48), *range(100, 108)]))
print(''.join(f'\x1b[48;5;{c}m{c % 10}' for c in range(16, 88)), '\x1b[0m')
print('\x1b[30;40mblack on black\x1b[0m \x1b[38;2;20;20;20mnearly black\x1b[0m \x1b[38;2;250;250;250mnearly white\x1b[0m')
print('a\tb\tc\n日本語 | 한국어 | 🎉 | e\u0301 | שלום | مرحبا |')
print('bell \a, back \b, nul \0, override \u202e, zero width \u200b')
print('10%\r20%\r30%')
print('word ' * 60)
print('x' * 300))"));
    waitForEnd();
    QTest::keyClick(tab()->runs().output(), Qt::Key_Home);
    QVERIFY(m_desk->save(u"bench-colours"_s));
    m_desk->theme.setChoice(SchemeChoice::Light);
    QVERIFY(m_desk->save(u"bench-colours-light"_s));
    m_desk->theme.setChoice(SchemeChoice::Light);
    run(u"import time\nname = input('Who? ')\n"_s);
    run(u"import time\nfor i in range(100):\n    print(i)\n    time.sleep(0.1)\n"_s);
    trigger("bench.replace");
    QTest::keyClicks(m_desk->frame.focusWidget(), u"i"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"10\n"_s), 20'000);
    QVERIFY(m_desk->save(u"bench-running"_s));
    QVERIFY(trigger("bench.close"));
    QVERIFY(m_desk->save(u"bench-close"_s));
    QVERIFY(trigger("bench.new"));
    tab()->policy().openTerminal();
    QVERIFY(m_desk->save(u"bench-terminal"_s));
    tab()->policy().setTerminal(true);
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Escape);
    run(u"name = input('Who? ')\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"Who? "_s), 20'000);
    QVERIFY(m_desk->save(u"bench-terminal-running"_s));
    QVERIFY(trigger("bench.new"));
    Policy policy = tab()->policy().policy();
    policy.folders = {{u"/home/ada/src/shop"_s, u"/work/shop"_s, FolderGrant::Mode::Stage},
                      {u"/srv/data"_s, u"/work/data"_s, FolderGrant::Mode::ReadWrite}};
    tab()->setPolicy(policy);
    tab()->policy().openFolders();
    QTest::keyClicks(m_desk->frame.focusWidget(), u"/proc"_s);
    QTest::keyClick(m_desk->frame.focusWidget(), Qt::Key_Return);
    QTest::qWait(300);
    QVERIFY(m_desk->save(u"bench-folders"_s));
}

GLOVEBOX_TEST_MAIN(TestBenchPage)
#include "tst_benchpage.moc"
