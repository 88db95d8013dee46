// SPDX-License-Identifier: Apache-2.0
// PID 1 as a program, executed from a sealed memfd by bwrap, and by the direct builder where it can't go on as PID 1 by itself
// (buildWhenTold).
#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"
#include "init.h"
#include "readback.h"

#include <cstring>
#include <utility>

namespace glovebox::launcher {

int beExecutedInit(char *argument)
{
    std::memset(argument, 0, std::strlen(argument)); // a list of processes inside shows a name alone (nameItself)
    Plan plan;
    std::string bytes;
    const int error = readSealedMemory(initPlanFd, bytes);
    if (error == 0 && plan.decode(bytes))
        beInit(std::move(plan), countFilters());
    sendPacket(initReportFd, Writer().put(Message::SetupError).put(SetupError{Stage::Plan, error, "decode"}).bytes());
    return 1;
}

} // namespace glovebox::launcher
