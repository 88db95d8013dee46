// SPDX-License-Identifier: Apache-2.0
// All settings that there are.
#include "settings.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Tighter = SettingInfo::Tighter;
using Type = SettingInfo::Type;
using Range = LimitRange;

constexpr qint64 seconds(std::chrono::milliseconds duration)
{
    return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

} // namespace

QString SettingInfo::variable() const
{
    return SettingInfo::variablePrefix + QString(key).replace(u'.', u'_').toUpper();
}

const std::vector<SettingInfo> &Settings::schema()
{
    static const Limits limits;
    static const QStringList agentChoices{u"on"_s, u"asks"_s, u"off"_s}; // AgentSwitch of engine/approval
    static const QStringList stores{u"keychain"_s, u"file"_s};
    // clang-format off
    static const std::vector<SettingInfo> table = {
        {u"run.wall_seconds"_s, Type::Integer, seconds(limits.wall), 1, seconds(Range::wallMax), Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Seconds of real time that a run may take"))},
        {u"run.cpu_seconds"_s, Type::Integer, qint64(0), 0, seconds(Range::cpuMax), Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Seconds of processor time that a run may take; 0: no limit of its own"))},
        {u"run.cpu_percent"_s, Type::Integer, qint64(0), 0, Range::cpuPercentMax, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Share of the processors that a run gets, in percent of one; 0: all there "
         "are"))},
        {u"run.memory_mb"_s, Type::Integer, limits.memoryBytes / mebibyte, Range::memoryMin / mebibyte, Range::memoryMax / mebibyte, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Memory of a run in MB"))},
        {u"run.processes"_s, Type::Integer, qint64(limits.processes), Range::processesMin, Range::processesMax, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Processes and threads that a run may have at once"))},
        {u"run.output_bytes"_s, Type::Integer, limits.outputBytes, Range::outputMin, Range::outputMax, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Bytes that are kept of each output stream of a run"))},
        {u"run.disk_mb"_s, Type::Integer, limits.diskBytes / mebibyte, Range::diskMin / mebibyte, Range::diskMax / mebibyte, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Space for the files of a run in MB"))},
        {u"run.traffic_mb"_s, Type::Integer, qint64(0), 0, Range::trafficMax / mebibyte, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "MB that a run may move over the network, both ways together; 0: no limit"))},
        {u"run.bandwidth_kb"_s, Type::Integer, qint64(0), 0, Range::bandwidthMax / kibibyte, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "KB a second that a run may move over the network; 0: as fast as it goes"))},
        {u"run.strict"_s, Type::Boolean, false, 0, 0, Tighter::True,
         Text(QT_TRANSLATE_NOOP("engine", "Refuse to run when any protection is weaker than asked for"))},
        {u"run.backend"_s, Type::String, Policy().backend, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Backend that seals runs off"))},
        {u"bench.allow"_s, Type::String, QString(), 0, 0, Tighter::FewerWords,
         Text(QT_TRANSLATE_NOOP("engine", "Hosts that all runs of the workbench's tabs may reach, with spaces "
         "between them"))},
        {u"window.shortcuts"_s, Type::String, QString(), 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Keys of the window that differ from its own, such as bench.run=Ctrl+R"))},
        {u"leaks.ignore"_s, Type::String, QString(), 0, 0, Tighter::FewerWords,
         Text(QT_TRANSLATE_NOOP("engine", "Kinds of secrets that are not looked for in code and output, such as "
                                          "card-number, with spaces between them"))},
        {u"artifacts.files"_s, Type::Integer, qint64(1000), 0, 10'000, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Files that are kept of what a run leaves in /work; 0: none"))},
        {u"artifacts.total_mb"_s, Type::Integer, qint64(100), 1, 65'536, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "MB of files that are kept of what a run leaves in /work, all together"))},
        {u"engine.max_concurrent"_s, Type::Integer, qint64(0), 0, 256, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Most runs at the same time; 0: one for each core of the processor"))},
        {u"engine.queue_limit"_s, Type::Integer, qint64(256), 1, 65536, Tighter::Lower,
         Text(QT_TRANSLATE_NOOP("engine", "Runs that may wait for others to end"))},
        {u"engine.upstream_proxy"_s, Type::String, QString(), 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Proxy that the allowed connections of runs go through, as "
         "http://HOST:PORT; empty: none"))},
        {u"packages.index"_s, Type::String, u"https://pypi.org/simple"_s, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Package index that Python packages are installed from, as "
         "https://HOST/simple"))},
        {u"packages.wheels"_s, Type::String, QString(), 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Folder of this machine with wheels, which Python packages are installed from "
         "besides the index; empty: none")), {}, true},
        {u"packages.npm_index"_s, Type::String, u"https://registry.npmjs.org"_s, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Registry that Node.js packages are installed from, as https://HOST"))},
        {u"mcp.paused"_s, Type::Boolean, false, 0, 0, Tighter::True,
         Text(QT_TRANSLATE_NOOP("engine", "Nothing that agents ask for starts"))},
        {u"mcp.run_code"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of run_code, within the usual limits: on, asks (you, each "
         "time) or off")), agentChoices},
        {u"mcp.wait_run"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of wait_run: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.cancel_run"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of cancel_run: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.explain_run"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of explain_run: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.sandbox_info"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of sandbox_info: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.session"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of session: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.files"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of files: on, asks (you, each time) or off")), agentChoices},
        {u"mcp.install_packages"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Agents' calls of install_packages, and packages of run_code: on, asks (you, each "
         "time) or off")), agentChoices},
        {u"mcp.hosts"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Hosts that agents ask for: on (all are granted), asks (you) or off (all "
         "are refused)")), agentChoices},
        {u"mcp.secrets"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Secrets that agents ask for: on (all are given), asks (you) or off (all "
         "are refused)")), agentChoices},
        {u"mcp.folders"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Folders that agents ask for: on (all are granted), asks (you) or off (all "
         "are refused)")), agentChoices},
        {u"mcp.limits"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "More than the usual limits for agents: on (granted), asks (you) or off "
         "(refused)")), agentChoices},
        {u"mcp.packages"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Packages that agents want to install: on (all are installed), asks (you) or off "
         "(all are refused)")), agentChoices},
        {u"mcp.tools"_s, Type::String, u"asks"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Tools of your MCP servers that agents' code wants to call: on (all on the list), "
         "asks (you) or off (none)")), agentChoices},
        {u"mcp.elicitation"_s, Type::String, u"on"_s, 0, 0, Tighter::LaterChoice,
         Text(QT_TRANSLATE_NOOP("engine", "Without the workbench and a terminal, agents ask you in their own windows, "
         "never about runs with secrets or folders: on or off")), {u"on"_s, u"off"_s}},
        {u"mcp.workbench"_s, Type::Boolean, false, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "While the workbench is open, agents' code runs there, and what wants more "
         "is asked there"))},
        {u"mcp.runs_at_once"_s, Type::Integer, qint64(8), 0, 256, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Runs that one agent may have going on; 0: any number"))},
        {u"mcp.runs_a_minute"_s, Type::Integer, qint64(600), 0, 1'000'000, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Runs that one agent may start in a minute; 0: any number"))},
        {u"mcp.unpaired_at_once"_s, Type::Integer, qint64(32), 0, 256, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Runs that all agents without a pairing together may have going on; 0: any "
         "number"))},
        {u"mcp.unpaired_a_minute"_s, Type::Integer, qint64(2400), 0, 1'000'000, Tighter::LowerOrZeroLoosest,
         Text(QT_TRANSLATE_NOOP("engine", "Runs that all agents without a pairing together may start in a minute; 0: "
         "any number"))},
        {u"vault.store"_s, Type::String, u"keychain"_s, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Where new secrets are kept: keychain, or file (with a passphrase)")), stores},
        {u"vault.signing_key"_s, Type::String, u"file"_s, 0, 0, Tighter::Unordered,
         Text(QT_TRANSLATE_NOOP("engine", "Where the signing key is made at the first start, once and for all: file, "
         "or keychain")), stores},
    };
    // clang-format on
    return table;
}

} // namespace glovebox
