// SPDX-License-Identifier: Apache-2.0
#include "recordedrun.h"

#include <QJsonDocument>

#include <algorithm>
#include <limits>

namespace glovebox {

using namespace Qt::StringLiterals;

QJsonObject parsed(const StoredEntry &entry)
{
    return QJsonDocument::fromJson(entry.json).object();
}

QString runsWord(qint64 runs)
{
    return runs == 1 ? u"1 run"_s : u"%1 runs"_s.arg(runs);
}

namespace {

// How many runs back; nothing: it isn't told so.
std::optional<int> countedBack(const QByteArray &wanted)
{
    if (wanted == "last" || wanted == "latest")
        return 1;
    bool isNumber = false;
    const int number = wanted.toInt(&isNumber);
    return isNumber && number < 0 && number > std::numeric_limits<int>::min() ? std::optional(-number) : std::nullopt;
}

QByteArray digitsOf(const QByteArray &word)
{
    return word.startsWith('#') ? word.sliced(1) : word;
}

} // namespace

bool isLogNumber(const QByteArray &word)
{
    const QByteArray digits = digitsOf(word);
    return !digits.isEmpty() && (word.startsWith('#') || digits.size() < 8)
           && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<QString> findRun(const AuditReader &reader, const QByteArray &wanted, std::optional<StoredEntry> &found)
{
    if (wanted.isEmpty())
        return fail(ErrorCode::InvalidInput, Text("The name of the run is empty (an unset variable?)."));
    if (const auto back = countedBack(wanted)) {
        RunFilter filter;
        for (int left = *back; left > 0;) {
            constexpr int page = 1000;
            filter.limit = std::min(left, page);
            ASSIGN_OR_RETURN(const auto rows, reader.runs(filter));
            if (rows.size() < filter.limit)
                return fail(ErrorCode::NotFound,
                            *back == 1 ? Text("The log has no run yet.")
                                       : Text("The log has fewer than %1 runs.", {QString::number(*back)}));
            left -= filter.limit;
            filter.beforeSeq = rows.last().seq;
            if (left == 0)
                return rows.last().run;
        }
    }
    if (!isLogNumber(wanted)) {
        const auto row = reader.run(QString::fromUtf8(wanted));
        return row ? Result<QString>(row->run) : std::unexpected(row.error());
    }
    const auto entry = reader.entry(digitsOf(wanted).toLongLong());
    if (!entry)
        return std::unexpected(entry.error());
    found = *entry;
    return parsed(*entry).value("run"_L1).toString();
}

} // namespace glovebox
