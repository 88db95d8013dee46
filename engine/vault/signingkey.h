// SPDX-License-Identifier: Apache-2.0
// The install's Ed25519 key, which will sign what it says about runs. Made once; where it lives is recorded once.
#pragma once

#include "store.h"

#include "engine/audit/audit.h"

namespace glovebox {

struct SigningKey
{
    QString place; // "file", "keychain"
    QString file; // where it is; empty in the keychain
    QByteArray publicKey; // 32 bytes (RFC 8032)
    SecretValue seed; // 32 bytes: the private key
};

struct SigningKeyPlaces
{
    QString file;
    SecretStore *keychain = nullptr; // null: there is none
    QString chosen; // for a key that is to be made; later on the record says where it is
};

// Blocks for the disk or the keychain. Makes the key when none was ever recorded, or takes over a file that a killed program left
// unrecorded. Else it is the recorded one or an error, and never a second one, nor one in another place: NotFound,
// PermissionDenied, Damaged (or another key), and those of the keychain.
Result<SigningKey> openSigningKey(const SigningKeyPlaces &places, const QString &auditFile, AuditLog &log,
                                  const Caller &caller, const Patience &patience);

} // namespace glovebox
