// SPDX-License-Identifier: Apache-2.0
// Lines of a client of MCP: they are the same in whatever pieces they come, and each answer to them is one line of JSON that names
// the request as it was named.
#include "engine/mcp/mcp.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <cassert>
#include <cstdint>

using namespace glovebox;
using namespace glovebox::mcp;

namespace {

class Checker : public Outlet
{
public:
    void send(const QByteArray &message, Sending /*what*/) override
    {
        assert(!message.contains('\n') && QByteArrayView(message).isValidUtf8());
        assert(!QJsonDocument::fromJson(message).isNull());
    }
};

std::vector<Answer<QByteArray>> linesOf(QByteArrayView bytes, qsizetype step)
{
    LineReader reader;
    std::vector<Answer<QByteArray>> lines;
    for (qsizetype at = 0; at < bytes.size(); at += step) {
        reader.feed(bytes.sliced(at, std::min(step, bytes.size() - at)));
        while (auto line = reader.next())
            lines.push_back(*std::move(line));
    }
    return lines;
}

Server &server()
{
    static Server server({.name = QStringLiteral("fuzz"), .version = QStringLiteral("1")},
                         [] { return fail(ErrorCode::Unavailable, "There is no engine here.", {}); });
    return server;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    const auto lines = linesOf(bytes, bytes.size() + 1);
    assert(lines == linesOf(bytes, 1) && lines == linesOf(bytes, 7));

    static Client client{Caller{}};
    mcp::Connection connection(server(), client);
    const auto checker = std::make_shared<Checker>();
    for (const Answer<QByteArray> &line : lines) {
        const MessageText read = readMessage(*line);
        assert(!read.messages.empty());
        for (const Answer<Message> &message : read.messages) {
            if (!message || message->kind == Message::Kind::Notification)
                continue;
            const QByteArray echoed = resultText(message->id, {});
            assert(QJsonDocument::fromJson(echoed).object().value(QLatin1StringView("id")) == message->id.value);
        }
        connection.receive(read, line->size(), checker);
    }
    return 0;
}
