// SPDX-License-Identifier: Apache-2.0
// The program glovebox-spawner, and what it is where it is executed once more. It starts no program that an argument names: its AppArmor
// profile (installer/apparmor) gives user namespaces to whatever it executes, so that would give them to everybody.
#include "engine/launcher/init/init.h"
#include "spawner.h"

#include <cstring>

using namespace glovebox::launcher;

int main(int argc, char **argv)
{
    if (argc < 2)
        return beSpawner();
    return std::strcmp(argv[1], initArgument) == 0 ? beExecutedInit(argv[1]) : 2;
}
