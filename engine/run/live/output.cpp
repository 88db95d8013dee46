// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace glovebox {

OutputStore::OutputStore(qint64 limit)
    : m_headLimit(CapturedOutput::headLimit(std::max<qint64>(limit, 0)))
    , m_tailLimit(std::max<qint64>(limit, 0) - m_headLimit)
{
}

void OutputStore::append(OutputStream stream, QByteArrayView bytes)
{
    if (bytes.isEmpty())
        return;
    Stream &target = of(stream);
    const qint64 forHead = std::min<qint64>(bytes.size(), m_headLimit - target.head.size());
    target.head.append(bytes.first(forHead));
    appendToRing(target, bytes.sliced(forHead), target.total + forHead);
    target.total += bytes.size();
    index(stream, bytes.size());
    m_size += bytes.size();
}

// The offset of the first byte behind the head that is still there.
qint64 OutputStore::tailBegin(const Stream &stream) const
{
    return std::max<qint64>(stream.head.size(), stream.total - m_tailLimit);
}

void OutputStore::appendToRing(Stream &stream, QByteArrayView bytes, qint64 offset)
{
    if (bytes.size() > m_tailLimit) {
        offset += bytes.size() - m_tailLimit;
        bytes = bytes.last(m_tailLimit);
    }
    if (bytes.isEmpty())
        return;
    const qint64 at = (offset - m_headLimit) % m_tailLimit;
    const qint64 first = std::min<qint64>(bytes.size(), m_tailLimit - at);
    // Grows to its full size only with a run that prints that much; resize() grows geometrically.
    if (first < bytes.size())
        stream.ring.resize(m_tailLimit);
    else if (stream.ring.size() < at + first)
        stream.ring.resize(at + first);
    char *ring = stream.ring.data();
    std::memcpy(ring + at, bytes.data(), static_cast<size_t>(first));
    std::memcpy(ring, bytes.data() + first, static_cast<size_t>(bytes.size() - first));
}

void OutputStore::appendTailTo(QByteArray &target, const Stream &stream, qint64 from, qint64 to) const
{
    while (from < to) {
        const qint64 at = (from - m_headLimit) % m_tailLimit;
        const qint64 length = std::min(to - from, m_tailLimit - at);
        target.append(QByteArrayView(stream.ring).sliced(at, length));
        from += length;
    }
}

void OutputStore::index(OutputStream stream, qint64 length)
{
    qint64 cursor = m_size;
    qint64 offset = of(stream).total - length;
    while (length > 0) {
        constexpr qint64 longest = std::numeric_limits<quint32>::max();
        if (m_recent.empty() || m_recent.back().stream != stream || m_recent.back().length == longest)
            m_recent.push_back({cursor, offset, 0, stream});
        Segment &last = m_recent.back();
        const qint64 step = std::min(length, longest - last.length);
        last.length += static_cast<quint32>(step);
        cursor += step;
        offset += step;
        length -= step;
    }
    // The last segment stays: it is the one that grows.
    while (m_recent.size() > 1) {
        const Segment &front = m_recent.front();
        if (front.offset + front.length > tailBegin(of(front.stream)))
            break;
        if (front.offset < m_headLimit)
            m_old.push_back(front);
        m_recent.pop_front();
    }
}

// The first segment that ends behind the cursor.
const OutputStore::Segment *OutputStore::segmentAfter(qint64 cursor) const
{
    const auto endsBehind = [](qint64 wanted, const Segment &segment) {
        return wanted < segment.cursor + segment.length;
    };
    if (const auto old = std::upper_bound(m_old.begin(), m_old.end(), cursor, endsBehind); old != m_old.end())
        return &*old;
    const auto recent = std::upper_bound(m_recent.begin(), m_recent.end(), cursor, endsBehind);
    return recent == m_recent.end() ? nullptr : &*recent;
}

OutputSlice OutputStore::read(qint64 cursor, qint64 max) const
{
    OutputSlice slice;
    slice.next = std::clamp<qint64>(cursor, 0, m_size);
    qint64 room = std::max<qint64>(max, 1);
    // Each turn either takes bytes up to the next change of stream, or passes over bytes that are gone.
    while (room > 0) {
        const Segment *segment = segmentAfter(slice.next);
        if (!segment)
            break;
        const Stream &stream = of(segment->stream);
        const qint64 end = segment->offset + segment->length;
        qint64 offset = segment->offset + std::max<qint64>(slice.next - segment->cursor, 0);
        if (offset >= stream.head.size() && offset < tailBegin(stream))
            offset = std::min(end, tailBegin(stream));
        const qint64 start = segment->cursor + offset - segment->offset;
        if (start > slice.next) {
            if (!slice.chunks.isEmpty())
                break;
            slice.skipped += start - slice.next;
            slice.next = start;
            if (offset == end)
                continue;
        }
        const qint64 headSize = stream.head.size();
        const bool inHead = offset < headSize;
        const qint64 to = std::min({end, offset + room, inHead ? headSize : end});
        QByteArray bytes;
        if (inHead)
            bytes = stream.head.sliced(offset, to - offset);
        else
            appendTailTo(bytes, stream, offset, to);
        // Head and tail of a stream that is kept whole meet here: to the reader it is one piece.
        if (!slice.chunks.isEmpty() && slice.chunks.last().stream == segment->stream)
            slice.chunks.last().bytes += bytes;
        else
            slice.chunks.append({segment->stream, offset, bytes});
        slice.next += to - offset;
        room -= to - offset;
    }
    return slice;
}

CapturedOutput OutputStore::captured(OutputStream stream) const
{
    const Stream &source = of(stream);
    CapturedOutput captured{source.head, {}, source.total};
    appendTailTo(captured.tail, source, tailBegin(source), source.total);
    return captured;
}

bool OutputStore::isTruncated(OutputStream stream) const
{
    const Stream &source = of(stream);
    return tailBegin(source) > source.head.size();
}

} // namespace glovebox
