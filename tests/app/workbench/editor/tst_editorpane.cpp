// SPDX-License-Identifier: Apache-2.0
#include "editorseat.h"

#include "app/workbench/editor/code/highlighter.h"
#include "app/workbench/editor/codesearch.h"
#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/editor/findbar.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestEditorPane : public QObject, EditorSeat
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { showWindow(); }
    void init() { sitDown(); }
    void cleanup() { leave(); }

    void keysEditLikeAPersonExpects();
    void typingABracketLineGoesOut();
    void aNoBreakSpaceSurvives();
    void savingWritesAndKnowsIt();
    void aFileThatAnotherProgramChangedIsLoadedAgain();
    void anotherProgramsChangeDoesNotTakeUnsavedText();
    void aDeletedFileLeavesItsTextAndSaysSo();
    void aLongLineIsNotPasted();
    void moreThanARunTakesIsNotPasted();
    void aFileWithLongLinesIsShownAndRunsAsItIs();
    void anEncodingIsKeptAndChanged();
    void hiddenCharactersAreTold();
    void findingCountsAndReplaces();
    void tabGoesFromWhatIsFoundToWhatReplacesIt();
    void aNewTextGetsItsOwnColours();
    void linesAreAsHighAsTheyShouldBe();
    void aFoldHidesAndOpensWhereTheCursorGoes();
    void theFirstWordsStandWhereCodeBegins();
    void aLargeFileCanBeEditedBeforeItIsWhole();
    void aLineOfALargeTextIsGoneToWhenItIsThere();

private:
    QString write(const QString &name, const QByteArray &bytes)
    {
        const QString path = m_folder->filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("no file");
        return path;
    }
    void open(const QString &path)
    {
        const auto file = readCodeFile(path);
        if (!file)
            qFatal("%s", qPrintable(file.error()));
        m_pane->setFile(path, *file);
    }
};

// Also where the window is mirrored, as code isn't.
void TestEditorPane::theFirstWordsStandWhereCodeBegins()
{
    const auto look = [this] {
        QImage picture = editor().viewport()->grab().toImage().convertToFormat(QImage::Format_RGB32);
        return picture.copy(0, 0, picture.width() / 2, 2 * editor().fontMetrics().lineSpacing());
    };
    editor().setCursorWidth(0);
    const QImage usual = look();
    QApplication::setLayoutDirection(Qt::RightToLeft);
    const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
    QCOMPARE(look(), usual);
    editor().setPlaceholderText({});
    QVERIFY(look() != usual); // there was something
}

void TestEditorPane::keysEditLikeAPersonExpects()
{
    QTest::keyClicks(&editor(), u"if x:"_s);
    QTest::keyClick(&editor(), Qt::Key_Return);
    QTest::keyClicks(&editor(), u"pass"_s);
    QTest::keyClick(&editor(), Qt::Key_Return);
    QTest::keyClicks(&editor(), u"y"_s);
    QCOMPARE(m_pane->text(), u"if x:\n    pass\ny"_s);
    QTest::keyClick(&editor(), Qt::Key_Home);
    QTest::keyClick(&editor(), Qt::Key_Tab);
    QCOMPARE(m_pane->text(), u"if x:\n    pass\n    y"_s);
    QTest::keyClick(&editor(), Qt::Key_Backspace);
    QCOMPARE(m_pane->text(), u"if x:\n    pass\ny"_s);
    editor().selectAll();
    QTest::keyClick(&editor(), Qt::Key_Tab);
    QCOMPARE(m_pane->text(), u"    if x:\n        pass\n    y"_s);
    QTest::keyClick(&editor(), Qt::Key_Backtab);
    QCOMPARE(m_pane->text(), u"if x:\n    pass\ny"_s);
    editor().commentOrUncomment();
    QCOMPARE(m_pane->text(), u"# if x:\n#     pass\n# y"_s);
    QVERIFY(m_pane->isModified());
}

void TestEditorPane::typingABracketLineGoesOut()
{
    editor().setLanguage(u"node"_s, {});
    editor().setIndentation({false, 2});
    editor().setClosesPairs(false);
    QTest::keyClicks(&editor(), u"if (x) {"_s);
    QTest::keyClick(&editor(), Qt::Key_Return);
    QTest::keyClicks(&editor(), u"y();"_s);
    QTest::keyClick(&editor(), Qt::Key_Return);
    QTest::keyClicks(&editor(), u"}"_s);
    QCOMPARE(m_pane->text(), u"if (x) {\n  y();\n}"_s);
}

