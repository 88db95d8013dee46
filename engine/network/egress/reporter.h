// SPDX-License-Identifier: Apache-2.0
// Tells the engine what the run tried: each attempt one by one up to a number, beyond it only how many there were.
#pragma once

#include "engine/network/egress/messages.h"
#include "engine/network/rules/rules.h"

#include <chrono>
#include <mutex>
#include <set>

namespace glovebox::network {

// What the run wants to reach.
struct Target
{
    Host host;
    std::uint16_t port = 0;

    bool operator==(const Target &) const = default;
};

// Thread-safe. Waits while the engine doesn't read: who stands still then is the run's network, and nothing else.
class Reporter
{
public:
    explicit Reporter(int control)
        : m_control(control)
    {
    }

    // A connection (or one request) that was granted; its end is told by ended().
    class Entry
    {
    public:
        Attempt attempt;
        std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    };
    Entry opened(Way way, const Target &target);
    void ended(Entry &entry, Reason reason = Reason::None);
    void refused(Way way, Verdict verdict, Reason reason, std::string_view host, std::uint16_t port,
                 std::string fault = {});
    void refused(Way way, Verdict verdict, Reason reason, const Target &target, std::string fault = {})
    {
        refused(way, verdict, reason, target.host.text, target.port, std::move(fault));
    }
    // fault: of static storage. target: nothing where it could not be read.
    void malformed(Way way, std::string_view fault, const Target &target);
    // Programs ask for a name again and again: it is told once.
    void refusedName(Reason reason, const std::string &name);
    void finish();

    static constexpr std::uint64_t toldOneByOne = 1000;

private:
    void refuse(Attempt attempt);
    void send(EgressMessage kind, const Attempt &attempt);
    bool takeNumber(Attempt &attempt);
    void tellLeft();
    void tellIfSpent(Reason reason);

    const int m_control;
    std::mutex m_mutex;
    std::uint64_t m_last = 0;
    Untold m_left;
    bool m_toldSpent = false;
    std::set<std::string> m_names;
};

} // namespace glovebox::network
