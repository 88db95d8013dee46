// SPDX-License-Identifier: Apache-2.0
#include "starts.h"

#include <QByteArray>

#include <algorithm>
#include <array>
#include <bit>

namespace glovebox::scrub {

namespace {

unsigned shiftFor(std::size_t texts)
{
    constexpr std::size_t beginnings = 150; // of one text, in each set: cases, line breaks and gaps
    constexpr std::size_t dilution = 16; // so that one in so many is a wrong yes
    const auto bits = static_cast<int>(std::bit_width(std::max<std::size_t>(texts, 1) * beginnings * dilution));
    return 32 - static_cast<unsigned>(std::clamp(bits, 13, 20)); // 1 to 128 KiB, which a processor has at hand
}

constexpr int shortBits = 20;

std::size_t hashOfShort(quint32 word)
{
    return word * 0x9e3779b1U >> (32 - shortBits);
}

std::size_t hashOfThree(const char *bytes)
{
    quint32 word = 0;
    std::memcpy(&word, bytes, 3);
    return hashOfShort(word);
}

bool isQuote(char c)
{
    return c == '\'' || c == '"';
}

bool isLineBreak(char c)
{
    return c == '\n' || c == '\r';
}

constexpr char gaps[] = {' ', '"'}; // as they are shown

// The first character of a text beyond Latin-1, and its bytes; 0: it has none.
std::pair<char32_t, int> firstCharacter(QByteArrayView text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    const int length = lead < 0xc4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || text.size() < length)
        return {0, 0};
    char32_t character = lead & (0x7fU >> length);
    for (int i = 1; i < length; ++i)
        character = character << 6 | (static_cast<unsigned char>(text[i]) & 63);
    return {character, length};
}

std::size_t twoBytes(char first, char second)
{
    return std::size_t(static_cast<unsigned char>(first)) << 8 | static_cast<unsigned char>(second);
}

// Of the first three digits of a number.
std::size_t prefixIndex(QByteArrayView digits)
{
    constexpr std::size_t shorter[] = {0, 0, 10, 110}; // prefixes
    std::size_t number = 0;
    const qsizetype count = std::min<qsizetype>(digits.size(), 3);
    for (const char digit : digits.first(count))
        number = number * 10 + std::size_t(digit - '0');
    return shorter[count] + number;
}

} // namespace

Starts::Starts(std::size_t texts)
    : m_pairs(65536)
    , m_shift(shiftFor(texts))
    , m_all((std::size_t(1) << (32 - m_shift)) / 64)
    , m_forms(m_all.size())
    , m_lists(m_all.size())
    , m_threes((std::size_t(1) << shortBits) / 64)
    , m_twos(65536)
{
    for (Bits &bits : m_short)
        bits.resize((std::size_t(1) << shortBits) / 64);
}

Starts::Window Starts::Window::with(QByteArrayView more) const
{
    Window longer = *this;
    for (const char byte : more.first(std::min<qsizetype>(more.size(), 4)))
        longer.bytes[longer.size++] = byte;
    return longer;
}

// All that are alike: gaps, quotes, cases.
void Starts::addPair(char one, char two)
{
    static const auto alikeTo = [] {
        std::array<QByteArray, 256> all; // by shown()
        for (int byte = 0; byte < 256; ++byte)
            all[shown(char(byte)) >> 24].append(char(byte));
        return all;
    }();
    const char bytes[] = {one, two};
    if (m_pairs[pair(bytes)])
        return;
    const auto isSeen = [](char c) { return c > ' ' && c < 127; };
    for (const char first : alikeTo[shown(one) >> 24]) {
        for (const char second : alikeTo[shown(two) >> 24]) {
            const char both[] = {first, second};
            m_pairs[pair(both)] = 1;
            m_pairsOfText += isSeen(first) && isSeen(second) ? 1 : 0;
        }
    }
}

void Starts::add(const Window &window, Bits &kind, quint32 beginning)
{
    addPair(window.bytes[0], window.bytes[1]);
    set(m_all, first(alike(window.bytes)));
    set(kind, first(beginning));
    set(kind, second(beginning));
    for (int count = 1; count <= 3; ++count)
        set(m_short[count - 1], hashOfShort(alike(window.bytes) << (8 * (4 - count))));
}

bool Starts::mayBegin(QByteArrayView bytes) const
{
    quint32 word = 0;
    for (const char byte : bytes)
        word = word >> 8 | shown(byte);
    return has(m_short[bytes.size() - 1], hashOfShort(word));
}

