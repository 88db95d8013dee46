// SPDX-License-Identifier: Apache-2.0
// The words for sessions: how they are called, how full they are, and when something was. The same on every page.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/sessions/sessions.h"

#include <QString>

namespace glovebox {

QString sessionName(const Session &session); // its own, else the beginning of its id
QString sessionName(const QString &id, const QString &name);

enum class Fullness { Roomy, Near, Full }; // Near: from 90 % on
// wasFull: the last run in it was stopped by the limit of its disk.
Fullness fullnessOf(const Session &session, bool wasFull);
Colour fullnessColour(Fullness fullness); // of words; Roomy: Dim

QString contentPhrase(const Session &session); // "23 files, 80 MB of 1 GB"
QString momentWord(qint64 microseconds); // "14:08" today, else "2026-11-23"
QString dayWord(qint64 microseconds); // "2026-11-23"
qint64 expiryOf(const Session &session); // 0: it stays until somebody deletes it
QString keptForWord(std::optional<std::chrono::seconds> timeToLive); // "30 days", "until it is deleted"

} // namespace glovebox
