// SPDX-License-Identifier: Apache-2.0
// Sends and receives one packet with descriptors on a SOCK_SEQPACKET socket.
#pragma once

#include "engine/base/system/descriptor.h"
#include "engine/launcher/wire.h"

#include <string>
#include <string_view>
#include <vector>

namespace glovebox::launcher {

struct Packet
{
    std::string bytes; // empty: end of file
    std::vector<UniqueFd> descriptors;
};

// The numbers of descriptors, for a packet.
inline std::vector<int> numbers(const std::vector<UniqueFd> &descriptors)
{
    std::vector<int> list;
    list.reserve(descriptors.size());
    for (const UniqueFd &descriptor : descriptors)
        list.push_back(descriptor.get());
    return list;
}

// 0 or an errno. Never raises SIGPIPE. With wait false a full socket is EAGAIN.
int sendPacket(int socket, std::string_view bytes, const std::vector<int> &descriptors = {}, bool wait = true);
// 0 or an errno. Descriptors arrive close-on-exec. A packet or a list of descriptors that didn't fit is EMSGSIZE, and the
// descriptors that did arrive are closed.
int receivePacket(int socket, Packet &packet, bool wait = true);
// The same, waiting so long at most: then ETIMEDOUT. End of file is ECONNRESET.
int receivePacketWithin(int milliseconds, int socket, Packet &packet);

// A sealed memfd with these bytes (no write, grow, shrink, or more seals); an invalid descriptor on failure, errno is set.
UniqueFd sealedMemory(const char *name, std::string_view bytes);
// Writes straight into such a memfd: of large or secret fields there is no copy besides.
class MemoryWriter : public Writer
{
public:
    explicit MemoryWriter(const char *name);
    void append(std::string_view bytes) override;
    UniqueFd seal(); // as sealedMemory()

private:
    UniqueFd m_memory; // invalid once something failed
};
// All bytes of a sealed memfd. 0 or an errno; EPERM when it isn't sealed.
int readSealedMemory(int fd, std::string &bytes);

} // namespace glovebox::launcher
