// SPDX-License-Identifier: Apache-2.0
// Ports of 127.0.0.1 at which Glovebox itself serves this person's agents: no run may reach these, whatever it was granted.
#pragma once

#include "engine/base/base.h"
#include "engine/network/rules/rules.h"

#include <memory>

namespace glovebox {

// Before it listens at 127.0.0.1: from then on the kernel drops what a run sends there, whoever started the run, and when. False:
// errno says why, and it must not listen.
bool keepRunsOut(const UniqueFd &listener);

// Known to all engines of this person with this folder, as long as this lives: what a run is refused by, with a sentence.
class OwnPort
{
public:
    // runtime: the folder of sockets; made where there is none.
    static Result<OwnPort> note(const QString &runtime, quint16 port);
    OwnPort(OwnPort &&) = default;
    OwnPort &operator=(OwnPort &&) = delete;
    ~OwnPort();

private:
    explicit OwnPort(FileLock lock)
        : m_lock(std::make_unique<FileLock>(std::move(lock)))
    {
    }
    std::unique_ptr<FileLock> m_lock;
};

// PermissionDenied: one of these rules would let a run reach such a port. Looks at the folder where a rule is about this machine.
Status checkOwnPorts(const network::Allowlist &rules, const QString &runtime);

} // namespace glovebox
