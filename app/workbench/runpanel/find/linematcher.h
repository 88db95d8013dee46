// SPDX-License-Identifier: Apache-2.0
// Where in a line of output something is found that a person looks for: a text, or a regular expression.
#pragma once

#include "app/workbench/editor/code/editing.h"

#include <QRegularExpression>
#include <QString>

namespace glovebox {

// A value: each thread has its own. A line that a pattern takes too long for counts as one without a match
// (FindQuery::expression() bounds that time); after some such lines no further one is looked at.
class LineMatcher
{
public:
    struct Match
    {
        qsizetype start = -1; // none
        qsizetype length = 0;

        bool operator==(const Match &) const = default;
    };

    LineMatcher() = default; // looks for nothing
    explicit LineMatcher(const FindQuery &query);

    bool isEmpty() const { return m_query.text.isEmpty(); }
    // Why the pattern can't be read; empty: it can.
    QString mistake() const;
    bool isTooSlow() const { return m_slowLines >= mostSlowLines; }

    Match next(const QString &line, qsizetype from) const; // the first that begins at from or behind it
    Match last(const QString &line, qsizetype before) const; // the last that begins before
    // before: only those that begin in front of it; -1: all.
    qint64 count(const QString &line, qsizetype before = -1) const;

private:
    static constexpr int mostSlowLines = 20;

    FindQuery m_query;
    QRegularExpression m_expression;
    bool m_isText = false; // QString finds it
    mutable int m_slowLines = 0;
};

} // namespace glovebox
