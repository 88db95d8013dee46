// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/places/names.h"

#include <cerrno>

namespace glovebox {

UniqueFd openNameless(int, const char *, int)
{
    errno = EOPNOTSUPP;
    return {};
}

int nameFile(int, int, const char *)
{
    return ENOTSUP;
}

int renameToNew(int folder, const char *from, const char *to)
{
    return renameByLink(folder, from, to);
}

int exchangeNames(const char *, const char *)
{
    return ENOTSUP;
}

} // namespace glovebox
