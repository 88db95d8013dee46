// SPDX-License-Identifier: Apache-2.0
// Code on the bench: what its keys do, words of all tabs, and what the status bar says of a text and changes.
#include "benchseat.h"

#include "app/workbench/editor/typing/completion.h"
#include "app/workbench/editor/typing/wordindex.h"
#include "app/workbench/runpanel/stdinline.h"

#include <QActionGroup>
#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchCode : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void keysChangeLines();
    void keysAddCursorsAndTheStatusBarCountsThem();
    void wordsOfOtherTabsAreOffered();
    void choicesHoldForAllTabsAndStay();
    void theStatusBarChangesIndentationAndLineEnds();

private:
    CodeEditor &editor() { return tab()->editor().editor(); }
    QString text() { return tab()->editor().text(); }
    QString status(const char *item)
    {
        const auto *button = m_desk->frame.findChild<QToolButton *>(QLatin1StringView(item));
        return button ? button->text() : QString();
    }
    // The line of the menu that opens at a click on that item.
    void choose(const char *item, const char *menuName, const QString &line)
    {
        auto *button = m_desk->frame.findChild<QToolButton *>(QLatin1StringView(item));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        auto *menu = m_desk->frame.findChild<QMenu *>(QLatin1StringView(menuName));
        QVERIFY(menu && menu->isVisible());
        const QList<QAction *> lines = menu->actions();
        const auto chosen = std::ranges::find(lines, line, &QAction::text);
        QVERIFY2(chosen != lines.end(), qPrintable(line));
        QVERIFY((*chosen)->actionGroup() && (*chosen)->actionGroup()->isExclusive()); // drawn as one of several
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(*chosen).center());
        Desk::settle();
    }
};

