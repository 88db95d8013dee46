// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/usernamespace.h"

#include "engine/base/system/hops.h"
#include "engine/base/system/makingas.h"
#include "engine/base/system/peer.h"

#include <cerrno>

namespace glovebox {

std::optional<Peer> peerOf(int)
{
    return {};
}

bool refuseFewerHops(int, int)
{
    errno = ENOTSUP;
    return false;
}

bool isInUserNamespace()
{
    return false;
}

std::optional<uid_t> uidOfUnmapped()
{
    return {};
}

bool enterUserNamespaceOfOne()
{
    return false;
}

MakingAs::MakingAs(const std::optional<HostIdentity> &owner)
    : m_isOther(owner.has_value())
{
}

MakingAs::~MakingAs() = default;

} // namespace glovebox
