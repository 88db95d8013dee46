// SPDX-License-Identifier: Apache-2.0
#include "sessionwords.h"

#include "words.h"

#include <QCoreApplication>
#include <QDateTime>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortId = 13; // to the millisecond: the first eight are those of a minute
constexpr qint64 nearPercent = 90;

struct SessionWords
{
    Q_DECLARE_TR_FUNCTIONS(SessionWords)
};

QDateTime timeOf(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000);
}

} // namespace

QString sessionName(const QString &id, const QString &name)
{
    return name.isEmpty() ? id.left(shortId) : name;
}

QString sessionName(const Session &session)
{
    return sessionName(session.id, session.name);
}

Fullness fullnessOf(const Session &session, bool wasFull)
{
    const Snapshot *now = session.snapshot(session.head);
    const qint64 bytes = now ? now->bytes : 0;
    const qint64 room = session.diskBytes - roomForCode(session.diskBytes);
    if (wasFull || bytes >= room)
        return Fullness::Full;
    return bytes >= room / 100 * nearPercent ? Fullness::Near : Fullness::Roomy;
}

Colour fullnessColour(Fullness fullness)
{
    return fullness == Fullness::Full ? Colour::Bad : fullness == Fullness::Near ? Colour::Warn : Colour::Dim;
}

QString contentPhrase(const Session &session)
{
    const Snapshot *now = session.snapshot(session.head);
    return SessionWords::tr("%Ln file(s), %1 of %2", "", int(now ? now->files : 0))
        .arg(sizeWord(now ? now->bytes : 0), sizeWord(session.diskBytes));
}

QString momentWord(qint64 microseconds)
{
    const QDateTime time = timeOf(microseconds);
    return time.date() == QDate::currentDate() ? time.toString(u"HH:mm"_s) : dayWord(microseconds);
}

QString dayWord(qint64 microseconds)
{
    return timeOf(microseconds).toString(u"yyyy-MM-dd"_s);
}

qint64 expiryOf(const Session &session)
{
    return session.timeToLive ? session.usedMicroseconds + std::chrono::microseconds(*session.timeToLive).count() : 0;
}

QString keptForWord(std::optional<std::chrono::seconds> timeToLive)
{
    using namespace std::chrono;
    if (!timeToLive)
        return SessionWords::tr("until it is deleted");
    if (*timeToLive >= days(1))
        return SessionWords::tr("%Ln day(s)", "", int(duration_cast<days>(*timeToLive).count()));
    return SessionWords::tr("%Ln hour(s)", "", int(std::max<qint64>(1, duration_cast<hours>(*timeToLive).count())));
}

} // namespace glovebox
