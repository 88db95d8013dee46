// SPDX-License-Identifier: Apache-2.0
#include "methods.h"

#include "request.h"
#include "results.h"
#include "schema.h"
#include "server.h"
#include "tasks.h"
#include "watch/listening.h"

#include "engine/mcp/tools/permission.h"

#include <QJsonArray>

#include <algorithm>
#include <array>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

using Object = Answer<QJsonObject>;

Answer<QString> stringParam(const Request &request, const QString &key)
{
    const QJsonValue value = request.params().value(key);
    if (!value.isString())
        return refuse(ErrorNumber::invalidParams,
                      u"The params of %1 lack \"%2\", a string."_s.arg(QLatin1StringView(request.method().name), key));
    return value.toString();
}

// {} where it is missing, or null.
Answer<QJsonObject> objectParam(const Request &request, const QString &key)
{
    const QJsonValue value = request.params().value(key);
    if (!value.isUndefined() && !value.isNull() && !value.isObject())
        return refuse(ErrorNumber::invalidParams, u"The \"%1\" of params is an object."_s.arg(key));
    return value.toObject();
}

// The cursor of a list; "": from the beginning.
Answer<QString> cursorParam(const Request &request)
{
    const QJsonValue value = request.params().value(u"cursor"_s);
    if (!value.isUndefined() && !value.isNull() && !value.isString())
        return refuse(ErrorNumber::invalidParams, u"The \"cursor\" of params is a string."_s);
    return value.toString();
}

// 2026-07-28 has a stream for that everywhere (subscriptions/listen); before, it depends on the transport.
bool tellsOfResources(const Request &request)
{
    const Catalogue &catalogue = request.catalogue();
    return hasHandshake(request.revision())
               ? catalogue.watchesResources || (catalogue.changesOf && request.connection().hasBackground())
               : bool(catalogue.changesOf);
}

QJsonObject complete(const Request &request, QJsonObject result, std::optional<Caching> caching = {})
{
    return mcp::complete(request.revision(), request.catalogue(), std::move(result), caching);
}

Object initialize(Request &request)
{
    const auto version = stringParam(request, u"protocolVersion"_s);
    if (!version)
        return std::unexpected(version.error());
    if (!request.params().value(u"capabilities"_s).isObject() || !request.params().value(u"clientInfo"_s).isObject())
        return refuse(ErrorNumber::invalidParams,
                      u"The params of initialize lack \"capabilities\" or \"clientInfo\"."_s);
    if (request.connection().handshake())
        return refuse(ErrorNumber::invalidRequest, u"This connection is initialized already."_s);
    const auto known = fromString<Revision>(*version);
    const Revision agreed = known && hasHandshake(*known) ? *known : latestWithHandshake;
    request.connection().shake({agreed, request.params().value(u"capabilities"_s).toObject(),
                                claimedName(request.params().value(u"clientInfo"_s).toObject())});
    const Catalogue &catalogue = request.catalogue();
    return QJsonObject{{u"protocolVersion"_s, toString(agreed)},
                       {u"capabilities"_s, serverCapabilities(agreed, catalogue, tellsOfResources(request))},
                       {u"serverInfo"_s, serverInfo(agreed, catalogue)},
                       {u"instructions"_s, catalogue.instructions}};
}

Object discover(Request &request)
{
    return complete(
        request,
        {{u"supportedVersions"_s, QJsonArray::fromStringList(revisionNames())},
         {u"capabilities"_s, serverCapabilities(request.revision(), request.catalogue(), tellsOfResources(request))},
         {u"instructions"_s, request.catalogue().instructions}},
        keptForAnHour);
}

Object ping(Request &request)
{
    return complete(request, {});
}

Object setLogLevel(Request &request)
{
    static const QStringList levels{u"debug"_s, u"info"_s,     u"notice"_s, u"warning"_s,
                                    u"error"_s, u"critical"_s, u"alert"_s,  u"emergency"_s};
    const auto level = stringParam(request, u"level"_s);
    if (!level)
        return std::unexpected(level.error());
    if (!levels.contains(*level))
        return refuse(ErrorNumber::invalidParams, u"The level is one of: %1."_s.arg(levels.join(u", "_s)));
    request.connection().setLogLevel(*level);
    return complete(request, {});
}

