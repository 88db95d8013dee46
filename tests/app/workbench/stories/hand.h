// SPDX-License-Identifier: Apache-2.0
// A person's hands and eyes: real keys and a real mouse (XTEST, by xdotool), which reach the window through the X server and the
// window manager, and only what can be seen is found.
#pragma once

#include "tests/app/workbench/bench/benchseat.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QProcess>
#include <QTabBar>

#include <utility>

namespace glovebox {

class Hand : protected BenchSeat
{
protected:
    // Also in popovers and dialogs, which are windows of their own.
    template<typename Widget> Widget *see(const QString &name)
    {
        const QWidgetList all = QApplication::allWidgets();
        for (QWidget *widget : all) {
            if (auto *found = qobject_cast<Widget *>(widget);
                found && widget->objectName() == name && widget->isVisible())
                return found;
        }
        return nullptr;
    }
    // The words of all labels that can be seen below the widget of this name.
    QString wordsIn(const QString &name)
    {
        QStringList words;
        if (const auto *widget = see<QWidget>(name)) {
            for (const QLabel *label : widget->findChildren<QLabel *>()) {
                if (label->isVisible())
                    words.append(label->text());
            }
        }
        return words.join(u'\n');
    }

    // The window manager has put its window in front, which may take a while: what is typed before goes to another one.
    bool hasKeyboard(const QString &name)
    {
        const auto *widget = see<QWidget>(name);
        return widget && widget->hasFocus();
    }

    bool press(const QString &keys) { return act({QStringLiteral("key"), keys}); }
    bool press(const QString &keys, int times)
    {
        return act({QStringLiteral("key"), QStringLiteral("--repeat"), QString::number(times), keys});
    }
    bool write(const QString &text)
    {
        return act({QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("4"), text});
    }
    bool click(const QWidget *widget, const QPoint &at)
    {
        if (!widget)
            return false;
        const QPoint there = widget->mapToGlobal(at);
        return act({QStringLiteral("mousemove"), QString::number(there.x()), QString::number(there.y()),
                    QStringLiteral("click"), QStringLiteral("1")});
    }
    // Held long enough before it moves and before it is let go that the one has a copy and the other takes it. One program, as nothing
    // else goes on here until it is let go.
    bool drag(const QWidget *from, const QPoint &at, const QWidget *to, const QPoint &there)
    {
        if (!from || !to)
            return false;
        const QPoint begin = from->mapToGlobal(at), end = to->mapToGlobal(there);
        QStringList acts;
        const auto move = [&](const QPoint &place) {
            acts << QStringLiteral("mousemove") << QString::number(place.x()) << QString::number(place.y())
                 << QStringLiteral("sleep") << QStringLiteral("0.2");
        };
        move(begin);
        acts << QStringLiteral("mousedown") << QStringLiteral("1");
        for (const QPoint &place : {begin + QPoint(15, 5), begin + QPoint(30, 8), begin + QPoint(40, 8),
                                    (begin + end) / 2, end - QPoint(5, 5), end})
            move(place);
        return act(acts << QStringLiteral("sleep") << QStringLiteral("0.3") << QStringLiteral("mouseup")
                        << QStringLiteral("1"));
    }
    // In the middle; waits until the widget is there and answers.
    bool click(const QString &name) { return clickAt(name, {}); }
    // The mark itself: what is right of a box's words doesn't answer.
    bool check(const QString &name) { return clickAt(name, 10); }

    bool clickTab(const QString &bar, const QString &title)
    {
        const auto *tabs = see<QTabBar>(bar);
        for (int i = 0; tabs && i < tabs->count(); ++i) {
            if (tabs->tabText(i).startsWith(title))
                return click(tabs, tabs->tabRect(i).center());
        }
        qWarning("No tab: %s", qPrintable(title));
        return false;
    }
    // On the cell, or on its check mark.
    enum class Cell { Text, CheckMark };
    bool clickRow(const QString &list, int row, Cell place = Cell::Text)
    {
        const auto *view = see<QAbstractItemView>(list);
        if (!view || row >= view->model()->rowCount())
            return false;
        const QRect cell = view->visualRect(view->model()->index(row, 0));
        const QPoint at = place == Cell::Text ? cell.center() : QPoint(cell.left() + 12, cell.center().y());
        return click(view->viewport(), at);
    }

    bool isRunDone(int runs)
    {
        return QTest::qWaitFor(
            [this, runs] { return int(tab()->runs().runs().size()) == runs && tab()->runs().current()->isDone(); },
            30'000);
    }

private:
    bool clickAt(const QString &name, std::optional<int> x)
    {
        QPoint before;
        const auto isThere = [&] { // and stays where it is
            const auto *widget = see<QWidget>(name);
            const QPoint now = widget ? widget->mapToGlobal(QPoint()) : QPoint();
            return std::exchange(before, now) == now && widget && widget->isEnabled();
        };
        if (!QTest::qWaitFor(isThere, 20'000)) {
            qWarning("Nothing to click: %s", qPrintable(name));
            return false;
        }
        const auto *widget = see<QWidget>(name);
        return click(widget, {x.value_or(widget->width() / 2), widget->height() / 2});
    }

    static bool act(const QStringList &arguments)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QStringLiteral("xdotool"), arguments);
        // The window lives meanwhile.
        const bool isDone = QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 20'000);
        Desk::settle();
        return isDone && process.exitCode() == 0;
    }
};

} // namespace glovebox
