// SPDX-License-Identifier: Apache-2.0
// Checks what --json printed against the schema that is installed, by an independent checker: python3-jsonschema, in one process for
// all outputs of a test program. Used by the thread of the tests.
#pragma once

#include <QByteArray>
#include <QStringList>

namespace glovebox {

// Whether these arguments of `glovebox` ask for JSON.
bool asksForJson(const QStringList &arguments);
// The definition in the schema of what a command prints: "audit-list", "doctor-attack".
QString definitionOf(const QStringList &arguments, int status = 0);
// Starts the checker, which takes a tenth of a second, unless it runs.
void startContractChecker();
// Everything that is wrong with the output, each with its JSON path; empty: nothing. Kinds of entries that this version doesn't write are
// wrong unless they are said to be there. Without a definition: what is wrong with the schema itself.
QString contractComplaints(const QString &definition, const QByteArray &output, bool hasOtherVersions = false);

} // namespace glovebox
