// SPDX-License-Identifier: Apache-2.0
// Tabs and the files in them: nothing unsaved is lost, whatever is opened, closed, or can't be kept.
#include "benchseat.h"

#include "app/workbench/editor/file/noticebar.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

#ifdef __SANITIZE_ADDRESS__ // slows the program down
constexpr qint64 mostWaitedMilliseconds = 200;
#else
constexpr qint64 mostWaitedMilliseconds = 50;
#endif

} // namespace

class TestBenchTabs : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aTabWithUnsavedTextAsksAndComesBack();
    void inASmallWindowAQuestionIsWhole();
    void filesOpenOnceAndRefusalsAreSaid();
    void filesComeInTheirOrder();
    void tabsComeBackFromTheStash();
    void textThatCantBeKeptIsSaidAndClosingAsks();
    void aShortTextIsSafeBesideALongOne();
    void aLongTextIsOnDiskBeforeTwoSecondsAreOver();
    void aLongTextComesWithoutAStall();
    void keysLeadThroughTheBench();
    void tabFollowsTheOrderOfReading();
    void theCloseMarkIsOnTheTabOneIsIn();
    void aNewTabHasTheLowestNumberThatIsFree();
    void pinnedTabsStandFirstAndAskBeforeTheyGo();
    void allTabsAreListedWithWholeNames();
    void savingProposesANameWithItsExtension();
};

void TestBenchTabs::aTabWithUnsavedTextAsksAndComesBack()
{
    BenchTab *first = tab();
    QVERIFY(trigger("bench.new"));
    QVERIFY(trigger("bench.close")); // blank: goes without a word
    QCOMPARE(m_page->tabs().size(), 1);
    first->editor().setText(u"precious"_s, true);
    QVERIFY(trigger("bench.close"));
    QCOMPARE(m_page->tabs().size(), 1);
    QVERIFY(first->editor().notice().sentence().contains(u"isn't saved"_s));
    first->editor().notice().findChild<QToolButton *>(u"bench.notice.remedy2"_s)->click(); // "Close without saving"
    QTRY_COMPARE(m_page->tabs().size(), 1);
    QVERIFY(tab() != first);
    QVERIFY(tab()->isBlank());
    QVERIFY(trigger("bench.reopen"));
    QCOMPARE(tab()->editor().text(), u"precious"_s);
}

void TestBenchTabs::inASmallWindowAQuestionIsWhole()
{
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    tab()->editor().setText(u"precious"_s, true);
    QVERIFY(trigger("bench.close"));
    Desk::settle();
    QVERIFY(m_desk->save(u"bench-unsaved-large-text"_s));
    NoticeBar &notice = tab()->editor().notice();
    for (const QWidget *part : visibleWidgets(&notice)) {
        QVERIFY2(notice.rect().contains(QRect(part->mapTo(&notice, QPoint()), part->size())),
                 qPrintable(describe(part)));
        if (qobject_cast<const QAbstractButton *>(part))
            QVERIFY2(part->width() >= part->sizeHint().width(), qPrintable(describe(part)));
        if (const auto *label = qobject_cast<const QLabel *>(part); label && !label->text().isEmpty())
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
    }
    QCOMPARE(notice.visibleRegion().boundingRect(), notice.rect());
}

void TestBenchTabs::filesOpenOnceAndRefusalsAreSaid()
{
    const QString path = m_desk->home.filePath(u"probe.sh"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("echo hello\n");
    file.close();
    m_desk->frame.openFiles({path});
    QTRY_COMPARE(tab()->name(), u"probe.sh"_s);
    QCOMPARE(m_page->tabs().size(), 1); // in the blank tab
    QTRY_COMPARE(tab()->language(), u"sh"_s);
    QVERIFY(trigger("bench.new"));
    m_desk->frame.openFiles({path});
    QTRY_COMPARE(tab()->name(), u"probe.sh"_s);
    QCOMPARE(m_page->tabs().size(), 2);

    const QString binary = m_desk->home.filePath(u"x.bin"_s);
    QFile other(binary);
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray("\0\1\2", 3));
    other.close();
    m_desk->frame.openFiles({binary});
    QTRY_VERIFY(!m_desk->context.notifications().notes().isEmpty());
    QVERIFY(m_desk->context.notifications().notes().last().text.contains(u"not text"_s));
    QCOMPARE(m_page->tabs().size(), 2);
}

