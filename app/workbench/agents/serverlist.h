// SPDX-License-Identifier: Apache-2.0
// The person's MCP servers, and the tools of theirs that code may be let call: what `glovebox mcp servers` lists. The list is a file
// that the person writes; nothing here changes it or starts a server.
#pragma once

#include "app/workbench/shell/context.h"

#include "engine/toolservers/toolservers.h"

#include <QWidget>

class QVBoxLayout;

namespace glovebox {

class ServerList : public QWidget
{
    Q_OBJECT
public:
    ServerList(WorkbenchContext &context, QWidget *parent);

    void look(); // at the file, in the background

private:
    void show(const Result<QList<ToolServer>> &servers);
    void addServer(const ToolServer &server);

    WorkbenchContext &m_context;
    QVBoxLayout *m_column;
    std::optional<Result<QList<ToolServer>>> m_shown;
};

} // namespace glovebox
