// SPDX-License-Identifier: Apache-2.0
#include "fixtures.h"

#include <QJsonDocument>

#include <algorithm>
#include <iterator>
#include <thread>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

using Reply = Result<ToolReply>;
using Run = std::function<Reply(const Call &)>;

QJsonObject object(const char *json)
{
    return QJsonDocument::fromJson(json).object();
}

QString compact(const QJsonObject &value)
{
    return QString::fromUtf8(QJsonDocument(value).toJson(QJsonDocument::Compact));
}

Reply text(const QString &words)
{
    return ToolReply{.text = words};
}

// One red pixel.
QByteArray png()
{
    return QByteArray::fromBase64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==");
}

// One sample of silence.
QByteArray wav()
{
    return QByteArray::fromBase64("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=");
}

QJsonObject block(const QString &type, const QByteArray &bytes, const QString &mediaType)
{
    return {{u"type"_s, type}, {u"data"_s, QString::fromLatin1(bytes.toBase64())}, {u"mimeType"_s, mediaType}};
}

QJsonObject embedded(const QString &uri, const QString &mediaType, const QString &words)
{
    return {{u"type"_s, u"resource"_s},
            {u"resource"_s, QJsonObject{{u"uri"_s, uri}, {u"mimeType"_s, mediaType}, {u"text"_s, words}}}};
}

QJsonObject textBlock(const QString &words)
{
    return {{u"type"_s, u"text"_s}, {u"text"_s, words}};
}

Reply logs(const Call &call)
{
    for (const QString &words :
         {u"Tool execution started"_s, u"Tool processing data"_s, u"Tool execution completed"_s}) {
        call.log(u"info"_s, words);
        std::this_thread::sleep_for(50ms); // as the scenario has it
    }
    return text(u"Logged."_s);
}

Reply makesProgress(const Call &call)
{
    for (const double done : {0.0, 50.0, 100.0}) {
        call.progress(done, 100, {});
        std::this_thread::sleep_for(50ms);
    }
    return text(u"Done."_s);
}

ClientQuestion form(const QString &message, QJsonObject properties, const QJsonArray &required = {})
{
    QJsonObject schema{{u"type"_s, u"object"_s}, {u"properties"_s, properties}};
    if (!required.isEmpty())
        schema[u"required"_s] = required;
    return {u"elicitation/create"_s, {{u"message"_s, message}, {u"requestedSchema"_s, schema}}};
}

ClientQuestion formOf(const QString &message, const QString &key, const QString &type)
{
    return form(message, {{key, QJsonObject{{u"type"_s, type}}}}, {key});
}

ClientQuestion sampling(const QString &prompt, int tokens)
{
    return {u"sampling/createMessage"_s,
            {{u"messages"_s, QJsonArray{QJsonObject{{u"role"_s, u"user"_s}, {u"content"_s, textBlock(prompt)}}}},
             {u"maxTokens"_s, tokens}}};
}

const ClientQuestion roots{u"roots/list"_s, {}};

// Asks, and says what was answered.
Run asks(const QMap<QString, ClientQuestion> &questions, const QJsonObject &keep = {},
         const QString &before = u"Answered: "_s)
{
    return [=](const Call &call) -> Reply {
        ASSIGN_OR_RETURN(const QJsonObject answers, call.ask(questions, keep));
        if (!keep.isEmpty() && !call.state().isEmpty() && call.state() != keep)
            return fail(ErrorCode::Internal, "The state is another one.", {});
        return text(before + compact(answers) + (keep.isEmpty() ? QString() : u" state-ok"_s));
    };
}

Reply asksForWhatIsMeant(const Call &call)
{
    ASSIGN_OR_RETURN(const QJsonObject answers,
                     call.ask({{u"answer"_s, sampling(call.arguments()[u"prompt"].toString(), 100)}}));
    return text(u"LLM response: "_s + answers[u"answer"][u"content"_s][u"text"_s].toString());
}

Reply asksForNames(const Call &call)
{
    const QJsonObject properties = object(
        R"({"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}})");
    ASSIGN_OR_RETURN(const QJsonObject answers,
                     call.ask({{u"answer"_s, form(call.arguments()[u"message"].toString(), properties,
                                                  {u"username"_s, u"email"_s})}}));
    return text(u"User response: "_s + compact(answers[u"answer"].toObject()));
}

// Each round asks one thing more, and remembers what was said.
Reply asksTwice(const Call &call)
{
    QJsonObject known = call.state();
    if (!known.contains(u"name")) {
        ASSIGN_OR_RETURN(const QJsonObject first,
                         call.ask({{u"step1"_s, formOf(u"Step 1: What is your name?"_s, u"name"_s, u"string"_s)}},
                                  {{u"round"_s, 1}}));
        known[u"name"_s] = first[u"step1"][u"content"_s][u"name"_s];
    }
    ASSIGN_OR_RETURN(
        const QJsonObject second,
        call.ask({{u"step2"_s, formOf(u"Step 2: What is your favorite color?"_s, u"color"_s, u"string"_s)}}, known));
    return text(known[u"name"].toString() + u" likes "_s + second[u"step2"][u"content"_s][u"color"_s].toString());
}

