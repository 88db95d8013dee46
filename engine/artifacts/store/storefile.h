// SPDX-License-Identifier: Apache-2.0
// Files of the content store while they are written, and the sentences about what goes wrong with them.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace glovebox {

// A file under a temporary name, removed unless it got its real one. A killed program may leave one behind: harmless, since
// no digest has such a name.
class TemporaryFile
{
public:
    explicit TemporaryFile(const QString &folder);
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    TemporaryFile(TemporaryFile &&other) noexcept;
    TemporaryFile &operator=(TemporaryFile &&) = delete;
    ~TemporaryFile();

    bool isOpen() const { return m_exists; }

    // Each returns false and leaves errno.
    bool hasSpaceFor(qint64 bytes) const; // true also where nobody can tell
    bool lock() const; // while it is open, removeUnlocked() leaves it alone
    bool write(QByteArrayView body) { return writeWhole(m_fd.get(), {body.data(), size_t(body.size())}); }
    bool sync() const;
    bool renameTo(const QString &path);

private:
    QByteArray m_name;
    UniqueFd m_fd;
    bool m_exists;
};

// Removes temporary files that were locked by programs that are gone.
void removeUnlocked(const QString &folder);

std::unexpected<Error> cannotStore(int error, const QString &path);
std::unexpected<Error> cannotRemove(int error, const QString &path);
std::unexpected<Error> damagedBody(const QString &path);
std::unexpected<Error> noDigest();

// The file of a body, readable from its beginning.
Result<UniqueFd> openBody(const QString &path);
// Reads it to its end, which may come before or after what it says of its size. to: an error ends it.
Status readBody(const UniqueFd &body, const QString &path, const std::function<Status(QByteArrayView)> &to);

// Makes the folder of path if it isn't there. Those that have to be synced when a file in it has its name.
Result<QStringList> folderFor(const QString &path);
Status syncAll(const QStringList &folders, const QString &path);

} // namespace glovebox
