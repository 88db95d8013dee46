// SPDX-License-Identifier: Apache-2.0
// The shape of results, and of what they list, in each revision: nothing else knows of resultType, ttlMs or structuredContent.
#pragma once

#include "wire/message.h"
#include "wire/revision.h"

#include "engine/mcp/catalogue.h"

namespace glovebox::mcp {

// How long a client may keep a result, and whether it is the same for all of them.
struct Caching
{
    qint64 milliseconds = 0;
    bool isPublic = false;

    bool operator==(const Caching &) const = default;
};
constexpr Caching keptForAnHour{60LL * 60 * 1000, true}; // what doesn't change while the server runs
constexpr Caching keptForAMinute{60LL * 1000, true}; // what changes where the person changes it
constexpr Caching notKept{0, false};

// A result as the revision has it: with its type, the server's name and how long it may be kept, where that is said.
QJsonObject complete(Revision revision, const Catalogue &catalogue, QJsonObject result,
                     std::optional<Caching> caching = {});
QJsonObject inputRequired(const Catalogue &catalogue, const QMap<QString, ClientQuestion> &questions,
                          const QString &state);

QJsonObject serverInfo(Revision revision, const Catalogue &catalogue);
// tellsOfResources: the client can be told there when one changes.
QJsonObject serverCapabilities(Revision revision, const Catalogue &catalogue, bool tellsOfResources);
QJsonObject toJson(Revision revision, const Tool &tool);
QJsonObject toJson(Revision revision, const ToolReply &reply);
QJsonObject toJson(Revision revision, const Prompt &prompt);
QJsonObject toJson(Revision revision, const Resource &resource);
QJsonObject toJson(Revision revision, const ResourceTemplate &resource);
QJsonObject toJson(const ResourceContent &content);
QJsonObject toJson(const PromptMessage &message);
QJsonObject toJson(const Completion &completion);
// text: of its state, for a person or a model; only where the revision has it.
QJsonObject toJson(Revision revision, const Task &task, const QString &text = {});
// Instead of a call's result: it has become a task.
QJsonObject becameTask(const Catalogue &catalogue, const QJsonObject &task);

// The error of a resource or a prompt. name: what was asked for.
ProtocolError protocolError(Revision revision, const Error &error, const QString &name = {});

} // namespace glovebox::mcp
