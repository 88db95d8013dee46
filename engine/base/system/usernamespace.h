// SPDX-License-Identifier: Apache-2.0
// Whether this program sees the machine's users as they are. By POSIX it does.
#pragma once

#include <optional>

#include <sys/types.h>

namespace glovebox {

// Not the machine's own user namespace: another sandbox, a container, or "unshare -U". There the machine's root, or other users, may have
// no id (user_namespaces(7)). False where the system doesn't say.
bool isInUserNamespace();
// Whom files seem to belong to in such a namespace that belong to users without an id there (proc(5), overflowuid).
std::optional<uid_t> uidOfUnmapped();

// Goes into a new one with this user and group alone, and all rights over what is theirs, whatever its permissions. Only a process without
// threads can. False: it may be in there already, and has no such rights; always by POSIX.
bool enterUserNamespaceOfOne();

} // namespace glovebox
