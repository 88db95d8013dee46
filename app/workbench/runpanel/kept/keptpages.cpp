// SPDX-License-Identifier: Apache-2.0
#include "keptpages.h"

#include "app/workbench/runpanel/output/outputlog.h"
#include "app/workbench/shell/words.h"

#include <algorithm>
#include <limits>

namespace glovebox {

namespace {

constexpr qint64 sliceBytes = 32 * kibibyte;
// A slice more fits into what a store holds, whatever is in it.
constexpr qint64 fullLines = LineStore::maximumLines - sliceBytes;
constexpr qint64 fullCharacters = LineStore::maximumCharacters - 8 * sliceBytes; // a byte can be shown as "\u{202e}"

// Makes lines of bytes as OutputLog does, but leaves nothing out.
class PageLines : private TextSink
{
public:
    void append(const OutputChunk &chunk)
    {
        m_kind = kindOf(chunk.stream);
        parserOf(chunk.stream).feed(chunk.bytes, *this);
    }
    void skip(qint64 bytes)
    {
        finish();
        m_lines.appendLine(OutputLine::Kind::Note, OutputLog::gapSentence(bytes));
    }
    void finish()
    {
        for (const OutputStream stream : {OutputStream::Out, OutputStream::Err}) {
            m_kind = kindOf(stream);
            parserOf(stream).finish(*this);
        }
        m_lines.endLine();
    }
    bool isFull() const { return m_lines.end() > fullLines || m_lines.characters() > fullCharacters; }
    const LineStore &lines() const { return m_lines; }

private:
    static OutputLine::Kind kindOf(OutputStream stream)
    {
        return stream == OutputStream::Out ? OutputLine::Kind::Out : OutputLine::Kind::Err;
    }
    AnsiParser &parserOf(OutputStream stream) { return stream == OutputStream::Out ? m_out : m_err; }
    void text(QStringView text, const TextStyle &style) override { m_lines.append(m_kind, text, style); }
    void newLine() override { m_lines.newLine(m_kind); }

    LineStore m_lines;
    AnsiParser m_out, m_err;
    OutputLine::Kind m_kind = OutputLine::Kind::Out;
};

// Where the last line ends that ends in a slice: bytes before the slice's own end; -1: none does.
qint64 behindLastLine(const OutputSlice &slice)
{
    qint64 behind = 0;
    for (auto chunk = slice.chunks.crbegin(); chunk != slice.chunks.crend(); ++chunk) {
        if (const qsizetype at = chunk->bytes.lastIndexOf('\n'); at >= 0)
            return behind + chunk->bytes.size() - at - 1;
        behind += chunk->bytes.size();
    }
    return -1;
}

// Fills a page from a cursor on, at most to `to`; where it ends, and what isn't kept on the way.
qint64 fillPage(const Run &run, qint64 cursor, qint64 to, PageLines &page, qint64 &skipped)
{
    while (cursor < to) {
        OutputSlice slice = run.output(cursor, std::min(sliceBytes, to - cursor));
        if (slice.next == cursor)
            break;
        const qint64 behind = page.isFull() ? behindLastLine(slice) : -1;
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
            page.skip(slice.skipped);
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

qint64 matchesIn(const LineStore &lines, const QString &text, bool matchCase)
{
    if (text.isEmpty())
        return 0;
    const Qt::CaseSensitivity sensitivity = matchCase ? Qt::CaseSensitive : Qt::CaseInsensitive;
    qint64 count = 0;
    for (qint64 number = lines.first(); number < lines.end(); ++number)
        count += lines.line(number).text.count(text, sensitivity);
    return count;
}

} // namespace

KeptPages readKeptPages(const Run &run, const QString &text, bool matchCase, const std::function<bool()> &isWanted)
{
    KeptPages all;
    const qint64 end = run.output(std::numeric_limits<qint64>::max(), 0).next;
    for (qint64 cursor = 0; cursor < end && isWanted();) {
        PageLines lines;
        KeptPage page{.from = cursor, .firstLine = all.lines};
        page.to = fillPage(run, cursor, end, lines, all.skippedBytes);
        page.lines = lines.lines().end();
        page.matches = matchesIn(lines.lines(), text, matchCase);
        all.lines += page.lines;
        all.matches += page.matches;
        all.pages.append(page);
        if (page.to == cursor)
            break;
        cursor = page.to;
    }
    all.keptBytes = end - all.skippedBytes;
    return all;
}

LineStore linesOfPage(const Run &run, const KeptPage &page)
{
    PageLines lines;
    qint64 skipped = 0;
    fillPage(run, page.from, page.to, lines, skipped);
    return lines.lines();
}

} // namespace glovebox
