// SPDX-License-Identifier: Apache-2.0
// What `glovebox mcp` does with the configuration of programs that are to start it.
#pragma once

#include <QByteArray>

namespace glovebox {

// Prints the entry for a client and, on standard error, the file that it belongs in. Returns the exit status.
int printClientEntry(const QByteArray &client);

} // namespace glovebox