void TestBenchTabs::filesComeInTheirOrder()
{
    QStringList paths;
    for (const auto &name : {u"large.py"_s, u"small.py"_s, u"last.py"_s}) {
        QFile file(m_desk->home.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray("x = 1\n").repeated(paths.isEmpty() ? 500'000 : 1));
        paths.append(file.fileName());
    }
    m_desk->frame.openFiles(paths);
    m_desk->frame.openFiles(paths); // an impatient double click
    QTRY_COMPARE(m_page->tabs().size(), 3);
    QTRY_COMPARE(tab()->name(), u"last.py"_s);
    QTest::qWait(300);
    QStringList names;
    for (BenchTab *each : m_page->tabs())
        names.append(each->editor().path());
    QCOMPARE(names, paths);
}

void TestBenchTabs::tabsComeBackFromTheStash()
{
    tab()->editor().setText(u"unsaved = 1\n"_s, true);
    tab()->chooseLanguage(u"python"_s);
    QVERIFY(trigger("bench.new"));
    tab()->editor().setText(u"echo two\n"_s, true);
    tab()->chooseLanguage(u"bash"_s);
    Policy policy = tab()->policy().policy();
    policy.limits.wall = std::chrono::seconds(7);
    tab()->setPolicy(policy);
    m_page->stashUnsaved();
    QVERIFY(m_desk->context.stash().flush());
    // What a crash leaves is the stash's folder: another bench starts from a copy of it.
    const QString folder = m_desk->context.stash().folder();
    const QString before = m_desk->paths.data;
    QVERIFY(folder.startsWith(before));
    QTemporaryDir home;
    const Paths paths{home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                      m_desk->paths.libexec};
    const QString copy = paths.data + folder.sliced(before.size());
    QVERIFY(makePrivateFolder(copy));
    for (const QString &name : QDir(folder).entryList(QDir::Files))
        QVERIFY(QFile::copy(folder + u'/' + name, copy + u'/' + name));

    WorkbenchContext context(paths, m_desk->theme);
    BenchPage page(context);
    const std::unique_ptr<QWidget> widget(page.widget());
    QCOMPARE(page.tabs().size(), 2);
    QCOMPARE(page.tabs()[0]->editor().text(), u"unsaved = 1\n"_s);
    QCOMPARE(page.current(), page.tabs()[1]);
    QCOMPARE(page.current()->editor().text(), u"echo two\n"_s);
    QCOMPARE(page.current()->language(), u"bash"_s);
    QCOMPARE(page.current()->policy().policy().limits.wall, std::chrono::milliseconds(7000));
    QVERIFY(page.current()->hasUnsavedWork());
}

// A full disk: the text is nowhere but in the window.
void TestBenchTabs::keysLeadThroughTheBench()
{
    BenchTab *first = tab();
    first->editor().setText(u"x"_s, true);
    QVERIFY(trigger("bench.new"));
    BenchTab *second = tab();
    const auto press = [](int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
    };
    CodeEditor &code = second->editor().editor();
    code.setFocus();
    press(Qt::Key_Tab, Qt::ControlModifier);
    QTRY_COMPARE(tab(), first);
    press(Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(tab(), second);
    QTRY_VERIFY(code.hasFocus());
    press(Qt::Key_Tab);
    QCOMPARE(second->editor().text(), u"    "_s);
    press(Qt::Key_Escape);
    press(Qt::Key_Tab); // on to what comes next, which is read after the code
    QVERIFY(!code.hasFocus());
    QVERIFY2(second->runs().isAncestorOf(QApplication::focusWidget()), // or what stands beside the code
             qPrintable(QApplication::focusWidget()->objectName()));
    QCOMPARE(second->editor().text(), u"    "_s);
    code.setFocus();
    press(Qt::Key_Escape);
    press(Qt::Key_Backtab, Qt::ShiftModifier);
    QVERIFY2(second->policy().isAncestorOf(QApplication::focusWidget())
                 || QApplication::focusWidget()->objectName() == u"bench.badge"_s,
             qPrintable(QApplication::focusWidget()->objectName()));
    code.setFocus();
    QStringList places;
    for (int i = 0; i < 6; ++i) {
        press(Qt::Key_F6);
        const QWidget *focus = QApplication::focusWidget();
        places << (second->runs().isAncestorOf(focus)       ? u"runs"_s
                   : second->editor().isAncestorOf(focus)   ? u"code"_s
                   : focus->objectName() == u"bench.run"_s  ? u"bar"_s
                   : focus->objectName() == u"bench.tabs"_s ? u"tabs"_s
                                                            : focus->objectName().section(u'.', 0, 1));
    }
    QCOMPARE(places.join(u' '), u"runs status.engine frame.rail tabs bar code"_s);
}

// As people read: the rail, the tabs, Run, the sentence, the code, what became of it.
void TestBenchTabs::tabFollowsTheOrderOfReading()
{
    QVERIFY(trigger("bench.new"));
    m_desk->frame.findChild<QWidget *>(u"frame.menu.button"_s)->setFocus();
    QStringList places;
    const auto note = [&places] {
        const QString name = QApplication::focusWidget()->objectName();
        const QString part = name.startsWith(u"bench.policy."_s) ? u"sentence"_s : name;
        if (places.isEmpty() || places.last() != part)
            places.append(part);
    };
    note();
    for (int i = 0; i < 40 && !tab()->editor().editor().hasFocus(); ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        note();
    }
    QCOMPARE(places.join(u' '),
             u"frame.menu.button frame.rail.bench frame.rail.history frame.rail.sessions frame.rail.vault "
             "frame.rail.agents frame.rail.doctor frame.rail.settings bench.tabs bench.new bench.tabs.list bench.run "
             "sentence bench.editor"_s);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    places.clear();
    for (int i = 0; i < 40 && !places.contains(u"frame.menu.button"_s); ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        note();
    }
    QCOMPARE(places.join(u' '),
             u"bench.runtabs bench.output.filter bench.output.wrap bench.output.copy bench.output.save "
             "bench.output.maximise bench.output status.engine status.position status.indentation status.encoding "
             "status.lineends "
             "frame.menu.button"_s);
}

void TestBenchTabs::theCloseMarkIsOnTheTabOneIsIn()
{
    QTabBar &bar = *m_desk->frame.findChild<QTabBar *>(u"bench.tabs"_s);
    const auto marked = [&bar] {
        QList<int> found;
        for (int i = 0; i < bar.count(); ++i) {
            if (bar.tabButton(i, QTabBar::RightSide))
                found.append(i);
        }
        return found;
    };
    QVERIFY(trigger("bench.new"));
    QVERIFY(trigger("bench.new"));
    QCOMPARE(marked(), QList<int>{2});
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.tabRect(0).center());
    QCOMPARE(marked(), QList<int>{0});
    QVERIFY(trigger("bench.close"));
    QCOMPARE(marked(), QList<int>{bar.currentIndex()});
    bar.moveTab(bar.currentIndex(), 1);
    QCOMPARE(marked(), QList<int>{bar.currentIndex()});
    QVERIFY(trigger("bench.next"));
    QCOMPARE(marked(), QList<int>{bar.currentIndex()});
}

void TestBenchTabs::aNewTabHasTheLowestNumberThatIsFree()
{
    for (int i = 0; i < 4; ++i) {
        QVERIFY(trigger("bench.new"));
        QCOMPARE(tab()->name(), u"Untitled 2"_s);
        QVERIFY(trigger("bench.close"));
    }
    QVERIFY(trigger("bench.new"));
    QVERIFY(trigger("bench.new"));
    QCOMPARE(tab()->name(), u"Untitled 3"_s);
}

void TestBenchTabs::pinnedTabsStandFirstAndAskBeforeTheyGo()
{
    QTabBar &bar = *m_desk->frame.findChild<QTabBar *>(u"bench.tabs"_s);
    QVERIFY(trigger("bench.new"));
    QVERIFY(trigger("bench.new"));
    BenchTab *third = tab();
    QVERIFY(trigger("bench.pin"));
    QCOMPARE(m_page->tabs().first(), third);
    QCOMPARE(tab(), third);
    QVERIFY(!bar.tabButton(0, QTabBar::RightSide));
    QVERIFY(bar.accessibleTabName(0).contains(u"pinned"_s));
    // Dragged behind the others it goes back.
    bar.moveTab(0, 2);
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.tabRect(2).center());
    QTRY_COMPARE(m_page->tabs().first(), third);
    QVERIFY(trigger("bench.close"));
    QCOMPARE(m_page->tabs().size(), 3);
    QCOMPARE(third->editor().notice().sentence(), u"Untitled 3 is pinned."_s);
    const QByteArray stashed = third->stashed();
    third->editor().notice().findChild<QToolButton *>(u"bench.notice.remedy1"_s)->click();
    QTRY_COMPARE(m_page->tabs().size(), 2);
    QVERIFY(tab()->restore(stashed)); // as after a start
    QVERIFY(tab()->isPinned());
}

void TestBenchTabs::allTabsAreListedWithWholeNames()
{
    QTabBar &bar = *m_desk->frame.findChild<QTabBar *>(u"bench.tabs"_s);
    const QString name = u"a-name-that-is-much-longer-than-any-tab-may-be & more.py"_s;
    const QString path = m_desk->home.filePath(name);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("1\n") > 0);
    file.close();
    m_desk->frame.openFiles({path});
    QTRY_COMPARE(tab()->name(), name);
    QCOMPARE(bar.tabText(0), u"a-name-that-is-much…be && more.py"_s);
    for (int i = 0; i < 20; ++i)
        QVERIFY(trigger("bench.new"));
    for (int i = 1; i < bar.count(); ++i) // whole, however many there are
        QVERIFY(bar.tabRect(i).width() > bar.fontMetrics().horizontalAdvance(bar.tabText(i)));
    QTest::mouseClick(m_desk->frame.findChild<QToolButton *>(u"bench.tabs.list"_s), Qt::LeftButton);
    QPointer<QMenu> menu = m_desk->frame.findChild<QMenu *>(u"bench.tabs.menu"_s);
    QTRY_VERIFY(menu && menu->isVisible());
    QCOMPARE(menu->actions().size(), 21);
    QCOMPARE(menu->actions().first()->text(), QString(name).replace(u'&', u"&&"_s));
    menu->actions().first()->trigger();
    QTRY_COMPARE(tab()->name(), name);
    menu->close();
}

