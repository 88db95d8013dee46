// SPDX-License-Identifier: Apache-2.0
// What the engine and glovebox-port say to each other. The spec goes in once, in a sealed memfd; later the tokens of further links. End
// of file on the control socket ends glovebox-port, and with it every connection.
#pragma once

#include "engine/launcher/wire.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace glovebox::network {

constexpr std::uint32_t portVersion = 1; // raised with every change here

// Descriptors that glovebox-port is started with.
constexpr int portControlFd = 3;
constexpr int portSpecFd = 4;
constexpr int portListenerFd = 5;
constexpr int portFirstConnectorFd = 6; // for IPv4, then those for IPv6; behind them it opens what sockettable.h reads

struct PortSpec
{
    std::string host; // the only one that requests may name, in lower case
    std::uint16_t outerPort = 0; // of the listener
    std::uint16_t innerPort = 0; // of 127.0.0.1 and ::1 in the run
    std::string cookie; // the value by which a browser is known
    std::uint16_t connectors = 0; // for IPv4
    std::uint16_t connectors6 = 0;

    static void fields(auto &self, auto &archive)
    {
        archive(self.host, self.outerPort, self.innerPort, self.cookie, self.connectors, self.connectors6);
    }
    std::string encode() const { return launcher::Writer().put(portVersion).put(*this).bytes(); }
    bool decode(std::string_view text)
    {
        launcher::Reader in(text);
        std::uint32_t version = 0;
        in(version, *this);
        return in.done() && version == portVersion;
    }
};

enum class PortMessage : std::uint8_t {
    Ready = 1, // u32 version, string problem (empty: sealed, and read back)
    Link, // to glovebox-port, string: a token that is good for one request; answered by Link
};

} // namespace glovebox::network
