// SPDX-License-Identifier: Apache-2.0
// The window: navigation, banners and notes that never take the focus, layout that comes back, and an end in order.
#include "tests/app/workbench/desk/desk.h"

#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/look.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QTabBar>
#include <QToolButton>

#include <atomic>
#include <thread>
#include <tuple>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// A page with something to lose.
class BusyPage : public Page
{
public:
    explicit BusyPage(WorkbenchContext &) { }
    QString id() const override { return u"busy"_s; }
    QString title() const override { return u"Busy"_s; }
    Icon icon() const override { return Icon::Run; }
    QWidget *widget() override
    {
        if (!m_widget) {
            m_widget = new QPushButton(u"Here"_s);
            setNames(m_widget, u"busy"_s, u"Busy"_s);
        }
        return m_widget;
    }
    void activate() override { m_widget->setFocus(); }
    void engineClosing() override { ++closings; }
    void stashUnsaved() override { ++stashed; }
    QString closingEnds() const override { return ends; }
    QJsonObject saveState() const override { return {{u"size"_s, size}}; }
    void restoreState(const QJsonObject &state) override { size = state.value(u"size"_s).toInt(); }
    void navigate(const QJsonObject &request) override { asked = request; }
    bool openFiles(const QStringList &paths) override
    {
        opened += paths;
        return true;
    }

    QString ends;
    QJsonObject asked;
    QStringList opened;
    int size = 0;
    int stashed = 0;
    int closings = 0;

private:
    QPointer<QPushButton> m_widget;
};

struct Bench
{
    explicit Bench(const QString &folder)
        : context({folder + u"/data"_s, folder + u"/config"_s, folder + u"/run"_s, {}}, theme)
        , frame(context, pages())
    {
        frame.restoreLayout();
    }
    std::vector<std::unique_ptr<Page>> pages()
    {
        std::vector<std::unique_ptr<Page>> all;
        all.push_back(std::make_unique<BusyPage>(context));
        busy = static_cast<BusyPage *>(all.back().get());
        return all;
    }
    Theme theme;
    WorkbenchContext context;
    BusyPage *busy = nullptr;
    Frame frame;
};

} // namespace

