// SPDX-License-Identifier: Apache-2.0
// The first start offers a person examples that run.
#include "benchseat.h"

#include "app/workbench/bench/welcome/welcomebar.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchWelcome : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void onlyTheFirstStartIsOne();
    void threeExamplesRun();
    void lookingForKeysIsPromisedWhereItIsTold();
    void everyExampleHasCode();
    void inASmallWindowTheyAreALineAndGoForTheOutput();
    void theyMakeRoomWhenTheWindowIsMadeSmallAfterARun();

private:
    QWidget *bar() { return m_desk->frame.findChild<WelcomeBar *>(); }
    void runExample(const char *name, const QString &says)
    {
        auto *button = m_desk->frame.findChild<QPushButton *>(QLatin1StringView(name));
        QVERIFY(button);
        QTRY_VERIFY(button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
        waitForEnd();
        QVERIFY2(tab()->runs().current()->result()->outcome == Outcome::Completed, qPrintable(shown()));
        QVERIFY2(shown().contains(says), qPrintable(shown()));
    }
};

void TestBenchWelcome::onlyTheFirstStartIsOne()
{
    QVERIFY(!m_desk->frame.restoreLayout());
    m_page->statusChanged(); // something is kept
    QTRY_VERIFY_WITH_TIMEOUT(m_desk->frame.restoreLayout(), 20'000);
}

void TestBenchWelcome::threeExamplesRun()
{
    QVERIFY(!bar());
    QVERIFY(trigger("bench.welcome"));
    QVERIFY(bar() && bar()->isVisible());
    for (const QSize size : {QSize(900, 600), QSize(1360, 860)}) {
        m_desk->frame.resize(size);
        Desk::settle();
        QVERIFY2(bar()->height() < m_desk->frame.height() / 3, qPrintable(QString::number(bar()->height())));
        QVERIFY(m_desk->save(u"bench-welcome-%1"_s.arg(size.width())));
    }
    runExample("bench.welcome.hello", u"Of your home folder I see nothing."_s);
    QVERIFY(bar()); // there are more
    runExample("bench.welcome.tries", u"/etc/shadow: "_s);
    QVERIFY(!shown().contains(u"?!"_s));
    QVERIFY(!tab()->runs().current()->result()->egress.isEmpty()); // the call is told
    runExample("bench.welcome.makes", u"squares.csv"_s);
    QStringList left;
    for (const Artifact &artifact : tab()->runs().current()->result()->artifacts)
        left.append(artifact.path);
    QVERIFY2(left.contains(u"squares.csv"_s) && left.contains(u"colours.png"_s), qPrintable(left.join(u' ')));
    QCOMPARE(m_page->tabs().size(), 3); // nothing was written over
    QTest::mouseClick(m_desk->frame.findChild<QToolButton *>(u"bench.welcome.close"_s), Qt::LeftButton);
    QTRY_VERIFY(!bar());
    QVERIFY(tab()->editor().editor().hasFocus());
}

void TestBenchWelcome::lookingForKeysIsPromisedWhereItIsTold()
{
    QVERIFY(trigger("bench.welcome"));
    const auto says = [this](const QString &sentence) {
        return std::ranges::any_of(bar()->findChildren<QLabel *>(),
                                   [&](const QLabel *label) { return label->text() == sentence; });
    };
    runExample("bench.welcome.tries", u"/etc/shadow: "_s);
    const bool isTold = std::ranges::any_of(tab()->runs().current()->result()->events,
                                            [](const RunEvent &event) { return event.type == EventType::FileRefused; });
    const Example example = firstExamples().value(1);
    QVERIFY(example.about != example.aboutWatched);
    QTRY_VERIFY(says(isTold ? example.aboutWatched : example.about));
    QVERIFY(!says(isTold ? example.about : example.aboutWatched));
    const auto *card = find<QWidget>(u"bench.story"_s);
    QVERIFY(card);
    QCOMPARE(std::ranges::any_of(card->findChildren<QLabel *>(),
                                 [](const QLabel *label) {
                                     return label->text().startsWith(
                                         u"Whether the run looked for keys of yours is not known: "_s);
                                 }),
             !isTold);
}

void TestBenchWelcome::everyExampleHasCode()
{
    for (const Example &example : allExamples()) {
        QVERIFY2(example.code().size() > 100, qPrintable(example.file));
        QVERIFY(Languages::byId(example.language));
    }
    QCOMPARE(firstExamples().size(), 3);
}

void TestBenchWelcome::inASmallWindowTheyAreALineAndGoForTheOutput()
{
    QVERIFY(trigger("bench.welcome"));
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    Desk::settle();
    QVERIFY(m_desk->save(u"bench-welcome-large-text"_s));
    for (const char *name : {"bench.welcome.hello", "bench.welcome.tries", "bench.welcome.makes"}) {
        const auto *button = m_desk->frame.findChild<QPushButton *>(QLatin1StringView(name));
        QVERIFY2(button->width() >= button->sizeHint().width() && button->height() >= button->sizeHint().height(),
                 name);
        QVERIFY2(button->visibleRegion().boundingRect() == button->rect(), name);
        QVERIFY2(button->accessibleName().startsWith(u"Run it: "_s), name);
    }
    runExample("bench.welcome.tries", u"/etc/shadow: "_s);
    QTRY_VERIFY(!bar());
    QTRY_VERIFY(find<QWidget>(u"bench.blocked"_s));
    QVERIFY(trigger("bench.welcome")); // the menu has them still
    QVERIFY(bar() && bar()->isVisible());
}

void TestBenchWelcome::theyMakeRoomWhenTheWindowIsMadeSmallAfterARun()
{
    QVERIFY(trigger("bench.welcome"));
    m_desk->frame.resize(900, 600);
    Desk::settle();
    const int whole = bar()->height(); // nothing needs the room yet
    m_desk->frame.resize(1360, 1000);
    Desk::settle();
    runExample("bench.welcome.tries", u"/etc/shadow: "_s);
    QVERIFY(bar()->height() > whole / 2);
    m_desk->frame.resize(900, 600);
    Desk::settle();
    QVERIFY(m_desk->save(u"bench-welcome-small-after-a-run"_s));
    const auto *button = m_desk->frame.findChild<QPushButton *>(u"bench.welcome.makes"_s);
    QCOMPARE(bar()->height(), button->height() + 2 * Space::s); // a line, and the other examples are at hand
    QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
    m_desk->frame.resize(1360, 1000);
    Desk::settle();
    QVERIFY(bar()->height() > whole / 2);
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    QTRY_VERIFY(!bar());
    QVERIFY(trigger("bench.welcome")); // who asks for them has them
    Desk::settle();
    QVERIFY(bar() && bar()->isVisible());
}

GLOVEBOX_TEST_MAIN(TestBenchWelcome)
#include "tst_benchwelcome.moc"
