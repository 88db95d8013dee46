// SPDX-License-Identifier: Apache-2.0
// The tool session: workspaces that last between the runs of one client.
#include "engine/mcp/tools/jsonschema.h"
#include "engine/mcp/tools/tools.h"
#include "sessiontools.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype sessionsMax = 16; // of one client
constexpr qsizetype unpairedMax = 64; // of all that aren't paired: each of their connections is a client
constexpr qint64 diskMbMax = 1024;
constexpr qint64 keepHoursMax = 720;
constexpr qint64 keepHours = 24;

// Of its owner's, which all agents without a pairing share.
Result<QList<Session>> usableSessions(const Engine &engine, const Call &call)
{
    ASSIGN_OR_RETURN(QList<Session> all, engine.sessions().list());
    const Caller caller = call.caller();
    all.removeIf([&](const Session &session) { return !mayUse(caller, session); });
    return all;
}

// Agents that aren't paired see those whose ids this connection got.
QList<Session> seenOf(QList<Session> usable, const Call &call)
{
    if (call.caller().pairing.isEmpty())
        usable.removeIf([&](const Session &session) { return !call.client().hasSession(session.id); });
    return usable;
}

Result<NewSession> newSession(const Engine &engine, const Call &call)
{
    const QJsonObject &arguments = call.arguments();
    ASSIGN_OR_RETURN(const auto usable, usableSessions(engine, call));
    const qsizetype own = seenOf(usable, call).size();
    if (own >= sessionsMax)
        return fail(ErrorCode::Full,
                    QT_TRANSLATE_NOOP("engine",
                                      "You have %1 sessions already, and that is the most. Delete one that you "
                                      "no longer need."),
                    {QString::number(own)});
    if (usable.size() >= unpairedMax) // how many the others have is theirs
        return fail(ErrorCode::Full,
                    QT_TRANSLATE_NOOP("engine",
                                      "Agents without a pairing can create no more sessions now. Delete one of yours, "
                                      "or ask the person for a pairing."),
                    {});
    return NewSession{.name = arguments["name"_L1].toString(),
                      .timeToLive = std::chrono::hours(arguments["keep_hours"_L1].toInteger(keepHours)),
                      .diskBytes = arguments["disk_mb"_L1].toInteger(Limits().diskBytes / mebibyte) * mebibyte,
                      .agent = ownerOf(call.caller())};
}

Result<ToolReply> replyWith(const Engine &engine, const QList<Session> &sessions, const QString &text)
{
    QJsonArray shown;
    for (const Session &session : sessions)
        shown.append(toJson(session, engine.sessions().isBusy(session.id)));
    return ToolReply{.structured = {{u"sessions"_s, shown}, {u"snapshots"_s, QJsonArray()}, {u"next"_s, text}},
                     .text = text};
}

QString linesOf(const QList<Session> &sessions)
{
    if (sessions.isEmpty())
        return u"You have no sessions. Create one with the action \"create\"."_s;
    QStringList lines;
    for (const Session &session : sessions)
        lines.append(u"%1 %2: files and folders: %3, bytes: %4 of %5, snapshot %6"_s.arg(
            session.id, session.name, QString::number(session.now().files), QString::number(session.now().bytes),
            QString::number(session.diskBytes), QString::number(session.head)));
    return lines.join(u'\n');
}

Result<ToolReply> snapshotsOf(const Session &session)
{
    QJsonArray snapshots;
    QStringList lines;
    for (const Snapshot &snapshot : session.snapshots) {
        snapshots.append(toJson(snapshot));
        lines.append(u"%1: %2 %3 +%4 ~%5 -%6"_s.arg(snapshot.number)
                         .arg(QString::fromLatin1(enumName(snapshot.cause)), snapshot.run)
                         .arg(snapshot.added)
                         .arg(snapshot.changed)
                         .arg(snapshot.removed));
    }
    const QString next = u"The action \"rollback\" makes one of them the newest."_s;
    return ToolReply{.structured = {{u"sessions"_s, QJsonArray{toJson(session, false)}},
                                    {u"snapshots"_s, snapshots},
                                    {u"next"_s, next}},
                     .text = lines.join(u'\n') + u"\n\n"_s + next};
}

Result<ToolReply> created(const Engine &engine, const Call &call, const Result<Session> &session)
{
    if (!session)
        return std::unexpected(session.error());
    call.client().addSession(session->id);
    return replyWith(engine, {*session},
                     u"The session is %1. Give this id as \"session\" to run_code and files."_s.arg(session->id));
}

Result<ToolReply> useSession(const Call &call)
{
    const QJsonObject &arguments = call.arguments();
    const QString action = arguments["action"_L1].toString();
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    if (action == "create"_L1) {
        ASSIGN_OR_RETURN(const NewSession wanted, newSession(*engine, call));
        return created(*engine, call, engine->createSession(wanted, call.caller()));
    }
    if (action == "list"_L1) {
        ASSIGN_OR_RETURN(const auto usable, usableSessions(*engine, call));
        const QList<Session> all = seenOf(usable, call);
        return replyWith(*engine, all, linesOf(all));
    }
    ASSIGN_OR_RETURN(const Session session, sessionFrom(*engine, call));
    if (action == "status"_L1)
        return replyWith(*engine, {session}, linesOf({session}));
    if (action == "snapshots"_L1)
        return snapshotsOf(session);
    if (action == "rollback"_L1) {
        const int number = arguments["snapshot"_L1].toInt(session.now().parent);
        if (number == 0)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "Nothing was changed in the session yet, so there is nothing to "
                                                    "undo."),
                        {});
        ASSIGN_OR_RETURN(const Session back, engine->changeSession(session.id, RollBack{number}, call.caller()));
        return replyWith(
            *engine, {back},
            u"The files are those of snapshot %1 again. Roll back to %2 to undo this."_s.arg(number).arg(session.head));
    }
    if (action == "fork"_L1) {
        ASSIGN_OR_RETURN(NewSession wanted, newSession(*engine, call));
        wanted.diskBytes = std::max(wanted.diskBytes, session.diskBytes);
        return created(*engine, call,
                       engine->forkSession(session.id, arguments["snapshot"_L1].toInt(), wanted, call.caller()));
    }
    RETURN_IF_ERROR(engine->deleteSession(session.id, call.caller()));
    return replyWith(*engine, {}, u"The session and its files are deleted."_s);
}

