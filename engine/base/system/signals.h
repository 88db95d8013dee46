// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace glovebox {

// Signals are for the program's main thread: a handler that runs on one of ours would be a surprise, and SIGPIPE is told by
// EPIPE. Call first in every thread of the engine.
inline void blockSignals()
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

} // namespace glovebox
