// SPDX-License-Identifier: Apache-2.0
// Where messages to a client go: the seam between the protocol and a transport.
#pragma once

#include <QByteArray>

#include <stop_token>

namespace glovebox::mcp {

// What a message is, for transports that treat them differently. error: the code of an error response, else 0; isRefusal: the
// message was wrong as such, and no method ran.
struct Sending
{
    enum class Kind { Notification, Request, Response };
    Kind kind = Kind::Notification;
    int error = 0;
    bool isRefusal = false;

    bool operator==(const Sending &) const = default;
};

// Thread-safe. Shared by the requests that came with one message: when the last of them is answered, the outlet goes.
class Outlet
{
public:
    virtual ~Outlet() = default;
    // message: one line of JSON, without its end. May block while the client reads slowly; nothing happens when it is gone.
    virtual void send(const QByteArray &message, Sending what) = 0;
    // The client closed its end: nobody waits for the answers.
    std::stop_token gone() const { return m_gone.get_token(); }

protected:
    std::stop_source m_gone;
};

} // namespace glovebox::mcp
