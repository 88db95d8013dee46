// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/find/outputsearch.h"
#include "app/workbench/runpanel/output/ansi/ansicolours.h"
#include "app/workbench/runpanel/output/outputview.h"

#include <QAccessible>
#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestOutputView : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();

    void whatIsDraggedOverIsCopied();
    void aSplitLineIsCopiedAsOne();
    void findingGoesAround();
    void aPatternThatTakesForEverIsGivenUp();
    void timesAreShownBesideTheLines();
    void aScrollBarTakesNoColumn();
    void aFilterShowsAndCopiesOnlyItsLines();
    void aClickOnAPlaceLeadsThere();
    void placesAreReachedByKeyboardToo();
    void wrappingKeepsTheTextAndNeedsNoScrolling();
    void aScreenReaderHearsWhatIsVisible();
    void everyColourCanBeRead_data();
    void everyColourCanBeRead();

private:
    void print(const QByteArray &bytes, OutputStream stream = OutputStream::Out) { m_log->append({stream, 0, bytes}); }
    // The middle of a character's cell, in the viewport.
    QPoint cell(int row, int column) const
    {
        const double width = QFontMetricsF(m_view->font()).horizontalAdvance(QString(64, u'0')) / 64;
        return {int(Space::l + (column + 0.1) * width), Space::s + row * m_theme.scaled(20) + m_theme.scaled(10)};
    }

    // On a busy machine the time of the first slice may be over before the first line was looked at.
    std::optional<bool> find(const FindQuery &query, bool backward)
    {
        std::optional<bool> found;
        m_search->find(LineMatcher(query), backward ? OutputSearch::From::Previous : OutputSearch::From::Next, true,
                       [&](OutputSearch::End end) { found = end == OutputSearch::End::Found; });
        if (!QTest::qWaitFor([&] { return found.has_value(); }, 20'000))
            m_search->stop();
        return found;
    }

    Theme m_theme;
    std::unique_ptr<OutputLog> m_log;
    std::unique_ptr<OutputView> m_view;
    OutputSearch *m_search = nullptr;
};

void TestOutputView::initTestCase()
{
    installOutputAccessibility();
    m_view = std::make_unique<OutputView>(m_theme);
    m_search = new OutputSearch(m_view.get());
    m_view->resize(600, 300);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get(), 20'000));
}

void TestOutputView::init()
{
    m_view->setLog(nullptr);
    m_view->setFilter({});
    m_view->setWrap(true);
    m_view->clearFind();
    m_log = std::make_unique<OutputLog>();
    m_view->setLog(m_log.get());
}

void TestOutputView::whatIsDraggedOverIsCopied()
{
    print("first line\nsecond line\nthird line\n");
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, cell(0, 6));
    QTest::mouseMove(m_view->viewport(), cell(1, 6));
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, cell(1, 6));
    QCOMPARE(m_view->selectedText(), u"line\nsecond"_s);
    m_view->setFocus();
    QTest::keySequence(m_view.get(), QKeySequence::Copy);
    QCOMPARE(QGuiApplication::clipboard()->text(), u"line\nsecond"_s);
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, cell(2, 1));
    QCOMPARE(m_view->selectedText(), u"third"_s);
    QTest::keySequence(m_view.get(), QKeySequence::SelectAll);
    QCOMPARE(m_view->selectedText(), u"first line\nsecond line\nthird line"_s);
}

void TestOutputView::aSplitLineIsCopiedAsOne()
{
    const QByteArray line(LineStore::longestLine * 2 + 10, 'x');
    print(line + "\nnext\n");
    QCOMPARE(m_log->lines().end(), 4);
    QCOMPARE(m_view->text(), QString::fromLatin1(line) + u"\nnext"_s);
}

