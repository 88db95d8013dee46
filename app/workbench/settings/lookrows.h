// SPDX-License-Identifier: Apache-2.0
// The settings of how the window looks: colours, size of text, font of code. The window keeps them with its layout.
#pragma once

#include "rows/settingrow.h"

namespace glovebox {

QList<SettingRow *> makeLookRows(Theme &theme, QWidget *parent);

} // namespace glovebox
