// SPDX-License-Identifier: Apache-2.0
// Whether this program sees the machine's users as they are.
#pragma once

namespace glovebox {

// Not the machine's own user namespace: another sandbox, a container, or "unshare -U". There the machine's root, or other users, may have
// no id (user_namespaces(7)). False where /proc/self/uid_map can't be read.
bool isInUserNamespace();

} // namespace glovebox
