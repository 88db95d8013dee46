// SPDX-License-Identifier: Apache-2.0
// What the scrubber must give, said as plainly as possible and as slowly as it comes out: each reading of the whole stream at once,
// each form searched for at each place.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <algorithm>
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

inline Symbols plain(const QByteArray &in)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size(); ++i)
        out.push_back({in[i], i, i + 1});
    return out;
}

inline Symbols percent(const QByteArray &in)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size();) {
        const int byte = in[i] == '%' ? number(in, i + 1, 2) : -1;
        const int length = byte >= 0 ? 3 : 1;
        out.push_back({byte >= 0 ? char(byte) : in[i], i, i + length});
        i += length;
    }
    return out;
}

inline Symbols escapes(const QByteArray &in)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size();) {
        QByteArray bytes = in.mid(i, 1);
        qsizetype length = 1;
        bool barrier = false;
        if (in[i] == '\\' && i + 1 < in.size()) {
            const QByteArray names = "\"'\\/bfnrtv0";
            const QByteArray meant("\"'\\/\b\f\n\r\t\v\0", 11);
            const qsizetype name = names.indexOf(in[i + 1]);
            const int byte = in[i + 1] == 'x' ? number(in, i + 2, 2) : -1;
            const int unit = in[i + 1] == 'u' ? number(in, i + 2, 4) : -1;
            if (name >= 0) {
                bytes = meant.mid(name, 1);
                length = 2;
            } else if (byte >= 0) {
                bytes = QByteArray(1, char(byte));
                length = 4;
            } else if (unit >= 0) {
                length = 6;
                const int low = in.mid(i + 6, 2) == "\\u" ? number(in, i + 8, 4) : -1;
                if (unit >= 0xd800 && unit < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
                    length = 12;
                    const char16_t pair[] = {char16_t(unit), char16_t(low)};
                    bytes = QString::fromUtf16(pair, 2).toUtf8();
                } else if (unit >= 0xdc80 && unit <= 0xdcff) {
                    bytes = QByteArray(1, char(unit - 0xdc00));
                } else if (unit >= 0xd800 && unit < 0xe000) {
                    barrier = true;
                } else {
                    bytes = QString(QChar(char16_t(unit))).toUtf8();
                }
            }
        }
        if (barrier)
            out.push_back({0, i, i + length, true});
        else
            for (const char byte : bytes)
                out.push_back({byte, i, i + length});
        i += length;
    }
    return out;
}

inline Symbols hex(const QByteArray &in)
{
    Symbols out = plain(in);
    for (Symbol &symbol : out) {
        if (symbol.byte >= 'A' && symbol.byte <= 'F')
            symbol.byte = char(symbol.byte | 0x20);
    }
    return out;
}

inline Symbols base64(const QByteArray &in)
{
    Symbols out;
    bool afterBreak = false;
    for (qsizetype i = 0; i < in.size();) {
        qsizetype lineBreak = 0;
        for (const QByteArray &one : {QByteArray("\r\n"), QByteArray("\n"), QByteArray("\\r\\n"), QByteArray("\\n")}) {
            if (lineBreak == 0 && in.mid(i, one.size()) == one)
                lineBreak = one.size();
        }
        if (lineBreak > 0) {
            if (afterBreak)
                out.push_back({0, i, i + lineBreak, true});
            afterBreak = true;
            i += lineBreak;
            continue;
        }
        char byte = in[i] == '-' ? '+' : in[i] == '_' ? '/' : in[i];
        const bool is = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')
                        || byte == '+' || byte == '/';
        out.push_back({byte, i, i + 1, !is});
        if (is)
            afterBreak = false;
        ++i;
    }
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
    return {bare, lines, QByteArray(lines).replace("\n", "\r\n")};
}

inline QByteArray scrubbed(const std::vector<Secret> &secrets, const QByteArray &in)
{
    std::vector<std::tuple<qsizetype, qsizetype, qsizetype, std::size_t>> finds; // begin, -end, -length, owner
    const auto search = [&](const Symbols &symbols, const QByteArray &form, std::size_t owner) {
        for (std::size_t i = 0; !form.isEmpty() && i + form.size() <= symbols.size(); ++i) {
            qsizetype k = 0;
            while (k < form.size() && !symbols[i + k].barrier && symbols[i + k].byte == form[k])
                ++k;
            if (k == form.size())
                finds.emplace_back(symbols[i].begin, -symbols[i + k - 1].end, -k, owner);
        }
    };
    const Symbols texts[] = {plain(in), percent(in), escapes(in)};
    const Symbols inHex = hex(in), inBase64 = base64(in);
    for (std::size_t owner = 0; owner < secrets.size(); ++owner) {
        for (const QByteArray &value : handedOn(secrets[owner].value)) {
            QList<QByteArray> forms{value, reference::reversed(value), reversedCharacters(value)};
            if (value.size() >= 8) {
                QByteArray plus = value;
                plus.replace(' ', '+');
                QByteArray lower = value, upper = value;
                for (char &c : lower)
                    c = c >= 'A' && c <= 'Z' ? char(c + 32) : c;
                for (char &c : upper)
                    c = c >= 'a' && c <= 'z' ? char(c - 32) : c;
                forms << lower << upper << plus;
            }
            for (const QByteArray &form : forms) {
                for (const Symbols &symbols : texts)
                    search(symbols, form, owner);
            }
            if (value.size() < 8)
                continue;
            search(inHex, value.toHex(), owner);
            for (int before = 0; before < 3; ++before) {
                for (const QByteArray &form : cores(value, before))
                    search(inBase64, form, owner);
            }
        }
    }
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
