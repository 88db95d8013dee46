// SPDX-License-Identifier: Apache-2.0
// What people wrote or programs printed is not in an entry: the entry holds a salted commitment to it.
#pragma once

#include "engine/base/base.h"

namespace glovebox {

class Connection;

// A body that an entry commits to.
struct CommittedBody
{
    QByteArray salt; // 32 random bytes
    QByteArray commitment; // SHA-256(salt || kept bytes), 32 bytes
    QByteArray digest; // SHA-256 of the kept bytes: its name in the content store, 32 bytes
    qint64 bytes = 0; // length before any cap
    qint64 kept = 0; // length of what was committed to

    bool operator==(const CommittedBody &) const = default;
};

// Hashes on the calling thread. totalBytes is the length before a cap; -1: the body is whole.
CommittedBody commitTo(QByteArrayView body, qint64 totalBytes = -1);

// The name by which addBody() has the artifact of this number: "artifact/7".
QString artifactBodyName(qsizetype number);

// InvalidInput when the commitment to what is incomplete.
Status checkWhole(const CommittedBody &body, const QString &what);

// Digest and salt of a body, where retention finds them: inside the transaction that takes the entry seq.
Status addBody(Connection &connection, qint64 seq, const QString &what, const CommittedBody &body);

} // namespace glovebox
