// SPDX-License-Identifier: Apache-2.0
// The members of an object in JSON with comments and trailing commas
// (https://code.visualstudio.com/docs/languages/json#_json-with-comments), each with its place in the text.
#pragma once

#include "layout.h"

namespace glovebox::mcp {

struct JsonMember
{
    QByteArray key; // its characters, escapes resolved
    qsizetype keyAt = 0; // of its quotation mark
    qsizetype valueAt = 0;
    qsizetype valueEnd = 0; // past the last byte
    qsizetype commaAt = -1; // of the comma that follows
};

struct JsonObject
{
    qsizetype at = 0; // of the brace
    qsizetype end = 0; // past the other brace
    QList<JsonMember> members;

    // Its place among them; -1: there is none. Misreading: there are several.
    Reading<qsizetype> find(const QByteArray &key) const;
};

// Past white space and comments from at on.
Reading<qsizetype> pastJsonSpace(const QByteArray &text, qsizetype at);
// The object that begins at at, everything in it checked.
Reading<JsonObject> jsonObjectAt(const QByteArray &text, qsizetype at);

} // namespace glovebox::mcp
