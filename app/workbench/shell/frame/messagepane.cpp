// SPDX-License-Identifier: Apache-2.0
#include "messagepane.h"

#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace glovebox {

namespace {

// Of a row: what is said, and the space at each side of it.
constexpr int wordsShare = 6, sideShare = 1;

} // namespace

MessagePane::MessagePane(const QString &objectName, QWidget *parent)
    : QWidget(parent)
    , m_heading(makeLabel({}, this, FontRole::Title))
    , m_paragraphs(new QVBoxLayout)
    , m_detail(makeLabel({}, this, FontRole::Code, Colour::Dim))
    , m_row(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_column(new QWidget(this))
{
    setObjectName(objectName);
    setBackground(this, Colour::Panel);
    markAsData(m_detail);
    m_paragraphs->setSpacing(Space::m);
    m_row->setSpacing(Space::s);
    m_row->addStretch();
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::m);
    words->addWidget(m_heading);
    words->addLayout(m_paragraphs);
    words->addWidget(m_detail);
    words->addSpacing(Space::s);
    words->addLayout(m_row);
    m_column->setLayout(words);
    m_column->setMaximumWidth(680);
    auto *row = new QHBoxLayout;
    row->addStretch(sideShare);
    row->addWidget(m_column, wordsShare);
    row->addStretch(sideShare);
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(2);
}

// Buttons stay as long as they are of use: one of them may have the focus, or be the one that was pressed just now.
void MessagePane::show(const QString &heading, const QStringList &paragraphs, const QString &detail,
                       const QList<Step> &steps)
{
    m_heading->setText(heading);
    setAccessibleName(heading);
    while (QLayoutItem *item = m_paragraphs->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString &paragraph : paragraphs)
        m_paragraphs->addWidget(makeLabel(paragraph, this));
    showText(m_detail, detail);
    m_steps = steps;
    while (m_buttons.size() < steps.size()) {
        auto *button = new QPushButton(this);
        if (m_buttons.isEmpty())
            setLook(button, ButtonLook::Primary);
        connect(button, &QPushButton::clicked, this, [this, at = m_buttons.size()] {
            const auto run = m_steps.at(at).run; // it may say something else here
            run();
        });
        m_row->insertWidget(m_row->count() - 1, button, 0, Qt::AlignLeft);
        m_buttons.append(button);
    }
    for (qsizetype i = 0; i < m_buttons.size(); ++i) {
        m_buttons.at(i)->setVisible(i < steps.size());
        if (i < steps.size()) {
            m_buttons.at(i)->setText(steps.at(i).text);
            setNames(m_buttons.at(i), objectName() + QLatin1Char('.') + steps.at(i).id, steps.at(i).text);
        }
    }
    arrange();
}

void MessagePane::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

// Steps whose words don't fit beside each other stand below each other.
void MessagePane::arrange()
{
    int needed = 0;
    for (const QPushButton *button : std::as_const(m_buttons))
        needed += button->isHidden() ? 0 : button->sizeHint().width() + Space::s;
    const QMargins around = layout()->contentsMargins();
    const int row = width() - around.left() - around.right();
    const int room = std::min(m_column->maximumWidth(), row * wordsShare / (wordsShare + 2 * sideShare));
    m_row->setDirection(needed - Space::s > room ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void MessagePane::keyPressEvent(QKeyEvent *event)
{
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    const auto focused = std::ranges::find_if(m_buttons, &QWidget::hasFocus);
    if (isReturn && event->modifiers() == Qt::NoModifier && !event->isAutoRepeat() && focused != m_buttons.end())
        return (*focused)->click();
    QWidget::keyPressEvent(event);
}

QPushButton *MessagePane::mainButton() const
{
    return m_steps.isEmpty() ? nullptr : m_buttons.first();
}

} // namespace glovebox
