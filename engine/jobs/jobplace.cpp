// SPDX-License-Identifier: Apache-2.0
#include "jobplace.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostJobBytes = 64 * kibibyte;
constexpr int mostVisitorsWaiting = 16;
constexpr auto patienceAtDoor = std::chrono::seconds(1);
constexpr auto lookAgainAtDoor = std::chrono::milliseconds(5);

const QString lockSuffix = u".lock"_s, socketSuffix = u".socket"_s, noteSuffix = u".json"_s;

Result<sockaddr_un> addressIn(const UniqueFd &folder, const QString &path, const QString &name)
{
    const auto address = unixAddress(folder.get(), path, name);
    if (!address)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The name of a socket is too long."), {});
    return *address;
}

std::unexpected<Error> noDoor(const QString &folder, int error)
{
    return fail(
        codeForErrno(error),
        Text(QT_TRANSLATE_NOOP("engine", "The job can't be shown to other programs in %1: %2. Check the free space "
                                         "and the folder's permissions."),
             {folder, errnoText(error)}));
}

UniqueFd folderAt(const QString &path)
{
    return openFolderPlace(QFile::encodeName(path).constData());
}

// 0, or an errno; EAGAIN: so many wait already that nobody else can.
int connectOnce(const UniqueFd &visitor, const sockaddr_un &address)
{
    return ::connect(visitor.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 ? 0 : errno;
}

} // namespace

Result<JobPlace> JobPlace::make(const QString &folder)
{
    RETURN_IF_ERROR(makePrivateFolder(folder));
    JobPlace place(folder, newId(Clock::system()));
    ASSIGN_OR_RETURN(place.m_lock, FileLock::create(place.file(lockSuffix)));
    const UniqueFd within = folderAt(folder);
    ASSIGN_OR_RETURN(const sockaddr_un address, addressIn(within, folder, place.m_id + socketSuffix));
    place.m_listener.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!within || !place.m_listener || ::fchmod(place.m_listener.get(), 0600) != 0 // for bind(2)
        || ::bind(place.m_listener.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
        || ::listen(place.m_listener.get(), mostVisitorsWaiting) != 0) {
        const int error = errno;
        place.remove();
        return noDoor(folder, error);
    }
    return place;
}

std::vector<JobPlace> JobPlace::living(const QString &folder)
{
    std::vector<JobPlace> all;
    for (const QString &name : QDir(folder).entryList({u'*' + lockSuffix}, QDir::Files)) {
        JobPlace place(folder, name.chopped(lockSuffix.size()));
        auto lock = FileLock::tryExisting(place.file(lockSuffix));
        if (lock && *lock) { // its process is gone
            place.m_lock = *std::move(lock);
            place.remove();
        } else {
            all.push_back(std::move(place));
        }
    }
    return all;
}

Status JobPlace::write(const Job &job) const
{
    QJsonObject note = toJson(job);
    note[u"wall_ms"_s] = qint64(job.wall.count());
    const int error = replaceFile(file(noteSuffix), QJsonDocument(note).toJson(QJsonDocument::Compact));
    return error == 0 ? Status() : noDoor(m_folder, error);
}

std::optional<Job> JobPlace::read() const
{
    const auto bytes = readOwnFile(file(noteSuffix), mostJobBytes);
    const std::optional<QByteArray> content = bytes.value_or(std::nullopt);
    if (!content)
        return std::nullopt;
    const auto note = parseStrictJson(*content);
    if (!note || !isId((*note)[u"job"_s].toString()))
        return std::nullopt;
    return Job{.run = (*note)[u"job"_s].toString(),
               .session = (*note)[u"session"_s].toString(),
               .startedMicroseconds = (*note)[u"started_us"_s].toInteger(),
               .wall = std::chrono::milliseconds((*note)[u"wall_ms"_s].toInteger()),
               .pid = (*note)[u"pid"_s].toInteger(),
               .firstLine = (*note)[u"first_line"_s].toString()};
}

bool JobPlace::lives() const
{
    const auto lock = FileLock::tryExisting(file(lockSuffix));
    return (!lock || !*lock) && QFile::exists(file(lockSuffix));
}

Result<UniqueFd> JobPlace::connect(const std::stop_token &stop) const
{
    const UniqueFd within = folderAt(m_folder);
    ASSIGN_OR_RETURN(const sockaddr_un address, addressIn(within, m_folder, m_id + socketSuffix));
    UniqueFd visitor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto end = std::chrono::steady_clock::now() + patienceAtDoor;
    int error = connectOnce(visitor, address);
    while (error == EAGAIN && !stop.stop_requested() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(lookAgainAtDoor);
        error = connectOnce(visitor, address);
    }
    if (error == EAGAIN)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The job's process doesn't answer."), {});
    if (error != 0 || ::fcntl(visitor.get(), F_SETFL, 0) != 0)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "The job has ended."), {},
                    errnoDetail(error, file(socketSuffix)));
    return visitor;
}

void JobPlace::remove()
{
    for (const QString &suffix :
         {noteSuffix, noteSuffix + u".new"_s, socketSuffix}) // replaceFile() may have been cut short
        ::unlink(QFile::encodeName(file(suffix)).constData());
    if (m_lock)
        m_lock->removeAndRelease();
    m_listener.reset();
}

} // namespace glovebox
