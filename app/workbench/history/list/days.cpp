// SPDX-License-Identifier: Apache-2.0
#include "days.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// lupdate finds the strings under this name.
struct Days
{
    Q_DECLARE_TR_FUNCTIONS(Days)
};

struct Word
{
    const char *english;
    int first, last; // days back from today
};

constexpr Word words[] = {
    {QT_TRANSLATE_NOOP("glovebox::Days", "Today"), 0, 0},
    {QT_TRANSLATE_NOOP("glovebox::Days", "Yesterday"), 1, 1},
    {QT_TRANSLATE_NOOP("glovebox::Days", "Last 7 days"), 6, 0},
    {QT_TRANSLATE_NOOP("glovebox::Days", "Last 30 days"), 29, 0},
};

bool isSame(const QString &a, const QString &b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

std::optional<DayRange> fromWord(const QString &text, const QDate &today)
{
    for (const Word &word : words) {
        if (isSame(text, QString::fromLatin1(word.english)) || isSame(text, Days::tr(word.english)))
            return DayRange{today.addDays(-word.first), today.addDays(-word.last)};
    }
    return std::nullopt;
}

// The last one, today included.
std::optional<DayRange> fromWeekday(const QString &text, const QDate &today, const QLocale &locale)
{
    for (int day = Qt::Monday; day <= Qt::Sunday; ++day) {
        const bool isIt = std::ranges::any_of(
            std::initializer_list<QString>{locale.dayName(day), locale.dayName(day, QLocale::ShortFormat),
                                           locale.standaloneDayName(day), QLocale::c().dayName(day),
                                           QLocale::c().dayName(day, QLocale::ShortFormat)},
            [&](const QString &name) { return isSame(text, name); });
        if (!isIt)
            continue;
        const QDate found = today.addDays(-((today.dayOfWeek() - day + 7) % 7));
        return DayRange{found, found};
    }
    return std::nullopt;
}

// "20 Nov", "Nov 20", "20.11.": the last such day until today, as nobody looks for runs of the future.
QDate withoutYear(const QString &text, const QDate &today, const QLocale &locale)
{
    for (const QLocale &each : {locale, QLocale::c()}) {
        for (const auto &format : {u"d MMM"_s, u"d MMMM"_s, u"d. MMM"_s, u"d. MMMM"_s, u"MMM d"_s, u"MMMM d"_s}) {
            for (int year = today.year(); year > today.year() - 8; --year) { // a leap year is among them
                const QDate day = each.toDate(u"%1 %2"_s.arg(text).arg(year), format + u" yyyy"_s);
                if (day.isValid() && day <= today)
                    return day;
            }
        }
    }
    return {};
}

QDate withYear(const QString &text, const QLocale &locale)
{
    constexpr int firstYear = 1970, century = 100;
    for (const QLocale &each : {locale, QLocale::c()}) {
        for (const auto &format : {u"d MMM yyyy"_s, u"d MMMM yyyy"_s, u"d. MMM yyyy"_s, u"d. MMMM yyyy"_s,
                                   u"MMM d yyyy"_s, u"MMM d, yyyy"_s, u"MMMM d, yyyy"_s}) {
            if (const QDate day = each.toDate(text, format); day.isValid())
                return day;
        }
    }
    for (const auto format : {QLocale::ShortFormat, QLocale::LongFormat}) {
        const QDate day = locale.toDate(text, format);
        if (day.isValid()) // of two digits, "26" is 1926 to Qt
            return day.year() < firstYear ? day.addYears(century) : day;
    }
    return {};
}

std::optional<DayRange> fromDate(const QString &text, const QDate &today, const QLocale &locale)
{
    if (const QDate day = QDate::fromString(text, u"yyyy-MM-dd"_s); day.isValid())
        return DayRange{day, day};
    if (const QDate month = QDate::fromString(text, u"yyyy-MM"_s); month.isValid())
        return DayRange{month, month.addMonths(1).addDays(-1)};
    for (const QDate &day : {withoutYear(text, today, locale), withYear(text, locale)}) {
        if (day.isValid())
            return DayRange{day, day};
    }
    return std::nullopt;
}

std::optional<DayRange> fromOne(const QString &text, const QDate &today, const QLocale &locale)
{
    if (auto range = fromWord(text, today))
        return range;
    if (auto range = fromWeekday(text, today, locale))
        return range;
    return fromDate(text, today, locale);
}

// Where "20 Nov – 25 Nov" is divided. A hyphen stands within dates, too.
std::optional<std::pair<QString, QString>> halves(const QString &text)
{
    const QString to = u' ' + Days::tr("to", "from a day to another one") + u' ';
    for (const QString &between : {u".."_s, u"…"_s, u"–"_s, u"—"_s, u" - "_s, to, u" to "_s}) {
        const qsizetype at = text.indexOf(between, 0, Qt::CaseInsensitive);
        if (at >= 0)
            return std::pair(text.first(at).trimmed(), text.sliced(at + between.size()).trimmed());
    }
    return std::nullopt;
}

} // namespace

std::optional<DayRange> daysFrom(const QString &text, const QDate &today, const QLocale &locale)
{
    const QString typed = text.simplified();
    if (auto range = fromOne(typed, today, locale))
        return range;
    const auto ends = halves(typed);
    if (!ends || (ends->first.isEmpty() && ends->second.isEmpty()))
        return std::nullopt;
    const auto first = ends->first.isEmpty() ? DayRange() : fromOne(ends->first, today, locale);
    const auto last = ends->second.isEmpty() ? DayRange() : fromOne(ends->second, today, locale);
    if (!first || !last)
        return std::nullopt;
    if (first->first.isValid() && last->last.isValid() && last->last < first->first)
        return DayRange{last->first, first->last}; // the other way round
    return DayRange{first->first, last->last};
}

QStringList wordsForDays()
{
    QStringList all;
    for (const Word &word : words)
        all.append(Days::tr(word.english));
    return all;
}

} // namespace glovebox
