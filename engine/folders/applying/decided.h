// SPDX-License-Identifier: Apache-2.0
// Decisions of the person about changes that wait, done: applied, undone or thrown away. Each holds the run's lock meanwhile.
#pragma once

#include "engine/folders/notes.h"
#include "engine/folders/stagingplace.h"

namespace glovebox {

// Staging's functions of the same names; waiting: Staging::pending(), for what is shown and recorded.
using Pending = std::function<Result<PendingChanges>()>;
Result<ApplyReport> applyKept(const StagingPlace &place, const QString &run, const Pending &pending,
                              const Staging::Begin &begin, const ChosenChanges &chosen, const ApplyProgress &progress);
Result<ApplyReport> undoKept(const StagingPlace &place, const QString &run, const Staging::Begin &begin,
                             const ApplyProgress &progress);
Status discardKept(const StagingPlace &place, const QString &run, const Pending &pending, const Staging::Begin &begin);
// Changes of a run that can be undone. NotFound: there are none.
Result<PendingChanges> undoableOf(const StagingPlace &place, const QString &run);
// Nothing that was replaced in originals is kept any longer, but for one run's, and where applying or undoing was cut short.
void forgetReplaced(const StagingPlace &place, const QString &exceptRun);

} // namespace glovebox
