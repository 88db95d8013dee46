// SPDX-License-Identifier: Apache-2.0
// The install's Ed25519 key, which will sign what it says about runs. Made once; where it lives is recorded once.
#pragma once

#include "secretvalue.h"

#include "engine/audit/audit.h"

namespace glovebox {

struct SigningKey
{
    QString place; // "file"
    QString file; // where it is
    QByteArray publicKey; // 32 bytes (RFC 8032)
    SecretValue seed; // 32 bytes: the private key
};

// Blocks for the disk. Makes the key when none was ever recorded, or takes over one that a killed program left unrecorded. Else it is
// the recorded one or an error, and never a second one: NotFound, PermissionDenied, Damaged (or another key).
Result<SigningKey> openSigningKey(const QString &file, const QString &auditFile, AuditLog &log, const Caller &caller);

} // namespace glovebox
