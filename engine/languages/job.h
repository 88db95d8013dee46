// SPDX-License-Identifier: Apache-2.0
// A driver that is ready for its job says so by one byte ('\n') on its channel (descriptor 3): a sandbox that was built ahead
// is then left to wait.
//
// The first message on a driver's channel (descriptor 3): which snippet to run, with which arguments.
//
// A frame: 4 bytes little-endian length of the payload (at most 1 MiB), then the payload: strings, each ended by NUL:
// "1" (version of the format), name of the snippet's file in /work, its arguments. Read by python/driver.py and
// node/driver.cjs.
//
// Version "2" says that a second frame follows: environment variables that the run is lent, "NAME=value" each ended by NUL. Not
// in the job itself, because glovebox-init writes them, and the engine keeps no copy.
#pragma once

#include <QByteArrayList>

namespace glovebox {

constexpr qsizetype maximumJobBytes = 1024 * 1024;

// args must have passed validateArguments(); of others an empty job is made, which starts nothing.
QByteArray encodeJob(const QByteArray &fileName, const QByteArrayList &args);

} // namespace glovebox
