// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <netinet/in.h>
#include <sys/socket.h>

namespace glovebox {

bool refuseFewerHops(int listener, int fewest)
{
    return ::setsockopt(listener, IPPROTO_IP, IP_MINTTL, &fewest, sizeof fewest) == 0;
}

} // namespace glovebox
