// SPDX-License-Identifier: Apache-2.0
// How much room bodies take in the store, by what they are on record as.
#pragma once

#include "contentstore.h"

#include "engine/audit/audit.h"

namespace glovebox {

// In bytes of files. A body that is several of these counts as the first of them.
struct StoredBytes
{
    qint64 code = 0;
    qint64 output = 0;
    qint64 artifacts = 0;
    qint64 other = 0; // waits for an answer, is withheld, or is on no record

    bool operator==(const StoredBytes &) const = default;
};

// Looks at every file: blocks for a second where there are 100,000.
Result<StoredBytes> storedBytes(const AuditReader &reader, const ContentStore &store);

} // namespace glovebox
