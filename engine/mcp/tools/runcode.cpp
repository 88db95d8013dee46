// SPDX-License-Identifier: Apache-2.0
// The tool run_code.
#include "following.h"
#include "jsonschema.h"
#include "runreply.h"
#include "sessions/installing.h"
#include "sessions/sessiontools.h"
#include "tools.h"

#include "engine/mcp/asking/elicitation.h"
#include "engine/network/network.h"

#include <QCryptographicHash>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr int codeCharactersMax = 1024 * 1024;
constexpr int filesMax = 32;
constexpr int fileNameMax = 255;

Result<QByteArray> bytesOf(const QString &text)
{
    QByteArray bytes = text.toUtf8();
    if (QString::fromUtf8(bytes) != text)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The text has half of a surrogate pair, which is not a character. Remove it."),
            {});
    return bytes;
}

Result<InnerFile> fileFrom(const QJsonObject &file)
{
    InnerFile inner;
    ASSIGN_OR_RETURN(inner.name, bytesOf(file["name"_L1].toString()));
    const QString content = file["content"_L1].toString();
    if (file["encoding"_L1].toString() != u"base64"_s) {
        ASSIGN_OR_RETURN(inner.content, bytesOf(content));
        return inner;
    }
    auto decoded = QByteArray::fromBase64Encoding(content.toLatin1(), QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The content of the file \"%1\" is not base64. Encode it, or give text."),
            {recordable(file["name"_L1].toString())});
    inner.content = *std::move(decoded);
    return inner;
}

// What makes no sense in it beyond what no request can hold is for the engine to refuse, on record.
Result<RunRequest> requestFrom(Engine &engine, const Call &call)
{
    const QJsonObject &arguments = call.arguments();
    RunRequest request;
    request.language = arguments["language"_L1].toString();
    request.caller = call.caller();
    request.policy = engine.settings().policy();
    ASSIGN_OR_RETURN(request.code, bytesOf(arguments["code"_L1].toString()));
    for (const auto file : arguments["files"_L1].toArray()) {
        ASSIGN_OR_RETURN(const InnerFile inner, fileFrom(file.toObject()));
        request.files.append(inner);
    }
    for (const auto host : arguments["allow"_L1].toArray()) {
        const auto opened = allowedBy(host.toString());
        for (const QString &rule : opened ? *opened : QStringList{host.toString()}) {
            if (!request.policy.allow.contains(rule))
                request.policy.allow.append(rule);
        }
    }
    for (const auto secret : arguments["secrets"_L1].toArray())
        request.secrets.push_back({secret.toString(), {}, false});
    for (const auto tool : arguments["tools"_L1].toArray()) {
        if (!request.policy.tools.contains(tool.toString()))
            request.policy.tools.append(tool.toString());
    }
    // Nobody is asked about a tool that isn't there.
    if (!request.policy.tools.isEmpty()) {
        ASSIGN_OR_RETURN(const auto servers, readToolServers(engine.paths().toolServersFile()));
        RETURN_IF_ERROR(serversOfTools(servers, request.policy.tools));
    }
    if (arguments.contains("session"_L1)) {
        ASSIGN_OR_RETURN(const Session session, sessionFrom(engine, call));
        request.session = session.id;
        request.sessionTree = session.digest();
    }
    request.isParallel = arguments["parallel"_L1].toBool();
    request.isStateful = arguments["stateful"_L1].toBool();
    if (const QJsonValue timeout = arguments["timeout"_L1]; timeout.isDouble())
        request.policy.limits.wall = std::chrono::milliseconds(qRound64(timeout.toDouble() * 1000));
    return request;
}

// Of "with", together with those of the session; nothing: it wants no others than the session's.
Result<std::optional<PackageWish>> wishFrom(const Engine &engine, const Call &call, const RunRequest &request)
{
    const QJsonArray with = call.arguments()["with"_L1].toArray();
    for (const QString &permission : {u"allow_source"_s, u"allow_scripts"_s}) {
        if (with.isEmpty() && !call.arguments()[permission].toArray().isEmpty())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "\"%1\" has no effect without \"with\". Name the run's packages "
                                                    "there, or a session's with install_packages."),
                        {permission});
    }
    if (with.isEmpty())
        return std::nullopt;
    ASSIGN_OR_RETURN(const Language *const language, Languages::byId(request.language));
    if (!language->takesPackages())
        return fail(ErrorCode::Unsupported, noPackagesFor(language->id()));
    ASSIGN_OR_RETURN(const auto requirements, requirementsFrom(with, request.language));
    PackageWish wish;
    wish.language = request.language;
    wish.requirements = requirements;
    wish.caller = request.caller;
    ASSIGN_OR_RETURN(wish.sources, sourcesFrom(call.arguments()["allow_source"_L1].toArray(), request.language));
    ASSIGN_OR_RETURN(wish.scripts, scriptsFrom(call.arguments()["allow_scripts"_L1].toArray(), request.language));
    if (request.session.isEmpty())
        return wish;
    ASSIGN_OR_RETURN(const Session session, engine.sessions().find(request.session));
    if (const SessionPackages *has = session.packagesOf(request.language)) {
        ASSIGN_OR_RETURN(wish, addedTo(*has, std::move(wish), SameName::Both));
    }
    return wish;
}

