// SPDX-License-Identifier: Apache-2.0
// All that was kept of a run's output, in pages of as many lines as a view holds: for who looks for what the view let go.
#pragma once

#include "app/workbench/runpanel/find/linematcher.h"
#include "app/workbench/runpanel/output/linestore.h"

#include "engine/engine.h"

#include <functional>

namespace glovebox {

// From one cursor of Run::output() to another; a page ends where a line does.
struct KeptPage
{
    qint64 from = 0;
    qint64 to = 0;
    qint64 firstLine = 0; // number of its first line, from 0
    qint64 lines = 0;
    qint64 matches = 0;

    bool operator==(const KeptPage &) const = default;
};

struct KeptPages
{
    QList<KeptPage> pages;
    qint64 lines = 0;
    qint64 matches = 0;
    qint64 keptBytes = 0;
    qint64 skippedBytes = 0; // that weren't kept
    bool isTooSlow = false; // the matcher is: matches are not all

    bool operator==(const KeptPages &) const = default;
};

// Reads all of it, and counts the matches. Blocks: a second for 100 MB. On any thread. isWanted: false ends it early.
KeptPages readKeptPages(const Run &run, const LineMatcher &matcher, const std::function<bool()> &isWanted);
// The lines of a page, as the view shows them.
LineStore linesOfPage(const Run &run, const KeptPage &page);

} // namespace glovebox