// A list that is one page.
template<typename Rows>
Object listOf(Request &request, const QString &key, const Rows &rows, const Caching &caching = keptForAnHour)
{
    const auto cursor = cursorParam(request);
    if (!cursor)
        return std::unexpected(cursor.error());
    if (!cursor->isEmpty())
        return refuse(ErrorNumber::invalidParams, u"There is no such cursor: the list is one page."_s);
    QJsonArray array;
    for (const auto &row : rows)
        array.append(toJson(request.revision(), row));
    return complete(request, {{key, array}}, caching);
}

Object listTools(Request &request)
{
    const auto rules = request.connection().server().rules();
    std::vector<Tool> tools = request.catalogue().tools;
    std::erase_if(tools, [&](const Tool &tool) { return !isListed(tool, rules); });
    return listOf(request, u"tools"_s, tools, keptForAMinute); // the person may turn one on
}

Object listPrompts(Request &request)
{
    return listOf(request, u"prompts"_s, request.catalogue().prompts);
}

Object listTemplates(Request &request)
{
    return listOf(request, u"resourceTemplates"_s, request.catalogue().templates);
}

template<typename Row> Answer<const Row *> find(const std::vector<Row> &rows, const QString &name, const QString &what)
{
    const auto found = std::ranges::find(rows, name, &Row::name);
    if (found != rows.end())
        return &*found;
    QStringList names;
    for (const Row &row : rows)
        names.append(row.name);
    return refuse(ErrorNumber::invalidParams,
                  u"There is no %1 \"%2\". There are: %3."_s.arg(what, name.left(100), names.join(u", "_s)));
}

// What becomes of an error of a function that the client may have to call again, or that can't ask it.
std::optional<Object> unanswered(const Request &request)
{
    if (request.asksAgain())
        return inputRequired(request.catalogue(), request.openQuestions(), request.sealedState());
    if (!request.missingCapability().isEmpty() && !hasHandshake(request.revision()))
        return refuse(ErrorNumber::missingCapability,
                      u"The client lacks the capability \"%1\"."_s.arg(request.missingCapability()),
                      {{u"requiredCapabilities"_s, QJsonObject{{request.missingCapability(), QJsonObject()}}}});
    return {};
}

Object callTool(Request &request)
{
    const auto name = stringParam(request, u"name"_s);
    if (!name)
        return std::unexpected(name.error());
    const auto tool = find(request.catalogue().tools, *name, u"tool"_s);
    if (!tool)
        return std::unexpected(tool.error());
    const auto arguments = objectParam(request, u"arguments"_s);
    if (!arguments)
        return std::unexpected(arguments.error());
    WatchedCall watched(request.connection().server().watcher(), request, **tool, *arguments);
    const auto answer = [&](const ToolReply &reply) {
        watched.answer(reply);
        return complete(request, toJson(request.revision(), reply));
    };
    if (const QJsonValue task = request.params().value(u"task"_s);
        hasTasks(request.revision()) && !task.isUndefined()) {
        request.setArguments(*arguments);
        auto started = startTask(request, **tool, task);
        if (started)
            watched.answerWithTask();
        return started;
    }
    if (const auto fault = faultOf(*arguments, (*tool)->inputSchema)) {
        QJsonObject told = answer({.text = *fault, .isError = true});
        if (!tellsModelOfBadArguments(request.revision()))
            return refuse(ErrorNumber::invalidParams, *fault);
        return told;
    }
    request.setArguments(*arguments);
    if (const auto state = request.openState(); !state)
        return std::unexpected(state.error());
    if (const Status may = permit(request, **tool, [&] { return request.connection().server().rules(); }); !may) {
        if (auto other = unanswered(request))
            return *other;
        return answer({.text = may.error().message.english(), .isError = true});
    }
    const Result<ToolReply> reply = (*tool)->run(request);
    if (reply && reply->goesOn) {
        if (auto task = becomeTask(request, **tool, reply->goesOn)) {
            watched.answerWithTask();
            return *std::move(task);
        }
    }
    if (reply)
        return answer(*reply);
    if (auto other = unanswered(request))
        return *other;
    return answer({.text = reply.error().message.english(), .isError = true});
}

