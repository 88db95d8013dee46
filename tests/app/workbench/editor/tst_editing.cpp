// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/editor/code/editing.h"

#include <QPlainTextDocumentLayout>
#include <QTest>
#include <QTextDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// The document of a text in which ‹ and › mark the selection, or | the cursor.
struct Edited
{
    explicit Edited(QString text)
    {
        const qsizetype anchor = std::max(text.indexOf(u'‹'), text.indexOf(u'|'));
        text.remove(u'‹').remove(u'|');
        qsizetype position = text.indexOf(u'›');
        text.remove(u'›');
        document.setDocumentLayout(new QPlainTextDocumentLayout(&document));
        document.setPlainText(text);
        cursor = QTextCursor(&document);
        cursor.setPosition(int(std::max<qsizetype>(anchor, 0)));
        if (position >= 0)
            cursor.setPosition(int(position), QTextCursor::KeepAnchor);
    }

    QTextDocument document;
    QTextCursor cursor;
};

WritingStyle style(const QString &language)
{
    return (*Languages::byId(language))->style();
}

} // namespace

class TestEditing : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void indentationFollowsTheLineBefore_data();
    void indentationFollowsTheLineBefore();
    void theHabitOfAFileIsSeen();
    void linesGoInAndOut();
    void commentsComeAndGo_data();
    void commentsComeAndGo();
    void aSelectionFromInsideRunsByItself();
    void bracketsFindTheirPartners_data();
    void bracketsFindTheirPartners();
    void findingGoesAroundAndBack();
    void caseWordsAndPatternsAreObeyed();
    void aPatternThatMatchesNothingEnds();
    void replacingAllIsOneStepOfUndo();
};

void TestEditing::indentationFollowsTheLineBefore_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("indentation");
    QTest::newRow("same") << u"    x = 1"_s << u"python"_s << u"    "_s;
    QTest::newRow("block") << u"if x:"_s << u"python"_s << u"    "_s;
    QTest::newRow("bracket") << u"call("_s << u"python"_s << u"    "_s;
    QTest::newRow("return") << u"        return 1"_s << u"python"_s << u"    "_s;
    QTest::newRow("no return") << u"    returned = 1"_s << u"python"_s << u"    "_s;
    QTest::newRow("comment") << u"# like this:"_s << u"python"_s << u""_s;
    QTest::newRow("brace") << u"  if (x) {"_s << u"node"_s << u"      "_s;
    QTest::newRow("label") << u"x: 1,"_s << u"node"_s << u""_s;
    QTest::newRow("then") << u"if true; then"_s << u"bash"_s << u"    "_s;
    QTest::newRow("call in shell") << u"echo $(date)"_s << u"bash"_s << u""_s;
    QTest::newRow("case") << u"  a)"_s << u"bash"_s << u"      "_s;
}

void TestEditing::indentationFollowsTheLineBefore()
{
    QFETCH(QString, before);
    QFETCH(QString, language);
    QFETCH(QString, indentation);
    QCOMPARE(indentationAfter(before, Indentation(), style(language)), indentation);
}

void TestEditing::theHabitOfAFileIsSeen()
{
    QCOMPARE(detectIndentation(Edited(u"a\n  b\n    c\n"_s).document, style(u"python"_s)), (Indentation{false, 2}));
    QCOMPARE(detectIndentation(Edited(u"a\n\tb\n"_s).document, style(u"python"_s)), (Indentation{true, 4}));
    QCOMPARE(detectIndentation(Edited(u"a\n"_s).document, style(u"node"_s)), (Indentation{false, 2}));
    QCOMPARE(detectIndentation(Edited(u""_s).document, style(u"python"_s)), (Indentation{false, 4}));
}

void TestEditing::linesGoInAndOut()
{
    Edited in(u"‹a\n\nb\n›c"_s);
    indentLines(in.cursor, Indentation(), false);
    QCOMPARE(in.document.toPlainText(), u"    a\n\n    b\nc"_s);
    Edited out(u"‹      a\n\tb\n  c›"_s);
    indentLines(out.cursor, Indentation(), true);
    QCOMPARE(out.document.toPlainText(), u"  a\nb\nc"_s);
}

void TestEditing::commentsComeAndGo_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("one") << u"  x|y"_s << u"  # xy"_s;
    QTest::newRow("back") << u"  # x|y"_s << u"  xy"_s;
    QTest::newRow("without a space") << u"#x|"_s << u"x"_s;
    QTest::newRow("several") << u"‹if x:\n    y\n\nz›"_s << u"# if x:\n#     y\n\n# z"_s;
    QTest::newRow("mixed") << u"‹# a\nb›"_s << u"# # a\n# b"_s;
    QTest::newRow("mixed the other way") << u"‹b\n# a›"_s << u"# b\n# # a"_s;
    QTest::newRow("empty line") << u"|"_s << u""_s;
}

