// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp --http` and `--http-socket`: the engine for paired clients, until a signal ends it.
#pragma once

#include "engine/mcp/mcp.h"

#include <QByteArray>

#include <expected>
#include <optional>

namespace glovebox {

// Where HTTP is served, as it was given on the command line.
struct HttpPlaces
{
    std::optional<QByteArray> port; // of 127.0.0.1; empty: the usual one; "0": one that is free
    std::optional<QByteArray> socket; // path; empty: the usual one

    bool isAny() const { return port || socket; }
};

// The address that a port given so is served at; nothing: no port is asked for. The error is a sentence.
std::expected<std::optional<QString>, QString> addressOf(const HttpPlaces &places);

// Serves until stop can be read from; then cancels all runs, and waits for their ends. Says on standard error where it listens.
// canAsk: programs at the port are paired by asking the person. Returns the exit status.
int serveHttp(const HttpPlaces &places, const mcp::Server::OpenEngine &openEngine, bool canAsk, int stop);

} // namespace glovebox
