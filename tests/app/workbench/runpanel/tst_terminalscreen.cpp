// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/outputlog.h"

#include "engine/base/base.h"

#include <vterm.h>

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestTerminalScreen : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init();

    void linesLeaveTheScreenForTheStore();
    void whatIsDrawnInPlaceIsShownInPlace();
    void coloursAreThoseOfTheStore();
    void anAlternateScreenLeavesWhatWasBefore();
    void theLastPictureOfAKilledProgramStays();
    void aFullRowGoesOnInTheNext();
    void theCursorIsWhereTheProgramPutIt();
    void remarksStandBetween();
    void aGapLeavesBeginningAndEnd();
    void aSmallerScreenKeepsItsLines();
    void questionsAreAnsweredOnce();
    void keysFollowTheModes();
    void aPasteCannotEndItself();
    void hiddenCharactersAreVisible();
    void whatIsCombinedIsBounded();
    void everyRowIsOneLine();

private:
    void print(const QByteArray &bytes)
    {
        m_log->append({OutputStream::Out, 0, bytes});
        m_log->showScreen();
    }
    QStringList shown() const
    {
        QStringList all;
        for (qint64 i = m_log->lines().first(); i < m_log->lines().end(); ++i)
            all.append(m_log->lines().line(i).text);
        return all;
    }

    std::unique_ptr<OutputLog> m_log;
};

void TestTerminalScreen::init()
{
    m_log = std::make_unique<OutputLog>();
    m_log->openScreen({20, 4});
}

void TestTerminalScreen::linesLeaveTheScreenForTheStore()
{
    QStringList expected;
    for (int i = 0; i < 10; ++i) {
        print("line " + QByteArray::number(i) + (i % 2 ? "\n" : "\r\n"));
        expected << u"line %1"_s.arg(i);
    }
    QCOMPARE(shown(), expected + QStringList(QString())); // where the cursor is
    print("\n\x1b"
          "c\x1b[!pa\nb\n"); // the run's terminal adds no CR
    m_log->finish();
    QCOMPARE(shown().last(2), QStringList({u"a"_s, u"b"_s}));
    QVERIFY(!m_log->screen());
}

void TestTerminalScreen::whatIsDrawnInPlaceIsShownInPlace()
{
    print("one\r\ntwo\r\nthree");
    print("\x1b[1;1HONE\x1b[2;2H\x1b[K\r\nX\b\x1b[32mY");
    QCOMPARE(shown(), QStringList({u"ONE"_s, u"t"_s, u"Yhree"_s}));
    print("\r 10%\r 20%\x1b[3A!"); // the top is the top
    QCOMPARE(shown(), QStringList({u"ONE !"_s, u"t"_s, u" 20%e"_s}));
    print("\x1b[2J\x1b[H$ ");
    QCOMPARE(shown(), QStringList({u"$ "_s, u""_s, u""_s}));
    m_log->finish();
    QCOMPARE(shown(), QStringList({u"$ "_s}));
}

void TestTerminalScreen::coloursAreThoseOfTheStore()
{
    print("a\x1b[31mb\x1b[38;5;200mc\x1b[38;2;1;2;3;48;2;9;8;7md\x1b[0;1;4;7me\x1b[0;93mf\x1b[mg");
    const QList<StyleSpan> spans{{1, {.foreground = 2}},
                                 {2, {.foreground = 201}},
                                 {3, {.foreground = 0xff010203, .background = 0xff090807}},
                                 {4, {.attributes = TextStyle::Bold | TextStyle::Underline | TextStyle::Inverse}},
                                 {5, {.foreground = 12}},
                                 {6, {}}};
    QCOMPARE(m_log->lines().line(0).text, u"abcdefg"_s);
    QCOMPARE(m_log->lines().line(0).spans, spans);
}

void TestTerminalScreen::anAlternateScreenLeavesWhatWasBefore()
{
    print("$ less\r\n");
    print("\x1b[?1049h\x1b[H\x1b[2Jtop\x1b[4;1Hbottom");
    QCOMPARE(shown().last(4), QStringList({u"top"_s, u""_s, u""_s, u"bottom"_s}));
    print("\x1b[H" + QByteArray("scrolled\r\n").repeated(50));
    QVERIFY(m_log->lines().end() <= 5); // nothing of it is scrollback
    print("\x1b[?1049l$ ");
    QCOMPARE(shown(), QStringList({u"$ less"_s, u"$ "_s}));
}

