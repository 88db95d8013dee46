// SPDX-License-Identifier: Apache-2.0
// Build-time program: writes the seccomp filters of a run as a C++ header of BPF instructions. At run time compiling them
// with libseccomp would cost 2 to 3 ms a run and put libseccomp into the trusted part.
//
// First filter: which calls exist at all. Reviewed calls are allowed, known-dangerous ones are EPERM, and every number that
// nobody reviewed (also of kernels to come) is ENOSYS, which programs take for an older kernel. Second filter: arguments. Two
// filters because libseccomp drops argument rules of a call that is also allowed as a whole; the kernel takes the stricter.
// libseccomp writes what has few rules; what it would write at length is a search tree (calltree.h).
//
// Both come in two forms. In the second, what a person is told about is missing, because EPERM outranks a notification: there
// the third filter, which has a listener, refuses it. Its answer is the engine's, and once the engine's end is closed the kernel
// answers ENOSYS by itself (seccomp(2), SECCOMP_RET_USER_NOTIF).
#include "calltree.h"
#include "egresscalls.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/reportedcalls.h"
#include "syscalls.h"

#include <fcntl.h>
#include <linux/fscrypt.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

#include <linux/filter.h>
#include <seccomp.h>

using namespace glovebox::launcher;

namespace {

[[noreturn]] void die(const char *what, const char *name, int error)
{
    std::fprintf(stderr, "seccompgen: %s %s: %s\n", what, name, ::strerrordesc_np(error < 0 ? -error : error));
    std::exit(1);
}

void writeSteps(std::FILE *out, const char *name, const FilterSteps &program)
{
    std::fprintf(out, "inline constexpr sock_filter %s[] = {\n", name);
    for (const sock_filter &step : program)
        std::fprintf(out, "    {0x%x, %u, %u, 0x%x},\n", step.code, step.jt, step.jf, step.k);
    std::fprintf(out, "};\n");
}

class Filter
{
public:
    explicit Filter(std::uint32_t defaultAction)
        : m_context(seccomp_init(defaultAction))
    {
        if (!m_context)
            die("init", "", ENOMEM);
        // Another architecture (i386 by int 0x80) or x32 has other numbers: nobody honest calls it from a native program. To be
        // killed for it would be a line in the host's audit log, of which a run could write any number.
        if (const int e = seccomp_attr_set(m_context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)))
            die("attribute", "badarch", e);
        // A binary tree. At load the kernel runs a filter once for each call number, to know which are allowed without asking
        // again: through a list that takes half a millisecond for all filters of a run.
        if (const int e = seccomp_attr_set(m_context, SCMP_FLTATR_CTL_OPTIMIZE, 2))
            die("attribute", "optimize", e);
    }
    ~Filter() { seccomp_release(m_context); }
    Filter(const Filter &) = delete;
    Filter &operator=(const Filter &) = delete;

    void rule(std::uint32_t action, const char *name, std::initializer_list<scmp_arg_cmp> arguments = {})
    {
        const int number = seccomp_syscall_resolve_name(name);
        if (number < 0)
            return; // not on this architecture, or newer than libseccomp (then it is listed by number)
        rule(action, number, name, arguments);
    }
    void rule(std::uint32_t action, int number, const char *name, std::initializer_list<scmp_arg_cmp> arguments = {})
    {
        const int error = seccomp_rule_add_array(m_context, action, number, static_cast<unsigned>(arguments.size()),
                                                 arguments.begin());
        if (error && error != -EEXIST)
            die("rule", name, error);
    }

    // first: steps that come before all rules, and go on with them.
    void write(std::FILE *out, const char *name, const FilterSteps &first) const
    {
        const int fd = ::memfd_create(name, 0);
        if (const int e = seccomp_export_bpf(m_context, fd))
            die("export", name, e);
        const off_t size = ::lseek(fd, 0, SEEK_END);
        FilterSteps program(static_cast<std::size_t>(size) / sizeof(sock_filter));
        if (::pread(fd, program.data(), static_cast<std::size_t>(size), 0) != size)
            die("read", name, errno);
        ::close(fd);
        program.insert(program.begin(), first.begin(), first.end()); // jumps are relative
        writeSteps(out, name, program);
    }
    void write(std::FILE *out, const char *name) const { write(out, name, {}); }

private:
    scmp_filter_ctx m_context;
};

