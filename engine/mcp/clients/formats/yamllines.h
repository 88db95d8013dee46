// SPDX-License-Identifier: Apache-2.0
// The lines of a YAML document that is a mapping in block style (https://yaml.org/spec/1.2.2), as far as keys and indentation go.
#pragma once

#include "layout.h"

namespace glovebox::mcp {

// A line with content, and the lines that its value goes on in: text in | and > style, quoted text and brackets of several lines.
struct YamlLine
{
    qsizetype at = 0; // of the line
    qsizetype end = 0; // past the line end
    qsizetype indent = 0; // in blanks
    bool isItem = false; // of a sequence: "- "
    bool hasKey = false;
    QByteArray key;
    qsizetype valueAt = 0; // behind an anchor or a tag; without a value valueEnd
    qsizetype valueEnd = 0; // past the last byte, a comment not counted
};

// All of them, without comments and the "---" that may come first. Misreading: several documents, tabs as indentation, "? " keys and
// what isn't closed.
Reading<QList<YamlLine>> yamlLines(const QByteArray &text);

} // namespace glovebox::mcp
