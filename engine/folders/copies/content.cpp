// SPDX-License-Identifier: Apache-2.0
#include "content.h"

#include "engine/base/base.h"

#include <QtEndian>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

namespace glovebox {

namespace {

constexpr qint64 blockBytes = 65536;
using Block = std::array<char, blockBytes>;

struct Extent
{
    qint64 begin = 0;
    qint64 end = 0;
};

// The first part at or behind an offset that is no hole; none where only a hole follows. A file system that can't tell has none.
std::optional<Extent> nextExtent(int file, qint64 at, qint64 size)
{
    if (at >= size)
        return std::nullopt;
    const qint64 begin = ::lseek(file, at, SEEK_DATA);
    if (begin < 0)
        return errno == ENXIO ? std::nullopt : std::optional(Extent{at, size});
    const qint64 end = ::lseek(file, begin, SEEK_HOLE);
    return Extent{begin, end < 0 ? size : end};
}

std::optional<qint64> sizeOf(int file)
{
    struct stat info = {};
    return ::fstat(file, &info) == 0 ? std::optional<qint64>(info.st_size) : std::nullopt;
}

// As many bytes as there are, up to a block; -1 with errno.
qint64 readBlock(int file, Block &block, qint64 at)
{
    qint64 got = 0;
    while (got < blockBytes) {
        const ssize_t n = ::pread(file, block.data() + got, std::size_t(blockBytes - got), at + got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += n;
    }
    return got;
}

bool isZero(const char *bytes, qint64 count)
{
    return count == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, std::size_t(count - 1)) == 0);
}

bool writeAt(int file, const char *bytes, qint64 count, qint64 at)
{
    for (qint64 done = 0; done < count;) {
        const ssize_t n = ::pwrite(file, bytes + done, std::size_t(count - done), at + done);
        if (n < 0 && errno != EINTR)
            return false;
        done += std::max<ssize_t>(n, 0);
    }
    return true;
}

class ContentCopy
{
public:
    ContentCopy(int from, int to, qint64 most, const GoesOn &goesOn)
        : m_from(from)
        , m_to(to)
        , m_most(most)
        , m_goesOn(goesOn)
    {
    }

    qint64 run()
    {
        const std::optional<qint64> size = sizeOf(m_from);
        if (!size)
            return -1;
        qint64 end = 0;
        while (const auto extent = nextExtent(m_from, end, *size)) {
            end = copyPart(*extent);
            if (end < 0)
                return -1;
            if (m_copied > m_most || end < extent->end)
                return m_copied;
        }
        // Some file systems (of FUSE) have more behind the size that they tell, which may be none.
        if (end >= *size)
            end = copyPart({end, std::numeric_limits<qint64>::max()});
        if (end < 0)
            return -1;
        return end >= *size || ::ftruncate(m_to, *size) == 0 ? m_copied : -1;
    }

private:
    // Where it ended, which is earlier at the end of the file and past the most bytes; -1 with errno.
    qint64 copyPart(const Extent &extent)
    {
        qint64 at = extent.begin;
        while (at < extent.end && m_copied <= m_most) {
            const qint64 n = copySome(at, std::min(extent.end - at, m_most + 1 - m_copied));
            if (n < 0)
                return -1;
            if (n == 0)
                break;
            at += n;
            m_copied += n;
            if (m_goesOn && !m_goesOn(n)) {
                errno = ECANCELED;
                return -1;
            }
        }
        return at;
    }

    qint64 copySome(qint64 at, qint64 most)
    {
        if (m_byRange) {
            const qint64 n = copyRange(m_from, at, m_to, at, std::size_t(std::min(most, longestRange)));
            m_byRange = n > 0;
            if (n > 0)
                return n;
        }
        // Where that can't be had, or says that there is nothing (some file systems do, of files that have no size).
        qint64 n = readBlock(m_from, m_block, at);
        n = std::min(n, most);
        return n < 0 || !writeAt(m_to, m_block.data(), n, at) ? -1 : n;
    }

    static constexpr qint64 longestRange = 16 * 1024 * 1024;
    const int m_from;
    const int m_to;
    const qint64 m_most;
    const GoesOn &m_goesOn;
    qint64 m_copied = 0;
    bool m_byRange = true;
    Block m_block;
};

} // namespace

qint64 copyContent(int from, int to, qint64 most, const GoesOn &goesOn)
{
    return ContentCopy(from, to, most, goesOn).run();
}

bool haveSameContent(int a, int b)
{
    const std::optional<qint64> size = sizeOf(a);
    if (!size || size != sizeOf(b))
        return false;
    Block first;
    Block second;
    for (qint64 at = 0;;) {
        const auto here = nextExtent(a, at, *size);
        const auto there = nextExtent(b, at, *size);
        if (!here && !there)
            return true;
        at = std::min(here ? here->begin : *size, there ? there->begin : *size);
        at -= at % blockBytes;
        const qint64 n = readBlock(a, first, at);
        if (n <= 0 || n != readBlock(b, second, at) || std::memcmp(first.data(), second.data(), std::size_t(n)) != 0)
            return false;
        at += blockBytes;
    }
}

QByteArray digestOfContent(int file, const GoesOn &goesOn)
{
    const std::optional<qint64> size = sizeOf(file);
    if (!size)
        return {};
    std::array<uchar, 8> number;
    const auto bytes = [&number](qint64 value) {
        qToLittleEndian(value, number.data());
        return QByteArrayView(reinterpret_cast<const char *>(number.data()), qsizetype(number.size()));
    };
    QByteArray digest = sha256({bytes(*size)});
    Block block;
    qint64 at = 0;
    while (const auto extent = nextExtent(file, at, *size)) {
        at = std::max(at, extent->begin - extent->begin % blockBytes);
        const qint64 n = readBlock(file, block, at);
        if (n <= 0)
            return {};
        if (!isZero(block.data(), n))
            digest = sha256({digest, bytes(at), QByteArrayView(block.data(), n)});
        if (goesOn && !goesOn(n))
            return {};
        at += blockBytes;
    }
    return digest;
}

qint64 bytesOfContent(int file)
{
    const std::optional<qint64> size = sizeOf(file);
    if (!size)
        return -1;
    qint64 bytes = 0;
    qint64 at = 0;
    while (const auto extent = nextExtent(file, at, *size)) {
        bytes += extent->end - extent->begin;
        at = extent->end;
    }
    return bytes;
}

UniqueFd openClosedFile(int parent, const QByteArray &name, quint32 mode)
{
    UniqueFd file(::openat(parent, name.constData(), fileFlags));
    if (file || errno != EACCES || (mode & S_IRUSR) != 0)
        return file;
    const UniqueFd entry = openPlace(parent, name.constData());
    struct stat info = {};
    if (!entry || ::fstat(entry.get(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & 07777) != mode)
        return {};
    // Not by its name, which another program could give to another file meanwhile.
    if (!changeMode(entry.get(), mode | S_IRUSR))
        return {};
    file = openHeld(entry.get(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return changeMode(entry.get(), mode) ? std::move(file) : UniqueFd();
}

} // namespace glovebox