void TestOutputView::findingGoesAround()
{
    for (int i = 0; i < 100; ++i)
        print("line " + QByteArray::number(i) + (i % 40 == 10 ? " Needle\n" : "\n")); // 10, 50 and 90
    const auto isAt = [this](const char *line) { return m_view->visibleText().contains(QLatin1StringView(line)); };
    QVERIFY(find({u"needle"_s}, false) == true && isAt("line 10 "));
    QVERIFY(find({u"needle"_s}, false) == true && isAt("line 50 "));
    QVERIFY(find({u"needle"_s}, true) == true && isAt("line 10 "));
    QVERIFY(find({u"needle"_s}, true) == true && isAt("line 90 "));
    QVERIFY(find({u"needle"_s}, false) == true && isAt("line 10 "));
    QVERIFY(find({u"needle"_s, true}, false) == false); // another case
    QVERIFY(find({.text = u"5\\d needle$"_s, .isPattern = true}, false) == true && isAt("line 50 "));
    QVERIFY(find({.text = u"eedle"_s, .wholeWords = true}, false) == false);
    OutputSearch::Count counted;
    QVERIFY(find({u"needle"_s}, true) == true && isAt("line 90 ")); // none was current
    m_search->count(LineMatcher({u"needle"_s}), true, [&](const OutputSearch::Count &count) { counted = count; });
    QTRY_COMPARE(counted.matches, 3);
    QCOMPARE(counted.number, 3);
}

// By a pattern that has to try 2^30 ways in each line.
void TestOutputView::aPatternThatTakesForEverIsGivenUp()
{
    for (int i = 0; i < 2000; ++i)
        print(QByteArray(30, 'a') + "!\n");
    const FindQuery query{.text = u"(a+)+$"_s, .isPattern = true};
    std::optional<OutputSearch::End> end;
    QElapsedTimer spent;
    spent.start();
    qint64 longest = 0;
    m_search->find(LineMatcher(query), OutputSearch::From::Next, true, [&](OutputSearch::End how) { end = how; });
    while (!end) {
        QElapsedTimer event;
        event.start();
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        longest = std::max(longest, event.elapsed());
    }
    qInfo("given up after %lld ms, the longest event %lld ms", spent.elapsed(), longest);
    QVERIFY(end == OutputSearch::End::TooSlow);
    QVERIFY(longest < 200); // 10 on a quiet machine
    m_view->grab(); // its marks end, too
    const LineMatcher matcher(query);
    QCOMPARE(matcher.count(u"aaa"_s), 1);
    QVERIFY(LineMatcher({.text = u"(a"_s, .isPattern = true}).mistake().contains(u"parenthes"_s));
}

void TestOutputView::timesAreShownBesideTheLines()
{
    const QTime before = QTime::currentTime();
    print("one\ntw");
    const QTime printed = QTime::currentTime();
    QTRY_VERIFY(QTime::currentTime() != printed); // times are kept in milliseconds
    print("o\nthree\n");
    const auto timeOf = [this](qint64 line) { return m_log->timeOf(line).value_or(QTime()); };
    QVERIFY(timeOf(0).isValid() && timeOf(0) == timeOf(1)); // it began then
    QVERIFY(timeOf(2) > timeOf(1) || timeOf(2) < before); // midnight
    QVERIFY(!OutputLog().timeOf(0));
    const int columns = m_view->cells().width();
    m_view->setTimesShown(true);
    QTRY_VERIFY(m_view->cells().width() < columns);
    auto *times = m_view->findChild<QWidget *>(u"bench.output.times"_s);
    QVERIFY(times && times->isVisible());
    QVERIFY(times->geometry().right() < m_view->viewport()->geometry().left());
    QCOMPARE(m_view->lineBeginningAt(2), std::optional<qint64>(2));
    QCOMPARE(m_view->lineBeginningAt(3), std::nullopt);
    m_view->setTimesShown(false);
    QTRY_COMPARE(m_view->cells().width(), columns);
}

void TestOutputView::aScrollBarTakesNoColumn()
{
    const QSize cells = m_view->cells();
    const int width = m_view->viewport()->width();
    print(QByteArray("line\n").repeated(200));
    QTRY_VERIFY(m_view->verticalScrollBar()->isVisible() && m_view->viewport()->width() < width);
    QCOMPARE(m_view->cells(), cells);
}