void TestBenchTabs::savingProposesANameWithItsExtension()
{
    tab()->editor().setText(u"#!/bin/sh\necho one\n"_s, true);
    tab()->chooseLanguage(u"sh"_s);
    QVERIFY(trigger("bench.saveas"));
    QPointer<QFileDialog> dialog = tab()->findChild<QFileDialog *>(u"bench.saveas.dialog"_s);
    QTRY_VERIFY(dialog && dialog->isVisible());
    QCOMPARE(QFileInfo(dialog->selectedFiles().value(0)).fileName(), u"Untitled 1.sh"_s);
    QCOMPARE(dialog->defaultSuffix(), u"sh"_s);
    dialog->setDirectory(m_desk->home.path());
    dialog->selectFile(u"probe"_s); // the extension is added
    QMetaObject::invokeMethod(dialog, "accept");
    QTRY_COMPARE(tab()->name(), u"probe.sh"_s);
    QVERIFY(QFile::exists(m_desk->home.filePath(u"probe.sh"_s)));
}

void TestBenchTabs::aShortTextIsSafeBesideALongOne()
{
    tab()->editor().setText(u"x = 1\n"_s.repeated(900'000), true);
    QTRY_VERIFY_WITH_TIMEOUT(!tab()->editor().isLoading(), 30'000);
    QVERIFY(trigger("bench.new"));
    m_page->tabs().first()->editor().editor().insertPlainText(u"y"_s);
    tab()->editor().editor().insertPlainText(u"precious"_s);
    const QString name = u"bench.tab."_s + tab()->id();
    const auto stashed = [this](const QString &of) {
        return m_desk->context.stash().load(of).value_or(std::nullopt).value_or(QByteArray());
    };
    QTRY_VERIFY_WITH_TIMEOUT(stashed(name).contains("precious"), 2000);
}

// And the window doesn't wait for it: 6 MB here; of 20 MB, the most that a file may have, it takes 41 ms.
void TestBenchTabs::aLongTextIsOnDiskBeforeTwoSecondsAreOver()
{
    auto *application = static_cast<Application *>(QCoreApplication::instance());
    tab()->editor().setText(u"x = '0123456789'\n"_s.repeated(350'000), true);
    QTRY_VERIFY_WITH_TIMEOUT(!tab()->editor().isLoading(), 60'000);
    QFile file(m_desk->context.stash().folder() + u"/bench.tab."_s + tab()->id());
    const auto isSafe = [&](const QByteArray &text) {
        return file.open(QIODevice::ReadOnly) && [&] {
            const QByteArray content = file.readAll();
            file.close();
            return content.contains(text);
        }();
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSafe("x = "), 30'000);
    tab()->editor().editor().goTo(1);
    tab()->editor().editor().insertPlainText(u"precious"_s);
    Desk::settle();
    QElapsedTimer timer;
    timer.start();
    application->watchStalls(true);
    QTRY_VERIFY_WITH_TIMEOUT(isSafe("precious"), 10'000);
    const qint64 stall = application->takeLongestStall();
    application->watchStalls(false);
    qInfo("on disk after %lld ms, the window waited %lld ms", timer.elapsed(), stall);
    QVERIFY(timer.elapsed() <= 2000);
    QVERIFY(stall <= mostWaitedMilliseconds);
}

// A gutter that grew with the number of lines made the editor lay out all of them again, which took 60 ms of 5 MB.
void TestBenchTabs::aLongTextComesWithoutAStall()
{
    auto *application = static_cast<Application *>(QCoreApplication::instance());
    const QString text = u"x = '0123456789'\n"_s.repeated(300'000);
    application->watchStalls(true);
    std::ignore = application->takeLongestStall();
    QTimer::singleShot(0, &tab()->editor(), [&] { tab()->editor().setText(text, true); });
    QTRY_VERIFY(tab()->editor().isLoading());
    const QRect place = tab()->editor().editor().viewport()->geometry();
    QTRY_VERIFY_WITH_TIMEOUT(!tab()->editor().isLoading(), 60'000);
    QCOMPARE(tab()->editor().editor().viewport()->geometry(), place);
    const qint64 stall = application->takeLongestStall();
    application->watchStalls(false);
    qInfo("the window waited %lld ms", stall);
    QVERIFY(stall <= mostWaitedMilliseconds);
    // A short one has a small gutter again.
    tab()->editor().setText(u"x"_s, true);
    QVERIFY(tab()->editor().editor().viewport()->x() < place.x());
}

void TestBenchTabs::textThatCantBeKeptIsSaidAndClosingAsks()
{
    const QString inTheWay = m_desk->context.stash().folder() + u"/bench.tab."_s + tab()->id() + u".new"_s;
    QVERIFY(QDir().mkpath(inTheWay));
    QTest::keyClicks(&tab()->editor().editor(), u"kept = 1"_s);
    const auto banners = [this] {
        QString all;
        for (const Note &banner : m_desk->context.notifications().banners())
            all += banner.text + u'\n';
        return all;
    };
    QTRY_VERIFY2(banners().contains(inTheWay), qPrintable(banners()));
    m_desk->frame.close();
    auto *question = m_desk->frame.findChild<QDialog *>(u"frame.close"_s);
    QVERIFY(question && m_desk->frame.isVisible());
    QVERIFY(std::ranges::any_of(question->findChildren<QLabel *>(),
                                [](QLabel *label) { return label->text().contains(u"would be lost"_s); }));
    question->reject();
    QTRY_VERIFY(!m_desk->frame.findChild<QDialog *>(u"frame.close"_s));
    // There is space again: it is kept, and closing asks nothing.
    QVERIFY(QDir().rmdir(inTheWay));
    QTest::keyClicks(&tab()->editor().editor(), u"0"_s);
    QTRY_VERIFY2(!banners().contains(inTheWay), qPrintable(banners()));
    m_desk->frame.close();
    QVERIFY(!m_desk->frame.isVisible());
}

GLOVEBOX_TEST_MAIN(TestBenchTabs)
#include "tst_benchtabs.moc"
