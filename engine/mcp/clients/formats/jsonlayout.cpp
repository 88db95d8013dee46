// SPDX-License-Identifier: Apache-2.0
// JSON: a new member comes first in its object, so that no comma or comment of another member is touched.
#include "jsonobject.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

bool isBlank(QByteArrayView text)
{
    return text.trimmed().isEmpty();
}

// How new text is to look.
struct Style
{
    QByteArray lineEnd;
    QByteArray unit; // one step of indentation
    bool isOneLine = false; // the whole file is

    QByteArray open(const QByteArray &indent) const { return isOneLine ? QByteArray() : lineEnd + indent; }
};

QByteArray memberText(const QByteArray &key, const QByteArray &value)
{
    return jsonText(QString::fromUtf8(key)) + ": " + value;
}

QByteArray entryValue(const ClientProgram &program, const QString &command, const Style &style,
                      const QByteArray &indent)
{
    QByteArray text = "{";
    bool isFirst = true;
    for (const auto &[key, value] : settingsOf(program, command)) {
        text += isFirst ? "" : style.isOneLine ? ", " : ",";
        text += style.open(indent + style.unit) + memberText(key.toUtf8(), jsonText(value));
        isFirst = false;
    }
    return text + style.open(indent) + '}';
}

QByteArray sectionValue(const ClientProgram &program, const QString &command, const Style &style,
                        const QByteArray &indent)
{
    const QByteArray inner = indent + style.unit;
    return '{' + style.open(inner) + memberText(entryName.toUtf8(), entryValue(program, command, style, inner))
           + style.open(indent) + '}';
}

QByteArray indentOfLine(const QByteArray &text, qsizetype at)
{
    const qsizetype start = lineStartOf(text, at);
    qsizetype end = start;
    while (end < at && (text[end] == ' ' || text[end] == '\t'))
        ++end;
    return text.sliced(start, end - start);
}

// Behind the brace, and behind comments in the same line, which are about the object.
qsizetype behindOpening(const QByteArray &text, const JsonObject &object)
{
    qsizetype at = object.at + 1;
    for (;;) {
        qsizetype comment = at;
        while (text[comment] == ' ' || text[comment] == '\t')
            ++comment;
        const QByteArrayView rest = QByteArrayView(text).sliced(comment);
        const bool isLine = rest.startsWith("//");
        if (!isLine && !rest.startsWith("/*"))
            return at;
        qsizetype end = isLine ? rest.indexOf('\n') : rest.indexOf("*/") + 2;
        if (isLine && rest[end - 1] == '\r')
            --end;
        if (rest.first(end).contains('\n'))
            return at;
        at = comment + end;
        if (isLine)
            return at;
    }
}

Style styleOf(const QByteArray &text, const JsonObject &root)
{
    Style style{lineEndOf(text), "  "_ba};
    if (root.members.isEmpty())
        return style;
    const qsizetype first = root.members.first().keyAt;
    style.isOneLine = !QByteArrayView(text).sliced(root.at, first - root.at).contains('\n');
    if (const QByteArray indent = indentOfLine(text, first); !style.isOneLine && !indent.isEmpty())
        style.unit = indent;
    return style;
}

// value: makes the new member's value for its indentation.
template<typename Value>
Splice newMember(const QByteArray &text, const JsonObject &object, const QByteArray &key, Style style, Value value)
{
    const qsizetype at = behindOpening(text, object);
    if (object.members.isEmpty()) {
        const bool hasLines = QByteArrayView(text).sliced(object.at, object.end - object.at).contains('\n');
        style.isOneLine = style.isOneLine && !hasLines;
        const QByteArray outer = indentOfLine(text, object.at);
        const QByteArray indent = outer + style.unit;
        const bool closes = !QByteArrayView(text).sliced(at, object.end - at).contains('\n');
        return {at, 0,
                style.open(indent) + memberText(key, value(style, indent))
                    + (closes ? style.open(outer) : QByteArray())};
    }
    const qsizetype first = object.members.first().keyAt;
    const QByteArray gap = text.sliced(at, first - at);
    style.isOneLine = !gap.contains('\n');
    const QByteArray indent = indentOfLine(text, first);
    const QByteArray before = !style.isOneLine ? style.open(indent) : isBlank(gap) ? gap : " "_ba;
    return {at, 0, before + memberText(key, value(style, indent)) + ','};
}

