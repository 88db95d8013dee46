// SPDX-License-Identifier: Apache-2.0
// Tools of other MCP servers, as far as they can be spoken of without a server.
#pragma once

#include "engine/base/base.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace glovebox {

constexpr qsizetype allowedToolsMax = 64; // of one run

// A tool as a run names it: "SERVER.TOOL". The server's name is the person's, the tool's is the server's.
struct ToolName
{
    QString server;
    QString tool;

    QString text() const { return server + u'.' + tool; }
    bool operator==(const ToolName &) const = default;
};

// A lower-case letter, then up to 31 lower-case letters, digits and "_": a name in every language, and the dot ends it.
bool isToolServerName(const QString &name);
// Up to 128 letters, digits, "_", "-", "." and "/" of ASCII (Model Context Protocol, 2025-11-25, Tool Names).
bool isToolName(const QString &name);
// InvalidInput with a sentence.
Result<ToolName> toolNameFrom(const QString &text);
// The same of all, each only once; no more than allowedToolsMax.
Status checkToolNames(const QStringList &tools);

// What a server says of a tool. Text of the server's: nothing in it is to be believed, or to be shown without escapes.
struct OfferedTool
{
    ToolName name;
    QString description;
    QJsonObject inputSchema; // JSON Schema of its arguments

    bool operator==(const OfferedTool &) const = default;
};

} // namespace glovebox
