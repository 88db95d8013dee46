// SPDX-License-Identifier: Apache-2.0
// The seam between the protocol and what can be read through it: resources, prompts, completion of what is typed.
#pragma once

#include "engine/mcp/tools/tool.h"

#include <optional>

namespace glovebox::mcp {

struct Resource
{
    QString uri, name, title, description, mediaType;
    std::optional<qint64> bytes; // its size

    bool operator==(const Resource &) const = default;
};

// A page of a list, and where the next begins; empty: nothing follows. The client gives next back as it is, or makes one up.
struct ResourcePage
{
    QList<Resource> resources;
    QString next;

    bool operator==(const ResourcePage &) const = default;
};

// uriTemplate: of RFC 6570.
struct ResourceTemplate
{
    QString uriTemplate, name, title, description, mediaType;

    bool operator==(const ResourceTemplate &) const = default;
};

struct ResourceContent
{
    QString uri, mediaType;
    QByteArray bytes;
    bool isText = true; // bytes are valid UTF-8; else sent as base64

    bool operator==(const ResourceContent &) const = default;
};

struct PromptArgument
{
    QString name, title, description;
    bool required = false;

    bool operator==(const PromptArgument &) const = default;
};

// content: one block in the form of the protocol, such as {"type":"text","text":"..."}.
struct PromptMessage
{
    QString role = QStringLiteral("user"); // or "assistant"
    QJsonObject content;

    bool operator==(const PromptMessage &) const = default;
};

// fill: the call's arguments() are strings, the required ones among them.
struct Prompt
{
    QString name, title, description;
    QList<PromptArgument> arguments;
    std::function<Result<QList<PromptMessage>>(const Call &call)> fill;
};

// What is being typed: the value so far of an argument of a prompt, or of a variable of a resource template.
struct CompletionQuestion
{
    enum class Of { Prompt, ResourceTemplate };
    Of of = Of::Prompt;
    QString name; // of the prompt, or the template itself
    QString argument;
    QString value; // so far
    QMap<QString, QString> others; // arguments that have been given already

    bool operator==(const CompletionQuestion &) const = default;
};

// At most 100 values are sent, with the number that there are.
struct Completion
{
    QStringList values;
    std::optional<qint64> total;
    bool hasMore = false;

    bool operator==(const Completion &) const = default;
};

} // namespace glovebox::mcp
