// SPDX-License-Identifier: Apache-2.0
// What an editor does to text beyond typing: indentation, comments, brackets, and finding.
#pragma once

#include "engine/languages/languages.h"

#include <QTextCursor>

#include <optional>

class QTextDocument;

namespace glovebox {

struct Indentation
{
    bool tabs = false;
    int width = 4; // columns of one step

    QString step() const { return tabs ? QString(u'\t') : QString(width, u' '); }
    bool operator==(const Indentation &) const = default;
};

// What the text does already; else the language's habit.
Indentation detectIndentation(const QTextDocument &document, const WritingStyle &style);
// White space at the beginning of the line that follows, when a line is broken behind `before`.
QString indentationAfter(QStringView before, const Indentation &indentation, const WritingStyle &style);

// The blocks that a selection touches; one that ends before the first character of a line doesn't touch that line.
std::pair<QTextBlock, QTextBlock> touchedBlocks(const QTextCursor &cursor);

// One step in or out for each line that the selection touches.
void indentLines(QTextCursor cursor, const Indentation &indentation, bool outwards);
// Comments the selected lines in, or out when all of them are comments. marker: "#".
void toggleComment(QTextCursor cursor, const QString &marker);
// Removes what all lines have in front: a selection from inside a function runs by itself.
QString withoutCommonIndentation(const QString &text);

struct BracketMatch
{
    int bracket = -1; // position of the one at the cursor
    int partner = -1; // -1: it has none
};

// Looks at most about 2,000 lines far. Brackets in strings and comments don't count, as far as the highlighter knows
// them.
std::optional<BracketMatch> matchBracket(const QTextDocument &document, int position);

// What a person looks for.
struct FindQuery
{
    QString text;
    bool matchCase = false;
    bool wholeWords = false;
    bool isPattern = false; // text is a regular expression

    QRegularExpression expression() const; // isValid() is false when the pattern has an error
    bool operator==(const FindQuery &) const = default;
};

// From the cursor on (its selection is passed over), once around; a null cursor when there is none.
QTextCursor findNext(const QTextCursor &from, const FindQuery &query, bool backward);
// Replaces all as one step of undo, and says how many.
int replaceAll(QTextDocument &document, const FindQuery &query, const QString &replacement);
// With \1 and so on filled in, where the query is a pattern.
QString filledReplacement(const QRegularExpressionMatch &match, const FindQuery &query, const QString &replacement);

} // namespace glovebox
