// SPDX-License-Identifier: Apache-2.0
// What a run wants, a row each: what is new or weaker with a triangle, what can't be granted in red with the reason below.
#pragma once

#include "askwords.h"

#include "app/workbench/shell/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;

namespace glovebox {

class WantTable : public QWidget
{
    Q_OBJECT
public:
    explicit WantTable(const Theme &theme, QWidget *parent = nullptr);

    void setRows(const QList<AskRow> &rows);
    void setNotesVisible(bool areVisible); // there is room for them beside the values

private:
    const Theme &m_theme;
    QGridLayout *m_grid;
    QList<QLabel *> m_notes;
};

} // namespace glovebox
