// SPDX-License-Identifier: Apache-2.0
// What `glovebox run --stateful` was asked to do.
#pragma once

#include "app/cli/run/runoptions.h"

namespace glovebox {

struct CellOptions
{
    RunOptions run; // what each cell gets; its code is none of these
    QByteArrayList code; // each one cell
    QByteArrayList files; // paths; each one cell or several
    bool isTyped = false; // neither is given, and a person sits at standard input; else cells are read from there
    bool keepsGoing = false;

    bool operator==(const CellOptions &) const = default;
};

// The error is a sentence for a person.
std::expected<CellOptions, QString> cellOptions(const Arguments &arguments, bool stdinIsTerminal);

} // namespace glovebox
