// SPDX-License-Identifier: Apache-2.0
#include "highlighter.h"

#include <KSyntaxHighlighting/FoldingRegion>
#include <KSyntaxHighlighting/Format>

#include <QTextDocument>

#include <algorithm>
#include <utility>

namespace glovebox {

namespace KSH = KSyntaxHighlighting;

Highlighter::Highlighter(QTextDocument *document)
    : QObject(document)
    , m_document(document)
    , m_blockCount(document->blockCount())
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &Highlighter::slice);
    connect(document, &QTextDocument::contentsChange, this, &Highlighter::takeChange);
    m_clock.start();
}

Highlighter::~Highlighter() = default;

void Highlighter::setDefinition(const KSH::Definition &definition)
{
    if (definition == this->definition())
        return;
    AbstractHighlighter::setDefinition(definition);
    if (definition.isValid())
        definition.formats(); // reads it now, once a language: in the first slice it would be too long
    restart();
}

void Highlighter::setTheme(const KSH::Theme &theme)
{
    AbstractHighlighter::setTheme(theme);
    ++m_generation;
    m_timer.start();
}

void Highlighter::restart()
{
    ++m_generation;
    for (QTextBlock block = m_document->begin(); block.isValid(); block = block.next()) {
        if (BlockData *data = BlockData::of(block))
            data->revision = -1;
    }
    m_frontier = 0;
    m_dirtyTo = m_validTo = -1;
    m_timer.start();
}

bool Highlighter::isDone() const
{
    return m_frontier >= m_document->blockCount();
}

void Highlighter::takeChange(int position, int, int added)
{
    if (m_applying)
        return;
    const int delta = m_document->blockCount() - std::exchange(m_blockCount, m_document->blockCount());
    const int first = m_document->findBlock(position).blockNumber();
    const QTextBlock behind = m_document->findBlock(position + added);
    const int last = behind.isValid() ? behind.blockNumber() : m_document->blockCount() - 1;
    // By their revisions alone it can't be seen: a document that gets a new text counts from 0 again.
    for (QTextBlock block = m_document->findBlockByNumber(first); block.isValid() && block.blockNumber() <= last;
         block = block.next()) {
        if (BlockData *data = BlockData::of(block))
            data->revision = data->formatRevision = -1;
    }
    // What was known behind the change stays known, moved by the lines that came or went.
    m_validTo = std::max(m_validTo, m_frontier - 1) + delta;
    m_dirtyTo = std::max(m_dirtyTo >= first ? m_dirtyTo + std::max(delta, 0) : m_dirtyTo, last);
    m_frontier = std::min(m_frontier, first);
    m_timer.start();
}

void Highlighter::setVisibleBlocks(int first, int last)
{
    if (first == m_firstVisible && last == m_lastVisible)
        return;
    m_firstVisible = first;
    m_lastVisible = last;
    colourVisible(m_clock.nsecsElapsed() + sliceMilliseconds * 1'000'000LL);
}

void Highlighter::slice()
{
    const qint64 begin = m_clock.nsecsElapsed();
    const qint64 deadline = begin + sliceMilliseconds * 1'000'000LL;
    colourVisible(deadline);
    workOutStates(deadline);
    if (m_frontier > m_firstVisible)
        colourVisible(deadline);
    if (!isDone())
        m_timer.start();
    Q_EMIT sliceDone(m_clock.nsecsElapsed() - begin);
}

KSH::State Highlighter::parse(const QTextBlock &block, const KSH::State &entry)
{
    m_formats.clear();
    m_quiet.clear();
    m_folds.clear();
    const QString text = block.text();
    return text.size() > longestLine ? entry : highlightLine(text, entry);
}

