// SPDX-License-Identifier: Apache-2.0
#include "claim.h"

#include <QFile>

namespace glovebox {

Result<std::optional<FileLock>> claim(const QString &lockFile)
{
    // FileLock::create() waits for a lock that is held, so a file that is there is asked first.
    if (QFile::exists(lockFile))
        return FileLock::tryExisting(lockFile);
    auto created = FileLock::create(lockFile);
    if (!created)
        return std::unexpected(created.error());
    return std::optional<FileLock>(std::move(*created));
}

} // namespace glovebox
