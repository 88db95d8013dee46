// SPDX-License-Identifier: Apache-2.0
// Output that is looked through: found in, given the whole tab, shown in a window of its own and with times.
#include "benchseat.h"

#include "app/workbench/runpanel/kept/outputwindow.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchOutput : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void matchesAreCounted();
    void matchesInAllThatWasKeptAreCounted();
    void aMistakeInAPatternIsTold();
    void aPatternThatTakesForEverEnds();
    void findingsHaveTheWholeTabAndGiveItBack();
    void outputHasAWindowOfItsOwn();
    void timesStayForTheNextTab();

private:
    QLabel *result()
    {
        auto *bar = tab()->findChild<QWidget *>(u"bench.output.find"_s);
        for (QLabel *label : bar->findChildren<QLabel *>()) {
            if (!label->text().isEmpty())
                return label;
        }
        return bar->findChild<QLabel *>();
    }
    void find(const QString &text, bool isPattern)
    {
        tab()->runs().showFind();
        tab()->findChild<QToolButton *>(u"bench.output.find.pattern"_s)->setChecked(isPattern);
        auto *field = tab()->findChild<QLineEdit *>(u"bench.output.find.text"_s);
        QVERIFY(field && field->hasFocus());
        field->clear();
        QTest::keyClicks(field, text);
    }
    void press(const char *name)
    {
        QTest::mouseClick(tab()->findChild<QToolButton *>(QLatin1StringView(name)), Qt::LeftButton);
    }
};

void TestBenchOutput::matchesAreCounted()
{
    run(u"for i in range(217): print('row', i, 'apple' if i else 'Apple pie')\n"_s);
    waitForEnd();
    find(u"apple"_s, false);
    QTRY_COMPARE(result()->text(), u"1 of 217"_s);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTRY_COMPARE(result()->text(), u"3 of 217"_s);
    press("bench.output.find.previous");
    QTRY_COMPARE(result()->text(), u"2 of 217"_s);
    find(u"^row \\d0 "_s, true);
    QTRY_COMPARE(result()->text(), u"1 of 9"_s);
    press("bench.output.find.previous"); // round the end
    QTRY_COMPARE(result()->text(), u"9 of 9"_s);
    find(u"nothing like it"_s, false);
    QTRY_COMPARE(result()->text(), u"Not in the output"_s);
}

