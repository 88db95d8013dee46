// SPDX-License-Identifier: Apache-2.0
// Going from match to match, and from place to place.
#include "outputview.h"

#include <QScrollBar>

#include <algorithm>

namespace glovebox {

bool OutputView::find(const QString &text, bool matchCase, bool backward, bool wraps)
{
    m_found = text;
    m_matchCase = matchCase;
    viewport()->update();
    if (text.isEmpty() || !m_log || m_layout.rowCount() == 0) {
        m_currentMatch.reset();
        return false;
    }
    const LineStore &lines = m_log->lines();
    const Qt::CaseSensitivity sensitivity = matchCase ? Qt::CaseSensitive : Qt::CaseInsensitive;
    const qint64 count = lines.end() - lines.first();
    OutputPosition at = m_currentMatch.value_or(backward ? OutputPosition{lines.end() - 1, LineStore::longestLine}
                                                         : OutputPosition{lines.first(), -1});
    at.line = std::clamp(at.line, lines.first(), lines.end() - 1);
    // Once around: the line where it starts comes twice, for what is behind and before the current match.
    for (qint64 i = 0; i <= count; ++i) {
        const qint64 step = backward ? count - i % count : i;
        if (const qint64 to = at.line + (backward ? -i : i); !wraps && (to < lines.first() || to >= lines.end()))
            break;
        const qint64 number = lines.first() + (at.line - lines.first() + step) % count;
        const QString &line = lines.line(number).text;
        qsizetype found = -1;
        if (i > 0)
            found = backward ? line.lastIndexOf(text, -1, sensitivity) : line.indexOf(text, 0, sensitivity);
        else if (!backward)
            found = line.indexOf(text, at.character + 1, sensitivity);
        else if (at.character > 0)
            found = line.lastIndexOf(text, at.character - 1, sensitivity);
        if (found < 0 || m_layout.at(m_layout.rowOf(number)).line != number)
            continue;
        m_currentMatch = OutputPosition{number, int(found)};
        showPosition(*m_currentMatch);
        return true;
    }
    if (wraps)
        m_currentMatch.reset();
    return false;
}

void OutputView::clearFind()
{
    m_found.clear();
    m_currentMatch.reset();
    viewport()->update();
}

bool OutputView::goToNextPlace(bool backward)
{
    if (!m_log || m_log->lines().isEmpty())
        return false;
    const LineStore &lines = m_log->lines();
    const OutputPosition edge = backward ? OutputPosition{lines.end(), 0} : OutputPosition{lines.first() - 1, 0};
    const OutputPosition from = m_visitedPlace.value_or(edge);
    const qint64 step = backward ? -1 : 1;
    for (qint64 number = std::clamp(from.line, lines.first(), lines.end() - 1);
         number >= lines.first() && number < lines.end(); number += step) {
        if (lines.line(number).isOurs())
            continue;
        QList<SourcePlace> places = findSourcePlaces(lines.line(number).text);
        if (backward)
            std::ranges::reverse(places);
        for (const SourcePlace &place : places) {
            const OutputPosition position{number, place.start};
            if (backward ? position >= from : position <= from)
                continue;
            m_visitedPlace = position;
            showPosition(position);
            setSelection(position, {number, place.start + place.length});
            Q_EMIT placeActivated(place);
            return true;
        }
    }
    m_visitedPlace.reset(); // the next call starts over
    return false;
}

} // namespace glovebox
