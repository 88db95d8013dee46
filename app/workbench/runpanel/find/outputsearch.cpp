// SPDX-License-Identifier: Apache-2.0
#include "outputsearch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto sliceOfLines = 6ms;

qint64 steadyNanoseconds()
{
    return std::chrono::steady_clock::now().time_since_epoch() / 1ns;
}

} // namespace

OutputSearch::OutputSearch(OutputView *view)
    : QObject(view)
    , m_view(view)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &OutputSearch::goOn);
    connect(view, &OutputView::logChanged, this, &OutputSearch::stop);
}

void OutputSearch::goOn()
{
    m_sliceEnd = steadyNanoseconds() + sliceOfLines / 1ns;
    if (!m_slice())
        m_next.start(0);
}

bool OutputSearch::isOver() const
{
    return steadyNanoseconds() >= m_sliceEnd;
}

void OutputSearch::find(const LineMatcher &matcher, From from, bool wraps, std::function<void(End)> end)
{
    stop();
    const bool backward = from == From::Previous;
    m_matcher = matcher;
    m_view->setMarked(matcher);
    if (matcher.isEmpty() || !m_view->log() || m_view->log()->lines().isEmpty())
        return end(End::NotFound);
    const LineStore &lines = m_view->log()->lines();
    m_from = m_view->currentMatch().value_or(backward ? OutputPosition{lines.end() - 1, LineStore::longestLine}
                                                      : OutputPosition{lines.first(), -1});
    m_from.line = std::clamp(m_from.line, lines.first(), lines.end() - 1);
    if (from == From::Here)
        --m_from.character;
    m_step = 0;
    m_backward = backward;
    m_wraps = wraps;
    m_found = std::move(end);
    m_slice = [this] { return findSlice(); };
    goOn();
}

// Once around: the line where it starts comes twice, for what is behind and before the current match.
bool OutputSearch::findSlice()
{
    const LineStore &lines = m_view->log()->lines();
    const qint64 count = lines.end() - lines.first();
    const qint64 from = std::clamp(m_from.line, lines.first(), lines.end() - 1); // lines may have gone meanwhile
    for (bool isFirst = true; m_step <= count; ++m_step, isFirst = false) {
        if (!isFirst && isOver()) // each slice gets on, however late it comes
            return false;
        if (m_matcher.isTooSlow()) {
            m_found(End::TooSlow);
            return true;
        }
        if (const qint64 to = from + (m_backward ? -m_step : m_step);
            !m_wraps && (to < lines.first() || to >= lines.end()))
            break;
        const qint64 step = m_backward ? count - m_step % count : m_step;
        const qint64 number = lines.first() + (from - lines.first() + step) % count;
        const QString &line = lines.line(number).text;
        const LineMatcher::Match match =
            m_backward ? m_matcher.last(line, m_step == 0 ? m_from.character : line.size() + 1)
                       : m_matcher.next(line, m_step == 0 ? std::max(m_from.character + 1, 0) : 0);
        if (match.start < 0 || !m_view->isShown(number))
            continue;
        m_view->showMatch({number, int(match.start)});
        m_found(End::Found);
        return true;
    }
    if (m_wraps)
        m_view->clearCurrentMatch();
    m_found(End::NotFound);
    return true;
}

void OutputSearch::count(const LineMatcher &matcher, bool withOurs, std::function<void(const Count &)> end)
{
    stop();
    m_matcher = matcher;
    m_count = {};
    m_withOurs = withOurs;
    m_counted = std::move(end);
    if (!m_view->log())
        return m_counted(m_count);
    m_line = m_view->log()->lines().first();
    m_slice = [this] { return countSlice(); };
    goOn();
}

bool OutputSearch::countSlice()
{
    const LineStore &lines = m_view->log()->lines();
    m_line = std::max(m_line, lines.first());
    for (bool isFirst = true; m_line < lines.end(); ++m_line, isFirst = false) {
        if (!isFirst && isOver())
            return false;
        if (m_matcher.isTooSlow()) {
            m_counted({});
            return true;
        }
        const OutputLine &line = lines.line(m_line);
        if ((line.isOurs() && !m_withOurs) || !m_view->isShown(m_line))
            continue;
        if (const auto &current = m_view->currentMatch(); current && current->line == m_line)
            m_count.number = m_count.matches + m_matcher.count(line.text, current->character) + 1;
        m_count.matches += m_matcher.count(line.text);
    }
    m_counted(m_count);
    return true;
}

} // namespace glovebox
