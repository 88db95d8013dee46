// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// Leaves out what is empty: the protocol has no empty titles.
void put(QJsonObject &object, const QString &key, const QString &text)
{
    if (!text.isEmpty())
        object[key] = text;
}

QJsonObject textBlock(const QString &text)
{
    return {{u"type"_s, u"text"_s}, {u"text"_s, text}};
}

QJsonObject withServer(const Catalogue &catalogue, QJsonObject result)
{
    QJsonObject meta = result.value(u"_meta"_s).toObject();
    meta[u"io.modelcontextprotocol/serverInfo"_s] = serverInfo(Revision::R2026_07_28, catalogue);
    result[u"_meta"_s] = meta;
    return result;
}

} // namespace

QJsonObject complete(Revision revision, const Catalogue &catalogue, QJsonObject result, std::optional<Caching> caching)
{
    if (hasHandshake(revision))
        return result;
    result[u"resultType"_s] = u"complete"_s;
    if (caching) {
        result[u"ttlMs"_s] = caching->milliseconds;
        result[u"cacheScope"_s] = caching->isPublic ? u"public"_s : u"private"_s;
    }
    return withServer(catalogue, std::move(result));
}

QJsonObject inputRequired(const Catalogue &catalogue, const QMap<QString, ClientQuestion> &questions,
                          const QString &state)
{
    QJsonObject requests;
    for (auto question = questions.begin(); question != questions.end(); ++question)
        requests[question.key()] = QJsonObject{{u"method"_s, question->method}, {u"params"_s, question->params}};
    QJsonObject result{{u"resultType"_s, u"input_required"_s}};
    if (!requests.isEmpty())
        result[u"inputRequests"_s] = requests;
    put(result, u"requestState"_s, state);
    return withServer(catalogue, std::move(result));
}

QJsonObject serverInfo(Revision revision, const Catalogue &catalogue)
{
    QJsonObject info{{u"name"_s, catalogue.name}, {u"version"_s, catalogue.version}};
    if (hasTitles(revision))
        put(info, u"title"_s, catalogue.title);
    return info;
}

QJsonObject serverCapabilities(Revision revision, const Catalogue &catalogue, bool tellsOfResources)
{
    QJsonObject capabilities{{u"tools"_s, QJsonObject()}};
    if (catalogue.readResource)
        capabilities[u"resources"_s] = tellsOfResources ? QJsonObject{{u"subscribe"_s, true}} : QJsonObject();
    if (!catalogue.prompts.empty())
        capabilities[u"prompts"_s] = QJsonObject();
    if (catalogue.complete && hasCompletionsCapability(revision))
        capabilities[u"completions"_s] = QJsonObject();
    if (hasHandshake(revision))
        capabilities[u"logging"_s] = QJsonObject();
    const bool takesTasks = std::ranges::any_of(catalogue.tools, [](const Tool &tool) { return bool(tool.start); });
    if (hasTaskExtension(revision) && takesTasks)
        capabilities[u"extensions"_s] = QJsonObject{{tasksExtension, QJsonObject()}};
    if (hasTasks(revision) && takesTasks)
        capabilities[u"tasks"_s] =
            QJsonObject{{u"list"_s, QJsonObject()},
                        {u"cancel"_s, QJsonObject()},
                        {u"requests"_s, QJsonObject{{u"tools"_s, QJsonObject{{u"call"_s, QJsonObject()}}}}}};
    return capabilities;
}

QJsonObject toJson(Revision revision, const Tool &tool)
{
    QJsonObject object{
        {u"name"_s, tool.name}, {u"description"_s, tool.description}, {u"inputSchema"_s, tool.inputSchema}};
    if (hasTitles(revision))
        put(object, u"title"_s, tool.title);
    if (hasStructuredContent(revision) && !tool.outputSchema.isEmpty())
        object[u"outputSchema"_s] = tool.outputSchema;
    if (hasAnnotations(revision) && !tool.annotations.isEmpty())
        object[u"annotations"_s] = tool.annotations;
    if (hasTasks(revision) && tool.start)
        object[u"execution"_s] = QJsonObject{{u"taskSupport"_s, u"optional"_s}};
    return object;
}

QJsonObject toJson(Revision revision, const ToolReply &reply)
{
    QJsonArray content;
    if (!reply.text.isEmpty())
        content.append(textBlock(reply.text));
    else if (!reply.structured.isEmpty())
        content.append(textBlock(QString::fromUtf8(QJsonDocument(reply.structured).toJson(QJsonDocument::Compact))));
    for (const Image &image : reply.images)
        content.append(QJsonObject{{u"type"_s, u"image"_s},
                                   {u"data"_s, QString::fromLatin1(image.bytes.toBase64())},
                                   {u"mimeType"_s, image.mediaType}});
    for (const auto block : reply.blocks)
        content.append(block);
    QJsonObject object{{u"content"_s, content}};
    if (hasStructuredContent(revision) && !reply.structured.isEmpty())
        object[u"structuredContent"_s] = reply.structured;
    if (reply.isError)
        object[u"isError"_s] = true;
    return object;
}

