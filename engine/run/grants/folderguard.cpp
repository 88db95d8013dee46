// SPDX-License-Identifier: Apache-2.0
#include "folderguard.h"

#include <algorithm>

namespace glovebox {

Status FolderGuard::measure(GrantedFolders &folders)
{
    m_hasCopiesInMemory = !folders.copiesInMemory().isEmpty();
    if (!folders.isWatched())
        return {};
    m_folders = &folders;
    const auto countable = folders.opener().measure(folders.copiesOnDisk(), {m_limits.diskBytes, m_limits.diskFiles()});
    if (!countable)
        return std::unexpected(countable.error());
    m_isCountable = *countable;
    return {};
}

std::optional<Control> FolderGuard::control(const QList<Control> &sandbox) const
{
    Control control{.id = ControlId::FolderDisk,
                    .requested = QStringLiteral("%1 MB").arg(m_limits.diskBytes / mebibyte)};
    if (!m_folders && m_hasCopiesInMemory) {
        // As good as the bound of what the copies lie in.
        const auto disk = std::ranges::find(sandbox, ControlId::Disk, &Control::id);
        control.state = disk == sandbox.end() ? Control::State::Missing : disk->state;
        control.detail = Text(QT_TRANSLATE_NOOP("engine", "the copies are in memory, with its other files"));
        return control;
    }
    if (!m_folders)
        return std::nullopt;
    if (!m_isCountable) {
        control.detail = Text(
            QT_TRANSLATE_NOOP("engine", "not bounded but by what its processes write: there is too much in its folders "
                                        "to be counted again and again"));
        return control;
    }
    control.state = Control::State::Degraded;
    control.detail =
        Text(QT_TRANSLATE_NOOP("engine", "approximate: the writable folders are measured while the run writes and at "
                                         "its end. Between two measurements nothing is bounded. Where a measurement "
                                         "takes longer than 2 s, the run goes on meanwhile"));
    return control;
}

void FolderGuard::watch(SealedProcess &process)
{
    if (!m_folders)
        return;
    m_thread = std::jthread([this, &process](const std::stop_token &stop) {
        blockSignals();
        m_over = m_folders->opener().watch(pid_t(process.hostProcess()), stop);
        if (!m_over || *m_over)
            process.kill();
    });
}

Result<bool> FolderGuard::finish()
{
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
    if (!m_folders || !m_over || *m_over)
        return m_over;
    return m_folders->opener().isOver();
}

} // namespace glovebox
