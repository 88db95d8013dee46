// SPDX-License-Identifier: Apache-2.0
// The forms in which programs write a text, as those programs do it.
#pragma once

#include <QByteArray>
#include <QList>
#include <QRandomGenerator>
#include <QString>
#include <QStringDecoder>

#include <cctype>
#include <cstdio>
#include <functional>
#include <vector>

namespace glovebox::forms {

struct Form
{
    const char *name;
    std::function<QByteArray(const QByteArray &)> of; // empty: the text has no such form
    qsizetype left = 0; // characters of it that share a byte of the text with others, and stay
};

inline QByteArray printed(const char *format, unsigned number)
{
    char text[32];
    return {text, std::snprintf(text, sizeof text, format, number)};
}

inline QByteArray listed(const QByteArray &text, const char *format, const QByteArray &between)
{
    QByteArrayList items;
    for (const char byte : text)
        items << printed(format, uchar(byte));
    return items.join(between);
}

inline QList<char32_t> characters(const QByteArray &text)
{
    QList<char32_t> list;
    for (const uint c : QString::fromUtf8(text).toUcs4())
        list << c;
    return list;
}

inline QByteArray utf8(char32_t c)
{
    return QString::fromUcs4(&c, 1).toUtf8();
}

// Each character of UTF-8 by itself.
inline QByteArray byCharacter(const QByteArray &text, const std::function<QByteArray(char32_t)> &write)
{
    QByteArray out;
    for (const char32_t c : characters(text))
        out += write(c);
    return out;
}

inline QByteArray byUnit(const QByteArray &text, const std::function<QByteArray(char16_t)> &write)
{
    QByteArray out;
    for (const QChar c : QString::fromUtf8(text))
        out += write(c.unicode());
    return out;
}

inline bool isPlain(char32_t c)
{
    return c >= 0x20 && c < 0x7f && c != '\\' && c != '\'' && c != '"';
}

inline QByteArray utf16(const QByteArray &text, bool bigEndian)
{
    return byUnit(text, [&](char16_t unit) {
        const char high = char(unit >> 8), low = char(unit);
        return bigEndian ? QByteArray(1, high) + low : QByteArray(1, low) + high;
    });
}

inline QByteArray latin1(const QByteArray &text)
{
    const QString string = QString::fromUtf8(text);
    for (const QChar c : string) {
        if (c.row() != 0)
            return {};
    }
    return string.toLatin1().size() < 8 ? QByteArray() : string.toLatin1();
}

inline QByteArray lines(const QByteArray &text, qsizetype column, const QByteArray &lineBreak)
{
    QByteArray out;
    for (qsizetype at = 0; at < text.size(); at += column)
        out += (at > 0 ? lineBreak : QByteArray()) + text.mid(at, column);
    return out;
}

inline QByteArray pythonRepr(const QByteArray &text, bool ascii, bool names)
{
    return byCharacter(text, [&](char32_t c) {
        if (c == '\\' || c == '\'')
            return '\\' + QByteArray(1, char(c));
        if (c == '\n')
            return QByteArray("\\n");
        if (c < 0x20 || c == 0x7f)
            return printed("\\x%02x", c);
        if (c < 0x80 || !ascii)
            return utf8(c);
        if (names)
            return QByteArray(c % 2 ? "\\N{LATIN SMALL LETTER E WITH ACUTE}" : "\\N{CJK UNIFIED IDEOGRAPH-4E00}");
        return printed(c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    });
}

// ascii: as Python writes it; else as JavaScript does.
inline QByteArray json(const QByteArray &text, bool ascii)
{
    const QString meant = QStringLiteral("\"\\\b\f\n\r\t");
    QString out;
    for (const QChar c : QString::fromUtf8(text)) {
        if (const qsizetype at = meant.indexOf(c); at >= 0)
            out += QLatin1Char('\\') + QLatin1StringView("\"\\bfnrt").sliced(at, 1);
        else if (c.unicode() < 0x20 || (ascii && c.unicode() >= 0x80))
            out += QString::asprintf("\\u%04x", uint(c.unicode()));
        else
            out += c;
    }
    return out.toUtf8();
}

// Python's s.encode("unicode_escape").
inline QByteArray unicodeEscape(const QByteArray &text)
{
    return byCharacter(text, [](char32_t c) {
        if (c == '\\' || c == '\n' || c == '\r' || c == '\t')
            return '\\' + QByteArray(1, c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : '\\');
        if (c >= 0x20 && c < 0x7f)
            return QByteArray(1, char(c));
        return printed(c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    });
}

inline QByteArray bashQuoted(const QByteArray &text)
{
    QByteArray out;
    for (const char byte : text) {
        if (byte == '\\' || byte == '\'')
            out += '\\';
        if (byte == '\n')
            out += "\\n";
        else if (byte == '\x1b')
            out += "\\E";
        else if (uchar(byte) < 0x20 || uchar(byte) >= 0x7f)
            out += printed("\\%03o", uchar(byte));
        else
            out += byte;
    }
    return out;
}

inline QByteArray quotedPrintable(const QByteArray &text)
{
    QByteArray out;
    int column = 0;
    for (const char byte : text) {
        const QByteArray one =
            byte == '=' || byte == '\n' || uchar(byte) >= 0x80 ? printed("=%02X", uchar(byte)) : QByteArray(1, byte);
        if (column + one.size() > 9) {
            out += "=\n";
            column = 0;
        }
        out += one;
        column += int(one.size());
    }
    return out;
}

// Runs of what a terminal shows in quotes, the rest in $'...', as ls of the GNU coreutils does it.
inline QByteArray coreutils(const QByteArray &text)
{
    QByteArray out;
    bool isEscaped = false;
    for (const char byte : text) {
        const bool escapes = uchar(byte) < 0x20 || uchar(byte) >= 0x7f;
        if (escapes != isEscaped)
            out += escapes ? "'$'" : "''";
        isEscaped = escapes;
        out += escapes ? printed("\\%03o", uchar(byte)) : byte == '\'' ? QByteArray("'\\''") : QByteArray(1, byte);
    }
    return uchar(text[0]) < 0x20 || uchar(text[0]) >= 0x7f ? out.mid(3) : out;
}

// Two quotes with nothing between them that isn't between strings, too: what joins strings can't be told from that.
inline bool looksJoined(const QByteArray &text)
{
    char before = 0;
    for (const char c : text) {
        const bool isQuote = c == '\'' || c == '"';
        if (isQuote && before)
            return true;
        before = isQuote || (before && QByteArray(" ,+$\t\r\n").contains(c)) ? '\'' : char(0);
    }
    return QByteArray("'\" ,+$\t\r\n").contains(text[0]);
}

inline const std::vector<Form> &all()
{
    using Bytes = const QByteArray &;
    static const std::vector<Form> list{
        {"itself", [](Bytes v) { return v; }},
        {"hex", [](Bytes v) { return v.toHex(); }},
        {"upper hex", [](Bytes v) { return v.toHex().toUpper(); }},
        {"wrapped hex", [](Bytes v) { return lines(v.toHex(), 30, "\n"); }},
        {"Buffer of Node", [](Bytes v) { return listed(v, "%02x", " "); }},
        {"hex, colons", [](Bytes v) { return v.toHex(':'); }},
        {"upper hex, dashes", [](Bytes v) { return v.toHex('-').toUpper(); }},
        {"C array", [](Bytes v) { return listed(v, "0x%02x", ", ").mid(2); }},
        {"C array, a line each", [](Bytes v) { return listed(v, "0X%02X", ",\n        ").mid(2); }},
        {"dump in groups", [](Bytes v) { return lines(v.toHex(), 4, " "); }},
        {"list of bytes", [](Bytes v) { return listed(v, "%u", ", "); }},
        {"narrow list of bytes", [](Bytes v) { return listed(v, "%u", ","); }},
        {"aligned bytes", [](Bytes v) { return listed(v, "%3u", " ").trimmed(); }},
        {"bytes by line", [](Bytes v) { return listed(v, "%u", ",\n  "); }},
        {"code units", [](Bytes v) { return byUnit(v, [](char16_t c) { return printed("%u, ", c); }).chopped(2); }},
        {"code points",
         [](Bytes v) { return byCharacter(v, [](char32_t c) { return printed("%u, ", c); }).chopped(2); }},
        {"all \\x", [](Bytes v) { return listed(v, "\\x%02x", ""); }},
        {"all \\X", [](Bytes v) { return listed(v, "\\x%02X", ""); }},
        {"all octal", [](Bytes v) { return listed(v, "\\%03o", ""); }},
        {"all \\u", [](Bytes v) { return byUnit(v, [](char16_t c) { return printed("\\u%04x", c); }); }},
        {"all \\u, upper", [](Bytes v) { return byUnit(v, [](char16_t c) { return printed("\\u%04X", c); }); }},
        {"all \\u{}", [](Bytes v) { return byCharacter(v, [](char32_t c) { return printed("\\u{%x}", c); }); }},
        {"all \\U", [](Bytes v) { return byCharacter(v, [](char32_t c) { return printed("\\U%08X", c); }); }},
        {"escapes of JavaScript",
         [](Bytes v) {
             return byUnit(v, [](char16_t c) {
                 return isPlain(c) ? QByteArray(1, char(c)) : printed(c < 0x100 ? "\\x%02X" : "\\u%04X", c);
             });
         }},
        {"JSON",
         [](Bytes v) {
             return byUnit(v, [](char16_t c) {
                 if (c == '"' || c == '\\' || c == '/')
                     return '\\' + QByteArray(1, char(c));
                 return c < 0x20 || c > 0x7e ? printed("\\u%04x", c) : QByteArray(1, char(c));
             });
         }},
        {"repr of Python", [](Bytes v) { return pythonRepr(v, false, false); }},
        {"ascii of Python", [](Bytes v) { return pythonRepr(v, true, false); }},
        {"names of Python",
         [](Bytes v) {
             qsizetype ascii = 0;
             for (const char c : v)
                 ascii += uchar(c) < 0x80;
             const bool hasForm = ascii >= 2 && characters(v).size() >= 8;
             return hasForm ? pythonRepr(v, true, true) : QByteArray();
         }},
        {"$'' of bash", [](Bytes v) { return bashQuoted(v); }},
        {"printf %q",
         [](Bytes v) {
             QByteArray out;
             for (const char c : v) {
                 if (uchar(c) < 0x20 || c == 0x7f)
                     return QByteArray(); // in $''
                 out += (uchar(c) < 0x80 && !std::isalnum(uchar(c)) ? QByteArray("\\") : QByteArray()) + c;
             }
             return out;
         }},
        {"single quotes", [](Bytes v) { return looksJoined(v) ? QByteArray() : QByteArray(v).replace("'", "'\\''"); }},
        {"double in single quotes",
         [](Bytes v) { return looksJoined(v) ? QByteArray() : QByteArray(v).replace("'", "'\"'\"'"); }},
        {"ls",
         [](Bytes v) { return looksJoined(v) || v.contains('"') || v.contains('\\') ? QByteArray() : coreutils(v); }},
        {"pieces of strings",
         [](Bytes v) {
             const QString text = QString::fromUtf8(v);
             if (text.size() < 8)
                 return QByteArray();
             const qsizetype cut = text[5].isLowSurrogate() ? 6 : 5;
             return looksJoined(v) || text[cut - 1] == QLatin1Char('"')
                        ? QByteArray()
                        : pythonRepr(text.left(cut).toUtf8(), false, false) + "' +\n    '"
                              + pythonRepr(text.mid(cut).toUtf8(), false, false);
         }},
        {"list of characters",
         [](Bytes v) {
             return looksJoined(v) || v.contains('"') ? QByteArray()
                                                      : byCharacter(v, [](char32_t c) {
                                                            return pythonRepr(utf8(c), false, false) + "', '";
                                                        }).chopped(4);
         }},
        {"URL", [](Bytes v) { return v.toPercentEncoding(); }},
        {"full URL", [](Bytes v) { return listed(v, "%%%02x", ""); }},
        {"escape() of JavaScript",
         [](Bytes v) {
             return byUnit(v, [](char16_t c) {
                 return c < 0x80 && std::isalnum(c) ? QByteArray(1, char(c))
                                                    : printed(c < 0x100 ? "%%%02X" : "%%u%04X", c);
             });
         }},
        {"HTML",
         [](Bytes v) {
             return byCharacter(v, [](char32_t c) {
                 return c == '&'    ? QByteArray("&amp;")
                        : c == '<'  ? QByteArray("&lt;")
                        : c == '>'  ? QByteArray("&gt;")
                        : c == '"'  ? QByteArray("&quot;")
                        : c == '\'' ? QByteArray("&#x27;")
                        : c < 0x80  ? QByteArray(1, char(c))
                                    : printed("&#%u;", c);
             });
         }},
        {"all of HTML", [](Bytes v) { return byCharacter(v, [](char32_t c) { return printed("&#x%X;", c); }); }},
        {"mail", quotedPrintable},
        {"base64", [](Bytes v) { return v.toBase64(QByteArray::OmitTrailingEquals); }},
        {"UTF-16LE", [](Bytes v) { return utf16(v, false); }, 1},
        {"UTF-16BE", [](Bytes v) { return utf16(v, true); }, 1},
        {"hex of UTF-16LE", [](Bytes v) { return utf16(v, false).toHex(); }, 2},
        {"hex of UTF-16BE", [](Bytes v) { return utf16(v, true).toHex(); }, 2},
        {"bytes of UTF-16LE", [](Bytes v) { return listed(utf16(v, false), "%02x", " "); }, 3},
        {"base64 of UTF-16LE", [](Bytes v) { return utf16(v, false).toBase64(QByteArray::OmitTrailingEquals); }, 2},
        {"base64 of UTF-16BE", [](Bytes v) { return utf16(v, true).toBase64(QByteArray::OmitTrailingEquals); }, 2},
        {"Latin-1", latin1},
        {"hex of Latin-1", [](Bytes v) { return latin1(v).toHex(); }},
        {"btoa", [](Bytes v) { return latin1(v).toBase64(QByteArray::OmitTrailingEquals); }},
        {"read as Latin-1", [](Bytes v) { return QString::fromLatin1(v).toUtf8(); }},
        {"composed", [](Bytes v) { return QString::fromUtf8(v).normalized(QString::NormalizationForm_C).toUtf8(); }},
        {"decomposed", [](Bytes v) { return QString::fromUtf8(v).normalized(QString::NormalizationForm_D).toUtf8(); }},
        {"hex of decomposed",
         [](Bytes v) { return QString::fromUtf8(v).normalized(QString::NormalizationForm_D).toUtf8().toHex(); }},
        {"upper case", [](Bytes v) { return QString::fromUtf8(v).toUpper().toUtf8(); }},
        {"lower case", [](Bytes v) { return QString::fromUtf8(v).toLower().toUtf8(); }},
        {"JSON of upper case", [](Bytes v) { return json(QString::fromUtf8(v).toUpper().toUtf8(), true); }},
        {"CESU-8",
         [](Bytes v) {
             return byUnit(v, [](char16_t c) {
                 const QByteArray pair =
                     QByteArray(1, char(0xe0 | c >> 12)) + char(0x80 | (c >> 6 & 63)) + char(0x80 | (c & 63));
                 return QChar::isSurrogate(c) ? pair : utf8(c);
             });
         }},
        {"JSON in JSON", [](Bytes v) { return json(json(v, false), true); }},
        {"JSON of Python in JSON", [](Bytes v) { return json(json(v, true), false); }},
        {"JSON in base64", [](Bytes v) { return json(v, true).toBase64(QByteArray::OmitTrailingEquals); }},
        {"JSON in a URL", [](Bytes v) { return json(v, false).toPercentEncoding(); }},
        {"JSON in repr of Python", [](Bytes v) { return pythonRepr(json(v, true), true, false); }},
        {"unicode_escape in repr of Python", [](Bytes v) { return pythonRepr(unicodeEscape(v), true, false); }},
        {"URL in a URL", [](Bytes v) { return v.toPercentEncoding().toPercentEncoding(); }},
        {"URL of Python in a URL", [](Bytes v) { return v.toPercentEncoding("/").toPercentEncoding(); }},
        {"URL of JavaScript in HTML", [](Bytes v) { return v.toPercentEncoding("!*'()").replace("'", "&#39;"); }},
        {"padded bytes", [](Bytes v) { return listed(v, "%03u", " "); }},
    };
    return list;
}

inline const QByteArray letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./+=";

inline QByteArray randomBytes(QRandomGenerator &random, qsizetype size, const QByteArray &alphabet)
{
    QByteArray out(size, '\0');
    for (char &c : out)
        c = alphabet[random.bounded(int(alphabet.size()))];
    return out;
}

// Characters of all of Unicode; those of ASCII are as many as the others.
inline QByteArray randomText(QRandomGenerator &random, qsizetype characters, char32_t limit)
{
    QByteArray out;
    while (characters > 0) {
        const char32_t c = random.bounded(2) ? 0x20 + random.bounded(0x5f) : random.bounded(quint32(limit));
        const bool isEnd = out.isEmpty() || characters == 1;
        if (c == 0 || c == '\r' || (c >= 0xd800 && c < 0xe000) || (isEnd && QChar::isSpace(c)))
            continue;
        out += QString::fromUcs4(&c, 1).toUtf8();
        --characters;
    }
    return out;
}

} // namespace glovebox::forms
