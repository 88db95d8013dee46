// SPDX-License-Identifier: Apache-2.0
// What the scrubber must give, said as plainly as possible and as slowly as it comes out: each reading of the whole stream at once,
// each form searched for at each place.
#pragma once

#include "scrubforms.h"
#include "scrubreadings.h"

#include "engine/vault/scrub/scrub.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringDecoder>

#include <algorithm>
#include <compare>
#include <memory>
#include <set>
#include <vector>

namespace glovebox::reference {

struct Secret
{
    QByteArray name;
    QByteArray value;
};

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

// What a program takes it for that reads all escapes of a string, or those that echo knows.
inline std::set<QByteArray> meantByEscapes(const QByteArray &value)
{
    std::set<QByteArray> texts;
    const QByteArray bare = value.trimmed().size() < 4 ? value : value.trimmed();
    for (const QByteArray &names : {QByteArray(), QByteArray("\\abfnrtv")}) {
        QByteArray text;
        for (qsizetype i = 0; i < bare.size();) {
            const char name = bare[i] == '\\' && i + 1 < bare.size() ? bare[i + 1] : 'N';
            const bool isRead = name != 'N' && (names.isEmpty() || names.contains(name));
            const Meant meant = isRead ? escape(bare, i) : Meant();
            const bool isEscape = isRead && meant.length > 0 && !meant.barrier;
            text += isEscape ? meant.bytes : bare.mid(i, 1);
            i += isEscape ? meant.length : 1;
        }
        if (bare.size() >= 8 && text.size() >= 4 && text != bare)
            texts.insert(text);
    }
    return texts;
}

struct Encodings
{
    QList<QByteArray> bytes; // in other encodings of characters
    QByteArray names; // with \xff for characters beyond ASCII
    QList<QByteArray> cut; // what is printed of long lists
    QList<QByteArray> changed; // by a program, before it writes them
};

inline Encodings encodings(const QByteArray &text)
{
    Encodings all;
    for (const int most : {50, 100}) {
        if (text.size() > most)
            all.cut << text.left(most);
    }
    const bool isAscii = std::all_of(text.begin(), text.end(), [](char c) { return uchar(c) < 0x80; });
    for (const QByteArray &safe : {QByteArray(), QByteArray("/"), QByteArray("!*'()")})
        all.changed << text.toPercentEncoding(safe);
    all.changed << QByteArray(text).replace('"', "\"\"") << QByteArray(text).replace('\'', "''");
    QByteArray words = text, bare;
    for (const char blank : {'\t', '\n'})
        words.replace(blank, ' ');
    while (words.contains("  "))
        words.replace("  ", " ");
    words = words.startsWith(' ') ? words.mid(1) : words;
    for (qsizetype i = 0; i < text.size(); ++i) {
        i += text[i] == '\\' ? 1 : 0;
        bare += text.mid(i, 1);
    }
    for (const QByteArray &other : {words, bare}) {
        if (other.size() >= 8)
            all.changed << other;
    }
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
        found << forms::json(text, false) << forms::json(text, true) << forms::unicodeEscape(text);
        const bool isNarrow = std::all_of(characters.begin(), characters.end(), [](QChar c) { return c.row() == 0; });
        if (text.size() <= 4096)
            found << (isNarrow ? QList{little.chopped(1)} : QList{little, big});
        if (!isAscii)
            found << latin1 << cesu << units;
        for (const QString &other : {characters.toUpper(), characters.toLower()}) {
            QByteArray otherCesu;
            for (const QChar c : other)
                otherCesu += utf8(c.unicode());
            for (const QByteArray &bytes : {other.toUtf8(), otherCesu}) {
                if (!isAscii && bytes.size() >= 8)
                    all.changed << bytes;
            }
        }
        if (!isAscii && names.size() - names.count('\xff') >= 2 && names.size() >= 8)
            all.names = names;
    }
    for (const QByteArray &one : found) {
        if (one.size() >= 8)
            all.bytes << one;
    }
    return all;
}

