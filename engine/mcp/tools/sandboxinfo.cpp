// SPDX-License-Identifier: Apache-2.0
// The tool sandbox_info: whether code can run here, in which languages, and within which limits.
#include "tools.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

Result<ToolReply> describeSandbox(const Call &call)
{
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    const Readiness ready = engine->readiness().look();
    QJsonArray languages;
    for (const LanguageReadiness &language : ready.languages)
        languages.append(QJsonObject{{u"id"_s, language.id},
                                     {u"name"_s, language.name},
                                     {u"usable"_s, language.part.state == Part::State::Ready}});
    return ToolReply{.structured = {{u"version"_s, QStringLiteral(GLOVEBOX_VERSION)},
                                    {u"usable"_s, ready.canRun()},
                                    {u"languages"_s, languages},
                                    {u"defaults"_s, toJson(engine->settings().policy())}}};
}

} // namespace

Tool sandboxInfoTool()
{
    return {
        .name = u"sandbox_info"_s,
        .title = u"What the sandbox offers"_s,
        .description =
            u"Says whether code can run in the sandbox, in which languages, and what a run may do by default: "
            "its limits, its network, its folders. Runs nothing."_s,
        .inputSchema = {{u"type"_s, u"object"_s}, {u"properties"_s, QJsonObject()}, {u"additionalProperties"_s, false}},
        .outputSchema = {{u"type"_s, u"object"_s},
                         {u"properties"_s, QJsonObject{{u"version"_s, QJsonObject{{u"type"_s, u"string"_s}}},
                                                       {u"usable"_s, QJsonObject{{u"type"_s, u"boolean"_s}}},
                                                       {u"languages"_s, QJsonObject{{u"type"_s, u"array"_s}}},
                                                       {u"defaults"_s, QJsonObject{{u"type"_s, u"object"_s}}}}},
                         {u"required"_s, QJsonArray{u"version"_s, u"usable"_s, u"languages"_s, u"defaults"_s}}},
        .annotations = {{u"readOnlyHint"_s, true},
                        {u"destructiveHint"_s, false},
                        {u"idempotentHint"_s, true},
                        {u"openWorldHint"_s, false}},
        .run = describeSandbox};
}

} // namespace glovebox::mcp
