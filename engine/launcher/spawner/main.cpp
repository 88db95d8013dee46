// SPDX-License-Identifier: Apache-2.0
// The program glovebox-spawner, and what it is where it is executed once more.
#include "engine/launcher/init/init.h"
#include "engine/launcher/toolhost/report.h"
#include "engine/launcher/toolhost/toolhost.h"
#include "spawner.h"

#include <cstring>

using namespace glovebox::launcher;

int main(int argc, char **argv)
{
    if (argc < 2)
        return beSpawner();
    if (std::strcmp(argv[1], initArgument) == 0)
        return beExecutedInit(argv[1]);
    return std::strcmp(argv[1], toolHostArgument) == 0 ? beToolHost(argv + 2) : 2;
}
