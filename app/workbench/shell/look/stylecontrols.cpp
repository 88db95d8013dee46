// SPDX-License-Identifier: Apache-2.0
// How buttons, tabs, fields and scroll bars are drawn and how large they are.
#include "style.h"

#include "roles.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QSpinBox>
#include <QStyleOption>
#include <QtMath>

namespace glovebox {
namespace {

bool isFlat(ButtonLook look)
{
    return look == ButtonLook::Link || look == ButtonLook::Word;
}

// Words run as they are written, also where the window is mirrored: "256 MB" isn't "MB 256" in any language.
Qt::LayoutDirection directionOf(const QString &text)
{
    return text.isRightToLeft() ? Qt::RightToLeft : Qt::LeftToRight;
}

bool focusIsShown(const QStyleOption *option)
{
    return option->state.testFlag(QStyle::State_HasFocus) && option->state.testFlag(QStyle::State_KeyboardFocusChange);
}

} // namespace

void Style::drawButtonBack(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const ButtonLook look = lookOf(widget);
    const bool enabled = option->state.testFlag(State_Enabled);
    const bool down = option->state.testFlag(State_Sunken);
    const bool on = option->state.testFlag(State_On);
    const bool hovered = enabled && option->state.testFlag(State_MouseOver);
    const QRect rect = option->rect;
    switch (look) {
    case ButtonLook::Primary:
        if (!enabled) {
            drawBox(rect, painter, colour(Colour::Raised), colour(Colour::Line), Space::radius);
        } else {
            QColor fill = colour(Colour::Accent);
            if (down || hovered) // towards the text on it would cost contrast: away from it
                fill =
                    m_theme.scheme() == Scheme::Light ? fill.darker(down ? 125 : 112) : fill.lighter(down ? 116 : 108);
            drawBox(rect, painter, fill, {}, Space::radius);
        }
        break;
    case ButtonLook::Normal:
        drawBox(rect, painter, colour(down || on || hovered ? Colour::Pressed : Colour::Raised),
                colour(widget && widget->inherits("QComboBox") ? Colour::Edge : Colour::Line), Space::radius);
        break;
    case ButtonLook::InStatusBar:
    case ButtonLook::Quiet:
        if (on || down || hovered)
            drawBox(rect, painter, colour(Colour::Pressed), {}, Space::radius);
        break;
    case ButtonLook::Rail:
        if (on)
            drawBox(rect, painter, colour(Colour::AccentWash), {}, Space::s);
        else if (down || hovered)
            drawBox(rect, painter, colour(Colour::Pressed), {}, Space::s);
        if (on && m_theme.scheme() == Scheme::HighContrast)
            drawBox(rect, painter, {}, colour(Colour::Accent), Space::s);
        break;
    case ButtonLook::Badge: {
        const bool sealed = toneOf(widget, Colour::Accent) == colour(Colour::Accent);
        drawBox(rect, painter, sealed ? colour(Colour::AccentWash) : colour(Colour::Raised),
                sealed ? QColor() : toneOf(widget, Colour::Accent), Space::radius);
        break;
    }
    case ButtonLook::Link:
    case ButtonLook::Word:
        break;
    }
    if (focusIsShown(option)) {
        if (look == ButtonLook::Primary) // the ring must be told from the fill
            drawBox(rect.adjusted(3, 3, -3, -3), painter, {}, colour(Colour::OnAccent), Space::radius - 2);
        else
            drawRing(rect, painter, Space::radius);
    }
}

// Qt marks a letter of its own dialogs' buttons; ours show what they are given, names of files too.
static QString withoutMark(const QString &text, const QWidget *widget)
{
    if (!widget
        || (!qobject_cast<const QFileDialog *>(widget->window())
            && !qobject_cast<const QMessageBox *>(widget->window())))
        return text;
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text.at(i) == u'&' && i + 1 < text.size())
            ++i;
        plain += text.at(i);
    }
    return plain;
}

