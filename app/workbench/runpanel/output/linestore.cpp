// SPDX-License-Identifier: Apache-2.0
#include "linestore.h"

#include <algorithm>

namespace glovebox {

namespace {

// East Asian Wide and Fullwidth, and the emoji that terminals draw wide (Unicode 15, EastAsianWidth.txt, joined to
// blocks).
constexpr struct
{
    char32_t from, to;
} wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff},
    {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
    {0x1f32d, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff},
    {0x20000, 0x3fffd},
};

bool isWide(char32_t character)
{
    if (character < 0x1100)
        return false;
    const auto range = std::ranges::lower_bound(wide, character, {}, [](const auto &r) { return r.to; });
    return range != std::end(wide) && character >= range->from;
}

} // namespace

char32_t nextCodePoint(QStringView text, qsizetype &index)
{
    const QChar first = text[index++];
    if (first.isHighSurrogate() && index < text.size() && text[index].isLowSurrogate())
        return QChar::surrogateToUcs4(first, text[index++]);
    return first.unicode();
}

int cellsOf(char32_t character, int column)
{
    if (character == '\t')
        return 8 - column % 8;
    if (character < 0x300)
        return 1;
    switch (QChar::category(character)) {
    case QChar::Mark_NonSpacing:
    case QChar::Mark_Enclosing:
    case QChar::Other_Format:
        return 0;
    default:
        return isWide(character) ? 2 : 1;
    }
}

OutputLine &LineStore::openLine(OutputLine::Kind kind)
{
    if (!m_open || cursorLine().kind != kind) {
        if (m_open) {
            m_cut = cursorLine().kind;
            removeBlanks();
        } else if (m_cut == kind)
            m_cut.reset();
        m_lines.emplace_back().kind = kind;
        m_open = true;
        m_at = end() - 1;
        m_column = 0;
        m_index = 0;
        dropOldest();
    }
    return cursorLine();
}

// Lines that bars left blank from the cursor on: in a terminal, what comes next would be printed there.
void LineStore::removeBlanks()
{
    const qint64 kept = m_column == 0 ? m_at : m_at + 1;
    const auto isBlank = [](QChar c) { return c == u' '; };
    while (end() > kept && std::ranges::all_of(m_lines.back().text, isBlank))
        removeLast();
}

void LineStore::endLine()
{
    if (m_open)
        removeBlanks();
    m_open = false;
}

void LineStore::append(OutputLine::Kind kind, QStringView text, const TextStyle &style)
{
    while (!text.isEmpty()) {
        OutputLine *line = &openLine(kind);
        padToCursor(*line);
        const bool isLast = m_at == end() - 1;
        if (!isLast)
            m_changed = std::min(m_changed, m_at);
        if (!isAtEnd(*line)) {
            text = writeOver(*line, text, style);
            continue;
        }
        if (line->text.size() >= longestLine - 1) {
            if (!isLast) // there is no room between lines
                return;
            line->continued = true;
            m_open = false;
            line = &openLine(kind);
        }
        // One short of the limit, so that a pair of surrogates is never cut.
        qsizetype length = std::min<qsizetype>(text.size(), longestLine - line->text.size());
        if (length < text.size() && text[length - 1].isHighSurrogate())
            --length;
        appendPiece(*line, text.first(length), style);
        m_index = line->text.size();
        m_column = line->columns;
        dropOldest();
        text = text.sliced(length);
    }
}

void LineStore::appendPiece(OutputLine &line, QStringView text, const TextStyle &style)
{
    const TextStyle last = line.spans.isEmpty() ? TextStyle{} : line.spans.last().style;
    if (style != last)
        line.spans.append({int(line.text.size()), style});
    line.text += text;
    m_characters += text.size();
    if (std::ranges::all_of(text, [](QChar c) { return c >= u' ' && c < u'\x7f'; })) {
        line.columns += int(text.size());
        text = {};
    }
    for (qsizetype i = 0; i < text.size();) {
        const char32_t character = nextCodePoint(text, i);
        line.plain = false;
        line.columns += cellsOf(character, line.columns);
    }
    m_widest = std::max(m_widest, line.columns);
}

void LineStore::newLine(OutputLine::Kind kind, bool goesOn)
{
    // "abc" on one stream, then a line on the other, then the "\n" behind "abc": that line has been ended already.
    if (m_cut == kind && (!m_open || cursorLine().kind != kind)) {
        m_cut.reset();
        return;
    }
    if (m_open && cursorLine().kind == kind && m_at < end() - 1) {
        ++m_at;
        m_column = 0;
        m_index = 0;
        return;
    }
    OutputLine &line = openLine(kind);
    line.continued = goesOn;
    line.text.squeeze();
    line.spans.squeeze();
    m_open = false;
}

void LineStore::appendLine(OutputLine::Kind kind, const QString &text, const TextStyle &style)
{
    endLine();
    append(kind, text, style);
    newLine(kind);
}

void LineStore::appendCopy(const OutputLine &line)
{
    m_open = false;
    m_lines.push_back(line);
    m_characters += line.text.size();
    m_widest = std::max(m_widest, line.columns);
    dropOldest();
}

void LineStore::truncate(qint64 number)
{
    while (end() > std::max(number, m_first))
        removeLast();
    m_open = false;
}

void LineStore::removeLast()
{
    m_characters -= m_lines.back().text.size();
    m_lines.pop_back();
    m_changed = std::min(m_changed, end());
}

void LineStore::dropOldest()
{
    while (m_lines.size() > 1 && (qint64(m_lines.size()) > maximumLines || m_characters > maximumCharacters)) {
        m_characters -= m_lines.front().text.size();
        m_lines.pop_front();
        ++m_first;
    }
    if (m_open && m_at < m_first)
        m_open = false;
}

} // namespace glovebox
