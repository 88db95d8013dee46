// SPDX-License-Identifier: Apache-2.0
#include "wanted.h"

#include "engine/vault/scrub/readings/reading.h"
#include "forms.h"

#include <QString>

#include <algorithm>

namespace glovebox::scrub {

namespace {

constexpr qsizetype longestWide = 4096; // bytes of a value: UTF-16 has two for each, which takes 10 times their memory
constexpr QByteArrayView namesOfEcho("\\abfnrtv"); // which shells' own echo reads
constexpr char hexCharacters[] = "0123456789abcdef";
constexpr char upperHexCharacters[] = "0123456789ABCDEF";
constexpr QByteArrayView safeInUrls[] = {"", "/", "!*'()"}; // to RFC 3986, to Python, to JavaScript
constexpr qsizetype mostListed[] = {50, 100}; // numbers that Node.js prints of a Buffer and of an array

bool isAscii(QByteArrayView text)
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool isEscapedInJson(char c)
{
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80;
}

bool isSafeInUrls(char c)
{
    return (static_cast<unsigned char>(c) < 0x80 && isLetterOrDigit(c)) || QByteArrayView("-._~").contains(c);
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

// Empty: it is no UTF-8. Each character four bytes, so that it is wiped as any value.
SecretValue charactersOf(QByteArrayView text)
{
    SecretValue characters(text.size() * qsizetype(sizeof(char32_t)));
    auto *out = reinterpret_cast<char32_t *>(characters.data());
    for (qsizetype i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const int length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : 4;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || i + length > text.size())
            return {};
        char32_t character = length == 1 ? lead : lead & (0x7fU >> length);
        for (int k = 1; k < length; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xc0) != 0x80)
                return {};
            character = character << 6 | (byte & 63);
        }
        if ((length == 3 && character < 0x800) || (length == 4 && (character < 0x10000 || character > 0x10ffff))
            || (character >= 0xd800 && character < 0xe000))
            return {};
        *out++ = character;
        i += length;
    }
    characters.truncate(reinterpret_cast<char *>(out) - characters.data());
    return characters;
}

// put(character, out): writes it there, at most twelve bytes, and returns the end.
template<typename Put> SecretValue rewritten(const SecretValue &characters, Put put)
{
    const auto *begin = reinterpret_cast<const char32_t *>(characters.view().data());
    const auto *end = begin + characters.size() / qsizetype(sizeof(char32_t));
    SecretValue text(12 * (end - begin));
    char *out = text.data();
    for (const char32_t *character = begin; character < end; ++character)
        out = put(*character, out);
    text.truncate(out - text.data());
    return text;
}

char *putUtf8(char32_t character, char *out)
{
    const Piece piece = Piece::character(0, character);
    return std::copy(piece.tokens, piece.tokens + piece.count, out);
}

// unit: puts half of a pair, or what is no pair.
template<typename Unit> char *putUnits(char32_t character, char *out, Unit unit)
{
    if (character < 0x10000)
        return unit(character, out);
    out = unit(0xd7c0 + (character >> 10), out);
    return unit(0xdc00 + (character & 0x3ff), out);
}

char *putLatin1(char32_t character, char *out)
{
    if (character >= 0x100)
        return putUtf8(character, out);
    *out++ = char(character);
    return out;
}

// As in a string of JSON (RFC 8259 section 7); isAll: also what is beyond ASCII.
char *putJson(char32_t character, char *out, bool isAll)
{
    constexpr QByteArrayView meant("\"\\\b\f\n\r\t");
    constexpr QByteArrayView names("\"\\bfnrt");
    const qsizetype at = character < 0x80 ? meant.indexOf(char(character)) : -1;
    if (at >= 0) {
        *out++ = '\\';
        *out++ = names[at];
        return out;
    }
    if (character >= 0x20 && (character < 0x80 || !isAll))
        return putUtf8(character, out);
    return putUnits(character, out, [](char32_t unit, char *to) {
        to = std::ranges::copy(QByteArrayView("\\u"), to).out;
        for (int shift = 12; shift >= 0; shift -= 4)
            *to++ = hexCharacters[unit >> shift & 15];
        return to;
    });
}

