// SPDX-License-Identifier: Apache-2.0
// The panel's views of a run in other places, and the runs that it keeps for them.
#include "../runpanel.h"
#include "keptreader.h"
#include "outputwindow.h"

#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/look.h"

#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t rememberedRuns = 8;

} // namespace

// Those in windows stay.
void RunPanel::forgetOldRuns()
{
    m_windows.removeAll(nullptr);
    const auto isInWindow = [this](const ShownRun *run) {
        return std::ranges::any_of(m_windows, [run](const auto &window) { return window && window->run() == run; });
    };
    while (m_runs.size() > rememberedRuns) {
        const auto oldest = std::ranges::find_if(
            m_runs, [&](const auto &run) { return run->isDone() && run.get() != m_current && !isInWindow(run.get()); });
        if (oldest == m_runs.end())
            return;
        m_runs.erase(oldest);
    }
}

void RunPanel::openWindow()
{
    if (!m_current)
        return;
    m_windows.removeAll(nullptr);
    const auto open =
        std::ranges::find_if(m_windows, [this](const auto &window) { return window->run() == m_current; });
    if (open != m_windows.end()) {
        (*open)->raise();
        (*open)->activateWindow();
        return;
    }
    const RunTitle &title = m_current->title();
    m_windows.append(
        new OutputWindow(m_context, m_current,
                         tr("Output of run %1, %2", "number, language").arg(title.number).arg(title.language), this));
}

void RunPanel::setTimesShown(bool shown)
{
    m_output->setTimesShown(shown);
}

void RunPanel::setMaximised(bool maximised)
{
    m_maximiseButton->setIcon(m_theme.icon(maximised ? Icon::ChevronDown : Icon::ChevronUp));
}

void RunPanel::tellCopied()
{
    const LineStore &lines = m_output->log()->lines();
    const qint64 shown = lines.end() - lines.first();
    m_context.notifications().show(
        {.text = m_kept->hasMore() && m_kept->keptLines() > shown
                     ? tr("Copied the %L1 lines that are shown. Save writes all %L2 that were kept.")
                           .arg(shown)
                           .arg(m_kept->keptLines())
                     : tr("Copied all %Ln line(s).", "", int(shown))});
}

} // namespace glovebox
