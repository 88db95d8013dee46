// SPDX-License-Identifier: Apache-2.0
// A signal to one process. A process id of 0 (QProcess once the program has ended), of -1 (a fork that failed) or of 1 names others than
// the one that was meant: kill(2) would end the test, and all that ran with it, without a word.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include <sys/types.h>

namespace glovebox {

// Like kill(2); an id that names no single process is ESRCH.
inline int sendSignal(std::int64_t pid, int number)
{
    if (pid > 1 && pid <= INT32_MAX)
        return ::kill(static_cast<pid_t>(pid), number);
    std::fprintf(stderr, "Signal %d goes to nobody: %lld is no process of the test.\n", number,
                 static_cast<long long>(pid));
    errno = ESRCH;
    return -1;
}

} // namespace glovebox