bool isReported(std::string_view name)
{
    return std::ranges::any_of(reportedCalls, [name](const ReportedCall &call) { return name == call.name; });
}

void writeCalls(std::FILE *out, const char *filterName, bool withReported)
{
    const FilterSteps allow = filterReturn(SECCOMP_RET_ALLOW);
    const FilterSteps refuse = filterReturn(SECCOMP_RET_ERRNO | EPERM);
    std::map<std::uint32_t, FilterSteps> calls;
    const auto add = [&calls](const char *name, const FilterSteps &answer) {
        if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
            calls.emplace(number, answer);
    };
    for (const char *name : allowedCalls)
        add(name, allow);
    for (int number : allowedNumbers)
        calls.emplace(number, allow);
    for (const char *name : refusedCalls)
        add(name, withReported || !isReported(name) ? refuse : allow);
    for (int number : refusedNumbers)
        calls.emplace(number, refuse);
    writeSteps(out, filterName, callTree(seccomp_arch_native(), calls, filterReturn(SECCOMP_RET_ERRNO | ENOSYS)));
}

constexpr std::uint32_t refused = SCMP_ACT_ERRNO(EPERM);
// The kernel reads these arguments as 32 bits: higher bits must not hide them.
constexpr std::uint64_t low32 = 0xffffffff;

// The refused arguments that a person is told about.
void refuseReportedArguments(Filter &filter, std::uint32_t action)
{
    // clone(2) with any CLONE_NEW*: namespaces are made by the builder only. (CLONE_NEWTIME shares a bit with the exit signal
    // and is clone3's, which is ENOSYS.)
    for (std::uint64_t flag :
         {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
        filter.rule(action, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)});

    // Typing into a terminal that a person looks at: TIOCSTI, TIOCLINUX, TIOCSETD.
    for (std::uint64_t command : {0x5412, 0x541C, 0x5423})
        filter.rule(action, "ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, command)});
}

// The low half of an argument, where little-endian: what the kernel reads of an int.
sock_filter argument(unsigned index)
{
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<__u32>(offsetof(seccomp_data, args) + index * sizeof(__u64)));
}

// The calls of which each is allowed with few arguments, by hand: libseccomp has no "none of these", and a list of all others is long.
class Choices
{
public:
    void goOnIf(unsigned index, std::initializer_list<std::uint32_t> values, std::uint32_t otherwise,
                std::uint32_t mask = ~0U)
    {
        m_steps.push_back(argument(index));
        if (mask != ~0U)
            m_steps.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        auto left = static_cast<__u8>(values.size());
        for (const std::uint32_t value : values)
            m_steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, left--, 0));
        m_steps.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
    }
    void allowIf(unsigned index, std::uint32_t value)
    {
        m_steps.push_back(argument(index));
        m_steps.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        m_steps.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    FilterSteps allow() const
    {
        FilterSteps all = m_steps;
        all.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        return all;
    }

private:
    FilterSteps m_steps;
};

