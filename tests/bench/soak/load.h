// SPDX-License-Identifier: Apache-2.0
// The runs of a soak: every language, and the ways in which runs use what there is and end.
#pragma once

#include "engine/engine.h"

#include <functional>
#include <vector>

namespace glovebox::soak {

struct Kind
{
    const char *name;
    int weight; // of this kind in so many runs as all weights make together
    RunRequest request;
    std::optional<QByteArray> says; // on standard output, where it is told
    QList<Outcome> outcomes = {Outcome::Completed}; // each is as it should be
    std::function<void(Run &)> meanwhile; // done to it while it runs
    std::function<bool(const RunResult &)> isRight; // looks closer when it has ended
};

// folder: of the host's, empty, to grant. Adds the secret that is lent to the engine's vault. The engine has to be in the test
// internet, and outlives the kinds.
Result<std::vector<Kind>> allKinds(Engine &engine, const QString &folder);

} // namespace glovebox::soak
