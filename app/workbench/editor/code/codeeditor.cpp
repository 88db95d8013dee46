// SPDX-License-Identifier: Apache-2.0
#include "codeeditor.h"

#include "codegutter.h"
#include "codelayout.h"
#include "highlighter.h"

#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextOption>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QTextDocument *makeDocument(QObject *parent)
{
    auto *document = new QTextDocument(parent);
    document->setDocumentLayout(new CodeLayout(document));
    document->setDocumentMargin(Space::s);
    QTextOption option = document->defaultTextOption();
    option.setTextDirection(Qt::LeftToRight); // also a line that begins with a Hebrew string
    document->setDefaultTextOption(option);
    return document;
}

QStringList localFiles(const QMimeData *data)
{
    QStringList files;
    for (const QUrl &url : data->urls()) {
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    }
    return files;
}

} // namespace

qsizetype longestLineOf(const QString &text)
{
    qsizetype longest = 0;
    for (const QStringView line : qTokenize(text, u'\n'))
        longest = std::max(longest, line.size());
    return longest;
}

CodeEditor::CodeEditor(Theme &theme, QWidget *parent)
    : QPlainTextEdit(parent)
    , m_theme(theme)
    , m_syntax(Syntax::of(theme))
{
    setDocument(makeDocument(this));
    m_layout = static_cast<CodeLayout *>(document()->documentLayout());
    m_highlighter = new Highlighter(document());
    m_gutter = new CodeGutter(*this, theme);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(NoWrap);
    setLayoutDirection(Qt::LeftToRight); // also where everything else is mirrored: it is code
    setTabChangesFocus(false);
    setCursorWidth(2);

    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::layOutGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, &CodeEditor::followView);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (!textCursor().block().isVisible())
            reveal(textCursor().block());
        mark();
        viewport()->update(); // the current line's band
        m_gutter->update();
    });
    connect(m_highlighter, &Highlighter::foldsChanged, m_gutter, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, &CodeEditor::takeTheme);
    connect(&m_syntax, &Syntax::themeChanged, this, &CodeEditor::takeTheme);
    takeTheme();
    document()->setModified(false);
}

CodeEditor::~CodeEditor() = default;

void CodeEditor::takeTheme()
{
    const QFont font = m_theme.font(FontRole::Code);
    setFont(font);
    document()->setDefaultFont(font);
    m_layout->setPitch(m_theme.scaled(20));
    setTabStopDistance(QFontMetricsF(font).horizontalAdvance(u' ') * 4);
    m_highlighter->setTheme(m_syntax.codeTheme());
    layOutGutter();
    mark();
}

void CodeEditor::setLanguage(const QString &language, const QString &fileName)
{
    m_language = language;
    m_fileName = fileName;
    const auto known = Languages::byId(language);
    m_style = known ? (*known)->style() : WritingStyle();
    takeDefinition();
}

void CodeEditor::takeDefinition()
{
    const KSyntaxHighlighting::Definition definition = m_syntax.definition(m_language, m_fileName);
    m_highlighter->setDefinition(definition);
    m_comment = definition.singleLineCommentMarker();
    m_foldStyle = definition.indentationBasedFoldingEnabled() || !definition.foldingEnabled() ? FoldStyle::Indentation
                                                                                              : FoldStyle::Regions;
}

// --- what is visible

void CodeEditor::layOutGutter()
{
    const int width = m_gutter->wantedWidth();
    setViewportMargins(width, 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), width, inside.height());
    m_gutter->update();
}

void CodeEditor::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    layOutGutter();
    followView();
}

// Scrolled, changed or repainted.
void CodeEditor::followView()
{
    m_gutter->update();
    const QTextBlock first = firstVisibleBlock();
    QTextBlock last = first;
    const int bottom = viewport()->height();
    while (last.next().isValid() && geometryOf(last).bottom() < bottom)
        last = last.next();
    m_highlighter->setVisibleBlocks(first.blockNumber(), last.blockNumber());
    if (!m_marked.text.isEmpty())
        mark();
}

void CodeEditor::mark()
{
    QList<QTextEdit::ExtraSelection> marks;
    const auto add = [&](int from, int to, Colour colour) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = textCursor();
        selection.cursor.setPosition(from);
        selection.cursor.setPosition(to, QTextCursor::KeepAnchor);
        selection.format.setBackground(m_theme.colour(colour));
        marks.append(selection);
    };
    if (!m_marked.text.isEmpty()) {
        const QRegularExpression expression = m_marked.expression();
        constexpr qsizetype enough = 500;
        for (QTextBlock block = firstVisibleBlock(); block.isValid() && expression.isValid(); block = block.next()) {
            if (geometryOf(block).top() > viewport()->height() || marks.size() > enough)
                break;
            if (!block.isVisible())
                continue;
            const QString text = block.text();
            for (QRegularExpressionMatchIterator it = expression.globalMatch(text); it.hasNext();) {
                if (const QRegularExpressionMatch match = it.next(); match.capturedLength() > 0)
                    add(block.position() + int(match.capturedStart()), block.position() + int(match.capturedEnd()),
                        Colour::Pressed);
            }
        }
    }
    for (const LineMark &each : std::as_const(m_marks)) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = each.where;
        selection.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        selection.format.setUnderlineColor(m_theme.colour(Colour::Warn));
        marks.append(selection);
    }
    if (const auto match = matchBracket(*document(), textCursor().position()); match && match->partner >= 0) {
        add(match->bracket, match->bracket + 1, Colour::AccentWash);
        add(match->partner, match->partner + 1, Colour::AccentWash);
    }
    if (marks.isEmpty() && extraSelections().isEmpty())
        return;
    const QSignalBlocker quiet(this); // it asks for an update, which brings us here again
    setExtraSelections(marks);
    viewport()->update();
}

