// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/memory.h"

#include <QByteArray>
#include <QRandomGenerator>

#include <fcntl.h>
#include <sys/mman.h>

namespace glovebox {

std::optional<qint64> availableMemory()
{
    return std::nullopt;
}

void keepOutOfCopies(void *, std::size_t) { }

// Under a name that nobody else has guessed, for as long as it takes to remove that.
UniqueFd openMemoryFile(const char *name)
{
    const QByteArray path =
        '/' + QByteArray(name) + '-' + QByteArray::number(QRandomGenerator::system()->generate64(), 36);
    UniqueFd file(::shm_open(path.constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file)
        ::shm_unlink(path.constData());
    return file;
}

} // namespace glovebox
