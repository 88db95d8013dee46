// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp`: the engine for programs that speak the Model Context Protocol, over standard input and output, or over HTTP.
#include "clientcommands.h"
#include "clientenvironment.h"
#include "httpservice.h"

#include "app/cli/asking/terminalapprover.h"
#include "app/cli/command.h"

#include "engine/mcp/mcp.h"

#include <QDir>

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

int stopWriteEnd = -1; // written to by a signal's handler

void stopBySignal(int /*number*/)
{
    const int reason = errno;
    std::ignore = ::write(stopWriteEnd, "", 1);
    errno = reason;
}

// Readable once the program is to end: closing terminals and service managers say so by a signal.
Result<UniqueFd> stopWithSignals()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return fail(ErrorCode::Unavailable, "No pipe can be made: %1. Close other programs, and try again.",
                    {errnoText(errno)});
    stopWriteEnd = ends[1]; // stays open until the program ends
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        if (std::signal(number, stopBySignal) == SIG_IGN && number == SIGHUP)
            std::signal(number, SIG_IGN); // nohup(1): it is to outlive its terminal
    }
    std::signal(SIGPIPE, SIG_IGN);
    return UniqueFd(ends[0]);
}

// Whoever started this program is the client.
Caller clientCaller()
{
    Caller caller{.kind = Caller::Kind::Mcp, .pid = ::getppid(), .program = {}, .claimed = {}};
    caller.program = programOfProcess(caller.pid);
    caller.way = Caller::Way::Stdio;
    caller.connection = newId(Clock::system());
    caller.folder = QDir::currentPath();
    return caller;
}

Result<AgentSwitches> readRules()
{
    ASSIGN_OR_RETURN(const Paths paths, pathsForClient());
    ASSIGN_OR_RETURN(const auto settings, settingsForClient(paths));
    return agentSwitches(*settings);
}

QString wordsForClient(const ApprovalRequest &request)
{
    const auto paths = Paths::standard();
    return questionInClient(request, paths ? movedHome(*paths) : QString());
}

Result<std::unique_ptr<Engine>> openEngineFor(const Caller &caller, const std::shared_ptr<Approver> &approver)
{
    EngineConfig config;
    config.approver = approver;
    ASSIGN_OR_RETURN(config.paths, pathsForClient());
    ASSIGN_OR_RETURN(config.settings, settingsForClient(config.paths));
    config.caller = caller;
    config.keepsWarm = true;
    config.runsSoon = true;
    return Engine::open(std::move(config));
}

int serveMcp(const Arguments &arguments)
{
    const HttpPlaces places{arguments.value("--http"), arguments.value("--http-socket")};
    if (const auto client = arguments.value("--print-config")) {
        const auto address = addressOf(places);
        return address ? printClientEntry(*client, *address) : sayUsage(address.error(), u"mcp"_s);
    }
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"mcp\" takes options only."_s, u"mcp"_s);
    const auto stop = stopWithSignals();
    if (!stop)
        return sayFailure(stop.error());
    const auto approver = arguments.has("--ask") ? std::make_shared<TerminalApprover>() : nullptr;
    if (places.isAny())
        return serveHttp(
            places, [&] { return openEngineFor(thisProgram(), approver); }, approver && approver->canAsk(),
            stop->get());
    const auto throughClient = approver ? nullptr : std::make_shared<mcp::ClientApprover>(wordsForClient);
    const std::shared_ptr<Approver> asking = approver ? std::shared_ptr<Approver>(approver) : throughClient;
    mcp::Client client(clientCaller(), {}, throughClient);
    mcp::Server server(mcp::gloveboxCatalogue(), [&] { return openEngineFor(client.caller, asking); }, readRules);
    // With --ask the person is at this terminal, not at the workbench, which would not know either what this environment tightens.
    const auto workbench = [isWanted = !approver && !environmentTightens()]() -> Result<UniqueFd> {
        if (!isWanted)
            return fail(ErrorCode::NotFound, "The workbench is not asked.", {});
        ASSIGN_OR_RETURN(const Paths paths, Paths::standard());
        return mcp::connectToLocal(mcp::socketFile(paths));
    };
    mcp::serveBridge(server, client, workbench, STDIN_FILENO, STDOUT_FILENO, stop->get());
    return 0;
}

} // namespace

Command mcpCommand()
{
    return {
        .name = u"mcp"_s,
        .summary = u"let a program run code here over the Model Context Protocol"_s,
        .synopsis = u"[--ask] [--http [PORT]] [--http-socket [PATH]] [--print-config CLIENT]"_s,
        .options = {{"--ask", "",
                     u"ask on the terminal about requests beyond the settings, instead of refusing them"_s},
                    {"--http", "[PORT]",
                     u"serve paired clients over HTTP on 127.0.0.1 instead; 0 is a free port [default: 8737]"_s},
                    {"--http-socket", "[PATH]",
                     u"the same on a unix socket [default: http.sock in Glovebox's runtime folder]"_s},
                    {"--print-config", "CLIENT",
                     u"print the entry that makes CLIENT start this, or with --http connect to it [default: serve]"_s}},
        .details =
            uR"(Speaks the protocol on standard input and output, a message a line, and ends with its input. Editors and
assistants start this command, not people.

With --http or --http-socket it serves Streamable HTTP until Ctrl+C, which stops all runs. At a question of --ask,
Ctrl+C denies that run instead. Only programs on this machine that show the token of a pairing are answered:
"glovebox mcp pair NAME" prints one. The folder of the socket is yours alone (0700), and other users are refused there.

With --http and --ask, a program can ask to be paired. The program opens a page in your browser, and
you answer on this terminal.

The environment of this program can only ask for less than the settings grant.
Settings in the folder that it was started in, or in a repository, are refused.

Examples:
  glovebox mcp pair my-editor
  glovebox mcp --http --ask
)"_s,
        .run = serveMcp,
    };
}

} // namespace glovebox
