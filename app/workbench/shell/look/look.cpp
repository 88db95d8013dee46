// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/shell/look.h"

#include "roles.h"
#include "style.h"

#include <QApplication>
#include <QPainter>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QStyleOption>
#include <QVariant>

namespace glovebox {
namespace {

void note(QWidget *widget, const char *property, int value)
{
    widget->setProperty(property, value);
    if (auto *style = qobject_cast<Style *>(QApplication::style()))
        style->applyRoles(widget);
    widget->updateGeometry();
    widget->update();
}

// A QLabel that remembers its heights. Layouts inside of layouts ask for them at several widths over and over, and each answer of
// QLabel lays out the text: three quarters of the time that a page of settings took.
class Words : public QLabel
{
public:
    using QLabel::QLabel;

    int heightForWidth(int width) const override
    {
        if (!wordWrap())
            return QLabel::heightForWidth(width);
        if (text() != m_text) {
            m_text = text();
            m_heights.clear();
        }
        auto known = m_heights.constFind(width);
        if (known == m_heights.constEnd())
            known = m_heights.insert(width, QLabel::heightForWidth(width));
        return *known;
    }

protected:
    bool event(QEvent *event) override
    {
        switch (event->type()) {
        case QEvent::Paint:
        case QEvent::Move:
        case QEvent::Resize: // the height for a width stays what it is
            break;
        default:
            m_heights.clear(); // font, style, margins, screen
        }
        return QLabel::event(event);
    }

private:
    mutable QString m_text;
    mutable QHash<int, int> m_heights; // by width; pixels
};

// Over an area that the keyboard scrolls: without a frame, it has nothing else to show that with.
class ScrollRing : public QWidget
{
public:
    explicit ScrollRing(QScrollArea *area)
        : QWidget(area)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        hide();
        area->installEventFilter(this);
    }

    bool eventFilter(QObject *area, QEvent *event) override
    {
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
            setVisible(event->type() == QEvent::FocusIn);
            raise();
        }
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::Resize)
            setGeometry(parentWidget()->rect());
        return QWidget::eventFilter(area, event);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        QStyleOptionFocusRect ring;
        ring.initFrom(this);
        style()->drawPrimitive(QStyle::PE_FrameFocusRect, &ring, &painter, this);
    }
};

} // namespace

void setLook(QAbstractButton *button, ButtonLook look)
{
    if (look == ButtonLook::Link || look == ButtonLook::Word)
        button->setCursor(Qt::PointingHandCursor);
    note(button, roles::look, int(look));
}

ButtonLook lookOf(const QWidget *button)
{
    return button ? ButtonLook(button->property(roles::look).toInt()) : ButtonLook::Normal;
}

void setLook(QTabBar *bar, TabLook look)
{
    bar->setDrawBase(look == TabLook::Document);
    bar->setElideMode(Qt::ElideNone); // what doesn't fit is scrolled to
    bar->setExpanding(false);
    bar->setUsesScrollButtons(true);
    note(bar, roles::look, int(look));
}

TabLook lookOf(const QTabBar *bar)
{
    return bar ? TabLook(bar->property(roles::look).toInt()) : TabLook::Document;
}

void setTextColour(QWidget *widget, Colour role)
{
    note(widget, roles::text, int(role));
}

void setBackground(QWidget *widget, Colour role)
{
    widget->setAutoFillBackground(true);
    note(widget, roles::background, int(role));
}

void setFontRole(QWidget *widget, FontRole role)
{
    note(widget, roles::font, int(role));
}

IconView::IconView(const Theme &theme, Icon icon, Colour colour, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    set(icon, colour);
}

void IconView::set(Icon icon, Colour colour)
{
    m_icon = m_theme.icon(icon, colour);
    update();
}

QSize IconView::sizeHint() const
{
    const int side = m_theme.size(Size::SmallIcon);
    return {side, side};
}

void IconView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    m_icon.paint(&painter, rect());
}

void markAsData(QLabel *label)
{
    label->setProperty(roles::data, true);
    if (QApplication::isRightToLeft())
        label->setAlignment(Qt::AlignRight | Qt::AlignAbsolute | Qt::AlignVCenter);
    label->setLayoutDirection(Qt::LeftToRight);
}

