// SPDX-License-Identifier: Apache-2.0
#include "changesdiff.h"

#include "app/cli/terminal/terminal.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostFiles = 1000;
constexpr qsizetype mostCharacters = 16 * 1024 * 1024; // of all files; 32 MB of memory
constexpr qsizetype mostLines = 5000; // of a file, as in the workbench
constexpr qsizetype longestLine = 1000; // characters

// None of the list's lines begins with so many spaces.
QByteArray indented(const QByteArray &line)
{
    return "    " + line + '\n';
}

QByteArray shownLine(const DiffLine &line)
{
    const char signs[] = {' ', '-', '+'};
    QByteArray shown = signs[int(line.kind)] + escapedText(line.text.left(longestLine).toUtf8());
    if (line.text.size() > longestLine)
        shown += " [... and " + QByteArray::number(line.text.size() - longestLine) + " more characters]";
    return indented(shown) + (line.isOpen ? indented("\\ No newline at the end of the file") : QByteArray());
}

} // namespace

LinesOfChanges::LinesOfChanges(const Staging &staging, QString run)
    : m_staging(staging)
    , m_run(std::move(run))
{
}

Result<QList<DiffLine>> LinesOfChanges::linesOf(const QString &folder, const FolderChange &change)
{
    if (++m_files > mostFiles || m_characters > mostCharacters)
        return fail(ErrorCode::Full,
                    Text("The lines are left out, as those of many other files are shown. To see these, "
                         "name the path after the run."));
    auto lines = changedLines(m_staging, m_run, folder, change);
    for (const DiffLine &line : lines ? *lines : QList<DiffLine>())
        m_characters += line.text.size();
    return lines;
}

QByteArray LinesOfChanges::text(const QString &folder, const FolderChange &change)
{
    if (change.type != FolderChange::Type::File)
        return {};
    const auto lines = linesOf(folder, change);
    if (!lines)
        return indented(escapedLine(lines.error().message.english().toUtf8()));
    if (lines->isEmpty())
        return indented(whyNoLines(change).english().toUtf8());
    QByteArray shown;
    for (qsizetype i = 0; i < std::min(lines->size(), mostLines); ++i) {
        if (const auto at = hunkAt(*lines, i))
            shown += indented(u"@@ -%1,%2 +%3,%4 @@"_s.arg(at->before)
                                  .arg(at->beforeCount)
                                  .arg(at->after)
                                  .arg(at->afterCount)
                                  .toUtf8());
        if (lines->at(i).kind != DiffLine::Kind::Gap)
            shown += shownLine(lines->at(i));
    }
    if (lines->size() > mostLines)
        shown += indented("... and " + QByteArray::number(lines->size() - mostLines) + " more lines");
    return shown;
}

QJsonValue LinesOfChanges::json(const QString &folder, const FolderChange &change)
{
    if (change.type != FolderChange::Type::File)
        return {};
    const auto lines = linesOf(folder, change);
    if (!lines)
        return QJsonObject{{u"lines"_s, QJsonValue()}, {u"left_out"_s, 0}, {u"why"_s, lines.error().message.english()}};
    const auto numberOrNull = [](int number) { return number == 0 ? QJsonValue() : QJsonValue(number); };
    QJsonArray shown;
    for (const DiffLine &line : lines->first(std::min(lines->size(), mostLines))) {
        const QString kinds[] = {u"same"_s, u"removed"_s, u"added"_s, u"gap"_s};
        shown.append(QJsonObject{{u"kind"_s, kinds[int(line.kind)]},
                                 {u"text"_s, line.text},
                                 {u"before"_s, numberOrNull(line.before)},
                                 {u"after"_s, numberOrNull(line.after)},
                                 {u"newline"_s, !line.isOpen}});
    }
    return QJsonObject{{u"lines"_s, shown}, {u"left_out"_s, lines->size() - shown.size()}, {u"why"_s, QJsonValue()}};
}

} // namespace glovebox
