// SPDX-License-Identifier: Apache-2.0
// Words that people read, out of sources, manual pages and Markdown.
#pragma once

#include <QList>
#include <QString>

namespace glovebox {

struct Literal
{
    int line = 0; // of its first character
    QString text; // neighbours joined, escapes of quotes and line breaks undone

    bool operator==(const Literal &) const = default;
};

// The string literals of C++ code, without those of #include and of comments.
QList<Literal> literalsIn(const QString &source);
// The prose of a manual page of mdoc(7) or man(7): macros and their fonts taken off, a paragraph each, no displays.
QList<Literal> paragraphsOfPage(const QString &page);
// The prose of Markdown: a paragraph, an item or a cell each, no code.
QList<Literal> paragraphsOfMarkdown(const QString &text);

// The sentences of a literal: what ends with a stop, a colon, a paragraph or an item of a list.
QStringList sentencesIn(const QString &text);
// Letters and digits are in them, so "=" isn't one.
int wordsIn(const QString &sentence);

} // namespace glovebox
