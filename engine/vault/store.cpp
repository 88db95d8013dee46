// SPDX-License-Identifier: Apache-2.0
#include "store.h"

namespace glovebox {

Status SecretStore::askToUnlock(const Patience &patience)
{
    const StoreStatus now = status(patience);
    if (now.state == StoreState::Ready)
        return {};
    return fail(ErrorCode::Unavailable, Text("%1 %2", {now.reason.english(), now.remedy.english()}));
}

} // namespace glovebox
