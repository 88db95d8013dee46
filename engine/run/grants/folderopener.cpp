// SPDX-License-Identifier: Apache-2.0
#include "folderopener.h"

#include "opener/message.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

namespace {

constexpr timeval openingTime{.tv_sec = 5, .tv_usec = 0}; // an automounter may have a server to ask

} // namespace

// Returns what follows the answer's first field.
Result<QByteArray> FolderOpener::ask(const QByteArray &request, int descriptor, UniqueFd &answered,
                                     const QString &about)
{
    const std::stop_callback wake(m_stop, [this] { ::shutdown(m_program.channel(), SHUT_RDWR); });
    opener::Message message;
    int error = opener::send(m_program.channel(), request, descriptor);
    if (error == 0)
        error = opener::receive(m_program.channel(), message);
    if (m_stop.stop_requested())
        return fail(ErrorCode::Cancelled, Text(QT_TRANSLATE_NOOP("engine", "It was cancelled before it started.")));
    if (error == EAGAIN)
        return fail(ErrorCode::TimedOut,
                    Text(QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: its file system hasn't answered for "
                                                     "%2 s. Look after what mounts it, or show another folder."),
                         {about, QString::number(openingTime.tv_sec)}));
    if (error != 0) {
        if (auto why = m_program.whyNotLoaded())
            return std::unexpected(*std::move(why));
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "The folder %1 can't be opened, because Glovebox's program for it "
                                                     "ended. Try again."),
                         {about}),
                    errnoDetail(error, m_path));
    }
    QDataStream in(message.bytes);
    bool isError = true;
    in >> isError;
    if (isError)
        return std::unexpected(opener::decodedError(in));
    answered = std::move(message.descriptor);
    return message.bytes.sliced(in.device()->pos());
}

Result<OpenedFolder> FolderOpener::open(const FolderGrant &grant, const OwnFolders &own)
{
    if (m_program.process() < 0) {
        if (Status started = m_program.start(
                {.path = m_path, .socket = SOCK_STREAM, .channelAt = {STDIN_FILENO}, .keepsEnvironment = true});
            !started)
            return std::unexpected(started.error());
    }
    QByteArray request;
    QDataStream out(&request, QIODevice::WriteOnly);
    out << opener::Request::Open << grant.hostPath << grant.path << grant.mode << own.data << own.programs;
    ::setsockopt(m_program.channel(), SOL_SOCKET, SO_RCVTIMEO, &openingTime, sizeof openingTime);
    UniqueFd handle;
    const auto answer = ask(request, -1, handle, grant.hostPath);
    if (!answer)
        return std::unexpected(answer.error());
    OpenedFolder folder;
    QDataStream in(*answer);
    in >> folder.hostPath >> folder.path >> folder.writable >> folder.device >> folder.inode;
    folder.handle = std::make_shared<const UniqueFd>(std::move(handle));
    m_hostPath = folder.hostPath;
    return folder;
}

Result<QByteArray> FolderOpener::copy(const QByteArray &order, int to)
{
    QByteArray request;
    QDataStream out(&request, QIODevice::WriteOnly);
    out << opener::Request::Copy << order;
    constexpr timeval forEver{};
    ::setsockopt(m_program.channel(), SOL_SOCKET, SO_RCVTIMEO, &forEver, sizeof forEver);
    UniqueFd none;
    const auto answer = ask(request, to, none, m_hostPath);
    if (!answer)
        return std::unexpected(answer.error());
    QByteArray copied;
    QDataStream in(*answer);
    in >> copied;
    return copied;
}

} // namespace glovebox
