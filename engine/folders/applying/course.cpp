// SPDX-License-Identifier: Apache-2.0
#include "course.h"

#include <algorithm>

namespace glovebox {

bool Course::wrote(qint64 bytes)
{
    m_now.bytes = std::min(m_now.bytes + bytes, m_now.allBytes);
    if (!m_isStopped && !m_isHeld && m_progress)
        m_isStopped = !m_progress(m_now);
    return !m_isStopped;
}

// Holes are bytes that nobody wrote.
void Course::finished(const FolderChange &change)
{
    ++m_now.changes;
    const bool hasContent = change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed;
    m_whole += hasContent ? change.bytes : 0;
    m_now.bytes = std::clamp(m_whole, m_now.bytes, std::max(m_now.bytes, m_now.allBytes));
}

} // namespace glovebox
