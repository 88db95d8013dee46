// SPDX-License-Identifier: Apache-2.0
// As much of a run's output as one answer holds, as text.
#pragma once

#include "engine/run/run.h"

#include <functional>

namespace glovebox::mcp {

// Run::output(), or the same of a run that is on record only.
using OutputSource = std::function<OutputSlice(qint64 cursor, qint64 max)>;

struct ShownOutput
{
    QString out, err;
    qint64 outBytes = 0, errBytes = 0; // printed so far
    bool isCut = false; // out or err lack something that was printed
    // Where Run::output() goes on with the first byte that is missing here; without such a one: where what comes next begins.
    qint64 cursor = 0;
    qint64 skipped = 0; // bytes at the beginning of a page that are not kept any more

    bool operator==(const ShownOutput &) const = default;
};

constexpr qint64 shownHeadBytes = 8 * kibibyte; // of each stream
constexpr qint64 shownTailBytes = 4 * kibibyte;
constexpr qint64 pageBytesMax = 64 * kibibyte;

// The beginning and the end of each stream, with the number of bytes between them.
ShownOutput headAndTail(const OutputSource &source);
// From this cursor on, at most so many bytes of both streams.
ShownOutput pageFrom(const OutputSource &source, qint64 cursor, qint64 max);

// Bytes that begin a character which isn't whole, at the end.
qsizetype unfinishedCharacter(QByteArrayView bytes);

} // namespace glovebox::mcp
