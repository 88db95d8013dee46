// SPDX-License-Identifier: Apache-2.0
#include "folderopener.h"

#include "opener/message.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glovebox {

using opener::Request;

namespace {

using namespace std::chrono_literals;

constexpr auto openingTime = 5s; // an automounter may have a server to ask
constexpr auto forEver = std::chrono::hours(24 * 365);
constexpr timeval streamTime{.tv_sec = 5, .tv_usec = 0}; // of a message once it has begun

std::unexpected<Error> ofAnotherVersion()
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "Glovebox was updated while it was running. Restart it."));
}

std::unexpected<Error> leftUndecided(bool hasBegun)
{
    return fail(ErrorCode::Cancelled,
                hasBegun
                    ? QT_TRANSLATE_NOOP("engine",
                                        "Glovebox stopped before the changes were done, as they take long or "
                                        "their file system doesn't answer. Some may be done: \"glovebox changes list\" "
                                        "lists what waits, and the same again finishes it.")
                    : QT_TRANSLATE_NOOP("engine", "Glovebox stopped waiting for a folder whose file system doesn't "
                                                  "answer. Nothing was done; look after what mounts it, and try "
                                                  "again."));
}

std::unexpected<Error> endedInTheMiddle()
{
    return fail(ErrorCode::Cancelled,
                QT_TRANSLATE_NOOP("engine", "Glovebox's program for the changes ended before they were done. Some may "
                                            "be done: \"glovebox changes list\" lists what waits, and the same again "
                                            "finishes it."));
}

} // namespace

void FolderOpener::giveUp()
{
    m_isGivenUp = true;
    m_program.reset();
}

// The person sees how far it is also while nothing moves, and can stop it then.
bool FolderOpener::isStoppedByProgress()
{
    if (m_progress && !m_progress(m_applied) && !m_stopped)
        m_stopped = Clock::now();
    return m_stopped.has_value();
}

// Applying ends before the next file. Others go on to their end.
void FolderOpener::stopApplying()
{
    if (m_progress && !std::exchange(m_isTold, true))
        static_cast<void>(opener::send(m_program->channel(), request(Request::Stop)));
}

bool FolderOpener::waitForAnswer(const std::stop_token &stop, Patience patience)
{
    constexpr auto toStop = 3s; // before it is given up
    const Clock::time_point end = Clock::now() + patience.most;
    for (pollfd answer{m_program->channel(), POLLIN, 0}; ::poll(&answer, 1, 20) <= 0;) {
        Clock::time_point last = end;
        if (!m_engineStopped && stop.stop_requested())
            m_engineStopped = Clock::now();
        if (m_engineStopped) {
            last = std::min(last, *m_engineStopped + patience.afterStop);
            if (Clock::now() >= *m_engineStopped + patience.afterStop - toStop)
                stopApplying();
        }
        if (isStoppedByProgress()) {
            last = std::min(last, m_stopped.value_or(end) + patience.afterOwnStop);
            stopApplying();
        }
        if (Clock::now() >= last)
            return false;
    }
    return true;
}

std::unexpected<Error> FolderOpener::ended(int error)
{
    auto why = m_program && m_hostPaths.isEmpty() ? m_program->whyNotLoaded() : std::nullopt;
    giveUp();
    return why ? std::unexpected(*std::move(why))
               : fail(ErrorCode::Unavailable,
                      Text(QT_TRANSLATE_NOOP("engine",
                                             "The folder %1 can't be opened, because Glovebox's program for it "
                                             "ended. Try again."),
                           {m_about}),
                      errnoDetail(error, m_path));
}

