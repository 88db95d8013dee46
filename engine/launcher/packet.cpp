// SPDX-License-Identifier: Apache-2.0
#include "packet.h"

#include "protocol.h"
#include "reportedcalls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox::launcher {

namespace {
constexpr std::size_t maximumDescriptors = 40; // of each folder that a run may be granted, and some
constexpr int allSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
} // namespace

int sendPacket(int socket, std::string_view bytes, const std::vector<int> &descriptors, bool wait)
{
    if (bytes.size() > maximumPacket || descriptors.size() > maximumDescriptors)
        return EMSGSIZE;
    const int flags = MSG_NOSIGNAL | packetFlag | (wait ? 0 : MSG_DONTWAIT);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maximumDescriptors)> control{};
    iovec part{const_cast<char *>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const std::size_t length = sizeof(int) * descriptors.size();
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(length);
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(length);
        std::memcpy(CMSG_DATA(header), descriptors.data(), length);
    }
    // Of sendmsg() with this flag a run's filter lets none pass, once PID 1 has handed its descriptors over.
    while (
        (descriptors.empty() ? ::send(socket, bytes.data(), bytes.size(), flags) : ::sendmsg(socket, &message, flags))
        < 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

int receivePacket(int socket, Packet &packet, bool wait)
{
    packet.descriptors.clear();
    packet.bytes.clear();
    std::array<char, maximumPacket> bytes; // not a string of this size, which would be filled with zeros first
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maximumDescriptors)> control{};
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t size = 0;
    while ((size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT))) < 0) {
        if (errno != EINTR)
            return errno;
    }
    packet.bytes.assign(bytes.data(), static_cast<std::size_t>(size));
    for (cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
            packet.descriptors.emplace_back(fd);
        }
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        packet.descriptors.clear();
        return EMSGSIZE;
    }
    return 0;
}

int receivePacketWithin(int milliseconds, int socket, Packet &packet)
{
    pollfd source{socket, POLLIN, 0};
    int ready = 0;
    while ((ready = ::poll(&source, 1, milliseconds)) < 0 && errno == EINTR) { }
    if (ready <= 0)
        return ready == 0 ? ETIMEDOUT : errno;
    const int error = receivePacket(socket, packet, false);
    return error == 0 && packet.bytes.empty() ? ECONNRESET : error;
}

UniqueFd sealedMemory(const char *name, std::string_view bytes)
{
    MemoryWriter memory(name);
    memory.append(bytes);
    return memory.seal();
}

MemoryWriter::MemoryWriter(const char *name)
    : m_memory(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING))
{
}

void MemoryWriter::append(std::string_view bytes)
{
    if (m_memory && !writeWhole(m_memory.get(), bytes))
        m_memory.reset();
}

UniqueFd MemoryWriter::seal()
{
    // EBUSY: the kernel itself uses a page for a moment (to move it, say), and has waited 0.15 s for it (mm/memfd.c).
    constexpr int mostTries = 8;
    for (int tries = 1; m_memory && ::fcntl(m_memory.get(), F_ADD_SEALS, allSeals) < 0; ++tries) {
        if (errno != EBUSY || tries == mostTries)
            m_memory.reset();
    }
    return std::move(m_memory);
}

int readSealedMemory(int fd, std::string &bytes)
{
    const int seals = ::fcntl(fd, F_GET_SEALS);
    struct stat info = {};
    if (seals < 0 || (seals & allSeals) != allSeals || ::fstat(fd, &info) < 0)
        return EPERM;
    bytes.resize(static_cast<std::size_t>(info.st_size));
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t n = ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
        if (n == 0)
            return EIO;
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            got += static_cast<std::size_t>(n);
    }
    return 0;
}

} // namespace glovebox::launcher
