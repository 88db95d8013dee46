// SPDX-License-Identifier: Apache-2.0
#include "secretindex.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Change = SecretEntry::Change;

// Readers may have a log of version 1, which has none of these tables.
Result<bool> hasTables(const Connection &connection)
{
    const auto count = connection.integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('secrets', 'install')");
    if (!count)
        return std::unexpected(count.error());
    return *count == 2;
}

constexpr auto columns =
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
    auto statement = connection.prepare(QByteArray(columns + QByteArray("WHERE name = ?1")).constData());
    if (!statement)
        return std::unexpected(statement.error());
    const auto row = statement->bind(name).step();
    if (!row)
        return std::unexpected(row.error());
    return *row ? std::optional(infoFrom(*statement)) : std::nullopt;
}

std::unexpected<Error> nameTaken(const QString &name)
{
    return fail(ErrorCode::InvalidInput,
                Text(QT_TRANSLATE_NOOP("engine", "There is a secret %1 already. Choose another name, or give that one "
                                                 "a new value."),
                     {name}));
}

// What the change was decided on must still be there: two programs can't undo each other unseen.
Status checkUnchanged(const Connection &connection, const SecretEntry &entry)
{
    const QString &name = entry.secret.name;
    const auto present = readSecret(connection, name);
    if (!present)
        return std::unexpected(present.error());
    if (entry.change == Change::Added)
        return *present ? Status(nameTaken(name)) : Status();
    if (!*present)
        return fail(ErrorCode::NotFound,
                    Text(QT_TRANSLATE_NOOP("engine", "There is no secret %1. Another program may have removed or "
                                                     "renamed it."),
                         {name}));
    const SecretInfo &now = **present;
    const bool edited = now.note != entry.expected.note || now.limits != entry.expected.limits;
    if (now.slot != entry.expected.slot || (entry.change == Change::Edited && edited))
        return fail(ErrorCode::Busy,
                    Text(QT_TRANSLATE_NOOP("engine", "Another program changed the secret %1 at the same moment, so "
                                                     "nothing was done. Look at it and try again."),
                         {name}));
    if (entry.change != Change::Renamed)
        return {};
    const auto other = readSecret(connection, entry.newName);
    if (!other)
        return std::unexpected(other.error());
    return *other ? Status(nameTaken(entry.newName)) : Status();
}

Result<Statement> changeStatement(const Connection &connection, const SecretEntry &entry, qint64 now)
{
    const SecretInfo &secret = entry.secret;
    const auto limits = canonicalJson(toJson(secret.limits));
    if (!limits)
        return std::unexpected(limits.error());
    const auto bound = [&](const char *sql, const auto &...values) {
        auto statement = connection.prepare(sql);
        if (statement)
            statement->bind(values...);
        return statement;
    };
    switch (entry.change) {
    case Change::Added:
        return bound("INSERT INTO secrets(name, note, store, slot, created_us, changed_us, limits) "
                     "VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6)",
                     secret.name, secret.note, secret.store, secret.slot, now, *limits);
    case Change::Replaced:
        return bound("UPDATE secrets SET store = ?2, slot = ?3, changed_us = ?4 WHERE name = ?1", secret.name,
                     secret.store, secret.slot, now);
    case Change::Edited:
        return bound("UPDATE secrets SET note = ?2, limits = ?3 WHERE name = ?1", secret.name, secret.note, *limits);
    case Change::Renamed:
        return bound("UPDATE secrets SET name = ?2 WHERE name = ?1", secret.name, entry.newName);
    case Change::Removed:
        return bound("DELETE FROM secrets WHERE name = ?1", secret.name);
    }
    Q_UNREACHABLE();
}

} // namespace

Status changeSecret(Connection &connection, const SecretEntry &entry, qint64 nowMicroseconds)
{
    if (auto status = checkUnchanged(connection, entry); !status)
        return status;
    auto statement = changeStatement(connection, entry, nowMicroseconds);
    return statement ? statement->run() : Status(std::unexpected(statement.error()));
}

Status countUses(Connection &connection, const SecretUses &uses, qint64 nowMicroseconds)
{
    for (const SecretInfo &secret : uses.secrets) {
        const auto limits = canonicalJson(toJson(secret.limits));
        if (!limits)
            return std::unexpected(limits.error());
        auto statement = connection.prepare("UPDATE secrets SET uses = uses + 1, last_used_us = ?1 "
                                            "WHERE name = ?2 AND slot = ?3 AND limits = ?4");
        if (!statement)
            return std::unexpected(statement.error());
        if (auto status = statement->bind(nowMicroseconds, secret.name, secret.slot, *limits).run(); !status)
            return status;
        if (connection.changes() != 1)
            return fail(ErrorCode::Busy,
                        Text(QT_TRANSLATE_NOOP("engine", "Another program changed the secret %1 at the same moment, "
                                                         "so nothing was done. Look at it and try again."),
                             {secret.name}));
    }
    return {};
}

Status recordKey(Connection &connection, const KeyEntry &entry)
{
    auto statement = connection.prepare(
        "UPDATE install SET key_place = ?1, key_public = ?2 WHERE only_row = 1 AND key_place IS NULL");
    if (!statement)
        return std::unexpected(statement.error());
    if (auto status = statement->bind(entry.place, entry.publicKey).run(); !status)
        return status;
    if (connection.changes() != 1)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "This install has a signing key already; it gets no second one."));
    return {};
}

Result<QList<SecretInfo>> readSecrets(const Connection &connection)
{
    QList<SecretInfo> secrets;
    const auto present = hasTables(connection);
    if (!present)
        return std::unexpected(present.error());
    if (!*present)
        return secrets;
    auto statement = connection.prepare(QByteArray(columns + QByteArray("ORDER BY name")).constData());
    if (!statement)
        return std::unexpected(statement.error());
    for (;;) {
        const auto row = statement->step();
        if (!row)
            return std::unexpected(row.error());
        if (!*row)
            return secrets;
        secrets.append(infoFrom(*statement));
    }
}

Result<InstallRecord> readInstall(const Connection &connection)
{
    const auto present = hasTables(connection);
    if (!present)
        return std::unexpected(present.error());
    if (!*present)
        return InstallRecord();
    auto statement = connection.prepare("SELECT id, coalesce(key_place, ''), coalesce(key_public, x'') FROM install");
    if (!statement)
        return std::unexpected(statement.error());
    const auto row = statement->step();
    if (!row)
        return std::unexpected(row.error());
    if (!*row)
        return InstallRecord();
    return InstallRecord{statement->text(0), statement->text(1), statement->blob(2)};
}

} // namespace glovebox
