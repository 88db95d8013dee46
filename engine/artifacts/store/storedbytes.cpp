// SPDX-License-Identifier: Apache-2.0
#include "storedbytes.h"

#include "engine/sqlite/sqlite.h"

#include <QDirIterator>
#include <QHash>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

enum class Purpose { Code, Output, Artifact };

struct RecordedPurpose
{
    QByteArray digest;
    Purpose purpose = Purpose::Artifact;

    bool operator==(const RecordedPurpose &) const = default;
};

Result<QHash<QByteArray, Purpose>> purposesOnRecord(const AuditReader &reader)
{
    const auto rows = reader.ask([](const Connection &connection) {
        return connection.rowsIfThere(
            u"bodies"_s,
            "SELECT digest, min(CASE WHEN what = 'code' THEN 0 WHEN what GLOB 'artifact/*' THEN 2 ELSE 1 END) FROM "
            "bodies WHERE digest IS NOT NULL GROUP BY digest",
            [](const Statement &row) {
                return RecordedPurpose{row.blob(0), Purpose(std::clamp<qint64>(row.integer(1), 0, 2))};
            });
    });
    if (!rows)
        return std::unexpected(rows.error());
    QHash<QByteArray, Purpose> purposes;
    for (const RecordedPurpose &row : *rows)
        purposes.insert(row.digest, row.purpose);
    return purposes;
}

} // namespace

Result<StoredBytes> storedBytes(const AuditReader &reader, const ContentStore &store)
{
    ASSIGN_OR_RETURN(const auto purposes, purposesOnRecord(reader));
    StoredBytes stored;
    QDirIterator files(store.folder(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        files.next();
        // <folder>/ab/cdef...; held and withheld bodies are in folders of longer names, under names with an owner.
        const QByteArray digest = QByteArray::fromHex((files.fileInfo().dir().dirName() + files.fileName()).toLatin1());
        const auto purpose = purposes.constFind(digest);
        qint64 &sum = purpose == purposes.constEnd()       ? stored.other
                      : purpose.value() == Purpose::Code   ? stored.code
                      : purpose.value() == Purpose::Output ? stored.output
                                                           : stored.artifacts;
        sum += files.fileInfo().size();
    }
    return stored;
}

} // namespace glovebox