Splices withoutMember(const QByteArray &text, const JsonObject &object, qsizetype index)
{
    const JsonMember &member = object.members[index];
    qsizetype begin = member.keyAt;
    while (begin > object.at + 1 && isBlank(QByteArrayView(text).sliced(begin - 1, 1)))
        --begin;
    qsizetype end = member.valueEnd;
    if (object.members.size() == 1) {
        const QByteArrayView after = QByteArrayView(text).sliced(end, object.end - 1 - end);
        if (begin == object.at + 1 && (isBlank(after) || after.trimmed() == ","))
            return {{begin, object.end - 1 - begin, {}}};
    }
    const qsizetype past = member.commaAt == end ? end + 1 : end;
    qsizetype lineEnd = text.indexOf('\n', past);
    lineEnd = lineEnd < 0 ? text.size() : lineEnd;
    // What follows in the line must not get behind a comment of the line before.
    const bool isWhole = isBlank(QByteArrayView(text).sliced(past, lineEnd - past));
    if (!isWhole && QByteArrayView(text).sliced(begin, member.keyAt - begin).contains('\n'))
        begin = member.keyAt;
    Splices splices;
    if (member.commaAt == end)
        end = past;
    else if (member.commaAt > end)
        splices.append({member.commaAt, 1, {}});
    else if (index > 0)
        splices.append({object.members[index - 1].commaAt, 1, {}});
    splices.append({begin, end - begin, {}});
    return splices;
}

void listOthers(const QByteArray &text, const JsonObject &object, qsizetype without, QByteArrayList &others)
{
    for (qsizetype i = 0; i < object.members.size(); ++i) {
        const JsonMember &member = object.members[i];
        if (i != without)
            others.append(member.key + ':' + text.sliced(member.valueAt, member.valueEnd - member.valueAt));
    }
}

Reading<std::optional<FoundValue>> settingAt(const QByteArray &text, const JsonObject &entry, const QString &key)
{
    const auto index = entry.find(key.toUtf8());
    if (!index)
        return std::unexpected(index.error());
    if (*index < 0)
        return std::nullopt;
    const JsonMember &member = entry.members[*index];
    const qsizetype length = member.valueEnd - member.valueAt;
    return FoundValue{valueOf(text.sliced(member.valueAt, length)), member.valueAt, length};
}

Reading<Layout> layoutOfNothing(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    const Style style{lineEndOf(text), "  "_ba};
    const bool needsLine = !isBlank(QByteArrayView(text).sliced(startOf(text))) && !text.endsWith('\n');
    const QByteArray section = memberText(program.section.toUtf8(), sectionValue(program, command, style, style.unit));
    Layout layout;
    layout.addition = {{text.size(), 0,
                        (needsLine ? style.lineEnd : QByteArray()) + '{' + style.open(style.unit) + section
                            + style.open({}) + '}' + style.lineEnd}};
    return layout;
}

} // namespace

Reading<Layout> jsonLayout(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    const auto rootAt = pastJsonSpace(text, startOf(text));
    if (!rootAt)
        return std::unexpected(rootAt.error());
    if (*rootAt == text.size())
        return layoutOfNothing(text, program, command);
    const auto root = jsonObjectAt(text, *rootAt);
    if (!root)
        return std::unexpected(root.error());
    const auto rest = pastJsonSpace(text, root->end);
    if (!rest || *rest != text.size())
        return std::unexpected(rest ? Misreading{*rest} : rest.error());
    const auto sectionIndex = root->find(program.section.toUtf8());
    if (!sectionIndex)
        return std::unexpected(sectionIndex.error());

    const Style style = styleOf(text, *root);
    Layout layout;
    layout.hasSection = *sectionIndex >= 0;
    listOthers(text, *root, *sectionIndex, layout.others);
    if (!layout.hasSection) {
        layout.addition = {
            newMember(text, *root, program.section.toUtf8(), style, [&](const Style &its, const QByteArray &indent) {
                return sectionValue(program, command, its, indent);
            })};
        return layout;
    }
    const auto section = jsonObjectAt(text, root->members[*sectionIndex].valueAt);
    if (!section)
        return std::unexpected(section.error());
    const auto entryIndex = section->find(entryName.toUtf8());
    if (!entryIndex)
        return std::unexpected(entryIndex.error());
    layout.hasEntry = *entryIndex >= 0;
    listOthers(text, *section, *entryIndex, layout.others);
    if (!layout.hasEntry) {
        layout.addition = {
            newMember(text, *section, entryName.toUtf8(), style, [&](const Style &its, const QByteArray &indent) {
                return entryValue(program, command, its, indent);
            })};
        return layout;
    }
    const auto entry = jsonObjectAt(text, section->members[*entryIndex].valueAt);
    if (!entry)
        return std::unexpected(entry.error());
    const auto its = settingAt(text, *entry, program.commandKey);
    const auto arguments = settingAt(text, *entry, u"args"_s);
    if (!its || !arguments)
        return std::unexpected(!its ? its.error() : arguments.error());
    layout.command = *its;
    layout.arguments = *arguments;
    layout.removal = withoutMember(text, *section, *entryIndex);
    const QByteArray left = spliced(text, layout.removal);
    if (left.sliced(section->at, 2) == "{}")
        layout.removalWithSection = withoutMember(text, *root, *sectionIndex);
    return layout;
}

} // namespace glovebox::mcp
