// SPDX-License-Identifier: Apache-2.0
#include "tasks.h"

#include "methods.h"
#include "results.h"
#include "schema.h"
#include "server.h"

#include "engine/mcp/tools/runreply.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype tasksOfPage = 32;

Answer<Task> askedFor(const Request &request)
{
    const QJsonValue id = request.params().value(u"taskId"_s);
    if (!id.isString())
        return refuse(ErrorNumber::invalidParams,
                      u"The params of %1 lack \"taskId\", a string."_s.arg(QLatin1StringView(request.method().name)));
    auto task = request.client().tasks.find(id.toString());
    if (!task)
        return refuse(ErrorNumber::invalidParams, hasTasks(request.revision())
                                                      ? u"This task of yours no longer exists. See tasks/list."_s
                                                      : u"There is no such task of yours, or no longer."_s);
    return *std::move(task);
}

// The answer that the call would have had.
Answer<QJsonObject> resultOf(Request &request, const Task &task)
{
    const auto &tools = request.catalogue().tools;
    const auto tool = std::ranges::find(tools, task.tool, &Tool::name);
    const auto engine = request.engine();
    if (!engine || tool == tools.end())
        return refuse(ErrorNumber::internal, u"The task has no answer yet. Call explain_run."_s);
    return toJson(request.revision(), tool->answer(request, **engine, *task.run));
}

// Of the state, where it says more than its name.
QString stateText(const Task &task)
{
    const auto result = task.run->run().result();
    if (task.status == Task::Status::Cancelled)
        return result ? result->reason.english() : u"The task was cancelled."_s;
    return task.isOver() ? QString() : stateName(task.run->run().state());
}

QJsonObject relatedTo(const Task &task)
{
    return {{u"io.modelcontextprotocol/related-task"_s, QJsonObject{{u"taskId"_s, task.id}}}};
}

} // namespace

Answer<QJsonObject> startTask(Request &request, const Tool &tool, const QJsonValue &asked)
{
    if (!tool.start)
        return refuse(ErrorNumber::methodNotFound,
                      u"\"%1\" can't be a task. Call it without \"task\"."_s.arg(tool.name));
    const QJsonValue ttl = asked.toObject().value(u"ttl"_s);
    const bool isSound = asked.isObject() && (ttl.isUndefined() || (ttl.isDouble() && ttl.toDouble() >= 0));
    if (!isSound)
        return refuse(ErrorNumber::invalidParams,
                      u"The \"task\" of params is an object; its \"ttl\" are milliseconds."_s);
    if (const auto fault = faultOf(request.arguments(), tool.inputSchema))
        return refuse(ErrorNumber::invalidParams, *fault);
    const auto run = tool.start(request);
    if (!run)
        return std::unexpected(protocolError(request.revision(), run.error()));
    const auto longest = double(ClientTasks::ttlMax.count());
    const auto task = request.client().tasks.add(
        tool.name, *run,
        ttl.isUndefined() ? ClientTasks::ttlUsual
                          : std::chrono::milliseconds(qint64(std::min(ttl.toDouble(), longest))));
    if (!task) { // nobody could ask for its answer
        (*run)->run().cancel();
        return std::unexpected(protocolError(request.revision(), task.error()));
    }
    request.connection().follow(*task);
    return QJsonObject{{u"task"_s, toJson(request.revision(), *task)}};
}

Answer<QJsonObject> getTask(Request &request)
{
    const auto task = askedFor(request);
    if (!task)
        return std::unexpected(task.error());
    return toJson(request.revision(), *task);
}

Answer<QJsonObject> waitForTask(Request &request)
{
    const auto task = askedFor(request);
    if (!task)
        return std::unexpected(task.error());
    while (!task->run->waitUntilDone(std::chrono::steady_clock::now() + std::chrono::minutes(1), request.stop())) {
        if (request.stop().stop_requested())
            return refuse(ErrorNumber::internal, u"The call was cancelled; the task goes on."_s);
    }
    auto result = resultOf(request, *task);
    if (result)
        (*result)[u"_meta"_s] = relatedTo(*task);
    return result;
}