void TestBenchOutput::matchesInAllThatWasKeptAreCounted()
{
    Policy policy = tab()->policy().policy();
    policy.limits.outputBytes = 16 * mebibyte;
    tab()->setPolicy(policy);
    run(u"import time\nfor i in range(30):\n  for k in range(10000): print('x')\n  print('needle', i, flush=True)\n  "
        "time.sleep(0.03)\n"_s);
    waitForEnd();
    find(u"needle \\d+$"_s, true);
    QTRY_VERIFY2_WITH_TIMEOUT(result()->text().endsWith(u"of 30"_s), qPrintable(result()->text()), 20'000);
    const auto number = [this] { return result()->text().section(u' ', 0, 0).toInt(); };
    const int first = number();
    QVERIFY(first > 15); // among the latest lines
    for (int i = first + 1; i <= 30; ++i) {
        press("bench.output.find.next");
        QTRY_COMPARE_WITH_TIMEOUT(number(), i, 20'000);
    }
    press("bench.output.find.next"); // on a page that the view let go
    QTRY_COMPARE_WITH_TIMEOUT(number(), 1, 20'000);
    QVERIFY(tab()->runs().output()->visibleText().contains(u"needle 0"_s));
    press("bench.output.find.next");
    QTRY_COMPARE_WITH_TIMEOUT(number(), 2, 20'000);
}

void TestBenchOutput::aMistakeInAPatternIsTold()
{
    run(u"print('a(b')\n"_s);
    waitForEnd();
    find(u"a(b"_s, true);
    QTRY_VERIFY2(result()->text().startsWith(u"The pattern can't be read: "_s), qPrintable(result()->text()));
    auto *field = tab()->findChild<QLineEdit *>(u"bench.output.find.text"_s);
    QCOMPARE(field->accessibleDescription(), result()->text());
    const QColor bad = m_desk->theme.colour(Colour::Bad);
    const auto isUnderlined = [&] {
        const QImage picture = field->grab().toImage();
        for (int x = 0; x < picture.width(); ++x) {
            for (int y = picture.height() / 2; y < picture.height(); ++y) {
                const QColor colour = picture.pixelColor(x, y);
                if (std::abs(colour.red() - bad.red()) < 60 && std::abs(colour.green() - bad.green()) < 60)
                    return true;
            }
        }
        return false;
    };
    QVERIFY(isUnderlined());
    QTest::keyClicks(field, u")"_s);
    QTRY_COMPARE(result()->text(), u"Not in the output"_s);
    QVERIFY(!isUnderlined());
    find(u"a(b"_s, false);
    QTRY_COMPARE(result()->text(), u"1 of 1"_s);
}

void TestBenchOutput::aPatternThatTakesForEverEnds()
{
    run(u"for i in range(50000): print('a' * 40 + '!')\n"_s);
    waitForEnd();
    find(u"(a+)+$"_s, true);
    QTRY_VERIFY2_WITH_TIMEOUT(result()->text().startsWith(u"The pattern takes too long"_s),
                              qPrintable(result()->text()), 20'000);
    find(u"a!$"_s, true); // the middle wasn't kept
    QTRY_VERIFY2_WITH_TIMEOUT(result()->text().endsWith(u" matches"_s), qPrintable(result()->text()), 20'000);
}

void TestBenchOutput::findingsHaveTheWholeTabAndGiveItBack()
{
    run(u"x = 1\nraise ValueError\n"_s);
    waitForEnd();
    tab()->editor().editor().setFocus();
    Desk::settle();
    const QList<int> sizes = tab()->splitter().sizes();
    QTest::keyClick(&tab()->editor().editor(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(tab()->isMaximised() && !tab()->editor().isVisible());
    QVERIFY(tab()->runs().output()->hasFocus());
    Desk::settle();
    QVERIFY(tab()->runs().height() > sizes[0] + sizes[1] - 10);
    QVERIFY(m_desk->save(u"bench-output-maximised"_s));
    press("bench.output.maximise");
    QVERIFY(!tab()->isMaximised() && tab()->editor().isVisible());
    Desk::settle();
    QCOMPARE(tab()->splitter().sizes(), sizes);

    QVERIFY(trigger("bench.output.maximise"));
    QVERIFY(trigger("bench.place.next")); // leads to the code
    QVERIFY(!tab()->isMaximised());
    QCOMPARE(tab()->editor().editor().line(), 2);
    QVERIFY(tab()->editor().editor().hasFocus());
    QVERIFY(trigger("bench.output.maximise"));
    QVERIFY(trigger("bench.new")); // another tab is as ever
    QVERIFY(!tab()->isMaximised());
    QVERIFY(trigger("bench.previous"));
    QVERIFY(tab()->isMaximised());
    QVERIFY(trigger("bench.goto"));
    QVERIFY(!tab()->isMaximised());
}

void TestBenchOutput::outputHasAWindowOfItsOwn()
{
    QVERIFY(!m_desk->context.actions().action(u"bench.output.window"_s)->isEnabled());
    run(u"import time\nprint('begins', flush=True)\ninput()\nprint('ends')\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"begins"_s), 20'000);
    QVERIFY(trigger("bench.output.window"));
    const auto window = [this] { return tab()->findChild<OutputWindow *>(); };
    QVERIFY(window() && window()->isWindow());
    QVERIFY(QTest::qWaitForWindowExposed(window()));
    QVERIFY(window()->output()->text().contains(u"begins"_s));
    QVERIFY(trigger("bench.output.window")); // the same once more
    QCOMPARE(tab()->findChildren<OutputWindow *>().size(), 1);
    QVERIFY(tab()->runs().current()->send("\n"));
    waitForEnd();
    QTRY_VERIFY(window()->output()->text().contains(u"ends"_s));

    // Other runs come and go; its own stays as long as it is open.
    for (int i = 0; i < 10; ++i) {
        run(u"print('other')\n"_s);
        waitForEnd();
    }
    QVERIFY(window()->output()->text().contains(u"ends"_s));
    window()->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window()));
    QTest::keyClick(window()->output(), Qt::Key_F, Qt::ControlModifier);
    auto *field = window()->findChild<QLineEdit *>(u"output.find.text"_s);
    QTRY_VERIFY(field && field->hasFocus());
    QTest::keyClicks(field, u"ends"_s);
    QVERIFY(window()->output()->currentMatch());
    QTest::keyClick(window()->output(), Qt::Key_W, Qt::ControlModifier);
    QTRY_VERIFY(!window());
    QCOMPARE(m_page->tabs().size(), 1); // no tab was meant
    run(u"print('other')\n"_s);
    waitForEnd();
    QVERIFY(tab()->runs().runs().size() <= 8);

    QVERIFY(trigger("bench.output.window"));
    const QPointer<OutputWindow> last = window();
    QVERIFY(trigger("bench.new"));
    QVERIFY(trigger("bench.previous"));
    tab()->editor().setText({}, false);
    QVERIFY(trigger("bench.close")); // of its tab
    QTRY_VERIFY(!last);
}

void TestBenchOutput::timesStayForTheNextTab()
{
    run(u"print('one')\n"_s);
    waitForEnd();
    QVERIFY(!tab()->runs().output()->showsTimes());
    QVERIFY(trigger("bench.output.times"));
    QVERIFY(tab()->runs().output()->showsTimes());
    QVERIFY(m_desk->save(u"bench-output-times"_s));
    QVERIFY(trigger("bench.new"));
    QVERIFY(tab()->runs().output()->showsTimes());
    const QJsonObject state = m_page->saveState();
    m_page->restoreState({});
    QVERIFY(!tab()->runs().output()->showsTimes());
    m_page->restoreState(state);
    QVERIFY(tab()->runs().output()->showsTimes());
}

GLOVEBOX_TEST_MAIN(TestBenchOutput)
#include "tst_benchoutput.moc"
