// SPDX-License-Identifier: Apache-2.0
// The person's own keys as one line of the settings file: "bench.run=Ctrl+R; bench.save=".
#pragma once

#include "app/workbench/shell/actions.h"

namespace glovebox {

inline constexpr auto shortcutSetting = "window.shortcuts";

// Keys in their portable form, several of one action with a space between them; none: the action has no keys.
QString toText(const ShortcutChanges &changes);
// Lines of another form are left out.
ShortcutChanges shortcutsFromText(const QString &text);

// The deed of an editor or a line of input at these keys, whatever action has them: "Undo". Empty: none.
QString meaningInTexts(const QKeySequence &keys);
// Letters, digits and the like write themselves where text is edited.
bool areForTyping(const QKeySequence &keys);

// Keys that can't be changed, to be shown beside the others.
struct FixedKeys
{
    QString text;
    QString keys;
};
QList<FixedKeys> fixedKeys();

} // namespace glovebox
