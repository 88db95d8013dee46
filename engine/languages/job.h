// SPDX-License-Identifier: Apache-2.0
// A channel (descriptor 3) carries jobs, one after the other. A driver that is ready for one says so by one byte ('\n'): a
// sandbox that was built ahead is then left to wait. Each job is whole by its frames, so nothing marks the end of the last
// one; drivers of today read one and close the channel. A job says which snippet to run, with which arguments.
//
// A frame: 4 bytes little-endian length of the payload (at most 1 MiB), then the payload: strings, each ended by NUL:
// "1" (version of the format), name of the snippet's file in /work, its arguments. Read by python/driver.py and
// node/driver.cjs.
//
// Version "2" says that a second frame follows: environment variables that the run is lent, "NAME=value" each ended by NUL. Not
// in the job itself, because glovebox-init writes them, and the engine keeps no copy.
//
// Version "6" is a cell, for an interpreter that stays (python/cells.py, node/cells.cjs): "6", the name that tracebacks show, the tag of
// its answer; a second frame is its code, UTF-8 of at most maximumCodeBytes; a third the text of the module in which it finds its tools
// (Language::toolModule()), empty without tools. Several may follow each other.
//
// Each cell is answered when everything that it wrote is in the pipes: by its tag, one byte, its exit status, and a frame with the value of
// its last expression: nothing, or 'w' and the whole text, or 'c' and the text's first maximumValueBytes (fewer, so that it ends with a
// character). The code of cells can write there as well, and say what it likes.
#pragma once

#include <QByteArrayList>

namespace glovebox {

constexpr qsizetype maximumJobBytes = 1024 * 1024;

// args must have passed validateArguments(); of others an empty job is made, which starts nothing.
QByteArray encodeJob(const QByteArray &fileName, const QByteArrayList &args);

} // namespace glovebox
