// SPDX-License-Identifier: Apache-2.0
#include "serverlist.h"

#include "app/workbench/shell/look.h"
#include "approval/askwords.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostWords = 300; // characters of a command or of an argument's values; the file has the rest

} // namespace

ServerList::ServerList(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_column(columnIn(this, Space::s, {0, Space::l, 0, 0}))
{
    setObjectName(u"agents.servers"_s);
}

void ServerList::look()
{
    inBackground(
        m_context.pool(), this, [file = m_context.paths().toolServersFile()] { return readToolServers(file); },
        [this](const Result<QList<ToolServer>> &servers) {
            if (m_shown != servers) // what the person selects in it stays
                show(servers);
            m_shown = servers;
        });
}

void ServerList::show(const Result<QList<ToolServer>> &servers)
{
    clearLayout(m_column);
    m_column->addWidget(makeLabel(tr("Tools of your MCP servers"), this, FontRole::Strong));
    m_column->addWidget(makeLabel(servers && !servers->isEmpty()
                                      ? tr("A server runs outside of the sandbox, for one run. Code gets the tools "
                                           "that the run names, of those in this file:")
                                      : tr("Code may call tools of MCP servers that you write into this file. The "
                                           "manual of glovebox mcp has an example:"),
                                  this, FontRole::Base, Colour::Dim));
    auto *path = makeLabel(m_context.paths().toolServersFile(), this, FontRole::Code, Colour::Dim);
    markAsData(path);
    m_column->addWidget(path);
    if (!servers) {
        m_column->addWidget(makeLabel(translated(servers.error().message), this, FontRole::Base, Colour::Bad));
        return;
    }
    for (const ToolServer &server : *servers)
        addServer(server);
}

void ServerList::addServer(const ToolServer &server)
{
    auto *name = makeLabel(plainWord(server.name), this, FontRole::Strong);
    markAsData(name);
    m_column->addWidget(name);
    auto *command = makeLabel(plainWord(server.command.join(u' ')).left(mostWords), this, FontRole::Code, Colour::Dim);
    markAsData(command);
    m_column->addWidget(command);
    for (const ToolRule &rule : server.tools) {
        const QString tool = plainWord(ToolName{server.name, rule.tool}.text());
        auto *line =
            makeLabel(rule.only.isEmpty()
                          ? tr("May be called: %1").arg(tool)
                          : tr("May be called: %1, only with %2").arg(tool, plainWord(rule.limits()).left(mostWords)),
                      this);
        m_column->addWidget(line);
    }
    if (server.tools.isEmpty())
        m_column->addWidget(
            makeLabel(tr("No tool is in the file yet. To see the server's tools: glovebox mcp servers %1")
                          .arg(plainWord(server.name)),
                      this, FontRole::Base, Colour::Dim));
}

} // namespace glovebox
