// SPDX-License-Identifier: Apache-2.0
#include "keptpages.h"

#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/shell/words/words.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace glovebox {

namespace {

constexpr qint64 sliceBytes = 32 * kibibyte;
// A slice more fits into what a store holds, whatever is in it.
constexpr qint64 fullLines = LineStore::maximumLines - sliceBytes;
constexpr qint64 fullCharacters = LineStore::maximumCharacters - 8 * sliceBytes; // a byte can be shown as "\u{202e}"

bool isFullPage(const LineStore &lines)
{
    return lines.end() > fullLines || lines.characters() > fullCharacters;
}

// Where the last line ends that ends in a slice: bytes before the slice's own end; -1: none does.
qint64 behindLastLine(const OutputSlice &slice)
{
    qint64 behind = 0;
    for (const auto &chunk : std::ranges::reverse_view(slice.chunks)) {
        if (const qsizetype at = chunk.bytes.lastIndexOf('\n'); at >= 0)
            return behind + chunk.bytes.size() - at - 1;
        behind += chunk.bytes.size();
    }
    return -1;
}

// Fills a page from a cursor on, at most to `to`; where it ends, and what isn't kept on the way.
qint64 fillPage(const Run &run, qint64 cursor, qint64 to, StreamLines &page, qint64 &skipped)
{
    while (cursor < to) {
        OutputSlice slice = run.output(cursor, std::min(sliceBytes, to - cursor));
        if (slice.next == cursor)
            break;
        const qint64 behind = isFullPage(page.lines()) ? behindLastLine(slice) : -1;
        qint64 left = behind; // of the slice: not on this page any more
        for (; left > 0 && !slice.chunks.isEmpty(); slice.chunks.removeLast()) {
            QByteArray &bytes = slice.chunks.last().bytes;
            const qint64 cut = std::min<qint64>(left, bytes.size());
            bytes.chop(cut);
            left -= cut;
            if (!bytes.isEmpty())
                break;
        }
        if (slice.skipped > 0) {
            skipped += slice.skipped;
            page.finish();
            page.lines().appendLine(OutputLine::Kind::Note, OutputLog::gapSentence(slice.skipped));
        }
        for (const OutputChunk &chunk : std::as_const(slice.chunks))
            page.append(chunk);
        cursor = slice.next - std::max<qint64>(behind, 0);
        if (behind >= 0)
            break;
    }
    page.finish();
    return cursor;
}

qint64 matchesIn(const LineStore &lines, const LineMatcher &matcher)
{
    qint64 count = 0;
    for (qint64 number = lines.first(); number < lines.end() && !matcher.isEmpty(); ++number)
        count += matcher.count(lines.line(number).text);
    return count;
}

} // namespace

KeptPages readKeptPages(const Run &run, const LineMatcher &matcher, const std::function<bool()> &isWanted)
{
    KeptPages all;
    const qint64 end = run.output(std::numeric_limits<qint64>::max(), 0).next;
    for (qint64 cursor = 0; cursor < end && isWanted();) {
        StreamLines lines;
        KeptPage page{.from = cursor, .firstLine = all.lines};
        page.to = fillPage(run, cursor, end, lines, all.skippedBytes);
        page.lines = lines.lines().end();
        page.matches = matchesIn(lines.lines(), matcher);
        all.lines += page.lines;
        all.matches += page.matches;
        all.pages.append(page);
        if (page.to == cursor)
            break;
        cursor = page.to;
    }
    all.isTooSlow = matcher.isTooSlow();
    all.keptBytes = end - all.skippedBytes;
    return all;
}

LineStore linesOfPage(const Run &run, const KeptPage &page)
{
    StreamLines lines;
    qint64 skipped = 0;
    fillPage(run, page.from, page.to, lines, skipped);
    return lines.lines();
}

} // namespace glovebox