// As Python's "unicode_escape" writes it: for print() that is bytes, whose backslashes are doubled.
char *putPython(char32_t character, char *out)
{
    constexpr QByteArrayView meant("\\\n\r\t");
    constexpr QByteArrayView names("\\nrt");
    const qsizetype at = character < 0x80 ? meant.indexOf(char(character)) : -1;
    if (at < 0 && character >= 0x20 && character < 0x7f)
        return putUtf8(character, out);
    *out++ = '\\';
    if (at >= 0) {
        *out++ = names[at];
        return out;
    }
    *out++ = character < 0x100 ? 'x' : character < 0x10000 ? 'u' : 'U';
    for (int shift = character < 0x100 ? 4 : character < 0x10000 ? 12 : 28; shift >= 0; shift -= 4)
        *out++ = hexCharacters[character >> shift & 15];
    return out;
}

// As in a URL (RFC 3986 section 2.1). safe: what stays as it is, besides letters, digits and -._~
SecretValue percentEncoded(QByteArrayView text, QByteArrayView safe)
{
    SecretValue out(3 * text.size());
    char *end = out.data();
    for (const char byte : text) {
        const auto number = static_cast<unsigned char>(byte);
        if (isSafeInUrls(byte) || safe.contains(byte)) {
            *end++ = byte;
            continue;
        }
        *end++ = '%';
        *end++ = upperHexCharacters[number >> 4];
        *end++ = upperHexCharacters[number & 15];
    }
    out.truncate(end - out.data());
    return out;
}

// Each of these twice, as CSV and SQL have it.
SecretValue doubled(QByteArrayView text, char quote)
{
    SecretValue out(2 * text.size());
    char *end = out.data();
    for (const char byte : text) {
        *end++ = byte;
        if (byte == quote)
            *end++ = byte;
    }
    out.truncate(end - out.data());
    return out;
}

// As shells' read takes it without -r.
SecretValue withoutBackslashes(QByteArrayView text)
{
    SecretValue out(text.size());
    char *end = out.data();
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        if (i == text.size())
            break;
        *end++ = text[i];
    }
    out.truncate(end - out.data());
    return out;
}

// As a shell hands it on without quotes around it.
SecretValue inWords(QByteArrayView text)
{
    SecretValue out(text.size());
    char *end = out.data();
    for (const char byte : text) {
        if (!isBlank(byte) || (end > out.data() && end[-1] != ' '))
            *end++ = isBlank(byte) ? ' ' : byte;
    }
    out.truncate(end - out.data());
    return out;
}

// What a lead byte of UTF-8 and those after it are, each read as a character by itself.
SecretValue readAsLatin1(QByteArrayView text)
{
    SecretValue out(2 * text.size());
    char *end = out.data();
    for (const char byte : text)
        end = putUtf8(static_cast<unsigned char>(byte), end);
    out.truncate(end - out.data());
    return out;
}

// Qt's copies in between are not wiped; nobody else knows how characters are composed, and what is their upper case.
template<typename Change> SecretValue inUnicode(QByteArrayView text, Change change)
{
    QString characters = QString::fromUtf8(text);
    QString other = change(characters);
    QByteArray bytes = other.toUtf8();
    SecretValue result = SecretValue::copyOf(bytes);
    for (QString *string : {&characters, &other})
        wipe(string->data(), std::size_t(string->size()) * sizeof(QChar));
    wipe(bytes.data(), std::size_t(bytes.size()));
    return result;
}

SecretValue normalized(QByteArrayView text, QString::NormalizationForm form)
{
    return inUnicode(text, [form](const QString &characters) { return characters.normalized(form); });
}

