// SPDX-License-Identifier: Apache-2.0
// Several cursors in the code: what comes of a key, of the mouse and of the clipboard at each, undo, and how long that takes.
#include "editorseat.h"

#include "app/workbench/editor/codesearch.h"

#include <QApplication>
#include <QClipboard>
#include <QInputMethodEvent>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCursors : public QObject, EditorSeat
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { showWindow(); }
    void init() { sitDownWithWords(); }
    void cleanup() { leave(); }

    void keysActAtEach_data();
    void keysActAtEach();
    void matchesGetCursors();
    void aWordIsNoPartOfAnother();
    void clicksAddAndRemoveCursors();
    void aClickOrAJumpKeepsOne();
    void theClipboardHasALineForEach();
    void whatIsSelectedAtOthersIsCutToTheClipboard();
    void composedLettersComeToEach();
    void aWordIsCompletedAtEach();
    void commentsAndOtherCommands();
    void aTextThatIsReplacedHasOneCursor();
    void allOfThemAreSeen();
    void manyAreRefusedAndFewAreFast();

private:
    using More = CodeEditor::MoreCursors;

    // "|" for each cursor; the first one is the oldest.
    void set(QString marked)
    {
        QList<int> places;
        for (qsizetype at = marked.indexOf(u'|'); at >= 0; at = marked.indexOf(u'|')) {
            marked.remove(at, 1);
            places.append(int(at));
        }
        m_pane->setText(marked, false);
        QTextCursor cursor(editor().document());
        for (const int place : places) {
            cursor.setPosition(place);
            if (place == places.first())
                editor().setTextCursor(cursor);
            else
                editor().cursors().toggle(cursor);
        }
        QCOMPARE(editor().cursors().count(), int(places.size()));
    }
    QString marked()
    {
        QString text = m_pane->text();
        QList<QTextCursor> all = editor().cursors().further();
        all.append(editor().textCursor());
        std::ranges::sort(all, std::greater(), &QTextCursor::selectionStart);
        for (const QTextCursor &each : all) {
            if (each.hasSelection())
                text.insert(each.selectionEnd(), u'>').insert(each.selectionStart(), u'<');
            else
                text.insert(each.position(), u'|');
        }
        return text;
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&editor(), Qt::Key(key), modifiers);
        QCoreApplication::processEvents();
    }
    void type(const QString &text)
    {
        QTest::keyClicks(&editor(), text);
        QCoreApplication::processEvents();
    }
    void click(int position, Qt::KeyboardModifiers modifiers)
    {
        QTextCursor cursor(editor().document());
        cursor.setPosition(position);
        QTest::mouseClick(editor().viewport(), Qt::LeftButton, modifiers, editor().cursorRect(cursor).center());
    }
};

void TestCursors::keysActAtEach_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>(
        "keys"); // letters, and of those: "\b" Backspace, "\x7f" Delete, "\n" Enter, "\t" Tab, "<" Left, "^" Up, "$" End, "~" Shift+Left
    QTest::addColumn<QString>("after");
    const auto row = [](const char *name, const char *before, const char *keys, const char *after) {
        QTest::newRow(name) << QString::fromUtf8(before) << QString::fromUtf8(keys) << QString::fromUtf8(after);
    };
    row("letters", "a|\nb|\nc|", "xy", "axy|\nbxy|\ncxy|");
    row("in one line", "|a |b |c", "_", "_|a _|b _|c");
    row("backspace", "ab|\ncd|", "\b", "a|\nc|");
    row("backspace that joins lines", "a\n|b\n|c", "\b", "a|b|c");
    row("delete", "|ab\n|cd", "\x7f", "|b\n|d");
    row("they come together", "|a|bc", "\x7f", "|c");
    row("they meet", "a|b|c", "\b\b", "|c");
    row("lines are broken, with their indentation", "  a|b\n    c|d", "\n", "  a\n  |b\n    c\n    |d");
    row("tab", "a|\nbb|", "\t", "a   |\nbb  |");
    row("pairs", "f|\ng|", "(", "f(|)\ng(|)");
    row("pairs are typed over", "f|\ng|", "(1)", "f(1)|\ng(1)|");
    row("pairs are erased", "f(|)\ng(|)", "\b", "f|\ng|");
    row("backspace to the step", "    |a\n        |b", "\b", "|a\n    |b");
    row("left", "ab|\ncd|", "<x", "ax|b\ncx|d");
    row("up, where there is no line", "a|\nb|\n", "^x", "ax|\nb\n");
    row("end", "|a\n|bcd", "$x", "ax|\nbcdx|");
    row("selections are replaced", "ab|\ncd|", "~x", "ax|\ncx|");
    row("selections are wrapped", "ab|\ncd|", "~(", "a(<b>)\nc(<d>)");
}

