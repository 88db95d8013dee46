// SPDX-License-Identifier: Apache-2.0
// The ports of one job that are open to the person, each on record from before anybody can use it until it is closed.
#pragma once

#include "jobs.h"

#include "engine/network/network.h"

#include <memory>
#include <vector>

namespace glovebox {

// Used by the thread that serves the job's door.
class OpenPorts
{
public:
    OpenPorts(const JobRooms &rooms, Job job, Run &run);
    // Closes all, and waits until that is on record.
    ~OpenPorts();
    OpenPorts(const OpenPorts &) = delete;
    OpenPorts &operator=(const OpenPorts &) = delete;

    // A new link to a port, which is opened if it isn't yet. caller: for the log.
    Result<QString> link(quint16 port, const Caller &caller);
    // NotFound: it isn't open.
    Status close(quint16 port, const Caller &caller);
    QList<JobPort> list() const;

    // Each hangs up when there is something for look().
    std::vector<int> descriptors() const;
    // Closes what can't stay: all when the run's program has ended, and those whose program is gone. Once in lookEvery: all, when the
    // session is gone.
    void look();
    // A session can go at any time: to look that often.
    static constexpr std::chrono::milliseconds lookEvery{1000};

private:
    struct Open
    {
        std::unique_ptr<OpenedPort> port;
        std::shared_ptr<const PortSockets> sockets;
        qint64 opened = 0; // number of its entry
    };
    void end(Open &open, const Text &why, const Caller &caller);
    void closeAll(const Text &why);
    std::shared_ptr<const PortSockets> freeSockets();

    const JobRooms &m_rooms;
    const Job m_job;
    Run &m_run;
    std::chrono::steady_clock::time_point m_nextLook; // at the session
    std::vector<Open> m_open;
    std::vector<std::shared_ptr<const PortSockets>> m_free; // of ports that were closed
};

} // namespace glovebox
