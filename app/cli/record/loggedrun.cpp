// SPDX-License-Identifier: Apache-2.0
#include "loggedrun.h"

#include "app/cli/terminal/console.h"
#include "recordedrun.h"

#include <QDateTime>

#include <algorithm>
#include <optional>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Code from which a secret was taken has a second entry that commits to it.
bool isCommittedTo(const StoredBody &stored, const QByteArray &content, const QList<StoredEntry> &entries)
{
    const QString commitment = QString::fromLatin1(sha256({stored.salt, content}).toHex());
    return std::ranges::any_of(entries, [&](const StoredEntry &entry) {
        return parsed(entry).value(stored.what).toObject().value("commitment"_L1).toString() == commitment;
    });
}

ShownBody load(const ContentStore &store, const StoredBody &stored, const QString &deleted,
               const QList<StoredEntry> &entries)
{
    if (stored.salt.isEmpty() && !stored.digest.isEmpty())
        return {stored, u"deleted"_s, {}, deleted + u", but its file stays until the next \"audit prune\""_s};
    if (stored.salt.isEmpty())
        return {stored, u"deleted"_s, {}, deleted};
    auto content = store.get(stored.digest);
    if (!content) {
        const bool isMissing = content.error().code == ErrorCode::NotFound;
        return {stored, isMissing ? u"missing"_s : u"damaged"_s, {}, sentenceOf(content.error())};
    }
    if (!isCommittedTo(stored, *content, entries))
        return {stored, u"damaged"_s, {}, u"the entry has the hash of another content, so this one isn't shown"_s};
    return {stored, u"kept"_s, *std::move(content), {}};
}

// "deleted on 2026-11-03"
QString whenDeletedWords(const AuditReader &reader, const QString &run)
{
    const auto row = reader.run(run);
    const auto found = row ? whenDeleted(reader, *row) : std::unexpected(row.error());
    const auto when = found.value_or(std::nullopt);
    if (!when)
        return u"deleted"_s;
    return u"deleted on %1"_s.arg(QDateTime::fromMSecsSinceEpoch(*when / 1000).toString(u"yyyy-MM-dd"_s));
}

QStringList doubtsOf(const QList<StoredEntry> &entries)
{
    QStringList doubts;
    for (const StoredEntry &entry : entries) {
        if (leafHash(entry.json) != entry.leaf || parsed(entry).value("seq"_L1).toInteger() != entry.seq)
            doubts.append(u"Entry %1 was changed after it was written: the log has another hash or number of it."_s.arg(
                entry.seq));
    }
    return doubts;
}

// What the entries commit to, and the log doesn't have beside them, not even as deleted.
QStringList missingOf(const QList<StoredEntry> &entries, const QList<StoredBody> &bodies)
{
    QStringList doubts;
    for (const StoredEntry &entry : entries) {
        for (const QString &what : {u"code"_s, u"stdout"_s, u"stderr"_s}) {
            if (parsed(entry).value(what).toObject().contains("commitment"_L1)
                && std::ranges::find(bodies, what, &StoredBody::what) == bodies.end())
                doubts.append(u"The %1 of entry %2 is missing from the log."_s.arg(what).arg(entry.seq));
        }
    }
    return doubts;
}

} // namespace

Result<LoggedRun> readLogged(const AuditReader &reader, const ContentStore &store, const QByteArray &wanted)
{
    std::optional<StoredEntry> found;
    const auto run = findRun(reader, wanted, found);
    if (!run)
        return std::unexpected(run.error());
    if (found && run->isEmpty())
        return LoggedRun{{}, {*found}, {}, doubtsOf({*found})};
    const auto entries = reader.entriesOf(*run);
    if (!entries)
        return std::unexpected(entries.error());
    const auto bodies = reader.bodiesOf(*run);
    if (!bodies)
        return std::unexpected(bodies.error());
    LoggedRun record{*run, *entries, {}, doubtsOf(*entries) + missingOf(*entries, *bodies)};
    const QString deleted = whenDeletedWords(reader, *run);
    for (const StoredBody &body : *bodies)
        record.bodies.append(load(store, body, deleted, *entries));
    const auto row = reader.run(*run);
    if (row && row->finishedSeq > 0
        && std::ranges::find(*entries, row->finishedSeq, &StoredEntry::seq) == entries->end())
        record.doubts.append(u"Entry %1, the end of this run, is missing from the log."_s.arg(row->finishedSeq));
    return record;
}

} // namespace glovebox
