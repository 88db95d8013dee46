// SPDX-License-Identifier: Apache-2.0
// The canonical writer and the strict reader.
#include "json.h"

#include "text/characters.h"

#include <QJsonArray>

#include <algorithm>
#include <limits>
#include <optional>

namespace glovebox {

namespace {

constexpr int maximumDepth = 64;
constexpr qint64 maximumInteger = (qint64(1) << 53) - 1;

// The short escapes (RFC 8259, section 7); "/" is read as one, and never written.
constexpr QByteArrayView escapeNames = "\"\\/bfnrt";
constexpr QStringView escapeMeanings = u"\"\\/\b\f\n\r\t";

std::unexpected<Error> invalid(const char *sentence, QStringList args = {})
{
    return fail(ErrorCode::InvalidInput, sentence, std::move(args));
}

class Writer
{
public:
    Status writeObject(const QJsonObject &object, int depth)
    {
        RETURN_IF_ERROR(checkDepth(depth));
        QStringList keys = object.keys();
        std::sort(keys.begin(),
                  keys.end()); // QString compares UTF-16 code units, which is the order that RFC 8785 wants
        m_text += '{';
        for (qsizetype i = 0; i < keys.size(); ++i) {
            if (i > 0)
                m_text += ',';
            RETURN_IF_ERROR(writeString(keys[i]));
            m_text += ':';
            RETURN_IF_ERROR(writeValue(object.value(keys[i]), depth));
        }
        m_text += '}';
        return {};
    }

    QByteArray take() { return std::move(m_text); }

private:
    static Status checkDepth(int depth)
    {
        if (depth <= maximumDepth)
            return {};
        return invalid(QT_TRANSLATE_NOOP("engine", "The data is nested more than 64 levels deep."));
    }

    Status writeArray(const QJsonArray &array, int depth)
    {
        RETURN_IF_ERROR(checkDepth(depth));
        m_text += '[';
        for (qsizetype i = 0; i < array.size(); ++i) {
            if (i > 0)
                m_text += ',';
            RETURN_IF_ERROR(writeValue(array.at(i), depth));
        }
        m_text += ']';
        return {};
    }

    Status writeValue(const QJsonValue &value, int depth)
    {
        switch (value.type()) {
        case QJsonValue::Null:
            m_text += "null";
            return {};
        case QJsonValue::Bool:
            m_text += value.toBool() ? "true" : "false";
            return {};
        case QJsonValue::Double:
            return writeNumber(value);
        case QJsonValue::String:
            return writeString(value.toString());
        case QJsonValue::Array:
            return writeArray(value.toArray(), depth + 1);
        case QJsonValue::Object:
            return writeObject(value.toObject(), depth + 1);
        case QJsonValue::Undefined:
            break;
        }
        return invalid(QT_TRANSLATE_NOOP("engine", "The data holds an undefined value."));
    }

    Status writeNumber(const QJsonValue &value)
    {
        // toInteger() gives the default for everything that is no whole number.
        const qint64 number = value.toInteger(std::numeric_limits<qint64>::min());
        if (number < -maximumInteger || number > maximumInteger)
            return invalid(QT_TRANSLATE_NOOP("engine", "The number %1 can't be recorded: only whole numbers from "
                                                       "-9007199254740991 to 9007199254740991 can."),
                           {QString::number(value.toDouble(), 'g', 17)});
        m_text += QByteArray::number(number);
        return {};
    }

    Status writeString(const QString &text)
    {
        m_text += '"';
        for (qsizetype i = 0; i < text.size(); ++i) {
            const QChar c = text[i];
            if (c.isSurrogate()) {
                const bool paired = c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
                if (!paired)
                    return invalid(
                        QT_TRANSLATE_NOOP("engine", "The data holds half a character (an unpaired surrogate)."));
                m_text += QStringView(text).sliced(i, 2).toUtf8();
                ++i;
            } else {
                writeCharacter(c);
            }
        }
        m_text += '"';
        return {};
    }

