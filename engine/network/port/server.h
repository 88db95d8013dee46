// SPDX-License-Identifier: Apache-2.0
// Serves an opened port: takes connections of this machine, asks the gate, and relays what may pass to the server in the run. A connection
// carries one request, so that none comes after it unasked.
#pragma once

#include "engine/network/egress/stream.h"
#include "engine/network/port/gate.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace glovebox::network {

// Sockets of the run's network, as they are lent to connections. Thread-safe.
class ConnectorStock
{
public:
    explicit ConnectorStock(const PortSpec &spec);

    // -1: all are in use.
    int take(bool internet6);
    // Resets what was connected, and has it again.
    void giveBack(int socket, bool internet6);
    bool hasInternet6() const { return m_hasInternet6; }

private:
    const bool m_hasInternet6;
    std::mutex m_mutex;
    std::vector<int> m_free, m_free6;
};

class PortServer
{
public:
    // firstTable: of this machine's connections (sockettable.h): those of other users than this process's and root are refused. -1: nobody's
    // are.
    PortServer(PortGate &gate, int firstTable)
        : m_gate(gate)
        , m_firstTable(firstTable)
        , m_stock(gate.spec())
    {
    }
    // Until the end of file on the control socket.
    void serve();

private:
    void accept();
    bool takeLinks();
    void hold(Stream client, bool isOurs);
    bool isOfOurs(int socket) const;
    void pass(Stream &client, HttpRequest request);

    PortGate &m_gate;
    const int m_firstTable;
    ConnectorStock m_stock;
    std::atomic<int> m_open = 0; // connections
    std::atomic<int> m_openByOthers = 0;
};

} // namespace glovebox::network
