// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/reporter.h"

#include "engine/launcher/packet.h"

#include <bit>
#include <utility>

namespace glovebox::network {

using launcher::Writer;

namespace {

constexpr std::size_t namesRemembered = 4096;

} // namespace

// With the lock.
void Reporter::send(EgressMessage kind, const Attempt &attempt)
{
    Writer message;
    message.put(kind);
    attempt.write(message);
    launcher::sendPacket(m_control, message.bytes());
}

// With the lock. False: beyond what is told one by one.
bool Reporter::takeNumber(Attempt &attempt)
{
    if (m_last < toldOneByOne) {
        attempt.id = ++m_last;
        return true;
    }
    if (std::has_single_bit(++m_left.attempts)) // a flood is told in a few words
        tellLeft();
    return false;
}

// With the lock.
void Reporter::tellLeft()
{
    Writer message;
    message.put(EgressMessage::Left);
    m_left.write(message);
    launcher::sendPacket(m_control, message.bytes());
}

// With the lock. Once, also beyond what is told one by one.
void Reporter::tellIfSpent(Reason reason)
{
    if (reason != Reason::BudgetSpent || m_toldSpent)
        return;
    m_toldSpent = true;
    launcher::sendPacket(m_control, Writer().put(EgressMessage::Spent).bytes());
}

Reporter::Entry Reporter::opened(Way way, const Target &target)
{
    Entry entry;
    entry.attempt = {.way = way, .verdict = Verdict::Allowed, .host = target.host.text, .port = target.port};
    const std::scoped_lock lock(m_mutex);
    if (takeNumber(entry.attempt))
        send(EgressMessage::Opened, entry.attempt);
    else
        ++m_left.allowed;
    return entry;
}

void Reporter::ended(Entry &entry, Reason reason)
{
    using namespace std::chrono;
    Attempt &attempt = entry.attempt;
    const std::scoped_lock lock(m_mutex);
    tellIfSpent(reason);
    if (attempt.id == 0) {
        m_left.sent += std::exchange(attempt.sent, 0);
        m_left.received += std::exchange(attempt.received, 0);
        return;
    }
    attempt.reason = reason;
    if (reason == Reason::NotTls || reason == Reason::OtherName || reason == Reason::BudgetSpent
        || reason == Reason::Malformed)
        attempt.verdict = Verdict::Denied;
    attempt.milliseconds =
        static_cast<std::uint64_t>(duration_cast<milliseconds>(steady_clock::now() - entry.since).count());
    send(EgressMessage::Ended, attempt);
    attempt.id = 0;
}

void Reporter::refused(Way way, Verdict verdict, Reason reason, std::string_view host, std::uint16_t port,
                       std::string fault)
{
    refuse({.way = way,
            .verdict = verdict,
            .reason = reason,
            .host = std::string(host),
            .port = port,
            .fault = std::move(fault)});
}

void Reporter::malformed(Way way, std::string_view fault, const Target &target)
{
    refuse({.way = way,
            .reason = Reason::Malformed,
            .host = target.host.text,
            .port = target.port,
            .fault = std::string(fault)});
}

void Reporter::refuse(Attempt attempt)
{
    const std::scoped_lock lock(m_mutex);
    tellIfSpent(attempt.reason);
    if (takeNumber(attempt))
        send(EgressMessage::Refused, attempt);
}

void Reporter::refusedName(Reason reason, const std::string &name)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_names.contains(name))
            return;
        if (m_names.size() < namesRemembered)
            m_names.insert(name);
    }
    refused(Way::Name, Verdict::Denied, reason, name, 0);
}

void Reporter::finish()
{
    const std::scoped_lock lock(m_mutex);
    tellLeft();
    launcher::sendPacket(m_control, Writer().put(EgressMessage::Finish).bytes());
}

} // namespace glovebox::network
