// SPDX-License-Identifier: Apache-2.0
#include "reserve.h"

#include "engine/base/base.h"
#include "engine/policy/policy.h"

#include <QFile>
#include <QFileInfo>
#include <QList>
#include <QRandomGenerator>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace glovebox {

namespace {

constexpr qint64 leftForRuns = 256 * kibibyte; // beside it, where it is made again
constexpr qint64 leftAtFirst = 8 * mebibyte; // a disk that is smaller has none

qint64 freeBytes(const QString &folder)
{
    struct statvfs info = {};
    return ::statvfs(QFile::encodeName(folder).constData(), &info) == 0 ? qint64(info.f_bavail) * qint64(info.f_frsize)
                                                                        : 0;
}

// Nothing: no such file.
std::optional<qint64> sizeOf(const QString &file)
{
    struct stat info = {};
    return ::lstat(QFile::encodeName(file).constData(), &info) == 0 && S_ISREG(info.st_mode)
               ? std::optional(qint64(info.st_size))
               : std::nullopt;
}

} // namespace

bool Reserve::isGivenUp() const
{
    const auto size = sizeOf(m_file);
    return size && *size < bytes;
}

bool Reserve::keep() const
{
    const auto size = sizeOf(m_file);
    if ((size && *size >= bytes) || isFileSizeLimited())
        return true;
    if (freeBytes(QFileInfo(m_file).path()) < (size ? bytes + leftForRuns : leftAtFirst))
        return !size;
    const UniqueFd file(
        ::open(QFile::encodeName(m_file).constData(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file)
        return true; // whatever the reason, the log has it, too
    // Some file systems compress what is written, and reserve nothing for fallocate(2).
    QList<quint32> noise(bytes / qsizetype(sizeof(quint32)));
    QRandomGenerator::global()->fillRange(noise.data(), noise.size());
    if (writeWhole(file.get(), {reinterpret_cast<const char *>(noise.constData()), std::size_t(bytes)}))
        return true;
    std::ignore = size ? ::ftruncate(file.get(), 0) : ::unlink(QFile::encodeName(m_file).constData());
    return !size;
}

bool Reserve::giveUp() const
{
    const auto size = sizeOf(m_file);
    if (!size || *size == 0)
        return false;
    const UniqueFd file(::open(QFile::encodeName(m_file).constData(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    return file && ::ftruncate(file.get(), 0) == 0;
}

} // namespace glovebox
