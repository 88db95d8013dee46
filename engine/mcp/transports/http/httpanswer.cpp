// SPDX-License-Identifier: Apache-2.0
#include "httpanswer.h"

#include "engine/mcp/protocol/wire/message.h"

namespace glovebox::mcp {

namespace {

QByteArray reasonOf(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 302:
        return "Found";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 411:
        return "Length Required";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 503:
        return "Service Unavailable";
    default:
        return "Bad Request";
    }
}

} // namespace

QByteArray httpResponse(int status, const QByteArray &body, const QByteArray &moreFields, const QByteArray &type)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(status) + ' ' + reasonOf(status) + "\r\n" + moreFields;
    if (!body.isEmpty())
        head += "Content-Type: " + type + "\r\n";
    return head + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: "
           + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

HttpAnswer::HttpAnswer(Way way)
    : m_way(std::move(way))
{
}

HttpAnswer::~HttpAnswer()
{
    if (m_stage == Stage::Nothing) // a notification, or a call that was cancelled
        write(httpResponse(202, {}, m_way.fields));
    else if (m_stage == Stage::Stream)
        write("0\r\n\r\n");
    m_way.done(m_isWritable);
}

int HttpAnswer::statusOf(Sending what) const
{
    if (what.error == 0)
        return 200;
    if (!m_way.isStateless)
        return what.error == ErrorNumber::parse || what.error == ErrorNumber::invalidRequest ? 400 : 200;
    if (what.error == ErrorNumber::methodNotFound)
        return 404;
    return what.isRefusal || what.error == ErrorNumber::missingCapability ? 400 : 200;
}

void HttpAnswer::write(const QByteArray &bytes)
{
    if (m_isWritable && !m_way.write(bytes)) {
        m_isWritable = false;
        m_gone.request_stop();
    }
}

QByteArray HttpAnswer::chunk(const QByteArray &bytes)
{
    return QByteArray::number(bytes.size(), 16) + "\r\n" + bytes + "\r\n";
}

void HttpAnswer::send(const QByteArray &message, Sending what)
{
    const std::lock_guard lock(m_mutex);
    if (m_stage == Stage::Whole)
        return;
    if (m_stage == Stage::Nothing && what.kind == Sending::Kind::Response) {
        m_stage = Stage::Whole;
        return write(httpResponse(statusOf(what), message, m_way.fields));
    }
    QByteArray bytes;
    if (m_stage == Stage::Nothing)
        bytes = "HTTP/1.1 200 OK\r\n" + m_way.fields
                + "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Accel-Buffering: no\r\n"
                  "X-Content-Type-Options: nosniff\r\nTransfer-Encoding: chunked\r\n\r\n";
    m_stage = Stage::Stream;
    write(bytes + chunk("event: message\ndata: " + message + "\n\n"));
}

} // namespace glovebox::mcp
