// SPDX-License-Identifier: Apache-2.0
#include "linereader.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

// False at the end.
std::expected<bool, int> LineReader::readMore()
{
    constexpr qsizetype piece = 256 * kibibyte;
    m_buffer.remove(0, m_at);
    m_offset += std::exchange(m_at, 0);
    const qsizetype before = m_buffer.size();
    m_buffer.resize(before + piece);
    ssize_t count = 0;
    while ((count = ::read(m_descriptor, m_buffer.data() + before, piece)) < 0) {
        if (errno == EAGAIN) {
            pollfd ready{m_descriptor, POLLIN, 0};
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return std::unexpected(errno);
        }
    }
    m_buffer.resize(before + count);
    const QByteArrayView fresh = QByteArrayView(m_buffer).sliced(before);
    if (m_copy >= 0 && !writeWhole(m_copy, {fresh.data(), std::size_t(fresh.size())}))
        return std::unexpected(errno);
    m_hash.add(fresh);
    m_atEnd = count == 0;
    return count > 0;
}

std::expected<std::optional<LineReader::Line>, int> LineReader::next()
{
    Line line;
    qsizetype searched = 0; // bytes after m_at in which there is no line break
    for (;;) {
        const qsizetype end = m_buffer.indexOf('\n', m_at + searched);
        if (end >= 0 || m_atEnd) {
            const qsizetype size = (end < 0 ? m_buffer.size() : end) - m_at;
            line.isEnded = end >= 0;
            line.isTooLong = line.isTooLong || size > longest;
            if (!line.isTooLong)
                line.bytes = m_buffer.sliced(m_at, size);
            m_at += size + (end < 0 ? 0 : 1);
            if (!line.isEnded && size == 0 && !line.isTooLong)
                return std::nullopt;
            return line;
        }
        searched = m_buffer.size() - m_at;
        if (searched > longest) { // the rest of it is passed over
            line.isTooLong = true;
            m_at = m_buffer.size();
            searched = 0;
        }
        if (const auto more = readMore(); !more)
            return std::unexpected(more.error());
    }
}

} // namespace glovebox