void TestTerminalScreen::theLastPictureOfAKilledProgramStays()
{
    print("before\r\n\x1b[?1049h\x1b[Hpicture");
    m_log->finish();
    QCOMPARE(shown(), QStringList({u"before"_s, u"picture"_s}));
}

void TestTerminalScreen::aFullRowGoesOnInTheNext()
{
    print(QByteArray(25, 'x') + "\r\nshort\r\n");
    QVERIFY(m_log->lines().line(0).continued);
    QVERIFY(!m_log->lines().line(1).continued && !m_log->lines().line(2).continued);
    print("\x1b[2J\x1b[Hfilled up" + QByteArray(12, ' ') + "\r\nasks: ");
    QCOMPARE(m_log->lines().line(m_log->lines().end() - 4).text, u"filled up"_s);
    QVERIFY(!m_log->lines().line(m_log->lines().end() - 4).continued);
    QVERIFY(shown().contains(u"asks: "_s));
    print("\x1b[?1049h\x1b[H" + QByteArray(20, '-')); // frames aren't sentences
    QVERIFY(!m_log->lines().line(m_log->lines().end() - 4).continued);
}

void TestTerminalScreen::theCursorIsWhereTheProgramPutIt()
{
    print("one\r\ntwo");
    QCOMPARE(m_log->screen()->cursor(), (TerminalScreen::Cursor{1, 3}));
    print("\x1b[1;3H");
    QCOMPARE(m_log->screen()->cursor(), (TerminalScreen::Cursor{0, 2}));
    print("\x1b[?25l");
    QVERIFY(!m_log->screen()->cursor());
    print("\x1b[?25h" + QByteArray("\r\n").repeated(20));
    QCOMPARE(m_log->screen()->cursor()->line, m_log->lines().end() - 1);
}

void TestTerminalScreen::remarksStandBetween()
{
    m_log->remark(OutputLine::Kind::Note, u"sealed"_s);
    print("a\r\nb");
    m_log->remark(OutputLine::Kind::Note, u"note"_s);
    print("c");
    m_log->finish();
    QCOMPARE(shown(), QStringList({u"sealed"_s, u"a"_s, u"b"_s, u"note"_s, u"c"_s}));
}

void TestTerminalScreen::aGapLeavesBeginningAndEnd()
{
    print("first\r\n");
    m_log->skip(1000);
    print("middle\r\n");
    m_log->skip(1000);
    QCOMPARE(m_log->skippedBytes(), 2000 + 8);
    print("\x1b[?1049hpicture");
    m_log->skip(1000);
    print("\x1b[?1049llast\r\n");
    m_log->finish();
    QCOMPARE(shown().size(), 3);
    QCOMPARE(shown().first(), u"first"_s);
    QCOMPARE(shown().last(), u"last"_s);
}

