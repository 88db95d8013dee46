// SPDX-License-Identifier: Apache-2.0
// The room's public header: what an install proves itself by. The Ed25519 key, which will sign what the install says about runs, is
// made once, and where it lives is recorded once. (The install's id is the log's: AuditReader::id().)
#pragma once

#include "engine/audit/audit.h"
#include "engine/vault/vault.h"

namespace glovebox {

struct SigningKey
{
    QString place; // "file", "keychain"
    QString file; // where it is; empty in the keychain
    QByteArray publicKey; // 32 bytes (RFC 8032)
    SecretValue seed; // 32 bytes: the private key
};

// What is on record about the key.
struct KeyRecord
{
    QString place; // "file", "keychain"; empty: there is no key yet
    QByteArray publicKey;

    bool operator==(const KeyRecord &) const = default;
};

// Empty for a log of version 1.
Result<KeyRecord> recordedKey(const AuditReader &reader);

// key.created. The log refuses a second one (InvalidInput).
Entry keyCreated(const Caller &caller, const KeyRecord &key);

// Whether a slot of the keychain has a signing key of this install that is not the one on record. None has before there is one: of
// two programs that make one at once, each has its own, and the record says whose counts.
bool isKeyTooMany(const QString &slot, const QString &auditFile);

// Whether the file holds what looks like a whole key, and only its owner can read it. After each run: needs neither OpenSSL, which
// takes longer to load than most runs, nor the log.
bool looksLikeKey(const QString &file);

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
