// SPDX-License-Identifier: Apache-2.0
// Changes to what the person's other programs execute or load: seen first, not chosen, and named when they are.
#include "changesseat.h"

#include <QCheckBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestMarkedChanges : public QObject, ChangesSeat
{
    Q_OBJECT

private:
    bool isChosen(int row)
    {
        const auto *model = inTab<QTreeView>("bench.changes.list")->model();
        return model->index(row, 0).data(Qt::CheckStateRole).toInt() == Qt::Checked;
    }

private Q_SLOTS:
    void init() { sitDownWithAFolder(); }
    void cleanup() { m_desk.reset(); }

    void theMarkedChangeIsSeenBeforeManyOthers_data()
    {
        QTest::addColumn<bool>("isElsewhere");
        QTest::newRow("of the same folder") << false;
        QTest::newRow("of another folder") << true;
    }
    void theMarkedChangeIsSeenBeforeManyOthers()
    {
        QFETCH(bool, isElsewhere);
        constexpr int others = 1500;
        const QString other = m_room.filePath(u"another"_s);
        QVERIFY(QDir().mkpath(other));
        Policy policy = tab()->policy().policy();
        policy.folders = {{m_folder, u"/work/src"_s, FolderGrant::Mode::Stage},
                          {other, u"/work/another"_s, FolderGrant::Mode::Stage}};
        tab()->setPolicy(policy);
        run(u"cd src && for i in $(seq %1); do : > b$i; done && echo evil > %2/conftest.py\n"_s.arg(others).arg(
                isElsewhere ? u"../another"_s : u"."_s),
            u"bash"_s);
        waitForEnd();
        QVERIFY(trigger("bench.changes"));
        auto *list = inTab<QTreeView>("bench.changes.list");
        QTRY_COMPARE(list->model()->rowCount(), others + 1);

        const auto isSeen = [list] {
            const QModelIndex first = list->model()->index(0, 1);
            return list->isVisible() && first.data().toString().endsWith(u"/conftest.py"_s)
                   && list->viewport()->rect().contains(list->visualRect(first).center());
        };
        QVERIFY2(isSeen(), qPrintable(list->model()->index(0, 1).data().toString()));
        QVERIFY(list->model()->index(0, 2).data().toString().startsWith(u"▲ "_s));
        QVERIFY(!isChosen(0) && isChosen(1) && isChosen(others));
        QTRY_COMPARE(inTab<QPlainTextEdit>("bench.changes.difference")->toPlainText(), u"@@ −0,0 +1,1 @@\n+ evil"_s);
        QVERIFY(trigger("bench.changes.apply"));
        QVERIFY2(!summary().contains(u"marked"_s), qPrintable(summary())); // as it isn't chosen
        QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);

        QTRY_VERIFY(inTab<QPushButton>("bench.changes.apply")->isVisible());
        QTest::mouseClick(inTab<QCheckBox>("bench.changes.all"), Qt::LeftButton);
        QVERIFY(isChosen(0));
        QVERIFY(trigger("bench.changes.apply"));
        QVERIFY2(summary().contains(u"▲ 1 of them is marked: review it first."_s), qPrintable(summary()));
        QVERIFY(isSeen());
        QVERIFY(QDir(m_folder).entryList(QDir::Files).size() == 2);
        QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);
        QTRY_VERIFY(inTab<QPushButton>("bench.changes.apply")->isVisible());
        Desk::settle();
        QVERIFY2(isChosen(0), "A choice outlives \"Not yet\".");
        QVERIFY(summary().startsWith(u"▲ Your other programs execute or load some of these files."_s));
    }

    void aSingleChangeIsToldAsOne()
    {
        runOnACopy(u"echo evil > conftest.py"_s, 1);
        QVERIFY(trigger("bench.changes"));
        const QString words = u"▲ Your other programs execute or load this file. Review it first. "_s;
        QTRY_VERIFY2(summary().startsWith(words), qPrintable(summary()));
        QTest::mouseClick(inTab<QCheckBox>("bench.changes.all"), Qt::LeftButton);
        QVERIFY(trigger("bench.changes.apply"));
        QVERIFY2(summary().contains(u"▲ The change is marked: review it first."_s), qPrintable(summary()));
        QCOMPARE(inTab<QPushButton>("bench.changes.really")->text(), u"Apply it"_s);
        QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);
        QTRY_VERIFY2(summary().startsWith(words), qPrintable(summary()));
        QVERIFY(trigger("bench.changes.discard"));
        QVERIFY2(summary().startsWith(u"Discard the change that waits, checked or not?"_s), qPrintable(summary()));
        QCOMPARE(inTab<QPushButton>("bench.changes.really")->text(), u"Discard it"_s);
        QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);
    }
};

GLOVEBOX_TEST_MAIN(TestMarkedChanges)
#include "tst_markedchanges.moc"
