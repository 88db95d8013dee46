// SPDX-License-Identifier: Apache-2.0
#include "spacewatch.h"

#include <QDirIterator>
#include <QFile>

#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <set>
#include <string>

namespace glovebox::opener {

namespace {

using namespace std::chrono_literals;

constexpr auto shortestTick = 2ms; // between two looks at the free space
constexpr auto usualPause = 200ms; // between two looks at what is in the folders
constexpr qint64 leastShrinking = 1024 * 1024; // other programs write a little all the time

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Bytes written to files on disk, by a process and those below it that are gone; proc(5), io. Rewriting counts, too.
qint64 writtenBy(const QString &process)
{
    for (const QByteArray &line : contentOf(process + QStringLiteral("/io")).split('\n')) {
        if (line.startsWith("write_bytes:"))
            return line.sliced(12).trimmed().toLongLong();
    }
    return 0;
}

// The sum over all processes from this one on downwards.
qint64 writtenBelow(pid_t init)
{
    std::vector<qint64> tree{init};
    std::set<qint64> known{init};
    qint64 bytes = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const QString process = QStringLiteral("/proc/%1").arg(tree[i]);
        bytes += writtenBy(process);
        // Any thread may have forked; what a thread forked is a child of its process all the same, but listed with the thread.
        QDirIterator threads(process + QStringLiteral("/task"), QDir::Dirs | QDir::NoDotAndDotDot);
        while (threads.hasNext()) {
            const QByteArray children = contentOf(threads.next() + QStringLiteral("/children"));
            for (const QByteArray &child : children.split(' ')) {
                const qint64 pid = child.trimmed().toLongLong();
                if (pid > 0 && known.insert(pid).second)
                    tree.push_back(pid);
            }
        }
    }
    return bytes;
}

} // namespace

SpaceWatch::SpaceWatch(std::vector<UniqueFd> folders, TreeSize mostAdded)
    : m_folders(std::move(folders))
    , m_mostAdded(mostAdded)
    , m_left(mostAdded.bytes)
{
    std::set<dev_t> devices;
    for (std::size_t i = 0; i < m_folders.size(); ++i) {
        struct stat info = {};
        if (::fstat(m_folders[i].get(), &info) == 0 && devices.insert(info.st_dev).second)
            m_fileSystems.push_back(i);
    }
    m_before = measure();
    m_freeBefore = freeBytes();
    m_freeAtLook = m_freeBefore;
}

std::optional<TreeSize> SpaceWatch::measure() const
{
    TreeSize size;
    for (const UniqueFd &folder : m_folders) {
        const auto part = folder ? measureTree(folder.get()) : std::nullopt;
        if (!part)
            return std::nullopt;
        size.bytes += part->bytes;
        size.entries += part->entries;
    }
    return size;
}

qint64 SpaceWatch::freeBytes() const
{
    qint64 bytes = 0;
    for (const std::size_t index : m_fileSystems) {
        struct statvfs room = {};
        if (::fstatvfs(m_folders[index].get(), &room) == 0)
            bytes += static_cast<qint64>(room.f_bfree) * static_cast<qint64>(room.f_frsize);
    }
    return bytes;
}

// Other programs take space, too, and the run may write the same place again and again: only what both say is the run's.
bool SpaceWatch::hasHidden() const
{
    return m_init > 0 && m_freeBefore - freeBytes() > m_mostAdded.bytes && writtenBelow(m_init) > m_mostAdded.bytes;
}

bool SpaceWatch::isOver()
{
    if (!m_before)
        return false;
    const auto begin = Clock::now();
    m_freeAtLook = freeBytes();
    const auto now = measure();
    m_lookTime = Clock::now() - begin;
    if (!now) // more than can be counted is more than there was
        return true;
    m_left = m_before->bytes + m_mostAdded.bytes - now->bytes;
    return m_left < 0 || now->entries > m_before->entries + m_mostAdded.entries || hasHidden();
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
        if (!m_before)
            continue;
        const auto begin = Clock::now();
        const qint64 shrunk = m_freeAtLook - freeBytes();
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