void TestCursors::keysActAtEach()
{
    QFETCH(QString, before);
    QFETCH(QString, keys);
    QFETCH(QString, after);
    set(before);
    for (const QChar each : std::as_const(keys)) {
        switch (each.unicode()) {
        case '\b':
            key(Qt::Key_Backspace);
            break;
        case '\x7f':
            key(Qt::Key_Delete);
            break;
        case '\n':
            key(Qt::Key_Return);
            break;
        case '\t':
            key(Qt::Key_Tab);
            break;
        case '<':
            key(Qt::Key_Left);
            break;
        case '^':
            key(Qt::Key_Up);
            break;
        case '$':
            key(Qt::Key_End);
            break;
        case '~':
            key(Qt::Key_Left, Qt::ShiftModifier);
            break;
        default:
            type(each);
        }
    }
    QCOMPARE(marked(), after);
    const int cursors = editor().cursors().count();
    // One step of undo for each key that changed the text.
    const QString text = QString(before).remove(u'|');
    for (qsizetype i = 0; i < keys.size() && m_pane->text() != text; ++i)
        key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(m_pane->text(), text);
    QVERIFY(!editor().document()->isUndoAvailable());
    QVERIFY(editor().cursors().count() <= cursors);
    key(Qt::Key_Escape);
    QCOMPARE(editor().cursors().count(), 1);
}

void TestCursors::matchesGetCursors()
{
    set(u"|total = 1\nprint(total, subtotal)\ntotal += 1\n"_s);
    editor().addCursors(More::NextMatch); // the word
    QCOMPARE(marked(), u"<total> = 1\nprint(total, subtotal)\ntotal += 1\n"_s);
    editor().addCursors(More::NextMatch);
    QCOMPARE(marked(), u"<total> = 1\nprint(<total>, subtotal)\ntotal += 1\n"_s);
    editor().addCursors(More::NextMatch);
    editor().addCursors(More::NextMatch); // none is left
    QCOMPARE(marked(), u"<total> = 1\nprint(<total>, subtotal)\n<total> += 1\n"_s);
    type(u"sum"_s);
    QCOMPARE(m_pane->text(), u"sum = 1\nprint(sum, subtotal)\nsum += 1\n"_s);
    QCOMPARE(editor().cursors().count(), 3);

    set(u"aaa aaa|"_s);
    key(Qt::Key_Left, Qt::ShiftModifier);
    key(Qt::Key_Left, Qt::ShiftModifier);
    editor().addCursors(More::AllMatches); // "aa", of which the places overlap
    QCOMPARE(marked(), u"<aa>a a<aa>"_s);
    set(u"a\nb|\n\nlonger"_s);
    editor().addCursors(More::Below);
    editor().addCursors(More::Below); // keeps the column past the empty line
    editor().addCursors(More::Above);
    editor().addCursors(More::Above); // there is none
    QCOMPARE(marked(), u"a|\nb|\n|\nl|onger"_s);
}

void TestCursors::aWordIsNoPartOfAnother()
{
    set(u"for |i in list: print(i)"_s);
    editor().addCursors(More::AllMatches);
    QCOMPARE(marked(), u"for <i> in list: print(<i>)"_s);
    key(Qt::Key_Escape);
    QCOMPARE(editor().cursors().count(), 1);
    // Chosen by hand, any will do.
    set(u"i|n list"_s);
    key(Qt::Key_Left, Qt::ShiftModifier);
    editor().addCursors(More::AllMatches);
    QCOMPARE(marked(), u"<i>n l<i>st"_s);
}