FilterSteps chosenArguments()
{
    std::map<std::uint32_t, FilterSteps> calls;
    const auto add = [&calls](const char *name, const Choices &choices) {
        if (const int number = seccomp_syscall_resolve_name(name); number >= 0)
            calls.emplace(number, choices.allow());
    };
    // A run's user namespace knows one user and one group, and to become another, or to give a file to one, is EINVAL there.
    // Programs expect EPERM, as everybody gets who is not root.
    const struct
    {
        const char *name;
        std::vector<unsigned> identities; // which arguments are
    } identities[] = {{"chown", {1, 2}},        {"fchown", {1, 2}},      {"lchown", {1, 2}},   {"fchownat", {2, 3}},
                      {"setuid", {0}},          {"setgid", {0}},         {"setreuid", {0, 1}}, {"setregid", {0, 1}},
                      {"setresuid", {0, 1, 2}}, {"setresgid", {0, 1, 2}}};
    for (const auto &call : identities) {
        Choices own;
        for (const unsigned index : call.identities)
            own.goOnIf(index, {insideUid, ~0U}, SECCOMP_RET_ERRNO | EPERM); // -1: as before
        add(call.name, own);
    }
    Choices sockets;
    sockets.goOnIf(0, {AF_UNIX, AF_INET, AF_INET6}, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    sockets.allowIf(0, AF_UNIX);
    sockets.goOnIf(1, {SOCK_STREAM, SOCK_DGRAM}, SECCOMP_RET_ERRNO | EPERM, 0xf);
    sockets.goOnIf(2, {0, IPPROTO_TCP, IPPROTO_UDP}, SECCOMP_RET_ERRNO | EPERM);
    for (const char *name : {"socket", "socketpair"})
        add(name, sockets);
    return callTree(seccomp_arch_native(), calls, {});
}

void writeArguments(std::FILE *out, const char *filterName, bool withReported)
{
    Filter filter(SCMP_ACT_ALLOW);
    if (withReported)
        refuseReportedArguments(filter, refused);

    // A filter of the run's own could write to the host's audit log (SECCOMP_RET_LOG, SECCOMP_RET_KILL), and what it does is in
    // memory. As a kernel without filters answers; seccomp(2) itself isn't among the allowed calls.
    filter.rule(SCMP_ACT_ERRNO(EINVAL), "prctl", {SCMP_A0(SCMP_CMP_MASKED_EQ, low32, PR_SET_SECCOMP)});

    // personality(0xffffffff) only asks.
    filter.rule(refused, "personality", {SCMP_A0(SCMP_CMP_NE, low32)});

    // PID 1 belongs to the same user: it must not be starved or blinded.
    for (const char *call : {"prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"})
        filter.rule(refused, call, {SCMP_A0(SCMP_CMP_MASKED_EQ, low32, 1)});
    // What follows is one sum for all processes of the user, also outside. Pipes larger than they begin (pipe-user-pages-soft):
    filter.rule(refused, "fcntl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, F_SETPIPE_SZ), SCMP_A2(SCMP_CMP_GT, 65536)});
    // Memory that is locked for no process (RLIMIT_MEMLOCK): of shared memory, and of what sockets send without copying.
    filter.rule(refused, "shmctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, SHM_LOCK)});
    filter.rule(SCMP_ACT_ERRNO(EOPNOTSUPP), "setsockopt",
                {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, SOL_SOCKET), SCMP_A2(SCMP_CMP_MASKED_EQ, low32, SO_ZEROCOPY)});

    // On files of the person's that are shown: a lease or a delegation makes everybody who opens one wait (45 s by default), and
    // dnotify watches folders without a bound. F_SETDELEG is of Linux 6.19.
    constexpr std::uint64_t setDelegation = 1040;
    for (std::uint64_t command : {std::uint64_t(F_SETLEASE), std::uint64_t(F_NOTIFY), setDelegation})
        filter.rule(refused, "fcntl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, command)});
    // Keys of encrypted folders belong to the user, not to a namespace: a run could lock the person's home, or unlock one. Any
    // file that is shown will do to ask.
    for (std::uint64_t command :
         {FS_IOC_ADD_ENCRYPTION_KEY, FS_IOC_REMOVE_ENCRYPTION_KEY, FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS})
        filter.rule(refused, "ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, command)});

    // Nobody would be asked where it goes.
    filter.rule(SCMP_ACT_ERRNO(EOPNOTSUPP), "sendmsg", {SCMP_A2(SCMP_CMP_MASKED_EQ, packetFlag, packetFlag)});

    // Huge pages that the machine keeps ready are in no limit of memory: the answers of one that has none.
    filter.rule(SCMP_ACT_ERRNO(ENOMEM), "mmap", {SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_HUGETLB, MAP_HUGETLB)});
    filter.rule(SCMP_ACT_ERRNO(ENOMEM), "shmget", {SCMP_A2(SCMP_CMP_MASKED_EQ, SHM_HUGETLB, SHM_HUGETLB)});
    filter.rule(SCMP_ACT_ERRNO(ENOSYS), "memfd_create", {SCMP_A1(SCMP_CMP_MASKED_EQ, MFD_HUGETLB, MFD_HUGETLB)});

    // The core limit stays 1: a crash must not leave memory on the host, and at 0 its handler would be started all the same. To
    // programs that turn cores off (GnuPG ends where it can't) this is as good as done, and they are told so.
    constexpr std::uint32_t asIfDone = SCMP_ACT_ERRNO(0);
    const scmp_arg_cmp ofCores = SCMP_A1(SCMP_CMP_MASKED_EQ, low32, RLIMIT_CORE);
    filter.rule(asIfDone, "setrlimit", {SCMP_A0(SCMP_CMP_MASKED_EQ, low32, RLIMIT_CORE)});
    filter.rule(asIfDone, "prlimit64",
                {SCMP_A0(SCMP_CMP_EQ, 0), ofCores, SCMP_A2(SCMP_CMP_NE, 0), SCMP_A3(SCMP_CMP_EQ, 0)});
    for (const scmp_arg_cmp &more :
         {SCMP_A0(SCMP_CMP_NE, 0), SCMP_A3(SCMP_CMP_NE, 0)}) // of others, and of who asks for the old one
        filter.rule(refused, "prlimit64", {ofCores, SCMP_A2(SCMP_CMP_NE, 0), more});
    filter.write(out, filterName, chosenArguments());
}

// What the engine is asked about: it refuses what is refused and lets a connection go its way (there is nowhere to go).
// withNames: also datagrams on their way to the name server that was connected to, for a network in which none can be.
void writeReports(std::FILE *out, const char *filterName, bool withNames)
{
    for (const ReportedCall &call : reportedCalls) {
        if (std::ranges::none_of(refusedCalls, [&](const char *name) { return std::string_view(call.name) == name; }))
            die("is reported and not refused:", call.name, EINVAL);
    }
    Filter filter(SCMP_ACT_ALLOW);
    for (const ReportedCall &call : reportedCalls)
        filter.rule(SCMP_ACT_NOTIFY, call.number, call.name);
    refuseReportedArguments(filter, SCMP_ACT_NOTIFY);
    filter.rule(SCMP_ACT_NOTIFY, "connect");
    filter.rule(SCMP_ACT_NOTIFY, "sendto", {SCMP_A4(SCMP_CMP_NE, 0)});
    // Where these go is in memory. sendmsg(2) is also how some programs write to connections, and each such call waits for an answer,
    // some 10 us.
    filter.rule(SCMP_ACT_NOTIFY, "sendmmsg");
    filter.rule(SCMP_ACT_NOTIFY, "sendmsg", {SCMP_A2(SCMP_CMP_MASKED_EQ, packetFlag, 0)});
    // As long as a question for a name can be, and with the flag with which the C library asks. Without flags everybody sends to sockets
    // of all kinds (Python's send(), asyncio), which would wait for answers; a resolver of the run's own that asks so (the c-ares of
    // Node.js) is told of by the connection it made.
    for (std::uint64_t length = 16; withNames && length < 512; length *= 2)
        filter.rule(SCMP_ACT_NOTIFY, "sendto",
                    {SCMP_A2(SCMP_CMP_MASKED_EQ, ~(length - 1), length),
                     SCMP_A3(SCMP_CMP_MASKED_EQ, low32, MSG_NOSIGNAL), SCMP_A4(SCMP_CMP_EQ, 0)});
    filter.write(out, filterName);
}

// In a folder of the person's, a file with the set-user-id bit is a program that runs as the person for everybody else; nor has a
// device a place there.
void writeSetId(std::FILE *out)
{
    Filter modes(SCMP_ACT_ALLOW);
    const struct
    {
        const char *call;
        unsigned mode; // which argument it is
    } calls[] = {{"chmod", 1}, {"fchmod", 1},  {"fchmodat", 2}, {"creat", 1},
                 {"mkdir", 1}, {"mkdirat", 2}, {"mknod", 1},    {"mknodat", 2}};
    for (std::uint64_t bit : {S_ISUID, S_ISGID}) {
        for (const auto &c : calls)
            modes.rule(refused, c.call, {scmp_arg_cmp{c.mode, SCMP_CMP_MASKED_EQ, bit, bit}});
        modes.rule(refused, 452, "fchmodat2", {SCMP_A2(SCMP_CMP_MASKED_EQ, bit, bit)});
        // Without one of these flags nothing is made, and the mode is whatever was in the register.
        for (std::uint64_t flag : {O_CREAT, O_TMPFILE & ~O_DIRECTORY}) {
            modes.rule(refused, "open",
                       {SCMP_A1(SCMP_CMP_MASKED_EQ, flag, flag), SCMP_A2(SCMP_CMP_MASKED_EQ, bit, bit)});
            modes.rule(refused, "openat",
                       {SCMP_A2(SCMP_CMP_MASKED_EQ, flag, flag), SCMP_A3(SCMP_CMP_MASKED_EQ, bit, bit)});
        }
    }
    // Landlock lets a character device 0,0 pass on some kernels (a whiteout of overlayfs, which hides what it lies over).
    for (std::uint64_t device : {S_IFCHR, S_IFBLK}) {
        modes.rule(refused, "mknod", {SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT, device)});
        modes.rule(refused, "mknodat", {SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, device)});
    }
    // Its mode is in memory, where no filter sees it.
    modes.rule(SCMP_ACT_ERRNO(ENOSYS), "openat2");
    modes.write(out, "setIdFilter");
}

// On a file system of the host's, where nothing but a look now and then bounds what a run takes: in no time, and without writing,
// these take all there is. Programs go on by writing (posix_fallocate(3) does so by itself).
void writeAllocation(std::FILE *out)
{
    const std::uint32_t unsupported = SCMP_ACT_ERRNO(EOPNOTSUPP);
    Filter allocation(SCMP_ACT_ALLOW);
    for (const char *call : {"fallocate", "copy_file_range"})
        allocation.rule(unsupported, call);
    // By the second byte of its number an ioctl tells whose it is: 0x94 Btrfs (which cloning is for all file systems), X those that
    // XFS began with (FS_IOC_RESVSP is fallocate's elder brother).
    for (std::uint64_t type : {0x9400, 0x5800})
        allocation.rule(unsupported, "ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, type)});
    allocation.write(out, "allocationFilter");
}

// Memory that no limit of a process counts.
void writeUncountedMemory(std::FILE *out)
{
    Filter memory(SCMP_ACT_ALLOW);
    for (const char *call :
         {"memfd_create", "shmget", "semget", "msgget", "mq_open"}) // one semget: 2 MB of the kernel's
        memory.rule(refused, call);
    // Pages in a pipe or a socket stay when nobody maps them any more and their file is gone: of one byte each, 2 MB where the
    // page is a huge one. Programs go on by reading and writing (sendfile(2), splice(2)).
    for (const char *call : {"vmsplice", "splice", "tee", "sendfile"})
        memory.rule(SCMP_ACT_ERRNO(EINVAL), call);
    // Each ruleset has as many rules as there are files to name; as on a kernel that has it switched off.
    memory.rule(SCMP_ACT_ERRNO(EOPNOTSUPP), "landlock_create_ruleset");
    // What waits in sockets is the kernel's memory. Growing them by hand seems to work, as a wish beyond wmem_max does.
    for (std::uint64_t option : {SO_SNDBUF, SO_RCVBUF})
        memory.rule(SCMP_ACT_ERRNO(0), "setsockopt",
                    {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, SOL_SOCKET), SCMP_A2(SCMP_CMP_MASKED_EQ, low32, option)});
    memory.write(out, "uncountedMemoryFilter");
}

// Loaded on top where it applies.
void writeExtras(std::FILE *out)
{
    // A read-only mount doesn't keep anybody from connecting to a socket that lies in it.
    Filter sockets(SCMP_ACT_ALLOW);
    sockets.rule(refused, "socket", {SCMP_A0(SCMP_CMP_MASKED_EQ, low32, AF_UNIX)});
    // Nor does a pair of datagram sockets: each end may still be connected to, or sent to, any other.
    for (std::uint64_t type : {SOCK_DGRAM, SOCK_RAW})
        sockets.rule(refused, "socketpair",
                     {SCMP_A0(SCMP_CMP_MASKED_EQ, low32, AF_UNIX), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type)});
    sockets.write(out, "unixSocketFilter");
    writeUncountedMemory(out);
    writeSetId(out);
    writeAllocation(out);
    // As if all instances were in use, which programs expect (inotify_init(2)).
    Filter inotify(SCMP_ACT_ALLOW);
    for (const char *call : {"inotify_init", "inotify_init1"})
        inotify.rule(SCMP_ACT_ERRNO(EMFILE), call);
    inotify.write(out, "inotifyFilter");
    // Where the processors that a run may use are all that bounds its share of them.
    Filter affinity(SCMP_ACT_ALLOW);
    affinity.rule(refused, "sched_setaffinity");
    affinity.write(out, "affinityFilter");
}

