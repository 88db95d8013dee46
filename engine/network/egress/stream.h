// SPDX-License-Identifier: Apache-2.0
// One TCP connection with deadlines, and what was received of it and not yet used.
#pragma once

#include "engine/base/system/descriptor.h"

#include <chrono>
#include <string>
#include <string_view>

namespace glovebox::network {

using Time = std::chrono::steady_clock::time_point;

inline Time within(std::chrono::milliseconds duration)
{
    return std::chrono::steady_clock::now() + duration;
}
int pollTimeout(Time deadline); // milliseconds left, at least 0

// Used by one thread.
class Stream
{
public:
    Stream() = default;
    explicit Stream(UniqueFd socket); // which becomes non-blocking, unless it is invalid
    ~Stream();
    Stream(Stream &&other) noexcept = default;
    Stream &operator=(Stream &&other) noexcept;

    // Ends all of them, whoever uses them: each sees the end of file. By any thread.
    static void shutdownAll();

    int socket() const { return m_socket.get(); }
    explicit operator bool() const { return bool(m_socket); }

    std::string pending; // received, in order

    enum class Got { Bytes, End, TimedOut, Failed };
    // Appends what comes next to pending.
    Got receive(Time deadline, std::size_t most = 16 * 1024);
    // All of it. False: the other side is gone, or the deadline was over.
    bool send(std::string_view bytes, Time deadline);
    void shutdownSend() const;

private:
    void close();

    UniqueFd m_socket;
};

} // namespace glovebox::network
