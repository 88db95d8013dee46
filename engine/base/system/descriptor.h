// SPDX-License-Identifier: Apache-2.0
// Owns a POSIX file descriptor, closed when the owner goes; how many of them there may be, reading and writing one.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace glovebox {

class UniqueFd
{
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd)
        : m_fd(fd)
    {
    }
    UniqueFd(UniqueFd &&other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    UniqueFd &operator=(UniqueFd &&other) noexcept
    {
        if (this != &other)
            reset(std::exchange(other.m_fd, -1));
        return *this;
    }
    UniqueFd(const UniqueFd &) = delete;
    UniqueFd &operator=(const UniqueFd &) = delete;
    ~UniqueFd() { reset(); }

    int get() const { return m_fd; }
    bool isValid() const { return m_fd >= 0; }
    explicit operator bool() const { return isValid(); }
    int release() { return std::exchange(m_fd, -1); }
    void reset(int fd = -1)
    {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = fd;
    }

private:
    int m_fd = -1;
};

// False where not all of it could be written; errno says why.
inline bool writeWhole(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return true;
}

// A file of the kernel, or a small new one, takes its text in one write(2). False: errno says why, and a new one may be there.
inline bool writeAtOnce(int folder, const char *path, std::string_view text, int flags = 0, mode_t mode = 0)
{
    const UniqueFd file(::openat(folder, path, O_WRONLY | O_CLOEXEC | flags, mode));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// Reads a descriptor up to its end or an error.
inline std::string readWhole(int fd)
{
    std::string text;
    char part[4096];
    for (ssize_t got = 0; (got = ::read(fd, part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(got));
    return text;
}

// Lets this process have as many descriptors as it may, and returns how many that is. The usual limit, 1,024, is for programs
// that call select(2), which none of ours does.
inline std::size_t raiseDescriptorLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

} // namespace glovebox
