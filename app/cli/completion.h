// SPDX-License-Identifier: Apache-2.0
// What a shell offers while somebody types, from the same table as help: `glovebox completion` prints a few lines for the shell, which
// ask `glovebox complete` at each Tab.
#pragma once

#include "command.h"

namespace glovebox {

struct Candidate
{
    QString word;
    QString meaning; // half a sentence; may be empty

    bool operator==(const Candidate &) const = default;
};

// words: what follows "glovebox", the last one still being typed. Empty: a file, or anything.
QList<Candidate> candidatesFor(const std::vector<Command> &commands, const QStringList &words);

Command completionCommand();

} // namespace glovebox
