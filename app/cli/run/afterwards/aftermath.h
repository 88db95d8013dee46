// SPDX-License-Identifier: Apache-2.0
// What a person should know after a run, in lines for the terminal.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// Why the run ended, and the option that allows more. session: the word by which commands know the run's session; empty: its id.
QString reasonLine(const RunResult &result, const QString &session = {});

// Limits that whoever started Glovebox was under, where they are lower than the run's own: nothing else tells of them. Empty: none.
QString inheritedLimitsBelow(const Limits &limits);

// What the run wanted and didn't get, and what was found in what it left: a sentence each, with the option that changes it. Of each kind
// a few; the log has all. session: as above.
QStringList aftermathOf(const RunResult &result, const CodeOfRun &code = {}, const QString &session = {});

// A sentence for a person, who would take silence about keys beside those lines for the answer that nobody looked for any. Empty: it is one.
QString doubtAboutKeys(const RunResult &result);

} // namespace glovebox
