// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace glovebox {

QByteArray pathOfThisProgram()
{
    return "/proc/self/exe";
}

void closeOnExecFrom(int descriptor)
{
    constexpr unsigned closeOnExec = 1 << 2; // CLOSE_RANGE_CLOEXEC of close_range(2)
    ::syscall(SYS_close_range, descriptor, ~0U, closeOnExec);
}

} // namespace glovebox
