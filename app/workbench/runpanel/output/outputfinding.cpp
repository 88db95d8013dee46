// SPDX-License-Identifier: Apache-2.0
// The matches of a search, and going from match to match.
#include "outputview.h"

#include <QScrollBar>

#include <algorithm>

namespace glovebox {

void OutputView::setMarked(const LineMatcher &matcher)
{
    m_marked = matcher;
    if (matcher.isEmpty())
        m_currentMatch.reset();
    viewport()->update();
}

void OutputView::showMatch(OutputPosition match)
{
    m_currentMatch = match;
    showPosition(match);
    viewport()->update();
}

void OutputView::clearCurrentMatch()
{
    m_currentMatch.reset();
    viewport()->update();
}

void OutputView::clearFind()
{
    setMarked({});
}

bool OutputView::isShown(qint64 line) const
{
    return m_layout.at(m_layout.rowOf(line)).line == line;
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