void TestBenchCode::keysChangeLines()
{
    tab()->editor().setText(u"b = 2  \na = 1\n"_s, true);
    editor().setFocus();
    QTest::keyClick(&editor(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(text(), u"a = 1\nb = 2  \n"_s);
    QTest::keyClick(&editor(), Qt::Key_Up, Qt::AltModifier);
    QTest::keyClick(&editor(), Qt::Key_F9);
    QCOMPARE(text(), u"a = 1\nb = 2  \n"_s);
    QTest::keyClick(&editor(), Qt::Key_F9, Qt::ShiftModifier);
    QCOMPARE(text(), u"a = 1\nb = 2\n"_s);
    QTest::keyClick(&editor(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(text(), u"a = 1\nb = 2\na = 1\nb = 2\n"_s);
    // Pressed in the output, the keys change nothing in the code.
    tab()->runs().output()->setFocus();
    QTest::keyClick(tab()->runs().output(), Qt::Key_F9, Qt::ShiftModifier);
    QVERIFY(trigger("bench.lines.duplicate"));
    QCOMPARE(text(), u"a = 1\nb = 2\na = 1\nb = 2\n"_s);
    QVERIFY(m_desk->context.actions().conflicts().isEmpty());
}

void TestBenchCode::keysAddCursorsAndTheStatusBarCountsThem()
{
    tab()->editor().setText(u"one = two\none\n\n"_s, true);
    editor().setFocus();
    QTest::keyClick(&editor(), Qt::Key_D, Qt::ControlModifier);
    QTest::keyClick(&editor(), Qt::Key_D, Qt::ControlModifier);
    QTRY_COMPARE(status("status.cursors"), u"2 cursors"_s);
    QTest::keyClicks(&editor(), u"1"_s);
    QCOMPARE(text(), u"1 = two\n1\n\n"_s);
    QTest::keyClick(&editor(), Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier);
    QTRY_COMPARE(status("status.cursors"), u"3 cursors"_s);
    Desk::settle();
    auto *item = m_desk->frame.findChild<QToolButton *>(u"status.cursors"_s);
    QVERIFY(item);
    QTest::mouseClick(item, Qt::LeftButton);
    QCOMPARE(editor().cursors().count(), 1);
    // The end of a program's input is Ctrl+D, as before.
    tab()->runs().input()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(editor().cursors().count(), 1);
    QVERIFY(!editor().textCursor().hasSelection());
}

void TestBenchCode::wordsOfOtherTabsAreOffered()
{
    tab()->editor().setText(u"fromthefirst = 1\n"_s, true);
    QSignalSpy looked(&editor().words(), &WordIndex::looked);
    QVERIFY(looked.wait(10'000));
    QVERIFY(trigger("bench.new"));
    tab()->chooseLanguage(u"python"_s);
    editor().setFocus();
    QTest::keyClicks(&editor(), u"fr"_s);
    QTRY_VERIFY(editor().completion().isVisible());
    QStringList offered;
    for (int i = 0; i < editor().completion().count(); ++i)
        offered.append(editor().completion().item(i)->text());
    QVERIFY2(offered.contains(u"fromthefirst"_s) && offered.contains(u"from"_s), qPrintable(offered.join(u' ')));
    QTest::mouseClick(editor().completion().viewport(), Qt::LeftButton, {},
                      editor().completion().visualItemRect(editor().completion().item(0)).center());
    QCOMPARE(text(), offered.first());
    editor().selectAll();
    QTest::keyClicks(&editor(), u"fromthef"_s);
    QTest::keyClick(&editor(), Qt::Key_Escape);
    QTest::keyClick(&editor(), Qt::Key_Space, Qt::ControlModifier);
    QCOMPARE(text(), u"fromthefirst"_s);
}

void TestBenchCode::choicesHoldForAllTabsAndStay()
{
    QVERIFY(trigger("bench.pairs"));
    QVERIFY(trigger("bench.suggest"));
    editor().setFocus();
    QTest::keyClick(&editor(), Qt::Key_Z, Qt::AltModifier);
    QCOMPARE(editor().lineWrapMode(), QPlainTextEdit::WidgetWidth);
    QVERIFY(trigger("bench.new"));
    QCOMPARE(editor().lineWrapMode(), QPlainTextEdit::WidgetWidth);
    QTest::keyClicks(&editor(), u"whi(le"_s);
    Desk::settle();
    QCOMPARE(text(), u"whi(le"_s);
    QVERIFY(!editor().completion().isVisible());
    const QJsonObject state = m_page->saveState();
    m_page->restoreState({});
    QCOMPARE(editor().lineWrapMode(), QPlainTextEdit::NoWrap);
    m_page->restoreState(state);
    QCOMPARE(editor().lineWrapMode(), QPlainTextEdit::WidgetWidth);
    editor().selectAll();
    QTest::keyClicks(&editor(), u"("_s);
    QCOMPARE(text(), u"("_s);
}

void TestBenchCode::theStatusBarChangesIndentationAndLineEnds()
{
    tab()->editor().setText(u"if x:\n  y\n"_s, false);
    QTRY_COMPARE(status("status.indentation"), u"Spaces: 2"_s);
    choose("status.indentation", "bench.indentation.menu", u"Tabs, 8 columns wide"_s);
    QCOMPARE(status("status.indentation"), u"Tabs: 8"_s);
    QCOMPARE(editor().tabStopDistance(), QFontMetricsF(editor().font()).horizontalAdvance(u' ') * 8);
    editor().goTo(2, 4);
    editor().setFocus();
    QTest::keyClick(&editor(), Qt::Key_Tab);
    QCOMPARE(text(), u"if x:\n  y\t\n"_s);
    tab()->chooseLanguage(u"node"_s); // another habit, but the person chose
    QCOMPARE(status("status.indentation"), u"Tabs: 8"_s);
    const QByteArray stashed = tab()->stashed();

    QVERIFY(!tab()->editor().usesCrlf());
    choose("status.lineends", "bench.lineends.menu", u"CRLF, as in Windows"_s);
    QCOMPARE(status("status.lineends"), u"CRLF"_s);
    QVERIFY(tab()->editor().bytes().contains("if x:\r\n"));
    choose("status.indentation", "bench.indentation.menu", u"As in the text"_s);
    QCOMPARE(status("status.indentation"), u"Spaces: 2"_s);
    QVERIFY(tab()->restore(stashed));
    QCOMPARE(status("status.indentation"), u"Tabs: 8"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchCode)
#include "tst_benchcode.moc"