void Style::drawButtonLabel(const QStyleOption *option, const QString &given, const QIcon &icon, const QSize &iconSize,
                            bool hasMenu, QPainter *painter, const QWidget *widget) const
{
    const QString text = withoutMark(given, widget);
    const ButtonLook look = lookOf(widget);
    const bool enabled = option->state.testFlag(State_Enabled);
    const bool on = option->state.testFlag(State_On);
    QColor ink = option->palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText);
    if (enabled) {
        if (look == ButtonLook::Primary)
            ink = colour(Colour::OnAccent);
        else if (look == ButtonLook::Link || look == ButtonLook::Badge || look == ButtonLook::InStatusBar)
            ink = toneOf(widget, Colour::Accent);
        else if (look == ButtonLook::Quiet)
            ink = toneOf(widget, on || option->state.testFlag(State_MouseOver) ? Colour::Text : Colour::Dim);
    }

    const QFontMetrics metrics = option->fontMetrics;
    const int gap = text.isEmpty() || icon.isNull() ? 0 : look == ButtonLook::InStatusBar ? Space::xs : Space::s;
    const int arrow = hasMenu ? m_theme.scaled(14) : 0;
    const int padding = isFlat(look) || look == ButtonLook::InStatusBar ? 2 : text.isEmpty() ? 0 : Space::s;
    const int iconWidth = icon.isNull() ? 0 : iconSize.width();
    const int room = option->rect.width() - iconWidth - gap - arrow - 2 * padding;
    const bool isCut = metrics.horizontalAdvance(text) > room; // elidedText() cuts what just fits, too
    const QString shown = isCut ? metrics.elidedText(text, Qt::ElideRight, room) : text;
    const int textWidth = metrics.horizontalAdvance(shown);
    // A link's words stand where other words would, and make room for the ring once it is there.
    const bool isLink = look == ButtonLook::Link;
    int x = option->rect.left() + (isLink ? focusIsShown(option) * padding : padding + (room - textWidth) / 2);

    painter->save();
    if (!icon.isNull()) {
        const QRect logical(x, option->rect.top() + (option->rect.height() - iconSize.height()) / 2, iconSize.width(),
                            iconSize.height());
        icon.paint(painter, visualRect(option->direction, option->rect, logical), Qt::AlignCenter,
                   enabled ? QIcon::Normal : QIcon::Disabled, on ? QIcon::On : QIcon::Off);
        x += iconWidth + gap;
    }
    const QRect textRect =
        visualRect(option->direction, option->rect, QRect(x, option->rect.top(), textWidth + 2, option->rect.height()));
    painter->setPen(ink);
    painter->setLayoutDirection(directionOf(shown));
    painter->drawText(textRect, int(Qt::AlignVCenter | Qt::AlignLeft | Qt::AlignAbsolute | Qt::TextSingleLine), shown);
    if (isFlat(look)) {
        const int y = option->rect.top() + (option->rect.height() + metrics.ascent() - metrics.descent()) / 2 + 3;
        QPen pen(look == ButtonLook::Word ? colour(Colour::Dim) : ink, 1);
        if (look == ButtonLook::Word)
            pen.setDashPattern({2.5, 2.5});
        painter->setPen(pen);
        painter->drawLine(textRect.left(), y, textRect.left() + textWidth, y);
    }
    if (hasMenu) {
        const QRect logical(x + textWidth, option->rect.top(), arrow, option->rect.height());
        drawArrow(Icon::ChevronDown, visualRect(option->direction, option->rect, logical), painter, enabled);
    }
    painter->restore();
}

void Style::drawTab(const QStyleOption *option, QPainter *painter, const QTabBar *bar) const
{
    const bool current = option->state.testFlag(State_Selected);
    const bool hovered = option->state.testFlag(State_MouseOver);
    const QRect rect = option->rect;
    if (lookOf(bar) == TabLook::Pill) {
        const QRect pill = rect.adjusted(2, 4, -2, -4);
        if (current)
            drawBox(pill, painter, colour(Colour::Pressed), {}, Space::radius);
        if (focusIsShown(option))
            drawRing(pill, painter, Space::radius);
        return;
    }
    painter->fillRect(rect, colour(current ? Colour::Panel : hovered ? Colour::Raised : Colour::Window));
    const int side = option->direction == Qt::RightToLeft ? rect.left() : rect.right();
    painter->fillRect(QRect(side, rect.top(), 1, rect.height()), colour(Colour::Line));
    if (current)
        painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), colour(Colour::Accent));
    else
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), colour(Colour::Line));
    if (focusIsShown(option))
        drawRing(rect.adjusted(2, 3, -3, -2), painter, 3);
}

