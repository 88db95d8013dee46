// SPDX-License-Identifier: Apache-2.0
#include "pairs.h"

#include "app/workbench/editor/code/blockdata.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QStringView openers = u"([{", closers = u")]}", quotes = u"\"'`";

QChar partnerOf(QChar opener)
{
    const qsizetype bracket = openers.indexOf(opener);
    return bracket >= 0 ? closers[bracket] : quotes.contains(opener) ? opener : QChar();
}

// By their number in front: those behind a backslash don't count.
bool isInQuote(QStringView before, QChar quote)
{
    bool open = false;
    for (qsizetype i = 0; i < before.size(); ++i) {
        if (before[i] == u'\\')
            ++i;
        else if (before[i] == quote)
            open = !open;
    }
    return open;
}

bool isEscaped(QStringView before)
{
    qsizetype backslashes = 0;
    while (backslashes < before.size() && before[before.size() - 1 - backslashes] == u'\\')
        ++backslashes;
    return backslashes % 2 == 1;
}

bool isInText(const QTextCursor &cursor)
{
    const BlockData *data = BlockData::of(cursor.block());
    const int column = cursor.positionInBlock();
    return data && std::ranges::any_of(data->quiet, [column](const QuietRange &range) {
               return column > range.start && column < range.end;
           });
}

// f"..." and the like: letters that belong to the quote behind them.
bool isPrefixOfString(QStringView before)
{
    qsizetype letters = 0;
    while (letters < before.size() && before[before.size() - 1 - letters].isLetterOrNumber())
        ++letters;
    return letters > 0 && letters <= 2
           && std::ranges::all_of(before.last(letters), [](QChar c) { return QStringView(u"fFrRbBuU").contains(c); });
}

bool wantsPartner(const QTextCursor &cursor, QStringView line, QChar typed)
{
    const qsizetype column = cursor.positionInBlock();
    const QStringView before = line.first(column);
    const QChar next = column < line.size() ? line[column] : QChar(u' ');
    if (!next.isSpace() && !closers.contains(next) && next != u',' && next != u';' && next != u':')
        return false;
    if (isInText(cursor) || isEscaped(before))
        return false;
    if (!quotes.contains(typed))
        return true;
    const QChar last = before.isEmpty() ? QChar(u' ') : before.last(1).front();
    const bool isApostrophe = (last.isLetterOrNumber() || last == u'_') && !isPrefixOfString(before);
    return !isApostrophe && last != typed && !isInQuote(before, typed);
}

// As many as there are, the next one ends what was opened in this line.
bool isTypedOver(QStringView line, qsizetype column, QChar typed)
{
    if (column >= line.size() || line[column] != typed || isEscaped(line.first(column)))
        return false;
    if (quotes.contains(typed))
        return isInQuote(line.first(column), typed);
    const qsizetype bracket = closers.indexOf(typed);
    return bracket >= 0 && line.count(openers[bracket]) <= line.count(typed);
}

} // namespace

std::optional<QTextCursor> typedPair(QTextCursor cursor, QChar typed)
{
    const QChar partner = partnerOf(typed);
    if (cursor.hasSelection()) {
        if (partner.isNull())
            return std::nullopt;
        const int from = cursor.selectionStart(), to = cursor.selectionEnd();
        cursor.beginEditBlock();
        cursor.setPosition(to);
        cursor.insertText(partner);
        cursor.setPosition(from);
        cursor.insertText(typed);
        cursor.endEditBlock();
        cursor.setPosition(from + 1);
        cursor.setPosition(to + 1, QTextCursor::KeepAnchor);
        return cursor;
    }
    const QString line = cursor.block().text();
    if (isTypedOver(line, cursor.positionInBlock(), typed)) {
        cursor.movePosition(QTextCursor::Right);
        return cursor;
    }
    if (partner.isNull() || !wantsPartner(cursor, line, typed))
        return std::nullopt;
    cursor.insertText(QString(typed) + partner);
    cursor.movePosition(QTextCursor::Left);
    return cursor;
}

std::optional<QTextCursor> erasedPair(QTextCursor cursor)
{
    const QString line = cursor.block().text();
    const int column = cursor.positionInBlock();
    if (cursor.hasSelection() || column == 0 || column >= line.size())
        return std::nullopt;
    const QChar opener = line[column - 1];
    const QChar partner = partnerOf(opener);
    if (partner.isNull() || line[column] != partner)
        return std::nullopt;
    if (quotes.contains(opener) && isInQuote(QStringView(line).first(column - 1), opener))
        return std::nullopt; // it ends what is in front
    cursor.beginEditBlock();
    cursor.movePosition(QTextCursor::Left);
    cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, 2);
    cursor.removeSelectedText();
    cursor.endEditBlock();
    return cursor;
}

} // namespace glovebox
