// SPDX-License-Identifier: Apache-2.0
// glovebox-port: one port of a job, opened to the person's browser. A program of its own, since what speaks to it isn't trusted: pages in
// the browser and other programs on one side, the code in the job on the other. It has a listener of 127.0.0.1 and sockets of the job's
// network, and can make no others; it seals itself before it serves, and ends with the engine.
//
// argv: glovebox-port [--user UID GID]; descriptors: messages.h.
#include "engine/launcher/egress/arenas.h"
#include "engine/launcher/egress/seal.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/sockettable.h"
#include "engine/network/port/server.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

using namespace glovebox;
using namespace glovebox::network;

int main(int argc, char **argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    ::dup2(STDOUT_FILENO, STDERR_FILENO); // which was the loader's, for the engine
    launcher::haveFewArenas();
    PortSpec spec;
    std::string bytes;
    std::string problem =
        launcher::readSealedMemory(portSpecFd, bytes) == 0 && spec.decode(bytes) ? "" : "unreadable spec";
    ::close(portSpecFd);
    const bool isOfRoot = argc == 4 && std::string_view(argv[1]) == "--user"; // whose browser may be another user's
    const int tables = portFirstConnectorFd + spec.connectors + spec.connectors6;
    if (problem.empty() && !isOfRoot && !launcher::openSocketTables(tables))
        problem = "the kernel's list of connections can't be read";
    if (problem.empty() && isOfRoot)
        problem = launcher::becomeEgressUser(static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)),
                                             static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
    if (problem.empty())
        problem =
            launcher::sealPort(portControlFd, isOfRoot ? tables : tables + 2, spec.innerPort, portFirstConnectorFd);
    launcher::sendPacket(portControlFd,
                         launcher::Writer().put(PortMessage::Ready).put(portVersion).put(problem).bytes());
    if (!problem.empty())
        return 1;
    PortGate gate(std::move(spec));
    PortServer(gate, isOfRoot ? -1 : tables).serve();
    ::_exit(0); // connections that are open end here
}
