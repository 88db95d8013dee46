// SPDX-License-Identifier: Apache-2.0
// Metrics, hints and primitives; the drawing of buttons, tabs and fields is in stylecontrols.cpp.
#include "style.h"

#include "roles.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QVariant>

namespace glovebox {
namespace {

bool hasStrongWords(const QWidget *widget)
{
    if (!qobject_cast<const QAbstractButton *>(widget))
        return false;
    const ButtonLook look = lookOf(widget);
    return (qobject_cast<const QPushButton *>(widget) && look == ButtonLook::Normal) || look == ButtonLook::Primary
           || look == ButtonLook::Badge;
}

} // namespace

Style::Style(const Theme &theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    , m_theme(theme)
{
    setObjectName(QStringLiteral("glovebox"));
}

void Style::applyRoles(QWidget *widget) const
{
    const QVariant text = widget->property(roles::text);
    const QVariant background = widget->property(roles::background);
    if (text.isValid() || background.isValid()) {
        QPalette palette;
        palette.setResolveMask(0);
        if (background.isValid()) {
            palette.setColor(QPalette::Window, colour(Colour(background.toInt())));
            palette.setColor(QPalette::Base, colour(Colour(background.toInt())));
        }
        if (text.isValid()) {
            QColor faded = colour(Colour::Dim);
            faded.setAlphaF(0.6F);
            for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
                palette.setColor(role, colour(Colour(text.toInt())));
                palette.setColor(QPalette::Disabled, role, faded);
            }
        }
        widget->setPalette(palette);
    }
    if (const QVariant font = widget->property(roles::font); font.isValid())
        widget->setFont(m_theme.font(FontRole(font.toInt())));
    else if (hasStrongWords(widget))
        widget->setFont(m_theme.font(FontRole::Strong));
}

void Style::polish(QWidget *widget)
{
    QProxyStyle::polish(widget);
    applyRoles(widget);
    if (qobject_cast<QAbstractButton *>(widget) || qobject_cast<QTabBar *>(widget))
        widget->setAttribute(Qt::WA_Hover);
}

QColor Style::toneOf(const QWidget *widget, Colour otherwise) const
{
    const QVariant text = widget ? widget->property(roles::text) : QVariant();
    return colour(text.isValid() ? Colour(text.toInt()) : otherwise);
}

void Style::drawRing(const QRect &rect, QPainter *painter, qreal radius) const
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour(Colour::Accent), Space::focusRing));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), radius, radius);
    painter->restore();
}

void Style::drawBox(const QRect &rect, QPainter *painter, const QColor &fill, const QColor &line, qreal radius) const
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(line.isValid() ? QPen(line, Space::line) : QPen(Qt::NoPen));
    painter->setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    const qreal inset = line.isValid() ? 0.5 : 0;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius);
    painter->restore();
}