// Only what the client can be asked.
Reply asksWhatItCan(const Call &call)
{
    QMap<QString, ClientQuestion> questions;
    if (call.clientCapabilities().contains(u"elicitation"))
        questions[u"name"_s] = formOf(u"What is your name?"_s, u"name"_s, u"string"_s);
    if (call.clientCapabilities().contains(u"sampling"))
        questions[u"greeting"_s] = sampling(u"Generate a greeting"_s, 50);
    ASSIGN_OR_RETURN(const QJsonObject answers, call.ask(questions));
    return text(compact(answers));
}

const char *const defaultsForm =
    R"({"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
"verified":{"type":"boolean","default":true}})";

const char *const enumsForm = R"({
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}})";

const char *const schema2020 = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false})";

Tool tool(const QString &name, Run run, const QJsonObject &schema = {{u"type"_s, u"object"_s}})
{
    return {.name = name,
            .title = {},
            .description = u"A fixture of the conformance suite."_s,
            .inputSchema = schema,
            .outputSchema = {},
            .annotations = {},
            .run = std::move(run)};
}

QJsonObject oneString(const QString &name)
{
    return {{u"type"_s, u"object"_s},
            {u"properties"_s, QJsonObject{{name, QJsonObject{{u"type"_s, u"string"_s}}}}},
            {u"required"_s, QJsonArray{name}}};
}

std::vector<Tool> fixtureTools()
{
    const QMap<QString, ClientQuestion> name{{u"user_name"_s, formOf(u"What is your name?"_s, u"name"_s, u"string"_s)}};
    const QMap<QString, ClientQuestion> confirm{{u"confirm"_s, formOf(u"Please confirm"_s, u"ok"_s, u"boolean"_s)}};
    const QMap<QString, ClientQuestion> question{
        {u"capital_question"_s, sampling(u"What is the capital of France?"_s, 100)}};
    const QMap<QString, ClientQuestion> all{{u"user_name"_s, name.first()},
                                            {u"greeting"_s, sampling(u"Generate a greeting"_s, 50)},
                                            {u"client_roots"_s, roots}};
    const QJsonObject state{{u"made"_s, u"here"_s}};
    const QString completed = u"Elicitation completed: "_s;
    return {
        tool(u"test_simple_text"_s,
             [](const Call &) { return text(u"This is a simple text response for testing."_s); }),
        tool(u"test_image_content"_s,
             [](const Call &) -> Reply { return ToolReply{.images = {{png(), u"image/png"_s}}}; }),
        tool(u"test_audio_content"_s,
             [](const Call &) -> Reply { return ToolReply{.blocks = {block(u"audio"_s, wav(), u"audio/wav"_s)}}; }),
        tool(u"test_embedded_resource"_s,
             [](const Call &) -> Reply {
                 return ToolReply{.blocks = {embedded(u"test://embedded-resource"_s, u"text/plain"_s,
                                                      u"This is an embedded resource content."_s)}};
             }),
        tool(u"test_multiple_content_types"_s,
             [](const Call &) -> Reply {
                 return ToolReply{.text = u"Multiple content types test:"_s,
                                  .images = {{png(), u"image/png"_s}},
                                  .blocks = {embedded(u"test://mixed-content-resource"_s, u"application/json"_s,
                                                      u"{\"test\":\"data\",\"value\":123}"_s)}};
             }),
        tool(u"test_tool_with_logging"_s, logs),
        tool(u"test_logging_tool"_s, logs),
        tool(u"test_error_handling"_s,
             [](const Call &) -> Reply {
                 return fail(ErrorCode::Internal, "This tool intentionally returns an error for testing", {});
             }),
        tool(u"test_tool_with_progress"_s, makesProgress),
        tool(u"test_sampling"_s, asksForWhatIsMeant, oneString(u"prompt"_s)),
        tool(u"test_elicitation"_s, asksForNames, oneString(u"message"_s)),
        tool(u"test_elicitation_sep1034_defaults"_s,
             asks({{u"answer"_s, form(u"Please review"_s, object(defaultsForm))}}, {}, completed)),
        tool(u"test_elicitation_sep1330_enums"_s,
             asks({{u"answer"_s, form(u"Please choose"_s, object(enumsForm))}}, {}, completed)),
        tool(
            u"json_schema_2020_12_tool"_s, [](const Call &call) { return text(compact(call.arguments())); },
            object(schema2020)),
        tool(u"test_missing_capability"_s, asks(question)),
        tool(u"test_streaming_elicitation"_s, asks(name)),
        tool(u"test_input_required_result_elicitation"_s, asks(name, {}, u"Hello, "_s)),
        tool(u"test_input_required_result_sampling"_s, asks(question)),
        tool(u"test_input_required_result_list_roots"_s, asks({{u"client_roots"_s, roots}})),
        tool(u"test_input_required_result_request_state"_s, asks(confirm, state)),
        tool(u"test_input_required_result_tampered_state"_s, asks(confirm, state)),
        tool(u"test_input_required_result_multiple_inputs"_s, asks(all, state)),
        tool(u"test_input_required_result_multi_round"_s, asksTwice),
        tool(u"test_input_required_result_capabilities"_s, asksWhatItCan),
    };
}

