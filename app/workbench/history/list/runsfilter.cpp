// SPDX-License-Identifier: Apache-2.0
// Which runs the list is to have.
#include "runsmodel.h"

namespace glovebox {

void RunsModel::stop()
{
    *m_wanted = -1;
}

BodyLook RunsModel::look() const
{
    if (!m_store || m_filter.contains.isEmpty()) // isInBodies()
        return {};
    return [store = *m_store, text = m_filter.contains, wanted = m_wanted, number = m_generation](
               const QByteArray &digest) { return isInBody(store, digest, text, [&] { return *wanted == number; }); };
}

bool RunsModel::isFiltered() const
{
    return m_filter.outcome || !m_filter.language.isEmpty() || m_filter.callerKind || !m_filter.contains.isEmpty()
           || !m_filter.secret.isEmpty() || !m_filter.pairing.isEmpty() || !m_filter.program.isEmpty()
           || m_filter.selfTest || m_filter.sinceMicroseconds || m_filter.untilMicroseconds;
}

bool RunsModel::matches(const RunRow &row) const
{
    return (!m_filter.sinceMicroseconds || row.timeMicroseconds >= *m_filter.sinceMicroseconds)
           && (!m_filter.untilMicroseconds || row.timeMicroseconds < *m_filter.untilMicroseconds)
           && (!m_filter.outcome || row.outcome == m_filter.outcome)
           && (m_filter.language.isEmpty() || row.language == m_filter.language)
           && (!m_filter.callerKind || row.callerKind == *m_filter.callerKind)
           && (m_filter.program.isEmpty() || row.callerName == m_filter.program)
           && (!m_filter.selfTest || row.isSelfTest() == *m_filter.selfTest)
           && (m_filter.contains.isEmpty() || isInBodies()
               || row.firstLine.contains(m_filter.contains, Qt::CaseInsensitive));
}

QList<RunRow> RunsModel::wantedOf(const News &news)
{
    QList<RunRow> wanted;
    const auto take = [&](const RunRow &row, bool isCounted) {
        if (!matches(row) || (isByEntry() && !news.found.contains(row.seq)))
            return;
        if (!isFolded(row))
            wanted.append(row);
        else if (!isCounted)
            ++m_folded;
    };
    for (const RunRow &row : news.rows)
        take(row, false);
    for (const RunRow &row : news.finished) {
        const bool comesLater = !m_complete && row.seq < m_lookedAt; // with what is read on
        if (!comesLater)
            take(row, !m_filter.outcome); // by an outcome, it is found only now
    }
    return wanted;
}

} // namespace glovebox