void TestEditorPane::aNoBreakSpaceSurvives()
{
    const QByteArray bytes = "a\xc2\xa0"
                             "b\n";
    open(write(u"a.py"_s, bytes));
    QCOMPARE(m_pane->bytes(), bytes);
    QVERIFY(!m_pane->isModified());
}

void TestEditorPane::savingWritesAndKnowsIt()
{
    const QString path = write(u"a.py"_s, "one\r\ntwo\r\n");
    open(path);
    QTest::keyClicks(&editor(), u"x"_s);
    QVERIFY(m_pane->isModified());
    bool saved = false;
    m_pane->save([&saved](bool ok) { saved = ok; });
    QTRY_VERIFY(saved);
    QVERIFY(!m_pane->isModified());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("xone\r\ntwo\r\n"));
    QTest::qWait(400); // its own change is no news
    QCOMPARE(m_pane->notice().sentence(), QString());
}

void TestEditorPane::aFileThatAnotherProgramChangedIsLoadedAgain()
{
    const QString path = write(u"a.py"_s, "one\n");
    open(path);
    write(u"a.py"_s, "two, and longer\n");
    QTRY_COMPARE(m_pane->text(), u"two, and longer\n"_s);
    QVERIFY(m_pane->notice().sentence().contains(u"another program"_s));
    // Once more, the way most editors save: by a new file of the same name.
    write(u"b.py"_s, "three\n");
    QVERIFY(QFile::remove(path) && QFile::rename(m_folder->filePath(u"b.py"_s), path));
    QTRY_COMPARE(m_pane->text(), u"three\n"_s);
    QVERIFY(m_pane->notice().sentence().contains(u"another program"_s));
    // To be read: while the pointer is on it, the focus in it, or another window active, it stays.
    NoticeBar &notice = m_pane->notice();
    const auto stays = [&notice] {
        QTest::qWait(400); // 20 ticks
        return !notice.sentence().isEmpty();
    };
    QTest::mouseMove(&notice);
    QTRY_VERIFY(notice.underMouse());
    notice.setTick(20ms);
    QVERIFY(stays());
    auto *close = m_pane->findChild<QToolButton *>(u"bench.notice.close"_s);
    QVERIFY(close);
    close->setFocus();
    QTest::mouseMove(editor().viewport());
    QTRY_VERIFY(!notice.underMouse());
    QVERIFY(stays());
    {
        QWidget other;
        other.show();
        other.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&other, 20'000));
        QVERIFY(stays());
    }
    m_window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_window, 20'000));
    editor().setFocus();
    QTRY_COMPARE(notice.sentence(), QString()); // nothing waits for an answer
}

void TestEditorPane::anotherProgramsChangeDoesNotTakeUnsavedText()
{
    const QString path = write(u"a.py"_s, "one\n");
    open(path);
    QTest::keyClicks(&editor(), u"mine "_s);
    write(u"a.py"_s, "two, and longer\n");
    QTRY_VERIFY(m_pane->notice().sentence().contains(u"unsaved changes"_s));
    QCOMPARE(m_pane->text(), u"mine one\n"_s);
    bool answered = false, saved = true;
    m_pane->save([&](bool ok) {
        answered = true;
        saved = ok;
    });
    QTRY_VERIFY(answered);
    QVERIFY(!saved);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("two, and longer\n"));
    auto *over = m_pane->findChild<QToolButton *>(u"bench.notice.remedy1"_s);
    QVERIFY(over);
    over->click(); // "Save over it"
    QTRY_VERIFY(!m_pane->isModified());
    QVERIFY(file.seek(0));
    QFile again(path);
    QVERIFY(again.open(QIODevice::ReadOnly));
    QCOMPARE(again.readAll(), QByteArray("mine one\n"));
}

void TestEditorPane::aDeletedFileLeavesItsTextAndSaysSo()
{
    const QString path = write(u"a.py"_s, "one\n");
    open(path);
    QVERIFY(QFile::remove(path));
    QTRY_VERIFY(m_pane->notice().sentence().contains(u"deleted"_s));
    QCOMPARE(m_pane->text(), u"one\n"_s);
    QVERIFY(m_pane->isModified());
    bool saved = false;
    m_pane->save([&saved](bool ok) { saved = ok; });
    QTRY_VERIFY(saved);
    QVERIFY(QFile::exists(path));
}

