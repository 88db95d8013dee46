// SPDX-License-Identifier: Apache-2.0
// A client at the other end of two descriptors, such as standard input and output: a message a line.
#pragma once

#include "engine/base/base.h"
#include "engine/mcp/protocol/wire/message.h"
#include "engine/mcp/protocol/wire/outlet.h"

#include <atomic>
#include <functional>
#include <mutex>

namespace glovebox::mcp {

class Client;
class Server;

// Writes lines to a descriptor. What can't be written, since nobody reads any more, is dropped; then gone() is told.
class DescriptorOutlet : public Outlet
{
public:
    explicit DescriptorOutlet(int descriptor); // stays the caller's

    void send(const QByteArray &message, Sending what) override;
    // From now on nobody waits longer than a second for the client to read.
    void hurry() { m_hurries = true; }

private:
    bool writeAll(QByteArrayView bytes);

    const int m_descriptor;
    std::mutex m_mutex;
    std::atomic<bool> m_hurries = false;
    bool m_isSocket = false;
    bool m_isBroken = false;
};

// Gives take each line of input, or that one was too long, until the end of input, until stop can be read from, or until the outlet's
// client is gone. stop: -1: none.
void readLines(int input, int stop, const Outlet &outlet, const std::function<void(const Answer<QByteArray> &)> &take);

// Serves the client until the end of input, or until stop can be read from; then cancels what is under way. Blocks. stop: -1: none.
void serveStream(Server &server, Client &client, int input, int output, int stop = -1);

} // namespace glovebox::mcp
