// SPDX-License-Identifier: Apache-2.0
#include "requestheaders.h"

#include "engine/mcp/protocol/wire/revision.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

bool isLocal(const network::Host &host)
{
    return host.text == "localhost" || host.text == "127.0.0.1" || host.text == "::1";
}

bool isLocalOrigin(QByteArrayView origin)
{
    for (const QByteArrayView scheme : {QByteArrayView("http://"), QByteArrayView("https://")}) {
        if (!origin.startsWith(scheme))
            continue;
        QByteArrayView host = origin.sliced(scheme.size());
        const qsizetype colon = host.lastIndexOf(':');
        if (colon >= 0 && !host.endsWith(']'))
            host = host.first(colon);
        const auto known = network::canonicalHost(std::string_view(host.data(), size_t(host.size())));
        return known && isLocal(*known);
    }
    return false;
}

// "=?base64?...?=" is how names that aren't plain ASCII are sent.
std::optional<QString> decoded(const QByteArray &value)
{
    if (!value.startsWith("=?base64?") || !value.endsWith("?="))
        return QString::fromUtf8(value);
    const auto bytes =
        QByteArray::fromBase64Encoding(value.sliced(9, value.size() - 11), QByteArray::AbortOnBase64DecodingErrors);
    if (!bytes)
        return std::nullopt;
    return QString::fromUtf8(*bytes);
}

} // namespace

std::optional<QByteArray> fieldOf(const network::HttpRequest &request, std::string_view name)
{
    std::optional<QByteArray> value;
    for (const network::HttpField &field : request.fields) {
        if (network::sameIgnoringCase(field.name, name))
            value = QByteArray::fromStdString(field.value);
    }
    return value;
}

bool isOfThisMachine(const network::HttpRequest &request)
{
    return isLocal(request.host) && std::ranges::all_of(request.fields, [](const network::HttpField &field) {
               return !network::sameIgnoringCase(field.name, "Origin")
                      || isLocalOrigin(QByteArray::fromStdString(field.value));
           });
}

QByteArray bearerToken(const network::HttpRequest &request)
{
    const QByteArray value = fieldOf(request, "Authorization").value_or(QByteArray());
    return value.left(7).toLower() == "bearer " ? value.sliced(7).trimmed() : QByteArray();
}

bool acceptsBoth(const network::HttpRequest &request)
{
    const QByteArray accept = fieldOf(request, "Accept").value_or(QByteArray()).toLower();
    return accept.contains("*/*") || (accept.contains("application/json") && accept.contains("text/event-stream"));
}

bool isJson(const network::HttpRequest &request)
{
    const QByteArray type = fieldOf(request, "Content-Type").value_or(QByteArray());
    return type.split(';').first().trimmed().toLower() == "application/json";
}

bool isStateless(const network::HttpRequest &request, const MessageText &read)
{
    const auto &first = read.messages.front();
    if (!read.isBatch && first && first->meta().contains(u"io.modelcontextprotocol/protocolVersion"_s))
        return true;
    const auto version = fieldOf(request, "MCP-Protocol-Version");
    const auto known = fromString<Revision>(QString::fromUtf8(version.value_or(QByteArray())));
    return known && !hasHandshake(*known);
}

std::optional<ProtocolError> mismatch(const network::HttpRequest &request, const Message &message)
{
    const auto fault = [&](const char *field, const QString &reason) {
        return ProtocolError{
            ErrorNumber::headerMismatch, u"The header %1 %2."_s.arg(QLatin1StringView(field), reason), {}, message.id};
    };
    const auto compare = [&](const char *field, const QString &inBody) -> std::optional<ProtocolError> {
        const auto value = fieldOf(request, field);
        if (!value)
            return fault(field, u"is missing"_s);
        if (decoded(*value) != inBody)
            return fault(field, u"says something else than the message"_s);
        return {};
    };
    const QJsonValue version = message.meta().value(u"io.modelcontextprotocol/protocolVersion"_s);
    if (version.isString()) {
        if (auto wrong = compare("MCP-Protocol-Version", version.toString()))
            return wrong;
    }
    if (auto wrong = compare("Mcp-Method", message.method))
        return wrong;
    // What revisions with these headers have no more is told as that.
    static const QStringList ofTasks{u"tasks/get"_s, u"tasks/update"_s, u"tasks/cancel"_s};
    const QString key = message.method == u"tools/call" || message.method == u"prompts/get" ? u"name"_s
                        : message.method == u"resources/read"                               ? u"uri"_s
                        : ofTasks.contains(message.method)                                  ? u"taskId"_s
                                                                                            : QString();
    if (!key.isEmpty() && message.params.value(key).isString())
        return compare("Mcp-Name", message.params.value(key).toString());
    return {};
}

} // namespace glovebox::mcp
