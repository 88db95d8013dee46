// SPDX-License-Identifier: Apache-2.0
#include "sessionview.h"

#include <QDateTime>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString counted(qint64 count, const QString &unit)
{
    return u"%1 %2%3"_s.arg(count).arg(unit, count == 1 ? QString() : u"s"_s);
}

} // namespace

QString sizeWords(qint64 bytes)
{
    if (bytes < kibibyte)
        return counted(bytes, u"byte"_s);
    constexpr const char16_t *units[] = {u"KB", u"MB", u"GB", u"TB"};
    double size = double(bytes) / 1024;
    std::size_t unit = 0;
    for (; size >= 1023.95 && unit + 1 < std::size(units); ++unit)
        size /= 1024;
    return u"%1 %2"_s.arg(QString::number(size, 'f', 1), QString::fromUtf16(units[unit]));
}

QString minuteOf(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toString(u"yyyy-MM-dd HH:mm"_s);
}

QString distanceWords(qint64 fromMicroseconds, qint64 toMicroseconds)
{
    constexpr qint64 minute = 60, hour = 60 * minute, day = 24 * hour;
    const qint64 seconds = qAbs(toMicroseconds - fromMicroseconds) / 1'000'000;
    if (seconds >= 2 * day)
        return counted((seconds + day / 2) / day, u"day"_s);
    if (seconds >= 2 * hour)
        return counted((seconds + hour / 2) / hour, u"hour"_s);
    return seconds < minute ? u"less than a minute"_s : counted((seconds + minute / 2) / minute, u"minute"_s);
}

QString agoWords(qint64 microseconds, qint64 nowMicroseconds)
{
    return microseconds > nowMicroseconds ? u"later than now"_s
                                          : u"%1 ago"_s.arg(distanceWords(microseconds, nowMicroseconds));
}

QString countsOf(const Snapshot &snapshot)
{
    QStringList counts;
    if (snapshot.added > 0)
        counts.append(u"%1 added"_s.arg(snapshot.added));
    if (snapshot.changed > 0)
        counts.append(u"%1 changed"_s.arg(snapshot.changed));
    if (snapshot.removed > 0)
        counts.append(u"%1 removed"_s.arg(snapshot.removed));
    return counts.isEmpty() ? u"nothing changed"_s : counts.join(u", "_s);
}

std::optional<qint64> expiryOf(const Session &session)
{
    if (!session.timeToLive)
        return std::nullopt;
    return session.usedMicroseconds + std::chrono::microseconds(*session.timeToLive).count();
}

QString ageWords(std::chrono::seconds age)
{
    const qint64 minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
    constexpr qint64 hour = 60, day = 24 * hour;
    if (minutes % day == 0)
        return counted(minutes / day, u"day"_s);
    return minutes % hour == 0 ? counted(minutes / hour, u"hour"_s) : counted(minutes, u"minute"_s);
}

QJsonObject sessionJson(const Sessions &sessions, const Session &session)
{
    QJsonObject object = toJson(session, sessions.isBusy(session.id));
    object[u"client"_s] = orNull(session.agent);
    object[u"profile"_s] = orNull(session.profile);
    return object;
}

} // namespace glovebox