// Programs that read hostile bytes: no programs, no other processes, nothing written, and no sockets but those that they were given.
// bounded: calls for which the caller has rules of its own.
void allowRelaying(Filter &filter, std::initializer_list<std::string_view> bounded = {})
{
    for (const char *name : egressCalls) {
        if (std::ranges::find(bounded, name) == bounded.end())
            filter.rule(SCMP_ACT_ALLOW, name);
    }
    filter.rule(SCMP_ACT_ALLOW, "ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, low32, FIONREAD)});
    filter.rule(SCMP_ACT_ALLOW, "clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)});
    filter.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3"); // its flags are in memory; the C library goes on with clone
    for (std::uint64_t question : {PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, PR_GET_DUMPABLE})
        filter.rule(SCMP_ACT_ALLOW, "prctl", {SCMP_A0(SCMP_CMP_EQ, question)});
    filter.rule(SCMP_ACT_ALLOW, "prlimit64", {SCMP_A2(SCMP_CMP_EQ, 0)}); // asks
}

// glovebox-egress makes sockets of the internet, and the one that tells this machine's addresses; it reads the files by which names are
// resolved.
void writeEgress(std::FILE *out)
{
    Filter filter(SCMP_ACT_ERRNO(EPERM));
    allowRelaying(filter);
    for (std::uint64_t family : {AF_INET, AF_INET6}) {
        for (std::uint64_t type : {SOCK_STREAM, SOCK_DGRAM})
            filter.rule(SCMP_ACT_ALLOW, "socket",
                        {SCMP_A0(SCMP_CMP_EQ, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type)});
    }
    filter.rule(SCMP_ACT_ALLOW, "socket", {SCMP_A0(SCMP_CMP_EQ, AF_NETLINK), SCMP_A2(SCMP_CMP_EQ, NETLINK_ROUTE)});
    constexpr std::uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    filter.rule(SCMP_ACT_ALLOW, "open", {SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)});
    filter.rule(SCMP_ACT_ALLOW, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)});
    filter.write(out, "egressFilter");
}

