// SPDX-License-Identifier: Apache-2.0
#include "formernames.h"

#include "engine/sqlite/sqlite.h"

namespace glovebox {

using namespace Qt::StringLiterals;

Result<QList<NameSpan>> spansOfName(const AuditReader &reader, const QString &name, qint64 sinceMicroseconds)
{
    // From the newest entry back to the first that is too old: of a log of years, only the last days are read.
    constexpr auto changes =
        "SELECT seq, json FROM entries WHERE kind IN ('secret.added', 'secret.renamed') AND seq > coalesce("
        "(SELECT seq FROM entries WHERE time_us < ?1 ORDER BY seq DESC LIMIT 1), 0) ORDER BY seq DESC";
    struct Change
    {
        qint64 seq = 0;
        QByteArray json;

        bool operator==(const Change &) const = default;
    };
    ASSIGN_OR_RETURN(const QList<Change> found, reader.ask([&](const Connection &connection) {
        return connection.rows(
            changes, [](const Statement &row) { return Change{row.integer(0), row.blob(1)}; }, sinceMicroseconds);
    }));
    QList<NameSpan> spans{{.name = name}};
    for (const Change &change : found) {
        NameSpan &current = spans.last();
        ASSIGN_OR_RETURN(const QJsonObject entry, parseStrictJson(change.json));
        const bool isRenamed = entry.contains("new_name"_L1);
        if (entry.value(isRenamed ? "new_name"_L1 : "name"_L1).toString() != current.name)
            continue;
        current.from = change.seq;
        if (!isRenamed)
            break;
        spans.append({.name = entry.value("name"_L1).toString(), .before = change.seq});
    }
    return spans;
}

} // namespace glovebox
