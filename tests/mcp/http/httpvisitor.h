// SPDX-License-Identifier: Apache-2.0
// A client of Streamable HTTP that may say anything: the bytes are the test's own.
#pragma once

#include "engine/base/base.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <utility>

namespace glovebox {

struct HttpReply
{
    int status = 0; // 0: there is no answer
    QByteArray head, body;

    QJsonObject json() const { return QJsonDocument::fromJson(body).object(); }
    int error() const { return json()[u"error"][QStringLiteral("code")].toInt(); }
    QString sentence() const { return json()[u"error"][QStringLiteral("message")].toString(); }
    QByteArray field(const QByteArray &name) const
    {
        for (const QByteArray &line : head.split('\n')) {
            if (line.toLower().startsWith(name.toLower() + ": "))
                return line.sliced(name.size() + 2).trimmed();
        }
        return {};
    }
};

class HttpVisitor
{
public:
    static inline const QByteArray usual =
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "Authorization: Bearer right\r\n";

    explicit HttpVisitor(UniqueFd socket)
        : m_socket(std::move(socket))
    {
    }
    explicit HttpVisitor(quint16 port)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(m_socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
            m_socket.reset();
    }
    explicit HttpVisitor(const QString &path)
        : m_socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, QFile::encodeName(path).constData(), sizeof address.sun_path);
        if (::connect(m_socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
            m_socket.reset();
    }

    bool isConnected() const { return bool(m_socket); }
    bool trySend(const QByteArray &bytes) const
    {
        qsizetype sent = 0;
        while (sent < bytes.size()) {
            const ssize_t count =
                ::send(m_socket.get(), bytes.constData() + sent, size_t(bytes.size() - sent), MSG_NOSIGNAL);
            if (count <= 0)
                return false;
            sent += count;
        }
        return true;
    }
    void send(const QByteArray &bytes) const { QVERIFY(trySend(bytes)); }

    void post(const QByteArray &body, const QByteArray &fields = usual, const QByteArray &host = "127.0.0.1:1234") const
    {
        send("POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n" + fields
             + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body);
    }

    // One answer that is whole, within so many milliseconds of silence.
    HttpReply receive(int patience = 10'000)
    {
        HttpReply reply;
        qsizetype end = -1;
        while ((end = m_bytes.indexOf("\r\n\r\n")) < 0) {
            if (!readMore(patience))
                return reply;
        }
        reply.head = m_bytes.first(end);
        reply.status = reply.head.mid(9, 3).toInt();
        m_bytes.remove(0, end + 4);
        if (reply.field("Transfer-Encoding") == "chunked") {
            while (!m_bytes.contains("\r\n0\r\n\r\n") && readMore(patience)) { }
            reply.body = std::exchange(m_bytes, {});
            return reply;
        }
        const qsizetype length = reply.field("Content-Length").toInt();
        while (m_bytes.size() < length && readMore(patience)) { }
        reply.body = m_bytes.first(std::min(length, m_bytes.size()));
        m_bytes.remove(0, reply.body.size());
        return reply;
    }

    HttpReply exchange(const QByteArray &body, const QByteArray &fields = usual,
                       const QByteArray &host = "127.0.0.1:1234", int patience = 10'000)
    {
        post(body, fields, host);
        return receive(patience);
    }
    // What comes holds this text, before so many milliseconds of silence.
    bool sees(const QByteArray &text, int patience = 10'000)
    {
        while (!m_bytes.contains(text)) {
            if (!readMore(patience))
                return false;
        }
        return true;
    }
    // The server ends the connection, before so many milliseconds of silence.
    bool isEnded(int patience = 10'000)
    {
        while (readMore(patience)) { }
        pollfd wait{m_socket.get(), POLLIN, 0};
        char byte = 0;
        return ::poll(&wait, 1, 0) > 0 && ::recv(m_socket.get(), &byte, 1, MSG_DONTWAIT) <= 0;
    }
    void hangUp() { m_socket.reset(); }

private:
    bool readMore(int patience)
    {
        pollfd wait{m_socket.get(), POLLIN, 0};
        char piece[65536];
        if (::poll(&wait, 1, patience) <= 0)
            return false;
        const ssize_t count = ::recv(m_socket.get(), piece, sizeof piece, 0);
        if (count > 0)
            m_bytes.append(piece, count);
        return count > 0;
    }

    UniqueFd m_socket;
    QByteArray m_bytes;
};

} // namespace glovebox
