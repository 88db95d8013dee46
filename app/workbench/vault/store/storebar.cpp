// SPDX-License-Identifier: Apache-2.0
#include "storebar.h"

#include "app/workbench/shell/look.h"

#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

StoreBar::StoreBar(Theme &theme, QWidget *before, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_before(before)
    , m_column(columnIn(this, Space::xs, {Space::l, 0, Space::l, Space::s}))
{
    setObjectName(u"vault.store"_s);
    hide();
}

void StoreBar::show(const QList<StoreTrouble> &troubles)
{
    QStringList shown;
    for (const StoreTrouble &trouble : troubles) {
        shown << trouble.id << trouble.heading << trouble.sentence;
        for (const MessagePane::Step &step : trouble.steps)
            shown << step.id << step.text;
    }
    m_troubles = troubles;
    if (shown == m_shown)
        return;
    m_shown = shown;
    for (QWidget *row : m_rows) {
        row->hide(); // one of its links may have been clicked just now
        row->deleteLater();
    }
    m_rows.clear();
    QWidget *last = m_before;
    for (qsizetype i = 0; i < troubles.size(); ++i) {
        const StoreTrouble &trouble = troubles.at(i);
        auto *row = new QWidget(this);
        auto *column = columnIn(row, 0);
        auto *sentence = new QHBoxLayout;
        sentence->setSpacing(Space::s);
        sentence->addWidget(new IconView(m_theme, Icon::Warning, Colour::Warn, row), 0, Qt::AlignTop);
        auto *text =
            makeLabel((trouble.heading + u' ' + trouble.sentence).trimmed(), row, FontRole::Base, Colour::Warn);
        text->setObjectName(u"vault.store."_s + trouble.id);
        sentence->addWidget(text, 1);
        column->addLayout(sentence);
        auto *links = new QHBoxLayout;
        links->setSpacing(Space::l);
        for (qsizetype j = 0; j < trouble.steps.size(); ++j) {
            const MessagePane::Step &step = trouble.steps.at(j);
            auto *link = makeButton(step.text, u"vault.store.%1.%2"_s.arg(trouble.id, step.id), row);
            setLook(link, ButtonLook::Link);
            connect(link, &QPushButton::clicked, this, [this, i, j] {
                const auto run = m_troubles.at(i).steps.at(j).run; // it may say something else here
                run();
            });
            links->addWidget(link);
            QWidget::setTabOrder(last, link);
            last = link;
        }
        links->addStretch();
        column->addLayout(links);
        m_column->addWidget(row);
        m_rows.append(row);
    }
    setVisible(!troubles.isEmpty());
}

} // namespace glovebox
