// SPDX-License-Identifier: Apache-2.0
// Without Qt's D-Bus nobody says that the screen was locked; values are still shown only while a button is held.
#include "screenlock.h"

namespace glovebox {

ScreenLock::ScreenLock(QObject *parent)
    : QObject(parent)
{
}

ScreenLock::~ScreenLock() = default;

void ScreenLock::start() { }

} // namespace glovebox