void CodeEditor::setMarkedQuery(const FindQuery &query)
{
    m_marked = query;
    mark();
}

void CodeEditor::setMarks(const QList<LineMark> &marks)
{
    m_marks = marks;
    mark();
    m_gutter->update();
}

// The base class paints selections as high as the font; with more room between the lines that would leave stripes.
void CodeEditor::paintBands(const QRect &rect)
{
    QPainter painter(viewport());
    const QTextCursor cursor = textCursor();
    const QTextBlock current = cursor.block();
    if (current.isVisible()) {
        const QRectF band = geometryOf(current);
        const int height = std::max(m_layout->pitch(), int(band.height()) - (current.next().isValid() ? 0 : Space::s));
        painter.fillRect(QRect(0, int(band.top()), viewport()->width(), height), m_theme.colour(Colour::CurrentLine));
    }
    if (!cursor.hasSelection())
        return;
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = geometryOf(block);
        if (place.top() > rect.bottom())
            break;
        const int from = std::max(cursor.selectionStart(), block.position()) - block.position();
        const int to = std::min(cursor.selectionEnd(), block.position() + block.length()) - block.position();
        if (!block.isVisible() || from >= to || block.layout()->lineCount() == 0)
            continue;
        const QTextLine line = block.layout()->lineAt(0);
        const double left = place.left() + line.cursorToX(from);
        double right = place.left() + line.cursorToX(std::min(to, block.length() - 1));
        if (to == block.length()) // with its end
            right += QFontMetricsF(font()).horizontalAdvance(u' ') / 2;
        painter.fillRect(QRectF(left, place.top(), right - left, m_layout->pitch()),
                         palette().color(QPalette::Highlight));
    }
}

void CodeEditor::paintEvent(QPaintEvent *event)
{
    paintBands(event->rect());
    QPlainTextEdit::paintEvent(event);
    QPainter painter(viewport());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = geometryOf(block);
        if (place.top() > event->rect().bottom())
            break;
        if (!block.isVisible() || !isFolded(block))
            continue;
        const QTextLine line = block.layout()->lineAt(0);
        painter.setFont(font());
        painter.setPen(m_theme.colour(Colour::Dim));
        painter.drawText(
            QPointF(place.left() + line.naturalTextRect().right() + Space::s, place.top() + line.y() + line.ascent()),
            u"⋯"_s);
    }
}

void CodeEditor::goTo(int line, int column)
{
    const QTextBlock block = document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
    reveal(block);
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + std::clamp(column - 1, 0, block.length() - 1));
    setTextCursor(cursor);
    centerCursor();
}

// --- folding

void CodeEditor::toggleFold(const QTextBlock &block)
{
    if (isFolded(block)) {
        unfold(block);
    } else if (canFold(block, m_foldStyle)) {
        fold(block, m_foldStyle);
        if (!textCursor().block().isVisible())
            setTextCursor(QTextCursor(block));
    }
    viewport()->update();
    followView();
}

void CodeEditor::foldHere()
{
    const QTextBlock block = enclosingFold(textCursor().block(), m_foldStyle);
    if (!isFolded(block))
        toggleFold(block);
}

void CodeEditor::unfoldHere()
{
    if (isFolded(textCursor().block()))
        toggleFold(textCursor().block());
}

void CodeEditor::foldEverything()
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (block.isVisible() && canFold(block, m_foldStyle))
            fold(block, m_foldStyle);
    }
    QTextBlock shown = textCursor().block();
    while (!shown.isVisible() && shown.previous().isValid())
        shown = shown.previous();
    if (shown != textCursor().block())
        setTextCursor(QTextCursor(shown));
    followView();
}

void CodeEditor::unfoldEverything()
{
    unfoldAll(document());
    followView();
}

// --- typing

void CodeEditor::commentOrUncomment()
{
    toggleComment(textCursor(), m_comment.isEmpty() ? u"#"_s : m_comment);
}

