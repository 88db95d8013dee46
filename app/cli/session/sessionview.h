// SPDX-License-Identifier: Apache-2.0
// Sessions in words for a person, and in the JSON of their commands.
#pragma once

#include "engine/engine.h"

#include <QJsonObject>

namespace glovebox {

// "512 bytes", "1.5 KB", "20.0 MB"
QString sizeWords(qint64 bytes);
// "2026-11-23 22:51"
QString minuteOf(qint64 microseconds);
// "3 days", "5 hours": how far the two are apart, rounded.
QString distanceWords(qint64 fromMicroseconds, qint64 toMicroseconds);
// "3 days ago"; "later than now", by a clock that was set back.
QString agoWords(qint64 microseconds, qint64 nowMicroseconds);
// "2 added, 1 removed"; "nothing changed".
QString countsOf(const Snapshot &snapshot);
// When it goes by itself; nothing: never.
std::optional<qint64> expiryOf(const Session &session);
// "30 days", "12 hours"
QString ageWords(std::chrono::seconds age);

// The object of `session list --json`, but for "schema".
QJsonObject sessionJson(const Sessions &sessions, const Session &session);

} // namespace glovebox
