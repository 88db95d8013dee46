// SPDX-License-Identifier: Apache-2.0
// The addresses that a run gets for allowed names: of 198.18.0.0/15, which leads nowhere else (RFC 2544), never reused.
#pragma once

#include "engine/network/rules/host.h"

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace glovebox::network {

// Thread-safe.
class Names
{
public:
    // The same for the same name. Nothing: there are too many.
    std::optional<Address> addressOf(const Host &name);
    std::optional<Host> nameOf(const Address &address) const;
    static bool isOurs(const Address &address);

    static constexpr std::size_t most = 4096;

private:
    mutable std::mutex m_mutex;
    std::vector<Host> m_names; // the first has 198.18.0.1
    std::map<std::string, std::size_t> m_places;
};

} // namespace glovebox::network
