// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp servers`: the person's MCP servers, whose tools runs may be let call.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Text of a server's, in one line of a terminal.
QString harmless(const QString &text)
{
    return QString::fromUtf8(escapedLine(text.simplified().toUtf8()));
}

void printServer(const ToolServer &server)
{
    printLine(u"%1  %2"_s.arg(server.name.leftJustified(16), harmless(server.command.join(u' '))));
    for (const ToolRule &rule : server.tools)
        printLine(u"  %1"_s.arg(harmless(ToolName{server.name, rule.tool}.text()
                                         + (rule.only.isEmpty() ? QString() : u" (only %1)"_s.arg(rule.limits())))));
    if (server.tools.isEmpty())
        printLine(u"  no tool is on the list yet. To see them: glovebox mcp servers %1"_s.arg(server.name));
}

QString argumentsOf(const OfferedTool &tool)
{
    QStringList names = tool.inputSchema[u"properties"_s].toObject().keys();
    const QJsonArray required = tool.inputSchema[u"required"_s].toArray();
    for (QString &name : names)
        name = required.contains(name) ? name : u'[' + name + u']';
    return names.join(u", "_s);
}

int showTools(const Paths &paths, const ToolServer &server)
{
    const auto tools = toolsOfServer(paths.libexec, server);
    if (!tools)
        return sayFailure(tools.error());
    for (const OfferedTool &tool : *tools) {
        const bool isListed = std::ranges::find(server.tools, tool.name.tool, &ToolRule::tool) != server.tools.end();
        printLine(u"%1(%2)%3"_s.arg(tool.name.text(), harmless(argumentsOf(tool)),
                                    isListed ? u"  on the list"_s : QString()));
        if (const QString description = harmless(tool.description.left(300)); !description.isEmpty())
            printLine(u"  %1"_s.arg(description));
    }
    return 0;
}

int listServers(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"Name one server, or none."_s, u"mcp servers"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto servers = readToolServers(paths->toolServersFile());
    if (!servers)
        return sayFailure(servers.error());
    if (arguments.positional.isEmpty()) {
        for (const ToolServer &server : *servers)
            printServer(server);
        if (servers->isEmpty())
            printLine(
                u"There are no servers in %1. glovebox-mcp(1) says how to add one."_s.arg(paths->toolServersFile()));
        return 0;
    }
    const QString name = QString::fromUtf8(arguments.positional.first());
    const auto server = std::ranges::find(*servers, name, &ToolServer::name);
    if (server == servers->end())
        return sayFailure(Error{ErrorCode::NotFound,
                                Text("There is no server \"%1\". To list the servers: glovebox mcp servers", {name}),
                                {}});
    return showTools(*paths, *server);
}

} // namespace

Command mcpServersCommand()
{
    return {
        .name = u"mcp servers"_s,
        .summary = u"list your MCP servers and the tools that code may call, or all tools of one"_s,
        .synopsis = u"[NAME]"_s,
        .details =
            uR"(Lists the servers in mcp-servers.json, in Glovebox's settings folder, with the tools that "run --tool" can
name. With NAME it starts that server, outside of any sandbox, and lists all of its tools with their arguments.

Example:
  glovebox mcp servers
)"_s,
        .run = listServers};
}

} // namespace glovebox