// Puts the packages of "with" into the request. Busy: the call has to answer, and they are still being installed.
Status addPackages(Engine &engine, const Call &call, RunRequest &request)
{
    ASSIGN_OR_RETURN(const auto wish, wishFrom(engine, call, request));
    if (!wish)
        return {};
    Installations &all = call.client().installations;
    const QByteArray name = nameOfCall(runTool, call.arguments(),
                                       {u"language"_s, u"session"_s, u"with"_s, u"allow_source"_s, u"allow_scripts"_s});
    auto installation = all.find(name);
    if (!installation) {
        ASSIGN_OR_RETURN(installation, all.start(engine, {name, *wish, {}, {}}));
    }
    ASSIGN_OR_RETURN(const auto installed, waitFor(call, installation));
    if (!installed)
        return fail(ErrorCode::Busy,
                    QT_TRANSLATE_NOOP("engine", "The packages are still being installed. Repeat this call to wait for "
                                                "them, and to run the code then."),
                    {});
    request.packages = installed->id;
    request.interpreter = installed->interpreter;
    return {};
}

// Where nobody can wait for an installation. NotFound: they aren't installed.
Status addInstalledPackages(Engine &engine, const Call &call, RunRequest &request)
{
    ASSIGN_OR_RETURN(const auto wish, wishFrom(engine, call, request));
    if (!wish)
        return {};
    RETURN_IF_ERROR(checkInstallation(engine, {{}, *wish, {}, {}}));
    ASSIGN_OR_RETURN(const auto installed, engine.packages().find(*wish));
    if (!installed)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine",
                                      "The packages of \"with\" aren't installed yet, and the person is asked "
                                      "before they are. Call run_code without \"task\" and \"dry_run\"."),
                    {});
    request.packages = installed->id;
    request.interpreter = installed->interpreter;
    return {};
}

// What would become of it, without running or recording anything.
ToolReply rehearse(Engine &engine, const RunRequest &request)
{
    const Status sound = engine.check(request);
    if (!sound)
        return refusalReply(Outcome::Rejected, sound.error());
    const AuthorisationDecision decision =
        engine.approvals().decide({.caller = request.caller,
                                   .language = request.language,
                                   .policy = request.policy,
                                   .codeDigest = QCryptographicHash::hash(request.code, QCryptographicHash::Sha256),
                                   .code = request.code,
                                   .secrets = request.secrets,
                                   .args = request.args,
                                   .files = request.files,
                                   .session = request.session,
                                   .sessionTree = request.sessionTree,
                                   .isStateful = request.isStateful,
                                   .isParallel = request.isParallel,
                                   .packages = request.packages});
    const Readiness ready = engine.readiness().current();
    const Part *const obstacle = ready.obstacle(request.language);
    const char *const verdict = decision.verdict == Verdict::Allow ? "allowed"
                                : decision.verdict == Verdict::Ask ? "asks_the_person"
                                                                   : "denied";
    QStringList secrets;
    for (const SecretGrant &grant : request.secrets)
        secrets.append(grant.name);
    const QJsonObject plan{
        {u"verdict"_s, QString::fromLatin1(verdict)},
        {u"why"_s, decision.reason.english()},
        {u"obstacle"_s, obstacle ? obstacle->told() : QString()},
        {u"code_bytes"_s, request.code.size()},
        {u"hosts"_s, QJsonArray::fromStringList(request.policy.allow)},
        {u"tools"_s, QJsonArray::fromStringList(request.policy.tools)},
        {u"secrets"_s, QJsonArray::fromStringList(secrets)},
        {u"timeout"_s, double(request.policy.limits.wall.count()) / 1000},
    };
    SeenRun nothing{.state = RunState::Submitted, .policy = request.policy};
    ToolReply reply = runReply(nothing, {}, {{u"dry_run"_s, plan}});
    reply.structured[u"state"_s] = stateNotStarted;
    const QString next = decision.verdict == Verdict::Deny
                             ? u"Change the request as the reason says."_s
                             : u"Call run_code again without \"dry_run\" to run the code."_s;
    reply.structured[u"next"_s] = next;
    reply.text = u"Nothing was run. The run would be: %1. %2 %3\n%4"_s.arg(
        plan["verdict"_L1].toString(), plan["why"_L1].toString(), plan["obstacle"_L1].toString(), next);
    return reply;
}

