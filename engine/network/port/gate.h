// SPDX-License-Identifier: Apache-2.0
// Who may speak to an opened port: a browser that once came with a link's token and has the cookie since. Decides on heads of requests,
// which any program of this machine and any page in a browser can send.
#pragma once

#include "engine/network/port/messages.h"
#include "engine/network/protocols/http/httprequest.h"

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace glovebox::network {

constexpr std::string_view portTokenField = "glovebox-token"; // in the query of a link
constexpr std::string_view portCookie = "glovebox-port";
constexpr std::size_t portLinksMost = 16; // unused ones; the oldest goes first

// Thread-safe.
class PortGate
{
public:
    explicit PortGate(PortSpec spec)
        : m_spec(std::move(spec))
    {
    }
    const PortSpec &spec() const { return m_spec; }

    void addLink(std::string token);

    // The answer that refuses the request, or that leads a browser with a link to the page without the token. Empty: it may pass, and
    // nothing in it says any more how it got here.
    std::string answer(HttpRequest &request);

private:
    bool isCookie(const HttpRequest &request) const;
    bool takeLink(std::string_view token);

    const PortSpec m_spec;
    std::mutex m_mutex;
    std::deque<std::string> m_links;
};

// "/path?a=1&glovebox-token=T" without the token, and that; empty where there is none.
std::string takePortToken(std::string &target);

} // namespace glovebox::network
