// SPDX-License-Identifier: Apache-2.0
// The room's public header: the append-only record of what was asked for and how it ended.
//
// One SQLite database (WAL, synchronous=FULL) that several programs share. Entries are canonical JSON, numbered densely from
// 1; triggers refuse to change or delete them. Bodies (what people wrote or programs printed) live in the content store and their
// salts in a table of their own, so that retention can forget a body without touching the entry. leaf is the RFC 6962 leaf hash
// SHA-256(0x00 || entry).
#pragma once

#include "body.h"
#include "entry.h"
#include "kinds/accepted.h"
#include "kinds/called.h"
#include "kinds/finished.h"
#include "kinds/scrubbed.h"
#include "reader.h"
#include "retention/deletion.h"
#include "verify/exported.h"

#include <functional>
#include <memory>

namespace glovebox {

// Appends to the log. Owns the only write connection and the thread it lives on; entries that wait together are committed
// together. All functions are thread-safe.
class AuditLog
{
public:
    using Done = std::function<void(Result<AuditReceipt>)>; // called on the writer's thread after the durable commit

    // Creates the database (0600) if there is none. Errors: Newer (readable with AuditReader), Damaged, Busy (locked by
    // another program for more than 5 s), PermissionDenied, Full, Io; each message says what to do.
    // Closing::Quick is for a program of one run: its entries stay in the WAL, beside the file itself, where they are durable and
    // read by everybody all the same; what moves them later is the first engine that has the time, or a WAL that grows long.
    enum class Closing { InOrder, Quick };
    static Result<std::unique_ptr<AuditLog>> open(const QString &file, const QString &engineId, const Clock &clock,
                                                  Closing closing = Closing::InOrder);
    // Finishes what was appended, then stops the thread.
    ~AuditLog();

    // Errors: those of open(), also when they came later (Newer: a newer version of Glovebox has used the log meanwhile), and
    // what the entry's kind refuses.
    void append(Entry entry, Done done);
    // Blocks until the entry is durable or refused. Not on the writer's thread.
    Result<AuditReceipt> appendNow(Entry entry);

    // Why nothing can be recorded, by the last try; nothing where something can. After a failure this call tries again, and blocks for the
    // disk. Not on the writer's thread.
    std::optional<Error> failure();

    // The same, which always tries: a disk may have filled up since the last entry.
    Status tryWriting();

    // Closes what engines left open whose lock can be taken (or is gone), and removes those lock files: every open run with a
    // run.interrupted entry, and what an entry began (Entry::begins) with the entry that stands for its end. Returns the ids of the
    // runs closed. Never touches what belongs to an engine whose lock is held.
    Result<QStringList> recover(const QString &enginesFolder);

    // Moves everything from the WAL into the file, so that nobody reads in either what was overwritten. Left to a later time where
    // somebody is reading the log at the moment. Blocks; not on the writer's thread.
    void settle();

private:
    struct Private;
    explicit AuditLog(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
