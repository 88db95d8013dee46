// SPDX-License-Identifier: Apache-2.0
// A subcommand of `glovebox`: what it is called, what it offers, what it does. One class a subcommand, one file a class.
#pragma once

#include "options.h"
#include "terminal/console.h"

#include "engine/engine.h"

namespace glovebox {

class Command
{
public:
    virtual ~Command() = default;

    virtual QString name() const = 0; // "run", "audit list"
    virtual QString summary() const = 0; // half a sentence for the list of commands
    virtual QString synopsis() const = 0; // what follows the name
    virtual std::vector<Option> options() const = 0;
    virtual QString details() const = 0; // paragraphs and examples below the options; ends with a line break

    // Returns the exit status.
    virtual int run(const Arguments &arguments) = 0;

    // What `glovebox help NAME` prints.
    QString help() const;
};

// The engine in this person's folders, as the command line's.
Result<std::unique_ptr<Engine>> openEngine(EngineConfig config = {});

// Each is defined in the file of its class.
std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeAuditListCommand();
std::unique_ptr<Command> makeAuditShowCommand();
std::unique_ptr<Command> makePolicyShowCommand();
std::vector<std::unique_ptr<Command>> makeChangesCommands();
std::vector<std::unique_ptr<Command>> makeSecretCommands();
std::unique_ptr<Command> makeOpenCommand();

// All that there are, in the order in which help lists them.
std::vector<std::unique_ptr<Command>> allCommands();

// Finds the command that the arguments begin with and runs it; answers --help, --version and help itself.
int dispatch(const QByteArrayList &arguments);

} // namespace glovebox
