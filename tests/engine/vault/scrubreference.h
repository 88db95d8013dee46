// SPDX-License-Identifier: Apache-2.0
// What the scrubber must give, said as plainly as possible and as slowly as it comes out: each reading of the whole stream at once,
// each form searched for at each place.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringDecoder>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace glovebox::reference {

struct Secret
{
    QByteArray name;
    QByteArray value;
};

struct Symbol
{
    char byte;
    qsizetype begin, end; // in the stream
    bool barrier = false; // stands for nothing that is in a form
};
using Symbols = std::vector<Symbol>;

// What begins at some place: so many bytes of the stream, which stand for these; 0: nothing does.
struct Meant
{
    qsizetype length = 0;
    QByteArray bytes;
    bool barrier = false;
};

inline int digit(char c)
{
    const char *const all = "0123456789abcdef0123456789ABCDEF";
    const char *const at = c ? std::char_traits<char>::find(all, 32, c) : nullptr;
    return at ? int(at - all) % 16 : -1;
}

inline int number(const QByteArray &bytes, qsizetype from, int count)
{
    int result = 0;
    for (qsizetype i = from; i < from + count; ++i) {
        if (i >= bytes.size() || digit(bytes[i]) < 0)
            return -1;
        result = result * 16 + digit(bytes[i]);
    }
    return result;
}

// How many of these characters follow each other.
inline qsizetype run(const QByteArray &in, qsizetype from, const QByteArray &characters)
{
    qsizetype end = from;
    while (end < in.size() && characters.contains(in[end]))
        ++end;
    return end - from;
}

inline const QByteArray hexDigits = "0123456789abcdefABCDEF";
inline const QByteArray decimalDigits = "0123456789";
inline const QByteArray gapBytes = " \t\n\r,;:-|._/'\"";

inline QByteArray utf8(char32_t c)
{
    if (c >= 0xd800 && c < 0xe000)
        return {QByteArray(1, '\xed') + char(0x80 | (c >> 6 & 63)) + char(0x80 | (c & 63))};
    return QString::fromUcs4(&c, 1).toUtf8();
}

inline Symbols plain(const QByteArray &in)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size(); ++i)
        out.push_back({in[i], i, i + 1});
    return out;
}

using Grammar = std::function<Meant(const QByteArray &, qsizetype)>;

// From the first byte on; what the grammar has no meaning for stands for itself.
inline Symbols inOrder(const QByteArray &in, const Grammar &grammar, qsizetype from = 0)
{
    Symbols out;
    for (qsizetype i = from; i < in.size();) {
        Meant meant = grammar(in, i);
        if (meant.length == 0)
            meant = {1, in.mid(i, 1)};
        if (meant.barrier)
            out.push_back({0, i, i + meant.length, true});
        for (const char byte : meant.bytes)
            out.push_back({byte, i, i + meant.length});
        i += meant.length;
    }
    return out;
}

inline Meant percent(const QByteArray &in, qsizetype i)
{
    if (in[i] != '%')
        return {};
    if (in.mid(i + 1, 1) == "u") {
        const int unit = number(in, i + 2, 4);
        return unit < 0 ? Meant() : Meant{6, utf8(char32_t(unit))};
    }
    const int byte = number(in, i + 1, 2);
    return byte < 0 ? Meant() : Meant{3, QByteArray(1, char(byte))};
}

inline Meant inBraces(const QByteArray &in, qsizetype i)
{
    const qsizetype count = run(in, i + 3, hexDigits);
    const int c = number(in, i + 3, int(std::min<qsizetype>(count, 6)));
    if (count < 1 || count > 6 || in.mid(i + 3 + count, 1) != "}" || c > 0x10ffff)
        return {};
    if (c >= 0xd800 && c < 0xe000)
        return {count + 4, {}, true};
    return {count + 4, utf8(char32_t(c))};
}

