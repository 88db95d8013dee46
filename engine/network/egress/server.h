// SPDX-License-Identifier: Apache-2.0
// Takes the connections of a run, a thread each, and its questions for names.
#pragma once

#include "engine/network/egress/gate.h"

#include <poll.h>

#include <atomic>
#include <span>

namespace glovebox::network {

class Server
{
public:
    Server(Gate &gate, std::vector<EgressListener> listeners)
        : m_gate(gate)
        , m_listeners(std::move(listeners))
    {
    }

    // Until the engine says Finish or is gone; then nothing goes on, and the program is to end at once.
    void serve();

    static constexpr int mostConnections = 256;

private:
    void accept(Service service, std::uint16_t port, int listener);
    void answerDatagram(int socket);
    void takeOneOfEach(std::span<const pollfd> listeners);
    void finish(std::span<pollfd> listeners);
    bool start(Service service, UniqueFd socket);

    Gate &m_gate;
    const std::vector<EgressListener> m_listeners;
    std::atomic<int> m_open = 0;
};

} // namespace glovebox::network
