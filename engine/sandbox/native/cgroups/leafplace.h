// SPDX-License-Identifier: Apache-2.0
// Where the leaves of one spawner go: the folder glovebox-<engine>.<spawner> in the machine's cgroup hierarchies, made by the
// engine, given to the user of runs, removed with the spawner. The engine holds a flock(2) on each, and the spawner shares it:
// who can take it knows that both are gone.
#pragma once

#include "engine/base/base.h"
#include "engine/launcher/plan.h"
#include "engine/policy/policy.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace glovebox::native {

class LeafPlace
{
public:
    // Each makes the folders or says what failed; nothing of a failed attempt stays.
    // v1: a folder of each hierarchy, below this program's own cgroup, so that what bounds it bounds its runs. Root only.
    static Result<std::unique_ptr<LeafPlace>> makeCgroup1(const std::string &name, HostIdentity identity);
    // v2: below the nearest cgroup at or above this program's where that is allowed; moves the spawner into it.
    static Result<std::unique_ptr<LeafPlace>> makeCgroup2(const std::string &name, HostIdentity identity,
                                                          pid_t spawner);

    // v2, in a scope that systemd makes for the spawner.
    static Result<std::unique_ptr<LeafPlace>> makeScope(const std::string &name, HostIdentity identity, pid_t spawner);

    ~LeafPlace();
    LeafPlace(const LeafPlace &) = delete;
    LeafPlace &operator=(const LeafPlace &) = delete;

    launcher::LeafKind kind() const { return m_kind; }
    const std::string &name() const { return m_name; }
    std::vector<std::string> controllers() const; // of each folder
    std::vector<int> descriptors() const; // the same order
    bool boundsCpuShare() const;

private:
    struct Folder
    {
        std::string controllers;
        std::string path;
        UniqueFd descriptor;
    };
    LeafPlace(launcher::LeafKind kind, std::string name)
        : m_kind(kind)
        , m_name(std::move(name))
    {
    }
    Status add(const std::string &parent, const std::string &controllers);
    Status giveTo(HostIdentity identity) const;
    Status takeControllers(const std::string &parent, pid_t spawner);

    launcher::LeafKind m_kind;
    std::string m_name;
    bool m_isScope = false;
    std::vector<Folder> m_folders;
};

// Decided by trying, best first: attempt sends the place to the spawner and returns what that said. Null: nobody counts.
std::unique_ptr<LeafPlace> settleLeaves(const std::string &name, HostIdentity identity, pid_t spawner,
                                        const std::function<Status(const LeafPlace &)> &attempt);

// Removes folders of spawners that are gone with their engines.
void removeAbandonedPlaces();

} // namespace glovebox::native
