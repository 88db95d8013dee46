// SPDX-License-Identifier: Apache-2.0
#include "keptreader.h"

#include "app/workbench/editor/findbar.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/runpanel/shownrun.h"

#include <algorithm>

namespace glovebox {

KeptReader::KeptReader(WorkbenchContext &context, OutputView *view, FindBar *bar)
    : QObject(view)
    , m_context(context)
    , m_view(view)
    , m_bar(bar)
    , m_search(new OutputSearch(view))
    , m_wanted(std::make_shared<std::atomic<int>>(0))
{
}

KeptReader::~KeptReader()
{
    ++*m_wanted;
}

void KeptReader::setRun(ShownRun *run)
{
    ++*m_wanted;
    m_run = run;
    m_known = false;
    m_kept = {};
    showLatest();
    if (run && run->isDone())
        runFinished();
}

// What was left out while it ran, since nobody reads megabytes a second, and what the view let go.
bool KeptReader::hasMore() const
{
    return m_run && (m_run->log().lines().dropped() > 0 || m_run->log().skippedBytes() > 0);
}

void KeptReader::runFinished()
{
    if (hasMore())
        readPages({}, [this] { Q_EMIT changed(); });
}

qint64 KeptReader::latestLines() const
{
    return m_run ? m_run->log().lines().end() - m_run->log().lines().first() : 0;
}

bool KeptReader::hasEarlier() const
{
    return m_known && hasMore() && (m_index > 0 || (m_index < 0 && !m_kept.pages.isEmpty()));
}

bool KeptReader::hasLater() const
{
    return m_index >= 0;
}

void KeptReader::showEarlier()
{
    if (!hasEarlier())
        return;
    if (m_index > 0)
        return showPage(m_index - 1);
    // The page before the latest lines, or the one that they begin in.
    const qint64 first = m_kept.lines - latestLines();
    const auto at =
        std::ranges::find_if(m_kept.pages, [&](const KeptPage &page) { return page.firstLine + page.lines >= first; });
    showPage(std::min<qsizetype>(at - m_kept.pages.begin(), m_kept.pages.size() - 1));
}

void KeptReader::showLater()
{
    if (m_index >= 0 && m_index + 1 < m_kept.pages.size())
        showPage(m_index + 1);
    else if (m_index >= 0)
        showLatest();
}

QString KeptReader::sentence() const
{
    if (!m_run || !m_known || !hasMore())
        return {};
    if (m_index >= 0) {
        const KeptPage &page = m_kept.pages[m_index];
        return tr("Lines %L1 to %L2 of %L3").arg(page.firstLine + 1).arg(page.firstLine + page.lines).arg(m_kept.lines);
    }
    return m_run->log().lines().dropped() > 0 ? tr("The latest %L1 of %L2 lines").arg(latestLines()).arg(m_kept.lines)
                                              : tr("%L1 lines are kept: beginning and end").arg(m_kept.lines);
}

void KeptReader::showLatest()
{
    m_index = -1;
    m_view->setLog(m_run ? &m_run->log() : nullptr);
    Q_EMIT changed();
}

// then: when it is shown.
void KeptReader::showPage(qsizetype index, const std::function<void()> &then)
{
    if (!m_run)
        return;
    const int generation = ++*m_wanted;
    inBackground(
        m_context.pool(), this,
        [run = m_run->run(), page = m_kept.pages[index]] {
            return std::make_shared<LineStore>(linesOfPage(*run, page));
        },
        [this, generation, index, then](const std::shared_ptr<LineStore> &lines) {
            if (generation != *m_wanted)
                return;
            m_index = index;
            m_view->setLog(nullptr);
            m_page.setLines(std::move(*lines));
            m_view->setLog(&m_page);
            m_view->showTop();
            Q_EMIT changed();
            if (then)
                then();
        });
}

void KeptReader::readPages(const LineMatcher &matcher, const std::function<void()> &then)
{
    if (!m_run)
        return;
    const int generation = ++*m_wanted;
    inBackground(
        m_context.pool(), this,
        [run = m_run->run(), matcher, wanted = m_wanted, generation] {
            return readKeptPages(*run, matcher, [&] { return *wanted == generation; });
        },
        [this, generation, then](const KeptPages &kept) {
            if (generation != *m_wanted)
                return;
            m_kept = kept;
            m_known = true;
            then();
        });
}

// --- finding

void KeptReader::find()
{
    findFrom(OutputSearch::From::Here);
}

void KeptReader::findNext(bool backward)
{
    findFrom(backward ? OutputSearch::From::Previous : OutputSearch::From::Next);
}

void KeptReader::findFrom(OutputSearch::From from)
{
    const bool backward = from == OutputSearch::From::Previous;
    const LineMatcher matcher(m_bar->query());
    ++*m_wanted; // answers for another query are not wanted any more
    m_search->stop();
    if (matcher.isEmpty() || !m_run || !matcher.mistake().isEmpty()) {
        m_view->clearFind();
        if (matcher.mistake().isEmpty())
            return m_bar->setResult({}, true);
        return m_bar->setMistake(tr("The pattern can't be read: %1").arg(matcher.mistake()));
    }
    m_bar->setResult({}, true);
    // Where more was kept, the end of what is shown isn't the end.
    m_search->find(matcher, from, !hasMore(), [this, matcher, backward](OutputSearch::End end) {
        if (end == OutputSearch::End::TooSlow)
            return tellTooSlow();
        const bool found = end == OutputSearch::End::Found;
        if (hasMore())
            return readPages(matcher, [this, found, backward] { tellMatches(!found, backward); });
        if (found)
            tellPlace();
        else
            m_bar->setResult(tr("Not in the output"), false);
    });
}

void KeptReader::tellTooSlow()
{
    m_bar->setResult(tr("The pattern takes too long on these lines. Make it simpler."), false);
}

void KeptReader::tell(qint64 number, qint64 matches)
{
    if (number > 0)
        m_bar->setResult(tr("%L1 of %L2").arg(number).arg(matches), true);
    else
        m_bar->setResult(tr("%Ln match(es)", "", int(matches)), true);
}

void KeptReader::tellPlace()
{
    const bool more = hasMore();
    m_search->count(LineMatcher(m_bar->query()), !more || m_index >= 0, [this, more](const OutputSearch::Count &shown) {
        if (!more)
            return tell(shown.number, shown.matches);
        qint64 before = 0;
        if (m_index >= 0) {
            for (const KeptPage &page : m_kept.pages.first(m_index))
                before += page.matches;
        } else if (m_run->log().skippedBytes() > 0) {
            return tell(0, m_kept.matches); // beginning and end: not known how many are between
        } else {
            before = m_kept.matches - shown.matches; // the latest lines are the last
        }
        tell(shown.number > 0 ? before + shown.number : 0, m_kept.matches);
    });
}

void KeptReader::tellMatches(bool jumps, bool backward)
{
    if (m_kept.isTooSlow)
        return tellTooSlow();
    if (m_kept.matches == 0)
        return m_bar->setResult(tr("Not in the output"), false);
    Q_EMIT changed();
    if (!jumps)
        return tellPlace();
    tell(0, m_kept.matches);
    const qsizetype count = m_kept.pages.size();
    const qint64 firstShown = m_kept.lines - latestLines();
    qsizetype from = m_index;
    if (m_index < 0) // the latest lines: after them comes the beginning, before them what they begin in
        from = backward ? std::ranges::count_if(m_kept.pages,
                                                [&](const KeptPage &page) { return page.firstLine < firstShown; })
                        : -1;
    for (qsizetype i = 1; i <= count; ++i) {
        const qsizetype index = ((backward ? from - i : from + i) % count + count) % count;
        if (m_kept.pages[index].matches == 0)
            continue;
        return showPage(index, [this, backward] {
            m_view->clearFind();
            m_search->find(LineMatcher(m_bar->query()),
                           backward ? OutputSearch::From::Previous : OutputSearch::From::Next, false,
                           [this](OutputSearch::End end) {
                               if (end == OutputSearch::End::Found)
                                   tellPlace();
                           });
        });
    }
}

void KeptReader::clearFind()
{
    ++*m_wanted;
    m_search->stop();
    m_view->clearFind();
}

} // namespace glovebox
