// SPDX-License-Identifier: Apache-2.0
// Shows in the output view what it let go of the shown run, page by page, and finds in all that was kept.
#pragma once

#include "keptpages.h"

#include "app/workbench/runpanel/find/outputsearch.h"
#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/shell/context.h"

#include <QPointer>

#include <atomic>
#include <functional>
#include <memory>

namespace glovebox {

class FindBar;
class OutputView;
class ShownRun;

class KeptReader : public QObject
{
    Q_OBJECT
public:
    KeptReader(WorkbenchContext &context, OutputView *view, FindBar *bar);
    ~KeptReader() override;

    // Shows its log, from the latest lines; null: nothing.
    void setRun(ShownRun *run);
    void runFinished(); // the shown one

    // Lines that were kept, and aren't in the view.
    bool hasMore() const;
    bool hasEarlier() const;
    bool hasLater() const;
    void showEarlier();
    void showLater(); // the last page is the latest lines
    // "Lines 1 to 60,000 of 524,288"; empty: all are shown, or it isn't known.
    QString sentence() const;
    qint64 keptLines() const { return m_known ? m_kept.lines : 0; }

    void find(); // what the bar asks for now, from where it is
    void findNext(bool backward);
    void clearFind();

Q_SIGNALS:
    void changed(); // the sentence, and what there is to go to

private:
    void readPages(const LineMatcher &matcher, const std::function<void()> &then);
    void showPage(qsizetype index, const std::function<void()> &then = {});
    void showLatest();
    void findFrom(OutputSearch::From from);
    void tellMatches(bool jumps, bool backward);
    void tellPlace(); // of the match that is shown, among all
    void tell(qint64 number, qint64 matches);
    void tellTooSlow();
    qint64 latestLines() const;

    WorkbenchContext &m_context;
    OutputView *m_view;
    FindBar *m_bar;
    OutputSearch *m_search;
    QPointer<ShownRun> m_run;
    OutputLog m_page; // the lines of a page, when one is shown
    qsizetype m_index = -1; // of the shown page; -1: the latest lines
    KeptPages m_kept;
    bool m_known = false;
    std::shared_ptr<std::atomic<int>> m_wanted; // generation: late answers are dropped, and reading ends
};

} // namespace glovebox