// Where a form is: from first to last in this order.
struct Find
{
    qsizetype begin;
    bool isPart; // as much of it as there is before the end
    qsizetype minusEnd;
    qsizetype minusLength;
    std::size_t owner;

    auto operator<=>(const Find &) const = default;
};

class Search
{
public:
    Search(const QByteArray &in)
        : m_in(in)
        , m_texts{{plain(in), {}},
                  {inOrder(in, percent), inOrder(in, percent, ofPercent)},
                  {inOrder(in, html), inOrder(in, html, ofHtml)},
                  {inOrder(in, mail), inOrder(in, mail, ofMail)}}
        , m_escapes{inOrder(in, escape), inOrder(in, escape, ofEscape)}
        , m_lists{{numbers(in, pairsOfWord), numbers(withoutOpenPair(in), pairsOfWord)},
                  {numbers(in, decimalOfWord), numbers(withoutOpenDecimal(in), decimalOfWord)}}
        , m_hex{wrapped(in, hexDigit), wrapped(in, hexDigit, ofLineBreak)}
        , m_base64{wrapped(in, base64Character), wrapped(in, base64Character, ofLineBreak)}
    {
    }

    void text(const QByteArray &form, std::size_t owner)
    {
        for (const Read &read : m_texts)
            search(read, form, owner);
        inPieces(form, m_texts[0].whole, joined, ofJoint, owner);
        inEscapes(form, owner);
        inLists(form, owner);
    }
    void inEscapes(const QByteArray &form, std::size_t owner)
    {
        search(m_escapes, form, owner);
        inPieces(form, m_escapes.whole, quoted, ofQuoted, owner);
    }
    // From each place on, as what joins strings there depends on where one begins to read.
    void inPieces(const QByteArray &form, const Symbols &starts, const Grammar &grammar, const Beginning &left,
                  std::size_t owner)
    {
        if (form.size() < 8 || QByteArray("'\" ,+$\t\r\n").contains(form[0]))
            return;
        for (const Symbol &start : starts) {
            if (!start.barrier && start.byte == form[0])
                inPieces(form, start.begin, grammar, left, owner);
        }
    }
    void inLists(const QByteArray &form, std::size_t owner)
    {
        for (const Read &read : m_lists) {
            if (form.size() >= 8)
                search(read, form, owner);
        }
    }
    void encoded(const QByteArray &value, std::size_t owner)
    {
        search(m_hex, value.toHex(), owner, 4);
        for (int before = 0; before < 3; ++before) {
            for (const QByteArray &form : cores(value, before))
                search(m_base64, form, owner, 6);
        }
    }

    std::vector<Find> finds;

private:
    struct Read
    {
        Symbols whole;
        Symbols beforeOpen; // without what may go on
    };

