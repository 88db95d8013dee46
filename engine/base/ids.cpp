// SPDX-License-Identifier: Apache-2.0
// UUIDv7 with a counter in rand_a (RFC 9562, section 6.2, method 1).
#include "ids.h"

#include "clock.h"

#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>
#include <mutex>

namespace glovebox {

namespace {

struct Tick
{
    quint64 milliseconds = 0;
    quint32 counter = 0; // 12 bits
};

// A clock that stands still or is set back must not break the order: then the counter, and when it is used up the
// millisecond itself, moves on.
Tick nextTick(quint64 now)
{
    static std::mutex mutex;
    static Tick last;
    const std::lock_guard lock(mutex);
    if (now > last.milliseconds)
        last = {now, QRandomGenerator::system()->bounded(0x800u)};
    else if (++last.counter > 0xfff)
        last = {last.milliseconds + 1, QRandomGenerator::system()->bounded(0x800u)};
    return last;
}

} // namespace

QString newId(const Clock &clock)
{
    const Tick tick = nextTick(quint64(std::max<qint64>(0, clock.nowMicroseconds())) / 1000);
    const quint64 high = (tick.milliseconds & 0xffff'ffff'ffff) << 16 | 0x7000 | tick.counter;
    const quint64 low = (QRandomGenerator::system()->generate64() & 0x3fff'ffff'ffff'ffff) | 0x8000'0000'0000'0000;
    const QString hex = QStringLiteral("%1%2").arg(high, 16, 16, QLatin1Char('0')).arg(low, 16, 16, QLatin1Char('0'));
    return hex.sliced(0, 8) + u'-' + hex.sliced(8, 4) + u'-' + hex.sliced(12, 4) + u'-' + hex.sliced(16, 4) + u'-'
           + hex.sliced(20, 12);
}

bool isId(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\z"));
    return form.match(text).hasMatch();
}

} // namespace glovebox
