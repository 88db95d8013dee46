// SPDX-License-Identifier: Apache-2.0
// Where Glovebox's entry is in the text of a configuration file, or would be: a function for each format. They scan as tolerantly
// as the programs that read the files, and say at which byte they no longer understand.
#pragma once

#include "engine/mcp/clients/clients.h"

#include <QByteArrayList>

#include <expected>

namespace glovebox::mcp {

inline const QString entryName = QStringLiteral("glovebox");

// bytes in the place of the length bytes from at.
struct Splice
{
    qsizetype at = 0;
    qsizetype length = 0;
    QByteArray bytes;

    bool operator==(const Splice &) const = default;
};
using Splices = QList<Splice>; // none overlaps another

// The value of a setting of the entry.
struct FoundValue
{
    QJsonValue value;
    qsizetype at = -1; // -1: written in a form that isn't replaced in its place
    qsizetype length = 0;
};

struct Layout
{
    bool hasSection = false;
    bool hasEntry = false;
    std::optional<FoundValue> command, arguments; // of the entry
    Splices addition; // puts the entry in; there is none yet
    Splices removal; // takes the entry out
    Splices removalWithSection; // and the section; empty where something else is in that
    QByteArrayList others; // what else the file says, in its order
};

struct Misreading
{
    enum class Why { Syntax, Repeated, OtherForm }; // OtherForm: valid, but not to be extended by text alone
    qsizetype at = 0; // in bytes
    Why why = Why::Syntax;
};
template<typename T> using Reading = std::expected<T, Misreading>;

// text is valid UTF-8; a byte order mark may come first.
Reading<Layout> jsonLayout(const QByteArray &text, const ClientProgram &program, const QString &command);
Reading<Layout> tomlLayout(const QByteArray &text, const ClientProgram &program, const QString &command);
Reading<Layout> yamlLayout(const QByteArray &text, const ClientProgram &program, const QString &command);

QByteArray spliced(const QByteArray &text, Splices splices);

// Of all formats: the line end in use, the bytes before the first line, a value as JSON writes it in one line (TOML and YAML read
// that, too), and back; Undefined where that is none.
QByteArray lineEndOf(const QByteArray &text);
qsizetype startOf(const QByteArray &text);
qsizetype lineStartOf(const QByteArray &text, qsizetype at);
QByteArray jsonText(const QJsonValue &value);
QJsonValue valueOf(const QByteArray &jsonText);
// All settings of the entry, in their order.
QList<std::pair<QString, QJsonValue>> settingsOf(const ClientProgram &program, const QString &command);

} // namespace glovebox::mcp
