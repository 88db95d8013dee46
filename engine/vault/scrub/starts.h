// SPDX-License-Identifier: Apache-2.0
// Tells, by four bytes at a time, where in a stream no form can begin: nearly everywhere.
#pragma once

#include <QByteArrayView>

#include <cstring>
#include <vector>

namespace glovebox::scrub {

// A set of beginnings of four bytes (and of one to three, for the end of a piece) as bits by hash: says yes too often, never too
// seldom. Forms with escapes in their first four bytes are not in it: Scrubber stops at each escape character anyway.
class Starts
{
public:
    // texts: how many will be added.
    explicit Starts(std::size_t texts);

    void addPlain(QByteArrayView text);
    void addHex(QByteArrayView lowerDigits); // in both cases
    void addBase64(QByteArrayView text); // in both alphabets, with line breaks

    bool mayBegin(const char *fourBytes) const
    {
        quint32 word = 0;
        std::memcpy(&word, fourBytes, sizeof word);
        return has(m_bits, first(word)) && has(m_bits, second(word));
    }
    // At the end of a piece: 1 to 3 bytes.
    bool mayBegin(const char *bytes, qsizetype count) const;

private:
    using Bits = std::vector<quint64>;

    // Two, as in a Bloom filter: the second one is asked seldom, and makes wrong answers rare.
    std::size_t first(quint32 word) const { return (word * 0x9e3779b1U) >> m_shift; }
    std::size_t second(quint32 word) const { return ((word ^ word >> 15) * 0x85ebca77U) >> m_shift; }
    static bool has(const Bits &bits, std::size_t bit) { return bits[bit / 64] >> (bit % 64) & 1; }
    static void set(Bits &bits, std::size_t bit) { bits[bit / 64] |= quint64(1) << (bit % 64); }
    void add(QByteArrayView beginning);
    void addBase64(QByteArrayView beginning, QByteArrayView rest);

    unsigned m_shift;
    Bits m_bits;
    Bits m_short[3]; // of one to three bytes
};

} // namespace glovebox::scrub
