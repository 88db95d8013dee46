// SPDX-License-Identifier: Apache-2.0
#include "agentswitches.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr auto keyOfPause = "mcp.paused"_L1;
constexpr auto keyOfElicitation = "mcp.elicitation"_L1;

QString switchOfKind(Want::Kind kind)
{
    switch (kind) {
    case Want::Kind::Host:
        return u"mcp.hosts"_s;
    case Want::Kind::Secret:
        return u"mcp.secrets"_s;
    case Want::Kind::Folder:
        return u"mcp.folders"_s;
    case Want::Kind::Limit:
        return u"mcp.limits"_s;
    case Want::Kind::Packages:
        return u"mcp.packages"_s;
    case Want::Kind::ServerTool:
        return u"mcp.tools"_s;
    case Want::Kind::AnyRun:
    case Want::Kind::Tool:
    case Want::Kind::Weakness:
    case Want::Kind::Backend:
        break;
    }
    return {};
}

Text kindIsOff(const Want &want)
{
    const QString words = want.words().left(200);
    switch (want.kind) {
    case Want::Kind::Host:
        return Text(QT_TRANSLATE_NOOP("engine", "The person lets agents reach no hosts (%1). Send this again without "
                                                "\"allow\", or ask them to change that."),
                    {words});
    case Want::Kind::Secret:
        return Text(QT_TRANSLATE_NOOP("engine", "The person gives agents no secrets (%1). Send this again without "
                                                "\"secrets\", or ask them to change that."),
                    {words});
    case Want::Kind::Folder:
        return Text(QT_TRANSLATE_NOOP("engine", "The person shows agents no folders (%1). Send this again without "
                                                "folders, or ask them to change that."),
                    {words});
    case Want::Kind::Packages:
        return Text(QT_TRANSLATE_NOOP("engine", "The person lets agents install no packages (%1). Do without them, or "
                                                "ask them to change that."),
                    {words});
    case Want::Kind::ServerTool:
        return Text(QT_TRANSLATE_NOOP("engine", "The person lets agents' code call no tools (%1). Send this again "
                                                "without \"tools\", or ask them to change that."),
                    {words});
    default:
        return Text(QT_TRANSLATE_NOOP("engine", "The person lets agents exceed no usual limit (%1). Send this again "
                                                "with less, or ask them to change that."),
                    {words});
    }
}

} // namespace

AgentSwitch AgentSwitches::ofTool(const QString &name) const
{
    return switches.value(switchOfTool(name), AgentSwitch::On);
}

AgentSwitch AgentSwitches::ofWant(const Want &want) const
{
    return switches.value(switchOfKind(want.kind), AgentSwitch::Asks);
}

bool AgentSwitches::mayAskThroughClients() const
{
    return switches.value(keyOfElicitation, AgentSwitch::Off) == AgentSwitch::On;
}

QString switchOfTool(const QString &name)
{
    return u"mcp."_s + name;
}

AgentSwitches agentSwitches(const Settings &settings)
{
    AgentSwitches rules{.arePaused = settings.value(keyOfPause).value.toBool(), .switches = {}};
    for (const SettingInfo &info : Settings::schema()) {
        if (info.key.startsWith("mcp."_L1) && !info.choices.isEmpty())
            rules.switches.insert(
                info.key,
                fromString<AgentSwitch>(settings.value(info.key).value.toString()).value_or(AgentSwitch::Off));
    }
    return rules;
}

Text agentsPaused()
{
    return Text(QT_TRANSLATE_NOOP("engine", "The person paused all agents. Ask them to resume agents on the Agents "
                                            "page of the workbench, then send this again."));
}

std::optional<Text> refusalOf(const AgentSwitches &rules, const QString &tool, const QList<Want> &wants)
{
    if (rules.arePaused)
        return agentsPaused();
    if (rules.ofTool(tool) == AgentSwitch::Off)
        return Text(QT_TRANSLATE_NOOP("engine", "The person turned %1 off for agents. Ask them to turn it on, on the "
                                                "Agents page of the workbench."),
                    {tool});
    for (const Want &want : wants) {
        if (rules.ofWant(want) == AgentSwitch::Off)
            return kindIsOff(want);
    }
    return std::nullopt;
}

} // namespace glovebox
