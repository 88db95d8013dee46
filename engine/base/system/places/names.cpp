// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <sys/stat.h>

#include <cstdio>

namespace glovebox {

int renameByLink(int folder, const char *from, const char *to)
{
    struct stat info = {};
    if (::fstatat(folder, from, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    if (S_ISDIR(info.st_mode)) // some systems let root make loops of folders
        return EOPNOTSUPP;
    if (::linkat(folder, from, folder, to, 0) != 0)
        return errno;
    ::unlinkat(folder, from, 0); // where that fails, the file has its new name all the same
    return 0;
}

} // namespace glovebox
