// SPDX-License-Identifier: Apache-2.0
#include "splicepipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace glovebox::launcher {

namespace {

constexpr std::size_t smallPipe = 64 * 1024; // as it comes
constexpr std::size_t largePipe = 256 * 1024;
constexpr int mostLargePipes = 16; // 4 MB of the 64 MB that a user has by default

std::atomic<int> largePipes;

} // namespace

void SplicePipe::open()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_out.reset(ends[0]);
    m_in.reset(ends[1]);
    m_capacity = smallPipe;
}

void SplicePipe::close()
{
    m_out.reset();
    m_in.reset();
    if (std::exchange(m_isLarge, false))
        --largePipes;
}

void SplicePipe::grow()
{
    m_isLarge = ++largePipes <= mostLargePipes;
    // The kernel refuses where the user has too much already (EPERM).
    const int size = m_isLarge ? ::fcntl(m_in.get(), F_SETPIPE_SZ, largePipe) : -1;
    if (size > 0)
        m_capacity = static_cast<std::size_t>(size);
    if (size <= 0) {
        --largePipes;
        m_isLarge = false;
    }
}

ssize_t SplicePipe::fill(int socket, std::size_t most)
{
    return ::splice(socket, nullptr, m_in.get(), nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

ssize_t SplicePipe::drain(int socket, std::size_t most)
{
    return ::splice(m_out.get(), nullptr, socket, nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

} // namespace glovebox::launcher
