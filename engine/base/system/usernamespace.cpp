// SPDX-License-Identifier: Apache-2.0
#include "usernamespace.h"

#include <QFile>

namespace glovebox {

bool isInUserNamespace()
{
    QFile map(QStringLiteral("/proc/self/uid_map"));
    if (!map.open(QIODevice::ReadOnly))
        return false;
    return map.readAll().simplified() != "0 0 4294967295"; // every user, as the machine has it
}

} // namespace glovebox
