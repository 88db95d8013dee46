// SPDX-License-Identifier: Apache-2.0
#include "folding.h"

#include "blockdata.h"
#include "codelayout.h"

#include <QTextDocument>

namespace glovebox {

namespace {

// Columns before the first character; -1: an empty line, which belongs to whatever is around it.
int indentation(const QTextBlock &block)
{
    int columns = 0;
    const QString text = block.text();
    for (const QChar c : text) {
        if (c == u'\t')
            columns += 8 - columns % 8;
        else if (c.isSpace())
            ++columns;
        else
            return columns;
    }
    return -1;
}

// Regions that a line leaves open, the outermost first.
QList<int> openRegions(const QTextBlock &block)
{
    QList<int> open;
    if (const BlockData *data = BlockData::of(block)) {
        for (const int id : data->folds) {
            if (id > 0)
                open.append(id);
            else if (!open.isEmpty() && open.last() == -id)
                open.removeLast();
        }
    }
    return open;
}

CodeLayout *layoutOf(const QTextBlock &block)
{
    return qobject_cast<CodeLayout *>(block.document()->documentLayout());
}

void setVisible(const QTextBlock &first, const QTextBlock &last, bool visible)
{
    for (QTextBlock block = first; block.isValid(); block = block.next()) {
        block.setVisible(visible);
        if (block == last)
            break;
    }
}

} // namespace

bool canFold(const QTextBlock &block, FoldStyle style)
{
    if (style == FoldStyle::Regions)
        return !openRegions(block).isEmpty() && block.next().isValid();
    const int own = indentation(block);
    if (own < 0)
        return false;
    QTextBlock next = block.next();
    while (next.isValid() && indentation(next) < 0)
        next = next.next();
    return next.isValid() && indentation(next) > own;
}

QTextBlock foldEnd(const QTextBlock &block, FoldStyle style)
{
    QTextBlock last;
    if (style == FoldStyle::Indentation) {
        const int own = indentation(block);
        for (QTextBlock next = block.next(); own >= 0 && next.isValid(); next = next.next()) {
            const int deep = indentation(next);
            if (deep >= 0 && deep <= own)
                break;
            if (deep > own)
                last = next;
        }
        return last;
    }
    const QList<int> open = openRegions(block);
    if (open.isEmpty())
        return {};
    const int region = open.first();
    int depth = int(open.count(region));
    for (QTextBlock next = block.next(); next.isValid(); next = next.next()) {
        if (const BlockData *data = BlockData::of(next)) {
            for (const int id : data->folds) {
                depth += id == region ? 1 : id == -region ? -1 : 0;
                if (depth == 0) // the closing line stays in sight, unless it is the next one
                    return next.previous() == block ? QTextBlock() : next.previous();
            }
        }
        last = next;
    }
    return last;
}

bool isFolded(const QTextBlock &block)
{
    const BlockData *data = BlockData::of(block);
    return data && data->folded && block.next().isValid() && !block.next().isVisible();
}

void fold(const QTextBlock &block, FoldStyle style)
{
    const QTextBlock last = foldEnd(block, style);
    if (!last.isValid() || isFolded(block))
        return;
    BlockData::ensure(block).folded = true;
    setVisible(block.next(), last, false);
    if (CodeLayout *layout = layoutOf(block))
        layout->visibilityChanged(block.next(), last);
}

void unfold(const QTextBlock &block)
{
    if (!isFolded(block))
        return;
    BlockData::of(block)->folded = false;
    QTextBlock last = block;
    while (last.next().isValid() && !last.next().isVisible()) {
        last = last.next();
        if (BlockData *data = BlockData::of(last))
            data->folded = false; // also what was folded inside
    }
    setVisible(block.next(), last, true);
    if (CodeLayout *layout = layoutOf(block))
        layout->visibilityChanged(block.next(), last);
}

void unfoldAll(QTextDocument *document)
{
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next())
        unfold(block);
}

void reveal(const QTextBlock &block)
{
    QTextBlock shown = block;
    while (shown.isValid() && !shown.isVisible())
        shown = shown.previous();
    if (shown.isValid() && shown != block)
        unfold(shown);
}

QTextBlock enclosingFold(const QTextBlock &block, FoldStyle style)
{
    for (QTextBlock candidate = block; candidate.isValid(); candidate = candidate.previous()) {
        if (canFold(candidate, style)
            && (candidate == block || foldEnd(candidate, style).blockNumber() >= block.blockNumber()))
            return candidate;
    }
    return block;
}

} // namespace glovebox