void TestCursors::clicksAddAndRemoveCursors()
{
    set(u"one|\ntwo\nthree"_s);
    click(5, Qt::AltModifier);
    click(8, Qt::ControlModifier);
    QCOMPARE(marked(), u"one|\nt|wo\n|three"_s);
    QCOMPARE(editor().textCursor().position(), 8);
    click(5, Qt::AltModifier);
    QCOMPARE(marked(), u"one|\ntwo\n|three"_s);
    click(8, Qt::AltModifier); // the editor's own
    QCOMPARE(marked(), u"one|\ntwo\nthree"_s);
    click(3, Qt::AltModifier); // one there must be
    QCOMPARE(marked(), u"one|\ntwo\nthree"_s);
}

void TestCursors::aClickOrAJumpKeepsOne()
{
    set(u"on|e\ntw|o"_s);
    click(0, {});
    QCOMPARE(marked(), u"|one\ntwo"_s);
    set(u"on|e\ntw|o"_s);
    click(6, {}); // where the editor's own is
    QCOMPARE(editor().cursors().count(), 1);
    set(u"on|e\ntw|o"_s);
    editor().goTo(1);
    QCOMPARE(marked(), u"|one\ntwo"_s);
    set(u"on|e\ntw|o"_s);
    key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(marked(), u"<one\ntwo>"_s);
    set(u"on|e\ntw|o"_s);
    m_pane->showFind(false);
    m_pane->search().next(false); // finds nothing, moves nothing
    QCOMPARE(editor().cursors().count(), 2);
}

