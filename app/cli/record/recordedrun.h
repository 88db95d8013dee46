// SPDX-License-Identifier: Apache-2.0
// Finds on record what a person named.
#pragma once

#include "engine/audit/audit.h"

#include <QJsonObject>

#include <optional>

namespace glovebox {

QJsonObject parsed(const StoredEntry &entry);

QString runsWord(qint64 runs); // "1 run", "12 runs"

// Whether the word is a number of the log ("#12" or "12"), not the beginning of an id.
bool isLogNumber(const QByteArray &word);

// The run's whole id, by number ("#12" or "12": ids begin with at least 8 characters), by id, or counted back: "last" or "-1" is the
// latest, "-2" the one before. Empty: the entry of this number, which is found, belongs to no run.
Result<QString> findRun(const AuditReader &reader, const QByteArray &wanted, std::optional<StoredEntry> &found);

} // namespace glovebox
