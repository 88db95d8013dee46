// SPDX-License-Identifier: Apache-2.0
// Moves bytes from one socket to another without copying them: a pipe of the kernel's, for splice(2).
#pragma once

#include "engine/base/system/descriptor.h"

#include <cstddef>

namespace glovebox::launcher {

// A small one grows when it is worth it and there is room for large ones: what all pipes of a user hold is one sum (pipe-user-pages-soft in
// pipe(7)), beyond which that user's next ones are tiny, also outside.
class SplicePipe
{
public:
    SplicePipe() = default;
    ~SplicePipe() { close(); }
    SplicePipe(const SplicePipe &) = delete;
    SplicePipe &operator=(const SplicePipe &) = delete;

    void open(); // it may come to nothing
    void close();
    void grow(); // it may stay as it is
    // Bytes that were moved, 0 at the end, or -1 with errno. Neither waits.
    ssize_t fill(int socket, std::size_t most);
    ssize_t drain(int socket, std::size_t most);
    explicit operator bool() const { return bool(m_in); }
    std::size_t capacity() const { return m_capacity; } // bytes

private:
    UniqueFd m_out, m_in;
    std::size_t m_capacity = 0;
    bool m_isLarge = false;
};

} // namespace glovebox::launcher
