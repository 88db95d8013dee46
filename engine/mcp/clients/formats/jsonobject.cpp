// SPDX-License-Identifier: Apache-2.0
#include "jsonobject.h"

#include <algorithm>

namespace glovebox::mcp {

namespace {

constexpr int deepest = 256; // objects and arrays in each other

std::unexpected<Misreading> wrongAt(qsizetype at)
{
    return std::unexpected(Misreading{at, Misreading::Why::Syntax});
}

char byteAt(const QByteArray &text, qsizetype at)
{
    return at < text.size() ? text[at] : '\0';
}

Reading<qsizetype> pastString(const QByteArray &text, qsizetype at)
{
    for (qsizetype next = at + 1; next < text.size() && text[next] != '\n'; ++next) {
        if (text[next] == '"')
            return next + 1;
        if (text[next] == '\\')
            ++next;
    }
    return wrongAt(at);
}

Reading<qsizetype> pastWord(const QByteArray &text, qsizetype at)
{
    qsizetype end = at;
    while (end < text.size()
           && (std::isalnum(uchar(text[end])) != 0 || text[end] == '-' || text[end] == '+' || text[end] == '.'))
        ++end;
    if (valueOf(text.sliced(at, end - at)).isUndefined())
        return wrongAt(at);
    return end;
}

Reading<qsizetype> pastValue(const QByteArray &text, qsizetype at, int depth, QList<JsonMember> *members);

// The members of an object, or the values of an array, behind its opening brace or bracket.
Reading<qsizetype> pastMembers(const QByteArray &text, qsizetype opening, int depth, QList<JsonMember> *members)
{
    const bool isObject = text[opening] == '{';
    const char closing = isObject ? '}' : ']';
    bool mayFollow = true; // a comma, or nothing yet, came before
    qsizetype at = opening + 1;
    for (;;) {
        auto next = pastJsonSpace(text, at);
        if (!next)
            return next;
        at = *next;
        if (byteAt(text, at) == closing)
            return at + 1;
        if (!mayFollow)
            return wrongAt(at);
        JsonMember member{.keyAt = at};
        if (isObject) {
            next = byteAt(text, at) == '"' ? pastString(text, at) : wrongAt(at);
            if (!next)
                return next;
            const QByteArray raw = text.sliced(at, *next - at);
            const QJsonValue key = valueOf(raw);
            if (!key.isString())
                return wrongAt(at);
            if (members)
                member.key = key.toString().toUtf8();
            next = pastJsonSpace(text, *next);
            if (next && byteAt(text, *next) != ':')
                next = wrongAt(*next);
            if (next)
                next = pastJsonSpace(text, *next + 1);
            if (!next)
                return next;
            at = *next;
        }
        member.valueAt = at;
        next = pastValue(text, at, depth + 1, nullptr);
        if (!next)
            return next;
        member.valueEnd = *next;
        next = pastJsonSpace(text, *next);
        if (!next)
            return next;
        at = *next;
        mayFollow = byteAt(text, at) == ',';
        if (mayFollow)
            member.commaAt = at++;
        if (members)
            members->append(member);
    }
}

Reading<qsizetype> pastValue(const QByteArray &text, qsizetype at, int depth, QList<JsonMember> *members)
{
    if (depth > deepest)
        return wrongAt(at);
    switch (byteAt(text, at)) {
    case '{':
    case '[':
        return pastMembers(text, at, depth, members);
    case '"':
        return pastString(text, at);
    default:
        return pastWord(text, at);
    }
}

} // namespace

Reading<qsizetype> JsonObject::find(const QByteArray &key) const
{
    const auto first = std::ranges::find(members, key, &JsonMember::key);
    if (first == members.end())
        return -1;
    const auto second =
        std::find_if(first + 1, members.end(), [&](const JsonMember &other) { return other.key == key; });
    if (second != members.end())
        return std::unexpected(Misreading{second->keyAt, Misreading::Why::Repeated});
    return first - members.begin();
}

Reading<qsizetype> pastJsonSpace(const QByteArray &text, qsizetype at)
{
    while (at < text.size()) {
        if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
            ++at;
        } else if (text[at] == '/' && byteAt(text, at + 1) == '/') {
            const qsizetype end = text.indexOf('\n', at);
            at = end < 0 ? text.size() : end;
        } else if (text[at] == '/' && byteAt(text, at + 1) == '*') {
            const qsizetype end = text.indexOf("*/", at + 2);
            if (end < 0)
                return wrongAt(at);
            at = end + 2;
        } else {
            break;
        }
    }
    return at;
}

Reading<JsonObject> jsonObjectAt(const QByteArray &text, qsizetype at)
{
    if (byteAt(text, at) != '{')
        return std::unexpected(Misreading{at, Misreading::Why::OtherForm});
    JsonObject object{.at = at};
    const auto end = pastValue(text, at, 0, &object.members);
    if (!end)
        return std::unexpected(end.error());
    object.end = *end;
    return object;
}

} // namespace glovebox::mcp
