// SPDX-License-Identifier: Apache-2.0
#include "recordedrun.h"

#include <QJsonDocument>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

QJsonObject parsed(const StoredEntry &entry)
{
    return QJsonDocument::fromJson(entry.json).object();
}

Result<QString> findRun(const AuditReader &reader, const QByteArray &wanted, std::optional<StoredEntry> &found)
{
    const QByteArray digits = wanted.startsWith('#') ? wanted.sliced(1) : wanted;
    const bool isNumber = !digits.isEmpty() && (wanted.startsWith('#') || digits.size() < 8)
                          && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!isNumber) {
        const auto row = reader.run(QString::fromUtf8(wanted));
        return row ? Result<QString>(row->run) : std::unexpected(row.error());
    }
    const auto entry = reader.entry(digits.toLongLong());
    if (!entry)
        return std::unexpected(entry.error());
    found = *entry;
    return parsed(*entry).value("run"_L1).toString();
}

} // namespace glovebox