Object fillPrompt(Request &request)
{
    const auto name = stringParam(request, u"name"_s);
    if (!name)
        return std::unexpected(name.error());
    const auto prompt = find(request.catalogue().prompts, *name, u"prompt"_s);
    if (!prompt)
        return std::unexpected(prompt.error());
    const auto arguments = objectParam(request, u"arguments"_s);
    if (!arguments)
        return std::unexpected(arguments.error());
    for (auto argument = arguments->begin(); argument != arguments->end(); ++argument) {
        if (!argument->isString())
            return refuse(ErrorNumber::invalidParams,
                          u"The argument \"%1\" of a prompt is a string."_s.arg(argument.key()));
    }
    for (const PromptArgument &argument : (*prompt)->arguments) {
        if (argument.required && !arguments->contains(argument.name))
            return refuse(ErrorNumber::invalidParams, u"The prompt needs the argument \"%1\"."_s.arg(argument.name));
    }
    request.setArguments(*arguments);
    if (const auto state = request.openState(); !state)
        return std::unexpected(state.error());
    const auto messages = (*prompt)->fill(request);
    if (!messages) {
        if (auto other = unanswered(request))
            return *other;
        return std::unexpected(protocolError(request.revision(), messages.error()));
    }
    QJsonObject result{{u"messages"_s, jsonArray(*messages)}};
    if (!(*prompt)->description.isEmpty())
        result[u"description"_s] = (*prompt)->description;
    return complete(request, result);
}

Object listResources(Request &request)
{
    const auto cursor = cursorParam(request);
    if (!cursor)
        return std::unexpected(cursor.error());
    if (!request.catalogue().listResources)
        return complete(request, {{u"resources"_s, QJsonArray()}}, keptForAnHour);
    const auto page = request.catalogue().listResources(request, *cursor);
    if (!page)
        return std::unexpected(protocolError(request.revision(), page.error()));
    QJsonArray resources;
    for (const Resource &resource : page->resources)
        resources.append(toJson(request.revision(), resource));
    QJsonObject result{{u"resources"_s, resources}};
    if (!page->next.isEmpty())
        result[u"nextCursor"_s] = page->next;
    return complete(request, result, notKept);
}

Object readResource(Request &request)
{
    const auto uri = stringParam(request, u"uri"_s);
    if (!uri)
        return std::unexpected(uri.error());
    if (const auto state = request.openState(); !state)
        return std::unexpected(state.error());
    const auto contents = request.catalogue().readResource
                              ? request.catalogue().readResource(request, *uri)
                              : fail(ErrorCode::NotFound, "There is no resource \"%1\".", {uri->left(200)});
    if (!contents) {
        if (auto other = unanswered(request))
            return *other;
        return std::unexpected(protocolError(request.revision(), contents.error(), *uri));
    }
    return complete(request, {{u"contents"_s, jsonArray(*contents)}}, notKept);
}

Object subscribe(Request &request)
{
    if (!tellsOfResources(request))
        return refuse(ErrorNumber::methodNotFound, u"No resource can be watched here. Read it again instead."_s);
    const auto uri = stringParam(request, u"uri"_s);
    if (!uri)
        return std::unexpected(uri.error());
    if (uri->size() > watchedUriMax) // it is kept
        return refuse(ErrorNumber::invalidParams,
                      u"A \"uri\" to watch has at most %1 characters."_s.arg(watchedUriMax));
    if (!request.connection().subscribe(*uri))
        return refuse(ErrorNumber::invalidParams, u"No more than %1 resources can be watched."_s.arg(subscriptionsMax));
    return complete(request, {});
}

Object unsubscribe(Request &request)
{
    const auto uri = stringParam(request, u"uri"_s);
    if (!uri)
        return std::unexpected(uri.error());
    request.connection().unsubscribe(*uri);
    return complete(request, {});
}

