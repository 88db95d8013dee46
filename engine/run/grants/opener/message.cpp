// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox::opener {

namespace {

constexpr quint64 longestMessage = 1024ULL * 1024 * 1024; // a tree of a million entries has a tenth of it

QDataStream &operator<<(QDataStream &out, const Text &text)
{
    return out << text.source << text.args << text.context;
}

QDataStream &operator>>(QDataStream &in, Text &text)
{
    return in >> text.source >> text.args >> text.context;
}

} // namespace

int send(int socket, const QByteArray &bytes, int descriptor)
{
    auto size = quint64(bytes.size());
    iovec head{&size, sizeof size};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &head;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
        message.msg_control = room.data();
        message.msg_controllen = room.size();
        cmsghdr *control = CMSG_FIRSTHDR(&message);
        control->cmsg_level = SOL_SOCKET;
        control->cmsg_type = SCM_RIGHTS;
        control->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    }
    if (::sendmsg(socket, &message, MSG_NOSIGNAL) != ssize_t(sizeof size))
        return errno;
    for (qsizetype sent = 0; sent < bytes.size();) {
        const ssize_t count = ::send(socket, bytes.constData() + sent, size_t(bytes.size() - sent), MSG_NOSIGNAL);
        if (count < 0)
            return errno;
        sent += count;
    }
    return 0;
}

int receive(int socket, Message &message)
{
    quint64 size = 0;
    iovec head{&size, sizeof size};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr received{};
    received.msg_iov = &head;
    received.msg_iovlen = 1;
    received.msg_control = room.data();
    received.msg_controllen = room.size();
    ssize_t count = ::recvmsg(socket, &received, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    if (count < 0)
        return errno;
    if (const cmsghdr *control = CMSG_FIRSTHDR(&received); control && control->cmsg_type == SCM_RIGHTS) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
        message.descriptor.reset(descriptor);
    }
    if (count != ssize_t(sizeof size) || size > longestMessage)
        return ECONNRESET;
    message.bytes.resize(qsizetype(size));
    for (qsizetype got = 0; got < message.bytes.size(); got += count) {
        count = ::recv(socket, message.bytes.data() + got, size_t(message.bytes.size() - got), 0);
        if (count <= 0)
            return count == 0 ? ECONNRESET : errno;
    }
    return 0;
}

QDataStream &operator<<(QDataStream &out, const Error &error)
{
    return out << int(error.code) << error.message << error.detail;
}

QDataStream &operator>>(QDataStream &in, Error &error)
{
    int code = 0;
    in >> code >> error.message >> error.detail;
    error.code = ErrorCode(code);
    return in;
}

QDataStream &operator<<(QDataStream &out, const ApplyReport &report)
{
    out << report.applied << report.isStopped << qint32(report.refused.size());
    for (const Text &refusal : report.refused)
        out << refusal;
    return out;
}

QDataStream &operator>>(QDataStream &in, ApplyReport &report)
{
    qint32 size = 0;
    in >> report.applied >> report.isStopped >> size;
    for (; size > 0 && in.status() == QDataStream::Ok; --size) {
        Text refusal;
        in >> refusal;
        report.refused.append(refusal);
    }
    return in;
}

} // namespace glovebox::opener
