// SPDX-License-Identifier: Apache-2.0
#include "editing.h"

#include "blockdata.h"

#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>
#include <ranges>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

qsizetype leadingSpace(QStringView text)
{
    return std::ranges::find_if_not(text, [](QChar c) { return c == u' ' || c == u'\t'; }) - text.begin();
}

} // namespace

std::pair<QTextBlock, QTextBlock> touchedBlocks(const QTextCursor &cursor)
{
    const QTextDocument *document = cursor.document();
    const QTextBlock first = document->findBlock(cursor.selectionStart());
    QTextBlock last = document->findBlock(cursor.selectionEnd());
    if (last != first && cursor.selectionEnd() == last.position())
        last = last.previous();
    return {first, last};
}

Indentation detectIndentation(const QTextDocument &document, const WritingStyle &style)
{
    constexpr int looked = 500; // lines: enough to see the habit
    QTextBlock block = document.begin();
    for (int i = 0; i < looked && block.isValid(); ++i, block = block.next()) {
        const QString text = block.text();
        const qsizetype space = leadingSpace(text);
        if (space == 0 || space == text.size())
            continue;
        if (text.startsWith(u'\t'))
            return {true, 4};
        if (space == 2 || space == 4 || space == 8)
            return {false, int(space)};
    }
    return {false, style.indentation};
}

QString indentationAfter(QStringView before, const Indentation &indentation, const WritingStyle &style)
{
    QString own = before.first(leadingSpace(before)).toString();
    const QString code = before.trimmed().toString();
    if (style.opens.match(code).hasMatch())
        return own + indentation.step();
    if (style.leaves.match(code).hasMatch())
        return own.chopped(std::min<qsizetype>(own.size(), indentation.step().size()));
    return own;
}

void indentLines(QTextCursor cursor, const Indentation &indentation, bool outwards)
{
    const auto [first, last] = touchedBlocks(cursor);
    cursor.beginEditBlock();
    for (QTextBlock block = first; block.isValid(); block = block.next()) {
        QTextCursor edit(block);
        const QString text = block.text();
        if (!outwards) {
            if (!text.isEmpty() || first == last)
                edit.insertText(indentation.step());
        } else if (text.startsWith(u'\t')) {
            edit.deleteChar();
        } else {
            const qsizetype spaces = std::ranges::find_if_not(text, [](QChar c) { return c == u' '; }) - text.begin();
            edit.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor,
                              int(std::min<qsizetype>(spaces, indentation.width)));
            edit.removeSelectedText();
        }
        if (block == last)
            break;
    }
    cursor.endEditBlock();
}

void toggleComment(QTextCursor cursor, const QString &marker)
{
    if (marker.isEmpty())
        return;
    const auto [first, last] = touchedBlocks(cursor);
    const auto forEach = [from = first, to = last](auto act) {
        for (QTextBlock block = from; block.isValid(); block = block.next()) {
            if (const QString text = block.text(); leadingSpace(text) < text.size())
                act(block, text);
            if (block == to)
                break;
        }
    };
    bool all = true;
    qsizetype column = -1;
    forEach([&](const QTextBlock &, const QString &text) {
        const qsizetype space = leadingSpace(text);
        all = all && QStringView(text).sliced(space).startsWith(marker);
        column = column < 0 ? space : std::min(column, space);
    });
    if (column < 0)
        return;
    cursor.beginEditBlock();
    forEach([&](const QTextBlock &block, const QString &text) {
        QTextCursor edit(block);
        if (!all) {
            edit.setPosition(block.position() + int(column));
            edit.insertText(marker + u' ');
            return;
        }
        const int space = int(leadingSpace(text));
        const bool spaced = QStringView(text).sliced(space + marker.size()).startsWith(u' ');
        edit.setPosition(block.position() + space);
        edit.setPosition(block.position() + space + int(marker.size()) + (spaced ? 1 : 0), QTextCursor::KeepAnchor);
        edit.removeSelectedText();
    });
    cursor.endEditBlock();
}

QString withoutCommonIndentation(const QString &text)
{
    QStringList lines = text.split(u'\n');
    std::optional<QStringView> common;
    for (const QString &line : lines) {
        const QStringView space = QStringView(line).first(leadingSpace(line));
        if (space.size() == line.size())
            continue;
        if (!common)
            common = space;
        const auto [own, shared] = std::ranges::mismatch(space, *common);
        common = space.first(own - space.begin());
    }
    const qsizetype length = common ? common->size() : 0;
    for (QString &line : lines)
        line.remove(0, std::min(length, leadingSpace(line)));
    return lines.join(u'\n');
}

