// SPDX-License-Identifier: Apache-2.0
// YAML: a new entry comes first in its section, a new section last in the file.
#include "yamllines.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

std::unexpected<Misreading> misreadLine(const YamlLine &line, Misreading::Why why)
{
    return std::unexpected(Misreading{line.at, why});
}

// The lines from first on that belong to it: deeper ones, and items of a sequence, which need not be.
qsizetype pastLinesBelow(const QList<YamlLine> &lines, qsizetype first)
{
    qsizetype next = first + 1;
    while (next < lines.size()
           && (lines[next].indent > lines[first].indent
               || (lines[next].isItem && !lines[first].isItem && lines[next].indent == lines[first].indent)))
        ++next;
    return next;
}

// The one line of these with that indentation and key; -1: there is none.
Reading<qsizetype> lineWithKey(const QList<YamlLine> &lines, qsizetype from, qsizetype past, qsizetype indent,
                               const QByteArray &key)
{
    qsizetype found = -1;
    for (qsizetype i = from; i < past; ++i) {
        if (lines[i].indent != indent || !lines[i].hasKey || lines[i].isItem || lines[i].key != key)
            continue;
        if (found >= 0)
            return misreadLine(lines[i], Misreading::Why::Repeated);
        found = i;
    }
    return found;
}

// Each line of that indentation is a key of a mapping, and none is less indented.
std::optional<Misreading> obstacleInMapping(const QList<YamlLine> &lines, qsizetype from, qsizetype past,
                                            qsizetype indent)
{
    for (qsizetype i = from; i < past; ++i) {
        const bool isContent =
            i > from && lines[i].isItem && lines[i].indent == indent && lines[i - 1].indent >= indent;
        const bool isKey = lines[i].hasKey && !lines[i].isItem;
        if (lines[i].indent < indent || (i == from && lines[i].indent > indent)
            || (lines[i].indent == indent && !isContent && !isKey))
            return Misreading{lines[i].at, Misreading::Why::OtherForm};
    }
    return std::nullopt;
}

QJsonValue scalarOf(const QByteArray &raw)
{
    if (raw.startsWith('"'))
        return valueOf(raw);
    if (raw.startsWith('\''))
        return QString::fromUtf8(raw.sliced(1).chopped(1).replace("''", "'"));
    return QString::fromUtf8(raw);
}

QByteArray valueText(const QByteArray &text, const YamlLine &line)
{
    return text.sliced(line.valueAt, line.valueEnd - line.valueAt);
}

// "[a, 'b']", or the items in the lines below.
FoundValue listAt(const QByteArray &text, const QList<YamlLine> &lines, qsizetype index)
{
    const YamlLine &line = lines[index];
    const QByteArray raw = valueText(text, line);
    QJsonArray list;
    if (raw.startsWith('[') && raw.endsWith(']')) {
        const QByteArray inner = raw.sliced(1).chopped(1).trimmed();
        for (const QByteArray &item : inner.isEmpty() ? QByteArrayList() : inner.split(','))
            list.append(scalarOf(item.trimmed()));
        return {list, line.valueAt, raw.size()};
    }
    for (qsizetype i = index + 1; i < pastLinesBelow(lines, index); ++i) {
        if (!lines[i].isItem || lines[i].hasKey)
            return {};
        list.append(scalarOf(valueText(text, lines[i])));
    }
    return {raw.isEmpty() ? QJsonValue(list) : QJsonValue(), -1, 0};
}

QByteArray entryLines(const ClientProgram &program, const QString &command, const QByteArray &indent,
                      const QByteArray &lineEnd)
{
    QByteArray lines = indent + entryName.toUtf8() + ':';
    for (const auto &[key, value] : settingsOf(program, command))
        lines += lineEnd + indent + "  " + key.toUtf8() + ": " + jsonText(value);
    return lines;
}

// From one line to before another; a file without a line end at its end stays one.
Splice withoutLines(const QByteArray &text, const YamlLine &first, const YamlLine &last)
{
    qsizetype begin = first.at;
    if (last.end == text.size() && !text.endsWith('\n') && begin > startOf(text))
        begin -= QByteArrayView(text).first(begin).endsWith("\r\n") ? 2 : 1;
    return {begin, last.end - begin, {}};
}

