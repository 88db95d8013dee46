// SPDX-License-Identifier: Apache-2.0
#include "starts.h"

#include <QByteArray>

#include <algorithm>
#include <bit>

namespace glovebox::scrub {

namespace {

constexpr qsizetype window = 4;

unsigned shiftFor(std::size_t texts)
{
    constexpr std::size_t beginnings = 40; // of one text: cases and line breaks
    constexpr std::size_t dilution = 32; // so that one in so many is a wrong yes
    const auto bits = static_cast<int>(std::bit_width(std::max<std::size_t>(texts, 1) * beginnings * dilution));
    return 32 - static_cast<unsigned>(std::clamp(bits, 13, 20)); // 1 to 128 KiB, which a processor has at hand
}

// Of one or two bytes: themselves.
std::size_t shortHash(const char *bytes, qsizetype count)
{
    quint32 word = 0;
    std::memcpy(&word, bytes, static_cast<std::size_t>(count));
    return count < 3 ? word : word * 0x9e3779b1U >> 16;
}

} // namespace

Starts::Starts(std::size_t texts)
    : m_shift(shiftFor(texts))
    , m_bits((std::size_t(1) << (32 - m_shift)) / 64)
    , m_short{Bits(256 / 64), Bits(65536 / 64), Bits(65536 / 64)}
{
}

void Starts::add(QByteArrayView beginning)
{
    for (qsizetype count = 1; count < std::min(window, beginning.size()); ++count)
        set(m_short[count - 1], shortHash(beginning.data(), count));
    if (beginning.size() < window)
        return;
    quint32 word = 0;
    std::memcpy(&word, beginning.data(), sizeof word);
    set(m_bits, first(word));
    set(m_bits, second(word));
}

bool Starts::mayBegin(const char *bytes, qsizetype count) const
{
    return has(m_short[count - 1], shortHash(bytes, count));
}

void Starts::addPlain(QByteArrayView text)
{
    add(text.first(std::min(window, text.size())));
}

void Starts::addHex(QByteArrayView lowerDigits)
{
    const qsizetype count = std::min(window, lowerDigits.size());
    for (unsigned cases = 0; cases < 1U << count; ++cases) {
        char beginning[window];
        for (qsizetype i = 0; i < count; ++i) {
            const char digit = lowerDigits.at(i);
            beginning[i] = digit >= 'a' && (cases >> i & 1) ? char(digit - 'a' + 'A') : digit;
        }
        add(QByteArrayView(beginning, count));
    }
}

void Starts::addBase64(QByteArrayView text)
{
    addBase64({}, text.first(std::min(window, text.size())));
}

void Starts::addBase64(QByteArrayView beginning, QByteArrayView rest)
{
    if (beginning.size() >= window || rest.isEmpty())
        return add(beginning);
    const auto goOn = [&](QByteArrayView lineBreak, char character) {
        char longer[2 * window];
        char *end = std::copy(beginning.begin(), beginning.end(), longer);
        end = std::copy(lineBreak.begin(), lineBreak.end(), end);
        *end++ = character;
        addBase64(QByteArrayView(longer, end - longer), rest.sliced(1));
    };
    const char first = rest.front();
    for (const QByteArrayView lineBreak : {QByteArrayView(""), QByteArrayView("\n"), QByteArrayView("\r\n")}) {
        if (beginning.isEmpty() && !lineBreak.isEmpty())
            break;
        goOn(lineBreak, first);
        if (first == '+' || first == '/')
            goOn(lineBreak, first == '+' ? '-' : '_');
    }
}

} // namespace glovebox::scrub