void Style::drawTabLabel(const QStyleOption *option, QPainter *painter, const QTabBar *bar) const
{
    const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
    const bool current = option->state.testFlag(State_Selected);
    const bool enabled = option->state.testFlag(State_Enabled);
    QRect rect = subElementRect(SE_TabBarTabText, option, bar);
    painter->save();
    if (!tab->icon.isNull()) {
        // A dot of an unsaved text is small, and sits before the words.
        const int side = tab->iconSize.width();
        const QRect logical = visualRect(option->direction, option->rect, rect);
        const QRect at(logical.left(), option->rect.top() + (option->rect.height() - side) / 2, side, side);
        tab->icon.paint(painter, visualRect(option->direction, option->rect, at), Qt::AlignCenter, QIcon::Normal);
        rect = visualRect(option->direction, option->rect, logical.adjusted(side + Space::xs, 0, 0, 0));
    }
    const QColor own = option->palette.color(QPalette::WindowText); // QTabBar::setTabTextColor()
    painter->setPen(!enabled ? option->palette.color(QPalette::Disabled, QPalette::WindowText)
                    : bar && own != bar->palette().color(QPalette::WindowText)
                        ? own
                        : colour(current || option->state.testFlag(State_MouseOver) ? Colour::Text : Colour::Dim));
    const QString text =
        option->fontMetrics.elidedText(tab->text, bar ? bar->elideMode() : Qt::ElideMiddle, rect.width());
    painter->setLayoutDirection(directionOf(text));
    const auto side = visualAlignment(option->direction, Qt::AlignLeft) | Qt::AlignAbsolute;
    painter->drawText(rect, int(Qt::AlignVCenter | side | Qt::TextSingleLine), text);
    painter->restore();
}

void Style::drawField(const QStyleOption *option, QPainter *painter) const
{
    drawBox(option->rect, painter, colour(Colour::Raised), colour(Colour::Edge), Space::radius);
    if (option->state.testFlag(State_HasFocus)) // also after a click: a field is where the typing goes
        drawRing(option->rect, painter, Space::radius);
}

void Style::drawCheck(const QStyleOption *option, QPainter *painter, bool round) const
{
    const bool on = option->state.testFlag(State_On) || option->state.testFlag(State_NoChange);
    const bool enabled = option->state.testFlag(State_Enabled);
    const QRect &rect = option->rect;
    drawBox(rect, painter, on && enabled ? colour(Colour::Accent) : colour(Colour::Raised),
            on && enabled ? colour(Colour::Accent) : colour(Colour::Dim), round ? rect.width() / 2.0 : 4);
    const Colour ink = enabled ? Colour::OnAccent : Colour::Dim;
    if (option->state.testFlag(State_NoChange)) // some of them
        painter->fillRect(QRect(rect.left() + 4, rect.center().y(), rect.width() - 8, 2), colour(ink));
    else if (on)
        m_theme.icon(round ? Icon::Dot : Icon::Check, ink).paint(painter, rect.adjusted(2, 2, -2, -2));
    // The focus ring is around the words beside it.
}

void Style::drawScrollBar(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (!slider || slider->maximum <= slider->minimum)
        return;
    const QRect handle = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget);
    const bool active = option->activeSubControls.testFlag(SC_ScrollBarSlider)
                        && (option->state.testFlag(State_MouseOver) || option->state.testFlag(State_Sunken));
    const QRect thumb =
        slider->orientation == Qt::Vertical ? handle.adjusted(3, 1, -3, -1) : handle.adjusted(1, 3, -1, -3);
    drawBox(thumb, painter, colour(active ? Colour::Dim : Colour::Edge), {}, 3);
}

void Style::drawComboBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
    if (combo && combo->editable)
        drawField(option, painter);
    else
        drawButtonBack(option, painter, widget);
    drawArrow(Icon::ChevronDown, subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget), painter,
              option->state.testFlag(State_Enabled));
}

