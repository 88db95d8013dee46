// SPDX-License-Identifier: Apache-2.0
// The tab of changes at each size: its list is there, and no word is cut.
#include "changesseat.h"

#include "app/workbench/runpanel/changes/changesmodel.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchChangesRoom : public QObject, ChangesSeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { sitDownWithAFolder(); }
    void cleanup() { m_desk.reset(); }

    void aQuestionIsAskedWithItsListInSight()
    {
        m_desk->theme.setTextScale(2);
        m_desk->frame.resize(900, 600);
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        const auto *list = inTab<QTreeView>("bench.changes.list");
        const auto *review = inTab<QPushButton>("bench.changes.review");
        QTRY_VERIFY(review->isVisible() && !list->isVisible());
        tab()->runs().tab(u"changes"_s)->disconnect(SIGNAL(roomWanted())); // a window that has no more room
        for (const char *action : {"bench.changes.apply", "bench.changes.discard"}) {
            QVERIFY(trigger(action));
            QVERIFY(inTab<QPushButton>("bench.changes.really")->isVisible());
            QVERIFY(list->isVisible());
            Desk::settle();
            QVERIFY(m_desk->save(u"bench-changes-asked-low"_s));
            QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);
            QTRY_VERIFY(review->isVisible() && !list->isVisible());
        }
        m_desk->theme.setTextScale(1);
    }

    void atLargeTextNothingIsCut()
    {
        m_desk->theme.setTextScale(2);
        m_desk->frame.resize(900, 600);
        runOnACopy(u"sed -i s/two/zwei/ a.txt && echo all: > Makefile && rm c.txt && echo 1 > d.txt"_s, 4);
        QVERIFY(trigger("bench.changes"));
        auto *list = inTab<QTreeView>("bench.changes.list");
        auto *review = inTab<QPushButton>("bench.changes.review");
        QTRY_VERIFY(review->isVisible() && !list->isVisible()); // two lines high, such a list is of no use
        Desk::settle();
        QVERIFY(m_desk->save(u"bench-changes-large-text-low"_s));
        review->setFocus(Qt::TabFocusReason);
        QTest::keyClick(review, Qt::Key_Space);
        QTRY_VERIFY(list->isVisible() && tab()->isMaximised());
        QVERIFY(list->hasFocus() && !review->isVisible());
        Desk::settle();
        const auto *words = inTab<QLabel>("bench.changes.summary");
        QVERIFY2(words->text().startsWith(u"▲ "_s), qPrintable(words->text()));
        QVERIFY(words->height() >= words->heightForWidth(words->width()));
        QVERIFY(list->viewport()->height() >= 2 * list->visualRect(list->model()->index(0, 0)).height());
        list->setFocus(Qt::TabFocusReason);
        Desk::settle();
        QVERIFY(m_desk->save(u"bench-changes-large-text"_s));
        // The difference has the room of the list, and gives it back.
        const auto *difference = inTab<QPlainTextEdit>("bench.changes.difference");
        QVERIFY(!difference->isVisible());
        list->setCurrentIndex(list->model()->index(1, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY(difference->isVisible() && !list->isVisible());
        QVERIFY(difference->hasFocus());
        QTRY_VERIFY(difference->toPlainText().contains(u"+ zwei"_s));
        Desk::settle();
        QVERIFY(difference->viewport()->height() >= 4 * difference->fontMetrics().lineSpacing());
        QVERIFY(m_desk->save(u"bench-changes-large-text-difference"_s));
        auto *instead = inTab<QPushButton>("bench.changes.instead");
        QCOMPARE(instead->text(), u"List"_s);
        QTest::mouseClick(instead, Qt::LeftButton);
        QTRY_VERIFY(!difference->isVisible() && list->isVisible() && list->hasFocus());
        m_desk->theme.setTextScale(1);
    }

    void inATabThatIsOpenedAtLargeTextNoWordIsCut()
    {
        m_desk->theme.setTextScale(2);
        m_desk->frame.resize(900, 600);
        QVERIFY(trigger("bench.new"));
        run(u"echo hello\n"_s, u"sh"_s);
        waitForEnd();
        Desk::settle();
        QVERIFY(trigger("bench.changes"));
        Desk::settle();
        const auto *words = inTab<QLabel>("bench.changes.summary");
        QVERIFY(words->isVisible());
        QVERIFY(m_desk->save(u"bench-changes-none-large-text"_s));
        QVERIFY(words->visibleRegion().boundingRect().width() == words->width());
        m_desk->theme.setTextScale(1);
    }

    // As where there is a banner, too.
    void whereThereIsNoMoreRoomTheListIsScrolled()
    {
        m_desk->theme.setTextScale(2);
        m_desk->frame.resize(900, 600);
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        tab()->runs().tab(u"changes"_s)->disconnect(SIGNAL(roomWanted()));
        const auto *list = inTab<QTreeView>("bench.changes.list");
        auto *review = inTab<QPushButton>("bench.changes.review");
        QTRY_VERIFY(review->isVisible() && !list->isVisible());
        QTest::mouseClick(review, Qt::LeftButton);
        QTRY_VERIFY(list->isVisible() && list->hasFocus());
        QVERIFY(!review->isVisible() && inTab<QPushButton>("bench.changes.apply")->isVisible());
        Desk::settle();
        QVERIFY(m_desk->save(u"bench-changes-scrolled"_s));
        const QRect row = list->visualRect(list->model()->index(0, 0));
        QTRY_VERIFY(list->viewport()->visibleRegion().contains(row));
        QVERIFY(list->viewport()->height() >= 2 * row.height());
        m_desk->theme.setTextScale(1);
    }

    void aNarrowListCutsItsNotesByAnEllipsis()
    {
        m_desk->frame.resize(900, 600);
        runOnACopy(u"echo all: > Makefile && ln -s /etc/passwd accounts"_s, 2);
        QVERIFY(trigger("bench.changes"));
        const auto *list = inTab<QTreeView>("bench.changes.list");
        QTRY_COMPARE(list->model()->rowCount(), 2);
        Desk::settle();
        const auto room = list->viewport()->rect();
        QVERIFY(room.contains(list->visualRect(list->model()->index(0, ChangesModel::Note))));
        QVERIFY(m_desk->save(u"bench-changes-small"_s));
    }
};

GLOVEBOX_TEST_MAIN(TestBenchChangesRoom)
#include "tst_benchchangesroom.moc"
