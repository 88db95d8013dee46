// SPDX-License-Identifier: Apache-2.0
// What a browser does at an opened port of a job.
#pragma once

#include "engine/base/base.h"

#include <QRegularExpression>
#include <QTest>
#include <QUrl>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

// A connection of this machine; invalid: nobody listens, or not to who has so few hops (0: as any program). isMapped: by a socket of IPv6,
// as Java's programs have.
inline UniqueFd connectTo(int port, int hops = 0, uid_t user = ::geteuid(), bool isMapped = false)
{
    const int before = ::setfsuid(user); // whose a socket is, is who makes it; only root can be somebody else
    UniqueFd socket(::socket(isMapped ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::setfsuid(uid_t(before));
    if (isMapped) {
        sockaddr_in6 mapped{};
        mapped.sin6_family = AF_INET6;
        mapped.sin6_port = htons(quint16(port));
        if (::inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr) != 1
            || ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&mapped), sizeof mapped) != 0)
            socket.reset();
        return socket;
    }
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    if (hops > 0) {
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); // connect() keeps to it
        ::setsockopt(socket.get(), IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(quint16(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        socket.reset();
    return socket;
}

inline void send(const UniqueFd &connection, const QByteArray &bytes)
{
    QVERIFY(writeWhole(connection.get(), {bytes.constData(), std::size_t(bytes.size())}));
}

// What comes until enough is there, or the end, or nothing comes for so long.
inline QByteArray receive(const UniqueFd &connection, const QByteArray &enough = {}, int patienceMs = 15'000)
{
    QByteArray all;
    for (;;) {
        pollfd source{connection.get(), POLLIN, 0};
        char bytes[65536];
        const ssize_t count =
            ::poll(&source, 1, patienceMs) == 1 ? ::recv(connection.get(), bytes, sizeof bytes, 0) : 0;
        if (count <= 0)
            return all;
        all.append(bytes, count);
        if (!enough.isEmpty() && all.contains(enough))
            return all;
    }
}

// A page of the job, as a browser has it.
struct Page
{
    int port = 0; // on this machine
    QByteArray host; // with the port
    QByteArray query; // with the token
    QByteArray cookie;
    uid_t user = ::geteuid(); // of the browser
    bool isMapped = false; // its addresses are

    explicit Page(const QString &link)
    {
        const QUrl url(link);
        port = url.port();
        host = url.host().toUtf8() + ':' + QByteArray::number(port);
        query = url.query().toUtf8();
    }
    QByteArray head(const QByteArray &request, const QByteArray &more = {}) const
    {
        return request + " HTTP/1.1\r\nHost: " + host + "\r\n"
               + (cookie.isEmpty() ? QByteArray() : "Cookie: a=1; glovebox-port=" + cookie + "; b=2\r\n") + more
               + "\r\n";
    }
    QByteArray get(const QByteArray &path, const QByteArray &more = {}) const
    {
        const UniqueFd connection = connectTo(port, 0, user, isMapped);
        if (!connection)
            return "(nobody listens)";
        send(connection, head("GET " + path, more));
        return receive(connection, "\r\n\r\n(no such end)", 1'500);
    }
    bool isThere() const { return bool(connectTo(port)); }
    void come()
    {
        const QByteArray answer = get("/?" + query);
        static const QRegularExpression given(u"Set-Cookie: glovebox-port=([0-9a-f]{64}); Path=/; HttpOnly; "
                                              "SameSite=Strict\r\n"_s);
        cookie = given.match(QString::fromUtf8(answer)).captured(1).toUtf8();
        QVERIFY2(answer.startsWith("HTTP/1.1 303 ") && answer.contains("\r\nLocation: /\r\n") && !cookie.isEmpty(),
                 answer);
    }
};

} // namespace glovebox
