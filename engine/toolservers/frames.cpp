// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <QJsonDocument>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int methodNotFound = -32601; // JSON-RPC 2.0, section 5.1

} // namespace

QByteArray compact(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QJsonValue valueOf(const QJsonObject &result)
{
    if (const QJsonValue structured = result[u"structuredContent"_s]; structured.isObject())
        return structured;
    const QJsonArray content = result[u"content"_s].toArray();
    QStringList texts;
    for (const auto item : content) {
        if (item[u"type"_s] != u"text"_s)
            return QJsonValue(content);
        texts.append(item[u"text"_s].toString());
    }
    return texts.join(u'\n');
}

QString textOf(const QJsonObject &result)
{
    const QJsonValue value = valueOf(result);
    return value.isString() ? value.toString() : QString::fromUtf8(compact({{u"value"_s, value}}));
}

std::optional<ToolRequest> toolRequestFrom(const QByteArray &bytes)
{
    const QJsonObject request = QJsonDocument::fromJson(bytes).object();
    const QJsonValue tool = request[u"tool"_s], arguments = request[u"arguments"_s];
    if (!tool.isString() || !arguments.isObject())
        return std::nullopt;
    return ToolRequest{tool.toString(), arguments.toObject()};
}

QList<QByteArray> ServerLines::feed(QByteArrayView piece)
{
    QList<QByteArray> lines;
    qsizetype begin = 0;
    for (qsizetype at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', begin)) {
        m_line += piece.sliced(begin, at - begin);
        lines.append(std::exchange(m_line, {}));
        begin = at + 1;
    }
    m_line += piece.sliced(begin);
    return lines;
}

Text brokenAnswerOf(const QString &server)
{
    return Text(QT_TRANSLATE_NOOP("engine", "The server %1 answered with a message that isn't valid JSON."), {server});
}

ServerMessage readServerLine(const QByteArray &line, qint64 lastId)
{
    if (!line.startsWith('{'))
        return {};
    QJsonParseError problem;
    const QJsonObject message = QJsonDocument::fromJson(line, &problem).object();
    if (problem.error != QJsonParseError::NoError && line.contains("\"jsonrpc\"") && !line.contains("\"method\""))
        return ServerAnswer{.id = ServerAnswer::nobodys, .result = {}, .error = u"no JSON"_s};
    const QJsonValue id = message[u"id"_s];
    if (message.contains(u"method"_s)) {
        if (id.isUndefined())
            return {}; // a notification
        // It may ask whether somebody is there, and for nothing else.
        QJsonObject answer{{u"id"_s, id}};
        if (message[u"method"_s] == u"ping"_s)
            answer[u"result"_s] = QJsonObject();
        else
            answer[u"error"_s] = QJsonObject{{u"code"_s, methodNotFound}, {u"message"_s, u"Method not found"_s}};
        return answer;
    }
    const qint64 number = id.toInteger(0);
    if (number < 1 || number > lastId)
        return {};
    ServerAnswer answer{.id = number, .result = message[u"result"_s].toObject(), .error = {}};
    if (!message[u"result"_s].isObject())
        answer.error = recordable(message[u"error"_s].toObject()[u"message"_s].toString(u"no result"_s));
    return answer;
}

} // namespace glovebox