void writePort(std::FILE *out)
{
    Filter filter(SCMP_ACT_ERRNO(EPERM));
    allowRelaying(filter, {"bind", "sendto", "sendmsg", "sendmmsg"});
    // Landlock bounds where connect(2) leads, and not where a first packet with data goes (seen on Linux 6.18).
    filter.rule(SCMP_ACT_ALLOW, "sendto", {SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0)});
    filter.rule(SCMP_ACT_ALLOW, "sendmsg", {SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0)});
    filter.write(out, "portFilter");
}

} // namespace

int main(int argc, char **argv)
{
    std::FILE *out = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
    if (!out)
        die("open", argc == 2 ? argv[1] : "(no file named)", errno);
    std::fprintf(out,
                 "// Generated by seccompgen.cpp; the reasons are there.\n#pragma once\n\n#include <linux/filter.h>\n\n"
                 "namespace glovebox::launcher {\n\n");
    writeCalls(out, "callFilter", true);
    writeCalls(out, "unreportedCallFilter", false);
    writeArguments(out, "argumentFilter", true);
    writeArguments(out, "unreportedArgumentFilter", false);
    writeReports(out, "reportFilter", false);
    writeReports(out, "nameReportFilter", true);
    writeExtras(out);
    writeEgress(out);
    writePort(out);
    std::fprintf(out, "\n} // namespace glovebox::launcher\n");
    return std::fclose(out) == 0 ? 0 : 1;
}
