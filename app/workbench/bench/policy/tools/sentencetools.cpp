// SPDX-License-Identifier: Apache-2.0
// The tools of the sentence: who has MCP servers with tools that code may call reads which of them a run may.
#include "app/workbench/bench/policy/policysentence.h"

#include "app/workbench/shell/look.h"

#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

bool PolicySentence::showsTools() const
{
    const auto hasTools = [](const ToolServer &server) { return !server.tools.isEmpty(); };
    return !m_policy.tools.isEmpty() || (m_servers && *m_servers && std::ranges::any_of(**m_servers, hasTools));
}

void PolicySentence::setServers(const Result<QList<ToolServer>> &servers)
{
    m_servers = servers;
    if (m_toolEditor)
        m_toolEditor->setServers(m_servers);
    showTools();
}

void PolicySentence::showTools()
{
    const QStringList &tools = m_policy.tools;
    const QString refusal = whyNotCalled(tools, m_servers, m_languageId);
    QString text = toolsPhrase(tools);
    QString tip = tr("The run may call no tool of your MCP servers");
    if (!tools.isEmpty()) {
        text = u"▲ "_s + (refusal.isEmpty() ? text : tr("%1 (refused)", "tools").arg(text));
        tip = tr("The run may call: %1. This is more than the default.").arg(tools.join(tr(", ")));
    }
    if (!refusal.isEmpty())
        tip += u'\n' + tr("The run would not start: %1").arg(refusal);
    if (m_toolEditor)
        m_toolEditor->setRefusal(refusal);
    m_tools->setText(text);
    setTextColour(m_tools, tools.isEmpty() ? Colour::Text : Colour::Warn);
    setNames(m_tools, m_tools->objectName(), tip, tip);
    showInterpreter(); // one that stays can't call any
}

void PolicySentence::openTools()
{
    const auto shown = std::ranges::find_if(m_words, [this](const Word &word) { return shows(word.button); });
    auto *editor = new ToolEditor(m_theme, anchorOf(shows(m_tools) ? m_tools : shown->button), m_policy.tools,
                                  m_servers, whyNotCalled(m_policy.tools, m_servers, m_languageId));
    m_toolEditor = editor;
    connect(editor, &ToolEditor::chosen, this, [this](const QStringList &tools) {
        m_policy.tools = tools;
        showTools();
        Q_EMIT policyChanged(m_policy);
    });
    connect(editor, &ToolEditor::agentsPageWanted, this, &PolicySentence::agentsPageWanted);
    Q_EMIT serversNeeded();
}

} // namespace glovebox
