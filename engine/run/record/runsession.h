// SPDX-License-Identifier: Apache-2.0
// The session that a run is in.
#pragma once

#include "engine/run/grants/lentsecrets.h"

namespace glovebox {

// The event that a run waits for its session; once.
void tellWaiting(LiveRun &run);

// Of one run, used by its thread. Does nothing for a run that is in none.
class RunSession
{
public:
    // Waits until no other run is in it, and says so in an event.
    Status open(const RunRequest &request, const Rooms &rooms, LiveRun &run, const std::stop_token &stop);
    const Session *session() const { return m_use ? &m_use->session() : nullptr; } // null: none
    // mounted: GrantedFolders::belowWorkspace().
    Status fill(const SealedProcess &process, const QList<QByteArray> &mounted, const QList<InnerFile> &given);
    // Instead, where the sandbox has the session's files of an earlier time.
    Status refresh(const SealedProcess &process, SessionTree &files);
    // The code of the run may have begun.
    void begin() { m_hasBegun = true; }
    const Stamps &untouched() const { return m_untouched; } // the session's files, as the run got them
    // workspace: when every process of the run is gone; -1: it is lost. ofRun: how many of the given files, the first ones, are no
    // session's. What became of the session is an event. Others may use the session from here on. unwanted: requested when nobody wants
    // the files.
    void keep(int workspace, const LentSecrets &secrets, const QList<InnerFile> &given, qsizetype ofRun, LiveRun &run,
              const std::stop_token &unwanted);
    // After that; nothing: the session doesn't have what is in the workspace.
    const std::optional<SessionTree> &kept() const { return m_kept; }

private:
    std::optional<SessionUse> m_use;
    bool m_getsPackages = false;
    SessionWorkspace m_workspace;
    Stamps m_untouched;
    std::optional<SessionTree> m_kept;
    bool m_hasBegun = false;
};

} // namespace glovebox
