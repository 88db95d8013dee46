// SPDX-License-Identifier: Apache-2.0
#include "loggedrun.h"

#include "app/cli/terminal/console.h"
#include "recordedrun.h"

#include <QDateTime>

#include <algorithm>
#include <optional>
#include <vector>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// When the log says that the run's code and output were deleted; nothing: no entry says so.
using LoggedDeletion = Result<std::optional<qint64>>;

// "deleted on 2026-11-03"
QString deletionWords(const LoggedDeletion &deletion)
{
    if (!deletion)
        return u"deleted"_s;
    if (!*deletion)
        return u"deleted, and no entry of the log says so"_s;
    return u"deleted on %1"_s.arg(QDateTime::fromMSecsSinceEpoch(**deletion / 1000).toString(u"yyyy-MM-dd"_s));
}

// An entry with what it says: taken apart once, which is most of the time that "audit verify" takes.
struct ToldEntry
{
    const StoredEntry &stored;
    QJsonObject says;
};

// Code from which a secret was taken has a second entry that commits to it.
bool isCommittedTo(const StoredBody &stored, const QByteArray &content, const std::vector<ToldEntry> &entries)
{
    const QString commitment = QString::fromLatin1(sha256({stored.salt, content}).toHex());
    return std::ranges::any_of(entries, [&](const ToldEntry &entry) {
        return entry.says.value(stored.what).toObject().value("commitment"_L1).toString() == commitment;
    });
}

ShownBody load(const ContentStore &store, const StoredBody &stored, const LoggedDeletion &deletion,
               const std::vector<ToldEntry> &entries)
{
    if (stored.salt.isEmpty()) {
        const QString deleted = deletionWords(deletion);
        return {stored,
                u"deleted"_s,
                {},
                stored.digest.isEmpty() ? deleted : deleted + u", but its file stays until the next \"audit prune\""_s};
    }
    auto content = store.get(stored.digest);
    if (!content) {
        const bool isMissing = content.error().code == ErrorCode::NotFound;
        return {stored, isMissing ? u"missing"_s : u"damaged"_s, {}, sentenceOf(content.error())};
    }
    if (!isCommittedTo(stored, *content, entries))
        return {stored, u"damaged"_s, {}, u"the entry has the hash of another content, so this one isn't shown"_s};
    return {stored, u"kept"_s, *std::move(content), {}};
}

QStringList doubtsOf(const std::vector<ToldEntry> &entries)
{
    QStringList doubts;
    for (const auto &[stored, says] : entries) {
        if (leafHash(stored.json) != stored.leaf || says.value("seq"_L1).toInteger() != stored.seq)
            doubts.append(u"Entry %1 was changed after it was written: the log has another hash or number of it."_s.arg(
                stored.seq));
    }
    return doubts;
}

// What the entries commit to, and the log doesn't have beside them, not even as deleted.
QStringList missingOf(const std::vector<ToldEntry> &entries, const QList<StoredBody> &bodies)
{
    QStringList doubts;
    for (const auto &[stored, says] : entries) {
        for (const QString &what : {u"code"_s, u"stdout"_s, u"stderr"_s}) {
            if (says.value(what).toObject().contains("commitment"_L1)
                && std::ranges::find(bodies, what, &StoredBody::what) == bodies.end())
                doubts.append(u"The %1 of entry %2 is missing from the log."_s.arg(what).arg(stored.seq));
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
        return LoggedRun{{}, {*found}, {}, doubtsOf({{*found, parsed(*found)}})};
    const auto entries = reader.entriesOf(*run);
    if (!entries)
        return std::unexpected(entries.error());
    const auto bodies = reader.bodiesOf(*run);
    if (!bodies)
        return std::unexpected(bodies.error());
    std::vector<ToldEntry> told;
    for (const StoredEntry &entry : *entries)
        told.push_back({entry, parsed(entry)});
    LoggedRun record{*run, *entries, {}, doubtsOf(told) + missingOf(told, *bodies)};
    const auto row = reader.run(*run);
    const bool isAnyDeleted = std::ranges::any_of(*bodies, [](const StoredBody &body) { return body.salt.isEmpty(); });
    LoggedDeletion deletion = 0; // asked for where there is one
    if (isAnyDeleted)
        deletion = row ? whenDeleted(reader, *row) : std::unexpected(row.error());
    for (const StoredBody &body : *bodies)
        record.bodies.append(load(store, body, deletion, told));
    if (deletion && !*deletion)
        record.doubts.append(u"Code or output of this run was deleted, and no entry of the log says so."_s);
    if (row && row->finishedSeq > 0
        && std::ranges::find(*entries, row->finishedSeq, &StoredEntry::seq) == entries->end())
        record.doubts.append(u"Entry %1, the end of this run, is missing from the log."_s.arg(row->finishedSeq));
    return record;
}

} // namespace glovebox