// The reason why the sandbox can't be had, and what the person can do about it, take a look at this machine.
void addRemedy(ToolReply &reply, Engine &engine, const QString &language)
{
    const Readiness ready = engine.readiness().look();
    const Part *const obstacle = ready.obstacle(language);
    if (!obstacle)
        return;
    reply.structured[u"next"_s] = obstacle->told();
    reply.text += u"\n\n"_s + obstacle->told();
}

ToolReply answerOf(const Call &call, Engine &engine, const FollowedRun &run)
{
    const SeenRun seenNow = seen(run);
    ToolReply reply = runReply(seenNow, headAndTail(seenNow.output));
    if (seenNow.isDone() && seenNow.result->outcome == Outcome::SetupFailed)
        addRemedy(reply, engine, seenNow.language);
    addImages(reply, seenNow, engine, call);
    return reply;
}

Result<std::shared_ptr<FollowedRun>> startCode(const Call &call)
{
    if (call.arguments()["dry_run"_L1].toBool())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "A dry run can't be a task. Call run_code without \"task\"."), {});
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(RunRequest request, requestFrom(*engine, call));
    request.caller.isAskable = false; // the call is answered before the person is
    RETURN_IF_ERROR(addInstalledPackages(*engine, call, request));
    return call.client().runs.start(*engine, std::move(request));
}

Result<ToolReply> answerWhenDone(const Call &call, Engine &engine, const std::shared_ptr<FollowedRun> &run)
{
    const ClientBounds &bounds = call.client().runs.bounds();
    const Followed end = follow(*run, call, call.mayBecomeTask() ? bounds.untilTask : bounds.longestCall);
    if (end == Followed::CallsAgain)
        return callsAgain();
    if (end == Followed::Stopped) {
        run->run().cancel();
        return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The call was cancelled, and the run with it."),
                    {});
    }
    ToolReply reply = answerOf(call, engine, *run);
    if (end == Followed::TimeOver && call.mayBecomeTask())
        reply.goesOn = run;
    return reply;
}

Result<ToolReply> runCode(const Call &call)
{
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    if (const auto asked = call.client().runs.find(call.state()["run"_L1].toString()))
        return answerWhenDone(call, *engine, asked);
    auto request = requestFrom(*engine, call);
    if (!request)
        return refusalReply(Outcome::Rejected, request.error());
    const bool isDryRun = call.arguments()["dry_run"_L1].toBool();
    if (const Status added =
            isDryRun ? addInstalledPackages(*engine, call, *request) : addPackages(*engine, call, *request);
        !added) {
        if (added.error().code == ErrorCode::Cancelled)
            return std::unexpected(added.error());
        return refusalReply(added.error().code == ErrorCode::PermissionDenied ? Outcome::Denied : Outcome::Rejected,
                            added.error());
    }
    if (isDryRun)
        return rehearse(*engine, *request);
    const auto run = call.client().runs.start(*engine, *std::move(request));
    if (!run)
        return refusalReply(Outcome::Rejected, run.error());
    return answerWhenDone(call, *engine, *run);
}

