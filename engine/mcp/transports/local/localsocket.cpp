// SPDX-License-Identifier: Apache-2.0
#include "localsocket.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace glovebox::mcp {

namespace {

Result<sockaddr_un> addressOf(const QString &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    if (size_t(name.size()) >= sizeof address.sun_path)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "The path of the socket %1 is too long. Set XDG_RUNTIME_DIR to a shorter one."),
            {path});
    std::memcpy(address.sun_path, name.constData(), size_t(name.size()));
    return address;
}

// Nobody else can put a socket of their own there, or read from one that is there.
Status checkPlace(const QString &path)
{
    const QString folder = QFileInfo(path).path();
    struct stat info = {};
    if (::lstat(QFile::encodeName(folder).constData(), &info) != 0)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "There is no folder %1. Start the workbench."),
                    {folder});
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 022) != 0)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "Others can write to the folder %1. Make it yours alone (0700)."),
                    {folder});
    return {};
}

std::unexpected<Error> notOurs(const QString &path)
{
    return fail(ErrorCode::PermissionDenied,
                QT_TRANSLATE_NOOP("engine", "%1 is not a socket of yours. Remove that file, and try again."), {path});
}

} // namespace

QString socketFile(const Paths &paths)
{
    return paths.runtime + QStringLiteral("/mcp.sock");
}

Result<LocalListener> LocalListener::create(const QString &path)
{
    ASSIGN_OR_RETURN(const sockaddr_un address, addressOf(path));
    RETURN_IF_ERROR(makePrivateFolder(QFileInfo(path).path()));
    RETURN_IF_ERROR(checkPlace(path));
    const QString lockPath = path + QStringLiteral(".lock");
    if (QFile::exists(lockPath)) {
        ASSIGN_OR_RETURN(const std::optional<FileLock> free, FileLock::tryExisting(lockPath));
        if (!free && QFile::exists(lockPath))
            return fail(ErrorCode::Busy,
                        QT_TRANSLATE_NOOP("engine", "Another program of Glovebox listens at %1 already."), {path});
    }
    ASSIGN_OR_RETURN(FileLock lock, FileLock::create(lockPath));
    LocalListener listener(std::move(lock), path);

    struct stat there = {};
    if (::lstat(address.sun_path, &there) == 0) { // left by a program that died: the lock is ours
        if (!S_ISSOCK(there.st_mode) || there.st_uid != ::geteuid())
            return notOurs(path);
        ::unlink(address.sun_path);
    }
    listener.m_socket.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::fchmod(listener.m_socket.get(), 0600); // what bind() makes has this mode (unix(7))
    if (::bind(listener.m_socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
        || ::chmod(address.sun_path, 0600) != 0 || ::lstat(address.sun_path, &there) != 0
        || (there.st_mode & 0777) != 0600 || there.st_uid != ::geteuid() || ::listen(listener.m_socket.get(), 64) != 0)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "The socket %1 can't be made: %2. Check its folder."),
                    {path, errnoText(errno)});
    return listener;
}

LocalListener::~LocalListener()
{
    if (!m_socket)
        return;
    ::unlink(QFile::encodeName(m_path).constData());
    m_lock.removeAndRelease();
}

Result<UniqueFd> connectToLocal(const QString &path)
{
    ASSIGN_OR_RETURN(const sockaddr_un address, addressOf(path));
    RETURN_IF_ERROR(checkPlace(path));
    struct stat there = {};
    if (::lstat(address.sun_path, &there) != 0)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "Nobody listens at %1. Start the workbench."),
                    {path});
    if (!S_ISSOCK(there.st_mode) || there.st_uid != ::geteuid())
        return notOurs(path);
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "Nobody listens at %1. Start the workbench."),
                    {path});
    const auto peer = peerOf(socket.get());
    if (!peer || peer->uid != ::geteuid())
        return notOurs(path);
    return socket;
}

} // namespace glovebox::mcp
