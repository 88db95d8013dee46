// SPDX-License-Identifier: Apache-2.0
#include "codelayout.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <utility>

namespace glovebox {

void CodeLayout::setPitch(int pitch)
{
    if (std::exchange(m_pitch, pitch) == pitch)
        return;
    requestUpdate();
    Q_EMIT documentSizeChanged(documentSize());
}

QRectF CodeLayout::blockBoundingRect(const QTextBlock &block) const
{
    QRectF rect = QPlainTextDocumentLayout::blockBoundingRect(block); // lays it out if need be
    const QTextLayout *layout = block.layout();
    if (!block.isVisible() || !layout || layout->lineCount() == 0 || m_pitch == 0)
        return rect;
    const double below = rect.height() - layout->boundingRect().bottom(); // the margin under the last block
    double top = 0;
    for (int i = 0; i < layout->lineCount(); ++i) {
        QTextLine line = layout->lineAt(i);
        const double height = std::max(double(m_pitch), line.height());
        line.setPosition(QPointF(line.x(), top + (height - line.height()) / 2));
        top += height;
    }
    rect.setHeight(top + std::max(0.0, below));
    return rect;
}

void CodeLayout::visibilityChanged(const QTextBlock &first, const QTextBlock &last)
{
    for (QTextBlock block = first; block.isValid(); block = block.next()) {
        block.setLineCount(block.isVisible() ? std::max(1, block.layout()->lineCount()) : 0);
        if (block == last)
            break;
    }
    requestUpdate();
    Q_EMIT documentSizeChanged(documentSize());
}

} // namespace glovebox
