// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QStringDecoder>

#include <cmath>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr QByteArrayView byteOrderMark = "\xEF\xBB\xBF"; // of UTF-8, as Windows programs write it
constexpr double wholeMax = 9007199254740991; // 2^53 - 1: beyond it JavaScript's numbers are not exact

bool isUtf8(QByteArrayView text)
{
    return text.isValidUtf8();
}

// Walks over JSON that is known to be valid.
class JsonWalker
{
public:
    explicit JsonWalker(QByteArrayView text)
        : m_text(text)
    {
    }

    bool atEnd() const { return m_at >= m_text.size(); }
    char peek()
    {
        skipBlanks();
        return atEnd() ? '\0' : m_text[m_at];
    }
    void step() { ++m_at; }

    // One whole value, as it is written.
    QByteArrayView value()
    {
        const char first = peek();
        const qsizetype begin = m_at;
        if (first == '"')
            skipString();
        else if (first == '{' || first == '[')
            skipNested();
        else
            while (!atEnd() && !isEndOfScalar(m_text[m_at]))
                ++m_at;
        return m_text.sliced(begin, m_at - begin);
    }

private:
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    static bool isEndOfScalar(char c) { return c == ',' || c == '}' || c == ']' || isBlank(c); }

    void skipBlanks()
    {
        while (!atEnd() && isBlank(m_text[m_at]))
            ++m_at;
    }

    void skipString()
    {
        for (++m_at; !atEnd() && m_text[m_at] != '"'; ++m_at) {
            if (m_text[m_at] == '\\')
                ++m_at;
        }
        ++m_at;
    }

    void skipNested()
    {
        for (qsizetype depth = 0; !atEnd();) {
            const char c = m_text[m_at];
            if (c == '"') {
                skipString();
                continue;
            }
            ++m_at;
            if (c == '{' || c == '[')
                ++depth;
            else if ((c == '}' || c == ']') && --depth == 0)
                return;
        }
    }

    QByteArrayView m_text;
    qsizetype m_at = 0;
};

QString stringOf(QByteArrayView json)
{
    return QJsonDocument::fromJson('[' + json.toByteArray() + ']').array().at(0).toString();
}

// What QJsonObject doesn't keep: the id as it was written, and whether a key is there twice.
struct Envelope
{
    QByteArray id;
    QString twice; // a key
};

Envelope envelopeOf(QByteArrayView object)
{
    Envelope envelope;
    QStringList keys;
    JsonWalker walker(object);
    walker.peek();
    walker.step(); // {
    while (walker.peek() == '"') {
        const QString key = stringOf(walker.value());
        if (keys.contains(key))
            envelope.twice = key;
        else if (keys.size() < 16) // a message has five
            keys.append(key);
        walker.peek();
        walker.step(); // :
        const QByteArrayView value = walker.value();
        if (key == u"id")
            envelope.id = value.toByteArray();
        if (walker.peek() == ',')
            walker.step();
    }
    return envelope;
}

bool isWhole(const QJsonValue &value)
{
    const double number = value.toDouble();
    return value.isDouble() && std::abs(number) <= wholeMax && std::floor(number) == number;
}

Answer<Message> readObject(QByteArrayView text, const QJsonObject &object)
{
    const Envelope envelope = envelopeOf(text);
    Message message;
    std::optional<MessageId> id;
    const auto invalid = [&id](int code, QString sentence) {
        return std::unexpected(ProtocolError{code, std::move(sentence), {}, id});
    };
    const QJsonValue written = object.value(u"id"_s);
    // The other side couldn't read something of ours. An answer to that would be answered in turn, for ever.
    const bool isNamelessError = !object.contains(u"method"_s) && !object.contains(u"result"_s)
                                 && object.value(u"error"_s).isObject() && (written.isNull() || written.isUndefined());
    if (object.contains(u"id"_s) && !isNamelessError) {
        if (!written.isString() && !isWhole(written))
            return invalid(ErrorNumber::invalidRequest, u"The id of a request is a string or a whole number."_s);
        if (envelope.id.size() > 1024)
            return invalid(ErrorNumber::invalidRequest, u"The id of a request has at most 1024 bytes."_s);
        id = MessageId{envelope.id, written};
    }
    if (!envelope.twice.isEmpty())
        return invalid(ErrorNumber::invalidRequest, u"The message has a key twice. Send each once."_s);
    if (object.value(u"jsonrpc"_s) != u"2.0"_s)
        return invalid(ErrorNumber::invalidRequest, u"The message lacks \"jsonrpc\":\"2.0\"."_s);

    if (!object.contains(u"method"_s)) {
        if ((!id && !isNamelessError) || object.contains(u"result"_s) == object.contains(u"error"_s))
            return invalid(ErrorNumber::invalidRequest, u"The message has no method and no result."_s);
        message.kind = Message::Kind::Response;
        if (id)
            message.id = *id;
        message.result = object.value(u"result"_s).toObject();
        if (object.contains(u"error"_s)) {
            const QJsonObject error = object.value(u"error"_s).toObject();
            message.error = ProtocolError{error.value(u"code"_s).toInt(), error.value(u"message"_s).toString(), {}, id};
        }
        return message;
    }
    if (!object.value(u"method"_s).isString())
        return invalid(ErrorNumber::invalidRequest, u"The method of a message is a string."_s);
    message.method = object.value(u"method"_s).toString();
    const QJsonValue params = object.value(u"params"_s);
    if (!params.isUndefined() && !params.isObject())
        return invalid(ErrorNumber::invalidParams, u"The params of a message are an object."_s);
    const QJsonValue meta = params.toObject().value(u"_meta"_s);
    if (!meta.isUndefined() && !meta.isObject())
        return invalid(ErrorNumber::invalidParams, u"The _meta of params is an object."_s);
    message.params = params.toObject();
    message.kind = id ? Message::Kind::Request : Message::Kind::Notification;
    if (id)
        message.id = *id;
    return message;
}

