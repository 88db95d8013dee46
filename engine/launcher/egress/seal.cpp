// SPDX-License-Identifier: Apache-2.0
#include "seal.h"

#include "engine/base/system/descriptor.h"
#include "engine/launcher/landlock.h"
#include "seccompfilters.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace glovebox::launcher {

namespace {

constexpr rlim_t openFiles = 2048; // 256 connections of two sockets and two pipes
constexpr rlim_t addressSpace = rlim_t{1} << 30;
// What 256 connections may make it keep, which counts to no run's memory: 128 MB of it are stacks, hardly used.
constexpr rlim_t ownMemory = egressMemoryMost;

std::string failed(const char *what)
{
    return std::string(what) + ": " + ::strerrordesc_np(errno);
}

std::string bound(__rlimit_resource_t resource, rlim_t most)
{
    rlimit limit{};
    ::getrlimit(resource, &limit);
    const rlim_t wanted = std::min(most, limit.rlim_max);
    limit = {wanted, wanted};
    if (::setrlimit(resource, &limit) < 0 || ::getrlimit(resource, &limit) < 0 || limit.rlim_max != wanted)
        return failed("setrlimit");
    return {};
}

// Where the addresses of name servers, the hosts file, and the libraries for other ways of resolving are.
std::vector<PathRule> readableFiles()
{
    std::vector<PathRule> rules;
    for (const char *folder : {"/usr", "/lib", "/lib32", "/lib64"})
        rules.push_back({PathRule::Access::ReadExecute, folder});
    for (const char *file : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
                             "/etc/ld.so.cache", "/etc/services", "/etc/localtime"})
        rules.push_back({PathRule::Access::Read, file});
    // Often a link to what another program keeps up to date, by putting new files in the old one's place.
    char path[PATH_MAX];
    if (::realpath("/etc/resolv.conf", path)) {
        const std::string_view place(path);
        if (!place.starts_with("/etc/"))
            rules.push_back({PathRule::Access::Read, std::string(place.substr(0, place.rfind('/')))});
    }
    return rules;
}

bool refused(long result, int expected)
{
    return result == -1 && errno == expected;
}

// Whether each is refused as it should be; empty, or the first that isn't.
std::string probe(int firstUnused)
{
    for (int descriptor = firstUnused; descriptor < static_cast<int>(openFiles); ++descriptor) {
        if (!refused(::fcntl(descriptor, F_GETFD), EBADF))
            return "descriptors of somebody else's are open";
    }
    if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER)
        return "seccomp is off";
    if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return "new privileges can be had";
    if (::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        return "dumpable";
    if (!refused(::syscall(SYS_execve, nullptr, nullptr, nullptr), EPERM))
        return "programs can be started";
    if (!refused(::syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0), EPERM))
        return "unix sockets can be had";
    if (!refused(::syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY), EPERM))
        return "files can be written";
    if (!refused(::syscall(SYS_ptrace, 0x9999, 0, 0, 0), EPERM) || !refused(::syscall(SYS_kill, 0, 0), EPERM))
        return "processes can be reached";
    return {};
}

// Of the run's network: a port beside its neighbour might be a proxy that the run was given.
bool reachesOtherPort(int connector, std::uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port == 1 ? 2 : port - 1);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto *const other = reinterpret_cast<const sockaddr *>(&address);
    return !refused(::connect(connector, other, sizeof address), EACCES)
           || !refused(::sendto(connector, "", 1, MSG_FASTOPEN | MSG_DONTWAIT | MSG_NOSIGNAL, other, sizeof address),
                       EPERM);
}

long openOfFile() // that everybody may read otherwise
{
    return ::syscall(SYS_openat, AT_FDCWD, "/proc/version", O_RDONLY);
}

// What is left to the caller is to look whether files can be read.
std::string seal(int control, int firstUnused, const std::vector<PathRule> &readable, const sock_fprog &filter,
                 int &landlockAbi, std::optional<std::uint16_t> onlyPort = {})
{
    if (::geteuid() == 0)
        return "refuses to serve as root";
    ::syscall(SYS_close_range, firstUnused, ~0U, 0);
    // Stopped by somebody, it goes on when the engine ends, and ends, too.
    ::fcntl(control, F_SETOWN, ::getpid());
    ::fcntl(control, F_SETSIG, SIGCONT);
    ::fcntl(control, F_SETFL, ::fcntl(control, F_GETFL) | O_ASYNC);
    for (const auto &[resource, most] :
         {std::pair(RLIMIT_CORE, rlim_t{1}), std::pair(RLIMIT_NOFILE, openFiles), std::pair(RLIMIT_FSIZE, rlim_t{0}),
          std::pair(RLIMIT_AS, addressSpace), std::pair(RLIMIT_DATA, ownMemory)}) {
        if (std::string problem = bound(resource, most); !problem.empty())
            return problem;
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return failed("prctl");
    if (std::string problem = applyLandlock(readable, Missing::Skip, landlockAbi, onlyPort); !problem.empty())
        return problem;
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
        return failed("seccomp");
    return probe(firstUnused);
}

} // namespace

std::string becomeEgressUser(unsigned uid, unsigned gid)
{
    if (::setgroups(0, nullptr) < 0 || ::setresgid(gid, gid, gid) < 0 || ::setresuid(uid, uid, uid) < 0
        || ::getuid() != uid || ::getgid() != gid || ::getgroups(0, nullptr) != 0 || ::setresuid(0, 0, 0) == 0)
        return failed("change of user");
    return {};
}

std::string sealEgress(int control, int firstUnused, int &landlockAbi)
{
    const sock_fprog filter{std::size(egressFilter), const_cast<sock_filter *>(egressFilter)};
    if (std::string problem = seal(control, firstUnused, readableFiles(), filter, landlockAbi); !problem.empty())
        return problem;
    return landlockAbi > 0 && !refused(openOfFile(), EACCES) ? "files can be read" : "";
}

std::string sealPort(int control, int firstUnused, std::uint16_t port, int connector)
{
    const sock_fprog filter{std::size(portFilter), const_cast<sock_filter *>(portFilter)};
    int landlockAbi = 0; // a second lock on the same door
    if (std::string problem = seal(control, firstUnused, {}, filter, landlockAbi, port); !problem.empty())
        return problem;
    if (!refused(openOfFile(), EPERM))
        return "files can be read";
    if (!refused(::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), EPERM))
        return "sockets can be had";
    return landlockAbi < landlockWithPorts || !reachesOtherPort(connector, port) ? "" : "other ports can be reached";
}

} // namespace glovebox::launcher
