// SPDX-License-Identifier: Apache-2.0
// The bytes of the vault file: a header, and what AES-256-GCM made of the values.
//
//   magic "GLVAULT\n" | version 1 | log2 N, r, p of scrypt | salt 32 | check 32 | nonce 12 | digest 32 | ciphertext | tag 16
//
// Numbers are 32 bits, little-endian. scrypt (RFC 7914) makes 64 bytes of passphrase and salt: the key, and what check is the SHA-256
// of, which tells a wrong passphrase from a damaged file. digest is the SHA-256 of all before it, so that a damaged salt isn't taken
// for a wrong passphrase; an attacker can mend it, but the whole header is authenticated with the values, too. The plain text is
// a sequence of name size, name, value size, value; each size 32 bits.
#pragma once

#include "engine/policy/policy.h"
#include "engine/vault/store.h"

#include <QByteArray>

#include <map>

namespace glovebox::vaultfile {

using Values = std::map<QString, SecretValue>;

constexpr qsizetype headerBytes = 8 + 4 + 12 + 32 + 32 + 12 + 32;
constexpr qsizetype tagBytes = 16;
constexpr qsizetype fileMax = 64 * 1024 * 1024; // bytes

struct Header
{
    int log2N = 17, r = 8, p = 1;
    QByteArray salt, check, nonce;

    bool operator==(const Header &) const = default;
};

QByteArray toBytes(const Header &header);
// Damaged; Newer for another version. Work beyond log2 N 20, r 8, p 1 isn't accepted: nobody's file may take all memory.
Result<Header> headerFromBytes(QByteArrayView file);

// What scrypt makes of a passphrase: 64 bytes. Empty: there isn't enough memory for it.
SecretValue derive(const SecretValue &passphrase, const Header &header);
QByteArray checkOf(const SecretValue &derived);

// A whole file. header gets a fresh nonce.
Result<QByteArray> seal(Header header, const SecretValue &derived, const Values &values);
Result<Values> open(QByteArrayView file, const Header &header, const SecretValue &derived);

// The plain text, which was authenticated; Damaged all the same when it makes no sense.
SecretValue plainText(const Values &values);
Result<Values> valuesFrom(QByteArrayView plain);

} // namespace glovebox::vaultfile
