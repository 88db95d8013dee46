// SPDX-License-Identifier: Apache-2.0
#include "factsheet.h"

#include "app/workbench/shell/look.h"

#include <QGridLayout>
#include <QPushButton>

namespace glovebox {
namespace {

constexpr int columns = 4; // shape, name, state, detail

} // namespace

FactSheet::FactSheet(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(Space::m);
    m_grid->setVerticalSpacing(0);
    m_grid->setColumnStretch(1, 4);
    m_grid->setColumnStretch(2, 2);
    m_grid->setColumnStretch(3, 8);
}

void FactSheet::clear()
{
    clearLayout(m_grid);
    m_names.clear();
    m_row = 0;
}

void FactSheet::addHeading(const QString &text, const QString &note)
{
    if (m_row > 0)
        m_grid->setRowMinimumHeight(m_row++, Space::xl);
    m_grid->addWidget(makeLabel(text, this, FontRole::Strong), m_row++, 0, 1, columns);
    if (!note.isEmpty())
        m_grid->addWidget(makeLabel(note, this, FontRole::Base, Colour::Dim), m_row++, 0, 1, columns);
    m_grid->setRowMinimumHeight(m_row++, Space::s);
    m_grid->addWidget(makeRule(Qt::Horizontal, this), m_row++, 0, 1, columns);
}

QWidget *FactSheet::mark(const QString &id)
{
    QWidget *name = m_names.value(id);
    if (name)
        setBackground(name, Colour::AccentWash);
    return name;
}

void FactSheet::addFact(const Fact &fact)
{
    const auto padded = [this](QWidget *widget, int column) {
        widget->setContentsMargins(0, Space::s, 0, Space::s);
        m_grid->addWidget(widget, m_row, column, Qt::AlignVCenter);
    };
    if (fact.icon != Icon::None)
        m_grid->addWidget(new IconView(m_theme, fact.icon, fact.colour, this), m_row, 0, Qt::AlignVCenter);
    auto *name = makeLabel(fact.name, this);
    padded(name, 1);
    if (!fact.id.isEmpty() && !m_names.contains(fact.id))
        m_names.insert(fact.id, name);
    padded(makeLabel(fact.state, this, FontRole::Base, fact.colour), 2);
    QLabel *detail = makeLabel(fact.detail, this, fact.detailIsPath ? FontRole::Code : FontRole::Base, Colour::Dim);
    if (fact.detailIsPath || fact.detailIsData)
        markAsData(detail);
    if (fact.remedy.isEmpty() && !fact.copyRemedy) {
        padded(detail, 3);
    } else {
        auto *cell = new QWidget(this);
        auto *words = columnIn(cell, Space::xs);
        words->addWidget(detail);
        if (!fact.remedy.isEmpty()) // else the detail says it
            words->addWidget(makeLabel(fact.remedy, cell));
        if (fact.copyRemedy) {
            auto *copy = makeButton(tr("Copy command"), QStringLiteral("doctor.copy-command%1").arg(m_row), cell,
                                    tr("Copy the fix: %1").arg(fact.name));
            setLook(copy, ButtonLook::Link);
            connect(copy, &QPushButton::clicked, this, fact.copyRemedy);
            words->addWidget(copy, 0, Qt::AlignLeft);
        }
        padded(cell, 3);
    }
    m_grid->addWidget(makeRule(Qt::Horizontal, this), ++m_row, 0, 1, columns);
    ++m_row;
}

} // namespace glovebox
