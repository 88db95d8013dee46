// SPDX-License-Identifier: Apache-2.0
// The sockets that listen inside a run's network, and those that connect there, as they came out of it, and the proof that they are
// in it.
#pragma once

#include "engine/base/base.h"
#include "engine/launcher/protocol.h"
#include "engine/sandbox/sandbox.h"

#include <vector>

namespace glovebox::native {

struct InnerListeners
{
    std::vector<UniqueFd> sockets; // in the plan's order; invalid: not opened
    std::uint64_t networkCookie = 0; // of the run's network, as init read it inside

    // One packet of them. False: unreadable.
    bool add(launcher::Reader &in, std::vector<UniqueFd> &descriptors);
    // Whether each listens where it was wanted, in the run's network and not in ours. Those that are not there make it weaker.
    launcher::Finding check(const QList<InnerSocket> &wanted);
    // Connectors of these; none, if one of them isn't an unused TCP socket of the run's network.
    std::vector<Connector> connectors(std::vector<UniqueFd> descriptors) const;
    QList<InnerSocket> those(const QList<InnerSocket> &wanted) const; // that are there
};

} // namespace glovebox::native
