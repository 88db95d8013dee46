// SPDX-License-Identifier: Apache-2.0
// What is kept of a run's output: the head of each stream for ever, its latest bytes in a ring, and the order in which both
// arrived. Appending costs a copy of the new bytes at most, however much a run prints.
#pragma once

#include "engine/run/run.h"

#include <array>
#include <deque>
#include <vector>

namespace glovebox {

// Not thread-safe; the live run guards it. Memory is bounded by the limit: about the kept bytes of each stream, and 24 bytes
// for each time that the output changed from one stream to the other among them.
class OutputStore
{
public:
    // limit: bytes kept of each stream; 3/4 of it head, the rest tail.
    explicit OutputStore(qint64 limit);

    void append(OutputStream stream, QByteArrayView bytes);

    // A slice is gapless: it ends where bytes are missing, and the next one says how many in `skipped`. atEnd is left false,
    // as only the owner knows whether something follows.
    OutputSlice read(qint64 cursor, qint64 max) const;
    CapturedOutput captured(OutputStream stream) const;
    bool isTruncated(OutputStream stream) const;
    // Bytes of both streams so far: the cursor behind the last one.
    qint64 size() const { return m_size; }
    // How often the stream changes in what the order of arrival is kept of: what bounds the memory beside the bytes.
    qint64 indexSize() const { return std::ssize(m_old) + std::ssize(m_recent); }

private:
    // Bytes of one stream that arrived without a byte of the other in between.
    struct Segment
    {
        qint64 cursor = 0;
        qint64 offset = 0; // in its stream
        quint32 length = 0;
        OutputStream stream = OutputStream::Out;
    };
    struct Stream
    {
        QByteArray head;
        QByteArray ring; // byte at offset o is at (o - m_headLimit) % m_tailLimit
        qint64 total = 0;
    };

    Stream &of(OutputStream stream) { return m_streams[static_cast<size_t>(stream)]; }
    const Stream &of(OutputStream stream) const { return m_streams[static_cast<size_t>(stream)]; }
    qint64 tailBegin(const Stream &stream) const;
    void appendToRing(Stream &stream, QByteArrayView bytes, qint64 offset);
    void appendTailTo(QByteArray &target, const Stream &stream, qint64 from, qint64 to) const;
    void index(OutputStream stream, qint64 length);
    const Segment *segmentAfter(qint64 cursor) const;

    qint64 m_headLimit = 0;
    qint64 m_tailLimit = 0;
    qint64 m_size = 0;
    std::array<Stream, 2> m_streams;
    std::vector<Segment> m_old; // hold bytes of a head, but none of a tail any more: stay for ever
    std::deque<Segment> m_recent; // all behind m_old; the front goes when its bytes have left the tails
};

} // namespace glovebox
