// SPDX-License-Identifier: Apache-2.0
#include "tooleditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/roles.h"
#include "app/workbench/shell/words/words.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostWords = 300; // characters of what arguments may be; the file has the rest

QString nameOf(const ToolServer &server, const ToolRule &rule)
{
    return ToolName{server.name, rule.tool}.text();
}

} // namespace

ToolEditor::ToolEditor(Theme &theme, QWidget *anchor, const QStringList &tools, const ListedServers &servers,
                       const QString &refusal)
    : Popover(theme, anchor, u"bench.tools"_s, tr("Tools of MCP servers"), 560)
    , m_tools(tools)
    , m_servers(servers)
    , m_list(new QWidget(this))
    , m_remark(makeLabel({}, this, FontRole::Small, Colour::Warn))
    , m_way(makeButton(tr("Open the Agents page"), u"bench.tools.agents"_s, this))
{
    content()->addWidget(makeLabel(tr("Tools of MCP servers"), this, FontRole::Strong));
    content()->addWidget(
        makeLabel(tr("Code calls the tools that you choose here as functions of the module "
                     "glovebox_tools. The server runs outside of the sandbox, for one run. Each call is "
                     "checked and logged. Code can tell a tool whatever it knows."),
                  this, FontRole::Base, Colour::Dim));
    columnIn(m_list, Space::xs);
    content()->addWidget(m_list);
    m_remark->setObjectName(u"bench.tools.remark"_s);
    content()->addWidget(m_remark);
    setLook(m_way, ButtonLook::Link);
    content()->addWidget(m_way, 0, Qt::AlignLeading);
    connect(m_way, &QPushButton::clicked, this, [this] {
        close(false);
        Q_EMIT agentsPageWanted();
    });
    setRefusal(refusal);
    showServers();
    open(m_boxes.isEmpty() ? static_cast<QWidget *>(m_way) : m_boxes.first());
}

void ToolEditor::setServers(const ListedServers &servers)
{
    if (servers == m_servers)
        return;
    m_servers = servers;
    const bool hadFocus = m_list->isAncestorOf(focusWidget()) || m_way->hasFocus();
    if (hadFocus)
        m_way->setFocus(Qt::PopupFocusReason); // who loses it elsewhere is closed
    showServers();
    if (hadFocus && !m_boxes.isEmpty())
        m_boxes.first()->setFocus(Qt::PopupFocusReason);
}

void ToolEditor::setRefusal(const QString &refusal)
{
    showText(m_remark, refusal.isEmpty() ? QString() : u"▲ "_s + refusal);
}

void ToolEditor::showServers()
{
    clearLayout(m_list->layout());
    m_boxes.clear();
    const auto say = [this](const QString &sentence, Colour colour) {
        auto *label = makeLabel(sentence, m_list, FontRole::Base, colour);
        label->setObjectName(u"bench.tools.state"_s);
        m_list->layout()->addWidget(label);
    };
    const QList<ToolServer> servers = m_servers && *m_servers ? **m_servers : QList<ToolServer>();
    QStringList listed;
    for (const ToolServer &server : servers) {
        for (const ToolRule &rule : server.tools)
            listed.append(nameOf(server, rule));
    }
    if (!m_servers)
        say(tr("Reading the list of your MCP servers…"), Colour::Dim);
    else if (!*m_servers)
        say(translated(m_servers->error().message), Colour::Warn);
    else if (listed.isEmpty())
        say(tr("The list of your MCP servers has no tool that code may call."), Colour::Text);
    for (const ToolServer &server : servers) {
        for (const ToolRule &rule : server.tools)
            addTool(nameOf(server, rule),
                    rule.only.isEmpty() ? QString() : tr("only with %1").arg(rule.limits().left(mostWords)),
                    Colour::Dim);
    }
    // To be taken back.
    for (const QString &tool : std::as_const(m_tools)) {
        if (m_servers && !listed.contains(tool))
            addTool(tool, *m_servers ? tr("no longer on the list") : QString(), Colour::Warn);
    }
}

void ToolEditor::addTool(const QString &tool, const QString &remark, Colour colour)
{
    auto *box = new QCheckBox(tool, m_list);
    setFontRole(box, FontRole::Code);
    box->setProperty(roles::data, true); // a name
    setNames(box, u"bench.tools.tool%1"_s.arg(m_boxes.size() + 1), tool, remark.isEmpty() ? tool : remark);
    box->setAccessibleDescription(remark);
    box->setChecked(m_tools.contains(tool));
    m_list->layout()->addWidget(box);
    if (!remark.isEmpty()) {
        auto *label = makeLabel(remark, m_list, FontRole::Small, colour);
        label->setContentsMargins(Space::l, 0, 0, Space::xs); // below the words of the box
        m_list->layout()->addWidget(label);
    }
    connect(box, &QCheckBox::clicked, this, [this, tool](bool called) { choose(tool, called); });
    m_boxes.append(box);
}

// Taken when it makes sense; else what was chosen before stays.
void ToolEditor::choose(const QString &tool, bool called)
{
    QStringList tools = m_tools;
    tools.removeAll(tool);
    if (called)
        tools.append(tool);
    if (const Status sound = checkToolNames(tools); !sound) {
        setRefusal(translated(sound.error().message));
        for (QCheckBox *box : std::as_const(m_boxes))
            box->setChecked(m_tools.contains(box->text()));
        return;
    }
    m_tools = tools;
    Q_EMIT chosen(m_tools);
}

QString whyNotCalled(const QStringList &tools, const ListedServers &servers, const QString &language)
{
    if (tools.isEmpty())
        return {};
    if (const auto known = Languages::byId(language); known && !(*known)->toolModule({}, 0))
        return ToolEditor::tr("Code in %1 can't call tools of servers.").arg((*known)->name());
    if (!servers)
        return {};
    if (!*servers)
        return translated(servers->error().message);
    const auto needed = serversOfTools(**servers, tools);
    return needed ? QString() : translated(needed.error().message);
}

QString toolsPhrase(const QStringList &tools)
{
    if (tools.isEmpty())
        return ToolEditor::tr("no tools", "what a run may use");
    return tools.size() == 1 ? ToolEditor::tr("tool %1", "what a run may use").arg(tools.first())
                             : ToolEditor::tr("%Ln tool(s)", "", int(tools.size()));
}

} // namespace glovebox
