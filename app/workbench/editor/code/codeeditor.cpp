// SPDX-License-Identifier: Apache-2.0
#include "codeeditor.h"

#include "codegutter.h"
#include "codelayout.h"
#include "highlighter.h"

#include "app/workbench/editor/typing/completion.h"
#include "app/workbench/editor/typing/wordindex.h"
#include "app/workbench/shell/look.h"

#include "engine/languages/languages.h"

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
    , m_cursors(*this)
{
    setDocument(makeDocument(this));
    m_layout = static_cast<CodeLayout *>(document()->documentLayout());
    m_highlighter = new Highlighter(document());
    m_gutter = new CodeGutter(*this, theme);
    m_words = new WordIndex(document());
    m_completion = new Completion(*this);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(NoWrap);
    setLayoutDirection(Qt::LeftToRight); // also where everything else is mirrored: it is code
    setTabChangesFocus(false);
    setCursorWidth(2);

    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::layOutGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, &CodeEditor::followView);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (!m_cursors.areMoving())
            keepOneCursor();
    });
    connect(this, &QPlainTextEdit::selectionChanged, this,
            [this] { // selecting all moves nothing from the end of the text
                if (!m_cursors.areMoving() && m_cursors.count() > 1)
                    keepOneCursor();
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
    hideOwnPlaceholder(this);
    m_layout->setPitch(m_theme.scaled(20));
    setTabStopDistance(QFontMetricsF(font).horizontalAdvance(u' ') * m_indentation.width);
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
    m_keywords.clear();
    for (const QString &list : definition.keywordLists()) {
        for (const QString &word : definition.keywordList(list))
            m_keywords.insert(word);
    }
    m_foldStyle = definition.indentationBasedFoldingEnabled() || !definition.foldingEnabled() ? FoldStyle::Indentation
                                                                                              : FoldStyle::Regions;
}

void CodeEditor::setIndentation(const Indentation &indentation)
{
    m_indentation = indentation;
    setTabStopDistance(QFontMetricsF(font()).horizontalAdvance(u' ') * indentation.width);
}

// --- what is visible

void CodeEditor::expectLines(int lines)
{
    m_expectedLines = lines;
    layOutGutter();
}

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

void CodeEditor::followCursors()
{
    if (!textCursor().block().isVisible())
        reveal(textCursor().block());
    mark();
    viewport()->update(); // the current line's band
    m_gutter->update();
    Q_EMIT cursorsChanged();
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
    paintSelection(cursor, rect);
    for (const QTextCursor &each : m_cursors.further())
        paintSelection(each, rect);
}

void CodeEditor::paintSelection(const QTextCursor &cursor, const QRect &rect)
{
    if (!cursor.hasSelection())
        return;
    QPainter painter(viewport());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = geometryOf(block);
        if (place.top() > rect.bottom())
            break;
        const int from = std::max(cursor.selectionStart(), block.position()) - block.position();
        const int to = std::min(cursor.selectionEnd(), block.position() + block.length()) - block.position();
        if (!block.isVisible() || from >= to || block.layout()->lineCount() == 0)
            continue;
        double top = place.top();
        for (int i = 0; i < block.layout()->lineCount(); ++i) { // more than one of a line that is wrapped
            const QTextLine line = block.layout()->lineAt(i);
            const int begin = line.textStart(), end = begin + line.textLength();
            const double height = std::max(double(m_layout->pitch()), line.height());
            if (from <= end && to > begin) {
                const double left = place.left() + line.cursorToX(std::max(from, begin));
                double right = place.left() + line.cursorToX(std::min(to, end));
                if (to == block.length() && i == block.layout()->lineCount() - 1) // with its end
                    right += QFontMetricsF(font()).horizontalAdvance(u' ') / 2;
                painter.fillRect(QRectF(left, top, right - left, height), palette().color(QPalette::Highlight));
            }
            top += height;
        }
    }
}

// They don't blink: who has several looks for all of them.
void CodeEditor::paintFurtherCursors()
{
    if (!hasFocus() || m_cursors.further().isEmpty())
        return;
    QPainter painter(viewport());
    const int first = firstVisibleBlock().position();
    const int last = cursorForPosition(viewport()->rect().bottomRight()).block().next().position();
    for (const QTextCursor &each : m_cursors.further()) {
        if (each.position() >= first && (last == 0 || each.position() <= last) && each.block().isVisible())
            painter.fillRect(cursorRect(each), palette().color(QPalette::Text));
    }
}

void CodeEditor::paintEvent(QPaintEvent *event)
{
    paintBands(event->rect());
    QPlainTextEdit::paintEvent(event);
    paintFurtherCursors();
    paintPlaceholder(*this, m_theme.colour(Colour::Dim));
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

int CodeEditor::numberOf(const QTextBlock &block) const
{
    const auto before = std::ranges::upper_bound(m_continuing, block.blockNumber()) - m_continuing.begin();
    return block.blockNumber() + 1 - int(before);
}

void CodeEditor::goTo(int line, int column)
{
    int number = line - 1;
    for (const int continuing : std::as_const(m_continuing))
        number += continuing <= number ? 1 : 0;
    const QTextBlock block = document()->findBlockByNumber(std::clamp(number, 0, blockCount() - 1));
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

// --- pasting

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
    if (text.size() > maximumCodeBytes) {
        Q_EMIT refused(
            tr("This was not pasted: it has %L1 characters, and the editor takes up to %L2 at once, as a run "
               "takes no more code. If this is data, save it to a file and show its folder to the run.")
                .arg(text.size())
                .arg(maximumCodeBytes));
        return;
    }
    text.replace(u"\r\n"_s, u"\n"_s).replace(u'\r', u'\n');
    if (longestLineOf(text) > longestLine) {
        Q_EMIT refused(
            tr("This was not pasted: it has a line of more than %L1 characters, which the editor can't show. "
               "Break the line, or save the text to a file and run that from a terminal.")
                .arg(longestLine));
        return;
    }
    text.remove(QChar(0));
    // As many lines as there are cursors were copied from as many.
    const QStringList lines = text.split(u'\n');
    qsizetype next = 0;
    m_cursors.atEach(Cursors::Act::Edits, [&] {
        QTextCursor cursor = textCursor();
        cursor.insertText(m_cursors.count() > 1 && lines.size() == m_cursors.count() ? lines[next++] : text);
        setTextCursor(cursor);
    });
    followCursors();
    ensureCursorVisible();
    Q_EMIT pasted();
}

QMimeData *CodeEditor::createMimeDataFromSelection() const
{
    if (m_cursors.count() == 1)
        return QPlainTextEdit::createMimeDataFromSelection();
    auto *selected = new QMimeData;
    selected->setText(m_cursors.selectedText());
    return selected;
}

} // namespace glovebox
