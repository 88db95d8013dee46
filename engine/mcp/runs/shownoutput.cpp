// SPDX-License-Identifier: Apache-2.0
#include "shownoutput.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr int outputTurnsMax = 4096; // of a run that prints as fast as it is read, an answer still comes to its end

struct ShownStream
{
    QByteArray head, tail;
    qint64 total = 0;
    std::optional<qint64> missing; // cursor of the first byte that head lacks

    bool isCut() const { return total > head.size() + tail.size(); }

    void take(const OutputChunk &chunk, qint64 cursor)
    {
        const bool isGap = chunk.offset > total; // the store itself has lost what lies between
        total = chunk.offset + chunk.bytes.size();
        qsizetype forHead = 0;
        if (!missing && !isGap)
            forHead = std::min<qsizetype>(shownHeadBytes - head.size(), chunk.bytes.size());
        head.append(chunk.bytes.first(forHead));
        if (forHead == chunk.bytes.size())
            return;
        if (!missing)
            missing = cursor + forHead;
        tail.append(chunk.bytes.sliced(forHead));
        if (isGap || tail.size() > shownTailBytes)
            tail = (isGap ? chunk.bytes : tail)
                       .last(std::min<qsizetype>(shownTailBytes, isGap ? chunk.bytes.size() : tail.size()));
    }

    // Cuts between characters.
    void trim()
    {
        if (!isCut())
            return;
        const qsizetype unfinished = unfinishedCharacter(head);
        head.chop(unfinished);
        if (missing)
            *missing -= unfinished;
        qsizetype begin = 0;
        while (begin < std::min<qsizetype>(3, tail.size()) && (uchar(tail.at(begin)) & 0xc0) == 0x80)
            ++begin;
        tail.remove(0, begin);
    }

    QString text() const
    {
        if (!isCut())
            return textFromBytes(head + tail);
        const qint64 left = total - head.size() - tail.size();
        return textFromBytes(head)
               + u"\n[... %1 left out: wait_run with \"cursor\": %2 reads on ...]\n"_s
                     .arg(left == 1 ? u"1 byte"_s : u"%1 bytes"_s.arg(left))
                     .arg(missing.value_or(0))
               + textFromBytes(tail);
    }
};

} // namespace

qsizetype unfinishedCharacter(QByteArrayView bytes)
{
    for (qsizetype length = 1; length <= std::min<qsizetype>(3, bytes.size()); ++length) {
        const auto byte = uchar(bytes[bytes.size() - length]);
        if ((byte & 0xc0) != 0x80)
            return utf8Length(byte) > length ? length : 0;
    }
    return 0;
}

ShownOutput headAndTail(const OutputSource &source)
{
    ShownStream streams[2];
    qint64 cursor = 0;
    for (int turn = 0; turn < outputTurnsMax; ++turn) {
        const OutputSlice slice = source(cursor, 256 * kibibyte);
        qint64 at = cursor + slice.skipped;
        for (const OutputChunk &chunk : slice.chunks) {
            streams[chunk.stream == OutputStream::Out ? 0 : 1].take(chunk, at);
            at += chunk.bytes.size();
        }
        if (slice.next == cursor)
            break;
        cursor = slice.next;
    }
    ShownOutput shown;
    shown.cursor = cursor;
    for (ShownStream &stream : streams) {
        stream.trim();
        if (stream.isCut()) {
            shown.isCut = true;
            shown.cursor = std::min(shown.cursor, stream.missing.value_or(0));
        }
    }
    shown.out = streams[0].text();
    shown.err = streams[1].text();
    shown.outBytes = streams[0].total;
    shown.errBytes = streams[1].total;
    return shown;
}

ShownOutput pageFrom(const OutputSource &source, qint64 cursor, qint64 max)
{
    OutputSlice slice = source(cursor, max);
    const bool isCut = !slice.atEnd && !source(slice.next, 1).chunks.isEmpty();
    if (!slice.chunks.isEmpty() && !slice.atEnd) {
        // The rest of a character comes with the next page.
        QByteArray &last = slice.chunks.last().bytes;
        const qsizetype unfinished = unfinishedCharacter(last);
        if (unfinished < last.size() || slice.chunks.size() > 1) {
            last.chop(unfinished);
            slice.next -= unfinished;
        }
    }
    ShownOutput page{.isCut = isCut, .cursor = slice.next, .skipped = slice.skipped};
    QByteArray texts[2];
    for (const OutputChunk &chunk : slice.chunks)
        texts[chunk.stream == OutputStream::Out ? 0 : 1].append(chunk.bytes);
    page.out = textFromBytes(texts[0]);
    page.err = textFromBytes(texts[1]);
    return page;
}

} // namespace glovebox::mcp