void TestEditorPane::aLongLineIsNotPasted()
{
    QGuiApplication::clipboard()->setText(QString(CodeEditor::longestLine + 1, u'x'));
    editor().paste();
    QCOMPARE(m_pane->text(), QString());
    QVERIFY(m_pane->notice().sentence().contains(u"not pasted"_s));
    QGuiApplication::clipboard()->setText(u"fine\r\n"_s);
    editor().paste();
    QCOMPARE(m_pane->text(), u"fine\n"_s);
}

// Nothing is lost: the clipboard keeps it. Nobody waits for an editor that lays out what no run takes.
void TestEditorPane::moreThanARunTakesIsNotPasted()
{
    const QString line = QString(79, u'x') + u'\n';
    QGuiApplication::clipboard()->setText(line.repeated(50 * 1024 * 1024 / 80));
    m_pane->setText(u"mine\n"_s, true);
    const auto before = std::clock();
    editor().paste();
    const auto milliseconds = (std::clock() - before) * 1000 / CLOCKS_PER_SEC;
    qInfo("refusing 50 MB: %ld ms", long(milliseconds));
    QVERIFY(milliseconds <= 50);
    QVERIFY(m_pane->notice().sentence().contains(u"not pasted"_s));
    QCOMPARE(m_pane->text(), u"mine\n"_s);
    QVERIFY(m_pane->notice().sentence().contains(u"save it to a file"_s));
    QGuiApplication::clipboard()->setText(line.repeated(1000));
    editor().paste();
    QCOMPARE(m_pane->text().size(), 80 * 1000 + 5);
    QTest::keyClick(&editor(), Qt::Key_Z, Qt::ControlModifier); // one step
    QCOMPARE(m_pane->text(), u"mine\n"_s);
}

