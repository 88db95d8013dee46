// SPDX-License-Identifier: Apache-2.0
// The entries of a log in a file that leaves the machine: one a line, byte for byte as the log has them. Who has the file and a tree head
// that came by another way needs neither the log nor the machine.
//
// The file has no hashes: they are those of its lines. So only a tree head shows that a line was changed.
#pragma once

#include "verification.h"

namespace glovebox {

// A longer line is no entry.
constexpr qint64 mostEntryBytes = 64 * mebibyte;

// Hands each line to write, in order, and says what stands for them. Damaged: the log isn't whole, so a copy would hide that; else
// errors of AuditReader and of write.
Result<TreeHead> exportLog(const AuditReader &reader, const std::function<Status(QByteArrayView line)> &write);

// next: the next line with its end, or a part of one that is longer than mostEntryBytes; empty: there is none. Faults are Misplaced, Missing
// and, with a head, Beyond. InvalidInput: the first line is no entry.
Result<LogVerification> verifyExported(const std::function<Result<QByteArray>()> &next,
                                       const std::optional<TreeHead> &kept = {});

} // namespace glovebox
