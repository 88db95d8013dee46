// SPDX-License-Identifier: Apache-2.0
// The tools of other servers that one run may call: the servers beside it, the way to them inside, and what is on record of it.
#pragma once

#include "lentsecrets.h"

namespace glovebox {

// Used by the run's thread. Does nothing for a run without tools.
class LentTools
{
public:
    // Starts the servers, and learns how the tools are called.
    Status start(const QStringList &tools, const Rooms &rooms, LiveRun &run, const std::stop_token &stop);
    // The socket at which they are called, as the shape's last, and the module that calls there as the second file, behind the code.
    void addTo(const Language &language, SandboxShape &shape, Assignment &assignment);
    // Takes the last of the sandbox's sockets, and serves it. secrets: that must not leave. log: has each call
    // before a server does. All three stay until finish().
    Status serve(std::vector<UniqueFd> &sockets, const LentSecrets &secrets, AuditLog &log, LiveRun &run);
    // Everybody inside is gone. The servers end.
    void finish() { m_broker.reset(); }
    // How many of the assignment's first files are the run's own, and no session's: its code, and the module.
    qsizetype filesOfRun() const { return m_hasModule ? 2 : 1; }

private:
    std::unique_ptr<ToolBroker> m_broker; // null: no tools
    qsizetype m_sockets = 0; // of the sandbox
    bool m_hasModule = false;
};

} // namespace glovebox
