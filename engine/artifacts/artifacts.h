// SPDX-License-Identifier: Apache-2.0
// The room's public header: a content-addressed store for bodies (code and output; files that a run made, later).
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QList>
#include <QString>

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
    // Verifies the digest; Damaged if it doesn't match, NotFound if it isn't there. Also of what is held.
    Result<QByteArray> get(const QByteArray &digest) const;

    // A body that may have to go again, as one that many rely on can't: it has an owner (some id) and is no other's.
    struct Held
    {
        QByteArray digest;
        QString owner;

        bool operator==(const Held &) const = default;
    };
    Status hold(const Held &held, QByteArrayView body) const;
    // Is as if put() had stored it. Nothing is held any more: all is done.
    Status keep(const Held &held) const;
    Status drop(const Held &held) const;
    // All that any program holds.
    QList<Held> allHeld() const;

    const QString &folder() const { return m_folder; }

private:
    QString pathOf(const QByteArray &digest) const;
    QString heldFolder() const { return m_folder + QStringLiteral("/held"); }
    QString pathOf(const Held &held) const;
    Result<QByteArray> read(const QByteArray &digest, const QString &path) const;
    QString m_folder;
};

} // namespace glovebox
