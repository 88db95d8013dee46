// SPDX-License-Identifier: Apache-2.0
// A session as a value.
#include "sessions.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

const Snapshot &Session::now() const
{
    return *snapshot(head);
}

const Snapshot *Session::snapshot(int number) const
{
    const auto found = std::ranges::find(snapshots, number, &Snapshot::number);
    return found == snapshots.end() ? nullptr : &*found;
}

bool Session::isExpired(qint64 nowMicroseconds) const
{
    return timeToLive && usedMicroseconds + std::chrono::microseconds(*timeToLive).count() < nowMicroseconds;
}

std::chrono::microseconds Session::grace() const
{
    constexpr std::chrono::seconds most = std::chrono::days(3);
    return std::min(timeToLive.value_or(most), most);
}

void Session::useAt(qint64 nowMicroseconds)
{
    usedMicroseconds = std::max(usedMicroseconds, nowMicroseconds);
}

const SessionPackages *Session::packagesOf(const QString &language) const
{
    const auto found = std::ranges::find(packages, language, &SessionPackages::language);
    return found == packages.end() ? nullptr : &*found;
}

QByteArray Session::digest() const
{
    QByteArray all = now().tree;
    for (const SessionPackages &each : packages)
        all += each.language.toUtf8() + ' ' + each.id.toUtf8() + '\n';
    return packages.isEmpty() ? all : sha256({all});
}

QString SessionPackages::lockId() const
{
    return QString::fromLatin1(sha256({lock}).toHex());
}

namespace {

QJsonArray packagesJson(const Session &session)
{
    QJsonArray all;
    for (const SessionPackages &packages : session.packages)
        all.append(QJsonObject{{u"language"_s, packages.language},
                               {u"requirements"_s, QJsonArray::fromStringList(packages.requirements)},
                               {u"packages"_s, QJsonArray::fromStringList(packages.packages)},
                               {u"lock"_s, packages.lockId()}});
    return all;
}

} // namespace

QJsonObject toJson(const Session &session, bool isBusy)
{
    const qint64 expires =
        session.timeToLive ? session.usedMicroseconds + std::chrono::microseconds(*session.timeToLive).count() : 0;
    const Snapshot *head = session.snapshot(session.head);
    return {{u"id"_s, session.id},
            {u"name"_s, orNull(session.name)},
            {u"created_us"_s, session.createdMicroseconds},
            {u"used_us"_s, session.usedMicroseconds},
            {u"ttl_s"_s, session.timeToLive ? QJsonValue(qint64(session.timeToLive->count())) : QJsonValue()},
            {u"expires_us"_s, session.timeToLive ? QJsonValue(expires) : QJsonValue()},
            {u"disk_bytes"_s, session.diskBytes},
            {u"allow"_s, QJsonArray::fromStringList(session.allow)},
            {u"packages"_s, packagesJson(session)},
            {u"head"_s, session.head},
            {u"files"_s, head ? head->files : 0},
            {u"bytes"_s, head ? head->bytes : 0},
            {u"stored_bytes"_s, session.storedBytes},
            {u"busy"_s, isBusy}};
}

QJsonObject toJson(const Snapshot &snapshot)
{
    return {{u"number"_s, snapshot.number},
            {u"parent"_s, snapshot.parent},
            {u"beside"_s, snapshot.isBeside},
            {u"time_us"_s, snapshot.timeMicroseconds},
            {u"cause"_s, QLatin1StringView(enumName(snapshot.cause))},
            {u"run"_s, orNull(snapshot.run)},
            {u"source"_s, snapshot.source},
            {u"label"_s, orNull(snapshot.label)},
            {u"files"_s, snapshot.files},
            {u"bytes"_s, snapshot.bytes},
            {u"added"_s, snapshot.added},
            {u"changed"_s, snapshot.changed},
            {u"removed"_s, snapshot.removed}};
}

} // namespace glovebox
