// SPDX-License-Identifier: Apache-2.0
#include "clients.h"

#include "engine/sqlite/sqlite.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr auto allClients = "SELECT id, name, program, paired_us, token FROM clients ORDER BY name, paired_us";

PairedClient clientFrom(const Statement &row)
{
    return {row.text(0), row.text(1), row.text(2), row.integer(3)};
}

std::unexpected<Error> noClient()
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "This agent no longer exists. Another program may have removed it."), {});
}

// A grant replaces an earlier one about the same, or its refusal; one that was already wider stays as it is.
Status keep(Connection &connection, const QString &client, const Want &want, bool allowed, qint64 now)
{
    ASSIGN_OR_RETURN(const auto stored, connection.rows(
                                            "SELECT want FROM grants WHERE client = ?1",
                                            [](const Statement &row) { return row.blob(0); }, client));
    for (const QByteArray &json : stored) {
        const auto object = parseStrictJson(json);
        const auto present = object ? wantFromJson(*object) : std::unexpected(object.error());
        // Along with other hosts is another grant.
        if (present && present->isAbout(want) && (present->hosts == want.hosts || !allowed))
            RETURN_IF_ERROR(connection.run("DELETE FROM grants WHERE client = ?1 AND want = ?2", client, json));
    }
    ASSIGN_OR_RETURN(const QByteArray json, canonicalJson(toJson(want)));
    return connection.run("INSERT INTO grants(client, want, allowed, since_us) VALUES(?1, ?2, ?3, ?4)", client, json,
                          qint64(allowed), now);
}

// Takes as long wherever the two differ: from the time nobody learns how much of a guess was right.
bool isSameDigest(const QByteArray &first, const QByteArray &second)
{
    int difference = first.size() == second.size() ? 0 : 1;
    for (qsizetype i = 0; i < std::min(first.size(), second.size()); ++i)
        difference |= first[i] ^ second[i];
    return difference == 0;
}

Status checkIsThere(const Connection &connection, const QString &client)
{
    ASSIGN_OR_RETURN(const auto found, connection.rows(
                                           "SELECT id FROM clients WHERE id = ?1",
                                           [](const Statement &row) { return row.text(0); }, client));
    return found.isEmpty() ? Status(noClient()) : Status();
}

} // namespace

QString shownName(const QString &claimed)
{
    QString name;
    for (const char32_t character : recordable(claimed.left(clientNameMax * 4)).toUcs4()) {
        if (!isHiddenCharacter(character) && character != U'\n' && character != U'\r' && character != U'\t')
            name += QString::fromUcs4(&character, 1);
    }
    name = name.simplified().left(clientNameMax);
    if (!name.isEmpty() && name.back().isHighSurrogate())
        name.chop(1);
    return name;
}

Entry pairedEntry(const PairedClient &client, const QByteArray &tokenDigest, const Caller &caller)
{
    return {.kind = toString(EntryKind::ClientPaired),
            .fields = QJsonObject{{u"client"_s, client.id},
                                  {u"name"_s, client.name},
                                  {u"program"_s, orNull(client.program)},
                                  {u"caller"_s, toJson(caller)}},
            .also = [client, tokenDigest](Connection &connection, const EntryHead &) {
                return connection.run(
                    "INSERT INTO clients(id, name, program, token, paired_us) VALUES(?1, ?2, ?3, ?4, ?5)", client.id,
                    client.name, client.program, tokenDigest, client.pairedMicroseconds);
            }};
}

Entry removedEntry(const QString &id, const Caller &caller)
{
    return {.kind = toString(EntryKind::ClientRemoved),
            .fields = QJsonObject{{u"client"_s, id}, {u"caller"_s, toJson(caller)}},
            .also = [id](Connection &connection, const EntryHead &) -> Status {
                RETURN_IF_ERROR(checkIsThere(connection, id));
                RETURN_IF_ERROR(connection.run("DELETE FROM grants WHERE client = ?1", id));
                return connection.run("DELETE FROM clients WHERE id = ?1", id);
            }};
}

