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

// Signals whose handlers a program has, as for Ctrl+C, interrupt what waits: half a message must not be left by that.
template<typename Call> ssize_t uninterrupted(const Call &call)
{
    ssize_t count = -1;
    do
        count = call();
    while (count < 0 && errno == EINTR);
    return count;
}

// 0, or an errno.
int sendAll(int socket, const char *bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t count = uninterrupted([&] { return ::send(socket, bytes, size, MSG_NOSIGNAL); });
        if (count < 0)
            return errno;
        bytes += count;
        size -= std::size_t(count);
    }
    return 0;
}

int receiveAll(int socket, char *bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t count = uninterrupted([&] { return ::recv(socket, bytes, size, 0); });
        if (count <= 0)
            return count == 0 ? ECONNRESET : errno;
        bytes += count;
        size -= std::size_t(count);
    }
    return 0;
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
    const ssize_t count = uninterrupted([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); });
    if (count < 0)
        return errno;
    if (const int error = sendAll(socket, reinterpret_cast<char *>(&size) + count, sizeof size - std::size_t(count));
        error != 0)
        return error;
    return sendAll(socket, bytes.constData(), std::size_t(bytes.size()));
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
    const ssize_t count = uninterrupted([&] { return ::recvmsg(socket, &received, MSG_CMSG_CLOEXEC); });
    if (count <= 0)
        return count == 0 ? ECONNRESET : errno;
    if (const cmsghdr *control = CMSG_FIRSTHDR(&received); control && control->cmsg_type == SCM_RIGHTS) {
        int descriptor = -1;
        std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
        message.descriptor.reset(descriptor);
    }
    const int error = receiveAll(socket, reinterpret_cast<char *>(&size) + count, sizeof size - std::size_t(count));
    if (error != 0 || size > longestMessage)
        return error != 0 ? error : ECONNRESET;
    message.bytes.resize(qsizetype(size));
    return receiveAll(socket, message.bytes.data(), std::size_t(size));
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
