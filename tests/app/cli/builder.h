// SPDX-License-Identifier: Apache-2.0
// Which of the two builders the programs get that a test starts.
#pragma once

#include "tests/support/testprogram.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace glovebox {

inline const bool isDirect = !test::isBubblewrapTried(); // by bwrap, what is allowed is reached by proxies only

// From now on the programs that this one starts can't have the direct builder, and choose bwrap by themselves: clone3(2) isn't
// there, as under the filters of containers. Nothing else changes.
inline bool refuseDirectBuilder()
{
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, code};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0; // who is root may, also without no_new_privs
}

} // namespace glovebox