void TestEditing::commentsComeAndGo()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    Edited edited(before);
    const QString original = edited.document.toPlainText();
    toggleComment(edited.cursor, u"#"_s);
    QCOMPARE(edited.document.toPlainText(), after);
    edited.document.undo();
    QCOMPARE(edited.document.toPlainText(), original);
}

void TestEditing::aSelectionFromInsideRunsByItself()
{
    QCOMPARE(withoutCommonIndentation(u"    a\n        b\n\n    c"_s), u"a\n    b\n\nc"_s);
    QCOMPARE(withoutCommonIndentation(u"a\n  b"_s), u"a\n  b"_s);
    QCOMPARE(withoutCommonIndentation(u"\ta\n\t\tb\n  "_s), u"a\n\tb\n "_s);
}

void TestEditing::bracketsFindTheirPartners_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("bracket");
    QTest::addColumn<int>("partner");
    QTest::newRow("behind the opening") << u"(|a)"_s << 0 << 2;
    QTest::newRow("before the opening") << u"|(a)"_s << 0 << 2;
    QTest::newRow("behind the closing") << u"f([x])|"_s << 5 << 1;
    QTest::newRow("nested over lines") << u"{|\n{}\n}"_s << 0 << 5;
    QTest::newRow("none") << u"(|a"_s << 0 << -1;
}

void TestEditing::bracketsFindTheirPartners()
{
    QFETCH(QString, text);
    QFETCH(int, bracket);
    QFETCH(int, partner);
    const Edited edited(text);
    const auto match = matchBracket(edited.document, edited.cursor.position());
    QVERIFY(match);
    QCOMPARE(match->bracket, bracket);
    QCOMPARE(match->partner, partner);
    QVERIFY(!matchBracket(Edited(u"ab"_s).document, 1));
}

void TestEditing::findingGoesAroundAndBack()
{
    const Edited edited(u"one two one|"_s);
    QTextCursor found = findNext(edited.cursor, {.text = u"one"_s}, false);
    QCOMPARE(found.selectionStart(), 0);
    found = findNext(found, {.text = u"one"_s}, false);
    QCOMPARE(found.selectionStart(), 8);
    found = findNext(found, {.text = u"one"_s}, true);
    QCOMPARE(found.selectionStart(), 0);
    found = findNext(found, {.text = u"one"_s}, true);
    QCOMPARE(found.selectionStart(), 8);
    QVERIFY(findNext(found, {.text = u"three"_s}, false).isNull());
}

void TestEditing::caseWordsAndPatternsAreObeyed()
{
    const Edited edited(u"|Items item items x1 x22"_s);
    QCOMPARE(findNext(edited.cursor, {.text = u"item"_s}, false).selectionStart(), 0);
    QCOMPARE(findNext(edited.cursor, {.text = u"item"_s, .matchCase = true}, false).selectionStart(), 6);
    QCOMPARE(
        findNext(edited.cursor, {.text = u"items"_s, .matchCase = true, .wholeWords = true}, false).selectionStart(),
        11);
    QCOMPARE(findNext(edited.cursor, {.text = u"x\\d\\d"_s, .isPattern = true}, false).selectedText(), u"x22"_s);
    QVERIFY(findNext(edited.cursor, {.text = u"x\\d"_s}, false).isNull());
    QVERIFY(findNext(edited.cursor, {.text = u"("_s, .isPattern = true}, false).isNull());
}

void TestEditing::aPatternThatMatchesNothingEnds()
{
    const Edited edited(u"|bbb"_s);
    QVERIFY(findNext(edited.cursor, {.text = u"a*"_s, .isPattern = true}, false).isNull());
    QVERIFY(findNext(edited.cursor, {.text = u"a*"_s, .isPattern = true}, true).isNull());
}

void TestEditing::replacingAllIsOneStepOfUndo()
{
    Edited edited(u"a1 a2\na3"_s);
    QCOMPARE(replaceAll(edited.document, {.text = u"a(\\d)"_s, .isPattern = true}, u"\\1\\n"_s), 3);
    QCOMPARE(edited.document.toPlainText(), u"1\n 2\n\n3\n"_s);
    edited.document.undo();
    QCOMPARE(edited.document.toPlainText(), u"a1 a2\na3"_s);
    QCOMPARE(replaceAll(edited.document, {.text = u"a"_s}, u"aa"_s), 3); // what was put in isn't looked at again
    QCOMPARE(edited.document.toPlainText(), u"aa1 aa2\naa3"_s);
}

QTEST_MAIN(TestEditing)
#include "tst_editing.moc"
