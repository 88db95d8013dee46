// SPDX-License-Identifier: Apache-2.0
// What the modules have in common in which code finds tools of other servers. All text in them is a server's, so everything that
// goes into the module's own code is checked or escaped.
#pragma once

#include "engine/policy/policy.h"

namespace glovebox {

constexpr qsizetype toolTextMax = 2000; // characters of a tool's description

// An argument that can be a parameter by its own name.
struct ToolParameter
{
    QString name; // a name in Python and in JavaScript
    QString type; // the schema's: "string"; empty: anything
    bool isRequired = false;
    QString description; // as shownText()

    bool operator==(const ToolParameter &) const = default;
};

// Those that are required first. Others than names of ASCII, at most 64, and those that a language may not take are left out.
QList<ToolParameter> parametersOf(const QJsonObject &inputSchema, const QStringList &reserved);
// The tools of each server under names that are unique there: what isn't a letter, a digit or "_" becomes "_", and a word of the
// language gets one behind it.
QList<std::pair<QString, OfferedTool>> namedTools(const QList<OfferedTool> &tools, const QStringList &reserved);
// The servers, in the order of the tools.
QStringList serversOf(const QList<OfferedTool> &tools);
// A text for a comment or a string: at most so many characters, one line, without hidden characters.
QString shownText(const QString &text, qsizetype most);

} // namespace glovebox
