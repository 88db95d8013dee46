// SPDX-License-Identifier: Apache-2.0
// Colours code while a person goes on typing: in slices of a few milliseconds, what is visible first.
//
// KSyntaxHighlighting needs the state behind the line before. States are worked out from the top for the whole
// document, in the background; colours are made only for the lines that are visible, from the state that is known by
// then, and again when a better one is. After a change, states are worked out until they are what they were before.
#pragma once

#include "blockdata.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Theme>

#include <QElapsedTimer>
#include <QObject>
#include <QTextLayout>
#include <QTimer>

class QTextDocument;

namespace glovebox {

// Lives on the GUI thread, as a child of its document.
class Highlighter : public QObject, public KSyntaxHighlighting::AbstractHighlighter
{
    Q_OBJECT
public:
    static constexpr int sliceMilliseconds = 6; // a slice ends at the first line behind it
    static constexpr int longestLine = 5000; // characters; longer lines stay plain, as one would take a slice by itself

    explicit Highlighter(QTextDocument *document);
    ~Highlighter() override;

    void setDefinition(const KSyntaxHighlighting::Definition &definition) override;
    void setTheme(const KSyntaxHighlighting::Theme &theme) override;

    // Numbers of the blocks that can be seen. Colours them now, as far as a slice goes.
    void setVisibleBlocks(int first, int last);
    bool isDone() const; // states are known to the end

Q_SIGNALS:
    void sliceDone(qint64 nanoseconds); // of GUI thread
    void foldsChanged();

protected:
    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override;
    void applyFolding(int offset, int length, KSyntaxHighlighting::FoldingRegion region) override;

private:
    void takeChange(int position, int removed, int added);
    void slice();
    void workOutStates(qint64 deadline);
    void colourVisible(qint64 deadline);
    void restart();
    KSyntaxHighlighting::State parse(const QTextBlock &block, const KSyntaxHighlighting::State &entry);

    QTextDocument *m_document;
    QTimer m_timer;
    QElapsedTimer m_clock;
    int m_blockCount = 1;
    int m_frontier = 0; // states of the blocks before this one are known
    int m_dirtyTo = -1; // blocks up to here were changed
    int m_validTo = -1; // behind m_dirtyTo, states up to here follow from each other
    int m_firstVisible = 0;
    int m_lastVisible = -1;
    int m_generation = 0; // of definition and theme
    bool m_applying = false; // a change of ours
    // what a line gave
    bool m_wantsColours = false;
    QList<QTextLayout::FormatRange> m_formats;
    QList<QuietRange> m_quiet;
    QList<int> m_folds;
};

} // namespace glovebox
