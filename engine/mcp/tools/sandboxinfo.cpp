// SPDX-License-Identifier: Apache-2.0
// The tool sandbox_info: whether code can run here, in which languages, within which limits, and what the person is asked about.
#include "jsonschema.h"
#include "tools.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// Nobody looked yet, or nothing was usable then: a look takes a second.
Readiness readinessOf(Engine &engine)
{
    Readiness ready = engine.readiness().current();
    return ready.languages.isEmpty() || !ready.canRun() ? engine.readiness().look() : ready;
}

QJsonArray languagesOf(const Readiness &ready)
{
    QJsonArray languages;
    for (const LanguageReadiness &language : ready.languages) {
        const Part *const obstacle = ready.obstacle(language.id);
        languages.append(QJsonObject{{u"id"_s, language.id},
                                     {u"name"_s, language.name},
                                     {u"version"_s, language.version()},
                                     {u"usable"_s, obstacle == nullptr},
                                     {u"why_not"_s, obstacle ? obstacle->why.message.english() : QString()}});
    }
    return languages;
}

QJsonObject defaultsOf(const Policy &policy)
{
    const Limits &limits = policy.limits;
    return {{u"timeout_seconds"_s, double(limits.wall.count()) / 1000},
            {u"cpu_seconds"_s, limits.cpu ? QJsonValue(double(limits.cpu->count()) / 1000) : QJsonValue()},
            {u"memory_mb"_s, limits.memoryBytes / mebibyte},
            {u"processes"_s, limits.processes},
            {u"disk_mb"_s, limits.diskBytes / mebibyte},
            {u"output_bytes"_s, limits.outputBytes},
            {u"hosts"_s, QJsonArray::fromStringList(policy.allow)}};
}

// Those that code may be let call. A list that can't be read has none; a run that names one is told why.
QStringList serverToolsOf(const Engine &engine)
{
    QStringList names;
    const auto servers = readToolServers(engine.paths().toolServersFile());
    for (const ToolServer &server : servers ? *servers : QList<ToolServer>()) {
        for (const ToolRule &rule : server.tools)
            names.append(ToolName{server.name, rule.tool}.text());
    }
    return names;
}

QString remedyOf(const Readiness &ready)
{
    for (const Part *part : {&ready.record, &ready.policy, &ready.backend}) {
        if (part->state == Part::State::Blocked)
            return (part->why.message.english() + u' ' + part->remedy.english()).trimmed();
    }
    return {};
}

// What the person has set to this, for all agents.
QJsonArray wordsOf(const AgentSwitches &rules, AgentSwitch set)
{
    QJsonArray words;
    const std::pair<Want::Kind, QString> kinds[] = {{Want::Kind::Host, u"hosts (allow)"_s},
                                                    {Want::Kind::Secret, u"secrets"_s},
                                                    {Want::Kind::Packages, u"packages (with)"_s},
                                                    {Want::Kind::ServerTool, u"tools of MCP servers (tools)"_s},
                                                    {Want::Kind::Limit, u"a timeout longer than the default"_s}};
    for (const auto &[kind, word] : kinds) {
        if (rules.ofWant({kind, {}, {}, {}}) == set)
            words.append(word);
    }
    for (const Tool &tool : gloveboxTools()) {
        if (rules.ofTool(tool.name) == set)
            words.append(u"each call of "_s + tool.name);
    }
    return words;
}

