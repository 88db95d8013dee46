// SPDX-License-Identifier: Apache-2.0
// The system's clock.
#include "clock.h"

#include <chrono>

namespace glovebox {

namespace {

class SystemClock : public Clock
{
public:
    qint64 nowMicroseconds() const override
    {
        using namespace std::chrono;
        return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
    }
};

} // namespace

const Clock &Clock::system()
{
    static const SystemClock clock;
    return clock;
}

} // namespace glovebox