Result<QByteArray> FolderOpener::ask(const QByteArray &request, Patience patience, int descriptor, UniqueFd *answered)
{
    if (m_isGivenUp || !m_program)
        return ended(ECHILD);
    if (const int error = opener::send(m_program->channel(), request, descriptor); error != 0)
        return ended(error);
    m_engineStopped.reset();
    for (;;) {
        if (!waitForAnswer(m_stop, patience)) {
            giveUp();
            if (m_stop.stop_requested() || m_stopped)
                return fail(ErrorCode::Cancelled,
                            Text(QT_TRANSLATE_NOOP("engine", "The run was stopped before it started.")));
            return fail(
                ErrorCode::TimedOut,
                Text(QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: its file system hasn't answered for "
                                                 "%2 s. Look after what mounts it, or show another folder."),
                     {m_about, QString::number(std::chrono::ceil<std::chrono::seconds>(patience.most).count())}));
        }
        opener::Message message;
        if (const int error = opener::receive(m_program->channel(), message); error != 0)
            return ended(error);
        QDataStream in(message.bytes);
        opener::Request of{};
        bool isError = true;
        in >> of >> isError;
        if (of == Request::Progress) {
            QByteArray now;
            in >> now;
            QDataStream(now) >> m_applied.changes >> m_applied.allChanges >> m_applied.bytes >> m_applied.allBytes;
            continue;
        }
        if (of != opener::Request(request.front())) // that more was added was told, and nobody listened any more
            continue;
        if (isError) {
            Error error;
            opener::operator>>(in, error);
            return std::unexpected(error);
        }
        if (answered)
            *answered = std::move(message.descriptor);
        QByteArray answer;
        in >> answer;
        return answer;
    }
}

template<typename... Fields> QByteArray FolderOpener::request(const Fields &...fields)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    static_cast<void>((out << ... << fields));
    return bytes;
}

Status FolderOpener::start()
{
    if (m_program || m_isGivenUp)
        return {};
    m_program = std::make_unique<OwnProgram>();
    RETURN_IF_ERROR(m_program->start(
        {.path = m_path, .socket = SOCK_STREAM, .channelAt = {STDIN_FILENO}, .keepsEnvironment = true}));
    for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(m_program->channel(), SOL_SOCKET, direction, &streamTime, sizeof streamTime);
    return {};
}

Result<OpenedFolder> FolderOpener::open(const FolderGrant &grant, const OwnFolders &own)
{
    RETURN_IF_ERROR(start());
    m_about = grant.hostPath;
    UniqueFd handle;
    const auto answer = ask(request(Request::Open, opener::protocolVersion, grant.hostPath, grant.path, grant.mode,
                                    own.data, own.programs, own.servers),
                            {openingTime, 0s}, -1, &handle);
    if (!answer)
        return std::unexpected(answer.error());
    OpenedFolder folder;
    QDataStream in(*answer);
    quint32 version = 0;
    in >> version >> folder.hostPath >> folder.path >> folder.writable >> folder.device >> folder.inode;
    if (version != opener::protocolVersion || in.status() != QDataStream::Ok) {
        giveUp();
        return ofAnotherVersion();
    }
    folder.handle = std::make_shared<const UniqueFd>(std::move(handle));
    m_hostPaths.append(folder.hostPath);
    return folder;
}

Result<TreeSize> FolderOpener::count(qsizetype folder, const QByteArray &order)
{
    m_about = m_hostPaths.value(folder);
    const auto answer = ask(request(Request::Count, qint64(folder), order), {forEver, 0s});
    if (!answer)
        return std::unexpected(answer.error());
    TreeSize size;
    QDataStream in(*answer);
    in >> size.bytes >> size.entries;
    return size;
}

Result<QByteArray> FolderOpener::copy(qsizetype folder, const QByteArray &order, int to)
{
    m_about = m_hostPaths.value(folder);
    return ask(request(Request::Copy, qint64(folder), order), {forEver, 0s}, to);
}

Status FolderOpener::remember(qsizetype folder)
{
    m_about = m_hostPaths.value(folder);
    const auto answer = ask(request(Request::Remember, qint64(folder), QByteArray()), {forEver, 0s});
    return answer ? Status() : std::unexpected(answer.error());
}