Result<ToolReply> describeSandbox(const Call &call)
{
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    const Readiness ready = readinessOf(*engine);
    ASSIGN_OR_RETURN(const auto rules, engine->approvals().rules());
    QStringList weaker = idsOf(weakControls(ready.sandbox));
    const Policy policy = engine->settings().policy();
    ToolReply reply;
    reply.structured = {
        {u"version"_s, QStringLiteral(GLOVEBOX_VERSION)},
        {u"usable"_s, ready.canRun()},
        {u"why_not"_s, ready.canRun() ? QString() : remedyOf(ready)},
        {u"languages"_s, languagesOf(ready)},
        {u"defaults"_s, defaultsOf(policy)},
        {u"asks_the_person"_s, wordsOf(rules, AgentSwitch::Asks)},
        {u"refused"_s, wordsOf(rules, AgentSwitch::Off)},
        {u"isolation"_s, QJsonObject{{u"backend"_s, ready.sandbox.backend},
                                     {u"strict"_s, policy.strict},
                                     {u"weaker_controls"_s, QJsonArray::fromStringList(weaker)}}},
        {u"moved_home"_s, movedHome(engine->paths())},
        {u"tools"_s, QJsonArray::fromStringList(serverToolsOf(*engine))},
    };
    QString &text = reply.text;
    text = ready.canRun() ? u"Code can run here, sealed."_s : u"No code can run here. %1"_s.arg(remedyOf(ready));
    for (const auto language : reply.structured["languages"_L1].toArray())
        text +=
            u"\n- %1 %2: %3"_s.arg(language["id"_L1].toString(), language["version"_L1].toString(),
                                   language["usable"_L1].toBool() ? u"usable"_s : language["why_not"_L1].toString());
    text += u"\nBy default: %1 s, %2 MB of memory, %3, %4 MB for files, no network, no personal files, no "
            "secrets."_s.arg(double(policy.limits.wall.count()) / 1000)
                .arg(policy.limits.memoryBytes / mebibyte)
                .arg(policy.limits.processes == 1 ? u"1 process"_s : u"%1 processes"_s.arg(policy.limits.processes))
                .arg(policy.limits.diskBytes / mebibyte);
    const auto list = [&](const QString &key, const QString &sentence) {
        QStringList words;
        for (const auto word : reply.structured[key].toArray())
            words.append(word.toString());
        if (!words.isEmpty())
            text += sentence.arg(words.join(u", "_s));
    };
    list(u"asks_the_person"_s, u"\nThe person is asked about: %1."_s);
    list(u"refused"_s, u"\nThe person turned off for agents, so it is refused: %1."_s);
    list(u"tools"_s, u"\nTools of the person's MCP servers that code may ask for by \"tools\": %1."_s);
    if (!weaker.isEmpty())
        text += u"\nWeaker here than asked for: %1."_s.arg(weaker.join(u", "_s));
    if (const QString moved = movedHome(engine->paths()); !moved.isEmpty())
        text += u"\nThe environment has moved Glovebox's files to %1."_s.arg(moved);
    return reply;
}

QJsonObject infoSchema()
{
    using namespace schema;
    const QJsonObject language = object({{u"id"_s, text()},
                                         {u"name"_s, text()},
                                         {u"version"_s, text()},
                                         {u"usable"_s, boolean()},
                                         {u"why_not"_s, text()}});
    const QJsonObject defaults = object({{u"timeout_seconds"_s, typed(u"number"_s)},
                                         {u"cpu_seconds"_s, optional(typed(u"number"_s))},
                                         {u"memory_mb"_s, integer()},
                                         {u"processes"_s, integer()},
                                         {u"disk_mb"_s, integer()},
                                         {u"output_bytes"_s, integer(u"kept of each stream"_s)},
                                         {u"hosts"_s, list(text())}});
    const QJsonObject isolation =
        object({{u"backend"_s, text()}, {u"strict"_s, boolean()}, {u"weaker_controls"_s, list(text())}});
    const QJsonObject members{
        {u"version"_s, text(u"of Glovebox"_s)},
        {u"usable"_s, boolean(u"whether a run of some language would start"_s)},
        {u"why_not"_s, text()},
        {u"languages"_s, list(language)},
        {u"defaults"_s, defaults},
        {u"asks_the_person"_s, list(text(), u"what run_code gets only with the person's approval"_s)},
        {u"refused"_s, list(text(), u"what the person turned off for all agents"_s)},
        {u"isolation"_s, isolation},
        {u"tools"_s, list(text(), u"SERVER.TOOL each, for \"tools\" of run_code"_s)},
        {u"moved_home"_s, text(u"folder of the log, else of the settings, where the environment has moved it"_s)}};
    return object(members, members.keys());
}

} // namespace

Tool sandboxInfoTool()
{
    return {.name = u"sandbox_info"_s,
            .title = u"Describe the sandbox"_s,
            .description =
                u"Says whether code can run here, in which languages and versions. Lists what a run may do by default, "
                "and what needs the person's approval. Runs nothing. The first call takes a second."_s,
            .inputSchema = schema::object({}),
            .outputSchema = infoSchema(),
            .annotations = {{u"readOnlyHint"_s, true},
                            {u"destructiveHint"_s, false},
                            {u"idempotentHint"_s, true},
                            {u"openWorldHint"_s, false}},
            .run = describeSandbox};
}

} // namespace glovebox::mcp
