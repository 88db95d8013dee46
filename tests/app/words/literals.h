// SPDX-License-Identifier: Apache-2.0
// Words that people read, out of sources.
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

// The sentences of a literal: what ends with a stop, a colon, a paragraph or an item of a list.
QStringList sentencesIn(const QString &text);
// Letters and digits are in them, so "=" isn't one.
int wordsIn(const QString &sentence);

} // namespace glovebox
