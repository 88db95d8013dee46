// SPDX-License-Identifier: Apache-2.0
// What an errno means to the engine.
#pragma once

#include "engine/base/result.h"

#include <QString>

namespace glovebox {

// The class of failure: ENOSPC and EDQUOT are Full, EACCES, EPERM and EROFS PermissionDenied, and so on; otherwise Io.
ErrorCode codeForErrno(int error);
// Files of this process can grow no further than a limit that it was started under (ulimit -f). Failing there says nothing of the disk.
bool isFileSizeLimited();
// "Permission denied": strerror(3) without its global buffer.
QString errnoText(int error);
// For Error::detail: "Permission denied (errno 13): /path".
Text errnoDetail(int error, const QString &path);

} // namespace glovebox
