// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include "app/workbench/editor/code/editing.h"

#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>
#include <ranges>

namespace glovebox {

namespace {

// Selects from anchor to position, which are counted from where the lines begin; at most to the end of the text.
void selectFrom(QTextCursor &cursor, int start, int anchor, int position)
{
    const int end = cursor.document()->characterCount() - 1;
    cursor.setPosition(std::min(start + anchor, end));
    cursor.setPosition(std::min(start + position, end), QTextCursor::KeepAnchor);
}

QTextCursor wholeLines(const QTextBlock &first, const QTextBlock &last)
{
    QTextCursor lines(first);
    lines.setPosition(last.position() + last.length() - 1, QTextCursor::KeepAnchor);
    return lines;
}

// The characters as they are, also no-break spaces.
QString rawText(const QTextBlock &first, const QTextBlock &last)
{
    QString text;
    for (QTextBlock block = first; block.isValid(); block = block.next()) {
        text += block.text();
        if (block == last)
            break;
        text += u'\n';
    }
    return text;
}

} // namespace

LineChange moveLines(QTextCursor &cursor, bool down)
{
    const auto [first, last] = touchedBlocks(cursor);
    const QTextBlock other = down ? last.next() : first.previous();
    if (!other.isValid())
        return LineChange::Nothing;
    const QString passed = other.text();
    const int start = first.position();
    const int anchor = cursor.anchor() - start, position = cursor.position() - start;
    const int moved = int(passed.size()) + 1;
    QTextCursor edit(cursor.document());
    edit.beginEditBlock();
    if (down) {
        edit.setPosition(other.position() - 1);
        edit.setPosition(other.position() + int(passed.size()), QTextCursor::KeepAnchor);
        edit.removeSelectedText();
        edit.setPosition(start);
        edit.insertText(passed + u'\n');
    } else {
        const int end = last.position() + last.length() - 1;
        edit.setPosition(end);
        edit.insertText(u'\n' + passed);
        edit.setPosition(other.position());
        edit.setPosition(start, QTextCursor::KeepAnchor);
        edit.removeSelectedText();
    }
    edit.endEditBlock();
    selectFrom(cursor, down ? start + moved : start - moved, anchor, position);
    return LineChange::Done;
}

LineChange duplicateLines(QTextCursor &cursor)
{
    const auto [first, last] = touchedBlocks(cursor);
    const int start = first.position();
    const int length = last.position() + last.length() - 1 - start;
    if (length > mostInserted)
        return LineChange::TooMuch;
    const int anchor = cursor.anchor() - start, position = cursor.position() - start;
    QTextCursor edit(cursor.document());
    edit.setPosition(start + length);
    edit.insertText(u'\n' + rawText(first, last));
    selectFrom(cursor, start + length + 1, anchor, position);
    return LineChange::Done;
}

LineChange sortLines(QTextCursor &cursor)
{
    auto [first, last] = touchedBlocks(cursor);
    if (!cursor.hasSelection()) {
        first = cursor.document()->begin();
        last = cursor.document()->lastBlock();
        if (last.length() == 1 && last != first) // the end of the line before
            last = last.previous();
    }
    if (last.blockNumber() - first.blockNumber() + 1 > mostChangedLines
        || last.position() + last.length() - first.position() > mostInserted)
        return LineChange::TooMuch;
    QStringList lines = rawText(first, last).split(u'\n');
    if (std::ranges::is_sorted(lines))
        return LineChange::Nothing;
    std::ranges::stable_sort(lines);
    const int start = first.position();
    QTextCursor edit = wholeLines(first, last);
    edit.insertText(lines.join(u'\n'));
    cursor.setPosition(start);
    cursor.setPosition(edit.position(), QTextCursor::KeepAnchor);
    return LineChange::Done;
}

LineChange trimLines(const QTextCursor &cursor)
{
    QTextBlock first = cursor.document()->begin(), last = cursor.document()->lastBlock();
    if (cursor.hasSelection())
        std::tie(first, last) = touchedBlocks(cursor);
    const QString text = cursor.document()->toRawText(); // its indexes are positions; faster than line by line
    const int stop = last.position() + last.length() - 1;
    QList<std::pair<int, int>> spaces; // from, to
    for (int begin = first.position(); begin <= stop;) {
        const qsizetype separator = text.indexOf(QChar::ParagraphSeparator, begin);
        const int end = separator < 0 ? int(text.size()) : int(separator);
        int from = end;
        while (from > begin && text[from - 1].isSpace())
            --from;
        if (from < end)
            spaces.append({from, end});
        if (spaces.size() > mostChangedLines)
            return LineChange::TooMuch;
        begin = end + 1;
    }
    if (spaces.isEmpty())
        return LineChange::Nothing;
    QTextCursor edit(cursor.document());
    edit.beginEditBlock();
    for (const auto &[from, to] : std::views::reverse(spaces)) { // positions before one stay
        edit.setPosition(from);
        edit.setPosition(to, QTextCursor::KeepAnchor);
        edit.removeSelectedText();
    }
    edit.endEditBlock();
    return LineChange::Done;
}

} // namespace glovebox
