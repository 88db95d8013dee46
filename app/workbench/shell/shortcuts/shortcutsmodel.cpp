// SPDX-License-Identifier: Apache-2.0
#include "shortcutsmodel.h"

#include "shortcuttext.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

ShortcutsModel::ShortcutsModel(const Theme &theme, const ActionRegistry &actions, QHash<QString, QString> pageTitles)
    : TableModel(theme, {tr("Command"), tr("Keys"), tr("Where")})
    , m_actions(actions)
    , m_pageTitles(std::move(pageTitles))
{
    filter({});
}

QList<ShortcutRow> ShortcutsModel::all() const
{
    QList<ShortcutRow> rows;
    for (const QString &id : m_actions.ids()) {
        QStringList keys;
        for (const QKeySequence &sequence : m_actions.shortcuts(id))
            keys.append(sequence.toString(QKeySequence::NativeText));
        const QString page = m_actions.spec(id)->page;
        rows.append({.id = id,
                     .text = m_actions.action(id)->text(),
                     .keys = keys.join(u", "_s),
                     .where = page.isEmpty() ? tr("Everywhere") : m_pageTitles.value(page, page),
                     .isChanged = m_actions.changedShortcuts().contains(id),
                     .words = m_actions.words(id)});
    }
    for (const FixedKeys &fixed : fixedKeys())
        rows.append({.id = {},
                     .text = fixed.text,
                     .keys = fixed.keys,
                     .where = tr("In texts, always"),
                     .isChanged = false,
                     .words = {}});
    // Commands with keys come first: people open the sheet for them.
    std::ranges::stable_partition(rows, [](const ShortcutRow &row) { return !row.keys.isEmpty(); });
    return rows;
}

void ShortcutsModel::filter(const QString &typed)
{
    const QStringList words = typed.split(u' ', Qt::SkipEmptyParts);
    QList<ShortcutRow> rows = all();
    rows.removeIf([&words](const ShortcutRow &row) {
        const QString text = row.text + u' ' + row.keys + u' ' + row.where + u' ' + row.words;
        return !std::ranges::all_of(words,
                                    [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
    });
    setRows(rows);
}

int ShortcutsModel::rowOf(const QString &id) const
{
    const auto it = std::ranges::find(rows(), id, &ShortcutRow::id);
    return id.isEmpty() || it == rows().end() ? -1 : int(it - rows().begin());
}

QVariant ShortcutsModel::cell(const ShortcutRow &row, int column, int role) const
{
    if (role == Qt::DisplayRole)
        return column == 0   ? row.text
               : column == 1 ? row.isChanged ? tr("%1 (yours)").arg(row.keys) : row.keys
                             : row.where;
    if (role == Qt::ForegroundRole && (column == 2 || row.id.isEmpty()))
        return m_theme.colour(Colour::Dim);
    if (role == Qt::AccessibleTextRole && column == 0)
        return row.keys.isEmpty() ? tr("%1, no keys").arg(row.text) : u"%1, %2"_s.arg(row.text, row.keys);
    return {};
}

} // namespace glovebox
