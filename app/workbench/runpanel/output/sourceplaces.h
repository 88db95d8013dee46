// SPDX-License-Identifier: Apache-2.0
// Finds the places in the snippet that an interpreter's messages name, so that they can be clicked.
#pragma once

#include <QList>
#include <QString>

namespace glovebox {

struct SourcePlace
{
    int start = 0; // what is clicked, in characters of the line of output
    int length = 0;
    int line = 0; // in the snippet, from 1
    int column = 0; // from 1; 0: not known

    bool operator==(const SourcePlace &) const = default;
};

// Python:  File "/work/main.py", line 12, in <module>
// Node.js: /work/main.js:12      at Object.<anonymous> (/work/main.js:12:7)      at file:///work/main.mjs:12:7
// Bash:    main.sh: line 12: ...      sh (dash): main.sh: 12: ...
// Only the snippet itself ("main.*" in /work) is a place: other files aren't in the editor.
QList<SourcePlace> findSourcePlaces(const QString &line);

// "Traceback (most recent call last):", "ValueError: ...", "main.sh: line 3: ...": what went wrong, as against where.
bool isErrorHeadline(const QString &line);

} // namespace glovebox
