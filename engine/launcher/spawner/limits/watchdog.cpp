// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include "engine/base/system/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

namespace glovebox::launcher {

namespace {

std::string readText(const std::string &path)
{
    return readWhole(UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)).get());
}

std::string folderOf(pid_t pid)
{
    return "/proc/" + std::to_string(pid);
}

// task: a thread's folder in /proc.
void addChildrenIn(const std::string &task, std::vector<pid_t> &children)
{
    const std::string list = readText(task + "/children");
    char *end = nullptr;
    for (const char *at = list.c_str(); const long child = std::strtol(at, &end, 10); at = end) // numbers and blanks
        children.push_back(static_cast<pid_t>(child));
}

struct Member
{
    pid_t pid = -1;
    pid_t parent = -1; // as far as it is of the tree
};

// Any thread may have forked.
void addChildren(pid_t pid, std::vector<Member> &tree)
{
    std::vector<pid_t> children;
    const std::string tasks = folderOf(pid) + "/task";
    DIR *threads = ::opendir(tasks.c_str());
    if (!threads)
        return;
    while (const dirent *thread = ::readdir(threads)) { // NOLINT(concurrency-mt-unsafe): the spawner has one thread
        if (thread->d_name[0] == '.')
            continue;
        addChildrenIn(tasks + "/" + thread->d_name, children);
    }
    ::closedir(threads);
    for (const pid_t child : children)
        tree.push_back({.pid = child, .parent = pid});
}

// The number that follows the word; 0: it isn't there.
unsigned long numberAfter(const std::string &text, const char *word)
{
    const std::size_t at = text.find(word);
    return at == std::string::npos ? 0 : std::strtoul(text.c_str() + at + std::strlen(word), nullptr, 10);
}

// Of what is mapped by several processes each has its part. Bytes.
struct Share
{
    std::uint64_t all = 0;
    std::uint64_t anonymous = 0;
    std::uint64_t shared = 0; // shared memory, files of a tmpfs among it
};

Share proportionalShare(pid_t pid)
{
    const std::string rollup = readText(folderOf(pid) + "/smaps_rollup");
    return {.all = numberAfter(rollup, "\nPss:") * 1024,
            .anonymous = numberAfter(rollup, "\nPss_Anon:") * 1024,
            .shared = numberAfter(rollup, "\nPss_Shmem:") * 1024};
}

// The counts of one process, or of several together.
struct Counted
{
    std::uint64_t resident = 0; // bytes
    std::uint64_t largest = 0; // of it
    std::uint64_t tasks = 0; // threads
    std::uint64_t tables = 0; // bytes of page tables
    std::uint64_t ticks = 0; // of processor time
};

// Page tables grow also where nothing is resident. What there can be of them at most follows from what is mapped.
std::uint64_t pageTables(pid_t pid, std::uint64_t mapped)
{
    constexpr std::uint64_t little = 1 << 20;
    const std::uint64_t most = mapped / 512;
    return most <= little ? 0 : numberAfter(readText(folderOf(pid) + "/status"), "\nVmPTE:") * 1024;
}

// proc(5), stat: what follows the name, which may hold anything. False where it can't be read.
bool addCounted(pid_t pid, Counted &sum)
{
    const std::string stat = readText(folderOf(pid) + "/stat");
    const std::size_t name = stat.rfind(')');
    unsigned long long own[4] = {}; // user, system, and the same of waited-for children
    unsigned long long threads = 0; // 0 of one that is dead and still there
    unsigned long long mapped = 0; // bytes
    unsigned long long resident = 0; // pages
    if (name == std::string::npos
        || std::sscanf( // NOLINT(cert-err34-c): numbers of the kernel
               stat.c_str() + name + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %llu %*d %*u %llu %llu",
               &own[0], &own[1], &own[2], &own[3], &threads, &mapped, &resident)
               != 7)
        return false;
    const std::uint64_t bytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    sum.resident += bytes;
    sum.largest = std::max(sum.largest, bytes);
    sum.tasks += std::max(threads, 1ULL);
    sum.tables += pageTables(pid, mapped);
    for (const unsigned long long part : own)
        sum.ticks += part;
    return true;
}

// Bytes of a process whose share nobody may read; 0 where the process has died since its numbers were read.
std::uint64_t residentOf(pid_t pid)
{
    Counted now;
    return addCounted(pid, now) ? now.resident : 0;
}

// Between vfork(2) and exec a child is in its parent's memory, which must not count twice. Where nobody may compare, it does.
bool sharesMemory(const Member &member)
{
    return member.parent > 0 && ::syscall(SYS_kcmp, member.pid, member.parent, KCMP_VM, 0, 0) == 0;
}

// What a list of the network's sockets says is waiting in them. Each line by itself, as sscanf(3) looks for the end of what it is given: of
// all that follows, with 16,000 sockets, for seconds, in which the run goes unseen.
std::uint64_t queuedIn(const std::string &list)
{
    std::uint64_t bytes = 0;
    for (std::size_t end = list.find('\n'); end != std::string::npos;) {
        const std::size_t begin = end + 1;
        end = list.find('\n', begin);
        const std::string line = list.substr(begin, end == std::string::npos ? end : end - begin);
        unsigned queued[2] = {}; // to be sent, received
        // NOLINTNEXTLINE(cert-err34-c): numbers of the kernel
        if (std::sscanf(line.c_str(), "%*d: %*33[0-9A-F]:%*4x %*33[0-9A-F]:%*4x %*2x %8x:%8x", queued, queued + 1) == 2)
            bytes += std::uint64_t{queued[0]} + queued[1];
    }
    return bytes;
}