Object completeArgument(Request &request)
{
    const QJsonObject reference = request.params().value(u"ref"_s).toObject();
    const QJsonObject argument = request.params().value(u"argument"_s).toObject();
    const QString type = reference.value(u"type"_s).toString();
    const bool isPrompt = type == u"ref/prompt";
    const QJsonValue name = reference.value(isPrompt ? u"name"_s : u"uri"_s);
    if ((!isPrompt && type != u"ref/resource") || !name.isString())
        return refuse(ErrorNumber::invalidParams,
                      u"The \"ref\" of params is a prompt with its name, or a resource with its uri."_s);
    if (!argument.value(u"name"_s).isString() || !argument.value(u"value"_s).isString())
        return refuse(ErrorNumber::invalidParams,
                      u"The \"argument\" of params has a name and a value, both strings."_s);
    CompletionQuestion question{.of = isPrompt ? CompletionQuestion::Of::Prompt
                                               : CompletionQuestion::Of::ResourceTemplate,
                                .name = name.toString(),
                                .argument = argument.value(u"name"_s).toString(),
                                .value = argument.value(u"value"_s).toString(),
                                .others = {}};
    const QJsonObject others = request.params().value(u"context"_s).toObject().value(u"arguments"_s).toObject();
    for (auto other = others.begin(); other != others.end(); ++other)
        question.others[other.key()] = other->toString();
    Result<Completion> completion;
    if (request.catalogue().complete)
        completion = request.catalogue().complete(request, question);
    if (!completion)
        return std::unexpected(protocolError(request.revision(), completion.error()));
    return complete(request, {{u"completion"_s, toJson(*completion)}}, {});
}

using enum Revision;

// Calls first: what is asked for often is found soon.
constexpr std::array methods{
    Method{"tools/call", R2024_11_05, R2026_07_28, true, callTool},
    Method{"tools/list", R2024_11_05, R2026_07_28, false, listTools},
    Method{"initialize", R2024_11_05, R2025_11_25, false, initialize},
    Method{"server/discover", R2026_07_28, R2026_07_28, false, discover},
    Method{"ping", R2024_11_05, R2025_11_25, false, ping},
    Method{"logging/setLevel", R2024_11_05, R2025_11_25, false, setLogLevel},
    Method{"resources/list", R2024_11_05, R2026_07_28, true, listResources},
    Method{"resources/templates/list", R2024_11_05, R2026_07_28, false, listTemplates},
    Method{"resources/read", R2024_11_05, R2026_07_28, true, readResource},
    Method{"resources/subscribe", R2024_11_05, R2025_11_25, false, subscribe},
    Method{"resources/unsubscribe", R2024_11_05, R2025_11_25, false, unsubscribe},
    Method{"prompts/list", R2024_11_05, R2026_07_28, false, listPrompts},
    Method{"prompts/get", R2024_11_05, R2026_07_28, true, fillPrompt},
    Method{"completion/complete", R2024_11_05, R2026_07_28, true, completeArgument},
    Method{"tasks/get", R2025_11_25, R2025_11_25, false, getTask},
    Method{"tasks/result", R2025_11_25, R2025_11_25, true, waitForTask},
    Method{"tasks/list", R2025_11_25, R2025_11_25, false, listTasks},
    Method{"tasks/cancel", R2025_11_25, R2025_11_25, false, cancelTask},
    Method{"tasks/get", R2026_07_28, R2026_07_28, true, showTask},
    Method{"tasks/update", R2026_07_28, R2026_07_28, false, updateTask},
    Method{"tasks/cancel", R2026_07_28, R2026_07_28, false, endTask},
    Method{"subscriptions/listen", R2026_07_28, R2026_07_28, true, listen},
};

} // namespace

const Method *findMethod(const QString &name, Revision revision)
{
    const auto found = std::ranges::find_if(methods, [&](const Method &method) {
        return name == QLatin1StringView(method.name) && method.from <= revision && revision <= method.to;
    });
    return found == methods.end() ? nullptr : &*found;
}

} // namespace glovebox::mcp
