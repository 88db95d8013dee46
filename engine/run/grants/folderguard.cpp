// SPDX-License-Identifier: Apache-2.0
#include "folderguard.h"

#include <fcntl.h>

#include <algorithm>

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto shortestPause = 200ms; // between two looks at the sizes

} // namespace

FolderGuard::FolderGuard(const GrantedFolders &folders, const Limits &limits, const std::stop_token &stop)
    : m_folders(folders.openWritable())
    , m_diskBytes(limits.diskBytes)
{
    if (m_folders.empty())
        return;
    m_most = measure(stop);
    if (!m_most)
        return;
    m_most->bytes += limits.diskBytes;
    m_most->entries += limits.diskFiles();
}

std::optional<Control> FolderGuard::control() const
{
    if (m_folders.empty())
        return std::nullopt;
    const QString requested = QStringLiteral("%1 MB").arg(m_diskBytes / mebibyte);
    if (!m_most)
        return Control{.id = ControlId::FolderDisk,
                       .requested = requested,
                       .state = Control::State::Missing,
                       .detail = Text(QT_TRANSLATE_NOOP(
                           "engine", "not bounded: there is too much in the folders that it may write to to be counted "
                                     "again and again"))};
    return Control{.id = ControlId::FolderDisk,
                   .requested = requested,
                   .state = Control::State::Degraded,
                   .detail = Text(QT_TRANSLATE_NOOP(
                       "engine", "approximate: the folders that it may write to are looked at five times a second at "
                                 "most, and what is written between two looks is not bounded"))};
}

void FolderGuard::watch(SealedProcess &process)
{
    if (m_most)
        m_thread = std::jthread([this, &process](const std::stop_token &stop) {
            blockSignals();
            look(process, stop);
        });
}

std::optional<TreeSize> FolderGuard::measure(const std::stop_token &stop) const
{
    TreeSize size;
    for (const UniqueFd &folder : m_folders) {
        const auto part = folder ? measureTree(folder.get(), stop) : std::nullopt;
        if (!part)
            return std::nullopt;
        size.bytes += part->bytes;
        size.entries += part->entries;
    }
    return size;
}

void FolderGuard::look(SealedProcess &process, const std::stop_token &stop)
{
    auto pause = std::chrono::duration_cast<std::chrono::steady_clock::duration>(shortestPause);
    std::unique_lock lock(m_mutex);
    while (!m_wait.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
        const auto start = std::chrono::steady_clock::now();
        const auto size = measure(stop);
        if (stop.stop_requested())
            return;
        // More than can be counted is more than there was.
        if (!size || size->bytes > m_most->bytes || size->entries > m_most->entries) {
            m_tripped = true;
            process.kill();
            return;
        }
        // At most a tenth of a core.
        pause = std::max<std::chrono::steady_clock::duration>(shortestPause,
                                                              9 * (std::chrono::steady_clock::now() - start));
    }
}

} // namespace glovebox
