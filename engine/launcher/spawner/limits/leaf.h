// SPDX-License-Identifier: Apache-2.0
// One cgroup a run, its leaf: where the kernel counts and bounds memory, files, processes and processor time of everything
// inside together. Paths never matter here: the engine opens the folder below which leaves are made (LeafHome) and hands over
// its descriptors, one for cgroup v2, one a hierarchy for v1 (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/).
#pragma once

#include "engine/base/system/descriptor.h"
#include "engine/launcher/protocol.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace glovebox::launcher {

struct LeafLimits
{
    std::uint64_t memory = 0; // bytes, files in memory included
    std::uint64_t processes = 0; // processes and threads at once
    std::uint64_t cpuPercent = 0; // of one processor; 0: no bound
};

// What the kernel counted; without a value where it doesn't count, or the count could not be read.
struct LeafUsage
{
    std::optional<std::uint64_t> cpuMicroseconds;
    std::optional<std::uint64_t> peakMemory;
    std::optional<std::uint64_t> oomKills;
    std::optional<std::uint64_t> refusedForks;
};

struct LeafFolder
{
    std::string controllers; // "memory", "cpu,cpuacct"; for v2 all that may be used
    UniqueFd folder;

    bool controls(const char *controller) const;
};

// Where the leaves of one spawner go. All functions that return a string return what failed, or nothing.
class LeafHome
{
public:
    LeafHome() = default;
    // name: how the folders are called, and every process in a leaf has it in its /proc/PID/cgroup.
    LeafHome(LeafKind kind, std::string name, std::vector<LeafFolder> folders)
        : m_kind(kind)
        , m_name(std::move(name))
        , m_folders(std::move(folders))
    {
    }

    LeafKind kind() const { return m_kind; }
    const std::string &name() const { return m_name; }
    const std::vector<LeafFolder> &folders() const { return m_folders; }

    // The spawner's own place, next to its leaves: under v1 it goes into a leaf and back to fork there. Under v2 the engine
    // has put it where it belongs.
    std::string settle();
    // Back from Leaf::enter().
    void leave() const;

private:
    LeafKind m_kind = LeafKind::None;
    std::string m_name;
    std::vector<LeafFolder> m_folders;
    std::vector<UniqueFd> m_keeper; // v1: the file "tasks" of the keeper, one a folder
};

class Leaf
{
public:
    Leaf() = default;
    // name: one path component, never used before.
    static Leaf make(const LeafHome &home, const std::string &name, std::string &problem);

    explicit operator bool() const { return m_home != nullptr; }
    // Moves it out; what stays is no leaf.
    Leaf take() { return std::exchange(*this, Leaf()); }
    LeafKind kind() const { return m_home ? m_home->kind() : LeafKind::None; }

    std::string bound(const LeafLimits &limits) const;
    // v2: for CLONE_INTO_CGROUP. v1 has no such thing: the spawner enters, forks, and leaves. A thread that moves itself
    // takes no lock of the whole machine; moving a child by its pid costs 8 ms.
    int folder() const { return m_folders.front().get(); }
    std::string enter() const;

    // From outside, before Go: the process is in the leaf, and the limits are what they should be.
    std::vector<Finding> readBack(pid_t pid, const LeafLimits &limits) const;
    LeafUsage usage() const;
    // Bytes; without a value where they can't be read. All that is counted; and of that what processes hold: files, in bytes, is what
    // the run's file system holds, and other shared memory is theirs, too.
    std::optional<std::uint64_t> memory() const;
    std::optional<std::uint64_t> processMemory(std::uint64_t files) const;
    // v1: readable as soon as the leaf is out of memory; a process that is killed then may not be the one that matters. v2
    // kills all of them (memory.oom.group). Invalid where the kernel has no such event.
    UniqueFd watchMemory() const;
    // False while something is still in it.
    bool remove() const;

private:
    // The text that a file of the leaf holds when it keeps a limit.
    struct Bound
    {
        ControlId control;
        int folder;
        const char *file;
        std::string value;
        bool isBytes = false; // which the kernel rounds down to pages

        std::string readBack() const; // empty, or what it holds instead
    };

    std::vector<Bound> boundsOf(const LeafLimits &limits) const;
    bool countsSwap() const; // not every kernel does
    int of(const char *controller) const;

    const LeafHome *m_home = nullptr;
    std::string m_name;
    std::vector<UniqueFd> m_folders; // in the order of the home's
};

} // namespace glovebox::launcher
