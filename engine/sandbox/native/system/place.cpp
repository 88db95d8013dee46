// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

UniqueFd openPlace(int folder, const char *name)
{
    return UniqueFd(::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

UniqueFd openFolderPlace(const char *path, int flags)
{
    return UniqueFd(::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | flags));
}

UniqueFd openBeneath(int folder, const char *path, int flags)
{
    open_how how = {};
    how.flags = static_cast<__u64>(flags);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how)));
}

UniqueFd openHeld(int place, int flags)
{
    return UniqueFd(::open(pathOfDescriptor(place).constData(), flags));
}

bool changeMode(int place, mode_t mode)
{
    return ::chmod(pathOfDescriptor(place).constData(), mode) == 0;
}

bool changeOwner(int place, uid_t user, gid_t group)
{
    return ::fchownat(place, "", user, group, AT_EMPTY_PATH) == 0;
}

bool changeTimes(int place, const timespec (&times)[2])
{
    return ::utimensat(place, "", times, AT_EMPTY_PATH) == 0;
}

QByteArray pathOfDescriptor(int descriptor)
{
    return "/proc/self/fd/" + QByteArray::number(descriptor);
}

std::optional<int> descriptorOfPath(const QByteArray &path)
{
    const QFileInfo file(QFile::decodeName(path));
    const QString folder = QFileInfo(file.path()).canonicalFilePath(); // of /dev/fd and /proc/self/fd, too
    bool isNumber = false;
    const int number = file.fileName().toInt(&isNumber);
    const bool isOurs = folder.startsWith(u"/proc/%1/"_s.arg(::getpid())) && folder.endsWith("/fd"_L1);
    return isNumber && isOurs ? std::optional(number) : std::nullopt;
}

} // namespace glovebox
