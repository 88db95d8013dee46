// SPDX-License-Identifier: Apache-2.0
#include "diffview.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"

#include <QTextCursor>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostDiffLines = 5000;
constexpr qsizetype longestDiffLine = 1000; // characters

} // namespace

DiffView::DiffView(Theme &theme, QWidget *parent)
    : QPlainTextEdit(parent)
    , m_theme(theme)
{
    setReadOnly(true);
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setLayoutDirection(Qt::LeftToRight);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFontRole(this, FontRole::Code);
}

void DiffView::setLines(const QList<DiffLine> &lines)
{
    clear();
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    const auto put = [&](const QString &text, Colour colour) {
        QTextCharFormat format;
        format.setForeground(m_theme.colour(colour));
        if (!cursor.atStart())
            cursor.insertBlock();
        cursor.insertText(text, format);
    };
    for (const DiffLine &line : lines.first(std::min(lines.size(), mostDiffLines))) {
        QString text = withHiddenShown(line.text.left(longestDiffLine));
        if (line.text.size() > longestDiffLine)
            text += u'…';
        switch (line.kind) {
        case DiffLine::Kind::Same:
            put(u"  "_s + text, Colour::Dim);
            break;
        case DiffLine::Kind::Removed:
            put(u"− "_s + text, Colour::Bad);
            break;
        case DiffLine::Kind::Added:
            put(u"+ "_s + text, Colour::Ok);
            break;
        case DiffLine::Kind::Gap:
            put(u"  ⋯"_s, Colour::Dim);
            break;
        }
    }
    if (lines.size() > mostDiffLines)
        put(tr("%L1 more lines").arg(lines.size() - mostDiffLines), Colour::Warn);
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
}

} // namespace glovebox