bool Starts::mayBegin(QByteArrayView before, const Piece &escape) const
{
    const QByteArrayView tokens(escape.tokens, escape.count);
    if (std::ranges::any_of(tokens, [this](char token) { return m_firstTokens[static_cast<unsigned char>(token)]; }))
        return true;
    for (; !before.isEmpty(); before = before.sliced(1)) {
        char text[3 + sizeof escape.tokens];
        const char *end = std::ranges::copy(tokens, std::ranges::copy(before, text).out).out;
        if (end - text >= 3 ? has(m_threes, hashOfThree(text)) : end - text < 2 || m_twos[twoBytes(text[0], text[1])])
            return true;
    }
    return false;
}

void Starts::addForm(const Window &window)
{
    add(window, m_forms, exactly(window.bytes));
}

void Starts::addList(const Window &window)
{
    add(window, m_lists, alike(window.bytes));
}

void Starts::addText(QByteArrayView text, bool inLists)
{
    addForm(Window().with(text));
    const auto first = static_cast<unsigned char>(text.front());
    m_firstTokens.set(first);
    set(m_threes, hashOfThree(text.data()));
    m_twos[twoBytes(text[0], text[1])] = true;
    m_beginsInMail = m_beginsInMail || isEscapedInMail(first);
    if (!inLists)
        return;
    m_firsts.set(first);
    m_hasWide = m_hasWide || firstCharacter(text).second > 0 || firstCharacter(text.sliced(1)).second > 0;
    addPairs({}, text);
    addDecimals({}, text);
    if (!isJoint(text.front()))
        addStrings({}, text, false);
}

void Starts::addHex(QByteArrayView lowerDigits)
{
    addHex({}, lowerDigits);
}

void Starts::addHex(const Window &window, QByteArrayView rest)
{
    if (window.isFull() || rest.isEmpty())
        return addList(window);
    for (const QByteArrayView lineBreak : {QByteArrayView(""), QByteArrayView("\n"), QByteArrayView("\r\n")}) {
        if (window.size > 0 || lineBreak.isEmpty())
            addHex(window.with(lineBreak).with(rest.first(1)), rest.sliced(1));
    }
}

void Starts::addBase64(QByteArrayView text)
{
    addBase64({}, text);
}

void Starts::addBase64(const Window &window, QByteArrayView rest)
{
    if (window.isFull() || rest.isEmpty())
        return addForm(window);
    for (const QByteArrayView lineBreak : {QByteArrayView(""), QByteArrayView("\n"), QByteArrayView("\r\n")}) {
        if (window.size == 0 && !lineBreak.isEmpty())
            break;
        const Window after = window.with(lineBreak);
        const char character = rest.front();
        addBase64(after.with(rest.first(1)), rest.sliced(1));
        if (character == '+' || character == '/')
            addBase64(after.with(character == '+' ? "-" : "_"), rest.sliced(1));
    }
}

void Starts::addPairs(const Window &window, QByteArrayView rest)
{
    if (window.isFull() || rest.isEmpty()) {
        if (std::any_of(window.bytes, window.bytes + 4, isGap)) // else addHex() has it
            addList(window);
        return;
    }
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(rest.front());
    const char pair[] = {digits[byte >> 4], digits[byte & 15]};
    addPairs(window.with({pair, 2}), rest.sliced(1));
    if (window.size == 0)
        return;
    for (const char gap : gaps) {
        addPairs(window.with({&gap, 1}), rest);
        if (const Window prefixed = window.with({&gap, 1}).with("0x"); prefixed.isFull())
            addList(prefixed);
    }
}

void Starts::addDecimals(const Window &window, QByteArrayView rest)
{
    if (window.isFull() || rest.isEmpty())
        return addList(window);
    if (window.size == 0 || isGap(window.bytes[window.size - 1])) {
        const auto [character, length] = firstCharacter(rest);
        const auto goOnWritten = [&](const QByteArray &number, int bytes) {
            for (qsizetype digits = 1; window.size == 0 && digits <= std::min<qsizetype>(number.size(), 3); ++digits)
                m_numbers.set(prefixIndex(number.first(digits)));
            addDecimals(window.with(number), rest.sliced(bytes));
        };
        const auto goOn = [&](quint32 value, int bytes) {
            const QByteArray number = QByteArray::number(value);
            for (qsizetype width = number.size(); width <= std::max<qsizetype>(number.size(), 3); ++width)
                goOnWritten(number.rightJustified(width, '0'), bytes);
        };
        goOn(static_cast<unsigned char>(rest.front()), 1);
        if (length > 0)
            goOn(character, length);
    }
    if (window.size == 0)
        return;
    for (const char gap : gaps)
        addDecimals(window.with({&gap, 1}), rest);
}

