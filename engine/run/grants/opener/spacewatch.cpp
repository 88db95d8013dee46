// SPDX-License-Identifier: Apache-2.0
#include "spacewatch.h"

#include "closedfolders.h"
#include "standstill.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <set>

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
    , m_mayGo(mostAdded)
    , m_left(mostAdded.bytes)
{
    for (const UniqueFd &folder : m_folders) {
        struct stat info = {};
        if (::fstat(folder.get(), &info) == 0 && !m_fileSystems.contains(info.st_dev))
            m_fileSystems.emplace(info.st_dev, ::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
    }
    m_before = measure(&m_fileSystems);
    m_beforeClosely = withClosed(m_before);
    m_freeThen = freeRoom();
    m_freeAtLook = m_freeThen;
}

void SpaceWatch::follow(pid_t init)
{
    m_init = init;
    m_initStart = startOfProcess(init);
}

bool SpaceWatch::isRunning() const
{
    return m_init > 0 && !m_initStart.isEmpty() && startOfProcess(m_init) == m_initStart;
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

std::optional<TreeSize> SpaceWatch::withClosed(const std::optional<TreeSize> &seen) const
{
    return seen && seen->unseen > 0 ? measureWithClosed(m_folders, *seen) : seen;
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
    return m_freeThen.bytes - free.bytes > m_mayGo.bytes || m_freeThen.entries - free.entries > m_mayGo.entries;
}

bool SpaceWatch::isOver()
{
    const auto begin = Clock::now();
    m_freeAtLook = freeRoom();
    // Where nothing can be said of what is there, the run's writing is what is known.
    const bool isOver =
        m_before ? hasTooMuch() : isMoreGone() && isRunning() && writtenBelow(m_init) > m_mostAdded.bytes;
    m_lookTime = Clock::now() - begin;
    return isOver;
}

bool SpaceWatch::isTooMuch(const TreeSize &added) const
{
    return added.bytes > m_mostAdded.bytes || added.entries > m_mostAdded.entries;
}

// What is seen while the run moves files is a hint only: one that is renamed meanwhile is seen twice or not at all. And where more room
// went than the run may take, its files may be where nobody looks.
bool SpaceWatch::hasTooMuch()
{
    const auto now = measure();
    const TreeSize added =
        now && m_before ? TreeSize{now->bytes - m_before->bytes, now->entries - m_before->entries} : TreeSize();
    m_left = m_mostAdded.bytes - added.bytes;
    if (!isRunning())
        return hasTooMuchClosely();
    if (now && !isTooMuch(added) && !isMoreGone())
        return false;
    const Standstill still(m_init);
    return hasTooMuchClosely();
}

// Other programs take room, too: what of it is the run's is in its folders, or in files that have no name any more. Writing alone is no
// taking, since the same place may be written again and again.
bool SpaceWatch::hasTooMuchClosely()
{
    const TreeSize free = freeRoom();
    const auto now = withClosed(measure());
    if (!now || !m_beforeClosely) // more than can be counted is more than there was
        return true;
    TreeSize added{now->bytes - m_beforeClosely->bytes, now->entries - m_beforeClosely->entries};
    if (isTooMuch(added))
        return true;
    if (!isMoreGone())
        return false;
    if (now->unseen > m_beforeClosely->unseen)
        return true;
    std::set<dev_t> devices;
    for (const auto &[device, folder] : m_fileSystems)
        devices.insert(device);
    const auto nameless = isRunning() ? namelessBelow(m_init, devices) : 0;
    if (!nameless)
        return true;
    added.bytes += *nameless;
    if (isTooMuch(added))
        return true;
    m_freeThen = free;
    m_mayGo = {m_mostAdded.bytes - added.bytes, m_mostAdded.entries - added.entries};
    return false;
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
