// SPDX-License-Identifier: Apache-2.0
// An advisory lock on a file (flock(2)) that ends with the process, however it ends.
#pragma once

#include "engine/base/result.h"
#include "engine/base/system/descriptor.h"

#include <QString>

#include <optional>

namespace glovebox {

class FileLock
{
public:
    // Creates the file if need be and holds it; the path is checked to still name the locked file (a recovering program may
    // have unlinked it in between), else it starts over.
    static Result<FileLock> create(const QString &path);
    // Takes the lock of an existing file without waiting: nullopt when somebody holds it or the file is gone.
    static Result<std::optional<FileLock>> tryExisting(const QString &path);
    // Whether somebody holds the lock of a file. Several may ask at once; who wants the lock meanwhile doesn't get it for that moment.
    static bool isHeld(const QString &path);

    FileLock(FileLock &&) = default;
    FileLock &operator=(FileLock &&) = default;

    const QString &path() const { return m_path; }
    // Unlinks the file while still holding it, then releases it.
    void removeAndRelease();

private:
    FileLock(UniqueFd fd, QString path)
        : m_fd(std::move(fd))
        , m_path(std::move(path))
    {
    }
    UniqueFd m_fd;
    QString m_path;
};

} // namespace glovebox