void TestTerminalScreen::aSmallerScreenKeepsItsLines()
{
    print("one\r\ntwo\r\nthree\r\nfour");
    m_log->resizeScreen({20, 2});
    QCOMPARE(shown(), QStringList({u"one"_s, u"two"_s, u"three"_s, u"four"_s}));
    m_log->resizeScreen({30, 6});
    print("\r\nfive");
    m_log->finish();
    QCOMPARE(shown(), QStringList({u"one"_s, u"two"_s, u"three"_s, u"four"_s, u"five"_s}));
    // The model's own bounds aren't enough here.
    m_log->openScreen({20, 6});
    print("1\n2\n3\n4\n5\n6\x1b[5;6r\x1b[6;9H\x1b\x37\x1b[Htop");
    m_log->resizeScreen({5, 2});
    print("\nx\x1b\x38saved\n\n\n\x1b[99T");
    QVERIFY(m_log->screen()->cursor()->line < m_log->lines().end());
    m_log->openScreen({1, 100'000}); // whatever the window says
    m_log->resizeScreen({100'000, 0});
}

void TestTerminalScreen::questionsAreAnsweredOnce()
{
    print("ab\x1b[6n");
    QCOMPARE(m_log->screen()->takeAnswers(), QByteArray("\x1b[1;3R"));
    print(QByteArray("\x1b[6n").repeated(10'000));
    QVERIFY(m_log->screen()->takeAnswers().size() < 100);
    print("\x1b]52;c;?\a\x1b]0;title\a\x1b[21t\x1b[>c\x1bP+q544e\x1b\\");
    QVERIFY(m_log->screen()->takeAnswers().isEmpty());
}

void TestTerminalScreen::keysFollowTheModes()
{
    TerminalScreen &screen = *m_log->screen();
    QCOMPARE(screen.pressed(VTERM_KEY_UP, VTERM_MOD_NONE), QByteArray("\x1b[A"));
    QCOMPARE(screen.pressed(VTERM_KEY_LEFT, VTERM_MOD_CTRL), QByteArray("\x1b[1;5D"));
    QCOMPARE(screen.pressed(VTERM_KEY_FUNCTION(5), VTERM_MOD_NONE), QByteArray("\x1b[15~"));
    QCOMPARE(screen.pressed(VTERM_KEY_TAB, VTERM_MOD_SHIFT), QByteArray("\x1b[Z"));
    QCOMPARE(screen.pressed(VTERM_KEY_ENTER, VTERM_MOD_NONE), QByteArray("\r"));
    print("\x1b[?1h");
    QCOMPARE(screen.pressed(VTERM_KEY_UP, VTERM_MOD_NONE), QByteArray("\x1bOA"));
}

void TestTerminalScreen::aPasteCannotEndItself()
{
    TerminalScreen &screen = *m_log->screen();
    QCOMPARE(screen.pasted(u"one\ntwo\x1b[201~\x03"_s), QByteArray("one\rtwo[201~"));
    print("\x1b[?2004h");
    QCOMPARE(screen.pasted(u"ls\n\x1b[201~rm\n"_s), QByteArray("\x1b[200~ls\r[201~rm\r\x1b[201~"));
}

void TestTerminalScreen::hiddenCharactersAreVisible()
{
    print("a\xe2\x80\xae"
          "b");
    QCOMPARE(shown(), QStringList({u"a\\u{202e}b"_s}));
    QVERIFY(m_log->lines().line(0).spans.contains(StyleSpan{1, {.attributes = TextStyle::Escaped}}));
}

// A mark for the model has to be one for the filter, too: the filter counts marks, and the model doesn't.
void TestTerminalScreen::whatIsCombinedIsBounded()
{
    for (char32_t code = 0xa0; code < 0x20000; ++code) {
        if (QChar::isSurrogate(code) || isHiddenCharacter(code) || cellsOf(code, 0) == 0)
            continue;
        const QByteArray bytes = QString::fromUcs4(&code, 1).toUtf8();
        SequenceFilter filter;
        if (filter.passed("a" + bytes.repeated(10)).size() < 1 + 10 * bytes.size())
            continue; // counted
        print("\x1b[H\x1b[Ka" + bytes);
        QVERIFY2(m_log->screen()->cursor()->column > 1, qPrintable(QString::number(uint(code), 16)));
    }
}

void TestTerminalScreen::everyRowIsOneLine()
{
    m_log->openScreen({10'000, 3});
    print(QByteArray("\xf0\x9f\x8e\x89\xcc\x81\xcc\x82\xcc\x83").repeated(2000));
    print("\r\n" + QByteArray("e\xf0\x9d\x85\xa5\xf0\x9d\x85\xa5\xf0\x9d\x85\xa5").repeated(2000));
    for (qint64 i = m_log->lines().first(); i < m_log->lines().end(); ++i)
        QVERIFY(m_log->lines().line(i).text.size() < LineStore::longestLine);
    QCOMPARE(m_log->screen()->cursor()->line, m_log->lines().end() - 1);
}

QTEST_APPLESS_MAIN(TestTerminalScreen)
#include "tst_terminalscreen.moc"
