// SPDX-License-Identifier: Apache-2.0
// The outer side of a job's door.
#include "jobplace.h"

#include <QFile>
#include <QJsonArray>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortestJobPrefix = 8; // of an id
constexpr auto patienceWithJob = std::chrono::seconds(20); // killing, keeping the files and recording take seconds
constexpr auto patienceWithPorts = std::chrono::seconds(1); // what is only shown isn't worth a longer wait
constexpr auto lookAgainAtJob = std::chrono::milliseconds(20);
constexpr qsizetype longestPieceHead = 64;
constexpr qsizetype longestAnswer = 64 * kibibyte;

std::unexpected<Error> noJob(const QString &wanted)
{
    return fail(
        ErrorCode::NotFound,
        Text(QT_TRANSLATE_NOOP("engine", "No job \"%1\" is running. \"glovebox session jobs\" shows all."), {wanted}));
}

std::unexpected<Error> noAnswer(const Job &job)
{
    return fail(
        ErrorCode::Unavailable,
        Text(QT_TRANSLATE_NOOP("engine", "The process of the job %1 doesn't answer. To end that process: kill -9 %2"),
             {job.run, QString::number(job.pid)}));
}

std::unexpected<Error> tooManyRead(const Job &job)
{
    return fail(
        ErrorCode::Unavailable,
        Text(QT_TRANSLATE_NOOP("engine",
                               "The output of the job %1 is followed so often already that nobody else can. End one "
                               "that follows it, and try again."),
             {job.run}));
}

// The door of a job that runs.
std::optional<JobPlace> doorOf(const QString &folder, const Job &job)
{
    for (JobPlace &place : JobPlace::living(folder)) {
        if (const auto there = place.read(); there && there->run == job.run)
            return std::move(place);
    }
    return std::nullopt;
}

Result<UniqueFd> visit(const JobPlace &door, const Job &job, const std::stop_token &stop = {})
{
    auto connection = door.connect(stop);
    return connection || connection.error().code != ErrorCode::Unavailable ? std::move(connection) : noAnswer(job);
}

// Takes pieces apart, however they are cut.
class PieceReader
{
public:
    PieceReader(const Jobs::Show &show)
        : m_show(show)
    {
    }
    // What ended the output; nothing: it goes on. Bytes that are no piece end it as lost.
    std::optional<WatchEnd> feed(QByteArrayView bytes)
    {
        m_bytes.append(bytes);
        for (;;) {
            const qsizetype end = m_bytes.indexOf('\n');
            if (end < 0)
                return m_bytes.size() > longestPieceHead ? std::optional(WatchEnd::Lost) : std::nullopt;
            const QByteArrayList head = m_bytes.first(end).split(' ');
            const qint64 offset = head.value(1).toLongLong(), length = head.value(2).toLongLong();
            if (head.size() != 3 || head[0].size() != 1 || offset < 0 || length < 0 || length > 64 * mebibyte)
                return WatchEnd::Lost;
            if (m_bytes.size() - end - 1 < length)
                return std::nullopt;
            const QByteArray content = m_bytes.sliced(end + 1, length);
            m_bytes.remove(0, end + 1 + length);
            switch (head[0][0]) {
            case pieceOfOut:
            case pieceOfErr:
                m_show({head[0][0] == pieceOfOut ? OutputStream::Out : OutputStream::Err, offset, content},
                       std::exchange(m_skipped, 0));
                break;
            case pieceSkipped:
                m_skipped += offset;
                break;
            case pieceNoMore:
                return WatchEnd::NoMore;
            case pieceDone:
                return WatchEnd::Done;
            case pieceFull:
                m_isFull = true;
                return WatchEnd::Lost;
            default:
                return WatchEnd::Lost;
            }
        }
    }

    bool isFull() const { return m_isFull; }

private:
    const Jobs::Show &m_show;
    bool m_isFull = false; // others read, and nobody else can
    QByteArray m_bytes;
    qint64 m_skipped = 0;
};

bool say(const UniqueFd &connection, const char *word)
{
    const QByteArray line = QByteArray(word) + '\n';
    return ::send(connection.get(), line.constData(), std::size_t(line.size()), MSG_NOSIGNAL) == line.size();
}

} // namespace

QJsonObject toJson(const Job &job)
{
    return {{u"job"_s, job.run},
            {u"session"_s, job.session},
            {u"started_us"_s, job.startedMicroseconds},
            {u"ends_us"_s, job.endsMicroseconds()},
            {u"pid"_s, job.pid},
            {u"first_line"_s, orNull(job.firstLine)}};
}

Result<QList<Job>> Jobs::list() const
{
    const QByteArray folder = QFile::encodeName(m_folder);
    if (!UniqueFd(::open(folder.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) && errno != ENOENT) {
        const int error = errno;
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The jobs in %1 can't be listed: %2. Check the folder's owner and "
                                                     "permissions."),
                         {m_folder, errnoText(error)}));
    }
    QList<Job> all;
    for (const JobPlace &place : JobPlace::living(m_folder)) {
        if (const auto job = place.read())
            all.append(*job);
    }
    std::ranges::sort(all, {}, &Job::startedMicroseconds);
    return all;
}

