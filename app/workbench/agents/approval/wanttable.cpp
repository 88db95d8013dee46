// SPDX-License-Identifier: Apache-2.0
#include "wanttable.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QGridLayout>

namespace glovebox {

WantTable::WantTable(const Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(Space::m);
    m_grid->setVerticalSpacing(Space::s);
    m_grid->setColumnStretch(2, 1);
}

void WantTable::setRows(const QList<AskRow> &rows)
{
    clearLayout(m_grid);
    m_notes.clear();
    int line = 0;
    const auto add = [&](QWidget *widget, int column, Qt::Alignment alignment = Qt::AlignTop) {
        m_grid->addWidget(widget, line, column, alignment);
        widget->show(); // a layout counts only what is
    };
    for (const AskRow &row : rows) {
        const bool isBarred = !row.obstacle.isEmpty();
        const Colour colour = isBarred ? Colour::Bad : row.isNew ? Colour::Warn : Colour::Text;
        if (row.isNew || isBarred)
            add(new IconView(m_theme, isBarred ? Icon::Stop : Icon::Warning, colour, this), 0);
        auto *title = makeLabel(row.title, this, FontRole::Base, Colour::Dim);
        title->setWordWrap(false);
        add(title, 1);
        auto *value = makeLabel(breakable(row.value), this, row.isNew ? FontRole::Strong : FontRole::Base, colour);
        if (row.isData)
            markAsData(value);
        value->setMinimumWidth(1);
        add(value, 2, {}); // as wide as there is room, so that it wraps late
        if (!row.note.isEmpty()) {
            auto *note = makeLabel(row.note, this, FontRole::Small, Colour::Dim);
            note->setWordWrap(false);
            add(note, 3);
            m_notes.append(note);
        }
        if (isBarred) {
            ++line;
            auto *why = makeLabel(breakable(row.obstacle), this, FontRole::Base, Colour::Bad);
            why->setMinimumWidth(1);
            why->setObjectName(QStringLiteral("agents.approval.obstacle"));
            m_grid->addWidget(why, line, 2, 1, 2);
            why->show();
        }
        ++line;
    }
}

void WantTable::setNotesVisible(bool areVisible)
{
    for (QLabel *note : std::as_const(m_notes))
        note->setVisible(areVisible);
}

} // namespace glovebox
