// SPDX-License-Identifier: Apache-2.0
// A server for the conformance suite, which can't send a token: of its fixtures, or with the argument "shipped" of what Glovebox
// offers. Over our own protocol and transport; prints its address, and ends with its input.
#include "fixtures.h"

#include <QCoreApplication>

#include <cstdio>

#include <unistd.h>

namespace glovebox::mcp {

static Result<std::unique_ptr<Engine>> openTestEngine()
{
    ASSIGN_OR_RETURN(Paths paths, Paths::standard());
    return Engine::open({.paths = std::move(paths), .caller = Caller{.kind = Caller::Kind::Mcp}});
}

static int serve(bool isShipped)
{
    Client client(Caller{.kind = Caller::Kind::Mcp});
    Server server(isShipped ? gloveboxCatalogue() : fixtureCatalogue(), openTestEngine);
    auto listener = listenOnLoopback(0);
    if (!listener)
        return 1;
    const quint16 port = portOf(*listener);
    const HttpServer http(server, *std::move(listener), [&](const QByteArray &) { return &client; });
    std::printf("http://127.0.0.1:%d/mcp\n", port);
    std::fflush(stdout);
    char byte;
    while (::read(STDIN_FILENO, &byte, 1) > 0) { }
    return 0;
}

} // namespace glovebox::mcp

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    return glovebox::mcp::serve(argc > 1 && QByteArray(argv[1]) == "shipped");
}
