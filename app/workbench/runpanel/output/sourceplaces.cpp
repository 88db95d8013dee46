// SPDX-License-Identifier: Apache-2.0
#include "sourceplaces.h"

#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

QList<SourcePlace> findSourcePlaces(const QString &line)
{
    // Nearly all output is none of this; a search for a literal is far cheaper than three expressions.
    if (!line.contains("main."_L1))
        return {};
    static const QRegularExpression patterns[] = {
        QRegularExpression(uR"re(File (?<place>"(?:/work/)?main\.py", line (?<line>\d{1,7})(?!\d)))re"_s),
        QRegularExpression(uR"re((?<![\w.-])(?<place>(?:(?:file://)?/work/)?main\.(?:js|mjs|cjs):(?<line>\d{1,7}))re"
                           uR"re((?!\d)(?::(?<column>\d{1,7}))?))re"_s),
        QRegularExpression(uR"re(^(?:/work/)?(?<place>main\.sh: (?:[a-z][a-z -]*: )?(?:line )?(?<line>\d{1,7})):)re"_s),
    };
    QList<SourcePlace> places;
    for (const QRegularExpression &pattern : patterns) {
        for (QRegularExpressionMatchIterator it = pattern.globalMatch(line); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            const int number = match.captured(u"line"_s).toInt();
            if (number > 0)
                places.append({int(match.capturedStart(u"place"_s)), int(match.capturedLength(u"place"_s)), number,
                               match.captured(u"column"_s).toInt()});
        }
    }
    return places;
}

bool isErrorHeadline(const QString &line)
{
    static const QRegularExpression pattern(
        uR"re(^(?:Traceback \(most recent call last\):|)re"
        uR"re((?:Uncaught )?(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Interrupt|Exit)\b(?: \[\w+\])?(?::|$)|)re"
        uR"re((?:/work/)?main\.sh: .*\d+: ))re"_s);
    return pattern.match(line).hasMatch();
}

} // namespace glovebox
