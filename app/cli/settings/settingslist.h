// SPDX-License-Identifier: Apache-2.0
// The settings as the command line reads and shows them.
#pragma once

#include "engine/engine.h"

#include <QJsonArray>

namespace glovebox {

// Without an engine, as people look at them; broken ones are an error that names file and place.
Result<std::unique_ptr<Settings>> settingsOfPerson(const Paths &paths);

QJsonArray toJson(const Settings &settings); // key, value and origin of each
QByteArray shownSettings(const Settings &settings); // a line each, escaped

} // namespace glovebox