void TestEditorPane::aFileWithLongLinesIsShownAndRunsAsItIs()
{
    const QByteArray bytes = "let all = [" + QByteArray("1,").repeated(100'000) + "];\nnext\n";
    const QString path = write(u"all.min.js"_s, bytes);
    open(path);
    QVERIFY(m_pane->notice().sentence().startsWith(u"all.min.js has lines of more than 50,000 characters"_s));
    QVERIFY(m_pane->isReadOnly() && editor().isReadOnly());
    QTRY_VERIFY(!m_pane->isLoading());
    QTest::keyClicks(&editor(), u"x"_s);
    editor().commentOrUncomment();
    QVERIFY(!m_pane->isModified());
    QCOMPARE(m_pane->codeBytes(), bytes);
    QVERIFY(longestLineOf(editor().toPlainText()) <= CodeEditor::longestLine);
    // The cursor goes through it by keys.
    editor().moveCursor(QTextCursor::Start);
    QTest::keyClick(&editor(), Qt::Key_Down);
    QCOMPARE(editor().textCursor().blockNumber(), 1);
    QCOMPARE(editor().line(), 1); // of the file
    QVERIFY(editor().isContinuing(editor().textCursor().block()));
    QCOMPARE(editor().numberOf(editor().document()->lastBlock()), 3);
    editor().goTo(2);
    QCOMPARE(editor().textCursor().block().text(), u"next"_s);
    open(write(u"short.js"_s, "x\n"));
    QVERIFY(!editor().isReadOnly());
    QTest::keyClicks(&editor(), u"y"_s);
    QCOMPARE(m_pane->text(), u"x\ny"_s); // in the line where the cursor was
}

void TestEditorPane::anEncodingIsKeptAndChanged()
{
    const QString path = write(u"old.py"_s, "# gr\xfc\xdf"
                                            "e\n");
    open(path);
    QCOMPARE(m_pane->text(), u"# gr\u00fc\u00dfe\n"_s);
    QVERIFY(m_pane->notice().sentence().contains(u"is read as Latin-1"_s));
    QCOMPARE(m_pane->codeBytes(), QByteArray("# gr\xc3\xbc\xc3\x9f"
                                             "e\n"));
    const auto saved = [this, &path] {
        bool done = false;
        m_pane->save([&done](bool) { done = true; });
        if (!QTest::qWaitFor([&done] { return done; }))
            qWarning("Nothing was saved.");
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    editor().moveCursor(QTextCursor::End);
    QTest::keyClicks(&editor(), u"x"_s);
    QCOMPARE(saved(), QByteArray("# gr\xfc\xdf"
                                 "e\nx"));
    m_pane->setEncoding(Encoding::Utf16Le);
    QVERIFY(m_pane->isModified());
    QCOMPARE(saved(), QByteArray("\xff\xfe#\0 \0g\0r\0\xfc\0\xdf\0e\0\n\0x\0", 20));
    editor().insertPlainText(u"\u20ac"_s);
    m_pane->setEncoding(Encoding::Latin1);
    QVERIFY(m_pane->notice().sentence().contains(u"Latin-1 doesn't have"_s));
    QCOMPARE(m_pane->encoding(), Encoding::Utf16Le);
    // Text typed after the choice of an encoding can also have characters that the encoding lacks.
    editor().selectAll();
    editor().insertPlainText(u"plain"_s);
    m_pane->setEncoding(Encoding::Latin1);
    editor().insertPlainText(u"\u20ac"_s);
    m_pane->save();
    QTRY_VERIFY(m_pane->notice().sentence().contains(u"was not saved"_s));
    m_pane->notice().findChild<QToolButton *>(u"bench.notice.remedy1"_s)->click();
    QTRY_VERIFY(!m_pane->isModified());
    QCOMPARE(m_pane->encoding(), Encoding::Utf8);
}

void TestEditorPane::hiddenCharactersAreTold()
{
    open(write(u"a.py"_s, "ok\n# \xe2\x80\xae backwards\n"));
    QVERIFY2(m_pane->notice().sentence().contains(u"U+202E in line 2"_s), qPrintable(m_pane->notice().sentence()));
    m_pane->setText(u"fine, größe 日本\t🎉 e\u0301\n"_s, false);
    m_pane->notice().dismiss();
    QGuiApplication::clipboard()->setText(u"x\u200b = 1\u2066"_s);
    editor().paste();
    QVERIFY2(m_pane->notice().sentence().contains(u"2 character"_s), qPrintable(m_pane->notice().sentence()));
    QVERIFY(!findHiddenText(u"a\tb\r\n\u00a0é"_s));
}

void TestEditorPane::findingCountsAndReplaces()
{
    m_pane->setText(u"cat\ndog\ncat\nCat\n"_s, false);
    m_pane->showFind(true);
    auto *field = m_pane->findChild<QLineEdit *>(u"bench.editor.find.text"_s);
    auto *replacement = m_pane->findChild<QLineEdit *>(u"bench.editor.find.replacement"_s);
    QVERIFY(field && field->hasFocus() && replacement);
    QTest::keyClicks(field, u"cat"_s);
    QCOMPARE(editor().textCursor().selectedText(), u"cat"_s);
    QCOMPARE(editor().line(), 1);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(editor().line(), 3);
    m_pane->search().next(true);
    QCOMPARE(editor().line(), 1);
    replacement->setText(u"bird"_s);
    QTest::keyClick(replacement, Qt::Key_Return);
    QCOMPARE(m_pane->text(), u"bird\ndog\ncat\nCat\n"_s);
    m_pane->findChild<QToolButton *>(u"bench.editor.find.replaceall"_s)->click();
    QCOMPARE(m_pane->text(), u"bird\ndog\nbird\nbird\n"_s);
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(editor().hasFocus());
}

void TestEditorPane::tabGoesFromWhatIsFoundToWhatReplacesIt()
{
    m_pane->showFind(true);
    auto *field = m_pane->findChild<QLineEdit *>(u"bench.editor.find.text"_s);
    QTRY_VERIFY(field->hasFocus());
    QStringList names;
    for (int i = 0; i < 4; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        names.append(QApplication::focusWidget()->objectName().section(u'.', -1));
    }
    QCOMPARE(names.join(u' '), u"replacement replaceone replaceall case"_s);
}

void TestEditorPane::aNewTextGetsItsOwnColours()
{
    const auto firstColour = [this] {
        const auto formats = editor().document()->begin().layout()->formats();
        return formats.isEmpty() ? QColor() : formats.constFirst().format.foreground().color();
    };
    const std::pair<QString, Colour> texts[] = {{u"import json, sys\n\nx = 1\n"_s, Colour::CodeKeyword},
                                                {u"print(1)\nimport os\nx = 2\n"_s, Colour::CodeFunction},
                                                {u"# remark\n"_s, Colour::CodeComment},
                                                {u"import os\n"_s, Colour::CodeKeyword}};
    for (const auto &[text, colour] : texts) {
        m_pane->setText(text, true);
        QTRY_COMPARE(firstColour(), m_theme->colour(colour));
    }
}

void TestEditorPane::linesAreAsHighAsTheyShouldBe()
{
    m_pane->setText(u"a\nb\nc\n"_s, false);
    const QTextDocument *document = editor().document();
    const double first = editor().geometryOf(document->findBlockByNumber(0)).top();
    const double second = editor().geometryOf(document->findBlockByNumber(1)).top();
    QCOMPARE(second - first, double(m_theme->scaled(20)));
    const int middle = editor().cursorRect(QTextCursor(document->findBlockByNumber(1))).center().y();
    QVERIFY(std::abs(middle - (second + m_theme->scaled(20) / 2.0)) <= 1); // the text is in the middle of its line
}

void TestEditorPane::aFoldHidesAndOpensWhereTheCursorGoes()
{
    m_pane->setText(u"def f():\n    a\n    b\nc\n"_s, false);
    editor().goTo(2);
    editor().foldHere();
    QVERIFY(!editor().document()->findBlockByNumber(2).isVisible());
    QCOMPARE(editor().line(), 1);
    editor().goTo(3);
    QVERIFY(editor().document()->findBlockByNumber(2).isVisible());
    editor().foldEverything();
    QVERIFY(!editor().document()->findBlockByNumber(1).isVisible());
    editor().unfoldEverything();
    QVERIFY(editor().document()->findBlockByNumber(1).isVisible());
}

void TestEditorPane::aLargeFileCanBeEditedBeforeItIsWhole()
{
    QByteArray bytes;
    while (bytes.size() < 10'000'000)
        bytes += "    value = compute(1, \"some text\")  # remark\n";
    const QString path = write(u"large.py"_s, bytes);
    const auto file = readCodeFile(path); // in the pool, when the bench does it
    QVERIFY(file);
    QElapsedTimer time;
    time.start();
    const double cpuBefore = cpuMilliseconds();
    m_pane->setFile(path, *file);
    QTest::keyClicks(&editor(), u"xyz"_s);
    editor().viewport()->repaint();
    qInfo("editable after %lld ms, %.0f of them its own", time.elapsed(), cpuMilliseconds() - cpuBefore);
    QVERIFY(cpuMilliseconds() - cpuBefore < 300);
    QVERIFY(m_pane->isLoading());
    qint64 longest = 0;
    connect(editor().highlighter(), &Highlighter::sliceDone, this,
            [&longest](qint64 slice) { longest = std::max(longest, slice); });
    QCOMPARE(m_pane->bytes(), "xyz" + bytes);
    QTRY_VERIFY_WITH_TIMEOUT(!m_pane->isLoading(), 30'000);
    qInfo("whole after %lld ms", time.elapsed());
    QCOMPARE(m_pane->bytes(), "xyz" + bytes);
    QVERIFY(m_pane->isModified());
    QCOMPARE(editor().line(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(editor().highlighter()->isDone(), 60'000);
    qInfo("highlighted after %lld ms; longest slice %.1f ms", time.elapsed(), double(longest) / 1e6);
}

void TestEditorPane::aLineOfALargeTextIsGoneToWhenItIsThere()
{
    const QString text = u"value = 1\n"_s.repeated(300'000);
    m_pane->setText(text, true);
    QVERIFY(m_pane->isLoading());
    m_pane->goTo(299'000);
    QVERIFY(editor().line() < 299'000);
    QTRY_VERIFY_WITH_TIMEOUT(!m_pane->isLoading(), 30'000);
    QCOMPARE(editor().line(), 299'000);
    m_pane->setText(text, true);
    m_pane->goTo(299'000);
    QTest::keyClick(&editor(), Qt::Key_Home, Qt::ControlModifier); // the person goes elsewhere
    QTest::keyClick(&editor(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(!m_pane->isLoading(), 30'000);
    QCOMPARE(editor().line(), 2);
}

QTEST_MAIN(TestEditorPane)
#include "tst_editorpane.moc"
