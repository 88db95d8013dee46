// SPDX-License-Identifier: Apache-2.0
// The models of the page, under Qt's tester, and the words for how full a session is.
#include "app/workbench/sessions/files/filesmodel.h"
#include "app/workbench/sessions/files/filetree.h"
#include "app/workbench/sessions/list/sessionsmodel.h"
#include "app/workbench/sessions/snapshots/changelist.h"
#include "app/workbench/sessions/snapshots/snapshotsmodel.h"
#include "app/workbench/shell/words/sessionwords.h"
#include "app/workbench/shell/words/words.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include <ctime>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

SessionEntry entryOf(const QByteArray &path, SessionEntry::Type type, qint64 bytes = 0, const QByteArray &target = {})
{
    return {.path = path, .type = type, .bytes = bytes, .target = target};
}

SessionTree someTree()
{
    using enum SessionEntry::Type;
    return {entryOf("a.txt", File, 10),
            entryOf("data", Folder),
            entryOf("data/deep", Folder),
            entryOf("data/deep/one.csv", File, 2048),
            entryOf("data/two\xe2\x80\xae.csv", File, 1024),
            entryOf("link", Link, 0, "/etc/passwd"),
            entryOf("other.txt", SameFile, 0, "a.txt")};
}

ShownSession shownWith(qint64 bytes, qint64 disk)
{
    ShownSession shown;
    shown.session = {.id = u"0193abcd-0000"_s, .name = u"shop"_s, .diskBytes = disk, .head = 1};
    shown.session.snapshots = {{.number = 1, .bytes = bytes, .files = 3}};
    return shown;
}

} // namespace

class TestSessionModels : public QObject
{
    Q_OBJECT

    Theme m_theme;

private Q_SLOTS:
    void filesStandAsPeopleCount()
    {
        using enum SessionEntry::Type;
        FilesModel model(m_theme);
        model.setFiles(FilesModel::arrange({entryOf("a", File), entryOf("file1", File), entryOf("file10", File),
                                            entryOf("file2", File), entryOf("part10", Folder),
                                            entryOf("part10/x", File), entryOf("part9", Folder)},
                                           {}));
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names.append(model.index(row, FilesModel::Name).data().toString());
        QCOMPARE(names, (QStringList{u"part9"_s, u"part10"_s, u"a"_s, u"file1"_s, u"file2"_s, u"file10"_s}));
        QCOMPARE(model.indexOf("part10/x").parent(), model.index(1, 0));
        for (const auto &[path, other] : {std::pair("a/1", "a-b"), std::pair("a", "a/b"), std::pair("x9y", "x10a"),
                                          std::pair("007", "7"), std::pair("7", "08")})
            QVERIFY2(comesBefore(path, other) && !comesBefore(other, path), path);
    }

