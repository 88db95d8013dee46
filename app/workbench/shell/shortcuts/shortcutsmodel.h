// SPDX-License-Identifier: Apache-2.0
// Every action with its keys, as a table: what can be changed first, then what texts do themselves.
#pragma once

#include "app/workbench/shell/actions.h"
#include "app/workbench/shell/look/tablemodel.h"

namespace glovebox {

struct ShortcutRow
{
    QString id; // empty: fixed
    QString text;
    QString keys;
    QString where; // the page; empty: everywhere
    bool isChanged = false;
    QString words; // found by them, too
};

class ShortcutsModel : public TableModel<ShortcutRow>
{
    Q_OBJECT
public:
    // pageTitle: by a page's id.
    ShortcutsModel(const Theme &theme, const ActionRegistry &actions, QHash<QString, QString> pageTitles);

    // Rows that have all words in their text, keys, page or other words.
    void filter(const QString &typed);
    int rowOf(const QString &id) const; // -1: not shown

private:
    QVariant cell(const ShortcutRow &row, int column, int role) const override;
    QList<ShortcutRow> all() const;

    const ActionRegistry &m_actions;
    const QHash<QString, QString> m_pageTitles;
};

} // namespace glovebox
