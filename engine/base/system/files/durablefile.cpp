// SPDX-License-Identifier: Apache-2.0
#include "durablefile.h"

#include "diskwait.h"

#include "engine/base/system/descriptor.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include <fcntl.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

int replaceFile(const QString &path, QByteArrayView bytes)
{
    const DiskWait wait;
    const QByteArray fresh = QFile::encodeName(path + QStringLiteral(".new"));
    ::unlink(fresh.constData()); // half of it may be left of a program that was killed
    const UniqueFd fd(::open(fresh.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd)
        return errno;
    if (!writeWhole(fd.get(), {bytes.data(), std::size_t(bytes.size())}) || ::fsync(fd.get()) != 0
        || ::rename(fresh.constData(), QFile::encodeName(path).constData()) != 0) {
        const int error = errno;
        ::unlink(fresh.constData());
        return error;
    }
    syncFolder(QFileInfo(path).path()); // in its place the new file is all the same
    return 0;
}

bool commitWhole(QSaveFile &file)
{
    const DiskWait wait;
    return file.flush() && file.commit();
}

int syncFolder(const QString &folder)
{
    const UniqueFd fd(::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const DiskWait wait;
    if (fd && ::fsync(fd.get()) == 0)
        return 0;
    return fd && errno == EINVAL ? 0 : errno; // some file systems can't sync folders, and need not
}

} // namespace glovebox