    void aTreeOfFilesIsSound()
    {
        FilesModel model(m_theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setFiles(FilesModel::arrange(someTree(), {{.kind = FolderChange::Kind::Added, .path = "a.txt"}}));
        QCOMPARE(model.rowCount(), 4); // the folder first
        const QModelIndex data = model.index(0, FilesModel::Name);
        QCOMPARE(data.data().toString(), u"data"_s);
        QCOMPARE(model.rowCount(data), 2);
        QCOMPARE(model.index(0, FilesModel::Bytes).data().toString(), u"3 KB"_s); // of all that is in it
        const QModelIndex deep = model.indexOf("data/deep/one.csv");
        QCOMPARE(deep.parent(), model.indexOf("data/deep"));
        QCOMPARE(model.folderAt(deep), "data/deep/");
        QCOMPARE(model.folderAt(data), "data/");
        QCOMPARE(model.folderAt({}), "");
        QCOMPARE(model.folderAt(model.indexOf("a.txt")), "");
        const QModelIndex file = model.indexOf("a.txt");
        QCOMPARE(file.siblingAtColumn(FilesModel::Mark).data().toString(), u"+ added"_s);
        QCOMPARE(model.indexOf("link").data().toString(), u"link, a link to /etc/passwd"_s);
        QCOMPARE(model.indexOf("other.txt").data().toString(), u"other.txt, the same as a.txt"_s);
        // What can't be seen is shown.
        QVERIFY(model.indexOf("data/two\xe2\x80\xae.csv").data().toString().contains(u"\\u{202e}"_s));
        model.setFiles(FilesModel::arrange({entryOf("b", SessionEntry::Type::File, 1)}, {}));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(!model.indexOf("a.txt").isValid());
    }

    // The copy that is dragged comes a little later, while the mouse moves on.
    void aDragIsWantedOnce()
    {
        FilesModel model(m_theme);
        model.setFiles(FilesModel::arrange(someTree(), {}));
        FileTree tree(nullptr);
        tree.setModel(&model);
        tree.resize(300, 300);
        tree.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tree));
        QSignalSpy dragged(&tree, &FileTree::dragged);
        const auto mouse = [&](QEvent::Type type, QPointF place) {
            const bool isMove = type == QEvent::MouseMove;
            QMouseEvent event(type, place, tree.viewport()->mapToGlobal(place), isMove ? Qt::NoButton : Qt::LeftButton,
                              Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(tree.viewport(), &event);
        };
        for (int press = 1; press <= 2; ++press) {
            const QPointF place = tree.visualRect(model.indexOf("a.txt")).center();
            mouse(QEvent::MouseButtonPress, place);
            for (int i = 1; i <= 5; ++i)
                mouse(QEvent::MouseMove, place + QPointF(0, 10 * i)); // over the other rows, too
            QCOMPARE(dragged.size(), press);
            QCOMPARE(tree.currentIndex(), model.indexOf("a.txt"));
        }
        // What is no file of this machine isn't taken.
        QMimeData page;
        page.setUrls({QUrl(u"https://example.org/"_s)});
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &page, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(tree.viewport(), &enter);
        QVERIFY(!enter.isAccepted());
    }

