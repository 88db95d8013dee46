// SPDX-License-Identifier: Apache-2.0
#include "sessions.h"

#include "engine/audit/audit.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Names of files are as secret as what a run does: the entry has the numbers, the session's own list has the names.
QJsonObject deedFields(const Session &session, const Caller &caller)
{
    Caller recorded = caller;
    recorded.program = recordable(recorded.program);
    recorded.claimed = recordable(recorded.claimed);
    return {{u"caller"_s, toJson(recorded)}, {u"session"_s, session.id}, {u"name"_s, orNull(session.name)}};
}

QString actionOf(const SessionDeed &deed)
{
    static constexpr const char *actions[] = {"label", "rollback", "put",      "remove", "write",
                                              "put",   "remove",   "packages", "rename"};
    return QLatin1StringView(actions[deed.index()]);
}

Result<Session> done(const Sessions &sessions, const QString &id, const SessionDeed &deed)
{
    if (const auto *label = std::get_if<LabelSnapshot>(&deed))
        return sessions.label(id, label->label);
    if (const auto *back = std::get_if<RollBack>(&deed))
        return sessions.rollBack(id, back->number);
    if (const auto *put = std::get_if<PutFile>(&deed))
        return sessions.put(id, {*put});
    if (const auto *file = std::get_if<WriteFile>(&deed))
        return sessions.write(id, file->path, file->content);
    if (const auto *put = std::get_if<PutFiles>(&deed))
        return sessions.put(id, put->files, put->progress);
    if (const auto *remove = std::get_if<RemoveFiles>(&deed))
        return sessions.removeFiles(id, remove->paths);
    if (const auto *set = std::get_if<SetPackages>(&deed))
        return sessions.setPackages(id, set->packages, set->before);
    if (const auto *renamed = std::get_if<RenameSession>(&deed))
        return sessions.rename(id, renamed->name);
    return sessions.removeFile(id, std::get<RemoveFile>(deed).path);
}

Status append(AuditLog &log, EntryKind kind, const QJsonObject &fields)
{
    const auto written = log.appendNow({.kind = toString(kind), .fields = fields});
    return written ? Status() : std::unexpected(written.error());
}

std::unexpected<Error> notRecorded(const Error &error)
{
    return fail(error.code,
                Text(QT_TRANSLATE_NOOP("engine", "The session was changed, but the log doesn't have that: %1"),
                     {error.message.english()}),
                error.detail);
}

// A session without an entry would be one that nobody knows of.
Result<Session> recordNew(const Sessions &sessions, AuditLog &log, const Session &session, const QString &from,
                          const Caller &caller)
{
    QJsonObject fields = deedFields(session, caller);
    fields[u"disk_bytes"_s] = session.diskBytes;
    fields[u"ttl_s"_s] = session.timeToLive ? QJsonValue(qint64(session.timeToLive->count())) : QJsonValue();
    fields[u"allow"_s] = QJsonArray::fromStringList(session.allow);
    if (!session.profile.isEmpty())
        fields[u"profile"_s] = session.profile;
    fields[u"from"_s] = orNull(from);
    if (const Status written = append(log, EntryKind::SessionCreated, fields); !written) {
        static_cast<void>(sessions.remove(session.id));
        return std::unexpected(written.error());
    }
    return session;
}

} // namespace

QString ownerOf(const Caller &caller)
{
    if (caller.kind != Caller::Kind::Mcp)
        return {};
    return caller.pairing.isEmpty() ? QString(unpairedAgents) : caller.pairing;
}

bool mayUse(const Caller &caller, const Session &session)
{
    return caller.kind != Caller::Kind::Mcp || session.agent == ownerOf(caller);
}

Result<Session> createOnRecord(const Sessions &sessions, AuditLog &log, const NewSession &wanted, const Caller &caller)
{
    ASSIGN_OR_RETURN(const Session session, sessions.create(wanted));
    return recordNew(sessions, log, session, {}, caller);
}

Result<Session> forkOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, int number,
                             const NewSession &wanted, const Caller &caller)
{
    ASSIGN_OR_RETURN(const Session session, sessions.fork(id, number, wanted));
    return recordNew(sessions, log, session, id, caller);
}

Result<Session> changeOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, const SessionDeed &deed,
                               const Caller &caller)
{
    ASSIGN_OR_RETURN(Session session, done(sessions, id, deed));
    QJsonObject fields = deedFields(session, caller);
    fields[u"action"_s] = actionOf(deed);
    fields[u"snapshot"_s] = session.head;
    fields[u"tree"_s] = QString::fromLatin1(session.now().tree.toHex());
    if (const auto *set = std::get_if<SetPackages>(&deed)) {
        fields[u"packages"_s] = orNull(set->packages.id);
        fields[u"lock"_s] = set->packages.id.isEmpty() ? QJsonValue() : set->packages.lockId();
    }
    if (const Status written = append(log, EntryKind::SessionChanged, fields); !written)
        return notRecorded(written.error());
    return session;
}

Status deleteOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, const Caller &caller, BytesGo bytes)
{
    const auto found = sessions.find(id);
    if (!found && found.error().code == ErrorCode::NotFound)
        return std::unexpected(found.error());
    const Session session = found.value_or(Session{.id = id});
    RETURN_IF_ERROR(sessions.remove(id, bytes));
    if (const Status written = append(log, EntryKind::SessionDeleted, deedFields(session, caller)); !written)
        return notRecorded(written.error());
    return {};
}

void recoverOnRecord(const Sessions &sessions, AuditLog &log, const Caller &caller)
{
    for (const Session &session : sessions.recover()) {
        QJsonObject fields = deedFields(session, caller);
        fields[u"reason"_s] = u"expired"_s;
        if (const Status written = append(log, EntryKind::SessionDeleted, fields); !written)
            qCWarning(lcAudit).noquote() << written.error().message.english();
    }
}

} // namespace glovebox
