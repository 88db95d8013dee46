// SPDX-License-Identifier: Apache-2.0
// Makes a session's files in a run's workspace, and tells later which of them nobody touched.
#pragma once

#include "sessions.h"

namespace glovebox {

// Returns the files as they were made. owner: whom they are made as; nobody: this user. The errors of SessionUse::fill().
Result<Stamps> fillWorkspace(const ContentStore &store, const SessionTree &tree, const SessionWorkspace &workspace,
                             const std::optional<HostIdentity> &owner);

// Makes of the files of a state those of another one; nothing else in the workspace is touched. state: becomes what is there.
Status refreshWorkspace(const ContentStore &store, SessionState &state, const SessionTree &tree,
                        const SessionWorkspace &workspace, const std::optional<HostIdentity> &owner);

} // namespace glovebox