void Highlighter::workOutStates(qint64 deadline)
{
    QTextBlock block = m_document->findBlockByNumber(m_frontier);
    if (!block.isValid())
        return;
    KSH::State state;
    if (const QTextBlock before = block.previous(); before.isValid()) {
        const BlockData *data = BlockData::of(before);
        if (!data) {
            m_frontier = 0;
            return;
        }
        state = data->exit;
    }
    m_wantsColours = false;
    bool foldsChanged = false;
    for (; block.isValid() && m_clock.nsecsElapsed() < deadline; block = block.next()) {
        BlockData &data = BlockData::ensure(block);
        if (data.revision == block.revision() && data.entry == state) {
            if (m_frontier > m_dirtyTo && m_frontier <= m_validTo) {
                // From here on all is as it was.
                m_frontier = m_validTo + 1;
                block = m_document->findBlockByNumber(m_validTo);
                state = block.isValid() && BlockData::of(block) ? BlockData::of(block)->exit : KSH::State();
                m_validTo = -1;
                if (!block.isValid())
                    break;
                continue;
            }
            state = data.exit;
        } else {
            data.entry = state;
            data.exit = state = parse(block, state);
            data.revision = block.revision();
            // Qt 6.4's == hands memcmp() the null pointers of empty lists.
            foldsChanged = foldsChanged || !std::ranges::equal(data.folds, m_folds);
            data.folds = m_folds;
        }
        ++m_frontier;
    }
    if (m_frontier > m_dirtyTo)
        m_dirtyTo = -1;
    if (foldsChanged)
        Q_EMIT this->foldsChanged();
}

void Highlighter::colourVisible(qint64 deadline)
{
    QTextBlock block = m_document->findBlockByNumber(m_firstVisible);
    int from = -1, to = -1; // positions of what got new colours
    m_wantsColours = true;
    m_applying = true;
    for (int number = m_firstVisible; block.isValid() && number <= m_lastVisible; block = block.next(), ++number) {
        if (m_clock.nsecsElapsed() >= deadline) {
            m_timer.start();
            break;
        }
        BlockData &data = BlockData::ensure(block);
        // Until the state is known, the one behind the line before is the best guess.
        const BlockData *before = BlockData::of(block.previous());
        const KSH::State entry = before ? before->exit : KSH::State();
        if (data.formatRevision == block.revision() && data.formatGeneration == m_generation
            && data.formatEntry == entry)
            continue;
        const KSH::State exit = parse(block, entry);
        if (data.revision != block.revision())
            data.exit = exit; // the next visible line needs it
        data.formatRevision = block.revision();
        data.formatGeneration = m_generation;
        data.formatEntry = entry;
        data.quiet = m_quiet;
        if (block.layout()->formats() != m_formats) {
            block.layout()->setFormats(m_formats);
            from = from < 0 ? block.position() : from;
            to = block.position() + block.length();
        }
    }
    if (from >= 0)
        m_document->markContentsDirty(from, std::min(to, m_document->characterCount() - 1) - from);
    m_applying = false;
}

void Highlighter::applyFormat(int offset, int length, const KSH::Format &format)
{
    if (!m_wantsColours || length == 0)
        return;
    switch (format.textStyle()) {
    case KSH::Theme::Comment:
    case KSH::Theme::Documentation:
    case KSH::Theme::Annotation:
    case KSH::Theme::CommentVar:
    case KSH::Theme::String:
    case KSH::Theme::VerbatimString:
    case KSH::Theme::SpecialString:
    case KSH::Theme::Char:
    case KSH::Theme::SpecialChar:
        m_quiet.append({offset, offset + length});
        break;
    default:
        break;
    }
    if (format.isDefaultTextStyle(theme()))
        return;
    QTextLayout::FormatRange range;
    range.start = offset;
    range.length = length;
    if (format.hasTextColor(theme()))
        range.format.setForeground(format.textColor(theme()));
    if (format.isBold(theme()))
        range.format.setFontWeight(QFont::Bold);
    if (format.isItalic(theme()))
        range.format.setFontItalic(true);
    if (format.isUnderline(theme()))
        range.format.setFontUnderline(true);
    m_formats.append(range);
}

void Highlighter::applyFolding(int, int, KSH::FoldingRegion region)
{
    if (m_wantsColours)
        return;
    m_folds.append(region.type() == KSH::FoldingRegion::Begin ? region.id() : -region.id());
}

} // namespace glovebox
