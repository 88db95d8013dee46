// SPDX-License-Identifier: Apache-2.0
#include "welcomebar.h"

#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

WelcomeBar::WelcomeBar(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
{
    setNames(this, u"bench.welcome"_s, tr("Three examples to run"));
    setBackground(this, Colour::Raised);
    auto *column = columnIn(this, Space::s, {Space::l, Space::m, Space::l, Space::m});
    auto *head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Three examples to run"), this, FontRole::Strong), 1);
    auto *closing =
        makeIconButton(context.theme().icon(Icon::Close), u"bench.welcome.close"_s, tr("Close the examples"), this);
    head->addWidget(closing);
    column->addLayout(head);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::xl);
    column->addLayout(row);
    for (const Example &example : firstExamples()) {
        auto *words = new QVBoxLayout;
        words->setSpacing(Space::xs);
        words->addWidget(makeLabel(example.title, this));
        words->addWidget(makeLabel(example.about, this, FontRole::Small, Colour::Dim));
        words->addStretch(1);
        auto *run = makeButton(tr("Run it"), u"bench.welcome."_s + example.file.section(u'.', 0, 0), this,
                               tr("Run it: %1").arg(example.title));
        run->setIcon(context.theme().icon(Icon::Run));
        connect(run, &QPushButton::clicked, this, [this, example] { Q_EMIT chosen(example); });
        words->addWidget(run, 0, Qt::AlignLeft);
        row->addLayout(words, 1);
        m_buttons.append({example, run});
    }
    connect(closing, &QToolButton::clicked, this, &WelcomeBar::closed);
    connect(&context, &WorkbenchContext::readinessChanged, this, &WelcomeBar::take);
    connect(&context, &WorkbenchContext::engineChanged, this, &WelcomeBar::take);
    take();
}

void WelcomeBar::take()
{
    for (const auto &[example, button] : std::as_const(m_buttons)) {
        const Part *obstacle = m_context.readiness().obstacle(example.language);
        button->setEnabled(m_context.engine() && !obstacle);
        button->setToolTip(obstacle ? translated(obstacle->why.message) : QString());
    }
}

} // namespace glovebox