QJsonObject toJson(Revision revision, const Prompt &prompt)
{
    QJsonObject object{{u"name"_s, prompt.name}};
    put(object, u"description"_s, prompt.description);
    if (hasTitles(revision))
        put(object, u"title"_s, prompt.title);
    QJsonArray arguments;
    for (const PromptArgument &argument : prompt.arguments) {
        QJsonObject row{{u"name"_s, argument.name}, {u"required"_s, argument.required}};
        put(row, u"description"_s, argument.description);
        if (hasTitles(revision))
            put(row, u"title"_s, argument.title);
        arguments.append(row);
    }
    if (!arguments.isEmpty())
        object[u"arguments"_s] = arguments;
    return object;
}

QJsonObject toJson(Revision revision, const Resource &resource)
{
    QJsonObject object{{u"uri"_s, resource.uri}, {u"name"_s, resource.name}};
    put(object, u"description"_s, resource.description);
    put(object, u"mimeType"_s, resource.mediaType);
    if (hasTitles(revision))
        put(object, u"title"_s, resource.title);
    if (resource.bytes)
        object[u"size"_s] = *resource.bytes;
    return object;
}

QJsonObject toJson(Revision revision, const ResourceTemplate &resource)
{
    QJsonObject object{{u"uriTemplate"_s, resource.uriTemplate}, {u"name"_s, resource.name}};
    put(object, u"description"_s, resource.description);
    put(object, u"mimeType"_s, resource.mediaType);
    if (hasTitles(revision))
        put(object, u"title"_s, resource.title);
    return object;
}

QJsonObject toJson(const ResourceContent &content)
{
    QJsonObject object{{u"uri"_s, content.uri}};
    put(object, u"mimeType"_s, content.mediaType);
    if (content.isText)
        object[u"text"_s] = QString::fromUtf8(content.bytes);
    else
        object[u"blob"_s] = QString::fromLatin1(content.bytes.toBase64());
    return object;
}

QJsonObject toJson(const PromptMessage &message)
{
    return {{u"role"_s, message.role}, {u"content"_s, message.content}};
}

QJsonObject toJson(const Completion &completion)
{
    constexpr qsizetype most = 100;
    QJsonObject object{
        {u"values"_s, QJsonArray::fromStringList(completion.values.first(std::min(most, completion.values.size())))},
        {u"hasMore"_s, completion.hasMore || completion.values.size() > most}};
    if (completion.total)
        object[u"total"_s] = *completion.total;
    return object;
}

QJsonObject toJson(Revision revision, const Task &task, const QString &text)
{
    constexpr int betweenPolls = 1000; // milliseconds
    constexpr const char *names[] = {"working", "completed", "failed", "cancelled"};
    const auto moment = [](qint64 milliseconds) {
        return QDateTime::fromMSecsSinceEpoch(milliseconds).toUTC().toString(Qt::ISODateWithMs);
    };
    // In the extension "failed" is for errors of the protocol: a run that failed has a result.
    const bool isExtension = hasTaskExtension(revision);
    const Task::Status status =
        isExtension && task.status == Task::Status::Failed ? Task::Status::Completed : task.status;
    QJsonObject object{{u"taskId"_s, task.id},
                       {u"status"_s, QString::fromLatin1(names[int(status)])},
                       {u"createdAt"_s, moment(task.created)},
                       {u"lastUpdatedAt"_s, moment(task.updated)},
                       {isExtension ? u"ttlMs"_s : u"ttl"_s, qint64(task.ttl.count())},
                       {isExtension ? u"pollIntervalMs"_s : u"pollInterval"_s, betweenPolls}};
    if (isExtension)
        put(object, u"statusMessage"_s, text);
    return object;
}

QJsonObject becameTask(const Catalogue &catalogue, const QJsonObject &task)
{
    QJsonObject result = task;
    result[u"resultType"_s] = u"task"_s;
    return withServer(catalogue, std::move(result));
}

ProtocolError protocolError(Revision revision, const Error &error, const QString &name)
{
    ProtocolError answer{ErrorNumber::internal, error.message.english(), {}, {}};
    if (error.code == ErrorCode::InvalidInput)
        answer.code = ErrorNumber::invalidParams;
    if (error.code == ErrorCode::NotFound) {
        answer.code = hasHandshake(revision) ? ErrorNumber::resourceNotFound : ErrorNumber::invalidParams;
        if (!name.isEmpty())
            answer.data = {{u"uri"_s, name}};
    }
    return answer;
}

} // namespace glovebox::mcp
