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
    if (!m_isFinished)
        launcher::sendPacket(m_control, Writer().put(kind).put(attempt).bytes());
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
    launcher::sendPacket(m_control, Writer().put(EgressMessage::Left).put(m_left).bytes());
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
    if (takeNumber(entry.attempt)) {
        send(EgressMessage::Opened, entry.attempt);
        m_dialled.emplace(entry.attempt.id, entry);
    } else {
        ++m_left.allowed;
        ++m_leftDialled;
    }
    return entry;
}

// With the lock.
void Reporter::leaveDialled(Entry &entry)
{
    if (std::exchange(entry.isReached, true))
        return;
    if (entry.attempt.id == 0)
        --m_leftDialled;
    else
        m_dialled.erase(entry.attempt.id);
}

void Reporter::reached(Entry &entry)
{
    const std::scoped_lock lock(m_mutex);
    leaveDialled(entry);
}

// With the lock.
void Reporter::close(Entry &entry, Reason reason)
{
    using namespace std::chrono;
    Attempt &attempt = entry.attempt;
    attempt.reason = reason;
    attempt.verdict = verdictOf(reason);
    attempt.milliseconds =
        static_cast<std::uint64_t>(duration_cast<milliseconds>(steady_clock::now() - entry.since).count());
    send(EgressMessage::Ended, attempt);
}

void Reporter::ended(Entry &entry, Reason reason)
{
    Attempt &attempt = entry.attempt;
    const std::scoped_lock lock(m_mutex);
    leaveDialled(entry);
    tellIfSpent(reason);
    if (attempt.id != 0)
        return close(entry, reason);
    m_left.allowed -= verdictOf(reason) == Verdict::Allowed ? 0 : 1;
    m_left.sent += attempt.sent;
    m_left.received += attempt.received;
}

void Reporter::refused(Way way, Reason reason, std::string_view host, std::uint16_t port)
{
    refuse({.way = way, .reason = reason, .host = std::string(host), .port = port});
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

bool Reporter::isNewName(const std::string &name)
{
    const std::scoped_lock lock(m_mutex);
    if (m_names.contains(name))
        return false;
    if (m_names.size() < namesRemembered)
        m_names.insert(name);
    return true;
}

void Reporter::refusedName(Reason reason, const std::string &name)
{
    if (isNewName(name))
        refused(Way::Name, reason, name, 0);
}

void Reporter::malformedName(const std::string &name, std::string_view fault)
{
    if (isNewName(name))
        refuse({.way = Way::Name, .reason = Reason::Malformed, .host = name, .fault = std::string(fault)});
}

void Reporter::named(const Address &address, const Host &host)
{
    const std::scoped_lock lock(m_mutex);
    if (!m_isFinished && m_named.insert(host.text).second)
        launcher::sendPacket(m_control, Writer().put(EgressMessage::Named).put(toText(address)).put(host.text).bytes());
}

void Reporter::finish()
{
    const std::scoped_lock lock(m_mutex);
    for (auto &dialled : m_dialled)
        close(dialled.second, Reason::RunEnded);
    m_left.allowed -= m_leftDialled;
    tellLeft();
    launcher::sendPacket(m_control, Writer().put(EgressMessage::Finish).bytes());
    m_isFinished = true;
}

} // namespace glovebox::network
