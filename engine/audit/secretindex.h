// SPDX-License-Identifier: Apache-2.0
// The tables beside the log that are no entries: the index of secrets, and what the install is known by.
#pragma once

#include "audit.h"
#include "sqlite.h"

namespace glovebox {

// Inside the transaction that also takes the entry.
Status changeSecret(Connection &connection, const SecretEntry &entry, qint64 nowMicroseconds);
Status countUses(Connection &connection, const SecretUses &uses, qint64 nowMicroseconds);
Status recordKey(Connection &connection, const KeyEntry &entry);

Result<QList<SecretInfo>> readSecrets(const Connection &connection);
Result<InstallRecord> readInstall(const Connection &connection);

} // namespace glovebox