QJsonObject sessionsSchema()
{
    using namespace schema;
    const QJsonObject session =
        object({{u"id"_s, text()},
                {u"name"_s, optional(text())},
                {u"created_us"_s, integer(u"microseconds since 1970"_s)},
                {u"used_us"_s, integer()},
                {u"ttl_s"_s, optional(integer(u"seconds that it stays since it was used"_s))},
                {u"expires_us"_s, optional(integer())},
                {u"disk_bytes"_s, integer(u"that its files may have"_s)},
                {u"allow"_s, list(text())},
                {u"packages"_s, list(object({{u"language"_s, text()},
                                             {u"requirements"_s, list(text(), u"as they were asked for"_s)},
                                             {u"packages"_s, list(text(), u"installed, with versions"_s)},
                                             {u"lock"_s, text()}}),
                                     u"that each run in it can import"_s)},
                {u"head"_s, integer(u"number of the newest snapshot"_s)},
                {u"files"_s, integer(u"files and folders"_s)},
                {u"bytes"_s, integer(u"of its files"_s)},
                {u"stored_bytes"_s, integer(u"on the person's disk, with all snapshots"_s)},
                {u"busy"_s, boolean(u"a run is in it"_s)}});
    const QJsonObject snapshot = object({{u"number"_s, integer()},
                                         {u"parent"_s, integer()},
                                         {u"beside"_s, boolean(u"left by a parallel run, of its copy"_s)},
                                         {u"time_us"_s, integer()},
                                         {u"cause"_s, text()},
                                         {u"run"_s, optional(text(u"id of the run that left it"_s))},
                                         {u"source"_s, integer()},
                                         {u"label"_s, optional(text())},
                                         {u"files"_s, integer()},
                                         {u"bytes"_s, integer()},
                                         {u"added"_s, integer()},
                                         {u"changed"_s, integer()},
                                         {u"removed"_s, integer()}});
    return object({{u"sessions"_s, list(session)}, {u"snapshots"_s, list(snapshot)}, {u"next"_s, text()}},
                  {u"sessions"_s, u"snapshots"_s, u"next"_s});
}

} // namespace

Result<Session> sessionFrom(const Engine &engine, const Call &call)
{
    const QString id = call.arguments()["session"_L1].toString();
    const auto unknown = [&] {
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine",
                                      "There is no session \"%1\" of yours. The tool session lists and creates "
                                      "them."),
                    {recordable(id.left(64))});
    };
    if (!isId(id))
        return unknown();
    const auto session = engine.sessions().find(id);
    if (!session && session.error().code != ErrorCode::NotFound)
        return std::unexpected(session.error());
    if (!session || !mayUse(call.caller(), *session))
        return unknown();
    call.client().addSession(id);
    return *session;
}

QJsonObject sessionArgument(const QString &description)
{
    return schema::with(schema::text(description), {{u"minLength"_s, 1}, {u"maxLength"_s, 64}});
}

Tool sessionTool()
{
    using namespace schema;
    const auto whole = [](const QString &description, qint64 least, qint64 most) {
        return with(integer(description), {{u"minimum"_s, least}, {u"maximum"_s, most}});
    };
    return {
        .name = u"session"_s,
        .title = u"Keep files between runs"_s,
        .description =
            u"A session keeps the files in /work from run to run; all else is as sealed as in any run. Give its id to "
            "run_code as \"session\". Each run leaves a snapshot, and \"rollback\" goes back to one. Sessions are "
            "yours "
            "alone, have a limit of disk, and are deleted some hours after their last use."_s,
        .inputSchema = object(
            {{u"action"_s,
              oneOf({u"create"_s, u"list"_s, u"status"_s, u"snapshots"_s, u"rollback"_s, u"fork"_s, u"delete"_s})},
             {u"session"_s, sessionArgument(u"id; of all actions but create and list"_s)},
             {u"name"_s, with(text(u"of a new one: letters, digits, - _ ."_s), {{u"maxLength"_s, 64}})},
             {u"disk_mb"_s, whole(u"of a new one; 256 by default"_s, 1, diskMbMax)},
             {u"keep_hours"_s, whole(u"of a new one, since its last use; 24 by default"_s, 1, keepHoursMax)},
             {u"snapshot"_s,
              whole(u"number, for rollback (default: before the last change) and fork (default: newest)"_s, 1,
                    1'000'000'000)}},
            {u"action"_s}),
        .outputSchema = sessionsSchema(),
        .annotations = {{u"readOnlyHint"_s, false},
                        {u"destructiveHint"_s, true},
                        {u"idempotentHint"_s, false},
                        {u"openWorldHint"_s, false}},
        .run = useSession};
}

} // namespace glovebox::mcp