void TestOutputView::aFilterShowsAndCopiesOnlyItsLines()
{
    print("one apple\ntwo\nthree Apples\n");
    m_view->setFilter(u"apple"_s);
    QCOMPARE(m_view->shownLines(), 2);
    QCOMPARE(m_view->text(), u"one apple\nthree Apples"_s);
    print("four\nfive apple\n");
    QCOMPARE(m_view->shownLines(), 3);
    m_view->setFilter({});
    QCOMPARE(m_view->shownLines(), 5);
}

void TestOutputView::aClickOnAPlaceLeadsThere()
{
    print("  File \"/work/main.py\", line 12, in f\n", OutputStream::Err);
    QSignalSpy activated(m_view.get(), &OutputView::placeActivated);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, cell(0, 2)); // beside it
    QCOMPARE(activated.size(), 0);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, cell(0, 12));
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].value<SourcePlace>().line, 12);
}

void TestOutputView::placesAreReachedByKeyboardToo()
{
    print("/work/main.js:3\nnoise\n    at f (/work/main.js:7:9)\n", OutputStream::Err);
    QSignalSpy activated(m_view.get(), &OutputView::placeActivated);
    QVERIFY(m_view->goToNextPlace(false));
    QVERIFY(m_view->goToNextPlace(false));
    QVERIFY(!m_view->goToNextPlace(false)); // the last
    QVERIFY(m_view->goToNextPlace(false)); // and around
    QVERIFY(m_view->goToNextPlace(false));
    QVERIFY(m_view->goToNextPlace(true));
    QList<int> lines;
    for (const auto &arguments : activated)
        lines.append(arguments[0].value<SourcePlace>().line);
    QCOMPARE(lines, QList<int>({3, 7, 3, 7, 3}));
}

void TestOutputView::wrappingKeepsTheTextAndNeedsNoScrolling()
{
    const QByteArray line = QByteArray("word ").repeated(200);
    print(line + "\n");
    QCOMPARE(m_view->horizontalScrollBar()->maximum(), 0);
    QVERIFY(m_view->verticalScrollBar()->maximum() > 0 || m_view->visibleText().size() > 500);
    QCOMPARE(m_view->text(), QString::fromLatin1(line));
    m_view->setWrap(false);
    QVERIFY(m_view->horizontalScrollBar()->maximum() > 0);
    QCOMPARE(m_view->verticalScrollBar()->maximum(), 0);
    QCOMPARE(m_view->text(), QString::fromLatin1(line));
}

void TestOutputView::aScreenReaderHearsWhatIsVisible()
{
    m_view->setAccessibleName(u"Output of the run"_s);
    print("hello\nworld\n");
    QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(m_view.get());
    QVERIFY(accessible);
    QCOMPARE(accessible->text(QAccessible::Name), u"Output of the run"_s);
    QCOMPARE(accessible->text(QAccessible::Value), u"hello\nworld"_s);
    QCOMPARE(accessible->role(), QAccessible::Terminal);
    QVERIFY(accessible->state().readOnly);
}

void TestOutputView::everyColourCanBeRead_data()
{
    QTest::addColumn<int>("choice");
    QTest::newRow("light") << int(SchemeChoice::Light);
    QTest::newRow("dark") << int(SchemeChoice::Dark);
    QTest::newRow("high contrast") << int(SchemeChoice::HighContrast);
}

void TestOutputView::everyColourCanBeRead()
{
    QFETCH(int, choice);
    m_theme.setChoice(SchemeChoice(choice));
    const QColor plain = m_theme.colour(Colour::Text);
    for (quint32 text = 0; text <= 256; text += text < 16 ? 1 : 7) {
        for (quint32 paper = 0; paper <= 256; paper += paper < 16 ? 1 : 7) {
            for (const quint8 attributes : {quint8(0), quint8(TextStyle::Inverse), quint8(TextStyle::Dim)}) {
                const PaintedStyle painted = paintedStyle({text, paper, attributes}, plain, m_theme);
                const QColor behind = painted.background.isValid() ? painted.background : m_theme.colour(Colour::Panel);
                QVERIFY2(contrastOf(painted.foreground, behind) >= 4.5,
                         qPrintable(u"%1 on %2"_s.arg(painted.foreground.name(), behind.name())));
            }
        }
    }
}

QTEST_MAIN(TestOutputView)
#include "tst_outputview.moc"