    void writeCharacter(QChar c)
    {
        const char16_t unit = c.unicode();
        const qsizetype escape = escapeMeanings.indexOf(c);
        if (escape >= 0 && unit != u'/') {
            m_text += '\\';
            m_text += escapeNames[escape];
            return;
        }
        if (unit < 0x20)
            m_text += "\\u" + QByteArray::number(unit, 16).rightJustified(4, '0');
        else if (unit < 0x80)
            m_text += char(unit);
        else
            m_text += QStringView(&c, 1).toUtf8();
    }

    QByteArray m_text;
};

// Recursive descent (RFC 8259); the depth limit bounds the recursion.
class Parser
{
public:
    explicit Parser(QByteArrayView text)
        : m_text(text)
    {
    }

    Result<QJsonObject> parse()
    {
        if (m_text.startsWith("\xef\xbb\xbf"))
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: remove the byte order mark."));
        skipSpace();
        if (peek() != '{')
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: an object, {...}, is expected here."));
        ASSIGN_OR_RETURN(QJsonObject object, parseObject(1));
        skipSpace();
        if (m_at < m_text.size())
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: nothing may follow the object."));
        return object;
    }

private:
    std::unexpected<Error> error(const char *source) const
    {
        const QByteArrayView before = m_text.first(std::min(m_at, m_text.size()));
        const qsizetype line = std::count(before.begin(), before.end(), '\n') + 1;
        const QByteArrayView onLine = before.sliced(before.lastIndexOf('\n') + 1);
        const qsizetype column =
            std::count_if(onLine.begin(), onLine.end(), [](char c) { return (uchar(c) & 0xc0) != 0x80; }) + 1;
        return invalid(source, {QString::number(line), QString::number(column)});
    }

    // 0 at the end; a NUL in the text is an error wherever it stands.
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    void skipSpace()
    {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
            ++m_at;
    }

    bool take(char c)
    {
        if (peek() != c)
            return false;
        ++m_at;
        return true;
    }

    Result<QJsonObject> parseObject(int depth)
    {
        if (depth > maximumDepth)
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: nested more than 64 levels deep."));
        ++m_at;
        QJsonObject object;
        skipSpace();
        if (take('}'))
            return object;
        for (;;) {
            skipSpace();
            const qsizetype keyAt = m_at;
            if (peek() != '"')
                return error(
                    QT_TRANSLATE_NOOP("engine", "Line %1, column %2: a name in double quotes is expected here."));
            ASSIGN_OR_RETURN(const auto key, parseString());
            if (object.contains(key)) {
                m_at = keyAt;
                return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: this name is there twice."));
            }
            skipSpace();
            if (!take(':'))
                return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: a colon is expected here."));
            ASSIGN_OR_RETURN(const auto value, parseValue(depth));
            object.insert(key, value);
            skipSpace();
            if (take('}'))
                return object;
            if (!take(','))
                return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: a comma or } is expected here."));
        }
    }

    Result<QJsonValue> parseArray(int depth)
    {
        if (depth > maximumDepth)
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: nested more than 64 levels deep."));
        ++m_at;
        QJsonArray array;
        skipSpace();
        if (take(']'))
            return array;
        for (;;) {
            ASSIGN_OR_RETURN(const auto value, parseValue(depth));
            array.append(value);
            skipSpace();
            if (take(']'))
                return array;
            if (!take(','))
                return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: a comma or ] is expected here."));
        }
    }

    Result<QJsonValue> parseValue(int depth)
    {
        skipSpace();
        const char c = peek();
        if (c == '{') {
            ASSIGN_OR_RETURN(auto object, parseObject(depth + 1));
            return QJsonValue(object);
        }
        if (c == '[')
            return parseArray(depth + 1);
        if (c == '"') {
            ASSIGN_OR_RETURN(auto text, parseString());
            return QJsonValue(text);
        }
        if (c == '-' || (c >= '0' && c <= '9'))
            return parseNumber();
        if (takeWord("true"))
            return QJsonValue(true);
        if (takeWord("false"))
            return QJsonValue(false);
        if (takeWord("null"))
            return QJsonValue(QJsonValue::Null);
        return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: a value is expected here."));
    }

    bool takeWord(QByteArrayView word)
    {
        if (!m_text.sliced(m_at).startsWith(word))
            return false;
        m_at += word.size();
        return true;
    }

