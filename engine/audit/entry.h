// SPDX-License-Identifier: Apache-2.0
// The exact text of entries. What is built here is hashed and can never be changed: a new field means a new "v".
#pragma once

#include "audit.h"

namespace glovebox {

// What every entry begins with.
struct EntryHead
{
    qint64 seq = 0;
    qint64 timeMicroseconds = 0;
    QString engine; // the one that writes the entry

    bool operator==(const EntryHead &) const = default;
};

QString kindOf(SecretEntry::Change change); // "secret.added", ...

// InvalidInput when a commitment is incomplete or a text can't be JSON.
Result<QByteArray> acceptedJson(const EntryHead &head, const AcceptedEntry &entry);
Result<QByteArray> finishedJson(const EntryHead &head, const FinishedEntry &entry);
Result<QByteArray> foldersJson(const EntryHead &head, const FoldersEntry &entry);
Result<QByteArray> secretJson(const EntryHead &head, const SecretEntry &entry);
Result<QByteArray> keyJson(const EntryHead &head, const KeyEntry &entry);
Result<QByteArray> interruptedJson(const EntryHead &head, const QString &run);

// RFC 6962, section 2.1: the 0x00 keeps a leaf from being taken for an inner node.
QByteArray leafHash(QByteArrayView json);

} // namespace glovebox
