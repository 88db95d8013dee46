// SPDX-License-Identifier: Apache-2.0
// A catalogue of two tools, for tests of what is between them and a client.
#pragma once

#include "engine/mcp/mcp.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

// A tool that waits until its call is cancelled, and says so.
inline std::atomic<int> waiting = 0, cancelled = 0;

inline Result<ToolReply> waitForCancel(const Call &call)
{
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    ++waiting;
    never.wait(lock, call.stop(), [] { return false; });
    ++cancelled;
    return ToolReply{.text = u"too late"_s};
}

inline Result<ToolReply> pause(const Call &)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return ToolReply{.text = u"done"_s};
}

inline Result<ToolReply> echo(const Call &call)
{
    call.progress(1, u"half"_s);
    call.progress(1, 2, u"whole"_s);
    return ToolReply{.structured = call.arguments()};
}

inline QJsonObject schema(QJsonObject properties)
{
    return {{u"type"_s, u"object"_s}, {u"properties"_s, properties}, {u"additionalProperties"_s, false}};
}

inline Catalogue testCatalogue()
{
    const QJsonObject number{{u"type"_s, u"integer"_s}, {u"minimum"_s, 1}, {u"maximum"_s, 9}};
    return {.name = u"test"_s,
            .title = u"Test"_s,
            .version = u"1"_s,
            .instructions = u"None."_s,
            .tools = {{.name = u"echo"_s,
                       .title = u"Echo"_s,
                       .description = u"Repeats."_s,
                       .inputSchema = schema({{u"n"_s, number}}),
                       .outputSchema = {{u"type"_s, u"object"_s}},
                       .annotations = {{u"readOnlyHint"_s, true}},
                       .run = echo},
                      {.name = u"wait"_s,
                       .title = {},
                       .description = u"Waits."_s,
                       .inputSchema = schema({}),
                       .outputSchema = {},
                       .annotations = {},
                       .run = waitForCancel},
                      {.name = u"pause"_s,
                       .title = {},
                       .description = u"Takes a while."_s,
                       .inputSchema = schema({}),
                       .outputSchema = {},
                       .annotations = {},
                       .run = pause}},
            .prompts = {},
            .templates = {},
            .listResources = {},
            .readResource = {},
            .complete = {}};
}

} // namespace glovebox::mcp
