// SPDX-License-Identifier: Apache-2.0
#include "linematcher.h"

namespace glovebox {

LineMatcher::LineMatcher(const FindQuery &query)
    : m_query(query)
    , m_isText(!query.isPattern && !query.wholeWords)
{
    if (!m_isText)
        m_expression = query.expression();
}

QString LineMatcher::mistake() const
{
    return m_isText || m_expression.isValid() ? QString() : m_expression.errorString();
}

LineMatcher::Match LineMatcher::next(const QString &line, qsizetype from) const
{
    if (isEmpty() || isTooSlow() || from > line.size())
        return {};
    if (m_isText) {
        const qsizetype at =
            line.indexOf(m_query.text, from, m_query.matchCase ? Qt::CaseSensitive : Qt::CaseInsensitive);
        return at < 0 ? Match() : Match{at, m_query.text.size()};
    }
    // "a*" matches nothing, everywhere: on to the next character.
    for (qsizetype at = from; at <= line.size();) {
        const QRegularExpressionMatch match = m_expression.match(line, at);
        if (!match.isValid()) // also of a pattern with a mistake
            ++m_slowLines;
        if (!match.hasMatch())
            return {};
        if (match.capturedLength() > 0)
            return {match.capturedStart(), match.capturedLength()};
        at = match.capturedStart() + 1;
    }
    return {};
}

LineMatcher::Match LineMatcher::last(const QString &line, qsizetype before) const
{
    Match last;
    for (Match match = next(line, 0); match.start >= 0 && match.start < before;
         match = next(line, match.start + match.length))
        last = match;
    return last;
}

qint64 LineMatcher::count(const QString &line, qsizetype before) const
{
    qint64 count = 0;
    for (Match match = next(line, 0); match.start >= 0 && (before < 0 || match.start < before);
         match = next(line, match.start + match.length))
        ++count;
    return count;
}

} // namespace glovebox
