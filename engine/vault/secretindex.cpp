// SPDX-License-Identifier: Apache-2.0
#include "secretindex.h"

#include "engine/sqlite/sqlite.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Change = SecretEntry::Change;

constexpr auto secretColumns =
    "SELECT name, note, store, slot, created_us, changed_us, last_used_us, uses, limits FROM secrets ";

SecretInfo infoFrom(const Statement &row)
{
    // Limits that can't be read lend it to nobody, until the person sets them again.
    const auto object = parseStrictJson(row.blob(8));
    const auto limits = object ? secretLimitsFromJson(*object) : std::unexpected(object.error());
    return {row.text(0),
            row.text(1),
            row.text(2),
            row.text(3),
            row.integer(4),
            row.integer(5),
            row.optionalInteger(6),
            row.integer(7),
            limits.value_or(SecretLimits{.expiryMicroseconds = 0})};
}

Result<std::optional<SecretInfo>> readSecret(const Connection &connection, const QString &name)
{
    ASSIGN_OR_RETURN(
        const auto found,
        connection.rows(QByteArray(secretColumns + QByteArray("WHERE name = ?1")).constData(), infoFrom, name));
    return found.isEmpty() ? std::nullopt : std::optional(found.first());
}

std::unexpected<Error> changedMeanwhile(const QString &name)
{
    return fail(
        ErrorCode::Busy,
        QT_TRANSLATE_NOOP(
            "engine",
            "Another program changed the secret %1 at the same moment, so nothing was done. Review it and try again."),
        {name});
}

// What the change was decided on must still be there: two programs can't undo each other unseen.
Status checkUnchanged(const Connection &connection, const SecretEntry &entry)
{
    const QString &name = entry.secret.name;
    ASSIGN_OR_RETURN(const auto present, readSecret(connection, name));
    if (entry.change == Change::Added)
        return present ? Status(nameTaken(name)) : Status();
    if (!present)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no secret %1. Another program may have removed or "
                                                "renamed it."),
                    {name});
    const bool edited = present->note != entry.expected.note || present->limits != entry.expected.limits;
    if (present->slot != entry.expected.slot || (entry.change == Change::Edited && edited))
        return changedMeanwhile(name);
    if (entry.change != Change::Renamed)
        return {};
    ASSIGN_OR_RETURN(const auto other, readSecret(connection, entry.newName));
    return other ? Status(nameTaken(entry.newName)) : Status();
}

Status changeSecret(Connection &connection, const SecretEntry &entry, qint64 now)
{
    RETURN_IF_ERROR(checkUnchanged(connection, entry));
    const SecretInfo &secret = entry.secret;
    ASSIGN_OR_RETURN(const QByteArray limits, canonicalJson(toJson(secret.limits)));
    switch (entry.change) {
    case Change::Added:
        return connection.run("INSERT INTO secrets(name, note, store, slot, created_us, changed_us, limits) "
                              "VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6)",
                              secret.name, secret.note, secret.store, secret.slot, now, limits);
    case Change::Replaced:
        return connection.run("UPDATE secrets SET store = ?2, slot = ?3, changed_us = ?4 WHERE name = ?1", secret.name,
                              secret.store, secret.slot, now);
    case Change::Edited:
        return connection.run("UPDATE secrets SET note = ?2, limits = ?3 WHERE name = ?1", secret.name, secret.note,
                              limits);
    case Change::Renamed:
        return connection.run("UPDATE secrets SET name = ?2 WHERE name = ?1", secret.name, entry.newName);
    case Change::Removed:
        return connection.run("DELETE FROM secrets WHERE name = ?1", secret.name);
    }
    Q_UNREACHABLE();
}

Status countUses(Connection &connection, const QList<SecretInfo> &secrets, qint64 now)
{
    for (const SecretInfo &secret : secrets) {
        ASSIGN_OR_RETURN(const QByteArray limits, canonicalJson(toJson(secret.limits)));
        RETURN_IF_ERROR(connection.run("UPDATE secrets SET uses = uses + 1, last_used_us = ?1 "
                                       "WHERE name = ?2 AND slot = ?3 AND limits = ?4",
                                       now, secret.name, secret.slot, limits));
        if (connection.changes() != 1)
            return changedMeanwhile(secret.name);
    }
    return {};
}

Status uncountUses(Connection &connection, const QList<SecretInfo> &secrets)
{
    for (const SecretInfo &secret : secrets)
        RETURN_IF_ERROR(connection.run(
            "UPDATE secrets SET last_used_us = CASE WHEN uses = ?1 + 1 THEN ?2 ELSE last_used_us END, uses = uses - 1 "
            "WHERE name = ?3 AND slot = ?4 AND uses > 0",
            secret.uses, secret.lastUsedMicroseconds, secret.name, secret.slot));
    return {};
}

} // namespace

std::unexpected<Error> nameTaken(const QString &name)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "There is a secret %1 already. Choose another name, or give that one "
                                            "a new value."),
                {name});
}

// Notes are what people wrote, so they are not in an entry.
Entry toEntry(const SecretEntry &change)
{
    QJsonObject fields{{u"caller"_s, toJson(change.caller)}, {u"name"_s, change.secret.name}};
    if (change.change == Change::Added || change.change == Change::Replaced)
        fields[u"store"_s] = change.secret.store;
    if (change.change == Change::Added || change.change == Change::Edited)
        fields[u"limits"_s] = toJson(change.secret.limits);
    if (change.change == Change::Renamed)
        fields[u"new_name"_s] = change.newName;
    static constexpr EntryKind kinds[] = {EntryKind::SecretAdded, EntryKind::SecretReplaced, EntryKind::SecretEdited,
                                          EntryKind::SecretRenamed, EntryKind::SecretRemoved};
    return {.kind = toString(kinds[int(change.change)]),
            .fields = fields,
            .also = [change](Connection &connection, const EntryHead &head) {
                return changeSecret(connection, change, head.timeMicroseconds);
            }};
}

Entry usesOf(const QList<SecretInfo> &secrets)
{
    return {.also = [secrets](Connection &connection, const EntryHead &head) {
        return countUses(connection, secrets, head.timeMicroseconds);
    }};
}

Entry noUsesOf(const QList<SecretInfo> &secrets)
{
    return {.also = [secrets](Connection &connection, const EntryHead &) { return uncountUses(connection, secrets); }};
}

// The database is the truth, as other programs write to it, too. Before the first entry there is none.
Result<QList<SecretInfo>> readSecrets(const QString &auditFile)
{
    const auto reader = AuditReader::open(auditFile);
    if (!reader && reader.error().code == ErrorCode::NotFound)
        return QList<SecretInfo>();
    if (!reader)
        return std::unexpected(reader.error());
    return (*reader)->ask([](const Connection &connection) {
        return connection.rowsIfThere(u"secrets"_s, QByteArray(secretColumns + QByteArray("ORDER BY name")).constData(),
                                      infoFrom);
    });
}

} // namespace glovebox
