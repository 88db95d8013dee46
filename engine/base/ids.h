// SPDX-License-Identifier: Apache-2.0
// Identifiers of runs, engines and sessions.
#pragma once

#include <QString>

namespace glovebox {

class Clock;

// A UUIDv7 (RFC 9562, section 5.7) in lower-case text form: 48 bits of milliseconds, then random bits from the system's
// generator. Ids made by one process sort by time of creation, also within a millisecond. Thread-safe.
QString newId(const Clock &clock);
bool isId(const QString &text);

} // namespace glovebox
