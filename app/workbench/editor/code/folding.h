// SPDX-License-Identifier: Apache-2.0
// Which lines belong together, and hiding them: by the definition's regions, or by indentation where the language does
// so.
#pragma once

#include <QTextBlock>

class QTextDocument;

namespace glovebox {

enum class FoldStyle { Regions, Indentation };

// Whether a region begins in this line. Cheap: asked for each visible line.
bool canFold(const QTextBlock &block, FoldStyle style);
// The last line that folding it hides; an invalid block if there is nothing to hide.
QTextBlock foldEnd(const QTextBlock &block, FoldStyle style);

bool isFolded(const QTextBlock &block);
void fold(const QTextBlock &block, FoldStyle style);
void unfold(const QTextBlock &block);
void unfoldAll(QTextDocument *document);
// Opens what hides this line.
void reveal(const QTextBlock &block);
// The line that begins the innermost region around this one, or itself.
QTextBlock enclosingFold(const QTextBlock &block, FoldStyle style);

} // namespace glovebox
