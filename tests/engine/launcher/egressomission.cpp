// SPDX-License-Identifier: Apache-2.0
// Linked into the real glovebox-egress: leaves out the step of its sealing that the first rule of its policy names, as
// "omit-filter.test" does; and into the real glovebox-port, where the port names it (portsteps.h). So tst_egressseal sees whether
// somebody notices.
#include "portsteps.h"

#include "engine/network/egress/messages.h"
#include "engine/network/port/messages.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names

namespace {

std::string omitted; // NOLINT(cert-err58-cpp)

bool omits(std::string_view step)
{
    return omitted == step;
}

} // namespace

extern "C" {

int __real__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    int fd, std::string &bytes);
int __wrap__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    int fd, std::string &bytes)
{
    const int error =
        __real__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(fd,
                                                                                                              bytes);
    glovebox::network::EgressPolicy policy;
    const std::string_view mark = "omit-";
    if (error == 0 && policy.decode(bytes) && !policy.rules.empty() && policy.rules[0].starts_with(mark))
        omitted = policy.rules[0].substr(mark.size(), policy.rules[0].find('.') - mark.size());
    glovebox::network::PortSpec spec;
    if (error == 0 && spec.decode(bytes) && spec.innerPort >= firstPortOfSteps
        && spec.innerPort < firstPortOfSteps + portSteps.size())
        omitted = portSteps[spec.innerPort - firstPortOfSteps];
    return error;
}

int __real_prctl(int option, ...);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if (option == PR_SET_NO_NEW_PRIVS && omits("privileges"))
        return 0;
    if (option == PR_SET_DUMPABLE && omits("dumpable")) // which it lost by its change of user already
        a = 1;
    return __real_prctl(option, a, b, c, d);
}

int __real_setrlimit(__rlimit_resource_t resource, const rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const rlimit *limit)
{
    return omits("limits") ? 0 : __real_setrlimit(resource, limit);
}

int __real_setgroups(size_t count, const gid_t *groups);
int __wrap_setgroups(size_t count, const gid_t *groups)
{
    const gid_t some = 4;
    return omits("groups") ? __real_setgroups(1, &some) : __real_setgroups(count, groups);
}

int __real_setresgid(gid_t real, gid_t effective, gid_t saved);
int __wrap_setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return omits("group") ? 0 : __real_setresgid(real, effective, saved);
}

int __real_setresuid(uid_t real, uid_t effective, uid_t saved);
int __wrap_setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return omits("user") ? 0 : __real_setresuid(real, effective, saved);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    long a[6];
    for (long &argument : a)
        argument = va_arg(list, long);
    va_end(list);
    if (number == SYS_close_range && omits("descriptors"))
        return ::fcntl(2, F_DUPFD, 100) < 0 ? -1 : 0; // one that the engine forgot
    if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER && omits("filter"))
        return 0;
    if (number == SYS_landlock_restrict_self && omits("landlock"))
        return 0;
    if (number == SYS_landlock_create_ruleset && omits("kernel")) // an older one
        return errno = ENOSYS, -1;
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

} // extern "C"

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
