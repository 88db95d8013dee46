// SPDX-License-Identifier: Apache-2.0
// Whether a secret may be lent to a run.
#pragma once

#include "vault.h"

namespace glovebox {

// Pure. PermissionDenied with the limit that forbids it.
Status mayLend(const SecretInfo &secret, const SecretBorrower &borrower, qint64 nowMicroseconds);

} // namespace glovebox
