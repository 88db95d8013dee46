// SPDX-License-Identifier: Apache-2.0
// Wall-clock time, behind a seam so that tests can set it. Durations are measured with std::chrono::steady_clock instead.
#pragma once

#include <QtGlobal>

namespace glovebox {

class Clock
{
public:
    virtual ~Clock() = default;
    // Microseconds since 1970-01-01 UTC. Thread-safe.
    virtual qint64 nowMicroseconds() const = 0;

    static const Clock &system();
};

} // namespace glovebox