// The parts of a batch as they are written.
std::vector<QByteArrayView> elementsOf(QByteArrayView array)
{
    std::vector<QByteArrayView> elements;
    JsonWalker walker(array);
    walker.peek();
    walker.step(); // [
    while (walker.peek() != ']' && !walker.atEnd()) {
        const QByteArrayView value = walker.value();
        if (value.isEmpty()) // not the text that was parsed
            return {};
        elements.push_back(value);
        if (walker.peek() == ',')
            walker.step();
    }
    return elements;
}

QByteArray compact(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

} // namespace

QJsonObject Message::meta() const
{
    return params.value(u"_meta"_s).toObject();
}

MessageText readMessage(QByteArrayView text)
{
    const auto only = [](int code, QString sentence) {
        return MessageText{false, {refuse(code, std::move(sentence))}};
    };
    if (text.size() > messageMax)
        return only(ErrorNumber::invalidRequest, u"The message is larger than 4 MB. Send less at once."_s);
    if (!isUtf8(text))
        return only(ErrorNumber::parse, u"The message is not valid UTF-8."_s);
    if (text.startsWith(byteOrderMark)) // QJsonDocument passes over it, and JsonWalker must read the same text
        text = text.sliced(byteOrderMark.size());
    if (text.startsWith(byteOrderMark)) // which QJsonDocument would pass over, too
        return only(ErrorNumber::parse, u"The message is not valid JSON: it begins with two byte order marks."_s);
    QJsonParseError fault;
    const QJsonDocument document = QJsonDocument::fromJson(text.toByteArray(), &fault);
    // QJsonDocument takes objects and arrays only, and other values are JSON, too.
    if (fault.error != QJsonParseError::NoError
        && QJsonDocument::fromJson('[' + text.toByteArray() + ']').array().size() == 1)
        return only(ErrorNumber::invalidRequest, u"A message is an object."_s);
    if (fault.error != QJsonParseError::NoError)
        return only(ErrorNumber::parse,
                    u"The message is not valid JSON: %1 at byte %2."_s.arg(fault.errorString()).arg(fault.offset));
    if (document.isObject())
        return {false, {readObject(text, document.object())}};
    const QJsonArray array = document.array();
    if (array.isEmpty())
        return only(ErrorNumber::invalidRequest, u"A batch has at least one message."_s);
    if (array.size() > batchMax)
        return only(ErrorNumber::invalidRequest, u"A batch has at most %1 messages."_s.arg(batchMax));
    MessageText batch{true, {}};
    const std::vector<QByteArrayView> elements = elementsOf(text);
    if (std::ssize(elements) != array.size())
        return only(ErrorNumber::parse, u"The message is not valid JSON."_s);
    for (qsizetype i = 0; i < array.size(); ++i) {
        if (array[i].isObject())
            batch.messages.push_back(readObject(elements[size_t(i)], array[i].toObject()));
        else
            batch.messages.emplace_back(
                refuse(ErrorNumber::invalidRequest, u"Each message of a batch is an object."_s));
    }
    return batch;
}

void LineReader::feed(QByteArrayView bytes)
{
    if (m_start > 0) {
        m_bytes.remove(0, m_start);
        m_looked -= m_start;
        m_start = 0;
    }
    m_bytes.append(bytes);
}

std::optional<Answer<QByteArray>> LineReader::next()
{
    for (;;) {
        const qsizetype end = m_bytes.indexOf('\n', m_looked);
        if (end < 0) {
            m_looked = m_bytes.size();
            const bool isTooLong = m_bytes.size() - m_start > messageMax + 1; // a \r may be its last
            if (isTooLong || m_isDropping)
                m_start = m_bytes.size();
            if (!isTooLong || m_isDropping)
                return {};
            m_isDropping = true;
            return refuse(ErrorNumber::invalidRequest, u"The message is larger than 4 MB. Send less at once."_s);
        }
        QByteArrayView line = QByteArrayView(m_bytes).sliced(m_start, end - m_start);
        m_start = m_looked = end + 1;
        if (m_isDropping) { // told already
            m_isDropping = false;
            continue;
        }
        if (line.endsWith('\r'))
            line.chop(1);
        if (line.size() > messageMax)
            return refuse(ErrorNumber::invalidRequest, u"The message is larger than 4 MB. Send less at once."_s);
        if (!line.trimmed().isEmpty())
            return line.toByteArray();
    }
}

QByteArray resultText(const MessageId &id, const QJsonObject &result)
{
    return R"({"jsonrpc":"2.0","id":)" + id.json + R"(,"result":)" + compact(result) + '}';
}

QByteArray errorText(const ProtocolError &error, bool saysNull)
{
    QJsonObject object{{u"code"_s, error.code}, {u"message"_s, error.message}};
    if (!error.data.isEmpty())
        object[u"data"_s] = error.data;
    const QByteArray id = error.id ? R"("id":)" + error.id->json + ',' : saysNull ? R"("id":null,)"_ba : QByteArray();
    return R"({"jsonrpc":"2.0",)" + id + R"("error":)" + compact(object) + '}';
}

QByteArray notificationText(const QString &method, const QJsonObject &params)
{
    return compact({{u"jsonrpc"_s, u"2.0"_s}, {u"method"_s, method}, {u"params"_s, params}});
}

QByteArray requestText(qint64 id, const QString &method, const QJsonObject &params)
{
    return compact({{u"jsonrpc"_s, u"2.0"_s}, {u"id"_s, id}, {u"method"_s, method}, {u"params"_s, params}});
}

} // namespace glovebox::mcp
