// SPDX-License-Identifier: Apache-2.0
// All that is offered to clients, as tables: what the protocol dispatches to. Another catalogue makes another server (tests/mcp).
#pragma once

#include "resources/resource.h"
#include "tools/tool.h"

#include <vector>

namespace glovebox::mcp {

// Fixed once a server has it. What a function blocks on is the call's own thread.
struct Catalogue
{
    QString name, title, version; // of the server
    QString instructions; // for the model, how to use it well
    std::vector<Tool> tools;
    std::vector<Prompt> prompts;
    std::vector<ResourceTemplate> templates;
    // Without these two there are no resources. cursor: empty, or a page's next. Errors: InvalidInput of the cursor, NotFound of the
    // uri, with a sentence each.
    std::function<Result<ResourcePage>(const Call &call, const QString &cursor)> listResources;
    std::function<Result<QList<ResourceContent>>(const Call &call, const QString &uri)> readResource;
    bool watchesResources = false; // tools tell of changes (Call::resourceChanged())
    // How often a resource has changed so far; nothing: there is none. Asked about every second for those that a client watches, where it
    // can be told.
    std::function<std::optional<quint64>(Client &client, const QString &uri)> changesOf;
    std::function<Result<Completion>(const Call &call, const CompletionQuestion &question)> complete; // may be missing
};

// What `glovebox mcp` offers.
Catalogue gloveboxCatalogue();

} // namespace glovebox::mcp