// The filter keeps them at what this machine begins with (socket(7)); the last piece may go beyond it.
std::uint64_t mostInUnixSocket()
{
    constexpr std::uint64_t usual = 212'992;
    static const std::uint64_t begun = std::strtoull(readText("/proc/sys/net/core/wmem_default").c_str(), nullptr, 10);
    return 2 * std::max(begun, usual);
}

// What sockets of the run's own network hold that nobody has read yet: the kernel's memory, up to 37 MB for each, and of no
// process. Listing them walks the machine's table of connections, hence only where there are some.
std::uint64_t heldBySockets(pid_t pid)
{
    constexpr unsigned few = 8;
    constexpr std::uint64_t socketItself = 4096; // also one that nobody has accepted yet, hence has no descriptor
    constexpr std::uint64_t freeInUnixSockets = 26 << 20; // full, 64 of them hold this much on most machines
    const std::string folder = folderOf(pid) + "/net/";
    const std::string statistics = readText(folder + "sockstat");
    const std::string statistics6 = readText(folder + "sockstat6");
    std::uint64_t bytes = 0;
    std::uint64_t listed = 0;
    for (const auto &[text, word, list] :
         {std::tuple(&statistics, "TCP: inuse ", "tcp"), std::tuple(&statistics6, "TCP6: inuse ", "tcp6"),
          std::tuple(&statistics, "UDP: inuse ", "udp"), std::tuple(&statistics6, "UDP6: inuse ", "udp6")}) {
        const std::uint64_t sockets = numberAfter(*text, word);
        listed += sockets;
        if (sockets > few)
            bytes += sockets * socketItself + queuedIn(readText(folder + list));
    }
    // What unix sockets hold, no list says: each beyond some counts as full.
    const std::uint64_t full = mostInUnixSocket();
    const std::size_t some = std::clamp<std::uint64_t>(freeInUnixSockets / full, few, 64);
    const std::uint64_t used = numberAfter(statistics, "sockets: used ");
    // A connection that was reset before somebody accepts it is in no list, and stays until then or until its listener is closed.
    if (used > listed + some)
        bytes += (used - listed - some) * socketItself;
    if (used > some) {
        const std::string list = readText(folder + "unix");
        const auto sockets = static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')) - 1;
        bytes += sockets > some && sockets < list.size() ? (sockets - some) * full : 0;
    }
    return bytes;
}

// Of the kernel's memory, by the files and folders of a tmpfs: bwrap makes it without a limit of their number.
std::uint64_t heldByNames(int scratch)
{
    constexpr std::uint64_t nameItself = 1024;
    struct statfs files = {};
    return scratch >= 0 && ::fstatfs(scratch, &files) == 0 ? (files.f_files - files.f_ffree) * nameItself : 0;
}

} // namespace

TreeUse useOfTree(pid_t root, int scratch, MemoryBounds bounds, KernelMemory &kernel)
{
    TreeUse use;
    std::vector<Member> tree{{.pid = root}};
    for (std::size_t i = 0; i < tree.size(); ++i)
        addChildren(tree[i].pid, tree);
    Counted sum;
    bool isRootRead = false;
    std::vector<pid_t> all;
    for (const Member &member : tree) {
        all.push_back(member.pid);
        if (addCounted(member.pid, sum) && member.pid == root)
            isRootRead = true;
    }
    use.largest = sum.largest;
    use.tasks = sum.tasks;
    if (isRootRead)
        use.cpuMicroseconds = sum.ticks * 1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));

    kernel.look(std::move(all));
    const std::uint64_t files = bytesIn(scratch);
    use.memory = files + heldByNames(scratch) + heldBySockets(root) + kernel.bytes() + sum.tables;
    use.processMemory = sum.tables;
    // What each has resident is at least its share and costs nothing to read; the share walks its page tables.
    if (use.processMemory + sum.resident <= bounds.processes / 2 && use.memory + sum.resident <= bounds.together / 2) {
        use.memory += sum.resident;
        use.processMemory += sum.resident;
        use.most = use.memory;
        return use;
    }
    std::uint64_t shared = 0;
    std::uint64_t unread = 0;
    for (const Member &member : tree) {
        if (sharesMemory(member))
            continue;
        const Share share = proportionalShare(member.pid);
        use.memory += share.all;
        use.processMemory += share.anonymous;
        shared += share.shared;
        if (share.all == 0 && member.pid != root)
            unread += residentOf(member.pid);
    }
    use.exact = unread == 0;
    use.most = use.memory + unread;
    use.processMemory += shared - std::min(shared, files);
    return use;
}

std::uint64_t bytesIn(int scratch)
{
    struct statfs files = {};
    if (scratch < 0 || ::fstatfs(scratch, &files) < 0)
        return 0;
    return (files.f_blocks - files.f_bfree) * static_cast<std::uint64_t>(files.f_bsize);
}

std::vector<pid_t> childrenOf(pid_t parent)
{
    std::vector<pid_t> children;
    addChildrenIn(folderOf(parent) + "/task/" + std::to_string(parent), children);
    return children;
}

bool canWatch()
{
    return proportionalShare(::getpid()).all > 0;
}

bool isProcHidden()
{
    return readText("/proc/self/mountinfo").find("hidepid=") != std::string::npos; // not shown where it is off
}

} // namespace glovebox::launcher