class TestFrame : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aNewWindowHasTheSizeOfTheDrawings()
    {
        Desk desk;
        QCOMPARE(desk.frame.size(), QSize(1360, 860));
        desk.show();
        QCOMPARE(desk.frame.findChild<QWidget *>(u"frame.pages"_s)->mapTo(&desk.frame, QPoint()).x(), 56);
        QCOMPARE(desk.frame.findChild<QWidget *>(u"frame.status"_s)->height(), 26);
    }

    void digitsGoToPages()
    {
        Desk desk;
        desk.show();
        int number = 0;
        for (const auto &page : desk.frame.pages()) {
            QTest::keyClick(&desk.frame, Qt::Key(Qt::Key_1 + number++), Qt::ControlModifier);
            QTRY_COMPARE(desk.frame.currentPage(), page->id());
            auto *button = desk.frame.findChild<QToolButton *>(u"frame.rail."_s + page->id());
            QVERIFY(button->isChecked());
            QCOMPARE(button->accessibleName(), page->title());
            QVERIFY(button->toolTip().contains(QString::number(number)));
        }
    }

    void notesAndBannersNeverTakeTheFocus()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.frame.show();
        QVERIFY(QTest::qWaitForWindowActive(&bench.frame));
        QWidget *before = QApplication::focusWidget();
        QVERIFY(before);
        int mended = 0;
        bench.context.notifications().show(
            {.id = u"a"_s, .text = u"A note"_s, .detail = {}, .remedies = {{u"Mend"_s, [&] { ++mended; }}}});
        bench.context.notifications().setBanner(
            {.id = u"b"_s, .tone = Tone::Warn, .text = u"A banner"_s, .detail = {}, .remedies = {}});
        Desk::settle();
        QCOMPARE(QApplication::focusWidget(), before);
        auto *link = bench.frame.findChild<QPushButton *>(u"frame.note.a.remedy-1"_s);
        QVERIFY(link && link->isVisible());
        QTest::mouseClick(link, Qt::LeftButton);
        QCOMPARE(mended, 1);
        bench.context.notifications().dismiss(u"a"_s);
        Desk::settle();
        QVERIFY(!bench.frame.findChild<QWidget *>(u"frame.note.a"_s));
    }

    void aBannerIsBriefWhereItHasNoRoom()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.frame.resize(1360, 860);
        bench.frame.show();
        const QString text = u"On this machine, a run may use more memory than its limit for a moment; and 3 more. "
                             "Start a session with systemd, which gives each program a control group of its own."_s;
        bench.context.notifications().setBanner({.id = u"b"_s,
                                                 .tone = Tone::Warn,
                                                 .text = text,
                                                 .brief = u"4 protections are weaker here."_s,
                                                 .remedies = {{u"Show it in the doctor"_s, [] { }}},
                                                 .dismissible = true});
        Desk::settle();
        const auto *view = bench.frame.findChild<QWidget *>(u"frame.banner.b"_s);
        QVERIFY(view);
        const auto *words = view->findChild<QLabel *>();
        QTRY_COMPARE(words->text(), text);
        bench.theme.setTextScale(2);
        bench.frame.resize(900, 600);
        QTRY_COMPARE(words->text(), u"4 protections are weaker here."_s);
        Desk::settle();
        QVERIFY2(view->height() <= 3 * words->fontMetrics().lineSpacing(), qPrintable(QString::number(view->height())));
        QCOMPARE(view->toolTip(), text);
        QCOMPARE(view->accessibleName(), text);
        bench.theme.setTextScale(1);
        bench.frame.resize(1360, 860);
        QTRY_COMPARE(words->text(), text);
    }

    void aNoteMayDismissItselfFromItsOwnLink()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.frame.show();
        Notifications &notes = bench.context.notifications();
        notes.show(
            {.id = u"a"_s, .text = u"A"_s, .detail = {}, .remedies = {{u"Go"_s, [&] { notes.dismiss(u"a"_s); }}}});
        Desk::settle();
        QTest::mouseClick(bench.frame.findChild<QPushButton *>(u"frame.note.a.remedy-1"_s), Qt::LeftButton);
        QTRY_VERIFY(!bench.frame.findChild<QWidget *>(u"frame.note.a"_s));
    }

    void notesReplaceEachOtherAndAreClearedAtOnce()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.frame.show();
        QVERIFY(QTest::qWaitForWindowActive(&bench.frame));
        Notifications &notes = bench.context.notifications();
        notes.show({.tone = Tone::Ok, .text = u"Copied."_s});
        notes.show({.text = u"Saved."_s});
        QCOMPARE(notes.notes().size(), 1);
        notes.show({.tone = Tone::Warn, .text = u"Refused."_s, .stays = true});
        notes.show({.tone = Tone::Warn, .text = u"Refused."_s, .stays = true}); // one cause, one note
        QCOMPARE(notes.notes().size(), 1);
        auto *clear = bench.frame.findChild<QPushButton *>(u"frame.notes.clear"_s);
        QVERIFY(clear && !clear->isVisible());
        notes.show({.tone = Tone::Warn, .text = u"Another."_s, .stays = true});
        QTRY_VERIFY(clear->isVisible());
        QTest::mouseClick(clear, Qt::LeftButton);
        QVERIFY(notes.notes().isEmpty());
        QVERIFY(!bench.context.actions().trigger(u"frame.dismiss.all"_s));
    }

    // In every state of every page, and three notes at once.
    void notesCoverNoControl_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isMirrored");
        QTest::newRow("usual") << QSize(1360, 860) << false;
        QTest::newRow("mirrored") << QSize(1360, 860) << true;
        QTest::newRow("small") << QSize(900, 600) << false;
    }

    void notesCoverNoControl()
    {
        QFETCH(QSize, size);
        QFETCH(bool, isMirrored);
        QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
        const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
        Desk desk;
        desk.frame.resize(size);
        desk.show();
        desk.openEngine();
        Notifications &notes = desk.context.notifications();
        notes.clear();
        auto *area = desk.frame.findChild<QWidget *>(u"frame.notes"_s);
        QStringList found;
        const auto isPressed = [](const QWidget *widget) {
            return qobject_cast<const QAbstractButton *>(widget) || qobject_cast<const QLineEdit *>(widget)
                   || qobject_cast<const QComboBox *>(widget) || qobject_cast<const QTabBar *>(widget);
        };
        const auto inWindow = [](const QWidget *widget, const QRect &rect) {
            return rect.translated(widget->mapTo(widget->window(), QPoint()));
        };
        const auto covered = [&] {
            QStringList controls;
            for (const QWidget *widget : visibleWidgets(&desk.frame)) {
                if (area->isAncestorOf(widget) || !widget->isEnabled() || !isPressed(widget))
                    continue;
                if (inWindow(widget, widget->visibleRegion().boundingRect()).intersects(inWindow(area, area->rect())))
                    controls.append(describe(widget));
            }
            return controls;
        };
        desk.walk([&](const QString &name, const Page &) {
            notes.show({.id = u"a"_s, .tone = Tone::Warn, .text = u"The session shop is in use."_s, .stays = true});
            Desk::settle();
            std::ignore = QTest::qWaitFor([&] { return covered().isEmpty(); }); // they look for controls now and then
            QVERIFY(area->isVisible() && desk.frame.rect().contains(inWindow(area, area->rect())));
            for (const QString &control : covered())
                found.append(name + u": "_s + control);
            notes.clear();
        });
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }

    void theLayoutComesBack()
    {
        QTemporaryDir home;
        {
            Bench bench(home.path());
            bench.frame.show();
            QVERIFY(QTest::qWaitForWindowExposed(&bench.frame)); // the window manager has had its say
            bench.frame.resize(1000, 700);
            bench.busy->size = 42;
            bench.theme.setChoice(SchemeChoice::Dark);
            bench.theme.setTextScale(1.5);
            Desk::settle();
            bench.frame.closeWindow(false);
        }
        Bench again(home.path());
        QCOMPARE(again.frame.size(), QSize(1000, 700));
        QCOMPARE(again.busy->size, 42);
        QCOMPARE(again.theme.choice(), SchemeChoice::Dark);
        QCOMPARE(again.theme.textScale(), 1.5);
    }

    void aBrokenLayoutIsSaidAndTheUsualOneIsUsed()
    {
        QTemporaryDir home;
        QVERIFY(QDir().mkpath(home.path() + u"/data"_s));
        {
            Bench bench(home.path());
            bench.frame.resize(1000, 700);
            bench.frame.closeWindow(true);
        }
        QFile file(home.path() + u"/data/stash/layout"_s);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("nonsense") > 0);
        file.close();
        Bench again(home.path());
        QCOMPARE(again.frame.size(), QSize(1360, 860));
        QCOMPARE(again.context.notifications().notes().size(), 1);
        QVERIFY(QFile::exists(file.fileName() + u".broken-1"_s));
    }

    void closingStashesFirst()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        QSignalSpy closed(&bench.frame, &Frame::closed);
        bench.frame.show();
        bench.frame.close();
        QCOMPARE(closed.size(), 1);
        QVERIFY(bench.busy->stashed > 0);
        QVERIFY(!bench.frame.isVisible());
    }

    void closingAsksWhenItWouldEndSomething()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.busy->ends = u"A run is going on; closing stops it."_s;
        QSignalSpy closed(&bench.frame, &Frame::closed);
        bench.frame.show();
        QVERIFY(QTest::qWaitForWindowActive(&bench.frame));
        bench.frame.close();
        auto *question = bench.frame.findChild<QDialog *>(u"frame.close"_s);
        QVERIFY(question && question->isVisible());
        QVERIFY(bench.frame.isVisible());
        // Return ends nothing; Escape stays.
        QVERIFY(QTest::qWaitForWindowActive(question));
        for (QPushButton *button : question->findChildren<QPushButton *>())
            QVERIFY(!button->isDefault() && !button->autoDefault());
        QTest::keyClick(question, Qt::Key_Return);
        QVERIFY(closed.isEmpty());
        QTest::keyClick(question, Qt::Key_Escape);
        QTRY_VERIFY(!bench.frame.findChild<QDialog *>(u"frame.close"_s));
        QVERIFY(bench.frame.isVisible() && closed.isEmpty());
        bench.frame.close();
        QTest::mouseClick(bench.frame.findChild<QPushButton *>(u"frame.close.go"_s), Qt::LeftButton);
        QCOMPARE(closed.size(), 1);
    }

    void theQuestionFollowsWhatGoesOn()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.busy->ends = u"2 runs are going on; closing stops them."_s;
        QSignalSpy closed(&bench.frame, &Frame::closed);
        bench.frame.show();
        bench.frame.close();
        const QPointer<QDialog> question = bench.frame.findChild<QDialog *>(u"frame.close"_s);
        QVERIFY(question);
        const auto says = [&](const QString &sentence) {
            const QList<QLabel *> labels = question ? question->findChildren<QLabel *>() : QList<QLabel *>();
            return std::ranges::any_of(labels, [&](const QLabel *label) { return label->text() == sentence; });
        };
        QVERIFY(says(bench.busy->ends));
        bench.busy->ends = u"1 run is going on; closing stops it."_s;
        QTRY_VERIFY(says(bench.busy->ends));
        // The question stays where nothing is left to ask about, for a key that is on its way to it.
        bench.busy->ends.clear();
        QTRY_VERIFY(says(u"Nothing is left that closing would end."_s));
        QVERIFY(question->isVisible() && bench.frame.isVisible() && closed.isEmpty()); // nobody said yes
        QTest::mouseClick(question->findChild<QPushButton *>(u"frame.close.go"_s), Qt::LeftButton);
        QCOMPARE(closed.size(), 1);
    }

    void requestsAndFilesReachTheirPage()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.context.navigateTo(u"busy"_s, {{u"code"_s, u"print(1)"_s}});
        QCOMPARE(bench.busy->asked.value(u"code"_s).toString(), u"print(1)"_s);
        bench.frame.openFiles({u"/tmp/a.py"_s});
        QCOMPARE(bench.busy->opened, QStringList{u"/tmp/a.py"_s});
    }

    void anEngineThatCantOpenIsSaidWithTheWaysOut()
    {
        QTemporaryDir home;
        Bench bench(home.path());
        bench.frame.show();
        QSignalSpy retry(&bench.context, &WorkbenchContext::engineWanted);
        bench.context.setEngineError({ErrorCode::Damaged, Text("The settings in %1 are broken.", {u"/x"_s}), {}});
        auto *again = bench.frame.findChild<QPushButton *>(u"frame.trouble.retry"_s);
        QVERIFY(again && again->isVisible());
        QTest::mouseClick(again, Qt::LeftButton);
        QCOMPARE(retry.size(), 1);
        QTest::mouseClick(bench.frame.findChild<QPushButton *>(u"frame.trouble.edit"_s), Qt::LeftButton);
        QVERIFY(bench.busy->widget()->isVisible());
    }

    void stepsThatDoNotFitBesideEachOtherStandBelow()
    {
        MessagePane pane(u"pane"_s);
        for (const int many : {2, 4}) {
            QList<MessagePane::Step> steps;
            for (int i = 0; i < many; ++i)
                steps.append({QString::number(i), u"Keep them in a file with a passphrase…"_s, [] { }});
            pane.show(u"Something"_s, {u"A paragraph."_s}, {}, steps);
            pane.resize(900, 400);
            pane.QWidget::show();
            Desk::settle();
            const auto step = [&pane](int i) { return pane.findChild<QPushButton *>(u"pane.%1"_s.arg(i)); };
            for (int i = 0; i < many; ++i)
                QVERIFY(step(i)->width() >= step(i)->sizeHint().width());
            QCOMPARE(step(0)->y() == step(1)->y(), many == 2);
        }
    }

    void theEngineComesAfterTheWindowAndGoesAfterIt()
    {
        Desk desk;
        desk.show();
        auto *state = desk.frame.findChild<QToolButton *>(u"status.engine"_s);
        QCOMPARE(state->text(), u"Starting"_s);
        desk.openEngine();
        QTRY_COMPARE(state->text(), u"Ready"_s);
    }

    // A slow disk takes longer than what is read may take (3 s).
    void whatIsWrittenIsWaitedForAtTheEnd()
    {
        const QTemporaryDir folder;
        Bench bench(folder.path());
        EngineHost host(bench.context);
        const QSignalSpy closed(&host, &EngineHost::closed);
        std::atomic_bool isWritten = false;
        bench.context.pool().start([&isWritten] {
            std::this_thread::sleep_for(3500ms);
            isWritten = true;
        });
        host.close();
        QTRY_COMPARE_WITH_TIMEOUT(closed.size(), 1, 15'000);
        QVERIFY(isWritten);
        QVERIFY(!closed[0][0].toBool());
    }

    void f6GoesRoundTheWindow()
    {
        Desk desk;
        desk.show();
        QStringList places;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &desk.frame, Qt::Key_F6);
            places.append(QApplication::focusWidget() ? QApplication::focusWidget()->objectName().section(u'.', 0, 1)
                                                      : QString());
        }
        QVERIFY2(places.contains(u"frame.rail"_s), qPrintable(places.join(u' ')));
        QVERIFY2(places.contains(u"status.engine"_s), qPrintable(places.join(u' ')));
    }
};

GLOVEBOX_TEST_MAIN(TestFrame)
#include "tst_frame.moc"
