// SPDX-License-Identifier: Apache-2.0
// A run works on a copy of a folder; the person sees what it changed there, and decides.
#include "changesseat.h"

#include "app/workbench/editor/file/noticebar.h"
#include "engine/folders/notes.h"
#include "engine/folders/stagingplace.h"
#include "engine/sandbox/sandbox.h"
#include "tests/support/openers.h"
#include "tests/support/signals.h"

#include <QApplication>
#include <QCheckBox>
#include <QDeadlineTimer>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QThread>
#include <QToolButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchChanges : public QObject, ChangesSeat
{
    Q_OBJECT

private:
    QByteArray content(const QString &name)
    {
        QFile file(m_folder + u'/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(none)");
    }

    void applyChosen()
    {
        QVERIFY(trigger("bench.changes.apply"));
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
    }
    bool isChosen(int row)
    {
        const auto *model = inTab<QTreeView>("bench.changes.list")->model();
        return model->index(row, 0).data(Qt::CheckStateRole).toInt() == Qt::Checked;
    }

    QStringList ways()
    {
        QStringList texts;
        for (int i = 1;
             auto *way = tab()->editor().notice().findChild<QToolButton *>(u"bench.notice.remedy%1"_s.arg(i)); ++i)
            texts.append(way->text());
        return texts;
    }
    void takeWay(int index)
    {
        auto *way = tab()->editor().notice().findChild<QToolButton *>(u"bench.notice.remedy%1"_s.arg(index + 1));
        QVERIFY(way && way->isVisible());
        QTest::mouseClick(way, Qt::LeftButton);
    }

private Q_SLOTS:
    void init() { sitDownWithAFolder(); }
    void cleanup() { m_desk.reset(); }

    // By the command line, while this window is behind its terminal.
    void whatIsDecidedElsewhereIsSeenWhenTheWindowComesBack()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        QTRY_VERIFY(summary().startsWith(u"3 changes in the copy of "_s));
        const auto goAwayAndComeBack = [this](const std::function<void()> &meanwhile) {
            QWidget other;
            other.show();
            other.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&other));
            meanwhile();
            other.close();
            m_desk->frame.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&m_desk->frame));
        };
        auto *list = inTab<QTreeView>("bench.changes.list");
        list->model()->setData(list->model()->index(1, 0), Qt::Unchecked, Qt::CheckStateRole);
        goAwayAndComeBack([] { });
        QTest::qWait(300); // a difference that isn't there can't be waited for
        QVERIFY(!isChosen(1)); // nothing was loaded anew

        Engine &engine = *m_desk->context.engine();
        const QString id = tab()->runs().current()->result()->id;
        goAwayAndComeBack([&] { QVERIFY(engine.discardChanges(id, engine.caller())); });
        QTRY_COMPARE(summary(), u"The changes were applied or discarded."_s);
        QCOMPARE(tab()->runs().tab(u"changes"_s)->title(), u"Changes"_s);
        QVERIFY(!list->isVisible());
    }

    // Beside this window, which stays in front.
    void nothingIsDoneAboutAStateThatIsGone()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        QTRY_VERIFY(summary().startsWith(u"3 changes in the copy of "_s));
        auto *list = inTab<QTreeView>("bench.changes.list");
        Engine &engine = *m_desk->context.engine();
        const QString id = tab()->runs().current()->result()->id;
        FolderChanges first = engine.staging().pending(id).value().folders.first();
        first.changes = {first.changes.first()};
        QVERIFY(engine.applyChanges(id, engine.caller(), QList<FolderChanges>{first}));
        QVERIFY(trigger("bench.changes.discard"));
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
        QTRY_VERIFY2(summary().startsWith(u"Nothing was done, as changes of this run"_s), qPrintable(summary()));
        QVERIFY2(summary().contains(u"1 change can be undone"_s), qPrintable(summary()));
        QCOMPARE(list->model()->rowCount(), 2);
        QVERIFY(engine.staging().pending(id));
    }

    void whatIsCarriedOutIsKnownWhileAnotherRunIsShown()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        write(u"a.txt"_s, "mine\n");
        applyChosen();
        const auto *stop = inTab<QPushButton>("bench.changes.stop");
        QVERIFY(stop->isVisible());
        tab()->runs().tab(u"changes"_s)->setRun(nullptr); // before it is done
        QVERIFY(!stop->isVisible());
        QVERIFY(m_page->closingEnds().startsWith(u"Changes of a run are being carried out"_s));
        QTRY_VERIFY(!m_desk->context.notifications().notes().isEmpty());
        const QString told = m_desk->context.notifications().notes().last().text;
        QVERIFY2(told.startsWith(u"Another run: 2 changes applied to the original."_s)
                     && told.contains(u"changed in the original meanwhile"_s),
                 qPrintable(told));
        QVERIFY(m_page->closingEnds().isEmpty());
        QTest::qWait(300); // the line of progress is drawn some times a second
        QVERIFY2(!summary().contains(u" of 3 changes, "_s), qPrintable(summary()));
    }

    // The tab is closed before the changes are applied: their result comes all the same, and the window knows that they go on.
    void theResultOutlivesItsTab()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        write(u"a.txt"_s, "mine\n");
        applyChosen();
        tab()->editor().setText({}, false);
        QVERIFY(trigger("bench.close"));
        QCOMPARE(ways(), (QStringList{u"Close when done"_s, u"Close now"_s, u"Keep it open"_s}));
        QVERIFY2(tab()->editor().notice().sentence().contains(u"goes on when you close the tab"_s),
                 qPrintable(tab()->editor().notice().sentence()));
        const QPointer<BenchTab> gone = tab();
        takeWay(1);
        QVERIFY(m_page->closingEnds().startsWith(u"Changes of a run are being carried out"_s));
        QTRY_VERIFY(!m_desk->context.notifications().notes().isEmpty());
        QVERIFY(!gone && m_page->closingEnds().isEmpty());
        const Note note = m_desk->context.notifications().notes().last();
        QVERIFY2(note.text.contains(u"2 changes applied to the original."_s)
                     && note.text.contains(u"changed in the original meanwhile"_s),
                 qPrintable(note.text));
        QVERIFY(note.stays);
        Desk::settle();
        QVERIFY(m_desk->save(u"bench-changes-closed"_s));
        note.remedies.first().run();
        QTRY_VERIFY(find<QWidget>("history.summary"));
    }

    void aTabClosesWhenItsChangesAreApplied_data()
    {
        QTest::addColumn<bool>("isWhole");
        QTest::newRow("all of them") << true;
        QTest::newRow("but one") << false; // which is here to be looked at
    }
    void aTabClosesWhenItsChangesAreApplied()
    {
        QFETCH(bool, isWhole);
        runOnACopy();
        if (!isWhole)
            write(u"a.txt"_s, "mine\n");
        const QPointer<BenchTab> closing = tab();
        applyChosen();
        tab()->editor().setText({}, false);
        QVERIFY(trigger("bench.close"));
        takeWay(0);
        QVERIFY(closing && tab() == closing);
        if (isWhole) {
            QTRY_VERIFY(!closing);
            QVERIFY(!QFile::exists(m_folder + u"/c.txt"_s));
            QVERIFY2(m_desk->context.notifications().notes().last().text.contains(u"3 changes applied"_s),
                     qPrintable(m_desk->context.notifications().notes().last().text));
        } else {
            QTRY_VERIFY2(summary().contains(u"changed in the original meanwhile"_s), qPrintable(summary()));
            Desk::settle();
            QVERIFY(closing && tab() == closing);
        }
    }

    // The panel shows another run by then.
    void aTabClosesWhenChangesOfAnEarlierRunAreApplied()
    {
        runOnACopy();
        const QPointer<BenchTab> closing = tab();
        applyChosen();
        tab()->runs().tab(u"changes"_s)->setRun(nullptr);
        tab()->editor().setText({}, false);
        QVERIFY(trigger("bench.close"));
        takeWay(0);
        QCOMPARE(tab()->editor().notice().sentence(), u"The tab closes when the changes are carried out."_s);
        QTRY_VERIFY(!closing);
        const QList<Note> notes = m_desk->context.notifications().notes();
        QCOMPARE(notes.size(), 1); // told once
        QVERIFY2(notes.first().text.startsWith(u"Another run: 3 changes applied"_s), qPrintable(notes.first().text));
    }

    void applyingIsStoppedAndGoesOn()
    {
        constexpr int files = 900;
        runOnACopy(u"head -c $((%1 * 100000)) /dev/zero | tr '\\0' a | split -a 3 -b 100000"_s.arg(files), files);
        QVERIFY(trigger("bench.changes"));
        QTRY_VERIFY(summary().startsWith(u"900 changes in the copy of "_s));
        auto *stop = inTab<QPushButton>("bench.changes.stop");
        QVERIFY(!stop->isVisible());
        inTab<QCheckBox>("bench.changes.all")->setChecked(true);
        applyChosen();
        QVERIFY(stop->isVisible() && stop->isEnabled());
        QVERIFY(!inTab<QPushButton>("bench.changes.really")->isVisible()
                && !inTab<QPushButton>("bench.changes.keep")->isVisible());
        const auto *list = inTab<QTreeView>("bench.changes.list");
        QVERIFY(!list->isEnabled() && !qobject_cast<QPushButton *>(QApplication::focusWidget()));
        const QDeadlineTimer patience(20'000); // looks often: all of it takes a second
        while (QDir(m_folder).entryList(QDir::Files).size() <= 2 && !patience.hasExpired())
            QThread::msleep(1);
        const pid_t applies = openers().value(0, -1);
        QCOMPARE(sendSignal(applies, SIGSTOP), 0); // some, and no more until it is stopped
        QTRY_VERIFY2(summary().contains(u" of 900 changes, "_s), qPrintable(summary()));
        QVERIFY(m_desk->save(u"bench-changes-applying"_s));
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(sendSignal(applies, SIGCONT), 0);
        QTRY_VERIFY2(summary().contains(u"Stopped before the others, which wait."_s), qPrintable(summary()));
        QVERIFY(!stop->isVisible());
        const auto count = [this] { return int(QDir(m_folder).entryList(QDir::Files | QDir::Hidden).size()); };
        const int applied = count() - 2; // a.txt and c.txt were there
        QVERIFY2(applied < files, qPrintable(QString::number(applied)));
        QCOMPARE(list->model()->rowCount(), files - applied);
        QVERIFY(list->isEnabled());
        applyChosen();
        QTRY_COMPARE(count(), files + 2);
        QTRY_VERIFY2(summary().contains(u"900 changes can be undone"_s), qPrintable(summary()));
    }

    void undoingIsStoppedAndGoesOn()
    {
        constexpr int files = 900;
        runOnACopy(u"head -c $((%1 * 100000)) /dev/zero | tr '\\0' a | split -a 3 -b 100000"_s.arg(files), files);
        QVERIFY(trigger("bench.changes"));
        inTab<QCheckBox>("bench.changes.all")->setChecked(true);
        applyChosen();
        const auto count = [this] { return int(QDir(m_folder).entryList(QDir::Files | QDir::Hidden).size()); };
        QTRY_VERIFY2_WITH_TIMEOUT(summary().contains(u"900 changes can be undone"_s), qPrintable(summary()), 20'000);
        auto *stop = inTab<QPushButton>("bench.changes.stop");
        auto *undo = inTab<QPushButton>("bench.changes.undo");
        QVERIFY(!stop->isVisible() && undo->isVisible());
        QTest::mouseClick(undo, Qt::LeftButton);
        QVERIFY(stop->isVisible() && stop->isEnabled());
        const QDeadlineTimer patience(20'000); // looks often: all of it takes a second
        while (count() > files && !patience.hasExpired())
            QThread::msleep(1);
        const pid_t undoes = openers().value(0, -1);
        QCOMPARE(sendSignal(undoes, SIGSTOP), 0);
        QTRY_VERIFY2(summary().endsWith(u" of 900 changes"_s) || summary() == u"Checking 900 changes…"_s,
                     qPrintable(summary())); // removals, of no bytes; the first of them may not be told yet
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(sendSignal(undoes, SIGCONT), 0);
        QTRY_VERIFY2(summary().contains(u"Stopped before the others, which can still be undone."_s),
                     qPrintable(summary()));
        QVERIFY(!stop->isVisible() && !qobject_cast<QPushButton *>(QApplication::focusWidget()));
        const int left = count() - 2; // a.txt and c.txt were there
        QVERIFY2(left > 0 && left < files, qPrintable(QString::number(left)));
        QCOMPARE(inTab<QTreeView>("bench.changes.list")->model()->rowCount(), files - left); // they wait again
        QVERIFY2(summary().contains(u"%1 changes can be undone"_s.arg(left)), qPrintable(summary()));
        QTest::mouseClick(undo, Qt::LeftButton);
        QTRY_COMPARE(count(), 2);
        QTRY_VERIFY2(summary().startsWith(u"%1 changes undone"_s.arg(left)), qPrintable(summary()));
    }

    // And not by the command line alone.
    void whatCannotBeReadIsThrownAwayHere()
    {
        runOnACopy();
        const QString id = tab()->runs().current()->result()->id;
        const StagingPlace place(m_desk->paths, newId(Clock::system()), runIdentity);
        QVERIFY(QFile::resize(place.kept(id) + u"/manifest"_s, 7));
        QVERIFY(trigger("bench.changes"));
        tab()->runs().tab(u"changes"_s)->setRun(tab()->runs().current());
        auto *discard = inTab<QPushButton>("bench.changes.discard");
        QTRY_VERIFY2(summary().contains(u"can't be read"_s), qPrintable(summary()));
        QVERIFY(discard->isVisible() && !inTab<QPushButton>("bench.changes.apply")->isVisible());
        QVERIFY(trigger("bench.changes.discard"));
        QVERIFY(inTab<QPushButton>("bench.changes.keep")->hasFocus());
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
        QTRY_COMPARE(summary(), u"Discarded."_s);
        QVERIFY(!QFile::exists(place.kept(id)));
        QVERIFY(!discard->isVisible());
    }

    // As is a copy that was never compared, so that there is nothing to list.
    void whatCannotBeComparedIsThrownAwayHere()
    {
        runOnACopy();
        const QString id = tab()->runs().current()->result()->id;
        const StagingPlace place(m_desk->paths, newId(Clock::system()), runIdentity);
        auto all = readManifest(place.kept(id));
        QVERIFY(all);
        all->first().changes.clear();
        all->first().isWhole = false;
        QVERIFY(writeManifest(place.kept(id), *all));
        QVERIFY(trigger("bench.changes"));
        tab()->runs().tab(u"changes"_s)->setRun(tab()->runs().current());
        QTRY_VERIFY2(summary().contains(u"All you can do with it is discard it."_s), qPrintable(summary()));
        QTest::mouseClick(inTab<QPushButton>("bench.changes.discard"), Qt::LeftButton);
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
        QTRY_COMPARE(summary(), u"Discarded."_s);
    }

    void whatIsDifferentIsShownAndApplied()
    {
        runOnACopy();
        QVERIFY(content(u"a.txt"_s).contains("two")); // nobody has decided yet
        QVERIFY(trigger("bench.changes"));
        QVERIFY(summary().startsWith(u"3 changes in the copy of "_s));
        auto *list = inTab<QTreeView>("bench.changes.list");
        auto *difference = inTab<QPlainTextEdit>("bench.changes.difference");
        QVERIFY(list->isVisible());
        list->setFocus(Qt::TabFocusReason);
        QTRY_COMPARE(difference->toPlainText(), u"@@ −1,3 +1,3 @@\n  one\n− two\n+ zwei\n  three"_s);
        QVERIFY(m_desk->save(u"bench-changes"_s));
        QTest::keyClick(list, Qt::Key_Down);
        QTRY_COMPARE(difference->toPlainText(), u"@@ −0,0 +1,1 @@\n+ new"_s);
        QTest::keyClick(list, Qt::Key_Down);
        QTRY_COMPARE(difference->toPlainText(), u"@@ −1,1 +0,0 @@\n− gone"_s);
        auto *apply = inTab<QPushButton>("bench.changes.apply");
        apply->setFocus(Qt::TabFocusReason);
        QTest::keyClick(apply, Qt::Key_Space);
        QVERIFY2(summary().startsWith(u"Put 3 changes into "_s), qPrintable(summary()));
        QVERIFY(content(u"a.txt"_s).contains("two")); // asked first
        QVERIFY(inTab<QPushButton>("bench.changes.keep")->hasFocus());
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
        QVERIFY(m_page->closingEnds().startsWith(u"Changes of a run are being carried out"_s));
        QTRY_COMPARE(summary(),
                     u"3 changes applied to the original.\n3 changes can be undone until others are applied."_s);
        QCOMPARE(content(u"a.txt"_s), QByteArray("one\nzwei\nthree\n"));
        QCOMPARE(content(u"b.txt"_s), QByteArray("new\n"));
        QVERIFY(!QFile::exists(m_folder + u"/c.txt"_s));
        QCOMPARE(tab()->runs().tab(u"changes"_s)->title(), u"Changes"_s);
        QVERIFY(!apply->isVisible());
        QVERIFY(!m_desk->context.actions().action(u"bench.changes.apply"_s)->isEnabled());
    }

    void whatChangedMeanwhileIsLeftAndSaid()
    {
        runOnACopy();
        write(u"a.txt"_s, "mine\n");
        applyChosen();
        QTRY_VERIFY2(summary().contains(u"changed in the original meanwhile"_s), qPrintable(summary()));
        QVERIFY(summary().startsWith(u"2 changes applied"_s));
        QCOMPARE(content(u"a.txt"_s), QByteArray("mine\n"));
        QCOMPARE(tab()->runs().tab(u"changes"_s)->title(), u"Changes · 1"_s); // it waits
    }

    void someAreAppliedAndUndone()
    {
        runOnACopy(u"sed -i s/two/zwei/ a.txt && mkdir d && echo 1 > d/f && echo all: > Makefile && rm c.txt"_s, 5);
        QVERIFY(trigger("bench.changes"));
        auto *list = inTab<QTreeView>("bench.changes.list");
        QTRY_COMPARE(list->model()->rowCount(), 5); // Makefile, a.txt, c.txt, d, d/f
        QVERIFY(!isChosen(0) && isChosen(1) && isChosen(2) && isChosen(3) && isChosen(4));
        QCOMPARE(inTab<QPushButton>("bench.changes.apply")->text(), u"Apply 4 of 5…"_s);
        list->setFocus(Qt::TabFocusReason);
        list->setCurrentIndex(list->model()->index(3, 0));
        QTest::keyClick(list, Qt::Key_Space); // d, and with it d/f
        QVERIFY(!isChosen(3) && !isChosen(4));
        QCOMPARE(inTab<QCheckBox>("bench.changes.all")->checkState(), Qt::PartiallyChecked);
        QVERIFY(m_desk->save(u"bench-changes-chosen"_s));
        applyChosen();
        QTRY_COMPARE(summary(),
                     u"2 changes applied to the original.\n2 changes can be undone until others are applied."_s);
        QVERIFY(!qobject_cast<QPushButton *>(QApplication::focusWidget()));
        QVERIFY(content(u"a.txt"_s).contains("zwei") && !QFile::exists(m_folder + u"/d"_s)
                && !QFile::exists(m_folder + u"/Makefile"_s) && !QFile::exists(m_folder + u"/c.txt"_s));
        QCOMPARE(tab()->runs().tab(u"changes"_s)->title(), u"Changes · 3"_s);
        write(u"c.txt"_s, "mine\n");
        auto *undo = inTab<QPushButton>("bench.changes.undo");
        QVERIFY(undo->isVisible());
        QVERIFY(m_desk->save(u"bench-changes-applied"_s));
        undo->setFocus(Qt::TabFocusReason);
        QTest::keyClick(undo, Qt::Key_Space);
        QTRY_VERIFY2(summary().startsWith(u"1 change undone in the original.\n▲ c.txt was changed"_s),
                     qPrintable(summary()));
        QVERIFY(!qobject_cast<QPushButton *>(QApplication::focusWidget()));
        QVERIFY(content(u"a.txt"_s).contains("two"));
        QCOMPARE(content(u"c.txt"_s), QByteArray("mine\n"));
        QCOMPARE(tab()->runs().tab(u"changes"_s)->title(), u"Changes · 4"_s);
    }

    void discardingAsksFirst()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes.discard"));
        auto *keep = inTab<QPushButton>("bench.changes.keep");
        QVERIFY(keep->isVisible());
        QTRY_VERIFY(keep->hasFocus());
        QTest::keyClick(keep, Qt::Key_Space);
        QVERIFY(m_desk->context.engine()->staging().pending(tab()->runs().current()->id()));
        QVERIFY(trigger("bench.changes.discard"));
        QTest::mouseClick(inTab<QPushButton>("bench.changes.really"), Qt::LeftButton);
        QTRY_COMPARE(summary(), u"Discarded."_s);
        QVERIFY(!m_desk->context.engine()->staging().pending(tab()->runs().current()->id()));
        QVERIFY(content(u"a.txt"_s).contains("two"));
    }

    // Not the selected row alone: what can't be chosen now doesn't look as if it could.
    void theWholeListRestsWhileItAsks()
    {
        runOnACopy();
        QVERIFY(trigger("bench.changes"));
        auto *list = inTab<QTreeView>("bench.changes.list");
        const auto shows = [&](Colour colour) {
            const QImage image = list->viewport()->grab().toImage();
            const QRgb ink = m_desk->theme.colour(colour).rgb();
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixel(x, y) == ink)
                        return true;
                }
            }
            return false;
        };
        list->setCurrentIndex(list->model()->index(0, 0));
        QVERIFY(shows(Colour::Text));
        QVERIFY(trigger("bench.changes.apply"));
        QVERIFY(!list->isEnabled());
        QVERIFY(m_desk->save(u"bench-changes-asked"_s));
        QVERIFY(!shows(Colour::Text));
        QTest::mouseClick(inTab<QPushButton>("bench.changes.keep"), Qt::LeftButton);
        QVERIFY(list->isEnabled() && shows(Colour::Text));
    }
};

GLOVEBOX_TEST_MAIN(TestBenchChanges)
#include "tst_benchchanges.moc"