Result<bool> FolderOpener::measure(const QStringList &copies, TreeSize most)
{
    const auto answer = ask(request(Request::Measure, copies, most.bytes, most.entries), {forEver, 0s});
    if (!answer)
        return std::unexpected(answer.error());
    bool isCountable = false;
    QDataStream(*answer) >> isCountable;
    return isCountable;
}

Result<bool> FolderOpener::watch(pid_t init, const std::stop_token &stop)
{
    if (m_isGivenUp || !m_program)
        return ended(ECHILD);
    if (const int error = opener::send(m_program->channel(), request(Request::Watch, qint64(init))); error != 0)
        return ended(error);
    m_engineStopped.reset();
    if (!waitForAnswer(stop, {forEver, 0s}))
        return false;
    opener::Message message;
    if (const int error = opener::receive(m_program->channel(), message); error != 0)
        return ended(error);
    return true;
}

Result<bool> FolderOpener::isOver()
{
    const auto answer = ask(request(Request::EndWatch), {30s, 2s});
    if (!answer)
        return std::unexpected(answer.error());
    bool isOver = false;
    QDataStream(*answer) >> isOver;
    return isOver;
}

Result<std::pair<bool, QList<FolderChange>>> FolderOpener::changes(qsizetype folder)
{
    m_about = m_hostPaths.value(folder);
    const auto answer = ask(request(Request::Changes, qint64(folder), QByteArray()), {30s, 2s});
    if (!answer)
        return std::unexpected(answer.error());
    std::pair<bool, QList<FolderChange>> changes;
    QDataStream in(*answer);
    in >> changes.first >> changes.second;
    return changes;
}

Result<WrittenFiles> FolderOpener::written(qsizetype folder, int to)
{
    m_about = m_hostPaths.value(folder);
    const auto answer = ask(request(Request::Written, qint64(folder), QByteArray()), {30s, 2s}, to);
    if (!answer)
        return std::unexpected(answer.error());
    WrittenFiles written;
    QDataStream in(*answer);
    in >> written.files >> written.left;
    return written;
}

Result<QByteArray> FolderOpener::compare(qsizetype folder, const QByteArray &tree, int copy)
{
    m_about = m_hostPaths.value(folder);
    return ask(request(Request::Compare, qint64(folder), tree), {30s, 2s}, copy);
}

Result<ApplyReport> FolderOpener::decide(const QString &data, FolderDeed deed, const QString &run,
                                         const Staging::Begin &begin, const ChosenChanges &chosen,
                                         const ApplyProgress &progress)
{
    constexpr Patience patience{forEver, 10s, 60s}; // a large file may be on its way to a slow disk
    RETURN_IF_ERROR(start());
    m_about = data;
    if (deed != FolderDeed::Discard)
        m_progress = progress ? progress : [](const AppliedUntilNow &) { return true; };
    const auto begun = ask(request(Request::Decide, opener::protocolVersion, data, deed, run, chosen.has_value(),
                                   chosen.value_or(QList<FolderChanges>())),
                           patience);
    if (!begun)
        return begun.error().code == ErrorCode::Cancelled && m_isGivenUp ? leftUndecided(false)
                                                                         : std::unexpected(begun.error());
    quint32 version = 0;
    PendingChanges waiting;
    QDataStream in(*begun);
    in >> version >> waiting.run >> waiting.folders >> waiting.isCutShort;
    if (version != opener::protocolVersion || in.status() != QDataStream::Ok)
        return ofAnotherVersion();
    const Status may = begin ? begin(waiting) : Status();
    const auto ended = ask(request(Request::Begin, may.has_value()), patience);
    if (!may)
        return std::unexpected(may.error());
    if (!ended && m_isGivenUp)
        return ended.error().code == ErrorCode::Cancelled ? leftUndecided(true) : endedInTheMiddle();
    if (!ended)
        return std::unexpected(ended.error());
    ApplyReport report;
    QDataStream answer(*ended);
    if (deed != FolderDeed::Discard)
        opener::operator>>(answer, report);
    return report;
}

} // namespace glovebox
