// SPDX-License-Identifier: Apache-2.0
// A setting that is chosen from a list.
#pragma once

#include "settingrow.h"

#include "app/workbench/shell/look/choicefield.h"

namespace glovebox {

class ChoiceRow : public SettingRow
{
public:
    ChoiceRow(Theme &theme, const QString &id, const QString &title, const QString &explanation, QWidget *parent,
              const QString &found = {})
        : SettingRow(theme, id, title, explanation, found, parent)
        , m_choice(new ChoiceField(this))
    {
        setField(m_choice);
    }
    ChoiceField &choice() { return *m_choice; }

private:
    ChoiceField *m_choice;
};

} // namespace glovebox
