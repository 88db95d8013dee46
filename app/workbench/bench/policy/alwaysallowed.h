// SPDX-License-Identifier: Apache-2.0
// The hosts that every tab of the bench may reach, because the person said so once and for all: the setting bench.allow.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// Rules in canonical text. What is no rule allows nothing.
QStringList hostsAlwaysAllowed(const Settings &settings);
// Blocks: the file is read and written.
Status allowHostAlways(Settings &settings, const QString &host);

} // namespace glovebox