    Result<QJsonValue> parseNumber()
    {
        const qsizetype start = m_at;
        const bool negative = take('-');
        const qsizetype digits = m_at;
        qint64 number = 0;
        for (; peek() >= '0' && peek() <= '9'; ++m_at)
            number = std::min(number * 10 + (peek() - '0'), maximumInteger + 1); // sticks there, can't overflow
        const char next = peek();
        const bool leadingZero = m_text[digits < m_text.size() ? digits : start] == '0' && m_at - digits > 1;
        const bool whole = m_at > digits && next != '.' && next != 'e' && next != 'E';
        const bool minusZero = negative && number == 0;
        if (!whole || leadingZero || minusZero || number > maximumInteger) {
            m_at = start;
            return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: only whole numbers from -9007199254740991 to "
                                                     "9007199254740991, written with digits alone, are allowed."));
        }
        return QJsonValue(negative ? -number : number);
    }

    Result<QString> parseString()
    {
        ++m_at;
        QString text;
        for (;;) {
            const qsizetype start = m_at;
            if (m_at >= m_text.size())
                return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: the closing double quote is missing."));
            while (m_at < m_text.size() && peek() != '"' && peek() != '\\' && uchar(peek()) >= 0x20) {
                const int length = utf8CharacterAt(m_text.sliced(m_at));
                if (length == 0)
                    return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: this is not valid UTF-8."));
                m_at += length;
            }
            text += QString::fromUtf8(m_text.sliced(start, m_at - start));
            if (take('"'))
                return text;
            if (m_at < m_text.size() && uchar(peek()) < 0x20)
                return error(QT_TRANSLATE_NOOP("engine",
                                               "Line %1, column %2: a control character must be written as an "
                                               "escape."));
            if (peek() == '\\')
                RETURN_IF_ERROR(parseEscape(text));
        }
    }

    Status parseEscape(QString &text)
    {
        const qsizetype start = m_at++;
        const qsizetype index = m_at < m_text.size() ? escapeNames.indexOf(peek()) : -1;
        if (index >= 0) {
            ++m_at;
            text += escapeMeanings[index];
            return {};
        }
        const auto first = take('u') ? parseHex() : std::nullopt;
        if (first && !QChar::isSurrogate(*first)) {
            text += QChar(*first);
            return {};
        }
        if (first && QChar::isHighSurrogate(*first) && takeWord("\\u")) {
            const auto second = parseHex();
            if (second && QChar::isLowSurrogate(*second)) {
                text += QChar(*first);
                text += QChar(*second);
                return {};
            }
        }
        m_at = start;
        return error(QT_TRANSLATE_NOOP("engine", "Line %1, column %2: this escape is not valid."));
    }

    std::optional<char16_t> parseHex()
    {
        if (m_text.size() - m_at < 4)
            return std::nullopt;
        unsigned unit = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = m_text[m_at + i];
            const char lower = char(c | 0x20);
            if (c >= '0' && c <= '9')
                unit = unit * 16 + unsigned(c - '0');
            else if (lower >= 'a' && lower <= 'f')
                unit = unit * 16 + unsigned(lower - 'a' + 10);
            else
                return std::nullopt;
        }
        m_at += 4;
        return char16_t(unit);
    }

    QByteArrayView m_text;
    qsizetype m_at = 0;
};

} // namespace

Result<QByteArray> canonicalJson(const QJsonObject &object)
{
    Writer writer;
    RETURN_IF_ERROR(writer.writeObject(object, 1));
    return writer.take();
}

Result<QJsonObject> parseStrictJson(QByteArrayView text)
{
    return Parser(text).parse();
}

QString textFromBytes(QByteArrayView bytes)
{
    QString text;
    while (!bytes.isEmpty()) {
        qsizetype valid = 0;
        while (const int length = utf8CharacterAt(bytes.sliced(valid)))
            valid += length;
        text += QString::fromUtf8(bytes.first(valid));
        bytes = bytes.sliced(valid);
        if (!bytes.isEmpty()) {
            text += QStringLiteral("\\x") + QString::number(uchar(bytes[0]), 16).rightJustified(2, u'0');
            bytes = bytes.sliced(1);
        }
    }
    return text;
}

} // namespace glovebox
