// SPDX-License-Identifier: Apache-2.0
// What `glovebox mcp` is to its client: the running workbench's endpoint where there is one, else an endpoint of its own.
#pragma once

#include "engine/mcp/protocol/wire/message.h"
#include "engine/mcp/transports/stdio.h"

#include <QHash>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace glovebox::mcp {

class Connection;

// Looks for the workbench at the first message. When it closes, calls that were under way get an error that says so; with the next
// message it is looked for again, and if it is not there an endpoint of our own takes its place for good. Either one is told of the
// client's handshake as if it had been there from the start. One thread.
class Bridge
{
public:
    using Connect = std::function<Result<UniqueFd>()>; // to the workbench

    Bridge(Server &server, Client &client, Connect connect, std::shared_ptr<DescriptorOutlet> outlet);
    ~Bridge(); // close()

    void receive(const QByteArray &line);
    void refuse(const ProtocolError &error);
    void close();

private:
    bool join();
    void tellHandshake();
    void passOn(const QByteArray &line);
    void remember(const MessageText &read, const QByteArray &line);
    void relay(int socket); // the workbench's words to the client, on a thread of its own
    void relayLine(const QByteArray &line);
    void tellLost();
    void leave();

    Server &m_server;
    Client &m_client;
    const Connect m_connect;
    const std::shared_ptr<DescriptorOutlet> m_outlet;
    QByteArray m_initialize, m_initialized; // as the client said them
    std::unique_ptr<Connection> m_own;
    UniqueFd m_socket; // to the workbench
    std::shared_ptr<DescriptorOutlet> m_workbench;
    std::mutex m_mutex; // over the next two
    QHash<QString, MessageId> m_open; // requests that the workbench has not answered
    QString m_lastWords; // of the workbench, where it said last why it serves nobody
    std::atomic<bool> m_isLost = false;
    std::jthread m_relay;
};

// Serves the client until the end of its input, or until stop can be read from. Blocks.
void serveBridge(Server &server, Client &client, Bridge::Connect connect, int input, int output, int stop);

} // namespace glovebox::mcp
