// SPDX-License-Identifier: Apache-2.0
// Keeps the files that a run left in its workspace.
#pragma once

#include "engine/run/grants/lentsecrets.h"

namespace glovebox {

// Into the store and the result; what isn't kept, and what is withheld, is an event. By the run's thread, when every process of the run
// is gone. Limits are the settings'.
void keepLeftFiles(LeftFiles left, const Rooms &rooms, const LentSecrets &secrets, LiveRun &run, RunResult &result);

// What it left in its home, by an event, where it could have left that in /work to be kept. shown: below its home, folders of the person.
void tellHome(int home, const QList<QByteArray> &shown, const RunRequest &request, const Settings &settings,
              const LentSecrets &secrets, LiveRun &run);

} // namespace glovebox