void Style::drawSpinBox(const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const
{
    const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option);
    if (!spin)
        return;
    drawField(option, painter);
    if (spin->buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    drawArrow(Icon::ChevronUp, subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget), painter,
              spin->stepEnabled.testFlag(QAbstractSpinBox::StepUpEnabled));
    drawArrow(Icon::ChevronDown, subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget), painter,
              spin->stepEnabled.testFlag(QAbstractSpinBox::StepDownEnabled));
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                               const QWidget *widget) const
{
    switch (control) {
    case CC_ToolButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionToolButton *>(option)) {
            drawButtonBack(option, painter, widget);
            const bool iconOnly = button->toolButtonStyle == Qt::ToolButtonIconOnly;
            const bool textOnly = button->toolButtonStyle == Qt::ToolButtonTextOnly;
            const bool menu = button->features.testFlag(QStyleOptionToolButton::HasMenu)
                              && !button->features.testFlag(QStyleOptionToolButton::PopupDelay);
            if (button->arrowType != Qt::NoArrow) {
                const bool back = button->arrowType == Qt::LeftArrow || button->arrowType == Qt::UpArrow;
                drawArrow(back ? Icon::ChevronLeft : Icon::ChevronRight, option->rect, painter,
                          option->state.testFlag(State_Enabled));
                return;
            }
            drawButtonLabel(option, iconOnly ? QString() : button->text, textOnly ? QIcon() : button->icon,
                            button->iconSize, menu, painter, widget);
        }
        return;
    case CC_ScrollBar:
        return drawScrollBar(option, painter, widget);
    case CC_ComboBox:
        return drawComboBox(option, painter, widget);
    case CC_SpinBox:
        return drawSpinBox(option, painter, widget);
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

void Style::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                        const QWidget *widget) const
{
    switch (element) {
    case CE_PushButton:
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option)) {
            drawButtonBack(option, painter, widget);
            drawButtonLabel(option, button->text, button->icon, button->iconSize,
                            button->features.testFlag(QStyleOptionButton::HasMenu), painter, widget);
        }
        return;
    case CE_TabBarTabShape:
        return drawTab(option, painter, qobject_cast<const QTabBar *>(widget));
    case CE_TabBarTabLabel:
        return drawTabLabel(option, painter, qobject_cast<const QTabBar *>(widget));
    case CE_ComboBoxLabel:
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            QStyleOptionComboBox padded(*combo); // as far from the edge as the words of a button
            padded.rect = visualRect(combo->direction, combo->rect, combo->rect.adjusted(Space::xs, 0, 0, 0));
            painter->save();
            painter->setLayoutDirection(directionOf(combo->currentText));
            QProxyStyle::drawControl(element, &padded, painter, widget);
            painter->restore();
            return;
        }
        break;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, colour(Colour::Panel));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                          colour(Colour::Line));
        return;
    case CE_HeaderLabel:
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option)) {
            painter->save();
            painter->setPen(colour(Colour::Dim));
            const QRect rect = option->rect.adjusted(Space::s, 0, -Space::s, 0);
            painter->drawText(rect, int(header->textAlignment | Qt::AlignVCenter),
                              option->fontMetrics.elidedText(header->text, Qt::ElideRight, rect.width()));
            painter->restore();
        }
        return;
    case CE_Splitter:
        painter->fillRect(option->rect, colour(Colour::Line));
        return;
    case CE_ShapedFrame:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
            frame && frame->frameShape == QFrame::StyledPanel) {
            drawFrame(option, painter, widget);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex *option, SubControl sub,
                            const QWidget *widget) const
{
    const auto *slider = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (control != CC_ScrollBar || !slider)
        return QProxyStyle::subControlRect(control, option, sub, widget);

    // The handle has the whole bar: no arrows at the ends.
    const bool vertical = slider->orientation == Qt::Vertical;
    const int length = vertical ? option->rect.height() : option->rect.width();
    const qint64 range = qint64(slider->maximum) - slider->minimum;
    int handle = length;
    if (range > 0)
        handle = qBound(qMin(length, pixelMetric(PM_ScrollBarSliderMin, option, widget)),
                        int(qint64(slider->pageStep) * length / (range + slider->pageStep)), length);
    const int start = sliderPositionFromValue(slider->minimum, slider->maximum, slider->sliderPosition, length - handle,
                                              slider->upsideDown);
    const auto span = [&](int from, int size) {
        return vertical ? QRect(option->rect.left(), option->rect.top() + from, option->rect.width(), size)
                        : QRect(option->rect.left() + from, option->rect.top(), size, option->rect.height());
    };
    QRect rect;
    switch (sub) {
    case SC_ScrollBarSlider:
        rect = span(start, handle);
        break;
    case SC_ScrollBarGroove:
        rect = option->rect;
        break;
    case SC_ScrollBarSubPage:
        rect = span(0, start);
        break;
    case SC_ScrollBarAddPage:
        rect = span(start + handle, length - start - handle);
        break;
    default:
        return {};
    }
    return visualRect(option->direction, option->rect, rect);
}

