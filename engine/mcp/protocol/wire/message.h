// SPDX-License-Identifier: Apache-2.0
// One message of JSON-RPC 2.0 (jsonrpc.org/specification), read strictly, and lines as messages.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>

#include <expected>
#include <optional>
#include <vector>

namespace glovebox::mcp {

constexpr qint64 messageMax = 4 * 1024 * 1024; // bytes; code, files and output have smaller bounds of their own
constexpr int batchMax = 100; // messages

// The codes of JSON-RPC, and of the Model Context Protocol (2026-07-28, "Error Codes").
namespace ErrorNumber {
constexpr int parse = -32700;
constexpr int invalidRequest = -32600;
constexpr int methodNotFound = -32601;
constexpr int invalidParams = -32602;
constexpr int internal = -32603;
constexpr int resourceNotFound = -32002; // until 2025-11-25
constexpr int headerMismatch = -32020;
constexpr int missingCapability = -32021;
constexpr int unsupportedVersion = -32022;
} // namespace ErrorNumber

// A request's id. Answers repeat it as it was written; two are the same when their values are.
struct MessageId
{
    QByteArray json;
    QJsonValue value; // a string or a whole number

    // Equal for equal values: 1 and 1.0, but not "1".
    static QString keyOf(const QJsonValue &value)
    {
        return value.isString() ? u's' + value.toString() : QString::number(value.toDouble(), 'g', 17);
    }
    QString key() const { return keyOf(value); }

    bool operator==(const MessageId &other) const { return value == other.value; }
};

// What the answer to a wrong message says. message: a sentence that a model can act on.
struct ProtocolError
{
    int code = ErrorNumber::internal;
    QString message;
    QJsonObject data;
    std::optional<MessageId> id; // of the message, where it could be read

    bool operator==(const ProtocolError &) const = default;
};

template<typename T> using Answer = std::expected<T, ProtocolError>;

inline std::unexpected<ProtocolError> refuse(int code, QString message, QJsonObject data = {})
{
    return std::unexpected(ProtocolError{code, std::move(message), std::move(data), {}});
}

struct Message
{
    enum class Kind { Request, Notification, Response };
    Kind kind = Kind::Notification;
    MessageId id; // not of a notification, nor of an error about a message that the other side couldn't read
    QString method; // not of a response
    QJsonObject params; // missing ones are {}
    QJsonObject result; // of a response
    std::optional<ProtocolError> error; // of a response that is one

    QJsonObject meta() const; // params._meta
};

struct MessageText
{
    bool isBatch = false;
    std::vector<Answer<Message>> messages; // one, unless a batch
};

// text: at most messageMax bytes. Refuses what isn't UTF-8, isn't JSON, has a key of the message twice, or an id of a wrong type.
MessageText readMessage(QByteArrayView text);

// The messages of a stream: lines that end with \n, or \r\n. One thread.
class LineReader
{
public:
    // Nothing of bytes is kept twice. A line of more than messageMax bytes is dropped up to its end, and told once, as an error.
    void feed(QByteArrayView bytes);
    // The next line that is whole, without its end; empty lines are left out. Nothing: more bytes are needed.
    std::optional<Answer<QByteArray>> next();

private:
    QByteArray m_bytes; // from m_start on not yet given
    qsizetype m_start = 0;
    qsizetype m_looked = 0; // no end of line before here
    bool m_isDropping = false;
};

QByteArray resultText(const MessageId &id, const QJsonObject &result);
// saysNull: an id that couldn't be read is null, as JSON-RPC has it; else left out.
QByteArray errorText(const ProtocolError &error, bool saysNull);
QByteArray notificationText(const QString &method, const QJsonObject &params);
QByteArray requestText(qint64 id, const QString &method, const QJsonObject &params);

} // namespace glovebox::mcp