void TestCursors::theClipboardHasALineForEach()
{
    set(u"one|\ntwo|\n"_s);
    key(Qt::Key_Home, Qt::ShiftModifier);
    key(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"one\ntwo"_s);
    key(Qt::Key_End);
    key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(marked(), u"oneone|\ntwotwo|\n"_s);
    key(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(m_pane->text(), u"one\ntwo\n"_s);
    key(Qt::Key_Home, Qt::ShiftModifier);
    key(Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(marked(), u"|\n|\n"_s);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"one\ntwo"_s);
    // Another number of lines comes whole to each.
    QGuiApplication::clipboard()->setText(u"x"_s);
    key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(marked(), u"x|\nx|\n"_s);
}

// The newest cursor is the editor's own, and may have no selection.
void TestCursors::whatIsSelectedAtOthersIsCutToTheClipboard()
{
    set(u"one|\ntwo"_s);
    key(Qt::Key_Home, Qt::ShiftModifier);
    QTextCursor second(editor().document());
    second.setPosition(5);
    editor().cursors().toggle(second);
    QCOMPARE(editor().cursors().count(), 2);
    QGuiApplication::clipboard()->setText(u"before"_s);
    key(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"one"_s);
    QGuiApplication::clipboard()->setText(u"before"_s);
    key(Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"one"_s);
    QCOMPARE(m_pane->text(), u"\ntwo"_s);
    // Nothing is selected any more: the clipboard keeps what it has.
    key(Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"one"_s);
}

void TestCursors::composedLettersComeToEach()
{
    set(u"caf|\nth|"_s);
    QInputMethodEvent composed;
    composed.setCommitString(u"é"_s);
    QCoreApplication::sendEvent(&editor(), &composed);
    QCOMPARE(marked(), u"café|\nthé|"_s);
}

void TestCursors::aWordIsCompletedAtEach()
{
    set(u"quaternion = 1\n|\n|"_s);
    QSignalSpy looked(&editor().words(), &WordIndex::looked);
    QVERIFY(looked.wait(10'000));
    type(u"quat"_s);
    QTRY_VERIFY(list().isVisible());
    key(Qt::Key_Tab);
    QCOMPARE(marked(), u"quaternion = 1\nquaternion|\nquaternion|"_s);
}

void TestCursors::commentsAndOtherCommands()
{
    set(u"a|a|\nbb\nc|"_s);
    editor().commentOrUncomment();
    QCOMPARE(m_pane->text(), u"# aa\nbb\n# c"_s);
    QCOMPARE(editor().cursors().count(), 3);
    editor().commentOrUncomment();
    QCOMPARE(m_pane->text(), u"aa\nbb\nc"_s);
    editor().changeLines([](QTextCursor &cursor) { return moveLines(cursor, false); });
    QCOMPARE(m_pane->text(), u"aa\nc\nbb"_s); // the newest one's
    QCOMPARE(editor().cursors().count(), 1);
    set(u"a|\nb|"_s);
    editor().setReadOnly(true);
    type(u"x"_s);
    QCOMPARE(m_pane->text(), u"a\nb"_s);
}

void TestCursors::aTextThatIsReplacedHasOneCursor()
{
    set(u"|a\n|b"_s);
    m_pane->setText(u"other"_s, false);
    type(u"x"_s);
    QCOMPARE(m_pane->text(), u"xother"_s);
}

// A stroke in the colour of text at each further one, and the colour of a selection.
void TestCursors::allOfThemAreSeen()
{
    set(u"\n\n|\n\n|"_s);
    const QColor text = editor().palette().color(QPalette::Text);
    QTextCursor further(editor().document());
    further.setPosition(2);
    const QPoint place = editor().cursorRect(further).center();
    QTRY_COMPARE(editor().viewport()->grab().toImage().pixelColor(place), text);
    key(Qt::Key_Escape);
    QTRY_VERIFY(editor().viewport()->grab().toImage().pixelColor(place) != text);
    set(u"wide|\nwide|"_s);
    key(Qt::Key_Home, Qt::ShiftModifier);
    further.setPosition(2);
    const QPoint corner = editor().cursorRect(further).topLeft();
    QTRY_COMPARE(editor().viewport()->grab().toImage().pixelColor(corner),
                 editor().palette().color(QPalette::Highlight));
}

// GUI thread, in processor time.
void TestCursors::manyAreRefusedAndFewAreFast()
{
    QString text = u"x = 1\n"_s.repeated(Cursors::most);
    m_pane->setText(text + u"x"_s, false);
    QTRY_VERIFY(!m_pane->isLoading());
    QSignalSpy refused(&editor(), &CodeEditor::refused);
    editor().addCursors(More::AllMatches);
    QCOMPARE(refused.size(), 1);
    QCOMPARE(editor().cursors().count(), 1);
    m_pane->setText(text, false);
    QTRY_VERIFY(!m_pane->isLoading());
    double before = cpuMilliseconds();
    editor().addCursors(More::AllMatches);
    QCOMPARE(editor().cursors().count(), Cursors::most);
    QCOMPARE(refused.size(), 1);
    editor().addCursors(More::NextMatch); // all of them have a cursor
    QCOMPARE(refused.size(), 1);
    m_pane->setText(text + text + u"x"_s, false);
    QTRY_VERIFY(!m_pane->isLoading());
    for (int i = 1; i <= Cursors::most; ++i)
        editor().addCursors(More::Below);
    QCOMPARE(editor().cursors().count(), Cursors::most);
    QCOMPARE(refused.size(), 2);
    QCOMPARE(refused.last().first().toString(), u"50 cursors are as many as there can be."_s);
    m_pane->setText(text, false);
    QTRY_VERIFY(!m_pane->isLoading());
    editor().addCursors(More::AllMatches);
    before = cpuMilliseconds();
    QStringList slow;
    const auto measure = [&](const char *what) {
        QCoreApplication::processEvents();
        const double spent = cpuMilliseconds() - before;
        qInfo("%s: %.1f ms", what, spent);
        if (spent > 50)
            slow.append(QLatin1StringView(what));
        before = cpuMilliseconds();
    };
    measure("finding all");
    for (const int each : {Qt::Key_Y, Qt::Key_Return, Qt::Key_Up, Qt::Key_Backspace, Qt::Key_ParenLeft}) {
        QTest::keyClick(&editor(), Qt::Key(each), Qt::NoModifier);
        measure("a key at each");
    }
    key(Qt::Key_Z, Qt::ControlModifier);
    measure("undo");
    QVERIFY2(slow.isEmpty() || qEnvironmentVariableIsSet("GLOVEBOX_TEST_SLOW_MACHINE"), qPrintable(slow.join(u", "_s)));
}

QTEST_MAIN(TestCursors)
#include "tst_cursors.moc"
