// SPDX-License-Identifier: Apache-2.0
#include "store.h"

namespace glovebox {

QString toString(StoreState state)
{
    switch (state) {
    case StoreState::Ready:
        return QStringLiteral("ready");
    case StoreState::Locked:
        return QStringLiteral("locked");
    case StoreState::Absent:
        return QStringLiteral("absent");
    case StoreState::Denied:
        return QStringLiteral("denied");
    case StoreState::NotAnswering:
        return QStringLiteral("not-answering");
    }
    Q_UNREACHABLE();
}

Status SecretStore::askToUnlock(const Patience &patience)
{
    const StoreStatus now = status(patience);
    if (now.state == StoreState::Ready)
        return {};
    return fail(ErrorCode::Unavailable, Text("%1 %2", {now.reason.english(), now.remedy.english()}));
}

} // namespace glovebox