// What printf, echo -e or a parser of JSON makes of a value that has backslashes. Whoever writes that as JSON, as our own results are,
// writes the value again. names: of the escapes that are read; empty: all.
SecretValue withEscapesRead(QByteArrayView value, QByteArrayView names)
{
    SecretValue text(value.size());
    char *out = text.data();
    for (qsizetype i = 0; i < value.size();) {
        const QByteArrayView rest = value.sliced(i, std::min<qsizetype>(value.size() - i, longestPiece));
        const bool isRead = rest[0] == '\\' && rest.size() > 1 && rest[1] != 'N' // a name is any character
                            && (names.isEmpty() || names.contains(rest[1]));
        const Piece piece = isRead ? readEscape(rest, true) : Piece::literal(rest[0]);
        if (piece.bytes == 0 || piece.kind == Piece::Nothing) {
            *out++ = value[i++];
            continue;
        }
        out = std::copy(piece.tokens, piece.tokens + piece.count, out);
        i += piece.bytes;
    }
    text.truncate(out - text.data());
    return text;
}

class Collector
{
public:
    Collector(std::vector<Wanted> &wanted, Owner owner)
        : m_wanted(wanted)
        , m_owner(owner)
        , m_first(wanted.size())
    {
    }

    void add(Wanted::Kind kind, SecretValue text)
    {
        const bool isKnown = std::any_of(m_wanted.begin() + std::ptrdiff_t(m_first), m_wanted.end(),
                                         [&](const Wanted &one) { return one.text.view() == text.view(); });
        if (!isKnown)
            m_wanted.push_back({kind, m_owner, std::move(text)});
    }
    void addEncoded(Wanted::Kind kind, SecretValue text)
    {
        if (text.size() >= ScrubPlan::shortestEncoded)
            add(kind, std::move(text));
    }
    void addEncodings(QByteArrayView text);

private:
    void addChanged(QByteArrayView text);
    void addWide(const SecretValue &characters);

    std::vector<Wanted> &m_wanted;
    Owner m_owner;
    std::size_t m_first;
};

// 16 bits a character. Where all high halves are zero, one text is in both orders of bytes.
void Collector::addWide(const SecretValue &characters)
{
    const auto wide = [&](bool bigEndian) {
        return rewritten(characters, [&](char32_t character, char *out) {
            return putUnits(character, out, [&](char32_t unit, char *to) {
                *to++ = char(bigEndian ? unit >> 8 : unit & 0xff);
                *to++ = char(bigEndian ? unit & 0xff : unit >> 8);
                return to;
            });
        });
    };
    SecretValue little = wide(false);
    bool isNarrow = true;
    for (qsizetype i = 1; i < little.size(); i += 2)
        isNarrow = isNarrow && little.view()[i] == 0;
    if (isNarrow) {
        little.truncate(little.size() - 1);
        return addEncoded(Wanted::Bytes, std::move(little));
    }
    addEncoded(Wanted::Bytes, std::move(little));
    addEncoded(Wanted::Bytes, wide(true));
}

void Collector::addChanged(QByteArrayView text)
{
    for (const char quote : {'"', '\''}) {
        if (text.contains(quote))
            addEncoded(Wanted::Changed, doubled(text, quote));
    }
    if (text.contains('\\'))
        addEncoded(Wanted::Changed, withoutBackslashes(text));
    if (std::ranges::any_of(text, isBlank))
        addEncoded(Wanted::Changed, inWords(text));
    for (const QByteArrayView safe : safeInUrls) {
        if (!std::ranges::all_of(text, isSafeInUrls))
            addEncoded(Wanted::Changed, percentEncoded(text, safe));
    }
}

