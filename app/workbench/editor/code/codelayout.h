// SPDX-License-Identifier: Apache-2.0
// Lays code out with more room between the lines than the font asks for, and tells views when lines were hidden.
#pragma once

#include <QPlainTextDocumentLayout>

namespace glovebox {

class CodeLayout : public QPlainTextDocumentLayout
{
    Q_OBJECT
public:
    using QPlainTextDocumentLayout::QPlainTextDocumentLayout;

    // Height of a line in px; 0: the font's own. Lines never get lower than the font asks for.
    void setPitch(int pitch);
    int pitch() const { return m_pitch; }

    QRectF blockBoundingRect(const QTextBlock &block) const override;

    // Blocks from first to last were shown or hidden.
    void visibilityChanged(const QTextBlock &first, const QTextBlock &last);

private:
    int m_pitch = 0;
};

} // namespace glovebox