QRect Style::subElementRect(SubElement element, const QStyleOption *option, const QWidget *widget) const
{
    if (element == SE_TabBarTabText) {
        const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
        const int closeRoom = tab && !tab->rightButtonSize.isEmpty() ? tab->rightButtonSize.width() + Space::xs : 0;
        return visualRect(option->direction, option->rect,
                          option->rect.adjusted(14, 0, -14 - closeRoom + (closeRoom ? 4 : 0), 0));
    }
    if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option); tab && element == SE_TabBarTabRightButton)
        return alignedRect(option->direction, Qt::AlignTrailing | Qt::AlignVCenter, tab->rightButtonSize,
                           option->rect.adjusted(14, 0, -14, 0));
    if (element == SE_LineEditContents) {
        const QRect base = QProxyStyle::subElementRect(element, option, widget);
        const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option);
        return frame && frame->lineWidth > 0 ? base.adjusted(6, 0, -6, 0) : base;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &contents,
                              const QWidget *widget) const
{
    const int control = m_theme.size(Size::Control);
    switch (type) {
    case CT_PushButton:
    case CT_ToolButton: {
        const ButtonLook look = lookOf(widget);
        QString text;
        bool icon = false;
        bool menu = false;
        QSize iconSize;
        if (const auto *push = qstyleoption_cast<const QStyleOptionButton *>(option)) {
            text = push->text;
            icon = !push->icon.isNull();
            iconSize = push->iconSize;
            menu = push->features.testFlag(QStyleOptionButton::HasMenu);
        } else if (const auto *tool = qstyleoption_cast<const QStyleOptionToolButton *>(option)) {
            if (tool->toolButtonStyle != Qt::ToolButtonIconOnly)
                text = tool->text;
            icon = tool->toolButtonStyle != Qt::ToolButtonTextOnly && !tool->icon.isNull();
            iconSize = tool->iconSize;
            menu = tool->features.testFlag(QStyleOptionToolButton::HasMenu)
                   && !tool->features.testFlag(QStyleOptionToolButton::PopupDelay);
        }
        int width = option->fontMetrics.horizontalAdvance(text) + (menu ? m_theme.scaled(14) : 0);
        if (icon)
            width += iconSize.width() + (text.isEmpty() ? 0 : Space::s);
        if (isFlat(look)) { // a link is as high as a label and its line, so that their words stand on one line
            const bool isLink = look == ButtonLook::Link;
            const qreal words = isLink ? QFontMetricsF(option->fontMetrics).height() : option->fontMetrics.height();
            return {width + (isLink ? 2 * Space::focusRing : 6), qMax(qCeil(words) + Space::s, iconSize.height())};
        }
        if (look == ButtonLook::InStatusBar)
            return {width + 2 * Space::xs, m_theme.size(Size::StatusBar) - Space::xs};
        if (look == ButtonLook::Rail)
            return {m_theme.size(Size::Rail) - Space::l, m_theme.size(Size::Rail) - Space::l};
        if (text.isEmpty())
            return {control, control};
        const int padding = look == ButtonLook::Quiet ? 10 : look == ButtonLook::Badge ? 10 : 14;
        return {width + 2 * padding, look == ButtonLook::Quiet ? control - 2 : control};
    }
    case CT_LineEdit:
    case CT_ComboBox:
    case CT_SpinBox: {
        const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        return {size.width() + Space::s, qMax(size.height(), control)};
    }
    case CT_TabBarTab: {
        const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option);
        if (!tab)
            break;
        int width = option->fontMetrics.horizontalAdvance(tab->text) + 2 * 14 + 2;
        if (!tab->icon.isNull())
            width += tab->iconSize.width() + Space::xs;
        if (!tab->rightButtonSize.isEmpty())
            width += tab->rightButtonSize.width();
        return {width, m_theme.size(Size::TabStrip)};
    }
    case CT_HeaderSection: {
        const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
        const int width = header ? option->fontMetrics.horizontalAdvance(header->text) : contents.width();
        return {width + 2 * Space::m, m_theme.size(Size::Row)};
    }
    case CT_ItemViewItem: {
        const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        return {size.width(), qMax(size.height(), control)};
    }
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, contents, widget);
}

} // namespace glovebox
