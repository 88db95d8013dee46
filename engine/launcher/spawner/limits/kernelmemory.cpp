// SPDX-License-Identifier: Apache-2.0
#include "kernelmemory.h"

#include "engine/base/system/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace glovebox::launcher {

namespace {

// As the kernel's slabs have them, with what belongs to each (vm_area_struct and its place in the tree, file_lock, epitem). Of locks
// /proc/locks would tell, too, but whoever reads it walks all of them for each page.
constexpr std::uint64_t mappingItself = 256;
constexpr std::uint64_t lockItself = 256;
constexpr std::uint64_t watchItself = 256;

// Calls use with each line, however long the file is.
template<typename Use> void eachLine(const std::string &path, Use use)
{
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 16384> part{};
    std::size_t kept = 0; // of a line that isn't whole
    ssize_t got = 0;
    while (file && (got = ::read(file.get(), part.data() + kept, part.size() - kept)) > 0) {
        std::string_view text(part.data(), kept + static_cast<std::size_t>(got));
        for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
            use(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        if (text.size() == part.size())
            text = {};
        std::ranges::copy(text, part.begin());
        kept = text.size();
    }
}

// What somebody has written and nobody has read yet, nothing tells: each beyond some counts as full. Those of a user who has
// many hold less (pipe(7), pipe-user-pages-soft).
std::uint64_t heldByPipes(std::size_t pipes)
{
    constexpr std::size_t some = 64;
    constexpr std::uint64_t full = 65536;
    constexpr std::uint64_t fullOfMany = 8192;
    constexpr std::uint64_t beforeMany = 1024;
    const std::uint64_t counted = pipes <= some ? 0 : pipes - some;
    return std::min(counted, beforeMany) * full + (counted - std::min(counted, beforeMany)) * fullOfMany;
}

} // namespace

KernelMemory::Held KernelMemory::heldBy(pid_t pid)
{
    Held held;
    const std::string folder = "/proc/" + std::to_string(pid);
    eachLine(folder + "/maps", [&](std::string_view) { held.bytes += mappingItself; });
    const std::string descriptors = folder + "/fd";
    DIR *list = ::opendir(descriptors.c_str());
    if (!list)
        return held;
    while (const dirent *each = ::readdir(list)) { // NOLINT(concurrency-mt-unsafe): the spawner has one thread
        std::array<char, 64> text{};
        if (::readlinkat(::dirfd(list), each->d_name, text.data(), text.size() - 1) <= 0)
            continue;
        const std::string_view kind(text.data());
        if (kind.starts_with("pipe:["))
            held.pipes.push_back(std::strtoull(text.data() + std::string_view("pipe:[").size(), nullptr, 10));
        else if (kind.starts_with('/') || kind == "anon_inode:[eventpoll]")
            eachLine(folder + "/fdinfo/" + each->d_name, [&](std::string_view line) {
                if (line.starts_with("lock:"))
                    held.bytes += lockItself;
                else if (line.starts_with("tfd:"))
                    held.bytes += watchItself;
            });
    }
    ::closedir(list);
    return held;
}

void KernelMemory::look(std::vector<pid_t> tree)
{
    constexpr int share = 6; // of a processor's time one part of so many at most
    std::ranges::sort(tree);
    std::erase_if(m_held, [&](const auto &each) { return !std::ranges::binary_search(tree, each.first); });
    const auto begin = std::chrono::steady_clock::now();
    if (tree.empty() || begin < m_next)
        return;
    const auto next = std::ranges::upper_bound(tree, m_last);
    m_last = next == tree.end() ? tree.front() : *next;
    m_held[m_last] = heldBy(m_last);
    const auto end = std::chrono::steady_clock::now();
    m_next = end + share * (end - begin);
}

std::uint64_t KernelMemory::bytes() const
{
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> pipes;
    for (const auto &[pid, held] : m_held) {
        bytes += held.bytes;
        pipes.insert(pipes.end(), held.pipes.begin(), held.pipes.end());
    }
    std::ranges::sort(pipes);
    const auto twice = std::ranges::unique(pipes);
    pipes.erase(twice.begin(), twice.end());
    return bytes + heldByPipes(pipes.size());
}

} // namespace glovebox::launcher
