// SPDX-License-Identifier: Apache-2.0
// Where folders may be shown inside: what can be said about a grant without looking at the host.
#pragma once

#include "policy.h"

namespace glovebox {

// InvalidInput with a sentence for the first grant whose place inside is not absolute and plain, is the sandbox's own, or lies
// over another's.
Status checkFolders(const QList<FolderGrant> &folders);

} // namespace glovebox
