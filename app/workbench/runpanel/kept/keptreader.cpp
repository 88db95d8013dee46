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
        readPages({}, false, [this] { Q_EMIT changed(); });
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
                                              : tr("Beginning and end of %L1 lines").arg(m_kept.lines);
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

void KeptReader::readPages(const QString &text, bool matchCase, const std::function<void()> &then)
{
    if (!m_run)
        return;
    const int generation = ++*m_wanted;
    inBackground(
        m_context.pool(), this,
        [run = m_run->run(), text, matchCase, wanted = m_wanted, generation] {
            return readKeptPages(*run, text, matchCase, [&] { return *wanted == generation; });
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

void KeptReader::findNext(bool backward)
{
    const FindQuery query = m_bar->query();
    // Where more was kept, the end of what is shown isn't the end.
    const bool found = m_view->find(query.text, query.matchCase, backward, !hasMore());
    if (query.text.isEmpty() || !m_run) {
        ++*m_wanted;
        return m_bar->setResult({}, true);
    }
    if (!found && !hasMore())
        return m_bar->setResult(tr("Not in the output"), false);
    m_bar->setResult({}, true);
    readPages(query.text, query.matchCase, [this, found, backward] { tellMatches(!found, backward); });
}

void KeptReader::tellMatches(bool jumps, bool backward)
{
    if (m_kept.matches == 0)
        return m_bar->setResult(tr("Not in the output"), false);
    m_bar->setResult(tr("%n match(es)", "", int(m_kept.matches)), true);
    Q_EMIT changed();
    if (!jumps)
        return;
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
        const FindQuery query = m_bar->query();
        return showPage(index, [this, query, backward] {
            m_view->clearFind();
            m_view->find(query.text, query.matchCase, backward, false);
        });
    }
}

void KeptReader::clearFind()
{
    ++*m_wanted;
    m_view->clearFind();
}

} // namespace glovebox
