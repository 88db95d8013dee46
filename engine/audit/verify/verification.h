// SPDX-License-Identifier: Apache-2.0
// The whole log, held to its own hashes, and to a tree head that somebody kept elsewhere.
//
// Nothing is signed: whoever can write to the log can also give an entry the hash that it then needs, and every hash that follows. Only a
// tree head that was kept where they could not write shows that.
#pragma once

#include "engine/audit/reader.h"
#include "treehead.h"

#include <functional>

namespace glovebox {

struct LogFault
{
    enum class What {
        Changed, // the entry doesn't have its hash
        Misplaced, // the entry says another number, kind, run or time than the log
        Missing, // these entries aren't there
        Unlisted, // the list of runs says something else than the entries of this run
        Unlogged, // a deletion of code and output is noted that this entry doesn't tell
        Damaged, // the database isn't whole, as LogVerification::damage says; no entry is meant, and the numbers are 0
        Beyond, // these entries of a file came after the tree head that it is held to, so nothing shows that the log has them
    };
    What what = What::Changed;
    qint64 first = 0, last = 0; // numbers of entries; of a run: that of its row in the list
    bool operator==(const LogFault &) const = default;
};

constexpr qsizetype mostFaults = 100;

struct LogVerification
{
    qint64 entries = 0;
    qint64 firstMicroseconds = 0, lastMicroseconds = 0; // 0: no entry
    QList<LogFault> faults; // the first mostFaults
    qint64 faultCount = 0; // all of them
    QString damage; // what SQLite finds broken in the file, in its words; empty: nothing
    std::optional<TreeHead> head; // nothing: entries are missing, so no number of leaves stands for the log
    std::optional<bool> isAsKept; // whether the first entries have the kept head; nothing: none was given

    void add(const LogFault &fault);
    bool isWhole() const { return faultCount == 0 && isAsKept.value_or(true); }
    bool operator==(const LogVerification &) const = default;
};

// Called on the same thread, now and then: so many entries of about so many were read.
using LogProgress = std::function<void(qint64 entries, qint64 all)>;

// Reads all entries that are there when it begins, a range at a time, so that programs append meanwhile. Blocks: a minute for a million
// entries. Errors: those of AuditReader.
Result<LogVerification> verifyLog(const AuditReader &reader, const std::optional<TreeHead> &kept = {},
                                  const LogProgress &progress = {});

// Numbers of those of these entries, in order, that don't have their hashes, or aren't there.
Result<QList<qint64>> changedAmong(const AuditReader &reader, const QList<qint64> &entries);

} // namespace glovebox
