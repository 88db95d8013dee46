// SPDX-License-Identifier: Apache-2.0
// The registry of actions, the command palette over it, and that no two shortcuts of the real program collide.
#include "app/workbench/shell/frame/fuzzy.h"
#include "tests/app/workbench/desk/desk.h"

#include <QLineEdit>
#include <QListView>
#include <QRegularExpression>
#include <QScopeGuard>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestActions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noShortcutOfTheProgramMeansTwoThings()
    {
        Desk desk;
        QCOMPARE(desk.context.actions().conflicts(), QStringList());
    }

    void conflictsAreFound()
    {
        ActionRegistry actions;
        const QList<QKeySequence> keys{QKeySequence(u"Ctrl+K"_s)};
        actions.add({.id = u"frame.a"_s, .text = u"A"_s, .shortcuts = keys}, [] { });
        actions.add({.id = u"one.b"_s, .text = u"B"_s, .shortcuts = keys, .page = u"one"_s}, [] { });
        QCOMPARE(actions.conflicts(), QStringList{u"Ctrl+K: frame.a, one.b"_s});
    }

    void theSameKeysOnTwoPagesAreNoConflict()
    {
        ActionRegistry actions;
        const QList<QKeySequence> keys{QKeySequence(Qt::Key_F5)};
        actions.add({.id = u"one.a"_s, .text = u"A"_s, .shortcuts = keys, .page = u"one"_s}, [] { });
        actions.add({.id = u"two.a"_s, .text = u"A"_s, .shortcuts = keys, .page = u"two"_s}, [] { });
        QCOMPARE(actions.conflicts(), QStringList());
    }

    void theFirstStrokeOfALongerShortcutIsAConflictToo()
    {
        ActionRegistry actions;
        actions.add({.id = u"frame.a"_s, .text = u"A"_s, .shortcuts = {QKeySequence(u"Ctrl+K"_s)}}, [] { });
        actions.add({.id = u"frame.b"_s, .text = u"B"_s, .shortcuts = {QKeySequence(u"Ctrl+K, Ctrl+C"_s)}}, [] { });
        QCOMPARE(actions.conflicts().size(), 1);
    }

    void idsFollowTheScheme()
    {
        Desk desk;
        static const QRegularExpression scheme(u"\\A[a-z]+(\\.[a-z0-9-]+)+\\z"_s);
        const QStringList ids = desk.context.actions().ids();
        for (const QString &id : ids) {
            QVERIFY2(scheme.match(id).hasMatch(), qPrintable(id));
            const QString owner = id.section(u'.', 0, 0);
            QVERIFY2(owner == "frame"_L1 || desk.frame.page(owner), qPrintable(id));
            QVERIFY2(!desk.context.actions().action(id)->text().isEmpty(), qPrintable(id));
        }
    }

    void anActionFollowsItsPageAndItsState()
    {
        ActionRegistry actions;
        bool able = false;
        int done = 0;
        QAction *action = actions.add(
            {.id = u"one.a"_s, .text = u"A"_s, .page = u"one"_s, .scope = {}, .enabled = [&] { return able; }},
            [&] { ++done; });
        actions.setCurrentPage(u"one"_s);
        QVERIFY(!action->isEnabled());
        able = true;
        actions.refresh();
        QTRY_VERIFY(action->isEnabled());
        QVERIFY(actions.trigger(u"one.a"_s));
        actions.setCurrentPage(u"two"_s);
        QVERIFY(!actions.trigger(u"one.a"_s));
        QCOMPARE(done, 1);
    }

    void aFewLettersFindTheWords_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<bool>("found");
        QTest::newRow("initials") << u"cltb"_s << true;
        QTest::newRow("words") << u"close tab"_s << true;
        QTest::newRow("upper case") << u"CLOSE"_s << true;
        QTest::newRow("wrong order") << u"tabclose"_s << false;
        QTest::newRow("nothing typed") << QString() << true;
        QTest::newRow("too long") << u"close the tab"_s << false;
    }

    void aFewLettersFindTheWords()
    {
        QFETCH(QString, pattern);
        QFETCH(bool, found);
        QCOMPARE(fuzzyMatch(pattern, u"Close tab"_s).has_value(), found);
    }

    void startsOfWordsCountMore()
    {
        const auto initials = fuzzyMatch(u"ct"_s, u"Close tab"_s);
        const auto inside = fuzzyMatch(u"ct"_s, u"Direct text"_s);
        QVERIFY(initials && inside);
        QVERIFY(initials->score > inside->score);
        QCOMPARE(initials->positions, (QList<int>{0, 6}));
    }

    void lettersInARowCountMost()
    {
        const auto match = fuzzyMatch(u"window"_s, u"In a window of its own"_s);
        QVERIFY(match);
        QCOMPARE(match->positions, (QList<int>{5, 6, 7, 8, 9, 10}));
    }

    void thePaletteIsUsedByKeyboardAlone()
    {
        Desk desk;
        desk.show();
        desk.frame.showPage(u"doctor"_s);
        QWidget *before = QApplication::focusWidget();
        QVERIFY(before);
        QTest::keyClick(before, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto *field = desk.frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTRY_VERIFY(field->isVisible() && field->hasFocus());
        QTest::keyClicks(field, u"dark col"_s);
        auto *list = desk.frame.findChild<QListView *>(u"frame.palette.list"_s);
        QCOMPARE(list->currentIndex().data().toString(), u"Use dark colours"_s);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(desk.theme.scheme(), Scheme::Dark);
        QVERIFY(!field->isVisible());
        QCOMPARE(QApplication::focusWidget(), before);
    }

    void aMirroredPaletteHasItsKeysApart()
    {
        QApplication::setLayoutDirection(Qt::RightToLeft);
        const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
        Desk desk;
        desk.show();
        desk.context.actions().trigger(u"frame.palette"_s);
        auto *field = desk.frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTRY_VERIFY(field->isVisible());
        QTest::keyClicks(field, u"next part"_s);
        auto *list = desk.frame.findChild<QListView *>(u"frame.palette.list"_s);
        QCOMPARE(list->currentIndex().data().toString(), u"Go to the next part of the window"_s);
        const QRect row = list->visualRect(list->currentIndex());
        const QImage picture = list->viewport()->grab(row).toImage();
        const QColor wash = desk.theme.colour(Colour::AccentWash);
        const auto isBlank = [&](int from, int to) {
            for (int x = from; x < to; ++x) {
                for (int y = 4; y < picture.height() - 4; ++y) {
                    if (picture.pixelColor(x, y) != wash)
                        return false;
                }
            }
            return true;
        };
        QVERIFY(!isBlank(picture.width() - 40, picture.width() - 8)); // the command begins at the right
        QVERIFY(!isBlank(8, 40)); // its key is at the left
        QVERIFY(isBlank(60, 120)); // and nothing is between
    }

    void otherWordsComeBeforeLettersHereAndThere()
    {
        Desk desk;
        desk.show();
        desk.openEngine();
        desk.frame.showPage(u"bench"_s);
        desk.context.actions().trigger(u"frame.palette"_s);
        auto *field = desk.frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTRY_VERIFY(field->isVisible());
        auto *list = desk.frame.findChild<QListView *>(u"frame.palette.list"_s);
        const auto placeOf = [&](const QString &text) {
            for (int row = 0; row < list->model()->rowCount(); ++row) {
                if (list->model()->index(row, 0).data().toString() == text)
                    return row;
            }
            return -1;
        };
        QTest::keyClicks(field, u"clear"_s);
        const int meant = placeOf(u"Everything that a run may use back to the default"_s); // "clear" is a word for it
        const int scattered = placeOf(u"Close brackets and quotes while typing, or not"_s);
        QVERIFY(meant >= 0 && scattered > meant);
    }

    void escapeLeavesThePaletteAndNothingElse()
    {
        Desk desk;
        desk.show();
        QWidget *before = QApplication::focusWidget();
        desk.context.actions().trigger(u"frame.palette"_s);
        auto *field = desk.frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTRY_VERIFY(field->hasFocus());
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->isVisible());
        QCOMPARE(QApplication::focusWidget(), before);
    }

    void thePaletteShowsOnlyWhatCanBeDoneNow()
    {
        Desk desk;
        desk.show();
        desk.context.actions().trigger(u"frame.palette"_s);
        auto *field = desk.frame.findChild<QLineEdit *>(u"frame.palette.field"_s);
        QTRY_VERIFY(field->isVisible());
        auto *list = desk.frame.findChild<QListView *>(u"frame.palette.list"_s);
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QString id = list->model()->index(row, 0).data(Qt::UserRole + 3).toString();
            QVERIFY2(desk.context.actions().action(id)->isEnabled(), qPrintable(id));
        }
        QTest::keyClicks(field, u"dismiss the newest"_s); // there is no note
        QCOMPARE(list->model()->rowCount(), 0);
    }
};

GLOVEBOX_TEST_MAIN(TestActions)
#include "tst_actions.moc"
