// SPDX-License-Identifier: Apache-2.0
#include "sockettable.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace glovebox::launcher {

namespace {

constexpr int tableLooks = 3; // lines that come and go meanwhile may hide one

std::optional<sockaddr_in> endOf(int socket, int (*name)(int, sockaddr *, socklen_t *))
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const bool isKnown = name(socket, reinterpret_cast<sockaddr *>(&address), &size) == 0;
    return isKnown && address.sin_family == AF_INET ? std::optional(address) : std::nullopt;
}

// As the kernel prints both ends of a socket: numbers of 32 bits as they are in memory, ports as people write them. mapped: what a socket
// for both families has before them.
std::string endsInTable(const char *mapped, const sockaddr_in &local, const sockaddr_in &remote)
{
    char text[128];
    std::snprintf(text, sizeof text, " %s%08X:%04X %s%08X:%04X ", mapped, local.sin_addr.s_addr, ntohs(local.sin_port),
                  mapped, remote.sin_addr.s_addr, ntohs(remote.sin_port));
    return text;
}

std::string_view takeField(std::string_view &fields)
{
    fields.remove_prefix(std::min(fields.find_first_not_of(' '), fields.size()));
    const std::string_view field = fields.substr(0, fields.find(' '));
    fields.remove_prefix(field.size());
    return field;
}

template<typename Number> std::optional<Number> numberIn(std::string_view field)
{
    Number number{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && end == field.data() + field.size() ? std::optional(number) : std::nullopt;
}

// What follows both ends: state, queues, timer, retransmissions, user, timeout, inode. A socket that its program closed has no user and no
// inode, and 0 for both.
std::optional<SocketOwner> ownerInFields(std::string_view fields)
{
    for (int skipped = 0; skipped < 4; ++skipped)
        takeField(fields);
    const auto user = numberIn<unsigned>(takeField(fields));
    takeField(fields);
    const auto inode = numberIn<unsigned long>(takeField(fields));
    return user && inode && *inode != 0 ? std::optional(SocketOwner{*user, *inode}) : std::nullopt;
}

std::optional<SocketOwner> ownerIn(int table, const std::string &ends)
{
    std::string lines;
    char piece[16 * 1024];
    off_t offset = 0;
    for (ssize_t count = 0; (count = ::pread(table, piece, sizeof piece, offset)) > 0; offset += count) {
        lines.append(piece, static_cast<std::size_t>(count));
        const std::size_t at = lines.find(ends);
        const std::size_t end = at == std::string::npos ? at : lines.find('\n', at);
        if (end != std::string::npos)
            return ownerInFields(std::string_view(lines).substr(at + ends.size(), end - at - ends.size()));
        if (at == std::string::npos)
            lines.erase(0, lines.rfind('\n') + 1);
    }
    return std::nullopt;
}

} // namespace

bool openSocketTables(int first)
{
    const auto openAt = [](const char *file, int descriptor) {
        const int table = ::open(file, O_RDONLY | O_CLOEXEC);
        const bool isThere = table >= 0 && ::dup2(table, descriptor) >= 0;
        if (table >= 0 && table != descriptor)
            ::close(table);
        return isThere;
    };
    return openAt(socketTable, first) && (openAt(socketTable6, first + 1) || errno == ENOENT);
}

std::optional<SocketOwner> ownerOfPeer(int table, int table6, int socket)
{
    const auto local = endOf(socket, ::getsockname), remote = endOf(socket, ::getpeername);
    std::optional<SocketOwner> owner;
    for (int look = 0; local && remote && !owner && look < tableLooks; ++look) {
        // The other end has them the other way round.
        owner = ownerIn(table, endsInTable("", *remote, *local));
        if (!owner)
            owner = ownerIn(table6, endsInTable("0000000000000000FFFF0000", *remote, *local));
    }
    return owner;
}

} // namespace glovebox::launcher
