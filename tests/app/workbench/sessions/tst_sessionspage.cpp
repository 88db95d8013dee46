// SPDX-License-Identifier: Apache-2.0
// The page of sessions by real keys and clicks, over real sessions.
#include "sessionsseat.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QUrl>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSessionsPage : public QObject, public SessionsSeat
{
    Q_OBJECT

    // With three states: empty, one file, the file changed and another beside it.
    Session makeShop()
    {
        const Session made = make();
        put(made.id, "notes.txt", "one\ntwo\n");
        put(made.id, "notes.txt", "one\nzwei\n");
        put(made.id, "data.csv", "a,b\n");
        act(u"sessions.refresh"_s);
        return made;
    }
    void open(const QString &id)
    {
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, id}});
        QTRY_VERIFY(shows(u"sessions.details"_s));
        QTRY_COMPARE(snapshots()->model()->rowCount(), int(engine().sessions().find(id)->snapshots.size()));
    }
    void choose(int row) { snapshots()->setCurrentIndex(snapshots()->model()->index(row, 0)); }
    QByteArray content(const QString &id, const QByteArray &path) const
    {
        const auto session = engine().sessions().find(id);
        QByteArray bytes;
        for (const SessionEntry &entry : engine().sessions().tree(*session).value_or(SessionTree())) {
            if (entry.path == path)
                std::ignore = engine().sessions().pass(*session, entry, [&](QByteArrayView piece) -> Status {
                    bytes.append(piece);
                    return {};
                });
        }
        return bytes;
    }
    void dropOn(QWidget *target, const QString &path, QPoint place = {})
    {
        QMimeData content;
        content.setUrls({QUrl::fromLocalFile(path)});
        if (place.isNull())
            place = target->rect().center();
        QDragEnterEvent enter(place, Qt::CopyAction, &content, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(target, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(place, Qt::CopyAction, &content, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(target, &drop);
    }

private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { desk.reset(); }

    void theEmptyPageLeadsToTheFirstSession()
    {
        QTRY_VERIFY(shows(u"sessions.message.add"_s));
        QTRY_VERIFY(find<QPushButton>(u"sessions.message.add"_s)->hasFocus());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_VERIFY(find<QLineEdit>(u"sessions.form.name"_s)->hasFocus());
        type(u"sessions.form.name"_s, u"a name"_s);
        press(u"sessions.form.create"_s);
        QTRY_VERIFY(text(u"sessions.form.trouble"_s).contains(u"can't be a session's name"_s));
        type(u"sessions.form.name"_s, u"shop"_s);
        type(u"sessions.form.disk"_s, u"64 MB"_s);
        type(u"sessions.form.hosts"_s, u"Api.example.org, *.example.net:8443"_s);
        find<QComboBox>(u"sessions.form.keeps"_s)->setCurrentIndex(1);
        QTest::keyClick(find<QLineEdit>(u"sessions.form.hosts"_s), Qt::Key_Return);
        QTRY_COMPARE(column(list(), 0), QStringList{u"shop"_s});
        const Session made = engine().sessions().find(u"shop"_s).value();
        QCOMPARE(made.diskBytes, 64 * mebibyte);
        QCOMPARE(made.timeToLive, std::chrono::days(7));
        QCOMPARE(made.allow, (QStringList{u"api.example.org"_s, u"*.example.net:8443"_s}));
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s);
        QVERIFY(text(u"sessions.details.facts"_s).contains(u"api.example.org"_s));
        // One name, one session.
        QVERIFY(act(u"sessions.add"_s));
        type(u"sessions.form.name"_s, u"shop"_s);
        press(u"sessions.form.create"_s);
        QTRY_VERIFY(text(u"sessions.form.trouble"_s).contains(u"already"_s));
        QTest::keyClick(find<QLineEdit>(u"sessions.form.name"_s), Qt::Key_Escape);
        QTRY_VERIFY(!shows(u"sessions.form.name"_s));
    }

    void filesAreDroppedInAndDeleted()
    {
        const Session made = make();
        open(made.id);
        QTRY_VERIFY(text(u"sessions.files.remark"_s).contains(u"No files yet"_s));
        const QString folder = desk->folder.filePath(u"in"_s);
        QVERIFY(QDir().mkpath(folder + u"/deep"_s));
        QFile file(folder + u"/deep/one.txt"_s);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("hello") == 5);
        file.close();
        dropOn(files()->viewport(), folder);
        QTRY_COMPARE(paths(made.id), (QByteArrayList{"in", "in/deep", "in/deep/one.txt"}));
        QTRY_COMPARE(column(files(), 0), QStringList{u"in"_s});
        // A file dropped on a folder comes into it.
        const QString second = folder + u"/deep/two.txt"_s;
        QVERIFY(QFile::copy(file.fileName(), second));
        const QModelIndex top = files()->model()->index(0, 0);
        dropOn(files()->viewport(), second, files()->visualRect(top).center());
        QTRY_COMPARE(paths(made.id), (QByteArrayList{"in", "in/deep", "in/deep/one.txt", "in/two.txt"}));
        QTRY_COMPARE(files()->model()->rowCount(files()->model()->index(0, 0)), 2);
        files()->setCurrentIndex(files()->model()->index(0, 0));
        QTest::keyClick(files(), Qt::Key_Delete);
        QVERIFY(find<QPushButton>(u"sessions.files.no"_s)->hasFocus()); // nothing happens by Return alone
        QTest::keyClick(find<QPushButton>(u"sessions.files.no"_s), Qt::Key_Escape);
        QVERIFY(!shows(u"sessions.files.yes"_s));
        QVERIFY(shows(u"sessions.details"_s)); // Escape took back the question, no more
        QCOMPARE(paths(made.id).size(), 4);
        QTest::keyClick(files(), Qt::Key_Delete);
        press(u"sessions.files.yes"_s);
        QTRY_VERIFY(paths(made.id).isEmpty());
        QTRY_COMPARE(files()->model()->rowCount(), 0);
    }

    void goingBackListsTheChangesFirstAndCanBeUndone()
    {
        const Session made = makeShop();
        open(made.id);
        QTRY_VERIFY(!desk->context.actions().action(u"sessions.rollback"_s)->isEnabled()); // the newest is chosen
        choose(2); // the first file alone
        Desk::settle();
        QVERIFY(act(u"sessions.rollback"_s));
        QTRY_VERIFY(text(u"sessions.snapshots.summary"_s).contains(u"Going back to snapshot 2 changes 2 "_s));
        auto *changes = find<QTreeView>(u"sessions.snapshots.changes"_s);
        QCOMPARE(column(changes, 0), (QStringList{u"− removed"_s, u"~ changed"_s}));
        QCOMPARE(column(changes, 1), (QStringList{u"data.csv"_s, u"notes.txt"_s}));
        QVERIFY(find<QPushButton>(u"sessions.snapshots.no"_s)->hasFocus());
        QCOMPARE(paths(made.id).size(), 2); // nothing was done yet
        press(u"sessions.snapshots.yes"_s);
        QTRY_COMPARE(paths(made.id), QByteArrayList{"notes.txt"});
        QCOMPARE(content(made.id, "notes.txt"), "one\ntwo\n");
        QTRY_VERIFY(note().contains(u"snapshot 2 again"_s));
        const Note &last = desk->context.notifications().notes().last();
        QCOMPARE(last.remedies.size(), 1);
        last.remedies.first().run();
        QTRY_COMPARE(paths(made.id).size(), 2);
        QCOMPARE(content(made.id, "notes.txt"), "one\nzwei\n");
    }

    void twoSnapshotsAreCompared()
    {
        const Session made = makeShop();
        open(made.id);
        QTRY_VERIFY(text(u"sessions.snapshots.summary"_s).startsWith(u"Snapshot 4, against 3: 1 "_s));
        auto *selection = snapshots()->selectionModel();
        const auto rows = QItemSelectionModel::Select | QItemSelectionModel::Rows;
        selection->clearSelection();
        selection->select(snapshots()->model()->index(2, 0), rows); // snapshot 2
        selection->select(snapshots()->model()->index(1, 0), rows); // snapshot 3
        QTRY_VERIFY(text(u"sessions.snapshots.summary"_s).startsWith(u"From snapshot 2 to 3: 1 "_s));
        auto *changes = find<QTreeView>(u"sessions.snapshots.changes"_s);
        QCOMPARE(column(changes, 1), QStringList{u"notes.txt"_s});
        changes->setCurrentIndex(changes->model()->index(0, 0));
        QTRY_VERIFY(shows(u"sessions.snapshots.difference"_s));
        const QString difference = find<QPlainTextEdit>(u"sessions.snapshots.difference"_s)->toPlainText();
        QVERIFY2(difference.contains(u"two"_s) && difference.contains(u"zwei"_s), qPrintable(difference));
    }

    void theNewestSnapshotIsNamedAndForked()
    {
        const Session made = makeShop();
        open(made.id);
        choose(2);
        Desk::settle();
        QTest::keyClick(desk->frame.windowHandle(), Qt::Key_L, Qt::ControlModifier);
        QTRY_VERIFY(find<QLineEdit>(u"sessions.snapshots.name"_s)->hasFocus());
        QCOMPARE(snapshots()->selectionModel()->selectedRows(), {snapshots()->model()->index(0, 0)}); // alone
        QTRY_VERIFY(text(u"sessions.snapshots.summary"_s).startsWith(u"Name the newest snapshot."_s));
        type(u"sessions.snapshots.name"_s, u"clean import"_s);
        QTest::keyClick(find<QLineEdit>(u"sessions.snapshots.name"_s), Qt::Key_Return);
        QTRY_COMPARE(engine().sessions().find(made.id)->now().label, u"clean import"_s);
        QTRY_VERIFY(column(snapshots(), 1).first().contains(u"clean import"_s));
        choose(2);
        Desk::settle();
        QVERIFY(act(u"sessions.forkfrom"_s));
        QTRY_COMPARE(text(u"sessions.form.title"_s), u"Fork snapshot 2 of shop"_s);
        type(u"sessions.form.name"_s, u"twig"_s);
        press(u"sessions.form.create"_s);
        QTRY_VERIFY(engine().sessions().find(u"twig"_s));
        const QString twig = engine().sessions().find(u"twig"_s)->id;
        QCOMPARE(content(twig, "notes.txt"), "one\ntwo\n");
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"twig"_s);
    }

    void deletingASessionAsksAndSaysWhatGoes()
    {
        const Session made = makeShop();
        open(made.id);
        list()->setFocus();
        QTest::keyClick(list(), Qt::Key_Delete);
        QTRY_COMPARE(text(u"sessions.details.trouble"_s),
                     u"Delete shop? Its files and 4 snapshots go, and nobody can bring them back."_s);
        QVERIFY(find<QPushButton>(u"sessions.details.no"_s)->hasFocus());
        QTest::keyClick(find<QPushButton>(u"sessions.details.no"_s), Qt::Key_Escape);
        QVERIFY(!shows(u"sessions.details.yes"_s));
        QVERIFY(list()->hasFocus()); // where the person was
        QVERIFY(engine().sessions().find(made.id));
        QVERIFY(act(u"sessions.remove"_s));
        press(u"sessions.details.yes"_s);
        QCOMPARE(desk->frame.page(u"sessions"_s)->closingEnds(),
                 u"Deleting the session: Glovebox ends that before it goes, without a window."_s);
        QTRY_VERIFY(!engine().sessions().find(made.id));
        QTRY_VERIFY(desk->frame.page(u"sessions"_s)->closingEnds().isEmpty());
        QTRY_VERIFY(shows(u"sessions.message.add"_s));
    }

    void aDamagedSessionIsNamedWithTheWayOut()
    {
        const Session made = make();
        QFile notes(desk->paths.sessionsFolder() + u'/' + made.id + u"/session.json"_s);
        QVERIFY(notes.open(QIODevice::WriteOnly | QIODevice::Truncate) && notes.write("no notes") > 0);
        notes.close();
        act(u"sessions.refresh"_s);
        QTRY_COMPARE(column(list(), 0), QStringList{made.id.left(13)});
        list()->setCurrentIndex(list()->model()->index(0, 0));
        QTRY_VERIFY(text(u"sessions.details.trouble"_s).contains(u"delete the session"_s));
        QVERIFY(!shows(u"sessions.files"_s) && !shows(u"sessions.details.run"_s));
        QTRY_VERIFY(!desk->context.actions().action(u"sessions.run"_s)->isEnabled());
        QVERIFY(shows(u"sessions.details.remove"_s));
        press(u"sessions.details.remove"_s);
        press(u"sessions.details.yes"_s);
        QTRY_VERIFY(!QFileInfo::exists(notes.fileName()));
        QTRY_VERIFY(shows(u"sessions.message.add"_s));
    }

    void aSessionInUseSaysSoAndIsLeftAlone()
    {
        const Session made = makeShop();
        open(made.id);
        {
            const auto use = engine().sessions().use(made.id, {});
            QVERIFY(use);
            act(u"sessions.refresh"_s);
            QTRY_VERIFY(text(u"sessions.details.trouble"_s).contains(u"A run uses the session"_s));
            for (const QString &action : {u"put"_s, u"fork"_s, u"remove"_s, u"label"_s})
                QTRY_VERIFY2(!desk->context.actions().action(u"sessions."_s + action)->isEnabled(), qPrintable(action));
            QVERIFY(desk->context.actions().action(u"sessions.run"_s)->isEnabled()); // it waits
        }
        act(u"sessions.refresh"_s);
        QTRY_VERIFY(desk->context.actions().action(u"sessions.put"_s)->isEnabled());
        QTRY_VERIFY(!shows(u"sessions.details.trouble"_s));
    }

    void anAgentsSessionNamesTheAgent()
    {
        const Session made = make({.name = u"codex"_s, .agent = u"somebody"_s});
        act(u"sessions.refresh"_s);
        open(made.id);
        QTRY_VERIFY(text(u"sessions.details.facts"_s).contains(u"made by an agent on "_s));
        QCOMPARE(list()->model()->index(0, 0).data(Qt::AccessibleTextRole).toString(),
                 u"codex, 0 files · of an agent"_s);
        QTRY_VERIFY(desk->context.actions().action(u"sessions.run"_s)->isEnabled()); // the person may use all
    }

    void theSearchFindsSessionsAndSaysWhenThereIsNone()
    {
        make({.name = u"shop"_s});
        make({.name = u"billing"_s});
        act(u"sessions.refresh"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 2);
        QVERIFY(act(u"sessions.find"_s));
        QTest::keyClicks(QApplication::focusWidget(), u"BILL"_s);
        QCOMPARE(column(list(), 0), QStringList{u"billing"_s});
        QTest::keyClicks(QApplication::focusWidget(), u"x"_s);
        QTRY_VERIFY(shows(u"sessions.message.all"_s));
        press(u"sessions.message.all"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 2);
    }

    void runningInASessionLeadsToTheBench()
    {
        const Session made = makeShop();
        open(made.id);
        QVERIFY(act(u"sessions.run"_s));
        auto *bench = qobject_cast<BenchPage *>(desk->frame.page(u"bench"_s));
        QTRY_COMPARE(bench->current()->policy().session().id, made.id);
        QTRY_COMPARE(bench->current()->policy().session().name, u"shop"_s);
    }

    void theRowsHaveMenus()
    {
        const Session made = makeShop();
        open(made.id);
        QTRY_COMPARE(column(files(), 0), (QStringList{u"data.csv"_s, u"notes.txt"_s}));
        files()->setCurrentIndex(files()->model()->index(1, 0));
        for (const auto &[view, wanted] : {std::pair(list(), u"sessions.remove"_s),
                                           {files(), u"sessions.removefile"_s},
                                           {snapshots(), u"sessions.label"_s}}) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, view->rect().center(),
                                    view->mapToGlobal(view->rect().center()));
            QCoreApplication::sendEvent(view->viewport(), &event);
            QTRY_VERIFY(QApplication::activePopupWidget());
            // Closed, it is deleted, and some platforms close it by themselves.
            const QPointer menu(qobject_cast<QMenu *>(QApplication::activePopupWidget()));
            QAction *action = desk->context.actions().action(wanted);
            QVERIFY2(menu && menu->actions().contains(action), qPrintable(wanted));
            QTRY_VERIFY2(action->isEnabled(), qPrintable(wanted));
            if (menu)
                menu->close();
            QTRY_VERIFY(!QApplication::activePopupWidget());
        }
    }

    // Where the window is small, the details are instead of the list, and Escape leads back.
    void aSmallWindowShowsOneOfThem()
    {
        make({.name = u"other"_s});
        const Session made = makeShop();
        desk->frame.resize(900, 600);
        Desk::settle();
        QTRY_COMPARE(list()->model()->rowCount(), 2);
        for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Up}) {
            QTest::keyClick(list(), key);
            Desk::settle();
            QVERIFY(list()->isVisible()); // whoever goes along it isn't taken away from it
        }
        open(made.id);
        QTRY_VERIFY(!list()->isVisible());
        QTest::keyClick(files(), Qt::Key_Escape);
        QTRY_VERIFY(list()->isVisible() && list()->hasFocus());
        QTest::keyClick(list(), Qt::Key_Return);
        QTRY_VERIFY(files()->isVisible() && files()->hasFocus());
    }
};

GLOVEBOX_TEST_MAIN(TestSessionsPage)
#include "tst_sessionspage.moc"
