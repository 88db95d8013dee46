// SPDX-License-Identifier: Apache-2.0
// Times as a person types them: a day, a minute, or how long ago.
#pragma once

#include <QByteArray>
#include <QDateTime>

#include <expected>

namespace glovebox {

enum class DayEdge { Start, End };

// "2026-11-24", "2026-11-24 13:05", "today", "yesterday" in the time zone of now, or "2h", "30m", "7d" before now. A day without a
// time is its start or its end, the start of the next. The error is a sentence with option.
std::expected<QDateTime, QString> momentOf(const QByteArray &option, const QByteArray &text, DayEdge edge,
                                           const QDateTime &now);

} // namespace glovebox
