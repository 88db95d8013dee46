// SPDX-License-Identifier: Apache-2.0
// The engine's end of the line to its one glovebox-spawner.
#pragma once

#include "cgroups/leafplace.h"

#include "engine/sandbox/sandbox.h"

#include "engine/base/base.h"
#include "engine/policy/policy.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace glovebox::native {

// What a launch needs before it knows its run: the launcher has it ready for each, for the first, or makes it when asked.
enum class Ahead { Always, Once, Never };

// A spawner that answered. Thread-safe. Ends (and takes its runs along) when the last owner lets go.
class SpawnerLink
{
public:
    // Starts the program, finds out meanwhile whom runs belong to (Unsupported: nobody), waits until it is prepared (at most
    // 10 s), then finds out who counts what runs use up. withLeaves false: nobody, as on a machine without cgroups.
    static Result<std::shared_ptr<SpawnerLink>> start(const QString &libexec, const QString &engineId, bool withLeaves,
                                                      Ahead ahead);
    ~SpawnerLink();
    SpawnerLink(const SpawnerLink &) = delete;
    SpawnerLink &operator=(const SpawnerLink &) = delete;

    // Unavailable when the spawner is gone.
    Status send(std::string_view message, const std::vector<int> &descriptors = {});
    bool isAlive() const;
    int endDescriptor() const { return m_program.channel(); } // readable: it is gone
    std::uint64_t nextId() { return ++m_lastId; }
    HostIdentity identity() const { return m_identity; }
    launcher::LeafKind leafKind() const { return m_leaves ? m_leaves->kind() : launcher::LeafKind::None; }
    bool boundsCpuShare() const { return m_leaves && m_leaves->boundsCpuShare(); }

private:
    SpawnerLink() = default;
    Status tryLeaves(const LeafPlace &place);

    std::unique_ptr<LeafPlace> m_leaves; // first: it goes when the spawner is gone
    OwnProgram m_program;
    HostIdentity m_identity{};
    std::atomic<std::uint64_t> m_lastId = 0;
};

} // namespace glovebox::native
