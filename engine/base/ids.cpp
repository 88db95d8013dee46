// SPDX-License-Identifier: Apache-2.0
// UUIDv7 with a counter in rand_a (RFC 9562, section 6.2, method 1).
#include "ids.h"

#include "clock.h"

#include <QRandomGenerator>

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

bool isLowerHex(QChar c)
{
    return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f');
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
    if (text.size() != 36 || text[14] != u'7' || !QStringView(u"89ab").contains(text[19]))
        return false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool isDash = i == 8 || i == 13 || i == 18 || i == 23;
        if (isDash ? text[i] != u'-' : !isLowerHex(text[i]))
            return false;
    }
    return true;
}

} // namespace glovebox
