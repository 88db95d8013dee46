// SPDX-License-Identifier: Apache-2.0
#include "statusbar.h"

#include "app/workbench/shell/look.h"

#include <QLabel>
#include <QToolButton>

namespace glovebox {
namespace {

bool sameShape(const StatusItem &a, const StatusItem &b)
{
    return a.id == b.id && a.trailing == b.trailing && a.action == b.action;
}

} // namespace

StatusBar::StatusBar(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_layout(rowIn(this, Space::l, {Space::m, 0, Space::m, 0}))
{
    setNames(this, QStringLiteral("frame.status"), tr("Status"));
    setBackground(this, Colour::Window);
    const auto resizeToTheme = [this] {
        setFixedHeight(m_context.theme().size(Size::StatusBar));
        for (qsizetype i = 0; i < m_widgets.size(); ++i)
            fill(m_widgets.at(i), m_shown.at(i));
    };
    connect(&context.theme(), &Theme::changed, this, resizeToTheme);
    resizeToTheme();
}

void StatusBar::setEngineState(const QString &text, Colour colour, const QString &description)
{
    m_engine = {QStringLiteral("engine"), text, colour, false, QStringLiteral("frame.go.doctor"), description};
    rebuild();
}

void StatusBar::setItems(const QList<StatusItem> &items)
{
    m_items = items;
    rebuild();
}

// Positions change with every key: widgets are reused as long as the items are the same ones.
void StatusBar::rebuild()
{
    QList<StatusItem> wanted = m_items;
    std::ranges::stable_partition(wanted, std::not_fn(&StatusItem::trailing));
    if (!m_engine.id.isEmpty())
        wanted.prepend(m_engine);
    if (wanted == m_shown)
        return;

    if (!std::ranges::equal(wanted, m_shown, sameShape)) {
        clearLayout(m_layout);
        m_widgets.clear();
        bool stretched = false;
        for (const StatusItem &item : std::as_const(wanted)) {
            if (item.trailing && !stretched) {
                m_layout->addStretch();
                stretched = true;
            }
            m_widgets.append(make(item));
            m_layout->addWidget(m_widgets.last());
        }
        if (!stretched)
            m_layout->addStretch();
    }
    for (qsizetype i = 0; i < wanted.size(); ++i)
        fill(m_widgets.at(i), wanted.at(i));
    m_shown = wanted;
}

QWidget *StatusBar::make(const StatusItem &item)
{
    QWidget *widget = nullptr;
    if (item.action.isEmpty()) {
        auto *label = new QLabel(this);
        label->setTextFormat(Qt::PlainText);
        widget = label;
    } else {
        auto *button = new QToolButton(this);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        setLook(button, ButtonLook::InStatusBar);
        connect(button, &QToolButton::clicked, this, [this, id = item.action] { m_context.actions().trigger(id); });
        widget = button;
    }
    widget->setObjectName(QStringLiteral("status.") + item.id);
    setFontRole(widget, FontRole::Small);
    return widget;
}

void StatusBar::fill(QWidget *widget, const StatusItem &item)
{
    if (auto *label = qobject_cast<QLabel *>(widget)) {
        label->setText(item.text);
    } else if (auto *button = qobject_cast<QToolButton *>(widget)) {
        button->setText(item.text);
        const int side = m_context.theme().scaled(Space::m);
        button->setIconSize(QSize(side, side));
        const bool hasState = item.colour != Colour::Dim && item.colour != Colour::Text;
        button->setIcon(hasState ? m_context.theme().icon(Icon::Dot, item.colour) : QIcon());
    }
    setTextColour(widget, item.colour);
    widget->setToolTip(item.description);
    widget->setAccessibleName(item.text);
    widget->setAccessibleDescription(item.description);
}

} // namespace glovebox