// isBetween: two strings.
void Starts::addStrings(const Window &window, QByteArrayView rest, bool isBetween)
{
    if (window.isFull() || rest.isEmpty())
        return addList(window);
    if (!isBetween)
        addStrings(window.with(rest.first(1)), rest.sliced(1), false);
    if (window.size == 0)
        return;
    if (isBetween)
        addStrings(window.with(" "), rest, true);
    addStrings(window.with("\""), rest, !isBetween);
}

bool Starts::mayBeList(QByteArrayView bytes) const
{
    if (std::any_of(bytes.begin() + 1, bytes.begin() + 4, isQuote))
        return true; // strings
    const auto afterGap = [&](qsizetype at) {
        while (at < bytes.size() && isGap(bytes[at]))
            ++at;
        return at;
    };
    if (const int one = hexNumber(bytes, 0, 2); one >= 0) {
        qsizetype at = afterGap(2);
        if (at + 4 > bytes.size())
            return true; // too few to tell
        if (bytes[at] == '0' && (bytes[at + 1] == 'x' || bytes[at + 1] == 'X'))
            at += 2;
        const int two = hexNumber(bytes, int(at), 2);
        if (two >= 0 && m_twos[std::size_t(one) << 8 | std::size_t(two)])
            return true;
    }
    if (std::any_of(bytes.begin() + 1, bytes.begin() + 4, isLineBreak) && beginsInHex(bytes))
        return true;
    int numbers[2] = {};
    qsizetype at = 0;
    for (int &number : numbers) {
        const qsizetype begin = at;
        for (; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9' && at - begin < 4; ++at)
            number = number * 10 + (bytes[at] - '0');
        if (at == begin)
            return at == bytes.size();
        if (at == bytes.size())
            return true; // too few to tell
        if (number > 255)
            return m_hasWide;
        at = afterGap(at);
    }
    return m_twos[std::size_t(numbers[0]) << 8 | std::size_t(numbers[1])];
}

bool Starts::isListBeginning(QByteArrayView bytes, const Word &word) const
{
    if (std::any_of(bytes.begin() + 1, bytes.begin() + 4, isQuote)
        && (begins(Reading::Quoted, bytes, word) || begins(Reading::Words, bytes, word)))
        return true;
    return begins(Reading::HexPairs, bytes, word) || begins(Reading::Decimal, bytes, word) || beginsInHex(bytes);
}

bool Starts::begins(Reading reading, QByteArrayView bytes, Word word) const
{
    char three[4 + 3];
    int have = 0;
    while (have < 3) {
        if (bytes.isEmpty())
            return true; // too few to tell
        const Piece piece = read(reading, bytes.first(std::min<qsizetype>(bytes.size(), longestPiece)), word, false);
        if (piece.bytes == 0)
            return true;
        if (piece.kind != Piece::Tokens && (piece.kind != Piece::Skip || have == 0))
            return false;
        std::copy(piece.tokens, piece.tokens + piece.count, three + have);
        have += piece.count;
        word.goOn(bytes.first(piece.bytes));
        bytes = bytes.sliced(piece.bytes);
    }
    return has(m_threes, hashOfThree(three));
}

bool Starts::beginsInHex(QByteArrayView bytes) const
{
    char digits[6];
    int have = 0;
    for (qsizetype at = 0; have < 6; ++at) {
        if (at == bytes.size() || (have > 0 && bytes[at] == '\\'))
            return true; // too few to tell
        if (digitValue(bytes[at]) >= 0)
            digits[have++] = bytes[at];
        else if (have == 0 || !isLineBreak(bytes[at]))
            return false;
    }
    const char three[] = {char(hexNumber({digits, 6}, 0, 2)), char(hexNumber({digits, 6}, 2, 2)),
                          char(hexNumber({digits, 6}, 4, 2))};
    return has(m_threes, hashOfThree(three));
}

bool Starts::mayGoOn(Reading reading, QByteArrayView beginning) const
{
    if (reading == Reading::HexPairs) {
        const int high = digitValue(beginning.front());
        for (int low = 0; high >= 0 && low < 16; ++low) {
            if (m_firsts[std::size_t(high) * 16 + std::size_t(low)])
                return true;
        }
        return false;
    }
    if (reading == Reading::Mail)
        return m_beginsInMail;
    if (reading != Reading::Decimal)
        return true;
    return beginning.front() >= '0' && beginning.front() <= '9' && m_numbers[prefixIndex(beginning)];
}

} // namespace glovebox::scrub