inline Meant escape(const QByteArray &in, qsizetype i)
{
    if (in[i] != '\\' || i + 1 >= in.size())
        return {};
    const char name = in[i + 1];
    const QByteArray names = "abeEfnrtv", bytes = "\a\b\x1b\x1b\f\n\r\t\v";
    if (names.contains(name))
        return {2, bytes.mid(names.indexOf(name), 1)};
    if (name == '\n')
        return {2, {}};
    if (const qsizetype octal = std::min<qsizetype>(run(in, i + 1, "01234567"), 3); octal > 0)
        return {1 + octal, QByteArray(1, char(in.mid(i + 1, octal).toInt(nullptr, 8)))};
    if (name >= ' ' && name <= '~' && !std::isalnum(uchar(name)))
        return {2, QByteArray(1, name)};
    if (name == 'N') {
        const qsizetype length = run(in, i + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -");
        const bool is = in.mid(i + 2, 1) == "{" && length >= 1 && length <= 88 && in.mid(i + 3 + length, 1) == "}";
        return is ? Meant{length + 4, "\xff"} : Meant();
    }
    if (name == 'x') {
        if (in.mid(i + 2, 1) == "{")
            return inBraces(in, i);
        const int byte = number(in, i + 2, 2);
        return byte < 0 ? Meant() : Meant{4, QByteArray(1, char(byte))};
    }
    if (name != 'u' && name != 'U')
        return {};
    if (name == 'u' && in.mid(i + 2, 1) == "{")
        return inBraces(in, i);
    const int count = name == 'u' ? 4 : 8;
    if (name == 'U' && in.mid(i + 2, 1) != "0")
        return {};
    const int c = number(in, i + 2, count);
    if (c < 0)
        return {};
    const int low = in.mid(i + 6, 2) == "\\u" ? number(in, i + 8, 4) : -1;
    if (name == 'u' && c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000)
        return {12, utf8(char32_t(0x10000 + (c - 0xd800) * 0x400 + low - 0xdc00))};
    if (c >= 0xdc80 && c <= 0xdcff)
        return {2 + count, QByteArray(1, char(c - 0xdc00))};
    if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return {2 + count, {}, true};
    return {2 + count, utf8(char32_t(c))};
}

inline Meant joined(const QByteArray &in, qsizetype i)
{
    if (in[i] != '\'' && in[i] != '"')
        return {};
    for (const QByteArray &one : {QByteArray("'\\''"), QByteArray("'\"'\"'")}) {
        if (in.mid(i, one.size()) == one)
            return {one.size(), "'"};
    }
    const qsizetype between = run(in, i + 1, " ,+$\t\r\n");
    const QByteArray second = in.mid(i + 1 + between, 1);
    return between < 39 && (second == "'" || second == "\"") ? Meant{between + 2, {}} : Meant();
}

inline Meant quoted(const QByteArray &in, qsizetype i)
{
    return in[i] == '\\' ? escape(in, i) : joined(in, i);
}

inline Meant html(const QByteArray &in, qsizetype i)
{
    if (in[i] != '&')
        return {};
    const QList<std::pair<QByteArray, QByteArray>> names{
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    for (const auto &[name, character] : names) {
        if (in.mid(i, name.size()) == name)
            return {name.size(), character};
    }
    if (in.mid(i + 1, 1) != "#")
        return {};
    const bool isHex = in.mid(i + 2, 1).toLower() == "x";
    const qsizetype begin = i + (isHex ? 3 : 2);
    const qsizetype count = run(in, begin, isHex ? hexDigits : decimalDigits);
    const qint64 c = in.mid(begin, count).toLongLong(nullptr, isHex ? 16 : 10);
    if (count < 1 || count > 7 || in.mid(begin + count, 1) != ";" || c > 0x10ffff)
        return {};
    return {begin + count + 1 - i, utf8(char32_t(c))};
}

inline Meant mail(const QByteArray &in, qsizetype i)
{
    if (in[i] != '=')
        return {};
    if (in.mid(i + 1, 1) == "\n")
        return {2, {}};
    if (in.mid(i + 1, 2) == "\r\n")
        return {3, {}};
    const int byte = number(in, i + 1, 2);
    const bool isPunctuation = byte >= 0x20 && byte < 0x7f && !std::isalnum(byte);
    if (byte >= 0x80 || isPunctuation || byte == '\t' || byte == '\n' || byte == '\r')
        return {3, QByteArray(1, char(byte))};
    return {};
}

inline qsizetype lineBreak(const QByteArray &in, qsizetype i)
{
    for (const QByteArray &one : {QByteArray("\r\n"), QByteArray("\n"), QByteArray("\\r\\n"), QByteArray("\\n")}) {
        if (in.mid(i, one.size()) == one)
            return one.size();
    }
    return 0;
}

// Characters of an alphabet, with one line break after each at most.
inline Symbols wrapped(const QByteArray &in, const std::function<char(char)> &meant)
{
    Symbols out;
    bool afterBreak = false;
    for (qsizetype i = 0; i < in.size();) {
        if (const qsizetype length = lineBreak(in, i)) {
            if (afterBreak)
                out.push_back({0, i, i + length, true});
            afterBreak = true;
            i += length;
            continue;
        }
        const char byte = meant(in[i]);
        out.push_back({byte, i, i + 1, byte == 0});
        if (byte != 0)
            afterBreak = false;
        ++i;
    }
    return out;
}

inline char hexDigit(char c)
{
    return digit(c) < 0 ? char(0) : c >= 'A' && c <= 'F' ? char(c | 0x20) : c;
}

inline char base64Character(char c)
{
    c = c == '-' ? '+' : c == '_' ? '/' : c;
    const bool is = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    return is ? c : char(0);
}

inline bool isWordByte(char c)
{
    return std::isalnum(uchar(c)) || uchar(c) >= 0x80;
}

// Lists: words that are numbers, with gaps between them. parse gives the symbols of a word that begins there.
inline Symbols numbers(const QByteArray &in,
                       const std::function<Symbols(const QByteArray &word, qsizetype begin)> &parse)
{
    Symbols out;
    const auto barrier = [&](qsizetype from, qsizetype to) { out.push_back({0, from, to, true}); };
    for (qsizetype i = 0; i < in.size();) {
        if (isWordByte(in[i])) {
            qsizetype end = i;
            while (end < in.size() && isWordByte(in[end]))
                ++end;
            for (const Symbol &symbol : parse(in.mid(i, end - i), i))
                out.push_back(symbol);
            i = end;
        } else {
            const qsizetype gap = run(in, i, gapBytes);
            if (gap == 0 || gap > 16)
                barrier(i, i + 1);
            i += std::max<qsizetype>(gap, 1);
        }
    }
    return out;
}

inline Symbols pairsOfWord(const QByteArray &word, qsizetype begin)
{
    Symbols out;
    qsizetype i = word.startsWith("0x") || word.startsWith("0X") ? 2 : 0;
    const qsizetype most = i + 32;
    for (; i < word.size(); i += 2) {
        const int byte = i + 2 <= most ? number(word, i, 2) : -1;
        if (byte < 0) {
            out.push_back({0, begin + i, begin + word.size(), true});
            break;
        }
        out.push_back({char(byte), begin + i, begin + i + 2});
    }
    return out;
}

inline Symbols decimalOfWord(const QByteArray &word, qsizetype begin)
{
    const qsizetype end = begin + word.size();
    const int value = word.toInt();
    const bool isPadded = word.startsWith('0') && word.size() > 3;
    if (run(word, 0, decimalDigits) != word.size() || word.size() > 7 || isPadded || value > 0x10ffff)
        return {{0, begin, end, true}};
    Symbols out;
    for (const char byte : value < 256 ? QByteArray(1, char(value)) : utf8(char32_t(value)))
        out.push_back({byte, begin, end});
    return out;
}

inline QByteArray reversed(QByteArray value)
{
    std::reverse(value.begin(), value.end());
    return value;
}

inline QByteArray reversedCharacters(const QByteArray &value)
{
    QByteArray out;
    for (qsizetype i = 0; i < value.size();) {
        qsizetype end = i + 1;
        while (end < value.size() && (value[end] & 0xc0) == 0x80)
            ++end;
        out.prepend(value.mid(i, end - i));
        i = end;
    }
    return out;
}

// The characters of base64 that hold bits of the value alone.
inline QByteArray core(const QByteArray &value, int before)
{
    const QByteArray low = (QByteArray(before, '\0') + value + QByteArray(3, '\0')).toBase64();
    const QByteArray high = (QByteArray(before, '\xff') + value + QByteArray(3, '\xff')).toBase64();
    qsizetype begin = 0, end = 0;
    // Whatever is the same with other neighbours is the value's own.
    for (qsizetype i = 0; i < low.size(); ++i) {
        const qsizetype firstBit = 6 * i, lastBit = 6 * i + 5;
        if (firstBit < 8 * before)
            begin = i + 1;
        if (lastBit < 8 * (before + value.size()))
            end = i + 1;
    }
    Q_ASSERT(low.mid(begin, end - begin) == high.mid(begin, end - begin));
    return low.mid(begin, end - begin);
}

// And with the character that its last bits are in, whatever follows in that.
inline std::set<QByteArray> cores(const QByteArray &value, int before)
{
    const QByteArray alone = core(value, before);
    std::set<QByteArray> all{alone};
    const qsizetype begin = (8 * before + 5) / 6;
    if ((8 * (before + value.size())) % 6 != 0) {
        for (int next = 0; next < 256; next += 16) // its first bits are what counts
            all.insert((QByteArray(before, '\0') + value + char(next) + '\0').toBase64().mid(begin, alone.size() + 1));
    }
    return all;
}

inline QList<QByteArray> handedOn(const QByteArray &value)
{
    const QByteArray bare = value.trimmed().size() < 4 ? value : value.trimmed();
    if (bare.size() < 4)
        return {};
    QByteArray lines = bare;
    lines.replace("\r\n", "\n");
    QList<QByteArray> texts{bare, lines, QByteArray(lines).replace("\n", "\r\n")};
    if (bare.size() < 8)
        return texts;
    for (const QByteArray &text : QList<QByteArray>(texts)) {
        QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        const QString characters = decoder.decode(text);
        for (const auto form : {QString::NormalizationForm_C, QString::NormalizationForm_D}) {
            const QByteArray other = characters.normalized(form).toUtf8();
            if (!decoder.hasError() && other.size() >= 8)
                texts << other;
        }
    }
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

struct Encodings
{
    QList<QByteArray> bytes; // in other encodings of characters
    QByteArray names; // with \xff for characters beyond ASCII
    QList<QByteArray> cut; // what is printed of long lists
};

inline Encodings encodings(const QByteArray &text)
{
    Encodings all;
    for (const int most : {50, 100}) {
        if (text.size() > most)
            all.cut << text.left(most);
    }
    const bool isAscii = std::all_of(text.begin(), text.end(), [](char c) { return uchar(c) < 0x80; });
    QList<QByteArray> found;
    if (!isAscii)
        found << QString::fromLatin1(text).toUtf8();
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString characters = decoder.decode(text);
    if (!decoder.hasError()) {
        QByteArray little, big, latin1, cesu, units, names;
        for (const QChar c : characters) {
            little += QByteArray(1, char(c.cell())) + char(c.row());
            big += QByteArray(1, char(c.row())) + char(c.cell());
            cesu += utf8(c.unicode());
            units += c.unicode() < 0x100 ? QByteArray(1, char(c.unicode())) : utf8(c.unicode());
        }
        for (const char32_t c : characters.toUcs4()) {
            latin1 += c < 0x100 ? QByteArray(1, char(c)) : utf8(c);
            names += c < 0x80 ? char(c) : '\xff';
        }
        const bool isNarrow = std::all_of(characters.begin(), characters.end(), [](QChar c) { return c.row() == 0; });
        if (text.size() <= 4096)
            found << (isNarrow ? QList{little.chopped(1)} : QList{little, big});
        if (!isAscii)
            found << latin1 << cesu << units;
        if (!isAscii && names.size() - names.count('\xff') >= 2 && names.size() >= 8)
            all.names = names;
    }
    for (const QByteArray &one : found) {
        if (one.size() >= 8)
            all.bytes << one;
    }
    return all;
}

class Search
{
public:
    Search(const QByteArray &in)
        : m_in(in)
        , m_texts{plain(in), inOrder(in, percent), inOrder(in, html), inOrder(in, mail)}
        , m_escapes(inOrder(in, escape))
        , m_lists{numbers(in, pairsOfWord), numbers(in, decimalOfWord)}
        , m_hex(wrapped(in, hexDigit))
        , m_base64(wrapped(in, base64Character))
    {
    }

    void text(const QByteArray &form, std::size_t owner)
    {
        for (const Symbols &symbols : m_texts)
            search(symbols, form, owner);
        inPieces(form, m_texts[0], joined, owner);
        inEscapes(form, owner);
        inLists(form, owner);
    }
    void inEscapes(const QByteArray &form, std::size_t owner)
    {
        search(m_escapes, form, owner);
        inPieces(form, m_escapes, quoted, owner);
    }
    // From each place on, as what joins strings there depends on where one begins to read.
    void inPieces(const QByteArray &form, const Symbols &starts, const Grammar &grammar, std::size_t owner)
    {
        if (form.size() < 8 || QByteArray("'\" ,+$\t\r\n").contains(form[0]))
            return;
        for (const Symbol &start : starts) {
            if (!start.barrier && start.byte == form[0])
                inPieces(form, start.begin, grammar, owner);
        }
    }
    void inLists(const QByteArray &form, std::size_t owner)
    {
        for (const Symbols &symbols : m_lists) {
            if (form.size() >= 8)
                search(symbols, form, owner);
        }
    }
    void encoded(const QByteArray &value, std::size_t owner)
    {
        search(m_hex, value.toHex(), owner);
        for (int before = 0; before < 3; ++before) {
            for (const QByteArray &form : cores(value, before))
                search(m_base64, form, owner);
        }
    }

    std::vector<std::tuple<qsizetype, qsizetype, qsizetype, std::size_t>> finds; // begin, -end, -length, owner

private:
    void search(const Symbols &symbols, const QByteArray &form, std::size_t owner)
    {
        for (std::size_t i = 0; !form.isEmpty() && i + form.size() <= symbols.size(); ++i) {
            qsizetype k = 0;
            while (k < form.size() && !symbols[i + k].barrier && symbols[i + k].byte == form[k])
                ++k;
            if (k == form.size())
                finds.emplace_back(symbols[i].begin, -symbols[i + k - 1].end, -k, owner);
        }
    }
    void inPieces(const QByteArray &form, qsizetype begin, const Grammar &grammar, std::size_t owner)
    {
        qsizetype k = 0;
        for (qsizetype i = begin; i < m_in.size();) {
            Meant meant = grammar(m_in, i);
            if (meant.length == 0)
                meant = {1, m_in.mid(i, 1)};
            i += meant.length;
            for (const char byte : meant.bytes) {
                if (byte != form[k++])
                    return;
                if (k == form.size())
                    return finds.emplace_back(begin, -i, -k, owner), void();
            }
            if (meant.barrier)
                return;
        }
    }

    const QByteArray m_in;
    const std::vector<Symbols> m_texts;
    const Symbols m_escapes;
    const std::vector<Symbols> m_lists;
    const Symbols m_hex;
    const Symbols m_base64;
};

inline QByteArray scrubbed(const std::vector<Secret> &secrets, const QByteArray &in)
{
    Search search(in);
    for (std::size_t owner = 0; owner < secrets.size(); ++owner) {
        for (const QByteArray &value : handedOn(secrets[owner].value)) {
            std::set<QByteArray> forms{value, reference::reversed(value), reversedCharacters(value)};
            if (value.size() >= 8) {
                QByteArray plus = value;
                plus.replace(' ', '+');
                QByteArray lower = value, upper = value;
                for (char &c : lower)
                    c = c >= 'A' && c <= 'Z' ? char(c + 32) : c;
                for (char &c : upper)
                    c = c >= 'a' && c <= 'z' ? char(c - 32) : c;
                forms.insert({lower, upper, plus});
            }
            for (const QByteArray &form : forms)
                search.text(form, owner);
            if (value.size() < 8)
                continue;
            search.encoded(value, owner);
            const Encodings others = encodings(value);
            for (const QByteArray &other : others.bytes) {
                search.text(other, owner);
                search.encoded(other, owner);
            }
            if (!others.names.isEmpty())
                search.inEscapes(others.names, owner);
            for (const QByteArray &part : others.cut)
                search.inLists(part, owner);
        }
    }
    auto &finds = search.finds;
    std::sort(finds.begin(), finds.end());
    QByteArray out;
    qsizetype given = 0;
    std::vector<std::size_t> named;
    for (const auto &[begin, minusEnd, minusLength, owner] : finds) {
        if (begin >= given) {
            out += in.mid(given, begin - given);
            named.clear();
        }
        if (-minusEnd <= given)
            continue;
        if (std::find(named.begin(), named.end(), owner) == named.end()) {
            out += "[secret " + secrets[owner].name + ']';
            named.push_back(owner);
        }
        given = -minusEnd;
    }
    return out + in.mid(given);
}

} // namespace glovebox::reference
