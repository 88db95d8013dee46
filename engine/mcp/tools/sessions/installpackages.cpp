// SPDX-License-Identifier: Apache-2.0
// The tool install_packages: packages for a session of the client, on the person's word.
#include "engine/mcp/tools/jsonschema.h"
#include "engine/mcp/tools/tools.h"
#include "installing.h"
#include "sessiontools.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

QStringList languagesWithPackages()
{
    QStringList ids;
    for (const auto &language : Languages::all()) {
        if (language->takesPackages())
            ids.append(language->id());
    }
    return ids;
}

ToolReply replyWith(const Session &session, const QString &language, bool isDone, const QString &next)
{
    const SessionPackages *const has = session.packagesOf(language);
    const QStringList packages = has ? has->packages : QStringList();
    const QString now =
        packages.isEmpty() ? u"The session has no packages."_s : u"The session has: %1."_s.arg(packages.join(u", "_s));
    return {.structured = {{u"session"_s, session.id},
                           {u"state"_s, isDone ? u"installed"_s : u"installing"_s},
                           {u"requirements"_s, QJsonArray::fromStringList(has ? has->requirements : QStringList())},
                           {u"packages"_s, QJsonArray::fromStringList(packages)},
                           {u"lock"_s, has ? has->lockId() : QString()},
                           {u"next"_s, next}},
            .text = now + u"\n\n"_s + next};
}

// Nothing: no package is left.
Result<std::optional<PackageWish>> wishFrom(const QJsonObject &arguments, const QString &language,
                                            const SessionPackages *has, const Caller &caller)
{
    ASSIGN_OR_RETURN(const auto requirements, requirementsFrom(arguments["packages"_L1].toArray(), language));
    QStringList removed;
    for (const auto name : arguments["remove"_L1].toArray())
        removed.append(name.toString());
    PackageWish wish;
    wish.language = language;
    wish.caller = caller;
    if (!has) {
        if (requirements.isEmpty() || !removed.isEmpty())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The session has no packages yet. Name those to install, as "
                                                    "\"packages\"."),
                        {});
        wish.requirements = requirements;
        return wish;
    }
    if (requirements.isEmpty() && removed.isEmpty())
        return again(*has, caller);
    SessionPackages left = *has;
    if (!removed.isEmpty()) {
        ASSIGN_OR_RETURN(const PackageWish without, leftWithout(*has, removed, caller));
        left.requirements.clear();
        for (const Requirement &requirement : without.requirements)
            left.requirements.append(requirement.text);
    }
    wish.requirements = requirements;
    ASSIGN_OR_RETURN(wish, addedTo(left, std::move(wish), SameName::Replaces));
    if (wish.requirements.isEmpty())
        return std::nullopt;
    return wish;
}

Result<ToolReply> installPackages(const Call &call)
{
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const Session session, sessionFrom(*engine, call));
    const QString language = call.arguments()["language"_L1].toString(Languages::fallback().id());
    const SessionPackages *const has = session.packagesOf(language);
    const QString before = has ? has->id : QString();
    Installations &all = call.client().installations;
    const QByteArray name =
        nameOfCall(installTool, call.arguments(),
                   {u"session"_s, u"language"_s, u"packages"_s, u"remove"_s, u"allow_source"_s, u"allow_scripts"_s});
    auto installation = all.find(name);
    if (!installation) {
        ASSIGN_OR_RETURN(auto wish, wishFrom(call.arguments(), language, has, call.caller()));
        if (!wish) {
            ASSIGN_OR_RETURN(
                const Session without,
                engine->changeSession(session.id, SetPackages{{.language = language}, before}, call.caller()));
            return replyWith(without, language, true, u"Runs in the session no longer get packages."_s);
        }
        ASSIGN_OR_RETURN(wish->sources, sourcesFrom(call.arguments()["allow_source"_L1].toArray(), language));
        ASSIGN_OR_RETURN(const QStringList scripts,
                         scriptsFrom(call.arguments()["allow_scripts"_L1].toArray(), language));
        wish->scripts += scripts;
        ASSIGN_OR_RETURN(installation, all.start(*engine, {name, *wish, session.id, before}));
    }
    ASSIGN_OR_RETURN(const auto installed, waitFor(call, installation));
    if (!installed)
        return replyWith(session, language, false,
                         u"The installation goes on. Repeat this call with the same arguments to wait for it."_s);
    ASSIGN_OR_RETURN(const Session now, engine->sessions().find(session.id));
    QString next = u"Each run_code with this session can import them."_s;
    for (const auto value : call.arguments()["allow_scripts"_L1].toArray()) {
        const QString permitted = value.toString();
        const auto ran = [&](const LockedPackage &each) { return each.name == permitted && each.runsScripts; };
        if (std::ranges::none_of(installed->lock.packages, ran))
            next += u" \"allow_scripts\" had no effect on %1: no package of that name ran an install script."_s.arg(
                permitted);
    }
    return replyWith(now, language, true, next);
}

} // namespace

Tool installPackagesTool()
{
    using namespace schema;
    return {.name = installTool,
            .title = u"Install packages into a session"_s,
            .description =
                u"Gives a session packages of Python or Node.js, which each run_code in it can import. Only the "
                u"person's package "
                u"index is "
                "reached, and nothing of the packages runs meanwhile but what \"allow_source\" and \"allow_scripts\" "
                "name. The person has to approve: they see each package with its version. All packages of a session "
                "are resolved together. Without "
                "\"packages\" and \"remove\" the session's own are installed again."_s,
            .inputSchema =
                object({{u"session"_s, sessionArgument(u"id of a session of yours; see the tool session"_s)},
                        {u"language"_s, oneOf(languagesWithPackages(), u"python by default"_s)},
                        {u"packages"_s, packagesArgument(u"to add, such as \"pandas>=2\" or \"lodash@4\""_s)},
                        {u"remove"_s, packagesArgument(u"names to take away"_s)},
                        {u"allow_source"_s, sourcesArgument()},
                        {u"allow_scripts"_s, scriptsArgument()}},
                       {u"session"_s}),
            .outputSchema = object({{u"session"_s, text()},
                                    {u"state"_s, oneOf({u"installed"_s, u"installing"_s})},
                                    {u"requirements"_s, list(text(), u"that were asked for so far"_s)},
                                    {u"packages"_s, list(text(), u"that the session has, with versions"_s)},
                                    {u"lock"_s, text(u"SHA-256 of their lock; empty: none"_s)},
                                    {u"next"_s, text()}},
                                   {u"session"_s, u"state"_s, u"requirements"_s, u"packages"_s, u"lock"_s, u"next"_s}),
            .annotations = {{u"readOnlyHint"_s, false},
                            {u"destructiveHint"_s, false},
                            {u"idempotentHint"_s, true},
                            {u"openWorldHint"_s, true}},
            .run = installPackages,
            .isDecidedLater = true};
}

} // namespace glovebox::mcp