    // The window waits while a model takes files, not while they are arranged.
    void manyFilesKeepNobodyWaiting()
    {
        SessionTree tree;
        for (int i = 0; i < 100'000; ++i)
            tree.append(entryOf("f" + QByteArray::number(i), SessionEntry::Type::File, 1));
        FilesModel::Files files = FilesModel::arrange(tree, {});
        FilesModel model(m_theme);
        const std::clock_t begin = std::clock(); // of the processor, not of the wall
        const FilesModel::Files before = model.setFiles(std::move(files));
        const auto milliseconds = (std::clock() - begin) * 1000 / CLOCKS_PER_SEC;
        QCOMPARE(model.rowCount(), 100'000);
        QVERIFY2(milliseconds < 50, qPrintable(u"%1 ms"_s.arg(milliseconds)));
    }

    void rowsOfSessionsAreSound()
    {
        SessionsModel model(m_theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        ShownSession damaged{.damage = Error{ErrorCode::Damaged, Text("The notes can't be read."), {}}};
        damaged.session.id = u"0193ffff-0000"_s;
        model.setSessions({shownWith(10, 100), damaged});
        QCOMPARE(model.rowOf(damaged.session.id), 1);
        QCOMPARE(model.index(1, 0).data().toString(), u"0193ffff-0000"_s); // the beginning of its id
        QCOMPARE(model.index(1, 0).data(SessionsModel::SecondLine).toString(), u"▲ damaged"_s);
        QVERIFY(!model.index(1, SessionsModel::Disk).data(SessionsModel::Share).isValid());
        QCOMPARE(model.index(0, SessionsModel::Disk).data(SessionsModel::Share).toDouble(), 0.1);
        // What is selected stays where the sessions are the same ones.
        const QPersistentModelIndex kept(model.index(1, 0));
        ShownSession busy = shownWith(20, 100);
        busy.isBusy = true;
        model.setSessions({busy, damaged});
        QVERIFY(kept.isValid());
        QCOMPARE(model.index(0, SessionsModel::LastUse).data(SessionsModel::SecondLine).toString(), u"in use"_s);
    }

    void fullnessIsSaidInWords_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<bool>("wasFull");
        QTest::addColumn<QString>("phrase");
        QTest::addColumn<int>("colour");
        const qint64 disk = 100 * mebibyte;
        const qint64 room = disk - roomForCode(disk); // for files
        QTest::newRow("roomy") << room / 100 * 89 << false << u"85 MB of 100 MB"_s << int(Colour::Dim);
        QTest::newRow("near") << room / 100 * 90 << false << u"▲ 85 MB of 100 MB"_s << int(Colour::Warn);
        QTest::newRow("full") << room << false << u"▲ Full: 100 MB"_s << int(Colour::Bad);
        QTest::newRow("could not write") << room / 2 << true << u"▲ 48 MB of 100 MB"_s << int(Colour::Bad);
    }

    void fullnessIsSaidInWords()
    {
        QFETCH(const qint64, bytes);
        QFETCH(const bool, wasFull);
        ShownSession shown = shownWith(bytes, 100 * mebibyte);
        shown.wasFull = wasFull;
        QTEST(diskPhrase(shown), "phrase");
        QTEST(int(fullnessColour(fullnessOf(shown.session, wasFull))), "colour");
    }

    void snapshotsAreListedNewestFirst()
    {
        SnapshotsModel model(m_theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        ShownSession shown;
        shown.session.head = 4;
        shown.session.snapshots = {
            {.number = 1, .cause = SnapshotCause::Created},
            {.number = 2, .parent = 1, .cause = SnapshotCause::Run, .run = u"r"_s, .added = 2, .removed = 1},
            {.number = 3, .parent = 2, .cause = SnapshotCause::Files, .label = u"clean"_s},
            {.number = 4, .parent = 3, .cause = SnapshotCause::Rollback, .source = 1}};
        shown.runners.insert(u"r"_s, u"by Codex"_s);
        model.setSession(shown);
        const auto cause = [&](int row) { return model.index(row, SnapshotsModel::Cause).data().toString(); };
        QCOMPARE(cause(0), u"4: back to snapshot 1"_s);
        QCOMPARE(cause(1), u"3: clean, files changed by hand"_s);
        QCOMPARE(cause(2), u"2: after a run by Codex"_s);
        QCOMPARE(cause(3), u"1: made"_s);
        QCOMPARE(model.index(2, SnapshotsModel::Changes).data().toString(), u"+2 −1"_s);
        QCOMPARE(model.index(0, SnapshotsModel::Time).data().toString(), u"Now"_s);
        QCOMPARE(model.rowOf(3), 1);
        QCOMPARE(model.rowOf(9), -1);
    }

    void changesAreListed()
    {
        ChangeList model(m_theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setRows({{.kind = FolderChange::Kind::Removed, .path = "old", .bytes = 5},
                       {.kind = FolderChange::Kind::Added, .type = FolderChange::Type::Folder, .path = "new"}});
        QCOMPARE(model.index(0, ChangeList::Kind).data().toString(), u"− removed"_s);
        QCOMPARE(model.index(0, ChangeList::Bytes).data().toString(), QString());
        QCOMPARE(model.index(1, ChangeList::Path).data().toString(), u"new/"_s);
    }

    void theTimeThatASessionIsKeptIsSaid()
    {
        QCOMPARE(keptForWord({}), u"until it is deleted"_s);
        QCOMPARE(keptForWord(std::chrono::hours(2)), u"2 hour(s)"_s); // no translation here
        QCOMPARE(keptForWord(std::chrono::days(30)), u"30 day(s)"_s);
    }
};

QTEST_MAIN(TestSessionModels)
#include "tst_sessionmodels.moc"
