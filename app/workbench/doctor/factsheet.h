// SPDX-License-Identifier: Apache-2.0
// Sections of facts, a line each: a shape, a name, a word and the detail, with a rule below.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QHash>
#include <QWidget>

#include <functional>

class QGridLayout;

namespace glovebox {

struct Fact
{
    Icon icon = Icon::None;
    Colour colour = Colour::Text; // of icon and state
    QString name;
    QString state; // "Verified"
    QString detail;
    bool detailIsPath = false; // fixed font
    bool detailIsData = false; // words of the machine, not ours
    QString remedy; // what mends it, below the detail
    std::function<void()> copyRemedy; // null: there is nothing to copy
    QString id; // for mark(); may be empty
};

class FactSheet : public QWidget
{
    Q_OBJECT
public:
    FactSheet(const Theme &theme, QWidget *parent);

    void clear();
    void addHeading(const QString &text, const QString &note = {});
    void addFact(const Fact &fact);
    // The widget that names the fact of this id, from now on marked; null: there is none.
    QWidget *mark(const QString &id);

private:
    const Theme &m_theme;
    QGridLayout *m_grid;
    int m_row = 0;
    QHash<QString, QWidget *> m_names; // by the facts' ids
};

} // namespace glovebox
