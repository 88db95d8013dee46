// SPDX-License-Identifier: Apache-2.0
// The folders in the sentence that says what a run may, by real keys.
#include "tests/app/workbench/bench/benchseat.h"

#include "app/workbench/bench/policy/editors/foldereditor.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchFolders : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aFolderIsAddedAsACopyAndCanBeTakenAway();
    void whatTheEngineRefusesIsSaidThere_data();
    void whatTheEngineRefusesIsSaidThere();
    void aWritableFolderIsMarked();
    void placesInsideAreApart();

private:
    QString remark()
    {
        auto *label = find<QLabel>(u"bench.folders.remark"_s);
        return label ? label->text() : QString();
    }
};

void TestBenchFolders::aFolderIsAddedAsACopyAndCanBeTakenAway()
{
    const QString path = m_desk->home.filePath(u"project"_s);
    QVERIFY(QDir().mkpath(path));
    auto *word = find<QToolButton>(u"bench.policy.folders"_s);
    QVERIFY(word);
    QTest::mouseClick(word, Qt::LeftButton);
    auto *field = find<QLineEdit>(u"bench.folders.path"_s);
    QVERIFY(field);
    QTRY_VERIFY(field->hasFocus());
    QTest::keyClicks(field, path + u'/');
    QTest::keyClick(field, Qt::Key_Return);
    const FolderGrant wanted{path, u"/work/project"_s, FolderGrant::Mode::Stage};
    QTRY_COMPARE(tab()->policy().policy().folders, QList{wanted});
    QCOMPARE(word->text(), u"1 folder"_s);
    QVERIFY(field->hasFocus() && field->text().isEmpty());
    QTest::keyClicks(field, path);
    QTest::keyClick(field, Qt::Key_Return); // a second time
    QTRY_VERIFY(remark().contains(u"already"_s));
    QCOMPARE(tab()->policy().policy().folders.size(), 1);
    QToolButton *gone = nullptr;
    QTRY_VERIFY(find<QToolButton>(u"bench.folders.remove1"_s)); // the rows are made anew with each change
    gone = find<QToolButton>(u"bench.folders.remove1"_s);
    gone->setFocus(Qt::TabFocusReason);
    QTest::keyClick(gone, Qt::Key_Space);
    QVERIFY(tab()->policy().policy().folders.isEmpty());
    QCOMPARE(word->text(), u"no folders"_s);
}

void TestBenchFolders::whatTheEngineRefusesIsSaidThere_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("says");
    QTest::newRow("nothing") << u""_s << u"Name a folder"_s;
    QTest::newRow("relative") << u"some/where"_s << u"absolute path"_s;
    QTest::newRow("everything") << u"/"_s << u"whole machine"_s;
    QTest::newRow("system") << u"/proc"_s << u"running system"_s;
    QTest::newRow("home") << u"~"_s << u"home folder"_s;
    QTest::newRow("not there") << u"/no/such/folder"_s << u"/no/such/folder"_s;
    QTest::newRow("control") << u"/tmp/a\tb"_s << u"control characters"_s;
    QTest::newRow("own") << u"DATA"_s << u"Glovebox keeps its log"_s;
}

void TestBenchFolders::whatTheEngineRefusesIsSaidThere()
{
    QFETCH(QString, path);
    QFETCH(QString, says);
    tab()->policy().openFolders();
    auto *field = find<QLineEdit>(u"bench.folders.path"_s);
    QVERIFY(field);
    const QString wanted = path == u"DATA"_s ? m_desk->paths.data : path;
    field->setText(wanted);
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY2(remark().contains(says), qPrintable(remark()));
    QVERIFY(tab()->policy().policy().folders.isEmpty());
    QCOMPARE(field->text(), wanted); // to be mended
}

void TestBenchFolders::aWritableFolderIsMarked()
{
    const QString path = m_desk->home.filePath(u"project"_s);
    QVERIFY(QDir().mkpath(path));
    Policy policy = tab()->policy().policy();
    policy.folders = {{path, u"/work/project"_s, FolderGrant::Mode::ReadOnly}};
    tab()->setPolicy(policy);
    auto *word = find<QToolButton>(u"bench.policy.folders"_s);
    QCOMPARE(word->text(), u"1 folder"_s);
    tab()->policy().openFolders();
    auto *mode = find<QComboBox>(u"bench.folders.mode1"_s);
    QVERIFY(mode);
    mode->setFocus(Qt::TabFocusReason);
    QTest::keyClick(mode, Qt::Key_End);
    QTRY_COMPARE(word->text(), u"▲ 1 folder, writable"_s);
    QVERIFY(remark().startsWith(u"▲ The run may change"_s));
    // Where the folder is gone meanwhile, nothing changes.
    QVERIFY(QDir(path).removeRecursively());
    QTest::keyClick(mode, Qt::Key_Home);
    QTRY_VERIFY2(remark().contains(path), qPrintable(remark()));
    QVERIFY(tab()->policy().policy().folders.first().mode == FolderGrant::Mode::ReadWrite);
    QCOMPARE(mode->currentIndex(), 2);
}

void TestBenchFolders::placesInsideAreApart()
{
    const FolderGrant first{u"/srv/a/src"_s, u"/work/src"_s, FolderGrant::Mode::Stage};
    QCOMPARE(placeInside(u"/srv/b/src"_s, {}), u"/work/src"_s);
    QCOMPARE(placeInside(u"/srv/b/src"_s, {first}), u"/work/src-2"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchFolders)
#include "tst_benchfolders.moc"
