// SPDX-License-Identifier: Apache-2.0
// What a run wanted and didn't get, in sentences that a model can act on.
#pragma once

#include "seenrun.h"

namespace glovebox::mcp {

struct Denial
{
    QString what; // "network: example.org:443"
    QString why;
    QString how; // what the next request should ask for, or what the person would have to do

    bool operator==(const Denial &) const = default;
};

constexpr qsizetype denialsMax = 20; // in one answer

// Each once, in the order in which they happened; how the run ended comes first. At most denialsMax.
QList<Denial> denialsOf(const SeenRun &run);

QJsonObject toJson(const Denial &denial); // {"what","why","how"}

} // namespace glovebox::mcp
