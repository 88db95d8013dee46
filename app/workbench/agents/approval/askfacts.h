// SPDX-License-Identifier: Apache-2.0
// What the record and the vault know about an ask: what the same client ran before, and what can't be granted to this run.
#pragma once

#include "engine/engine.h"

#include <QHash>

#include <optional>

namespace glovebox {

// The client's last run in the language of the ask whose code is on record as it was.
struct EarlierRun
{
    qint64 seq = 0; // of its accepted entry
    qint64 timeMicroseconds = 0;
    QByteArray code;

    bool operator==(const EarlierRun &) const = default;
};

struct AskFacts
{
    std::optional<EarlierRun> earlier;
    QHash<QString, Text> obstacles; // by the name of a secret: why it can't be lent to this run, and what helps

    bool operator==(const AskFacts &) const = default;
};

// Blocks for the log's database, and for seconds where a store of secrets doesn't answer.
AskFacts factsOf(Engine &engine, const ApprovalRequest &request);

} // namespace glovebox
