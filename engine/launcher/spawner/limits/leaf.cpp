// SPDX-License-Identifier: Apache-2.0
#include "leaf.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace glovebox::launcher {

namespace {

constexpr const char *keeper = "keeper";
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t cpuPeriod = 100'000; // microseconds, the kernel's default
constexpr const char *socketMemory = "memory.kmem.tcp.limit_in_bytes";

// v1 doesn't count what TCP sockets hold as memory, and a run has its loopback device. Each socket gets a little beyond it.
std::uint64_t socketBytes(const LeafLimits &limits)
{
    return limits.memory / 4;
}

std::string failed(const char *what, const std::string &subject)
{
    const char *name = ::strerrorname_np(errno);
    return std::string(what) + " " + subject + ": " + (name ? name : std::to_string(errno));
}

std::string writeAt(int folder, const char *file, const std::string &text)
{
    return writeAtOnce(folder, file, text) ? std::string() : failed("write", file);
}

bool existsAt(int folder, const char *file)
{
    return ::faccessat(folder, file, F_OK, 0) == 0;
}

std::string readAt(int folder, const char *file)
{
    char text[1024];
    const UniqueFd fd(::openat(folder, file, O_RDONLY | O_CLOEXEC));
    const ssize_t size = fd ? ::read(fd.get(), text, sizeof text) : -1;
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

// Nothing when the text begins with no number ("max", or nothing could be read).
std::optional<std::uint64_t> number(std::string_view text)
{
    std::uint64_t value = 0;
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() ? std::optional(value)
                                                                                            : std::nullopt;
}

// The value behind a key at the start of a line.
std::optional<std::uint64_t> keyed(const std::string &text, const std::string &key)
{
    const std::string all = "\n" + text;
    const std::size_t at = all.find("\n" + key + " ");
    return at == std::string::npos ? std::nullopt : number(std::string_view(all).substr(at + key.size() + 2));
}

Finding finding(ControlId control, std::string problem, std::string fact)
{
    const bool ok = problem.empty();
    return {control, ok ? Finding::State::AsPlanned : Finding::State::Missing,
            ok ? std::move(fact) : std::move(problem), Finding::Means::Leaf};
}

bool machineSwaps()
{
    const std::string swaps = readAt(AT_FDCWD, "/proc/swaps"); // one header line, then one line a device
    const std::size_t header = swaps.find('\n');
    return header != std::string::npos && header + 1 < swaps.size();
}

} // namespace

bool LeafFolder::controls(const char *controller) const
{
    return ("," + controllers + ",").find(std::string(",") + controller + ",") != std::string::npos;
}

std::string LeafHome::settle()
{
    if (m_kind != LeafKind::Cgroup1)
        return {};
    for (const LeafFolder &folder : m_folders) {
        if (::mkdirat(folder.folder.get(), keeper, 0755) < 0 && errno != EEXIST)
            return failed("mkdir", folder.controllers);
        const std::string tasks = std::string(keeper) + "/tasks";
        m_keeper.emplace_back(::openat(folder.folder.get(), tasks.c_str(), O_WRONLY | O_CLOEXEC));
        if (!m_keeper.back() || ::write(m_keeper.back().get(), "0", 1) != 1)
            return failed("enter", folder.controllers + " " + tasks);
    }
    return {};
}

void LeafHome::leave() const
{
    for (const UniqueFd &tasks : m_keeper) {
        // It worked once, and nothing about it can have changed: the folder is not removable while its keeper lives.
        if (::write(tasks.get(), "0", 1) != 1)
            ::abort();
    }
}

Leaf Leaf::make(const LeafHome &home, const std::string &name, std::string &problem)
{
    Leaf leaf;
    leaf.m_home = &home;
    leaf.m_name = name;
    for (const LeafFolder &folder : home.folders()) {
        const bool made = ::mkdirat(folder.folder.get(), name.c_str(), 0755) == 0;
        leaf.m_folders.emplace_back(
            made ? ::openat(folder.folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
        if (!leaf.m_folders.back()) {
            problem = failed("make", folder.controllers);
            leaf.remove();
            return {};
        }
    }
    return leaf;
}

int Leaf::of(const char *controller) const
{
    for (std::size_t i = 0; i < m_folders.size(); ++i) {
        if (m_home->folders()[i].controls(controller))
            return m_folders[i].get();
    }
    return -1;
}

std::string Leaf::Bound::readBack() const
{
    const std::string text = readAt(folder, file);
    const auto found = number(text);
    const auto wanted = number(value);
    const bool holds = isBytes ? found && wanted && *found <= *wanted && *wanted - *found < page : text == value + "\n";
    return holds ? std::string() : std::string(file) + " is " + text.substr(0, text.find('\n'));
}

bool Leaf::countsSwap() const
{
    return existsAt(of("memory"), kind() == LeafKind::Cgroup2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes");
}

std::vector<Leaf::Bound> Leaf::boundsOf(const LeafLimits &limits) const
{
    const bool second = kind() == LeafKind::Cgroup2;
    const int memory = of("memory");
    const std::string bytes = std::to_string(limits.memory);
    const std::string period = std::to_string(cpuPeriod);
    const std::string quota = std::to_string(limits.cpuPercent * cpuPeriod / 100);
    std::vector<Bound> bounds;
    if (second)
        bounds = {{ControlId::Memory, memory, "memory.max", bytes, true},
                  {ControlId::Memory, memory, "memory.oom.group", "1"}};
    else
        bounds = {{ControlId::Memory, memory, "memory.limit_in_bytes", bytes, true},
                  {ControlId::Memory, memory, socketMemory, std::to_string(socketBytes(limits)), true}};
    if (countsSwap())
        bounds.push_back(second ? Bound{ControlId::Memory, memory, "memory.swap.max", "0"}
                                : Bound{ControlId::Memory, memory, "memory.memsw.limit_in_bytes", bytes, true});
    bounds.push_back({ControlId::Processes, of("pids"), "pids.max", std::to_string(limits.processes)});
    if (limits.cpuPercent != 0)
        bounds.push_back(second ? Bound{ControlId::CpuShare, of("cpu"), "cpu.max", quota + " " + period}
                                : Bound{ControlId::CpuShare, of("cpu"), "cpu.cfs_quota_us", quota});
    return bounds;
}

std::string Leaf::bound(const LeafLimits &limits) const
{
    for (const Bound &bound : boundsOf(limits)) {
        if (std::string problem = writeAt(bound.folder, bound.file, bound.value); !problem.empty())
            return problem;
    }
    return {};
}

std::string Leaf::enter() const
{
    for (std::size_t i = 0; i < m_folders.size(); ++i) {
        if (std::string problem = writeAt(m_folders[i].get(), "tasks", "0"); !problem.empty()) {
            m_home->leave();
            return m_home->folders()[i].controllers + ": " + problem;
        }
    }
    return {};
}

std::vector<Finding> Leaf::readBack(pid_t pid, const LeafLimits &limits) const
{
    const bool second = kind() == LeafKind::Cgroup2;
    const std::string source = second ? "cgroup v2" : "cgroup v1";
    // "4:memory:/...", with v2 "0::/..."; each of ours ends in the leaf's own name.
    const std::string membership = readAt(AT_FDCWD, ("/proc/" + std::to_string(pid) + "/cgroup").c_str());
    const auto place = [&](const char *controller) -> std::string {
        for (std::size_t at = 0; at < membership.size();) {
            const std::size_t end = std::min(membership.find('\n', at), membership.size());
            const std::string line = membership.substr(at, end - at);
            at = end + 1;
            const std::size_t first = line.find(':');
            const std::size_t path = line.find(':', first + 1);
            if (path == std::string::npos)
                continue;
            const LeafFolder names{line.substr(first + 1, path - first - 1), {}};
            if (second ? line.starts_with("0::") : names.controls(controller))
                return line.ends_with("/" + m_home->name() + "/" + m_name) ? std::string()
                                                                           : "not in its cgroup: " + line;
        }
        return std::string("not in a cgroup of ") + controller;
    };
    const std::vector<Bound> bounds = boundsOf(limits);
    const auto check = [&](ControlId control, const char *controller) {
        std::string problem = place(controller);
        for (const Bound &bound : bounds) {
            if (problem.empty() && bound.control == control)
                problem = bound.readBack();
        }
        return problem;
    };

    std::string unbounded = check(ControlId::Memory, "memory");
    if (unbounded.empty() && (!memory() || !processMemory(0)))
        unbounded = "can't read memory.stat";
    std::vector<Finding> findings{finding(ControlId::Memory, std::move(unbounded), source)};
    if (Finding &found = findings.back(); found.state == Finding::State::AsPlanned && !countsSwap() && machineSwaps()) {
        found.state = Finding::State::Weaker;
        found.detail += ", swap not limited";
    }
    findings.push_back(finding(ControlId::Processes, check(ControlId::Processes, "pids"), source));
    const std::string counter = second ? "cpu.stat" : "cpuacct.usage";
    std::string uncounted = check(ControlId::CpuTime, second ? "cpu" : "cpuacct");
    if (uncounted.empty() && readAt(second ? m_folders.front().get() : of("cpuacct"), counter.c_str()).empty())
        uncounted = "can't read " + counter;
    findings.push_back(finding(ControlId::CpuTime, std::move(uncounted), source));
    if (limits.cpuPercent != 0)
        findings.push_back(finding(ControlId::CpuShare, check(ControlId::CpuShare, "cpu"), source));
    return findings;
}

LeafUsage Leaf::usage() const
{
    LeafUsage usage;
    const int memory = of("memory");
    if (kind() == LeafKind::Cgroup2) {
        usage.cpuMicroseconds = keyed(readAt(m_folders.front().get(), "cpu.stat"), "usage_usec");
        usage.peakMemory = number(readAt(memory, "memory.peak")); // since Linux 5.19
        usage.oomKills = keyed(readAt(memory, "memory.events"), "oom_kill");
    } else {
        if (const auto nanoseconds = number(readAt(of("cpuacct"), "cpuacct.usage")))
            usage.cpuMicroseconds = *nanoseconds / 1000;
        usage.peakMemory = number(readAt(memory, "memory.max_usage_in_bytes"));
        usage.oomKills = keyed(readAt(memory, "memory.oom_control"), "oom_kill");
    }
    usage.refusedForks = keyed(readAt(of("pids"), "pids.events"), "max");
    return usage;
}

std::optional<std::uint64_t> Leaf::memory() const
{
    return number(readAt(of("memory"), kind() == LeafKind::Cgroup2 ? "memory.current" : "memory.usage_in_bytes"));
}

std::optional<std::uint64_t> Leaf::processMemory(std::uint64_t files) const
{
    const std::string counts = readAt(of("memory"), "memory.stat");
    const auto own = keyed(counts, kind() == LeafKind::Cgroup2 ? "anon" : "rss");
    const auto shared = keyed(counts, "shmem");
    if (!own || !shared)
        return std::nullopt;
    return *own + keyed(counts, "swap").value_or(0) + *shared - std::min(*shared, files);
}

UniqueFd Leaf::watchMemory() const
{
    const int memory = of("memory");
    if (kind() != LeafKind::Cgroup1 || memory < 0)
        return {};
    UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const UniqueFd control(::openat(memory, "memory.oom_control", O_RDONLY | O_CLOEXEC));
    if (!event || !control
        || !writeAt(memory, "cgroup.event_control", std::to_string(event.get()) + " " + std::to_string(control.get()))
                .empty())
        return {};
    return event;
}

bool Leaf::remove() const
{
    bool gone = true;
    for (std::size_t i = 0; i < m_folders.size(); ++i) {
        if (::unlinkat(m_home->folders()[i].folder.get(), m_name.c_str(), AT_REMOVEDIR) < 0 && errno != ENOENT)
            gone = false;
    }
    return gone;
}

} // namespace glovebox::launcher