QFrame *makeRule(Qt::Orientation orientation, QWidget *parent)
{
    auto *rule = new QFrame(parent);
    setBackground(rule, Colour::Line);
    if (orientation == Qt::Horizontal)
        rule->setFixedHeight(Space::line);
    else
        rule->setFixedWidth(Space::line);
    return rule;
}

QWidget *makeStripe(Colour colour, QWidget *parent)
{
    auto *stripe = new QWidget(parent);
    stripe->setFixedWidth(3);
    setBackground(stripe, colour);
    return stripe;
}

QLabel *makeLabel(const QString &text, QWidget *parent, FontRole font, Colour colour)
{
    auto *label = new Words(text, parent);
    // Sentences may carry file names and messages of programs: never markup by accident.
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFocusPolicy(Qt::ClickFocus);
    // By the window's direction, not by that of the words in it: a name that isn't translated stays in its column.
    if (QApplication::isRightToLeft())
        label->setAlignment(Qt::AlignRight | Qt::AlignAbsolute | Qt::AlignVCenter);
    setFontRole(label, font);
    setTextColour(label, colour);
    return label;
}

void showText(QLabel *label, const QString &text)
{
    if (label->text() != text) // a label with the same text is laid out again all the same
        label->setText(text);
    label->setVisible(!text.isEmpty());
}

QPushButton *makeButton(const QString &text, const QString &objectName, QWidget *parent, const QString &accessibleName)
{
    auto *button = new QPushButton(text, parent);
    setNames(button, objectName, accessibleName.isEmpty() ? text : accessibleName);
    return button;
}

QToolButton *makeToolButton(const QString &text, const QString &objectName, const QString &description, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setText(text);
    setLook(button, ButtonLook::Quiet);
    setNames(button, objectName, description, description);
    return button;
}

QToolButton *makeIconButton(const QIcon &icon, const QString &objectName, const QString &accessibleName,
                            QWidget *parent, const QString &toolTip)
{
    QToolButton *button = makeToolButton({}, objectName, accessibleName, parent);
    button->setIcon(icon);
    if (!toolTip.isEmpty())
        button->setToolTip(toolTip);
    return button;
}

void setNames(QWidget *widget, const QString &objectName, const QString &accessibleName, const QString &toolTip)
{
    widget->setObjectName(objectName);
    widget->setAccessibleName(accessibleName);
    if (!toolTip.isEmpty())
        widget->setToolTip(toolTip);
}

template<typename Layout> static Layout *layoutIn(QWidget *widget, int spacing, const QMargins &margins)
{
    auto *layout = new Layout(widget);
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}

QVBoxLayout *columnIn(QWidget *widget, int spacing, const QMargins &margins)
{
    return layoutIn<QVBoxLayout>(widget, spacing, margins);
}

QHBoxLayout *rowIn(QWidget *widget, int spacing, const QMargins &margins)
{
    return layoutIn<QHBoxLayout>(widget, spacing, margins);
}

void keepReadable(QWidget *body, Theme &theme)
{
    constexpr int readable = 1040; // px
    const auto keep = [body, &theme] { body->setMaximumWidth(theme.scaled(readable)); };
    QObject::connect(&theme, &Theme::changed, body, keep);
    keep();
}

void scrollDownOnly(QScrollArea *area, Colour background)
{
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setBackground(area->viewport(), background);
    new ScrollRing(area);
}

void paintPlaceholder(const QPlainTextEdit &edit, const QColor &colour)
{
    if (!edit.document()->isEmpty())
        return;
    QPainter painter(edit.viewport());
    const int margin = int(edit.document()->documentMargin());
    painter.setLayoutDirection(Qt::LeftToRight);
    painter.setFont(edit.font());
    painter.setPen(colour);
    painter.drawText(edit.viewport()->rect().adjusted(margin, margin, 0, 0),
                     int(Qt::AlignTop | Qt::AlignLeft) | Qt::TextWordWrap, edit.placeholderText());
}

void hideOwnPlaceholder(QWidget *edit)
{
    QPalette palette;
    palette.setColor(QPalette::PlaceholderText, Qt::transparent);
    edit->setPalette(palette);
}

void clearLayout(QLayout *layout)
{
    while (QLayoutItem *item = layout->takeAt(0)) {
        if (QWidget *widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

} // namespace glovebox
