// SPDX-License-Identifier: Apache-2.0
// The menu of a list's rows, by the right button of the mouse or the key for menus.
#pragma once

#include <QStringList>

class QAbstractItemView;

namespace glovebox {

class ActionRegistry;

// names: of the page's actions, which are about the current row; empty: a line between them.
void offerMenu(QAbstractItemView *view, const ActionRegistry &actions, const QStringList &names);

} // namespace glovebox
