// SPDX-License-Identifier: Apache-2.0
#include "messagepane.h"

#include "app/workbench/shell/look.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace glovebox {

MessagePane::MessagePane(QWidget *parent)
    : QWidget(parent)
    , m_heading(makeLabel({}, this, FontRole::Title))
    , m_text(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_detail(makeLabel({}, this, FontRole::Code, Colour::Dim))
    , m_button(new QPushButton(this))
{
    setObjectName(QStringLiteral("history.message"));
    setBackground(this, Colour::Panel);
    markAsData(m_detail);
    setLook(m_button, ButtonLook::Primary);
    m_button->setAutoDefault(false);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_run)
            m_run();
    });
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::m);
    words->addWidget(m_heading);
    words->addWidget(m_text);
    words->addWidget(m_detail);
    words->addSpacing(Space::xs);
    words->addWidget(m_button, 0, Qt::AlignLeft);
    auto *column = new QWidget(this);
    column->setLayout(words);
    column->setMaximumWidth(560);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(column, 6);
    row->addStretch(1);
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(2);
}

void MessagePane::show(const QString &heading, const QString &text, const QString &detail, const QString &step,
                       std::function<void()> run)
{
    m_heading->setText(heading);
    m_text->setText(text);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    m_button->setText(step);
    setNames(m_button, QStringLiteral("history.message.step"), step);
    m_button->setVisible(!step.isEmpty());
    m_run = std::move(run);
}

} // namespace glovebox
