// SPDX-License-Identifier: Apache-2.0
#include "answerbuttons.h"

#include "app/workbench/shell/actions.h"
#include "app/workbench/shell/look.h"

#include <QAction>
#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

AnswerButtons::AnswerButtons(const ActionRegistry &actions, QWidget *parent)
    : QWidget(parent)
    , m_sides(new QBoxLayout(QBoxLayout::LeftToRight, this))
{
    m_sides->setContentsMargins(0, 0, 0, 0);
    m_sides->setSpacing(Space::s);
    const auto button = [&actions](const QString &verb, QWidget *side) {
        auto *made = actions.makeButton(u"agents."_s + verb, u"agents.approval."_s + verb, side);
        made->setAutoDefault(false);
        made->setDefault(false);
        return made;
    };
    auto *denying = new QWidget(this);
    auto *first = rowIn(denying, Space::s);
    auto *deny = button(u"deny"_s, denying);
    const QAction *const denial = actions.action(u"agents.deny"_s);
    deny->setText(tr("%1 [%2]").arg(denial->text(), denial->shortcut().toString(QKeySequence::NativeText)));
    first->addWidget(deny);
    first->addWidget(button(u"never"_s, denying));
    m_time = makeLabel({}, denying, FontRole::Base, Colour::Dim);
    m_time->setObjectName(u"agents.approval.time"_s);
    m_time->setWordWrap(false);
    first->addWidget(m_time, 1);
    m_sides->addWidget(denying, 1);
    auto *allowing = new QWidget(this);
    auto *second = rowIn(allowing, Space::s);
    second->addStretch();
    second->addWidget(button(u"once"_s, allowing));
    second->addWidget(button(u"session"_s, allowing));
    m_always = button(u"always"_s, allowing);
    second->addWidget(m_always);
    m_sides->addWidget(allowing);
}

void AnswerButtons::setTime(const QString &words)
{
    m_time->setText(words);
}

void AnswerButtons::setAlwaysVisible(bool isVisible)
{
    m_always->setVisible(isVisible);
}

void AnswerButtons::fit(int width)
{
    const bool fits = m_sides->itemAt(0)->sizeHint().width() + m_sides->itemAt(1)->sizeHint().width() <= width;
    m_sides->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

} // namespace glovebox
