// SPDX-License-Identifier: Apache-2.0
#include "engine/languages/celltext.h"

#include <algorithm>
#include <cctype>

namespace glovebox {

namespace {

// Statements that have a block, which their line may hold already: "else" may follow all the same.
constexpr QByteArrayView blockWords[] = {"if", "for", "while", "try", "with", "def", "class", "async"};

bool beginsBlock(QByteArrayView text)
{
    const auto isOfWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const auto end = std::find_if_not(text.begin(), text.end(), isOfWord);
    const QByteArrayView word = text.first(end - text.begin());
    return text.startsWith('@') || std::ranges::find(blockWords, word) != std::end(blockWords);
}

// Of a string that begins at a quote. Past the end: it isn't ended.
qsizetype endOfString(QByteArrayView text, qsizetype at, bool isLong)
{
    const char quote = text[at];
    const QByteArrayView ending = text.sliced(at, isLong ? 3 : 1);
    for (at += ending.size(); at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '\n' && !isLong)
            return at; // the interpreter tells
        else if (text[at] == quote && text.sliced(at).startsWith(ending))
            return at + ending.size();
    }
    return text.size() + 1;
}

} // namespace

CellText pythonCellText(QByteArrayView text)
{
    int depth = 0;
    char last = 0; // that isn't white space
    bool isBlock = beginsBlock(text.trimmed());
    for (qsizetype at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '#') {
            at = text.indexOf('\n', at);
            if (at < 0)
                break;
            continue;
        }
        if (c == '"' || c == '\'') {
            const QByteArrayView three = text.sliced(at, std::min<qsizetype>(3, text.size() - at));
            const bool isLong = three == "\"\"\"" || three == "'''";
            at = endOfString(text, at, isLong);
            if (at > text.size())
                return isLong ? CellText::Open : CellText::Whole;
            last = c;
            continue;
        }
        if (c == '\\' && text.sliced(at).trimmed() == "\\")
            return CellText::MayGoOn;
        if (c == '(' || c == '[' || c == '{')
            ++depth;
        else if ((c == ')' || c == ']' || c == '}') && --depth < 0)
            return CellText::Whole;
        isBlock = isBlock || (c == '\n' && depth == 0 && last == ':'); // "match" is a word like others
        if (!std::isspace(static_cast<unsigned char>(c)))
            last = c;
        ++at;
    }
    if (depth > 0)
        return CellText::Open;
    return isBlock || last == ':' ? CellText::MayGoOn : CellText::Whole;
}

} // namespace glovebox
