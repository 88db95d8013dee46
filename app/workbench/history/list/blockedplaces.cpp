// SPDX-License-Identifier: Apache-2.0
// How many places the runs that are looked at were kept from.
#include "runsmodel.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// In an entry of a run's end. Few have any: the rest needn't be read as JSON.
int blockedPlacesIn(const QByteArray &json)
{
    if (!json.contains(R"("verdict":"denied")"))
        return 0;
    QSet<std::pair<QString, qint64>> places;
    const QJsonArray attempts = QJsonDocument::fromJson(json).object().value("egress"_L1).toArray();
    for (const auto attempt : attempts) {
        if (attempt["verdict"_L1] == "denied"_L1)
            places.insert({attempt["host"_L1].toString(), attempt["port"_L1].toInteger()});
    }
    return int(places.size());
}

} // namespace

// The list itself is read without the entries, which are large.
void RunsModel::countBlocked()
{
    constexpr qsizetype mostKnown = 10'000;
    if (m_countingBlocked || m_error)
        return;
    QList<std::pair<qint64, qint64>> wanted; // seq, finishedSeq
    for (int row = m_firstVisible; row <= m_lastVisible; ++row) {
        if (const RunRow *run = runAt(row); run && run->finishedSeq > 0 && !m_blocked.contains(run->seq))
            wanted.append({run->seq, run->finishedSeq});
    }
    if (wanted.isEmpty())
        return;
    if (m_blocked.size() > mostKnown)
        m_blocked.clear();
    m_countingBlocked = true;
    m_log.ask(
        this,
        [wanted](AuditReader &reader) -> Result<QHash<qint64, int>> {
            QHash<qint64, int> counts;
            for (const auto &[seq, finishedSeq] : wanted) {
                const auto entry = reader.entry(finishedSeq);
                counts.insert(seq, entry ? blockedPlacesIn(entry->json) : 0);
            }
            return counts;
        },
        [this, generation = m_generation](const Result<QHash<qint64, int>> &counts) {
            if (generation != m_generation)
                return;
            m_countingBlocked = false;
            if (!counts) // the list itself tells what is wrong
                return;
            m_blocked.insert(*counts);
            if (const int last = std::min(m_lastVisible, m_count - 1); m_firstVisible <= last)
                Q_EMIT dataChanged(index(m_firstVisible, BlockedColumn), index(last, BlockedColumn));
        });
}

} // namespace glovebox