Result<Job> Jobs::find(const QString &wanted) const
{
    ASSIGN_OR_RETURN(const auto all, list());
    if (wanted == u"last"_s && !all.isEmpty())
        return all.last();
    QList<Job> found;
    for (const Job &job : all) {
        if (job.run == wanted || (wanted.size() >= shortestJobPrefix && job.run.startsWith(wanted)))
            found.append(job);
    }
    if (found.size() > 1)
        return fail(
            ErrorCode::InvalidInput,
            Text(QT_TRANSLATE_NOOP("engine", "Several jobs begin with \"%1\". Give more of the id."), {wanted}));
    return found.isEmpty() ? noJob(wanted) : Result<Job>(found.first());
}

Result<WatchEnd> Jobs::watch(const Job &job, bool follows, const Show &show, const std::stop_token &stop) const
{
    const auto door = doorOf(m_folder, job);
    if (!door)
        return noJob(job.run);
    ASSIGN_OR_RETURN(const UniqueFd connection, visit(*door, job, stop));
    const std::stop_callback leave(stop, [&connection] { ::shutdown(connection.get(), SHUT_RDWR); });
    if (!say(connection, follows ? jobFollow : jobRead))
        return stop.stop_requested() ? WatchEnd::NoMore : WatchEnd::Lost;
    PieceReader reader(show);
    QByteArray bytes(64 * kibibyte, Qt::Uninitialized);
    while (!stop.stop_requested()) {
        pollfd ready{connection.get(), POLLIN, 0};
        const int patienceMs = int(std::chrono::milliseconds(patienceWithJob).count());
        const int some = ::poll(&ready, 1, follows ? -1 : patienceMs);
        if (some < 0 && errno == EINTR)
            continue;
        if (some == 0)
            return noAnswer(job);
        const ssize_t count = ::recv(connection.get(), bytes.data(), std::size_t(bytes.size()), 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return stop.stop_requested() ? WatchEnd::NoMore : WatchEnd::Lost;
        if (const auto end = reader.feed(QByteArrayView(bytes).first(count)))
            return reader.isFull() ? tooManyRead(job) : Result<WatchEnd>(*end);
    }
    return WatchEnd::NoMore;
}

Status Jobs::stop(const Job &job) const
{
    const auto door = doorOf(m_folder, job);
    if (!door)
        return noJob(job.run);
    const auto connection = door->connect();
    if (connection)
        static_cast<void>(say(*connection, jobStop)); // a job that is ending doesn't hear it, and needn't
    // The lock goes last of all, with the process at the latest.
    for (const auto deadline = std::chrono::steady_clock::now() + patienceWithJob; door->lives();) {
        if (std::chrono::steady_clock::now() >= deadline)
            return noAnswer(job);
        std::this_thread::sleep_for(lookAgainAtJob);
    }
    return {};
}

// A line of JSON, and the end.
Result<QJsonObject> Jobs::ask(const Job &job, const QByteArray &words, std::chrono::milliseconds patience) const
{
    const auto door = doorOf(m_folder, job);
    if (!door)
        return noJob(job.run);
    ASSIGN_OR_RETURN(const UniqueFd connection, visit(*door, job));
    if (!say(connection, words.constData()))
        return noAnswer(job);
    QByteArray answer;
    const int patienceMs = int(patience.count());
    while (!answer.endsWith('\n') && answer.size() < longestAnswer) {
        pollfd ready{connection.get(), POLLIN, 0};
        char bytes[4096];
        const int some = ::poll(&ready, 1, patienceMs);
        if (some < 0 && errno == EINTR)
            continue;
        const ssize_t count = some == 1 ? ::recv(connection.get(), bytes, sizeof bytes, 0) : 0;
        if (count <= 0)
            return some == 1 && !door->lives() ? Result<QJsonObject>(noJob(job.run)) : noAnswer(job);
        answer.append(bytes, count);
    }
    ASSIGN_OR_RETURN(QJsonObject object, parseStrictJson(answer));
    const QJsonValue error = object.value(u"error"_s);
    if (error.isObject())
        return std::unexpected(Error{ErrorCode(error[u"code"_s].toInt()), textFrom(error[u"message"_s]), {}});
    return object;
}

Result<QString> Jobs::openPort(const Job &job, quint16 port) const
{
    ASSIGN_OR_RETURN(const QJsonObject answer,
                     ask(job, QByteArray(jobOpen) + ' ' + QByteArray::number(port), patienceWithJob));
    return answer[u"link"_s].toString();
}

Status Jobs::closePort(const Job &job, quint16 port) const
{
    const auto answer = ask(job, QByteArray(jobClose) + ' ' + QByteArray::number(port), patienceWithJob);
    return answer ? Status() : std::unexpected(answer.error());
}

Result<QList<JobPort>> Jobs::ports(const Job &job) const
{
    ASSIGN_OR_RETURN(const QJsonObject answer, ask(job, jobPorts, patienceWithPorts));
    QList<JobPort> all;
    for (const auto port : answer[u"ports"_s].toArray())
        all.append({.port = quint16(port[u"port"_s].toInt()), .address = port[u"address"_s].toString()});
    return all;
}

} // namespace glovebox
