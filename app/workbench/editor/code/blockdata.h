// SPDX-License-Identifier: Apache-2.0
// What the highlighter remembers of a line.
#pragma once

#include <KSyntaxHighlighting/State>

#include <QList>
#include <QTextBlock>
#include <QTextBlockUserData>

namespace glovebox {

// A part of a line that isn't code: string or comment. Brackets in it don't count.
struct QuietRange
{
    int start = 0;
    int end = 0;
};

struct BlockData : public QTextBlockUserData
{
    KSyntaxHighlighting::State entry; // before the line
    KSyntaxHighlighting::State exit; // behind it
    int revision = -1; // of the block that entry and exit hold for; -1: none
    int formatRevision = -1; // what its colours were made from: revision, entry and generation
    int formatGeneration = -1;
    KSyntaxHighlighting::State formatEntry;
    QList<int> folds; // region ids in order: positive begins, negative ends
    QList<QuietRange> quiet; // known once the line has colours
    bool folded = false; // the region that begins here is hidden

    static BlockData *of(const QTextBlock &block) { return static_cast<BlockData *>(block.userData()); }
    static BlockData &ensure(QTextBlock block)
    {
        if (!block.userData())
            block.setUserData(new BlockData);
        return *of(block);
    }
};

} // namespace glovebox
