// SPDX-License-Identifier: Apache-2.0
// Which tools of the person's MCP servers the next run may call.
#pragma once

#include "app/workbench/bench/policy/editors/popover.h"

#include "engine/toolservers/toolservers.h"

#include <optional>

class QCheckBox;
class QLabel;
class QPushButton;

namespace glovebox {

// The person's list as the bench knows it; nothing: it wasn't read yet.
using ListedServers = std::optional<Result<QList<ToolServer>>>;

class ToolEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself. refusal: why a run with these tools would not start; empty: nothing is known that speaks against it.
    ToolEditor(Theme &theme, QWidget *anchor, const QStringList &tools, const ListedServers &servers,
               const QString &refusal);

    void setServers(const ListedServers &servers);
    void setRefusal(const QString &refusal);

Q_SIGNALS:
    void chosen(const QStringList &tools); // after each change
    void agentsPageWanted(); // it lists the servers, and says where the list is

private:
    void showServers();
    void addTool(const QString &tool, const QString &remark, Colour colour);
    void choose(const QString &tool, bool called);

    QStringList m_tools;
    ListedServers m_servers;
    QWidget *m_list;
    QLabel *m_remark;
    QPushButton *m_way;
    QList<QCheckBox *> m_boxes;
};

// As a sentence; empty: nothing is known that speaks against a run of this language that may call these tools.
QString whyNotCalled(const QStringList &tools, const ListedServers &servers, const QString &language);
// "no tools", "tool notes.search", "2 tools"
QString toolsPhrase(const QStringList &tools);

} // namespace glovebox
