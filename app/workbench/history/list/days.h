// SPDX-License-Identifier: Apache-2.0
// Days as a person types them to find runs: "yesterday", "Monday", "20 Nov", "2026-11-20 .. 2026-11-25".
#pragma once

#include <QDate>
#include <QLocale>
#include <QStringList>

#include <optional>

namespace glovebox {

// Both are in it; an invalid one: open at that end.
struct DayRange
{
    QDate first, last;

    bool operator==(const DayRange &) const = default;
};

// Words in the person's language and in English, dates as their locale writes them and as yyyy-MM-dd; a day without a year is the last such
// day until today. Nothing: the text names no days.
std::optional<DayRange> daysFrom(const QString &text, const QDate &today, const QLocale &locale = {});

// Words to choose from, each of which daysFrom() reads.
QStringList wordsForDays();

} // namespace glovebox