std::optional<BracketMatch> matchBracket(const QTextDocument &document, int position)
{
    static const QString opening = u"([{"_s, closing = u")]}"_s;
    constexpr int farthest = 2000;
    const auto isQuiet = [](const QTextBlock &block, int column) {
        const BlockData *data = BlockData::of(block);
        return data && std::ranges::any_of(data->quiet, [column](const QuietRange &range) {
                   return column >= range.start && column < range.end;
               });
    };
    // The one before the cursor first: it was just typed.
    for (const int at : {position - 1, position}) {
        const QChar bracket = at < 0 ? QChar() : document.characterAt(at);
        const qsizetype opens = opening.indexOf(bracket);
        const qsizetype closes = closing.indexOf(bracket);
        if (bracket.isNull() || (opens < 0 && closes < 0))
            continue;
        QTextBlock block = document.findBlock(at);
        int column = at - block.position();
        if (isQuiet(block, column))
            continue;
        const QChar partner = opens >= 0 ? closing[opens] : opening[closes];
        const int step = opens >= 0 ? 1 : -1;
        int depth = 0;
        for (int lines = 0; block.isValid() && lines < farthest; ++lines) {
            const QString text = block.text();
            for (; column >= 0 && column < text.size(); column += step) {
                if ((text[column] != bracket && text[column] != partner) || isQuiet(block, column))
                    continue;
                depth += text[column] == bracket ? 1 : -1;
                if (depth == 0)
                    return BracketMatch{at, block.position() + column};
            }
            block = step > 0 ? block.next() : block.previous();
            column = step > 0 ? 0 : block.length() - 2;
        }
        return BracketMatch{at, -1};
    }
    return std::nullopt;
}

QRegularExpression FindQuery::expression() const
{
    QString pattern = isPattern ? text : QRegularExpression::escape(text);
    if (wholeWords)
        pattern = u"\\b(?:"_s + pattern + u")\\b"_s;
    if (isPattern) // "(a+)+b" would take for ever: matching gives up after so many steps (pcre2pattern(3))
        pattern.prepend(u"(*LIMIT_MATCH=200000)"_s);
    return QRegularExpression(pattern, matchCase ? QRegularExpression::NoPatternOption
                                                 : QRegularExpression::CaseInsensitiveOption);
}

QTextCursor findNext(const QTextCursor &from, const FindQuery &query, bool backward)
{
    const QRegularExpression expression = query.expression();
    if (query.text.isEmpty() || !expression.isValid())
        return {};
    const QTextDocument *document = from.document();
    QTextDocument::FindFlags flags;
    flags.setFlag(QTextDocument::FindBackward, backward);
    flags.setFlag(QTextDocument::FindCaseSensitively, query.matchCase); // find() ignores what the expression says
    const int start = backward ? from.selectionStart() : from.selectionEnd();
    for (const int position : {start, backward ? document->characterCount() - 1 : 0}) {
        QTextCursor at(from);
        at.setPosition(position);
        for (;;) {
            QTextCursor found = document->find(expression, at, flags);
            if (found.isNull())
                break;
            if (found.hasSelection())
                return found;
            // "a*" matches nothing, everywhere: on to the next character.
            if (!at.movePosition(backward ? QTextCursor::PreviousCharacter : QTextCursor::NextCharacter))
                break;
        }
    }
    return {};
}

QString filledReplacement(const QRegularExpressionMatch &match, const FindQuery &query, const QString &replacement)
{
    if (!query.isPattern)
        return replacement;
    QString filled;
    for (qsizetype i = 0; i < replacement.size(); ++i) {
        if (replacement[i] == u'\\' && i + 1 < replacement.size()) {
            const QChar next = replacement[++i];
            if (next.isDigit())
                filled += match.captured(next.digitValue());
            else
                filled += next == u'n' ? QChar(u'\n') : next == u't' ? QChar(u'\t') : next;
        } else {
            filled += replacement[i];
        }
    }
    return filled;
}

int replaceAll(QTextDocument &document, const FindQuery &query, const QString &replacement)
{
    const QRegularExpression expression = query.expression();
    if (query.text.isEmpty() || !expression.isValid())
        return 0;
    int count = 0;
    QTextCursor edit(&document);
    edit.beginEditBlock();
    for (QTextBlock block = document.begin(); block.isValid();) {
        const QTextBlock next = block.next(); // a replacement may bring lines
        const QString text = block.text();
        QList<QRegularExpressionMatch> matches;
        for (QRegularExpressionMatchIterator it = expression.globalMatch(text); it.hasNext();) {
            if (QRegularExpressionMatch match = it.next(); match.capturedLength() > 0)
                matches.append(match);
        }
        for (const QRegularExpressionMatch &match : std::views::reverse(matches)) { // positions before it stay
            edit.setPosition(block.position() + int(match.capturedStart()));
            edit.setPosition(block.position() + int(match.capturedEnd()), QTextCursor::KeepAnchor);
            edit.insertText(filledReplacement(match, query, replacement));
            ++count;
        }
        block = next;
    }
    edit.endEditBlock();
    return count;
}

} // namespace glovebox
