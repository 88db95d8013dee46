// SPDX-License-Identifier: Apache-2.0
#include "trouble.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace glovebox {

Trouble::Trouble(const QString &heading, const Error &error, const QString &notLost, QWidget *parent)
    : QWidget(parent)
    , m_buttons(new QHBoxLayout)
{
    setNames(this, QStringLiteral("frame.trouble"), heading);
    setBackground(this, Colour::Panel);
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::m);
    words->addWidget(makeLabel(heading, this, FontRole::Title));
    words->addWidget(makeLabel(translated(error.message), this));
    if (!notLost.isEmpty())
        words->addWidget(makeLabel(notLost, this));
    if (!error.detail.isEmpty())
        words->addWidget(makeLabel(translated(error.detail), this, FontRole::Code, Colour::Dim));
    m_buttons->setSpacing(Space::s);
    m_buttons->addStretch();
    words->addSpacing(Space::s);
    words->addLayout(m_buttons);

    auto *column = new QWidget(this);
    column->setLayout(words);
    column->setMaximumWidth(680);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(column, 6);
    row->addStretch(1);
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(2);
}

void Trouble::addWayOut(const QString &objectName, const QString &text, std::function<void()> run)
{
    auto *button = new QPushButton(text, this);
    setNames(button, objectName, text);
    button->setAutoDefault(false);
    if (!m_hasMain)
        setLook(button, ButtonLook::Primary);
    m_hasMain = true;
    connect(button, &QPushButton::clicked, this, [run = std::move(run)] { run(); });
    m_buttons->insertWidget(m_buttons->count() - 1, button);
}

} // namespace glovebox
