// SPDX-License-Identifier: Apache-2.0
// Tells the engine what the run tried: each attempt one by one up to a number, beyond it only how many there were.
#pragma once

#include "engine/network/egress/messages.h"
#include "engine/network/rules/rules.h"

#include <chrono>
#include <map>
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

    // A connection (or one request) that was granted: opened() before it is dialled, reached() when it is there, ended() at its
    // end, whatever that is; where the program ends first, finish() tells of those that were still being dialled.
    class Entry
    {
    public:
        Attempt attempt;
        std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
        bool isReached = false;
    };
    Entry opened(Way way, const Target &target);
    void reached(Entry &entry);
    void ended(Entry &entry, Reason reason = Reason::None);
    // Without being granted.
    void refused(Way way, Reason reason, std::string_view host, std::uint16_t port);
    void refused(Way way, Reason reason, const Target &target) { refused(way, reason, target.host.text, target.port); }
    // fault: of static storage. target: nothing where it could not be read.
    void malformed(Way way, std::string_view fault, const Target &target);
    // Programs ask for a name again and again: it is told once.
    void refusedName(Reason reason, const std::string &name);
    // name: nothing where none could be read. The same as for refusedName().
    void malformedName(const std::string &name, std::string_view fault);
    // What a run calls an allowed host by when it doesn't use a proxy: told once.
    void named(const Address &address, const Host &host);
    void finish();

    static constexpr std::uint64_t toldOneByOne = 1000;

private:
    void refuse(Attempt attempt);
    bool isNewName(const std::string &name);
    void send(EgressMessage kind, const Attempt &attempt);
    void close(Entry &entry, Reason reason);
    void leaveDialled(Entry &entry);
    bool takeNumber(Attempt &attempt);
    void tellLeft();
    void tellIfSpent(Reason reason);

    const int m_control;
    std::mutex m_mutex;
    std::uint64_t m_last = 0;
    std::map<std::uint64_t, Entry> m_dialled; // and not reached, of those told one by one
    std::uint64_t m_leftDialled = 0; // of the others
    Untold m_left;
    bool m_toldSpent = false;
    bool m_isFinished = false;
    std::set<std::string> m_names; // told as refused
    std::set<std::string> m_named; // at most Names::most
};

} // namespace glovebox::network
