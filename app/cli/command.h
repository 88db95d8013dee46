// SPDX-License-Identifier: Apache-2.0
// A subcommand of `glovebox`: what it is called, what it offers, what it does. One file a subcommand.
#pragma once

#include "options.h"
#include "terminal/console.h"

#include "engine/engine.h"

#include <functional>

namespace glovebox {

struct Command
{
    QString name; // "run", "audit list"
    QString summary; // half a sentence for the list of commands
    QString synopsis; // what follows the name
    std::vector<Option> options;
    QString details; // paragraphs and examples below the options; ends with a line break
    std::function<int(const Arguments &)> run; // returns the exit status
    OptionAdvice advice = {};

    // What `glovebox help NAME` prints, in lines of at most width characters; lines to be copied are never broken.
    QString help(int width = 80) const;
};

// The command line, as who asks.
Caller thisProgram();
// The engine in this person's folders, as the command line's.
Result<std::unique_ptr<Engine>> openEngine(EngineConfig config = {});

// Each is defined in a file of its own.
Command runCommand();
Command batchCommand();
Command doctorCommand();
Command auditListCommand();
Command auditShowCommand();
Command auditVerifyCommand();
Command auditExportCommand();
Command auditPruneCommand();
Command policyShowCommand();
std::vector<Command> settingsCommands();
std::vector<Command> profileCommands();
std::vector<Command> artifactCommands();
std::vector<Command> changesCommands();
std::vector<Command> secretCommands();
std::vector<Command> sessionCommands();
std::vector<Command> packageCommands();
Command openCommand();
Command mcpCommand();
std::vector<Command> mcpClientCommands();
std::vector<Command> mcpPairingCommands();
Command mcpServersCommand();

// All that there are, in the order in which help lists them.
std::vector<Command> allCommands();

// Finds the command that the arguments begin with and runs it; answers --help, --version and help itself.
int dispatch(const QByteArrayList &arguments);

} // namespace glovebox
