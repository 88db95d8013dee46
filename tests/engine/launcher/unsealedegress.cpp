// SPDX-License-Identifier: Apache-2.0
// glovebox-egress and glovebox-port in builds with a sanitizer have this in the place of engine/launcher/egress/seal.cpp: each belongs to
// the same user and looks sealed to the engine, but may have the memory, the files and the system calls that a sanitizer needs. What is
// sealed in the real programs is tested with the real programs (tst_egressseal).
#include "engine/launcher/egress/seal.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

// Its standard error is /dev/null. A report ends it, and so fails the test that needs it (UndefinedBehaviorSanitizer's is not kept).
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the sanitizers' names
extern "C" {
const char *__asan_default_options();
const char *__asan_default_options()
{
    return "log_path=" GLOVEBOX_REPORTS "/asan";
}
const char *__tsan_default_options();
const char *__tsan_default_options()
{
    return "halt_on_error=1:second_deadlock_stack=1:log_path=" GLOVEBOX_REPORTS "/tsan";
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

namespace glovebox::launcher {

std::string becomeEgressUser(unsigned uid, unsigned gid)
{
    const bool done =
        ::setgroups(0, nullptr) == 0 && ::setresgid(gid, gid, gid) == 0 && ::setresuid(uid, uid, uid) == 0;
    return done ? std::string() : "change of user";
}

std::string sealPort(int control, int firstUnused, std::uint16_t, int)
{
    ::syscall(SYS_close_range, firstUnused, ~0U, 0);
    // Stopped by somebody, it goes on when the engine ends, as the real one.
    ::fcntl(control, F_SETOWN, ::getpid());
    ::fcntl(control, F_SETSIG, SIGCONT);
    ::fcntl(control, F_SETFL, ::fcntl(control, F_GETFL) | O_ASYNC);
    sock_filter everything[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{1, everything};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
        return "seccomp";
    return {};
}

std::string sealEgress(int control, int firstUnused, int &landlockAbi)
{
    landlockAbi = 1;
    return sealPort(control, firstUnused, 0, -1);
}

} // namespace glovebox::launcher
