// SPDX-License-Identifier: Apache-2.0
// The command that runs the same again in a terminal.
#pragma once

#include "record.h"

namespace glovebox {

// One word for a POSIX shell, safe to paste: control characters, which terminals obey even inside of quotes, are written as
// escapes ($'...', POSIX 2024).
QString shellWord(const QByteArray &bytes);

// "glovebox run -l python -t 5 -c '...'"; what is as usual (what the person's settings give `glovebox run`) is left out. The
// error is a sentence.
std::expected<QString, QString> commandOf(const RunRecord &record, const Limits &usual);

// What the run was given beside its limits and a terminal, which the bench doesn't give its code again by itself, as a sentence; empty:
// nothing. hasHosts: it gets its hosts.
QString notTakenAlong(const RunRecord &record, bool hasHosts);

} // namespace glovebox
