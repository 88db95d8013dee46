// SPDX-License-Identifier: Apache-2.0
// The statements of a TOML document (https://toml.io/en/v1.0.0), each with its place in the text.
#pragma once

#include "layout.h"

namespace glovebox::mcp {

struct TomlStatement
{
    enum class Kind {
        Table, // [a.b]
        TableArray, // [[a.b]]
        Pair, // a.b = value
        InnerPair, // of an inline table; it comes behind the pair whose value that is
    };

    Kind kind = Kind::Pair;
    QByteArrayList path; // from the root; a pair's with its table's
    qsizetype at = 0;
    qsizetype end = 0; // past the last byte, the comment behind it not counted
    qsizetype lineEnd = 0; // past the line end behind it
    qsizetype valueAt = 0; // of pairs; the value ends at end

    bool isPair() const { return kind == Kind::Pair || kind == Kind::InnerPair; }
};

// All of them, in their order. Repeated keys are no misreading: whoever asks for one looks for that.
Reading<QList<TomlStatement>> tomlStatements(const QByteArray &text);

} // namespace glovebox::mcp