// A page ends with the id of its last task, which is where the next one goes on.
Answer<QJsonObject> listTasks(Request &request)
{
    const QList<Task> tasks = request.client().tasks.all();
    const QJsonValue cursor = request.params().value(u"cursor"_s);
    qsizetype at = 0;
    if (!cursor.isUndefined() && !cursor.isNull()) {
        const auto last = std::ranges::find(tasks, cursor.toString(), &Task::id);
        if (last == tasks.end())
            return refuse(ErrorNumber::invalidParams, u"This cursor no longer exists. List without one."_s);
        at = last - tasks.begin() + 1;
    }
    QJsonArray page;
    for (const Task &task : tasks.mid(at, tasksOfPage))
        page.append(toJson(request.revision(), task));
    QJsonObject result{{u"tasks"_s, page}};
    if (at + tasksOfPage < tasks.size())
        result[u"nextCursor"_s] = tasks[at + tasksOfPage - 1].id;
    return result;
}

Answer<QJsonObject> cancelTask(Request &request)
{
    if (const auto task = askedFor(request); !task)
        return std::unexpected(task.error());
    const auto task = request.client().tasks.cancel(request.params().value(u"taskId"_s).toString());
    if (!task)
        return std::unexpected(protocolError(request.revision(), task.error()));
    return toJson(request.revision(), *task);
}

std::optional<QJsonObject> becomeTask(Request &request, const Tool &tool, const std::shared_ptr<FollowedRun> &run)
{
    const auto task = request.client().tasks.add(tool.name, run, ClientTasks::ttlUsual);
    if (!task)
        return std::nullopt;
    return becameTask(request.catalogue(), toJson(request.revision(), *task, stateText(*task)));
}

Answer<void> checkTasksAreKnown(const Request &request)
{
    if (request.mayBecomeTask())
        return {};
    const QJsonObject needed{{u"extensions"_s, QJsonObject{{tasksExtension, QJsonObject()}}}};
    return refuse(ErrorNumber::missingCapability,
                  u"Declare the extension \"%1\" in the clientCapabilities of the request."_s.arg(tasksExtension),
                  {{u"requiredCapabilities"_s, needed}});
}

Answer<QJsonObject> detailedTask(Request &request, const Task &task)
{
    QJsonObject object = toJson(request.revision(), task, stateText(task));
    if (task.isOver() && task.status != Task::Status::Cancelled) {
        const auto result = resultOf(request, task);
        if (!result)
            return result;
        object[u"result"_s] = complete(request.revision(), request.catalogue(), *result);
    }
    return object;
}

Answer<QJsonObject> showTask(Request &request)
{
    if (const auto known = checkTasksAreKnown(request); !known)
        return std::unexpected(known.error());
    const auto task = askedFor(request);
    if (!task)
        return std::unexpected(task.error());
    const auto shown = detailedTask(request, *task);
    return shown ? complete(request.revision(), request.catalogue(), *shown) : shown;
}

// No task of ours asks anything, so each answer is to a question that there is not: those are ignored.
Answer<QJsonObject> updateTask(Request &request)
{
    if (const auto known = checkTasksAreKnown(request); !known)
        return std::unexpected(known.error());
    if (const auto task = askedFor(request); !task)
        return std::unexpected(task.error());
    if (!request.params().value(u"inputResponses"_s).isObject())
        return refuse(ErrorNumber::invalidParams, u"The \"inputResponses\" of params are an object."_s);
    return complete(request.revision(), request.catalogue(), {});
}

Answer<QJsonObject> endTask(Request &request)
{
    if (const auto known = checkTasksAreKnown(request); !known)
        return std::unexpected(known.error());
    const auto task = askedFor(request);
    if (!task)
        return std::unexpected(task.error());
    std::ignore = request.client().tasks.cancel(task->id); // one that is over stays as it is
    return complete(request.revision(), request.catalogue(), {});
}

} // namespace glovebox::mcp
