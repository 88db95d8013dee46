// SPDX-License-Identifier: Apache-2.0
// The room's public header: a content-addressed store for bodies (code and output; files that a run made, later).
#pragma once

#include "engine/base/base.h"

#include <QByteArray>

namespace glovebox {

// Files named by the SHA-256 of their content, <folder>/ab/cdef..., 0600. Written to a temporary name, synced, renamed, the
// folder synced: after put() returned, the body is there also after a power cut. Thread-safe, also between programs.
class ContentStore
{
public:
    explicit ContentStore(QString folder)
        : m_folder(std::move(folder))
    {
    }

    // Stores nothing twice. digest must be SHA-256 of body (32 bytes); callers have it already from the commitment.
    Status put(const QByteArray &digest, QByteArrayView body) const;
    // Verifies the digest; Damaged if it doesn't match, NotFound if it isn't there.
    Result<QByteArray> get(const QByteArray &digest) const;

    const QString &folder() const { return m_folder; }

private:
    QString pathOf(const QByteArray &digest) const;
    QString m_folder;
};

} // namespace glovebox
