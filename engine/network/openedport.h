// SPDX-License-Identifier: Apache-2.0
// A port of a run, opened to browsers on this machine: a listener on 127.0.0.1 with a name of its own, served by glovebox-port.
//
// The name ends in .localhost, which browsers take for this machine (RFC 6761), and is never used again: cookies belong to a name,
// whatever the port, so that code in the run gets none of other servers here, and can set none for them.
#pragma once

#include "ownports.h"

#include "engine/base/base.h"

#include <memory>
#include <vector>

namespace glovebox {

// TCP sockets of the run's network, one of each for a connection at once.
struct PortSockets
{
    std::vector<UniqueFd> internet;
    std::vector<UniqueFd> internet6; // empty: this machine has no IPv6
};

struct PortToOpen
{
    QString libexec; // the folder of glovebox-port
    QString runtime; // the folder of Glovebox's sockets
    HostIdentity identity; // whom glovebox-port belongs to if the engine is root's
    quint16 port = 0; // of the server in the run, at 127.0.0.1 or ::1
    std::shared_ptr<const PortSockets> sockets; // of nobody else; unconnected again when the port is closed
};

// Used by one thread. The destructor closes the port, with all its connections.
class OpenedPort
{
public:
    // Blocks until glovebox-port has sealed itself, at most 10 s.
    static Result<std::unique_ptr<OpenedPort>> open(PortToOpen wanted);
    ~OpenedPort();
    OpenedPort(const OpenedPort &) = delete;
    OpenedPort &operator=(const OpenedPort &) = delete;

    quint16 port() const { return m_port; }
    QString address() const { return m_address; } // "http://3f2a90c1d4e5.localhost:40123/"; says 403 without a link
    // One that a browser can open once. Blocks for 2 s at most.
    Result<QString> newLink();
    // Readable when glovebox-port has ended by itself.
    int descriptor() const { return m_program.channel(); }

private:
    OpenedPort() = default;
    Status waitUntilReady();

    quint16 m_port = 0;
    QString m_address;
    std::unique_ptr<OwnPort> m_own; // no run reaches it
    std::shared_ptr<const PortSockets> m_sockets; // which glovebox-port has, too
    OwnProgram m_program;
};

} // namespace glovebox
