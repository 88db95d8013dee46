// SPDX-License-Identifier: Apache-2.0
#include "exported.h"

#include "engine/audit/entry.h"

#include <QJsonDocument>

#include <algorithm>
#include <limits>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 linesARange = 256;

std::unexpected<Error> notWhole(qint64 seq)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine",
                                  "Entry %1 of the log isn't as it was written, or is missing, so nothing was "
                                  "exported. \"glovebox audit verify\" says more."),
                {QString::number(seq)});
}

} // namespace

Result<TreeHead> exportLog(const AuditReader &reader, const std::function<Status(QByteArrayView line)> &write)
{
    MerkleTree tree;
    ASSIGN_OR_RETURN(const qint64 last, reader.lastEntry()); // what is appended meanwhile is for the next time
    while (tree.size() < last) {
        ASSIGN_OR_RETURN(const auto range, reader.entries(tree.size() + 1, linesARange));
        if (range.isEmpty())
            return notWhole(tree.size() + 1);
        for (const StoredEntry &entry : range) {
            const QByteArray leaf = leafHash(entry.json);
            if (entry.seq != tree.size() + 1 || leaf != entry.leaf || entry.json.contains('\n'))
                return notWhole(tree.size() + 1);
            RETURN_IF_ERROR(write(QByteArray(entry.json + '\n')));
            tree.add(leaf);
            if (tree.size() == last)
                break;
        }
    }
    return tree.head();
}

Result<LogVerification> verifyExported(const std::function<Result<QByteArray>()> &next,
                                       const std::optional<TreeHead> &kept)
{
    LogVerification found;
    MerkleTree tree;
    const auto takeHead = [&] {
        if (kept && kept->size == tree.size())
            found.isAsKept = tree.head() == *kept;
    };
    if (kept)
        found.isAsKept = false; // until so many entries were read
    takeHead();
    qint64 number = 1; // of the entry that is to come
    bool isDense = true;
    for (;;) {
        ASSIGN_OR_RETURN(QByteArray line, next());
        if (line.isEmpty())
            break;
        const bool isWhole = line.endsWith('\n');
        if (isWhole)
            line.chop(1);
        const QJsonObject entry = QJsonDocument::fromJson(line).object();
        const qint64 seq = entry["seq"_L1].toInteger();
        if (found.entries == 0 && (seq < 1 || !isWhole))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "The file has no entries of a log: its first line is none. "
                                                         "\"glovebox audit export FILE\" writes such a file.")));
        if (!isWhole || seq < number) {
            found.add({LogFault::What::Misplaced, number, number});
        } else if (seq > number) {
            found.add({LogFault::What::Missing, number, seq - 1});
            isDense = false;
        }
        number = std::max(number, std::min(seq, std::numeric_limits<qint64>::max() - 1)) + 1;
        const qint64 time = entry["time_us"_L1].toInteger();
        if (found.entries++ == 0)
            found.firstMicroseconds = time;
        found.lastMicroseconds = time;
        tree.add(leafHash(line));
        if (isDense)
            takeHead();
        if (!isWhole)
            break; // cut, or no entry at all
    }
    if (isDense)
        found.head = tree.head();
    // exportLog() says a head of all that it writes; what is behind that may be anybody's.
    if (kept && found.entries > kept->size)
        found.add({LogFault::What::Beyond, kept->size + 1, found.entries});
    return found;
}

} // namespace glovebox
