// SPDX-License-Identifier: Apache-2.0
// `glovebox-workbench`: the desktop program.
#include "app/workbench/pages.h"
#include "app/workbench/shell/start/workbench.h"

int main(int argc, char *argv[])
{
    return glovebox::runWorkbench(argc, argv, glovebox::makePages);
}
