// SPDX-License-Identifier: Apache-2.0
// The session that `glovebox run --session` names: for the request, and in words after the run.
#pragma once

#include "runoptions.h"

namespace glovebox {

class SessionOfRun
{
public:
    // Without --session: of none. NotFound and others of Sessions::find(); PermissionDenied: an agent's.
    static Result<SessionOfRun> find(const Sessions &sessions, const RunOptions &options);

    const Session *session() const { return m_session ? &*m_session : nullptr; } // null: none
    // The session and its hosts.
    void addTo(RunRequest &request) const;
    // Of what a run in it writes.
    qint64 diskBytes(const Policy &policy) const { return m_session ? m_session->diskBytes : policy.limits.diskBytes; }
    QString shownName() const { return m_session ? m_session->shownName() : QString(); }
    // The word by which commands know it, as typed. Empty: of no session.
    QString typed() const;
    // To be said while the run waits for another one. Empty: of no session.
    QString waitingLine() const;
    // What the run did to the session's files, and how to undo that.
    QStringList aftermath(const Sessions &sessions, const RunResult &result) const;

private:
    std::optional<Session> m_session;
    bool m_isParallel = false;
};

// Why nothing of what the run left is in its session; empty: it is, or there is none.
QString lossOfSession(const RunResult &result);

} // namespace glovebox