Entry decidedEntry(const ApprovalRequest &request, const ApprovalDecision &decision, const QList<Want> &kept)
{
    const QString client = request.caller.pairing;
    QJsonObject fields{{u"caller"_s, toJson(request.caller)},
                       {u"allowed"_s, decision.allowed},
                       {u"scope"_s, toString(decision.scope)},
                       {u"by"_s, toString(decision.by)},
                       {u"digest"_s, QString::fromLatin1(approvalDigest(request).toHex())},
                       {u"wants"_s, jsonArray(request.wants)}};
    if (!request.tool.isEmpty())
        fields[u"tool"_s] = request.tool;
    return {
        .kind = toString(EntryKind::ApprovalDecided),
        .run = request.tool.isEmpty() ? request.run : QString(), // a call of a tool is no run
        .fields = fields,
        .also = [client, kept, allowed = decision.allowed](Connection &connection, const EntryHead &head) -> Status {
            if (kept.isEmpty())
                return {};
            RETURN_IF_ERROR(checkIsThere(connection, client));
            for (const Want &want : kept)
                RETURN_IF_ERROR(keep(connection, client, want, allowed, head.timeMicroseconds));
            return {};
        }};
}

Entry takenBackEntry(const QString &client, const Want &want, const Caller &caller)
{
    return {.kind = toString(EntryKind::ApprovalTakenBack),
            .fields = QJsonObject{{u"client"_s, client}, {u"want"_s, toJson(want)}, {u"caller"_s, toJson(caller)}},
            .also = [client, want](Connection &connection, const EntryHead &) -> Status {
                ASSIGN_OR_RETURN(const QByteArray json, canonicalJson(toJson(want)));
                RETURN_IF_ERROR(connection.run("DELETE FROM grants WHERE client = ?1 AND want = ?2", client, json));
                if (connection.changes() == 1)
                    return {};
                return fail(
                    ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "This grant no longer exists. Another program may have taken it back."),
                    {});
            }};
}

Result<QList<PairedClient>> readClients(const AuditReader &reader)
{
    return reader.ask(
        [](const Connection &connection) { return connection.rowsIfThere(u"clients"_s, allClients, clientFrom); });
}

// A grant that can't be read is none; a refusal that can't be read would be lost that way, so that is an error.
Result<QList<StoredGrant>> readGrants(const AuditReader &reader, const QString &client)
{
    return reader.ask([&client](const Connection &connection) -> Result<QList<StoredGrant>> {
        ASSIGN_OR_RETURN(const bool isThere, connection.has(u"grants"_s));
        if (!isThere)
            return QList<StoredGrant>();
        ASSIGN_OR_RETURN(const auto rows, connection.rows(
                                              "SELECT want, allowed, since_us FROM grants WHERE client = ?1 "
                                              "ORDER BY since_us, want",
                                              [](const Statement &row) -> Result<StoredGrant> {
                                                  ASSIGN_OR_RETURN(const auto object, parseStrictJson(row.blob(0)));
                                                  ASSIGN_OR_RETURN(const auto want, wantFromJson(object));
                                                  return StoredGrant{want, row.integer(1) == 1, row.integer(2)};
                                              },
                                              client));
        QList<StoredGrant> grants;
        for (const Result<StoredGrant> &row : rows) {
            RETURN_IF_ERROR(row);
            grants.append(*row);
        }
        return grants;
    });
}

Result<std::optional<PairedClient>> readClientOf(const AuditReader &reader, const QByteArray &tokenDigest)
{
    return reader.ask([&tokenDigest](const Connection &connection) -> Result<std::optional<PairedClient>> {
        std::optional<PairedClient> found;
        const auto compare = [&](const Statement &row) {
            if (isSameDigest(row.blob(4), tokenDigest))
                found = clientFrom(row);
            return true;
        };
        RETURN_IF_ERROR(connection.rowsIfThere(u"clients"_s, allClients, compare));
        return found;
    });
}

Result<std::optional<qint64>> readLastRun(const AuditReader &reader, const QString &client)
{
    return reader.ask([&client](const Connection &connection) -> Result<std::optional<qint64>> {
        ASSIGN_OR_RETURN(const auto times,
                         connection.rows(
                             "SELECT runs.time_us FROM runs JOIN entries USING(seq) WHERE runs.caller_kind = 'mcp' "
                             "AND json_extract(CAST(entries.json AS TEXT), '$.caller.pairing') = ?1 "
                             "ORDER BY runs.seq DESC LIMIT 1",
                             [](const Statement &row) { return row.integer(0); }, client));
        return times.isEmpty() ? std::nullopt : std::optional(times.first());
    });
}

} // namespace glovebox
