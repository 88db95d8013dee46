// SPDX-License-Identifier: Apache-2.0
// What the history shows of one run has room for its words.
#include "app/workbench/history/details/detailspane.h"
#include "tests/app/workbench/desk/desk.h"

#include <QLabel>
#include <QPushButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestDetailsPane : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLongReasonHasRoomForItsWords()
    {
        Desk desk;
        DetailsPane pane(desk.context);
        pane.resize(1000, 600);
        RunRecord record;
        record.row.run = u"019a0000000000000000000000"_s;
        record.row.finishedSeq = 2;
        record.result.outcome = Outcome::Failed;
        pane.setRecord(record);
        pane.show();
        QVERIFY(QTest::qWaitForWindowExposed(&pane));
        const auto *heading = pane.findChild<QLabel *>(u"history.details.heading"_s);
        const auto *open = pane.findChild<QPushButton *>(u"history.details.open"_s);
        QVERIFY(heading && open);
        const auto isBeside = [&] { return open->mapTo(&pane, QPoint()).x() >= heading->geometry().right(); };
        QTRY_VERIFY(isBeside());
        record.result.reason = Text(
            "The run was ended because its launcher could not be reached any more, so that nobody knows what became of "
            "the processes in it; its files in the workspace are lost with the sandbox of the run.");
        pane.setRecord(record);
        pane.resize(660, 600);
        QTRY_VERIFY(!isBeside());
        QVERIFY(heading->width() > pane.width() - 100);
        pane.resize(1400, 600);
        QTRY_VERIFY(isBeside());
    }
};

GLOVEBOX_TEST_MAIN(TestDetailsPane)
#include "tst_detailspane.moc"
