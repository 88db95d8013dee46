// SPDX-License-Identifier: Apache-2.0
#include "rail.h"

#include "app/workbench/shell/look.h"

#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

Rail::Rail(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_buttons(new QVBoxLayout)
    , m_atEnd(new QVBoxLayout)
{
    setNames(this, QStringLiteral("frame.rail"), tr("Pages"));
    setBackground(this, Colour::Window);
    auto *layout = columnIn(this, Space::s, {Space::s, Space::m, Space::s - Space::line, Space::m});
    m_buttons->setSpacing(Space::xs);
    layout->addLayout(m_buttons);
    layout->addStretch();
    m_atEnd->setSpacing(Space::xs);
    layout->addLayout(m_atEnd);
    connect(&context.theme(), &Theme::changed, this, &Rail::resizeToTheme);
    resizeToTheme();
}

void Rail::add(const QString &pageId, const QString &title, Icon icon, QAction *action, bool atEnd)
{
    auto *button = new QToolButton(this);
    setLook(button, ButtonLook::Rail);
    button->setIcon(m_context.theme().icon(icon, Colour::Dim));
    button->setCheckable(true);
    setNames(button, QStringLiteral("frame.rail.") + pageId, title);
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    button->setToolTip(keys.isEmpty() ? title : tr("%1 (%2)").arg(title, keys));
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
    m_all.append(button);
    (atEnd ? m_atEnd : m_buttons)->addWidget(button);
    resizeToTheme();
}

void Rail::setCurrent(const QString &pageId)
{
    for (QToolButton *button : std::as_const(m_all))
        button->setChecked(button->objectName() == QStringLiteral("frame.rail.") + pageId);
}

QWidget *Rail::currentButton() const
{
    const auto checked = std::ranges::find_if(m_all, &QToolButton::isChecked);
    return checked == m_all.end() ? nullptr : *checked;
}

void Rail::resizeToTheme()
{
    setFixedWidth(m_context.theme().size(Size::Rail) - Space::line); // the line beside it is part of the 56
    const int icon = m_context.theme().size(Size::Icon);
    for (QToolButton *button : std::as_const(m_all))
        button->setIconSize(QSize(icon, icon));
}

} // namespace glovebox
