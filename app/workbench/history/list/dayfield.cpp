// SPDX-License-Identifier: Apache-2.0
#include "dayfield.h"

#include "app/workbench/shell/look.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using namespace std::chrono_literals;

constexpr auto pauseInDays = 250ms;

} // namespace

DayField::DayField(Theme &theme, QWidget *parent)
    : QLineEdit(parent)
{
    setPlaceholderText(tr("Any day"));
    setNames(this, u"history.filter.day"_s, tr("Show runs of these days"),
             tr("Days such as yesterday, Monday, 20 Nov, 2026-11-20 or 20 Nov – 25 Nov"));
    auto *choose = addAction(theme.icon(Icon::ChevronDown, Colour::Dim), QLineEdit::TrailingPosition);
    choose->setToolTip(tr("Choose days")); // a text would be one of the button, which has room for an icon
    for (auto *button : findChildren<QToolButton *>())
        button->setAccessibleName(choose->toolTip());
    connect(choose, &QAction::triggered, this, &DayField::showMenu);
    m_pause.setSingleShot(true);
    m_pause.setInterval(pauseInDays);
    connect(&m_pause, &QTimer::timeout, this, &DayField::read);
    connect(this, &QLineEdit::textChanged, this, [this] {
        if (std::exchange(m_isMistaken, false))
            Q_EMIT mistaken({});
        m_pause.start();
    });
}

std::optional<DayRange> DayField::days() const
{
    return text().isEmpty() || m_read.isEmpty() ? std::nullopt : daysFrom(m_read, QDate::currentDate());
}

void DayField::forget()
{
    const QSignalBlocker quiet(this);
    clear();
    m_read.clear();
    m_pause.stop();
    m_isMistaken = false;
}

// As wide as the longest of the words, and what stands for no days.
QSize DayField::sizeHint() const
{
    QSize size = QLineEdit::sizeHint();
    int widest = fontMetrics().horizontalAdvance(placeholderText());
    for (const QString &word : wordsForDays())
        widest = std::max(widest, fontMetrics().horizontalAdvance(word));
    constexpr int iconAndMargins = 44;
    size.setWidth(widest + iconAndMargins * fontMetrics().height() / 16);
    return size;
}

void DayField::showMenu()
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(u"history.filter.day.menu"_s);
    const auto add = [&](const QString &title, const QString &typed) {
        connect(menu->addAction(title), &QAction::triggered, this, [this, typed] {
            setText(typed);
            settle();
        });
    };
    add(placeholderText(), {});
    for (const QString &word : wordsForDays())
        add(word, word);
    menu->popup(mapToGlobal(QPoint(isRightToLeft() ? width() - menu->sizeHint().width() : 0, height())));
    menu->setActiveAction(menu->actions().constFirst());
}

void DayField::read()
{
    m_pause.stop();
    const QString typed = text().trimmed();
    if (!typed.isEmpty() && !daysFrom(typed, QDate::currentDate()))
        return;
    m_read = typed;
    Q_EMIT changed();
}

void DayField::settle()
{
    read();
    const QString typed = text().trimmed();
    m_isMistaken = m_read != typed;
    Q_EMIT mistaken(m_isMistaken ? tr("\"%1\" names no days. Type one, such as yesterday, Monday, 20 Nov or %2, or two "
                                      "with a dash between them.")
                                       .arg(typed.left(40), QDate::currentDate().toString(Qt::ISODate))
                                 : QString());
}

void DayField::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        settle();
        return;
    case Qt::Key_Escape:
        settle();
        Q_EMIT left();
        return;
    case Qt::Key_Down:
        showMenu();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

void DayField::focusOutEvent(QFocusEvent *event)
{
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason)
        settle();
}

} // namespace glovebox
