// SPDX-License-Identifier: Apache-2.0
#include "spacewatch.h"

#include "runfiles.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>

namespace glovebox::opener {

namespace {

using namespace std::chrono_literals;

constexpr auto shortestTick = 2ms; // between two looks at the free space
constexpr auto usualPause = 200ms; // between two looks at what is in the folders
constexpr qint64 leastShrinking = 1024 * 1024; // other programs write a little all the time

} // namespace

SpaceWatch::SpaceWatch(std::vector<UniqueFd> folders, TreeSize mostAdded)
    : m_folders(std::move(folders))
    , m_mostAdded(mostAdded)
    , m_left(mostAdded.bytes)
{
    for (const UniqueFd &folder : m_folders) {
        struct stat info = {};
        if (::fstat(folder.get(), &info) == 0 && !m_fileSystems.contains(info.st_dev))
            m_fileSystems.emplace(info.st_dev, ::openat(folder.get(), ".", O_PATH | O_CLOEXEC));
    }
    m_before = measure(&m_fileSystems);
    m_freeBefore = freeRoom();
    m_freeAtLook = m_freeBefore;
}

std::optional<TreeSize> SpaceWatch::measure(FileSystems *fileSystems) const
{
    TreeSize size;
    for (const UniqueFd &folder : m_folders) {
        const auto part = folder ? measureTree(folder.get(), fileSystems) : std::nullopt;
        if (!part)
            return std::nullopt;
        size.bytes += part->bytes;
        size.entries += part->entries;
        size.unseen += part->unseen;
    }
    return size;
}

TreeSize SpaceWatch::freeRoom() const
{
    TreeSize free;
    for (const auto &[device, folder] : m_fileSystems) {
        struct statvfs room = {};
        if (::fstatvfs(folder.get(), &room) != 0)
            continue;
        free.bytes += static_cast<qint64>(room.f_bfree) * static_cast<qint64>(room.f_frsize);
        free.entries += static_cast<qint64>(room.f_ffree);
    }
    return free;
}

bool SpaceWatch::isMoreGone() const
{
    const TreeSize free = freeRoom();
    return m_freeBefore.bytes - free.bytes > m_mostAdded.bytes
           || m_freeBefore.entries - free.entries > m_mostAdded.entries;
}

// Other programs take space, too: only where more went than the run may take is it asked what of that is the run's. It may be in
// files that have no name any more, or in folders that were closed; and the run may write the same place again and again.
bool SpaceWatch::hasHidden(const TreeSize &before, const TreeSize &now) const
{
    if (!isMoreGone())
        return false;
    if (now.unseen > before.unseen)
        return true;
    if (m_init <= 0)
        return false;
    const auto nameless = namelessBelow(m_init, m_fileSystems);
    return !nameless || now.bytes + *nameless > before.bytes + m_mostAdded.bytes
           || writtenBelow(m_init) > m_mostAdded.bytes;
}

bool SpaceWatch::isOver()
{
    const auto begin = Clock::now();
    m_freeAtLook = freeRoom();
    // Where nothing can be said of what is there, the run's writing is what is known.
    const bool isOver =
        m_before ? hasTooMuch(*m_before) : isMoreGone() && m_init > 0 && writtenBelow(m_init) > m_mostAdded.bytes;
    m_lookTime = Clock::now() - begin;
    return isOver;
}

bool SpaceWatch::hasTooMuch(const TreeSize &before)
{
    const auto now = measure();
    if (!now) // more than can be counted is more than there was
        return true;
    m_left = before.bytes + m_mostAdded.bytes - now->bytes;
    return m_left < 0 || now->entries > before.entries + m_mostAdded.entries || hasHidden(before, *now);
}

bool SpaceWatch::waitUntilOver(int channel)
{
    auto lastLook = Clock::now();
    Clock::duration tick = shortestTick;
    pollfd end{channel, POLLIN, 0};
    for (;;) {
        const auto wait = std::chrono::ceil<std::chrono::microseconds>(tick).count();
        const timespec time{.tv_sec = wait / 1'000'000, .tv_nsec = wait % 1'000'000 * 1000};
        if (::ppoll(&end, 1, &time, nullptr) != 0)
            return false;
        const auto begin = Clock::now();
        const qint64 shrunk = m_freeAtLook.bytes - freeRoom().bytes;
        const auto now = Clock::now();
        // A file system of the network is asked seldom.
        tick = std::max<Clock::duration>(shortestTick, 50 * (now - begin));
        // At most a tenth of a core, half of one where space goes.
        const bool isSuspicious = shrunk > std::max(m_left / 8, leastShrinking);
        const auto pause = isSuspicious ? m_lookTime : std::max<Clock::duration>(usualPause, 9 * m_lookTime);
        if (now - lastLook < pause)
            continue;
        if (isOver())
            return true;
        lastLook = Clock::now();
    }
}

} // namespace glovebox::opener
