// SPDX-License-Identifier: Apache-2.0
// Held for every page: what can be used has a name, a role, an object name by the scheme, and is reached by keyboard.
#include "app/workbench/bench/policy/editors/popover.h"
#include "tests/app/workbench/desk/desk.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QLineEdit>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTabBar>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Qt's own helpers inside of a widget that has keys for the same: the crosses and arrows of a tab bar, the cross in a field.
bool isPartOfAnother(const QWidget *widget)
{
    const QWidget *parent = widget->parentWidget();
    return qobject_cast<const QTabBar *>(parent) || qobject_cast<const QLineEdit *>(parent)
           || (qobject_cast<const QAbstractItemView *>(parent) && qobject_cast<const QAbstractButton *>(widget));
}

// Of radio buttons Tab reaches one; arrow keys reach the others.
bool isReachedByArrowKeys(const QWidget *widget)
{
    const auto *radio = qobject_cast<const QRadioButton *>(widget);
    if (!radio || !radio->autoExclusive())
        return false;
    const auto siblings = radio->parentWidget()->findChildren<QRadioButton *>(QString(), Qt::FindDirectChildrenOnly);
    return std::ranges::any_of(siblings, [](const QRadioButton *other) { return other->focusPolicy() & Qt::TabFocus; });
}

bool canBeUsed(const QWidget *widget)
{
    if (isPartOfAnother(widget))
        return false;
    return (widget->focusPolicy() & Qt::TabFocus) || qobject_cast<const QAbstractButton *>(widget);
}

} // namespace

