// SPDX-License-Identifier: Apache-2.0
#include "moment.h"

#include "app/cli/options.h"

#include <optional>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QDateTime edgeOf(const QDate &day, DayEdge edge)
{
    return (edge == DayEdge::Start ? day : day.addDays(1)).startOfDay();
}

// "2h"; none: the text is no such time.
std::optional<qint64> secondsOf(const QByteArray &text)
{
    constexpr qint64 longest = qint64(100) * 366 * 86'400;
    const std::pair<char, qint64> units[] = {{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}};
    for (const auto &[letter, seconds] : units) {
        bool isNumber = false;
        const qint64 count = text.endsWith(letter) ? text.chopped(1).toLongLong(&isNumber) : 0;
        if (isNumber && count > 0 && count <= longest / seconds)
            return count * seconds;
    }
    return std::nullopt;
}

} // namespace

std::expected<QDateTime, QString> momentOf(const QByteArray &option, const QByteArray &text, DayEdge edge,
                                           const QDateTime &now)
{
    if (text == "today")
        return edgeOf(now.date(), edge);
    if (text == "yesterday")
        return edgeOf(now.date().addDays(-1), edge);
    if (const auto seconds = secondsOf(text))
        return now.addSecs(-*seconds);
    const QString typed = QString::fromUtf8(text);
    if (const QDate day = QDate::fromString(typed, u"yyyy-MM-dd"_s); day.isValid())
        return edgeOf(day, edge);
    for (const auto &format : {u"yyyy-MM-dd HH:mm"_s, u"yyyy-MM-dd HH:mm:ss"_s}) {
        QDateTime moment = QDateTime::fromString(QString(typed).replace(u'T', u' '), format);
        if (moment.isValid())
            return moment;
    }
    return std::unexpected(
        u"\"%1\" is not a time for %2. Give a day such as %3, \"%3 13:05\", today, yesterday, or how long ago: 2h or 7d."_s
            .arg(QString::fromUtf8(text.left(60)), QString::fromUtf8(option), now.date().toString(Qt::ISODate)));
}

} // namespace glovebox
