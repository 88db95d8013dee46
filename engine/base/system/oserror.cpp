// SPDX-License-Identifier: Apache-2.0
// Maps errno values.
#include "oserror.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace glovebox {

ErrorCode codeForErrno(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: // RLIMIT_FSIZE or the file system's largest file
        return ErrorCode::Full;
    case EACCES:
    case EPERM:
    case EROFS:
        return ErrorCode::PermissionDenied;
    case ENOENT:
        return ErrorCode::NotFound;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return ErrorCode::InvalidInput;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return ErrorCode::Unavailable;
    case EAGAIN:
    case EBUSY:
        return ErrorCode::Busy;
    default:
        return ErrorCode::Io;
    }
}

bool isFileSizeLimited()
{
    rlimit limit{};
    return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

QString errnoText(int error)
{
    return QString::fromStdString(std::generic_category().message(error));
}

Text errnoDetail(int error, const QString &path)
{
    return Text(QT_TRANSLATE_NOOP("engine", "%1 (errno %2): %3"), {errnoText(error), QString::number(error), path});
}

} // namespace glovebox
