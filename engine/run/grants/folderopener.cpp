// SPDX-License-Identifier: Apache-2.0
#include "folderopener.h"

#include "opener/message.h"

#include <QFile>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <vector>

namespace glovebox {

namespace {

constexpr timeval openingTime{.tv_sec = 5, .tv_usec = 0}; // an automounter may have a server to ask
constexpr timeval endTime{.tv_sec = 0, .tv_usec = 50'000};

// Killed, but a process in the hands of a file system that hangs ends only when that lets go of it. Until then nobody waits.
void reapLater(pid_t process)
{
    static std::mutex mutex;
    static std::vector<pid_t> givenUp;
    const std::scoped_lock lock(mutex);
    givenUp.push_back(process);
    std::erase_if(givenUp, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

} // namespace

FolderOpener::~FolderOpener()
{
    if (m_process < 0)
        return;
    ::kill(m_process, SIGKILL);
    // Most are gone at once.
    ::setsockopt(m_channel.get(), SOL_SOCKET, SO_RCVTIMEO, &endTime, sizeof endTime);
    char end = 0;
    std::ignore = ::recv(m_channel.get(), &end, 1, 0);
    reapLater(m_process);
}

Status FolderOpener::start()
{
    std::array<int, 2> pair{};
    int error = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0 ? 0 : errno;
    UniqueFd theirs;
    if (error == 0) {
        m_channel.reset(pair[0]);
        theirs.reset(pair[1]);
        std::string path = QFile::encodeName(m_program).toStdString();
        std::array<char *, 2> argv{path.data(), nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
        for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
            ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
        sigset_t none;
        sigemptyset(&none);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
        error = ::posix_spawn(&m_process, path.c_str(), &actions, &attributes, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    if (error == 0)
        return {};
    m_process = -1;
    return fail(ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine", "Glovebox's program that opens folders can't be started, so none can "
                                                 "be shown. Reinstall Glovebox.")),
                errnoDetail(error, m_program));
}

// Returns what follows the answer's first field.
Result<QByteArray> FolderOpener::ask(const QByteArray &request, int descriptor, UniqueFd &answered,
                                     const QString &about)
{
    const std::stop_callback wake(m_stop, [this] { ::shutdown(m_channel.get(), SHUT_RDWR); });
    opener::Message message;
    int error = opener::send(m_channel.get(), request, descriptor);
    if (error == 0)
        error = opener::receive(m_channel.get(), message);
    if (m_stop.stop_requested())
        return fail(ErrorCode::Cancelled, Text(QT_TRANSLATE_NOOP("engine", "It was cancelled before it started.")));
    if (error == EAGAIN)
        return fail(ErrorCode::TimedOut,
                    Text(QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: its file system hasn't answered for "
                                                     "%2 s. Look after what mounts it, or show another folder."),
                         {about, QString::number(openingTime.tv_sec)}));
    if (error != 0)
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "The folder %1 can't be opened, because Glovebox's program for it "
                                                     "ended. Try again."),
                         {about}),
                    errnoDetail(error, m_program));
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
    if (m_process < 0) {
        if (Status started = start(); !started)
            return std::unexpected(started.error());
    }
    QByteArray request;
    QDataStream out(&request, QIODevice::WriteOnly);
    out << opener::Request::Open << grant.hostPath << grant.path << grant.mode << own.data << own.programs;
    ::setsockopt(m_channel.get(), SOL_SOCKET, SO_RCVTIMEO, &openingTime, sizeof openingTime);
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
    ::setsockopt(m_channel.get(), SOL_SOCKET, SO_RCVTIMEO, &forEver, sizeof forEver);
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
