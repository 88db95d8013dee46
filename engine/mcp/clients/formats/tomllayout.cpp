// SPDX-License-Identifier: Apache-2.0
// TOML: a new table comes last in the file, behind an empty line.
#include "tomlstatements.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

using Statements = QList<TomlStatement>;

bool isBelow(const QByteArrayList &path, const QByteArrayList &table)
{
    return path.size() >= table.size() && std::equal(table.begin(), table.end(), path.begin());
}

std::unexpected<Misreading> misread(qsizetype at, Misreading::Why why)
{
    return std::unexpected(Misreading{at, why});
}

// What can't be extended by a table at the end, or says the same thing twice.
std::optional<Misreading> obstacleIn(const Statements &statements, const QByteArrayList &section,
                                     const QByteArrayList &entry, const QByteArray &text)
{
    for (const TomlStatement &statement : statements) {
        const bool isTable = text[statement.valueAt] == '{';
        if ((statement.kind == TomlStatement::Kind::Pair && isBelow(section, statement.path))
            || (statement.kind == TomlStatement::Kind::TableArray && isBelow(entry, statement.path))
            || (statement.isPair() && statement.path == entry && !isTable))
            return Misreading{statement.at, Misreading::Why::OtherForm};
        if (statement.kind == TomlStatement::Kind::TableArray || !isBelow(statement.path, entry))
            continue;
        const auto isSame = [&](const TomlStatement &other) {
            return other.path == statement.path && &other != &statement;
        };
        if (std::ranges::any_of(statements, isSame))
            return Misreading{statement.at, Misreading::Why::Repeated};
    }
    return std::nullopt;
}

// The lines of Glovebox's statements; an empty line before its table goes, too.
Splices linesOf(const QByteArray &text, const Statements &statements, const QByteArrayList &entry)
{
    Splices splices;
    const auto takeLineEndBefore = [&text](qsizetype begin) {
        const QByteArrayView before = QByteArrayView(text).sliced(startOf(text), begin - startOf(text));
        return begin - (before.endsWith("\r\n") ? 2 : before.endsWith('\n') ? 1 : 0);
    };
    bool wasOurs = false;
    for (const TomlStatement &statement : statements) {
        if (statement.kind == TomlStatement::Kind::InnerPair)
            continue;
        const bool isOurs = isBelow(statement.path, entry);
        if (isOurs && wasOurs) {
            splices.last().length = statement.lineEnd - splices.last().at;
        } else if (isOurs) {
            qsizetype begin = lineStartOf(text, statement.at);
            const qsizetype lineBefore = begin > startOf(text) ? lineStartOf(text, begin - 1) : begin;
            if (statement.kind == TomlStatement::Kind::Table
                && QByteArrayView(text).sliced(lineBefore, begin - lineBefore).trimmed().isEmpty())
                begin = takeLineEndBefore(begin);
            splices.append({begin, statement.lineEnd - begin, {}});
        }
        wasOurs = isOurs;
    }
    // A file without a line end at its end stays one.
    if (wasOurs && !text.endsWith('\n')) {
        Splice &last = splices.last();
        const qsizetype begin = takeLineEndBefore(last.at);
        last = {begin, text.size() - begin, {}};
    }
    return splices;
}

FoundValue foundIn(const QByteArray &text, const TomlStatement &pair)
{
    const qsizetype length = pair.end - pair.valueAt;
    QByteArray raw = text.sliced(pair.valueAt, length);
    if (!raw.contains('"') && !raw.contains('\\')) // literal strings
        raw.replace('\'', '"');
    return {valueOf(raw), pair.valueAt, length};
}

QByteArray tableText(const ClientProgram &program, const QString &command, const QByteArray &lineEnd)
{
    QByteArray lines = '[' + program.section.toUtf8() + '.' + entryName.toUtf8() + ']';
    for (const auto &[key, value] : settingsOf(program, command))
        lines += lineEnd + key.toUtf8() + " = " + jsonText(value);
    return lines;
}

} // namespace

Reading<Layout> tomlLayout(const QByteArray &text, const ClientProgram &program, const QString &command)
{
    const auto statements = tomlStatements(text);
    if (!statements)
        return std::unexpected(statements.error());
    const QByteArrayList section{program.section.toUtf8()};
    const QByteArrayList entry = section + QByteArrayList{entryName.toUtf8()};
    if (const auto obstacle = obstacleIn(*statements, section, entry, text))
        return misread(obstacle->at, obstacle->why);

    Layout layout;
    for (const TomlStatement &statement : *statements) {
        layout.hasSection = layout.hasSection || isBelow(statement.path, section);
        if (!isBelow(statement.path, entry)) {
            if (statement.kind != TomlStatement::Kind::InnerPair)
                layout.others.append(text.sliced(statement.at, statement.end - statement.at));
            continue;
        }
        layout.hasEntry = true;
        if (statement.isPair() && statement.path == entry + QByteArrayList{program.commandKey.toUtf8()})
            layout.command = foundIn(text, statement);
        if (statement.isPair() && statement.path == entry + QByteArrayList{"args"_ba})
            layout.arguments = foundIn(text, statement);
    }
    if (layout.hasEntry) {
        layout.removal = linesOf(text, *statements, entry);
        return layout;
    }
    const QByteArray lineEnd = lineEndOf(text);
    const bool isEmpty = text.size() == startOf(text);
    const bool endsWithLine = isEmpty || text.endsWith('\n');
    layout.addition = {{text.size(), 0,
                        (endsWithLine ? QByteArray() : lineEnd) + (isEmpty ? QByteArray() : lineEnd)
                            + tableText(program, command, lineEnd) + (endsWithLine ? lineEnd : QByteArray())}};
    return layout;
}

} // namespace glovebox::mcp
