// SPDX-License-Identifier: Apache-2.0
// Programs that said who they are, to be paired (RFC 7591): few at a time, in memory.
#pragma once

#include "engine/base/base.h"
#include "engine/policy/policy.h"

#include <QJsonObject>

#include <functional>
#include <list>

namespace glovebox::mcp {

constexpr std::size_t registrationsMax = 32;
constexpr qsizetype redirectsMax = 8; // addresses of one client

struct Registration
{
    QByteArray id; // not to be guessed: web pages can't register
    QList<QByteArray> redirects; // all allowed, see isRedirectAllowed(); none: can't be paired
    Caller caller; // by its claim, and by the connection that it registered at
    QByteArray settled; // the target of its last request that was answered: a page that is loaded again asks nobody

    // Addresses elsewhere are left out, as RFC 7591, 2 lets a server do: some programs name one of theirs beside.
    static Registration from(const QJsonObject &wished, const LoopbackPeer &peer);
    QJsonObject toJson() const; // what it is told
};

// Used under its owner's lock.
class Registrations
{
public:
    // The oldest that isn't in use makes room.
    void add(Registration registration, const std::function<bool(const QByteArray &id)> &isInUse);
    Registration *find(const QByteArray &id); // null: there is none

private:
    std::list<Registration> m_all; // the oldest first
};

} // namespace glovebox::mcp