void CodeEditor::breakLine()
{
    QTextCursor cursor = textCursor();
    cursor.beginEditBlock();
    cursor.removeSelectedText();
    const QString line = cursor.block().text();
    const QStringView before = QStringView(line).first(cursor.positionInBlock());
    const QStringView behind = QStringView(line).sliced(cursor.positionInBlock()).trimmed();
    const QString indentation = indentationAfter(before, m_indentation, m_style);
    cursor.insertText(u'\n' + indentation);
    // {|} opens up: the closing one gets a line of its own.
    const QChar opened = before.trimmed().isEmpty() ? QChar() : before.trimmed().back();
    const bool pair = (opened == u'{' && behind.startsWith(u'}')) || (opened == u'[' && behind.startsWith(u']'))
                      || (opened == u'(' && behind.startsWith(u')'));
    if (pair && m_style.bracesAreBlocks) {
        const int position = cursor.position();
        cursor.insertText(u'\n' + indentation.chopped(std::min(indentation.size(), m_indentation.step().size())));
        cursor.setPosition(position);
    }
    cursor.endEditBlock();
    setTextCursor(cursor);
    ensureCursorVisible();
}

// In the white space in front of a line: back to the step before.
bool CodeEditor::backspaceToStep()
{
    QTextCursor cursor = textCursor();
    const int column = cursor.positionInBlock();
    const QString before = cursor.block().text().first(column);
    if (cursor.hasSelection() || column == 0 || m_indentation.tabs
        || std::ranges::any_of(before, [](QChar c) { return c != u' '; }))
        return false;
    const int back = (column - 1) % m_indentation.width + 1;
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, back);
    cursor.removeSelectedText();
    return true;
}

void CodeEditor::moveHome(bool select)
{
    QTextCursor cursor = textCursor();
    const QString text = cursor.block().text();
    const auto space = std::ranges::find_if_not(text, [](QChar c) { return c.isSpace(); }) - text.begin();
    const bool atText = cursor.positionInBlock() == space;
    cursor.setPosition(cursor.block().position() + (atText ? 0 : int(space)),
                       select ? QTextCursor::KeepAnchor : QTextCursor::MoveAnchor);
    setTextCursor(cursor);
}

void CodeEditor::keyPressEvent(QKeyEvent *event)
{
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    // Tab belongs to the code; after Escape it goes on to what comes next, for who has no mouse.
    const bool isTab = event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab;
    const bool leaves = m_leavesByTab && isTab && plain;
    if (event->key() != Qt::Key_Shift)
        m_leavesByTab = event->key() == Qt::Key_Escape;
    if (leaves) {
        setTabChangesFocus(true);
        focusNextPrevChild(event->key() == Qt::Key_Tab);
        setTabChangesFocus(false);
        return;
    }
    if (isReadOnly() || !plain) {
        QPlainTextEdit::keyPressEvent(event);
        return;
    }
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        breakLine();
        return;
    case Qt::Key_Backtab:
        indentLines(textCursor(), m_indentation, true);
        return;
    case Qt::Key_Tab:
        if (textCursor().hasSelection() && textCursor().selectedText().contains(QChar::ParagraphSeparator)) {
            indentLines(textCursor(), m_indentation, false);
        } else if (m_indentation.tabs) {
            insertPlainText(u"\t"_s);
        } else {
            const int column = textCursor().positionInBlock();
            insertPlainText(QString(m_indentation.width - column % m_indentation.width, u' '));
        }
        return;
    case Qt::Key_Backspace:
        if (!shift && backspaceToStep())
            return;
        break;
    case Qt::Key_Home:
        moveHome(shift);
        return;
    default:
        break;
    }
    // A closing bracket as the first character of a line goes one step out.
    if (m_style.bracesAreBlocks && event->text() == u"}"_s && !textCursor().hasSelection()) {
        const QString before = textCursor().block().text().first(textCursor().positionInBlock());
        if (!before.isEmpty() && before.trimmed().isEmpty()) {
            QTextCursor cursor = textCursor();
            cursor.beginEditBlock();
            indentLines(cursor, m_indentation, true);
            cursor.insertText(u"}"_s);
            cursor.endEditBlock();
            setTextCursor(cursor);
            return;
        }
    }
    QPlainTextEdit::keyPressEvent(event);
}

bool CodeEditor::canInsertFromMimeData(const QMimeData *source) const
{
    return source->hasText() || !localFiles(source).isEmpty();
}

void CodeEditor::insertFromMimeData(const QMimeData *source)
{
    if (const QStringList files = localFiles(source); !files.isEmpty()) {
        Q_EMIT filesDropped(files);
        return;
    }
    QString text = source->text();
    text.replace(u"\r\n"_s, u"\n"_s).replace(u'\r', u'\n');
    if (longestLineOf(text) > longestLine) {
        Q_EMIT refused(
            tr("This was not pasted: it has a line of more than %L1 characters, which the editor can't show. "
               "Break the line, or save the text to a file and run that from a terminal.")
                .arg(longestLine));
        return;
    }
    text.remove(QChar(0));
    QTextCursor cursor = textCursor();
    cursor.insertText(text);
    setTextCursor(cursor);
    ensureCursorVisible();
    Q_EMIT pasted();
}

} // namespace glovebox
