// SPDX-License-Identifier: Apache-2.0
// A content-addressed store for bodies: code, output, and files that runs made.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QList>
#include <QSet>
#include <QString>

#include <functional>
#include <memory>

namespace glovebox {

// Files named by the SHA-256 of their content, <folder>/ab/cdef..., 0600. Written to a temporary name, synced, renamed, the
// folder synced: after put() returned, the body is there also after a power cut. Thread-safe, also between programs.
class ContentStore
{
public:
    enum class Syncing {
        Each, // body
        Together, // put() and keep() don't wait for the disk: after a power cut a body is there only if sync() came before
    };
    explicit ContentStore(QString folder, Syncing syncing = Syncing::Each)
        : m_folder(std::move(folder))
        , m_syncing(syncing)
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

    // Hands the body over piece by piece, and says at the end whether it was the right one: nobody may rely on it before.
    // to: its error ends it; null: the body is only verified. Not of what is held.
    using Pass = std::function<Status(QByteArrayView piece)>;
    Status pass(const QByteArray &digest, const Pass &to) const;

    // A body that only the person may have kept: a lent secret is in it. get() and pass() don't know it. NotFound, Damaged.
    Status verifyWithheld(const Held &held) const;
    // Is as if put() had stored it. Done already: nothing is done. NotFound.
    Status release(const Held &held) const;

    // What removeUnused() did.
    struct Removed
    {
        qint64 files = 0;
        qint64 bytes = 0;
        QList<QByteArray>
            recent; // not removed: some program stored them within the last hour, and may be about to rely on them

        bool operator==(const Removed &) const = default;
    };
    // Removes bodies on which nothing on record relies. Safe beside programs that are storing the same: those find it there after
    // this, or store it again. By one program at a time, as takeBack() is, and after it; what isn't there is no error.
    Result<Removed> removeUnused(const QList<QByteArray> &digests) const;
    // Puts back what a program that was killed in removeUnused() had set aside, and makes the store ready for the next one. An error:
    // nothing can be removed.
    Status takeBack() const;
    // Done already: nothing is done.
    Status removeWithheld(const Held &held) const;

    // Everything that was stored lasts.
    Status sync() const;
    // Has a body of the other store here, too: as another name of the same file, or a copy where the file system has no such names. The
    // content isn't looked at. NotFound.
    Status share(const ContentStore &other, const QByteArray &digest) const;
    // Removes every body but these, for a store that only the caller uses; bytes of the files that are left.
    Result<qint64> removeAllBut(const QSet<QByteArray> &digests) const;

    // Removes what programs that are gone had begun to store, and what has been withheld for more than thirty days.
    void recover() const;

    const QString &folder() const { return m_folder; }

private:
    friend class IncomingBody;
    QString pathOf(const QByteArray &digest) const;
    QString heldFolder() const { return m_folder + QStringLiteral("/held"); }
    QString withheldFolder() const { return m_folder + QStringLiteral("/withheld"); }
    QString incomingFolder() const { return m_folder + QStringLiteral("/incoming"); }
    QString asideFolder() const { return m_folder + QStringLiteral("/aside"); }
    QString asidePathOf(const QByteArray &digest) const;
    // Verifies what is there, and keeps removeUnused() from it for an hour.
    bool claim(const QByteArray &digest) const;
    QString pathOf(const Held &held) const;
    QString withheldPathOf(const Held &held) const;
    Result<QByteArray> read(const QByteArray &digest, const QString &path) const;
    Status passFrom(const QString &path, const QByteArray &digest, const Pass &to) const;
    Status settle(const QStringList &folders, const QString &path) const; // syncs, unless that comes later
    QString m_folder;
    Syncing m_syncing;
};

// A body on its way into the store, whose digest is known when all of it is there. Gone with this object, or with a program that was
// killed (recover()), unless it was kept. Used by one thread at a time.
class IncomingBody
{
public:
    // The store outlives it. expectedBytes: a guess; Full where so many don't fit, before the others on that disk have none left.
    static Result<IncomingBody> begin(const ContentStore &store, qint64 expectedBytes);
    ~IncomingBody();
    IncomingBody(IncomingBody &&) noexcept;

    Status add(QByteArrayView bytes); // Full, and other errors: nothing is kept
    // One of these, once. Returns the digest when the body is there also after a power cut.
    Result<QByteArray> keep();
    Result<QByteArray> withhold(const QString &owner);

private:
    struct Private;
    explicit IncomingBody(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