void Style::drawArrow(Icon icon, const QRect &rect, QPainter *painter, bool enabled) const
{
    const int side = qMin(m_theme.scaled(12), qMin(rect.width(), rect.height()));
    const QRect box(rect.center().x() - side / 2 + 1, rect.center().y() - side / 2 + 1, side, side);
    m_theme.icon(icon, Colour::Dim).paint(painter, box, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
}

// A field of several lines has the edges of other fields, but for round corners: its text fills them.
void Style::drawFrame(const QStyleOption *option, QPainter *painter, const QWidget *widget) const
{
    const auto *text = qobject_cast<const QPlainTextEdit *>(widget);
    const bool isField = text && !text->isReadOnly();
    const Colour edge = option->state.testFlag(State_HasFocus) ? Colour::Accent : Colour::Edge;
    drawBox(option->rect, painter, {}, colour(isField ? edge : Colour::Line), isField ? 0 : 4);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_DefaultFrameWidth:
    case PM_SplitterWidth: // QSplitter widens the place to grab by itself
    case PM_MenuPanelWidth:
        return Space::line;
    case PM_ScrollBarExtent:
        return Space::m;
    case PM_ScrollBarSliderMin:
        return Space::xl;
    case PM_HeaderMargin:
        return 1; // the words of a header stand over those of its cells
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_ToolBarFrameWidth:
        return 0;
    case PM_FocusFrameHMargin: { // beside the words of a cell
        const auto *cell = qstyleoption_cast<const QStyleOptionViewItem *>(option);
        return cell && cell->features & QStyleOptionViewItem::HasCheckIndicator ? m_theme.scaled(Space::xs) : 0;
    }
    case PM_TabBarTabHSpace:
        return 2 * 14;
    case PM_TabBarTabVSpace:
        return 2 * Space::s;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ListViewIconSize:
        return m_theme.size(Size::SmallIcon);
    case PM_TabBarIconSize: // a dot
        return m_theme.scaled(Space::m);
    case PM_ToolBarIconSize:
        return m_theme.size(Size::Icon);
    case PM_TabCloseIndicatorWidth:
    case PM_TabCloseIndicatorHeight:
    case PM_TabBarScrollButtonWidth:
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return m_theme.scaled(Space::l);
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return m_theme.scaled(Space::s);
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return Space::s;
    case PM_LayoutLeftMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutBottomMargin:
        return Space::l;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *data) const
{
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_Widget_Animation_Duration: // nothing moves
    case SH_UnderlineShortcut:
    case SH_TitleBar_NoBorder:
        return 0;
    case SH_TabBar_Alignment:
        return Qt::AlignLeading;
    case SH_ItemView_ShowDecorationSelected: // a row of a tree is selected from edge to edge
        return 1;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                          const QWidget *widget) const
{
    const bool hovered = option->state.testFlag(State_MouseOver);
    switch (element) {
    case PE_FrameFocusRect:
        if (option->state.testFlag(State_KeyboardFocusChange)) {
            const int beside = qobject_cast<const QAbstractItemView *>(widget) ? Space::xs : 0; // the words of a cell
            drawRing(option->rect.adjusted(-beside, 0, beside, 0), painter, 3);
        }
        return;
    case PE_PanelLineEdit:
        if (const auto *frame = qstyleoption_cast<const QStyleOptionFrame *>(option); frame && frame->lineWidth > 0)
            drawField(option, painter);
        return;
    case PE_FrameLineEdit:
    case PE_FrameTabBarBase:
    case PE_FrameStatusBarItem:
        if (element == PE_FrameTabBarBase)
            painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                              colour(Colour::Line));
        return;
    case PE_Frame:
    case PE_FrameMenu:
        drawBox(option->rect, painter, {}, colour(Colour::Line), element == PE_Frame ? 4 : 0);
        return;
    case PE_PanelTipLabel:
    case PE_PanelMenu:
        drawBox(option->rect, painter, colour(Colour::Raised), colour(Colour::Line), 0);
        return;
    case PE_IndicatorCheckBox:
        drawCheck(option, painter, false);
        return;
    case PE_IndicatorRadioButton:
        drawCheck(option, painter, true);
        return;
    case PE_IndicatorTabClose:
        if (hovered)
            drawBox(option->rect, painter, colour(Colour::Pressed), {}, 4);
        m_theme.icon(Icon::Close, hovered ? Colour::Text : Colour::Dim)
            .paint(painter, option->rect.adjusted(2, 2, -2, -2));
        return;
    case PE_PanelItemViewRow:
        if (option->state.testFlag(State_Selected))
            painter->fillRect(option->rect, colour(Colour::AccentWash));
        return;
    case PE_PanelScrollAreaCorner:
        painter->fillRect(option->rect, option->palette.base());
        return;
    case PE_PanelItemViewItem:
        if (option->state.testFlag(State_Selected))
            painter->fillRect(option->rect, colour(Colour::AccentWash));
        else if (hovered)
            painter->fillRect(option->rect, colour(Colour::CurrentLine));
        return;
    case PE_IndicatorArrowUp:
        return drawArrow(Icon::ChevronUp, option->rect, painter, option->state.testFlag(State_Enabled));
    case PE_IndicatorArrowDown:
        return drawArrow(Icon::ChevronDown, option->rect, painter, option->state.testFlag(State_Enabled));
    case PE_IndicatorArrowLeft:
        return drawArrow(Icon::ChevronLeft, option->rect, painter, option->state.testFlag(State_Enabled));
    case PE_IndicatorArrowRight:
        return drawArrow(Icon::ChevronRight, option->rect, painter, option->state.testFlag(State_Enabled));
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

} // namespace glovebox