// Behind the line with the section's key.
Splice newEntry(const QByteArray &text, const YamlLine &section, const QByteArray &lines, const QByteArray &lineEnd)
{
    const bool isEnded = QByteArrayView(text).sliced(section.at, section.end - section.at).endsWith('\n');
    return {section.end, 0, (isEnded ? QByteArray() : lineEnd) + lines + (isEnded ? lineEnd : QByteArray())};
}

void listOtherLines(const QByteArray &text, const QList<YamlLine> &lines, qsizetype section, qsizetype entry,
                    qsizetype pastEntry, QByteArrayList &others)
{
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (i != section && (i < entry || i >= pastEntry))
            others.append(text.sliced(lines[i].at, lines[i].end - lines[i].at).trimmed());
    }
}

} // namespace

Reading<Layout> yamlLayout(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    const auto scanned = yamlLines(text);
    if (!scanned)
        return std::unexpected(scanned.error());
    const QList<YamlLine> &lines = *scanned;
    if (const auto obstacle = obstacleInMapping(lines, 0, lines.size(), 0))
        return std::unexpected(*obstacle);
    const auto section = lineWithKey(lines, 0, lines.size(), 0, program.section.toUtf8());
    if (!section)
        return std::unexpected(section.error());

    const QByteArray lineEnd = lineEndOf(text);
    Layout layout;
    layout.hasSection = *section >= 0;
    if (!layout.hasSection) {
        const bool isEnded = text.size() == startOf(text) || text.endsWith('\n');
        layout.addition = {{text.size(), 0,
                            (isEnded ? QByteArray() : lineEnd) + program.section.toUtf8() + ':' + lineEnd
                                + entryLines(program, command, "  "_ba, lineEnd) + (isEnded ? lineEnd : QByteArray())}};
        listOtherLines(text, lines, -1, 0, 0, layout.others);
        return layout;
    }
    const YamlLine &header = lines[*section];
    const qsizetype first = *section + 1;
    const qsizetype past = pastLinesBelow(lines, *section);
    const QByteArray value = valueText(text, header);
    const bool isEmptyMap =
        value.startsWith('{') && value.endsWith('}') && value.sliced(1).chopped(1).trimmed().isEmpty();
    if ((!value.isEmpty() && !isEmptyMap) || (isEmptyMap && past > first))
        return misreadLine(header, Misreading::Why::OtherForm);
    const qsizetype indent = first < past ? lines[first].indent : 2;
    if (indent == 0) // a sequence
        return misreadLine(header, Misreading::Why::OtherForm);
    if (const auto obstacle = obstacleInMapping(lines, first, past, indent))
        return std::unexpected(*obstacle);
    const auto entry = lineWithKey(lines, first, past, indent, entryName.toUtf8());
    if (!entry)
        return std::unexpected(entry.error());

    layout.hasEntry = *entry >= 0;
    if (!layout.hasEntry) {
        layout.addition = {
            newEntry(text, header, entryLines(program, command, QByteArray(indent, ' '), lineEnd), lineEnd)};
        if (isEmptyMap) {
            qsizetype begin = header.valueAt;
            while (text[begin - 1] == ' ')
                --begin;
            layout.addition.append({begin, header.valueEnd - begin, {}});
        }
        listOtherLines(text, lines, *section, 0, 0, layout.others);
        return layout;
    }
    const qsizetype pastEntry = pastLinesBelow(lines, *entry);
    const qsizetype inner = *entry + 1 < pastEntry ? lines[*entry + 1].indent : 0;
    const auto its = lineWithKey(lines, *entry + 1, pastEntry, inner, program.commandKey.toUtf8());
    const auto arguments = lineWithKey(lines, *entry + 1, pastEntry, inner, "args"_ba);
    if (!its || !arguments)
        return std::unexpected(!its ? its.error() : arguments.error());
    if (*its >= 0)
        layout.command = FoundValue{scalarOf(valueText(text, lines[*its])), lines[*its].valueAt,
                                    lines[*its].valueEnd - lines[*its].valueAt};
    if (*arguments >= 0)
        layout.arguments = listAt(text, lines, *arguments);
    layout.removal = {withoutLines(text, lines[*entry], lines[pastEntry - 1])};
    if (first == *entry && past == pastEntry && lines[first].at == header.end)
        layout.removalWithSection = {withoutLines(text, header, lines[pastEntry - 1])};
    listOtherLines(text, lines, *section, *entry, pastEntry, layout.others);
    return layout;
}

} // namespace glovebox::mcp
