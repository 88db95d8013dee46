// SPDX-License-Identifier: Apache-2.0
// What the person set for all agents: which tools these may call, and what they may have without a question.
#pragma once

#include "engine/approval/wants.h"
#include "engine/settings/settings.h"

#include <QHash>

#include <optional>

namespace glovebox {

enum class AgentSwitch {
    On, // without a question
    Asks, // unless the person answered for longer than once
    Off, // refused, whatever was answered before
};

// As the settings have them.
template<>
inline constexpr auto enumNames<AgentSwitch> = namesOf<AgentSwitch>({
    {AgentSwitch::On, "on"},
    {AgentSwitch::Asks, "asks"},
    {AgentSwitch::Off, "off"},
});

struct AgentSwitches
{
    bool arePaused = false; // nothing of agents starts
    QHash<QString, AgentSwitch> switches; // by the keys of the settings ("mcp.run_code", "mcp.hosts")

    AgentSwitch ofTool(const QString &name) const; // one without a setting is on
    AgentSwitch ofWant(const Want &want) const; // a kind without a setting asks
    bool mayAskThroughClients() const; // the person, where neither the workbench nor a terminal can

    bool operator==(const AgentSwitches &) const = default;
};

// The tool that starts runs.
inline constexpr QLatin1StringView runTool("run_code");
// The tool that installs packages, of which run_code's packages are asked about, too.
inline constexpr QLatin1StringView installTool("install_packages");

AgentSwitches agentSwitches(const Settings &settings);
QString switchOfTool(const QString &name); // the key of its setting

// Why nothing of agents starts while the person has paused them.
Text agentsPaused();
// Why a client may not do this, in a sentence that its model can act on; empty: the rules refuse nothing of it. Asks and grants are
// not looked at. tool: that is called.
std::optional<Text> refusalOf(const AgentSwitches &rules, const QString &tool, const QList<Want> &wants);

} // namespace glovebox
