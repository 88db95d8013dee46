// SPDX-License-Identifier: Apache-2.0
#include "popover.h"

#include "app/workbench/shell/look.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

namespace {

constexpr int shadow = Space::m; // px around the sheet, which its shadow falls on
constexpr int margin = shadow + Space::l;
constexpr int ring = Space::focusRing; // of what has the focus at the edge: the area would clip it

bool isReturn(const QKeyEvent &key)
{
    return key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
}

} // namespace

Popover::Popover(Theme &theme, QWidget *anchor, const QString &objectName, const QString &name, int width)
    : QFrame(anchor->window())
    , m_theme(theme)
    , m_anchor(anchor)
    , m_before(QApplication::focusWidget())
    , m_area(new QScrollArea(this))
    , m_content(new QVBoxLayout)
    , m_width(width)
{
    setNames(this, objectName, name);
    setAttribute(Qt::WA_DeleteOnClose);
    setAutoFillBackground(false);
    setFocusPolicy(Qt::ClickFocus);
    auto *around = columnIn(this, Space::s, {margin - ring, margin - ring, margin - ring, margin - ring});
    around->addWidget(m_area);
    scrollDownOnly(m_area, Colour::Raised);
    m_area->setFocusPolicy(Qt::NoFocus);
    auto *sheet = new QWidget(m_area);
    setBackground(sheet, Colour::Raised);
    sheet->setLayout(m_content);
    sheet->setMinimumHeight(1); // or it is as high as its sentences would be where they are narrowest
    m_content->setContentsMargins(ring, ring, ring, ring);
    m_content->setSpacing(Space::s);
    m_area->setWidget(sheet);
    hide();
    connect(&theme, &Theme::changed, this, &Popover::place);
    connect(anchor, &QObject::destroyed, this, &QWidget::close);
}

void Popover::open(QWidget *first)
{
    place();
    show();
    raise();
    if (first)
        first->setFocus(Qt::PopupFocusReason);
    else
        setFocus(Qt::PopupFocusReason);
    qApp->installEventFilter(this);
}

void Popover::close(bool giveBack)
{
    qApp->removeEventFilter(this);
    QWidget *to = m_before && m_before->isVisible() && !isAncestorOf(m_before) ? m_before : m_anchor;
    if (giveBack && to)
        to->setFocus(Qt::PopupFocusReason);
    QFrame::close();
}

void Popover::place()
{
    if (!m_anchor)
        return;
    const QWidget *frame = parentWidget();
    const int widest = std::max(200, frame->width() - 2 * Space::s);
    const QWidget *sheet = m_area->widget();
    const int whole = sheet->minimumSizeHint().width() + 2 * (margin - ring); // of words that don't wrap
    const int width = std::min(std::max(m_theme.scaled(m_width), whole), widest);
    setFixedWidth(width);
    const int wanted =
        sheet->hasHeightForWidth() ? sheet->heightForWidth(width - 2 * (margin - ring)) : sheet->sizeHint().height();
    const int height = std::min(wanted + 2 * (margin - ring), frame->height());
    // Where all of it fits there is no bar, also none that stays from when it didn't yet.
    m_area->setVerticalScrollBarPolicy(wanted + 2 * (margin - ring) <= frame->height() ? Qt::ScrollBarAlwaysOff
                                                                                       : Qt::ScrollBarAsNeeded);
    const QRect anchor(m_anchor->mapTo(frame, QPoint()), m_anchor->size());
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    int x = mirrored ? anchor.right() - width + shadow : anchor.left() - shadow;
    x = std::clamp(x, 0, std::max(0, frame->width() - width));
    int y = anchor.bottom() + Space::s - shadow;
    if (y + height > frame->height())
        y = std::max(0, frame->height() - height);
    setGeometry(x, y, width, height);
}

void Popover::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF sheet = QRectF(rect()).adjusted(shadow + 0.5, shadow + 0.5, -shadow - 0.5, -shadow - 0.5);
    painter.setPen(Qt::NoPen);
    for (int i = shadow; i > 0; --i) {
        QColor dark(Qt::black);
        dark.setAlphaF(0.018F);
        painter.setBrush(dark);
        painter.drawRoundedRect(sheet.adjusted(-i, -i + 3, i, i), Space::dialogRadius + i, Space::dialogRadius + i);
    }
    painter.setPen(QPen(m_theme.colour(Colour::Line), Space::line));
    painter.setBrush(m_theme.colour(Colour::Raised));
    painter.drawRoundedRect(sheet, Space::dialogRadius, Space::dialogRadius);
}

void Popover::keyPressEvent(QKeyEvent *event)
{
    QWidget *focused = focusWidget();
    if (event->key() == Qt::Key_Escape)
        close(true);
    else if (isReturn(*event) && (qobject_cast<QPushButton *>(focused) || qobject_cast<QToolButton *>(focused)))
        static_cast<QAbstractButton *>(focused)->click(); // as in any dialog
    else
        event->accept(); // nothing that is typed here is meant for what lies below
}

// Tab stays inside: it is a small dialog.
bool Popover::focusNextPrevChild(bool next)
{
    QList<QWidget *> stops;
    for (QWidget *child : findChildren<QWidget *>()) {
        if ((child->focusPolicy() & Qt::TabFocus) && child->isVisible() && child->isEnabled() && !child->focusProxy())
            stops.append(child);
    }
    if (stops.isEmpty())
        return true;
    const qsizetype current = stops.indexOf(focusWidget());
    const qsizetype step = next ? 1 : -1;
    stops[(current + step + stops.size()) % stops.size()]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

bool Popover::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        auto *widget = qobject_cast<QWidget *>(watched);
        if (!widget || widget->window() != window() || widget == this || isAncestorOf(widget))
            break;
        // A press on the anchor closes it, and doesn't open it again.
        const bool onAnchor = m_anchor && (widget == m_anchor || m_anchor->isAncestorOf(widget));
        close(onAnchor);
        return onAnchor;
    }
    case QEvent::KeyRelease:
        m_released = static_cast<QKeyEvent *>(event)->timestamp();
        break;
    case QEvent::KeyPress: {
        // A key that is held does one thing: the sheet, or a button, may be where it is held by now. X11 repeats it by a
        // release and a press of the same time, which Qt 6.4 doesn't always take for a repetition.
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool isHeld = key->isAutoRepeat() || (key->timestamp() != 0 && key->timestamp() == m_released);
        auto *widget = qobject_cast<QWidget *>(watched);
        if (isHeld && isReturn(*key) && widget && (widget == this || isAncestorOf(widget)))
            return true;
        break;
    }
    case QEvent::LayoutRequest:
        if (watched == m_area->widget())
            place(); // a sentence in it got longer
        break;
    case QEvent::Resize:
        if (watched == parentWidget())
            place();
        break;
    case QEvent::FocusIn: {
        auto *widget = qobject_cast<QWidget *>(watched);
        if (widget && widget->window() == window() && widget != this && !isAncestorOf(widget) && isVisible())
            close(false);
        break;
    }
    default:
        break;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace glovebox
