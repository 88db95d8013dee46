// SPDX-License-Identifier: Apache-2.0
// The tools of other servers that one run may call: the servers beside it, the way to them inside, and what is on record of it.
#pragma once

#include "lentsecrets.h"

namespace glovebox {

// Used by the run's thread. Does nothing for a run without tools. A cell without tools has a broker, too, as code of earlier cells may
// call.
class LentTools
{
public:
    // Starts the servers, and learns how the tools are called.
    Status start(const RunRequest &request, const Rooms &rooms, LiveRun &run, const std::stop_token &stop);
    // Adds the socket at which they are called as the shape's last.
    void addTo(const Language &language, SandboxShape &shape);
    // The module that calls there; nothing: no tools.
    const std::optional<InnerFile> &module() const { return m_module; }
    // That socket, which is the last of the sandbox's. Invalid: there is none.
    UniqueFd takeSocket(std::vector<UniqueFd> &sockets) const;
    // secrets: that must not leave. log: has each call before a server does. All three stay until finish().
    Status serve(UniqueFd socket, const LentSecrets &secrets, AuditLog &log, LiveRun &run);
    // Calls that are under way fail, and further ones are refused.
    void cancelCalls();
    // A cell has ended: whatever code of its interpreter calls from now on is refused.
    void close();
    // Everybody inside is gone, or stands still. The servers end.
    void finish() { m_broker.reset(); }
    // How many of the assignment's first files are the run's own, and no session's: its code, and the module.
    qsizetype filesOfRun() const { return m_module ? 2 : 1; }

private:
    std::unique_ptr<ToolBroker> m_broker; // null: nobody can call
    qsizetype m_sockets = 0; // of the sandbox
    std::optional<InnerFile> m_module;
};

} // namespace glovebox