QJsonObject codeSchema()
{
    using namespace schema;
    const auto capped = [](const QJsonObject &schema, int characters) {
        return with(schema, {{u"maxLength"_s, characters}});
    };
    const auto several = [](const QJsonObject &items, int most, const QString &description) {
        return with(list(items, description), {{u"maxItems"_s, most}});
    };
    const QJsonObject file =
        object({{u"name"_s, with(capped(text(u"plain name without folders; not main.py and the like"_s), fileNameMax),
                                 {{u"minLength"_s, 1}})},
                {u"content"_s, capped(text(), codeCharactersMax)},
                {u"encoding"_s, oneOf({u"utf-8"_s, u"base64"_s}, u"of content; utf-8 by default"_s)}},
               {u"name"_s, u"content"_s});
    return object(
        {{u"language"_s, oneOf(Languages::ids())},
         {u"code"_s, with(capped(text(u"the whole program; print what you want to know"_s), codeCharactersMax),
                          {{u"minLength"_s, 1}})},
         {u"files"_s, several(file, filesMax, u"put into /work, the program's folder, before it starts"_s)},
         {u"allow"_s,
          several(with(capped(text(), 300), {{u"minLength"_s, 1}}), allowlistMax,
                  u"hosts that it may reach. HOST or HOST:PORT (80 and 443 without a port), *.HOST, or pypi, npm, "
                  "github. Nothing by default; the person has to approve"_s)},
         {u"secrets"_s,
          several(with(capped(text(), int(secretNameMax)), {{u"minLength"_s, 1}}), int(grantedSecretsMax),
                  u"names of the person's secrets, given as environment variables of these names; the person has "
                  "to approve; never values"_s)},
         {u"tools"_s,
          several(with(capped(text(), 200), {{u"minLength"_s, 1}}), int(allowedToolsMax),
                  u"tools of the person's MCP servers, as sandbox_info lists them, that the code may call: in Python "
                  "from glovebox_tools import SERVER, then SERVER.TOOL(name=value); in Node.js import { SERVER } from "
                  "'./glovebox_tools.cjs' (with \"stateful\": require()), then await SERVER.TOOL({name: value}). The "
                  "person has to approve"_s)},
         {u"timeout"_s, with(typed(u"number"_s, u"seconds; more than the default needs the person's approval"_s),
                             {{u"minimum"_s, 0.1}, {u"maximum"_s, double(LimitRange::wallMax.count()) / 1000}})},
         {u"session"_s, sessionArgument(u"id of a session of yours, whose files are /work; see the tool session"_s)},
         {u"stateful"_s,
          boolean(u"run in the session's Python or Node.js interpreter, which keeps variables; takes no hosts, secrets "
                  "and files"_s)},
         {u"parallel"_s,
          boolean(u"run in a copy of the session, without waiting for others; the session itself doesn't "
                  "change"_s)},
         {u"with"_s,
          packagesArgument(u"packages for this run alone, such as \"pandas>=2\" or \"lodash@4\"; those that aren't "
                           "installed yet need the person's approval"_s)},
         {u"allow_source"_s, sourcesArgument()},
         {u"allow_scripts"_s, scriptsArgument()},
         {u"dry_run"_s, boolean(u"only say whether it would run and whether the person would be asked"_s)}},
        {u"language"_s, u"code"_s});
}

QJsonObject answerSchema()
{
    using namespace schema;
    const QJsonObject plan = object({{u"verdict"_s, oneOf({u"allowed"_s, u"asks_the_person"_s, u"denied"_s})},
                                     {u"why"_s, text()},
                                     {u"obstacle"_s, text(u"why no run can start here; empty: none is known"_s)},
                                     {u"code_bytes"_s, integer()},
                                     {u"hosts"_s, list(text())},
                                     {u"tools"_s, list(text())},
                                     {u"secrets"_s, list(text())},
                                     {u"timeout"_s, typed(u"number"_s, u"seconds"_s)}});
    return runSchema({{u"dry_run"_s, plan}});
}

} // namespace

Tool runCodeTool()
{
    return {
        .name = u"run_code"_s,
        .title = u"Run code sealed"_s,
        .description =
            u"Runs a program sealed off from this machine: no network, none of the person's files, no secrets, no "
            "input. The code sees only /work and /tmp, in memory; only the files of a session are kept. Answers with "
            "outcome, exit code and output; "
            "of long output the beginning and the end. Pictures that it leaves in /work are shown, at most 4. After 45 "
            "seconds it answers with the run's id: "
            "go on with wait_run. "
            "\"denials\" says what the run wanted and didn't get, and what to do about it. Hosts, "
            "secrets, tools, packages (\"with\") and more time than "
            "usual need the person's approval: ask only for what the code needs."_s,
        .inputSchema = codeSchema(),
        .outputSchema = answerSchema(),
        .annotations = {{u"readOnlyHint"_s, false},
                        {u"destructiveHint"_s, false},
                        {u"idempotentHint"_s, false},
                        {u"openWorldHint"_s, true}},
        .run = runCode,
        .start = startCode,
        .answer = answerOf};
}

} // namespace glovebox::mcp
