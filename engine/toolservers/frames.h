// SPDX-License-Identifier: Apache-2.0
// What is read of the two who mean ill: the request of a run, and the lines of a server. No processes, no sockets.
#pragma once

#include "toolservers.h"

#include <variant>

namespace glovebox {

struct ToolRequest
{
    QString tool; // as the run calls it
    QJsonObject arguments; // of two with one name the last

    bool operator==(const ToolRequest &) const = default;
};

// The bytes of one connection, up to its end. Nothing: they are no request.
std::optional<ToolRequest> toolRequestFrom(const QByteArray &bytes);

QByteArray compact(const QJsonObject &object);

// An answer to a request. Everything in it is the server's.
struct ServerAnswer
{
    static constexpr qint64 nobodys = 0; // a message that can't be read: whose answer it is can't be told, either

    qint64 id = nobodys;
    QJsonObject result;
    std::optional<QString> error; // instead of a result

    bool operator==(const ServerAnswer &) const = default;
};

// Of the result of a call: the structured content, else the text; where something else is among the content, all of it.
QJsonValue valueOf(const QJsonObject &result);
QString textOf(const QJsonObject &result);

// Cuts what a server writes into lines.
class ServerLines
{
public:
    static constexpr qint64 lineMax = 4 * mebibyte; // bytes

    // The lines that end in this piece.
    QList<QByteArray> feed(QByteArrayView piece);
    // The one that has not ended is too long.
    bool isTooLong() const { return m_line.size() > lineMax; }
    void clear() { m_line.clear(); }

private:
    QByteArray m_line; // that has not ended
};

// What one line of a server's is: nothing, an answer to one of the requests 1 to lastId, or a request, to which the object is the answer.
// Whatever isn't a message is nothing: servers print banners and logs between their messages, though the protocol forbids it, and the
// protocol's own clients pass them over. What was meant as an answer and isn't JSON (a NaN of Python's) is one of nobody's.
using ServerMessage = std::variant<std::monostate, ServerAnswer, QJsonObject>;
ServerMessage readServerLine(const QByteArray &line, qint64 lastId);

// A sentence for a call that such an answer ends.
Text brokenAnswerOf(const QString &server);

} // namespace glovebox