    void search(const Read &read, const QByteArray &form, std::size_t owner, int bitsOfSymbol = 8)
    {
        const auto matches = [&](const Symbols &symbols, std::size_t i, qsizetype length) {
            qsizetype k = 0;
            while (k < length && !symbols[i + k].barrier && symbols[i + k].byte == form[k])
                ++k;
            return k == length;
        };
        for (std::size_t i = 0; !form.isEmpty() && i + form.size() <= read.whole.size(); ++i) {
            if (matches(read.whole, i, form.size()))
                finds.push_back(
                    {read.whole[i].begin, false, -read.whole[i + form.size() - 1].end, -form.size(), owner});
        }
        for (const Symbols *symbols : {&read.whole, &read.beforeOpen}) {
            for (qsizetype k = 1; k < std::min<qsizetype>(form.size(), std::ssize(*symbols) + 1); ++k) {
                if (matches(*symbols, symbols->size() - k, k))
                    foundPart((*symbols)[symbols->size() - k].begin, k, form.size(), owner, bitsOfSymbol);
            }
        }
    }
    void foundPart(qsizetype begin, qsizetype length, qsizetype ofLength, std::size_t owner, int bitsOfSymbol = 8)
    {
        if (length * bitsOfSymbol > 24 || 2 * length > ofLength)
            finds.push_back({begin, true, -m_in.size(), -length, owner});
    }
    void inPieces(const QByteArray &form, qsizetype begin, const Grammar &grammar, const Beginning &left,
                  std::size_t owner)
    {
        qsizetype k = 0;
        for (qsizetype i = begin; i < m_in.size();) {
            if (k > 0 && isOpen(left, m_in, i))
                foundPart(begin, k, form.size(), owner);
            Meant meant = grammar(m_in, i);
            if (meant.length == 0)
                meant = {1, m_in.mid(i, 1)};
            i += meant.length;
            for (const char byte : meant.bytes) {
                if (byte != form[k++])
                    return;
                if (k == form.size())
                    return finds.push_back({begin, false, -i, -k, owner});
            }
            if (meant.barrier)
                return;
        }
        foundPart(begin, k, form.size(), owner);
    }

    const QByteArray m_in;
    const std::vector<Read> m_texts;
    const Read m_escapes;
    const std::vector<Read> m_lists;
    const Read m_hex;
    const Read m_base64;
};

// mayBeCut: it is a stream, which may have been cut off.
inline QByteArray scrubbed(const std::vector<Secret> &secrets, const QByteArray &in, bool mayBeCut = true)
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
            for (const QByteArray &line : value.split('\n')) {
                const QByteArray text = line.trimmed();
                if (value.contains('\n') && text.size() >= 20 && !text.startsWith("-----"))
                    search.text(text, owner);
            }
            const Encodings others = encodings(value);
            for (const QByteArray &other : others.bytes) {
                search.text(other, owner);
                search.encoded(other, owner);
            }
            if (!others.names.isEmpty())
                search.inEscapes(others.names, owner);
            for (const QByteArray &other : others.changed)
                search.text(other, owner);
            for (const QByteArray &part : others.cut)
                search.inLists(part, owner);
        }
        for (const QByteArray &text : meantByEscapes(secrets[owner].value)) {
            search.text(text, owner);
            if (text.size() >= 8)
                search.encoded(text, owner);
        }
    }
    auto &finds = search.finds;
    std::sort(finds.begin(), finds.end());
    QByteArray out;
    qsizetype given = 0;
    std::vector<std::size_t> named;
    for (const auto &[begin, isPart, minusEnd, minusLength, owner] : finds) {
        if (isPart && !mayBeCut)
            continue;
        if (begin >= given) {
            out += in.mid(given, begin - given);
            named.clear();
        }
        if (-minusEnd <= given)
            continue;
        if (std::find(named.begin(), named.end(), owner) == named.end()) {
            out += (isPart ? "[part of secret " : "[secret ") + secrets[owner].name + ']';
            named.push_back(owner);
        }
        given = -minusEnd;
    }
    return out + in.mid(given);
}

// The real one, to compare with.
inline std::shared_ptr<const ScrubPlan> planOf(const std::vector<Secret> &secrets)
{
    std::vector<ScrubPlan::Secret> list;
    for (const Secret &secret : secrets)
        list.push_back({QString::fromUtf8(secret.name), secret.value});
    return std::make_shared<const ScrubPlan>(list);
}

// Pieces of so many bytes each.
inline QByteArray scrubInPieces(const std::shared_ptr<const ScrubPlan> &plan, const QByteArray &text, qsizetype size)
{
    Scrubber scrubber(plan);
    QByteArray out;
    for (qsizetype at = 0; at < text.size(); at += size)
        scrubber.feed(QByteArrayView(text).sliced(at, std::min(size, text.size() - at)), out);
    scrubber.finish(out);
    return out;
}

} // namespace glovebox::reference
