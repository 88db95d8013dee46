// SPDX-License-Identifier: Apache-2.0
// Decides what the record keeps of the code of a run that asked for secrets. Their values are known long after the code has to be on disk,
// so it is held as it was written until they are: then the values are taken out of what is kept, before the run has them. Where they
// never are known (the run was denied, cancelled, killed before), nothing was lent, and it is kept as it was written.
#pragma once

#include "record.h"

#include "engine/run/live/liverun.h"

namespace glovebox {

// Accepting: puts the code into the store, or holds it there.
Status storeCode(const ContentStore &store, const AcceptedEntry &entry, const RunRequest &request);

// Used by one thread at a time.
class KeptCode
{
public:
    // run outlives it; accepted when settle() is called.
    KeptCode(const Rooms &rooms, const LiveRun &run)
        : m_rooms(rooms)
        , m_run(run)
        , m_request(run.request())
    {
    }

    // plan: null: no value is known. When this returned without an error, no value is in the code that is kept. Doesn't do what is
    // done already; not on the log's thread.
    Status settle(const ScrubPlan *plan);

private:
    Status record(const ScrubPlan *plan);

    const Rooms &m_rooms;
    const LiveRun &m_run;
    const RunRequest &m_request;
    ContentStore::Held m_held;
    bool m_isRecorded = false;
    bool m_isScrubbed = false;
    bool m_isSettled = false;
};

// Finishes what engines that are gone held, as far as they came. Reads the log only if there is anything.
void settleLeftCode(const ContentStore &store, AuditLog &log, const QString &logFile);

} // namespace glovebox
