// SPDX-License-Identifier: Apache-2.0
// Names that are given to files without taking another file's, which may appear at any time.
#pragma once

#include "engine/base/system/descriptor.h"

namespace glovebox {

// A new file of a folder, which is gone with its descriptors unless it gets a name; none with errno. EOPNOTSUPP: the file system has
// no such files, and none has by POSIX. access: O_WRONLY or O_RDWR. path: of the folder, from another one.
UniqueFd openNameless(int folder, const char *path, int access);
// Its first name. 0 or an errno; EEXIST: another has it.
int nameFile(int nameless, int folder, const char *name);

// 0 or an errno; EEXIST: another has the name. Where the system can't do it at once, a file has both names for a moment, or the file system
// has no such names (EPERM, EOPNOTSUPP, ENOSYS); a folder stays as it is: EOPNOTSUPP.
int renameToNew(int folder, const char *from, const char *to);
int renameByLink(int folder, const char *from, const char *to); // what it does there
// Both change their places at once, so that whoever looks finds each name. 0 or an errno; by POSIX always ENOTSUP.
int exchangeNames(const char *one, const char *other);

} // namespace glovebox
