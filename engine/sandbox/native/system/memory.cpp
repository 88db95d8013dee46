// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QFile>

#include <sys/mman.h>

namespace glovebox {

std::optional<qint64> availableMemory()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith("MemAvailable:"))
            return line.sliced(13).trimmed().chopped(3).toLongLong() * 1024; // of "kB"
    }
    return std::nullopt;
}

void keepOutOfCopies(void *pages, std::size_t bytes)
{
    ::madvise(pages, bytes, MADV_DONTDUMP);
    ::madvise(pages, bytes, MADV_WIPEONFORK); // a child that never execs would leave a second copy
}

UniqueFd openMemoryFile(const char *name)
{
    return UniqueFd(::memfd_create(name, MFD_CLOEXEC));
}

} // namespace glovebox
