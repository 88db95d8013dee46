// SPDX-License-Identifier: Apache-2.0
// Ties the child of bwrap to the spawner until that child has tied itself. The child is born without PR_SET_PDEATHSIG and waits
// for bwrap's word; if bwrap dies first, with its spawner, nobody is left to give it. A tracer's tracees die with it, from their
// first instruction on (ptrace(2), PTRACE_O_EXITKILL).
#pragma once

#include "engine/base/system/descriptor.h"

#include <vector>

#include <sys/types.h>

namespace glovebox::launcher {

// What keeps a child of the spawner from becoming bwrap before the spawner traces it.
struct Gate
{
    UniqueFd inner; // the child's
    UniqueFd outer;

    bool make(); // false: errno says why
    // In the child. Ends it where the spawner has died.
    void wait();
    void open() const;
};

// Of the spawner's only thread. Where the machine forbids tracing, nothing is traced.
class Tracer
{
public:
    // A child that waits at its gate and will become bwrap.
    void trace(pid_t bwrap);
    // To be polled for reading; then follow(). Negative until something has been traced.
    int descriptor() const { return m_signals.get(); }
    void follow();
    // The spawner waits for this process itself.
    void forget(pid_t pid);

private:
    void resume(pid_t pid, int status);

    UniqueFd m_signals;
    std::vector<pid_t> m_bwraps; // until they have made their child
    std::vector<pid_t> m_children; // of them, until they execute init
};

} // namespace glovebox::launcher
