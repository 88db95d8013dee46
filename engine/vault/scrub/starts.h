// SPDX-License-Identifier: Apache-2.0
// Tells, by four bytes at a time, where in a stream no form can begin: nearly everywhere.
#pragma once

#include "readings/reading.h"

#include <array>
#include <bitset>
#include <cstring>
#include <vector>

namespace glovebox::scrub {

// Sets of beginnings of four bytes as bits by hash: they say yes too often, never too seldom. Forms with escapes in their first four
// bytes are not in them: Scrubber stops at each escape character anyway.
class Starts
{
public:
    // texts: how many will be added.
    explicit Starts(std::size_t texts);

    // inLists: also where its bytes are numbers, or strings of their own.
    void addText(QByteArrayView text, bool inLists);
    void addHex(QByteArrayView lowerDigits); // in both cases, with line breaks
    void addBase64(QByteArrayView text); // in both alphabets, with line breaks

    // The first place from `from` on, before `end`, where a form may begin; else `end`, which has three bytes behind it. Lists
    // have little in four bytes that other lists don't have, so more of them is looked at. before(place): what the word is that goes
    // on there.
    template<typename Before> qsizetype find(QByteArrayView bytes, qsizetype from, qsizetype end, Before before) const
    {
        if (from >= end)
            return from;
        const char *const text = bytes.data();
        quint32 window = 0;
        for (qsizetype i = from; i < from + 3; ++i)
            window = window >> 8 | shown(text[i]);
        // With few texts nearly everywhere two bytes tell it, and four places together are asked at once; with many they tell little.
        const bool isSparse = m_pairsOfText < fewPairsOfText;
        for (qsizetype at = from; at < end; ++at) {
            if (isSparse) {
                while (at + 4 <= end
                       && !(m_pairs.data()[pair(text + at)] | m_pairs.data()[pair(text + at + 1)]
                            | m_pairs.data()[pair(text + at + 2)] | m_pairs.data()[pair(text + at + 3)]))
                    at += 4;
                if (at == end)
                    break;
                if (!m_pairs.data()[pair(text + at)])
                    continue;
                window = alike(text + at);
            } else {
                window = window >> 8 | shown(text[at + 3]);
            }
            if (!has(m_all, first(window)))
                continue;
            if (knows(m_forms, exactly(text + at)))
                return at;
            // Without a word before, more may begin; what the word is takes long to tell.
            if (knows(m_lists, window) && mayBeList(bytes.sliced(at)) && isListBeginning(bytes.sliced(at), {})
                && isListBeginning(bytes.sliced(at), before(at)))
                return at;
        }
        return end;
    }
    // Whether a form may begin with these bytes, 1 to 3, before an escape or the end.
    bool mayBegin(QByteArrayView bytes) const;
    // Whether a text may begin in these bytes, at most 3, and go on in the escape behind them; or begin within that.
    bool mayBegin(QByteArrayView before, const Piece &escape) const;
    // Whether a text may begin with the number or escape of which this is the beginning.
    bool mayGoOn(Reading reading, QByteArrayView beginning) const;

private:
    using Bits = std::vector<quint64>;

    // Two bits a beginning, as in a Bloom filter: the second one is asked seldom, and makes wrong answers rare.
    std::size_t first(quint32 word) const { return (word * 0x9e3779b1U) >> m_shift; }
    std::size_t second(quint32 word) const { return ((word ^ word >> 15) * 0x85ebca77U) >> m_shift; }
    static bool has(const Bits &bits, std::size_t bit) { return bits.data()[bit / 64] >> (bit % 64) & 1; }
    static void set(Bits &bits, std::size_t bit) { bits[bit / 64] |= quint64(1) << (bit % 64); }
    bool knows(const Bits &kind, quint32 beginning) const
    {
        return has(kind, first(beginning)) && has(kind, second(beginning));
    }

    static quint32 exactly(const char *fourBytes)
    {
        quint32 word = 0;
        std::memcpy(&word, fourBytes, sizeof word);
        return word;
    }
    static std::size_t pair(const char *twoBytes)
    {
        quint16 word = 0;
        std::memcpy(&word, twoBytes, sizeof word);
        return word;
    }
    // A byte as beginnings have it in which all gaps, all quotes and both cases of letters are alike: so there are fewer of them.
    static quint32 shown(char byte);
    static quint32 alike(const char *fourBytes)
    {
        quint32 word = 0;
        for (int i = 0; i < 4; ++i)
            word = word >> 8 | shown(fourBytes[i]);
        return word;
    }

    // A beginning that grows until it has four bytes.
    struct Window
    {
        char bytes[8] = {};
        int size = 0;

        Window with(QByteArrayView more) const;
        bool isFull() const { return size >= 4; }
    };
    void add(const Window &window, Bits &kind, quint32 beginning);
    void addPair(char one, char two);
    void addForm(const Window &window);
    void addList(const Window &window);
    void addBase64(const Window &window, QByteArrayView rest);
    void addHex(const Window &window, QByteArrayView rest);
    void addPairs(const Window &window, QByteArrayView rest);
    void addDecimals(const Window &window, QByteArrayView rest);
    void addStrings(const Window &window, QByteArrayView rest, bool isBetween);
    // By its first two numbers, quickly; yes too often.
    bool mayBeList(QByteArrayView bytes) const;
    // By what the readings make of it.
    bool isListBeginning(QByteArrayView bytes, const Word &word) const;
    bool begins(Reading reading, QByteArrayView bytes, Word word) const;
    bool beginsInHex(QByteArrayView bytes) const;

    static constexpr int fewPairsOfText = 800; // of the 9,025 pairs of characters that can be seen
    std::vector<unsigned char> m_pairs; // 1: some beginning has bytes like these two first
    int m_pairsOfText = 0; // of those, how many are of such characters
    unsigned m_shift;
    Bits m_all; // as they are alike
    Bits m_forms; // exactly: all but these
    Bits m_lists; // as they are alike: lists and hexadecimal digits
    Bits m_short[3]; // one to three bytes of all beginnings, as they are alike
    std::bitset<256> m_firstTokens; // of all texts
    Bits m_threes; // the first three bytes of all texts
    std::vector<bool> m_twos; // their first two
    std::bitset<256> m_firsts; // the first bytes of those that may be in lists
    std::bitset<1110> m_numbers; // their first numbers, up to three digits of them
    bool m_hasWide = false; // one of the first two characters of some text is beyond Latin-1
    bool m_beginsInMail = false; // some text begins with a byte that mail writes in another way
};

namespace starts {

constexpr std::array<quint32, 256> makeShown()
{
    std::array<quint32, 256> table{};
    for (quint32 byte = 0; byte < 256; ++byte)
        table[byte] = (byte >= 'A' && byte <= 'Z' ? byte + 32 : byte) << 24;
    for (const char *gap = gapCharacters; *gap; ++gap)
        table[static_cast<unsigned char>(*gap)] = quint32(' ') << 24;
    for (const char joint : {'+', '$'})
        table[static_cast<unsigned char>(joint)] = quint32(' ') << 24;
    for (const char quote : {'\'', '"'})
        table[static_cast<unsigned char>(quote)] = quint32('"') << 24;
    return table;
}

inline constexpr std::array<quint32, 256> shownBytes = makeShown();

} // namespace starts

inline quint32 Starts::shown(char byte)
{
    return starts::shownBytes[static_cast<unsigned char>(byte)];
}

} // namespace glovebox::scrub