using Messages = Result<QList<PromptMessage>>;

Prompt prompt(const QString &name, const QStringList &arguments, std::function<Messages(const Call &)> fill)
{
    Prompt made{.name = name,
                .title = {},
                .description = u"A fixture of the conformance suite."_s,
                .arguments = {},
                .fill = std::move(fill)};
    for (const QString &argument : arguments)
        made.arguments.append({.name = argument, .title = {}, .description = u"An argument."_s, .required = true});
    return made;
}

PromptMessage says(const QJsonObject &content)
{
    return {.role = u"user"_s, .content = content};
}

std::vector<Prompt> fixturePrompts()
{
    return {
        prompt(
            u"test_simple_prompt"_s, {},
            [](const Call &) -> Messages { return QList{says(textBlock(u"This is a simple prompt for testing."_s))}; }),
        prompt(u"test_prompt_with_arguments"_s, {u"arg1"_s, u"arg2"_s},
               [](const Call &call) -> Messages {
                   return QList{says(textBlock(u"Prompt with arguments: arg1='%1', arg2='%2'"_s.arg(
                       call.arguments()[u"arg1"].toString(), call.arguments()[u"arg2"].toString())))};
               }),
        prompt(u"test_prompt_with_embedded_resource"_s, {u"resourceUri"_s},
               [](const Call &call) -> Messages {
                   return QList{says(embedded(call.arguments()[u"resourceUri"].toString(), u"text/plain"_s,
                                              u"Embedded resource content for testing."_s)),
                                says(textBlock(u"Please process the embedded resource above."_s))};
               }),
        prompt(u"test_prompt_with_image"_s, {},
               [](const Call &) -> Messages {
                   return QList{says(block(u"image"_s, png(), u"image/png"_s)),
                                says(textBlock(u"Please analyze the image above."_s))};
               }),
        prompt(u"test_input_required_result_prompt"_s, {},
               [](const Call &call) -> Messages {
                   ASSIGN_OR_RETURN(const QJsonObject answers,
                                    call.ask({{u"user_context"_s, formOf(u"What context should the prompt use?"_s,
                                                                         u"context"_s, u"string"_s)}}));
                   return QList{says(textBlock(compact(answers)))};
               }),
    };
}

Result<ResourcePage> listFixtures(const Call & /*call*/, const QString &cursor)
{
    if (!cursor.isEmpty())
        return fail(ErrorCode::InvalidInput, "There is no such cursor.", {});
    return ResourcePage{.resources = {{.uri = u"test://static-text"_s,
                                       .name = u"static-text"_s,
                                       .title = {},
                                       .description = u"Text."_s,
                                       .mediaType = u"text/plain"_s,
                                       .bytes = {}},
                                      {.uri = u"test://static-binary"_s,
                                       .name = u"static-binary"_s,
                                       .title = {},
                                       .description = u"A picture."_s,
                                       .mediaType = u"image/png"_s,
                                       .bytes = {}}},
                        .next = {}};
}

Result<QList<ResourceContent>> readFixture(const Call & /*call*/, const QString &uri)
{
    if (uri == u"test://static-text")
        return QList{ResourceContent{uri, u"text/plain"_s, "This is the content of the static text resource.", true}};
    if (uri == u"test://static-binary")
        return QList{ResourceContent{uri, u"image/png"_s, png(), false}};
    const QString before = u"test://template/"_s, after = u"/data"_s;
    if (!uri.startsWith(before) || !uri.endsWith(after))
        return fail(ErrorCode::NotFound, "There is no resource \"%1\".", {uri});
    const QString id = uri.sliced(before.size()).chopped(after.size());
    const QJsonObject content{{u"id"_s, id}, {u"templateTest"_s, true}, {u"data"_s, u"Data for ID: "_s + id}};
    return QList{ResourceContent{uri, u"application/json"_s, compact(content).toUtf8(), true}};
}

Result<Completion> completeFixture(const Call & /*call*/, const CompletionQuestion &question)
{
    Completion completion;
    for (const QString &word : {u"paris"_s, u"park"_s, u"party"_s}) {
        if (word.startsWith(question.value))
            completion.values.append(word);
    }
    return completion;
}

} // namespace

Catalogue fixtureCatalogue()
{
    std::vector<Tool> tools = fixtureTools();
    std::ranges::move(taskFixtures(), std::back_inserter(tools));
    return {.name = u"fixtures"_s,
            .title = u"Fixtures"_s,
            .version = u"1"_s,
            .instructions = u"For the conformance suite only."_s,
            .tools = std::move(tools),
            .prompts = fixturePrompts(),
            .templates = {{.uriTemplate = u"test://template/{id}/data"_s,
                           .name = u"template"_s,
                           .title = {},
                           .description = u"By id."_s,
                           .mediaType = u"application/json"_s}},
            .listResources = listFixtures,
            .readResource = readFixture,
            .watchesResources = true,
            .complete = completeFixture};
}

} // namespace glovebox::mcp
