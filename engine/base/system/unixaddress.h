// SPDX-License-Identifier: Apache-2.0
// Where a unix socket is, whose address is too short for most paths (unix(7), 108 bytes).
#pragma once

#include <QString>

#include <optional>

#include <sys/un.h>

namespace glovebox {

// Of a name in a folder that is open as long as the address is used. Nothing: it is too long. By POSIX the whole path counts.
std::optional<sockaddr_un> unixAddress(int folder, const QString &folderPath, const QString &name);

} // namespace glovebox