void Collector::addEncodings(QByteArrayView text)
{
    for (const qsizetype most : mostListed) {
        if (text.size() > most)
            add(Wanted::Cut, SecretValue::copyOf(text.first(most)));
    }
    if (!isAscii(text))
        addEncoded(Wanted::Bytes, readAsLatin1(text));
    addChanged(text);
    const SecretValue characters = charactersOf(text);
    if (characters.isEmpty())
        return;
    // Such a string is often a string in another one, or in base64.
    for (const bool isAll : {false, true}) {
        if (std::ranges::any_of(text, isEscapedInJson))
            add(Wanted::Bytes, rewritten(characters, [isAll](char32_t character, char *out) {
                    return putJson(character, out, isAll);
                }));
    }
    if (std::ranges::any_of(text, [](char c) { return c < 0x20 || c >= 0x7f || c == '\\'; }))
        add(Wanted::Bytes, rewritten(characters, putPython));
    if (text.size() <= longestWide)
        addWide(characters);
    if (isAscii(text))
        return;
    const auto inUnits = [](const SecretValue &all) {
        return rewritten(all, [](char32_t character, char *out) { return putUnits(character, out, putUtf8); });
    };
    addEncoded(Wanted::Bytes, rewritten(characters, putLatin1));
    addEncoded(Wanted::Bytes, inUnits(characters));
    addEncoded(Wanted::Bytes, rewritten(characters, [](char32_t character, char *out) {
                   return putUnits(character, out, putLatin1);
               }));
    // After those, as of equal texts the first kind holds.
    for (const bool isUpper : {false, true}) {
        SecretValue other =
            inUnicode(text, [isUpper](const QString &all) { return isUpper ? all.toUpper() : all.toLower(); });
        addEncoded(Wanted::Changed, inUnits(charactersOf(other.view()))); // as escapes of JSON are read
        addEncoded(Wanted::Changed, std::move(other));
    }
    int ascii = 0;
    SecretValue names = rewritten(characters, [&](char32_t character, char *out) {
        ascii += character < 0x80 ? 1 : 0;
        *out++ = character < 0x80 ? char(character) : anyCharacter;
        return out;
    });
    if (ascii >= 2) // else it would be found in nearly everything
        addEncoded(Wanted::Names, std::move(names));
}

} // namespace

// As programs hand it on: without what $(cat FILE) and strip() take away, and with the line ends of a terminal (\r\n) or of a file
// that was read as text (\n).
std::vector<Wanted> wantedOf(const std::vector<ScrubPlan::Secret> &secrets)
{
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        QByteArrayView value = secrets[i].value;
        if (const QByteArrayView bare = value.trimmed(); bare.size() >= ScrubPlan::shortestValue)
            value = bare;
        if (value.size() < ScrubPlan::shortestValue)
            continue;
        Collector collector(wanted, static_cast<Owner>(i));
        collector.add(Wanted::Text, SecretValue::copyOf(value));
        std::vector<SecretValue> texts;
        texts.push_back(SecretValue::copyOf(value));
        for (const QByteArrayView lineEnd : {"\n", "\r\n"}) {
            if (!value.contains('\n'))
                break;
            texts.push_back(withLineEnds(value, lineEnd));
            collector.add(Wanted::Text, texts.back().clone());
        }
        if (value.size() < ScrubPlan::shortestEncoded)
            continue;
        for (std::size_t k = 0, count = texts.size(); k < count; ++k) {
            if (isAscii(texts[k].view()) || charactersOf(texts[k].view()).isEmpty())
                continue;
            for (const auto form : {QString::NormalizationForm_C, QString::NormalizationForm_D}) {
                SecretValue other = normalized(texts[k].view(), form);
                if (other.size() < ScrubPlan::shortestEncoded)
                    continue;
                collector.add(Wanted::Text, other.clone());
                texts.push_back(std::move(other));
            }
        }
        for (const SecretValue &text : texts)
            collector.addEncodings(text.view());
        for (const QByteArrayView names : {QByteArrayView(), namesOfEcho}) {
            SecretValue other = withEscapesRead(value, names);
            if (other.size() >= ScrubPlan::shortestValue)
                collector.add(Wanted::Bytes, std::move(other));
        }
    }
    return wanted;
}

} // namespace glovebox::scrub