class TestAccessibility : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;

    void forEachPage(const std::function<void(const Page &)> &look)
    {
        m_desk->walk([&](const QString &, const Page &page) { look(page); });
    }

    // What Tab is to come to; also a list of which its rows leave nothing to be seen.
    QList<QWidget *> stops() const
    {
        QList<QWidget *> stops = m_desk->frame.findChildren<QWidget *>();
        stops.removeIf([&](const QWidget *widget) {
            return !(widget->focusPolicy() & Qt::TabFocus) || !widget->isEnabled() || !widget->isVisible()
                   || widget->focusProxy() || widget->window() != &m_desk->frame || isPartOfAnother(widget)
                   || isReachedByArrowKeys(widget);
        });
        return stops;
    }

    // There and back, as often as a person might press; a text that takes the Tab key itself is left by F6.
    QStringList notReachedByTab() const
    {
        constexpr int most = 200;
        QSet<const QWidget *> reached;
        for (int step = 0; step < 2 * most; ++step) {
            QWidget *before = QApplication::focusWidget();
            if (!before)
                return {u"the keyboard is nowhere"_s};
            reached.insert(before);
            const bool isBack = step >= most;
            QTest::keyClick(before, isBack ? Qt::Key_Backtab : Qt::Key_Tab,
                            isBack ? Qt::ShiftModifier : Qt::NoModifier);
            if (QApplication::focusWidget() == before)
                QTest::keyClick(before, Qt::Key_F6);
            if (QApplication::focusWidget() == before)
                return {u"held by "_s + describe(before)};
        }
        QStringList findings;
        for (const QWidget *widget : stops()) {
            if (!reached.contains(widget))
                findings.append(u"Tab doesn't come to "_s + describe(widget));
        }
        return findings;
    }

    QStringList notReachedByF6(const Page &page) const
    {
        constexpr int most = 20;
        QList<const QWidget *> reached;
        for (int step = 0; step < most && QApplication::focusWidget(); ++step) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
            reached.append(QApplication::focusWidget());
        }
        QStringList findings;
        for (const QWidget *area : page.areas()) {
            const auto isIn = [area](const QWidget *widget) { return area == widget || area->isAncestorOf(widget); };
            if (std::ranges::any_of(stops(), isIn) && std::ranges::none_of(reached, isIn))
                findings.append(u"F6 doesn't come to "_s + describe(area));
        }
        return findings;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_desk = std::make_unique<Desk>();
        m_desk->show();
        m_desk->openEngine();
        m_desk->runExample();
        m_desk->context.notifications().show(
            {.id = u"note"_s, .text = u"A note."_s, .detail = {}, .remedies = {{u"Go"_s, [] { }}}, .stays = true});
        Desk::settle();
    }

    void cleanupTestCase() { m_desk.reset(); }

    void whatCanBeUsedHasANameAndARole()
    {
        QStringList findings;
        forEachPage([&](const Page &) {
            const auto widgets = visibleWidgets(&m_desk->frame);
            for (QWidget *widget : widgets) {
                if (!canBeUsed(widget))
                    continue;
                QAccessibleInterface *accessible = QAccessible::queryAccessibleInterface(widget);
                if (!accessible || accessible->text(QAccessible::Name).isEmpty())
                    findings.append(u"no name: "_s + describe(widget));
                else if (accessible->role() == QAccessible::NoRole)
                    findings.append(u"no role: "_s + describe(widget));
            }
        });
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
    }

    void objectNamesFollowTheScheme()
    {
        // <page or frame>.<part>[.<detail>...], and no name twice on one page.
        static const QRegularExpression scheme(u"\\A[a-z]+(\\.[a-z0-9]+(-[a-z0-9]+)*)*\\z"_s);
        QStringList findings;
        forEachPage([&](const Page &page) {
            QStringList seen;
            const auto widgets = visibleWidgets(&m_desk->frame);
            for (const QWidget *widget : widgets) {
                const QString name = widget->objectName();
                if (name.isEmpty() && !canBeUsed(widget))
                    continue;
                if (qobject_cast<const QTabBar *>(widget->parent()))
                    continue; // Qt names the arrows of a row of tabs that scrolls
                const QString owner = name.section(u'.', 0, 0);
                if (!scheme.match(name).hasMatch())
                    findings.append(u"not by the scheme: "_s + describe(widget));
                else if (owner != page.id() && owner != "frame"_L1 && owner != "status"_L1)
                    findings.append(u"of another page: "_s + describe(widget));
                else if (seen.contains(name))
                    findings.append(u"twice: "_s + describe(widget));
                seen.append(name);
            }
        });
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
    }

    void whatCanBeUsedIsReachedByTab()
    {
        QStringList findings;
        forEachPage([&](const Page &) {
            const auto widgets = visibleWidgets(&m_desk->frame);
            // What Tab goes through, from where the focus is now; a text that takes the Tab key itself is left by F6.
            QSet<const QWidget *> reached;
            const QWidget *start = &m_desk->frame;
            for (const QWidget *w = start->nextInFocusChain(); w && w != start; w = w->nextInFocusChain()) {
                if (w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus)
                    && w->window() == &m_desk->frame)
                    reached.insert(w->focusProxy() ? w->focusProxy() : w);
            }
            for (const QWidget *widget : widgets) {
                if (canBeUsed(widget) && widget->isEnabled() && !reached.contains(widget) && !widget->focusProxy()
                    && !isReachedByArrowKeys(widget))
                    findings.append(u"not reached: "_s + describe(widget));
            }
        });
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
    }

    void whatTheKeyboardScrollsIsSeen()
    {
        int areas = 0;
        forEachPage([&](const Page &) {
            for (QWidget *widget : visibleWidgets(&m_desk->frame)) {
                auto *area = qobject_cast<QScrollArea *>(widget);
                if (!area || !(area->focusPolicy() & Qt::TabFocus))
                    continue;
                ++areas;
                area->window()->setAttribute(Qt::WA_KeyboardFocusChange);
                if (QWidget *focused = QApplication::focusWidget())
                    focused->clearFocus();
                const QImage before = area->grab().toImage();
                area->setFocus(Qt::TabFocusReason);
                QVERIFY2(area->hasFocus() && area->grab().toImage() != before, qPrintable(describe(area)));
            }
        });
        QVERIFY(areas > 0);
    }

    void whatHasTheKeyboardShowsIt()
    {
        constexpr int ring = 4; // px that it may stand around
        QStringList findings;
        int looked = 0;
        forEachPage([&](const Page &) {
            for (const QPointer<QWidget> widget : visibleWidgets(&m_desk->frame)) {
                if (!widget || !(widget->focusPolicy() & Qt::TabFocus) || !widget->isEnabled() || widget->focusProxy()
                    || isPartOfAnother(widget) || widget->window() != &m_desk->frame)
                    continue;
                m_desk->frame.setAttribute(Qt::WA_KeyboardFocusChange);
                if (QWidget *focused = QApplication::focusWidget())
                    focused->clearFocus();
                const auto look = [&] {
                    return widget->parentWidget()
                        ->grab(widget->geometry().adjusted(-ring, -ring, ring, ring))
                        .toImage();
                };
                const QImage before = look();
                widget->setFocus(Qt::TabFocusReason);
                ++looked;
                if (!widget->hasFocus())
                    findings.append(u"takes no focus: "_s + describe(widget));
                else if (look() == before)
                    findings.append(u"shows no focus: "_s + describe(widget));
            }
        });
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
        QVERIFY(looked > 100);
    }

    void noPageHoldsTheFocus()
    {
        forEachPage([&](const Page &page) {
            const QPointer<QWidget> focus = QApplication::focusWidget();
            QVERIFY2(focus, qPrintable(page.id() + u" puts the focus nowhere"_s));
            const QString name = describe(focus);
            QTest::keyClick(focus, Qt::Key_F6);
            Desk::settle();
            QVERIFY2(QApplication::focusWidget() != focus || !focus,
                     qPrintable(page.id() + u": F6 doesn't leave "_s + name));
        });
    }

    void keysAloneComeToEach_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("usual") << m_desk->frame.size();
        QTest::newRow("smallest") << QSize(640, 480);
    }

    void keysAloneComeToEach()
    {
        QFETCH(QSize, size);
        const QSize before = m_desk->frame.size();
        m_desk->frame.resize(size);
        QStringList findings;
        m_desk->walk([&](const QString &name, const Page &page) {
            for (const Popover *sheet : m_desk->frame.findChildren<Popover *>()) {
                if (sheet->isVisible())
                    return; // has a circle of its own, which Escape leaves
            }
            const QPointer<QWidget> focus = QApplication::focusWidget();
            QStringList found = notReachedByTab();
            found += notReachedByF6(page);
            for (const QString &finding : found)
                findings.append(name + u": "_s + finding);
            if (focus)
                focus->setFocus(); // the walk goes on with its keys
        });
        m_desk->frame.resize(before);
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
    }

    void everyActionInAButtonSaysItsKeys()
    {
        // A button without words has a tool tip.
        QStringList findings;
        forEachPage([&](const Page &) {
            const auto widgets = visibleWidgets(&m_desk->frame);
            for (const QWidget *widget : widgets) {
                const auto *button = qobject_cast<const QAbstractButton *>(widget);
                if (button && !isPartOfAnother(widget) && button->text().isEmpty() && button->toolTip().isEmpty())
                    findings.append(u"no tool tip: "_s + describe(widget));
            }
        });
        findings.removeDuplicates();
        QVERIFY2(findings.isEmpty(), qPrintable(u'\n' + findings.join(u'\n')));
    }
};

GLOVEBOX_TEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
