// SPDX-License-Identifier: Apache-2.0
// What `glovebox mcp` does with the configuration of programs that are to start it.
#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace glovebox {

// Prints the entry for a client and, on standard error, the file that it belongs in. url: of a Glovebox that serves HTTP, which the
// client is to connect to instead of starting one. Returns the exit status.
int printClientEntry(const QByteArray &client, const std::optional<QString> &url = {});

} // namespace glovebox
