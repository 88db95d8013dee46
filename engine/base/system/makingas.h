// SPDX-License-Identifier: Apache-2.0
// Making files as another user: in a file system of that user's own namespace nobody else can make anything, root included.
#pragma once

#include <QtGlobal>

#include <optional>

namespace glovebox {

// A user of this machine, and a group: whom the processes of runs belong to.
struct HostIdentity
{
    quint32 uid = 0;
    quint32 gid = 0;

    bool operator==(const HostIdentity &) const = default;
};

// Files that this thread makes meanwhile are the owner's; nobody: they are its own. Does nothing but on Linux, where alone there are
// such file systems.
class MakingAs
{
public:
    explicit MakingAs(const std::optional<HostIdentity> &owner);
    ~MakingAs(); // leaves errno as it is
    MakingAs(const MakingAs &) = delete;
    MakingAs &operator=(const MakingAs &) = delete;

private:
    const bool m_isOther;
};

} // namespace glovebox
