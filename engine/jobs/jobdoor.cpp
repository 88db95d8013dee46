// SPDX-License-Identifier: Apache-2.0
// The inner side of a job's door: one poll(2) loop, in which no visitor makes another one or the run wait.
#include "jobplace.h"
#include "openports.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 pieceBytes = 64 * kibibyte; // about, for one answer
constexpr std::ptrdiff_t mostReaders = 64;
constexpr std::size_t mostVisitors = 128; // so that readers keep nobody from stopping the job
constexpr qsizetype longestWord = 16;
constexpr auto patienceAtEnd = std::chrono::seconds(5); // for those who still read

struct Visitor
{
    UniqueFd connection;
    QByteArray word; // as far as it came
    bool reads = false;
    bool follows = false;
    qint64 cursor = 0;
    QByteArray answer; // what of it isn't sent yet
    bool isLast = false; // nothing follows the answer
    bool isGone = false;
};

QByteArray piece(char kind, qint64 offset, QByteArrayView bytes = {})
{
    return QByteArray(1, kind) + ' ' + QByteArray::number(offset) + ' ' + QByteArray::number(bytes.size()) + '\n'
           + bytes.toByteArray();
}

// Of this user, as nobody else comes to the socket.
Caller callerOf(const Visitor &visitor)
{
    const qint64 pid = peerOf(visitor.connection.get()).value_or(Peer()).pid;
    return {.pid = pid, .program = programOfProcess(pid)};
}

QByteArray answerTo(const Visitor &visitor, QByteArrayView word, OpenPorts &ports)
{
    const QByteArrayList words = word.toByteArray().split(' ');
    const quint16 port = words.value(1).toUShort();
    const auto failed = [](const Error &error) {
        return QJsonObject{
            {u"error"_s, QJsonObject{{u"code"_s, int(error.code)}, {u"message"_s, toJson(error.message)}}}};
    };
    QJsonObject answer;
    if (words[0] == jobOpen) {
        const auto link = ports.link(port, callerOf(visitor));
        answer = link ? QJsonObject{{u"link"_s, *link}} : failed(link.error());
    } else if (words[0] == jobClose) {
        const Status closed = ports.close(port, callerOf(visitor));
        answer = closed ? QJsonObject() : failed(closed.error());
    } else {
        QJsonArray all;
        for (const JobPort &each : ports.list())
            all.append(toJson(each));
        answer[u"ports"_s] = all;
    }
    return QJsonDocument(answer).toJson(QJsonDocument::Compact) + '\n';
}

bool isAboutPorts(QByteArrayView word)
{
    for (const char *asked : {jobOpen, jobClose}) {
        const QByteArray beginning = QByteArray(asked) + ' ';
        if (word.startsWith(beginning))
            return word.sliced(beginning.size()).toUShort() > 0;
    }
    return word == jobPorts;
}

void listen(Visitor &visitor, Run &run, OpenPorts &ports, const std::list<Visitor> &all)
{
    char bytes[longestWord];
    const ssize_t count = ::recv(visitor.connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    visitor.isGone = count <= 0 || visitor.word.endsWith('\n');
    if (visitor.isGone)
        return;
    visitor.word.append(bytes, count);
    if (!visitor.word.endsWith('\n')) {
        visitor.isGone = visitor.word.size() > longestWord;
        return;
    }
    const QByteArrayView word = QByteArrayView(visitor.word).chopped(1);
    visitor.follows = word == jobFollow;
    visitor.reads = visitor.follows || word == jobRead;
    if (visitor.reads && std::ranges::count_if(all, &Visitor::reads) > mostReaders) {
        visitor.reads = false;
        visitor.answer = piece(pieceFull, 0);
        visitor.isLast = true;
        return;
    }
    if (word == jobStop) { // and waits until the door is closed
        run.cancel();
    } else if (isAboutPorts(word)) {
        visitor.answer = answerTo(visitor, word, ports);
        visitor.isLast = true;
    } else {
        visitor.isGone = !visitor.reads;
    }
}

// The next of the output, once everything before is sent.
void prepareAnswer(Visitor &visitor, const Run &run)
{
    if (!visitor.reads || visitor.isLast || !visitor.answer.isEmpty())
        return;
    const OutputSlice slice = run.output(visitor.cursor, pieceBytes);
    if (slice.skipped > 0)
        visitor.answer += piece(pieceSkipped, slice.skipped);
    for (const OutputChunk &chunk : slice.chunks)
        visitor.answer += piece(chunk.stream == OutputStream::Out ? pieceOfOut : pieceOfErr, chunk.offset, chunk.bytes);
    const bool isUpToDate = slice.next == visitor.cursor;
    visitor.cursor = slice.next;
    visitor.isLast = slice.atEnd || (isUpToDate && !visitor.follows);
    if (visitor.isLast)
        visitor.answer += piece(slice.atEnd ? pieceDone : pieceNoMore, 0);
}

void send(Visitor &visitor)
{
    if (visitor.answer.isEmpty())
        return;
    const ssize_t count = ::send(visitor.connection.get(), visitor.answer.constData(),
                                 std::size_t(visitor.answer.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0)
        visitor.answer.remove(0, count);
    else if (errno != EINTR && errno != EAGAIN)
        visitor.isGone = true;
    if (visitor.isLast && visitor.answer.isEmpty())
        visitor.isGone = true;
}

void admit(int listener, std::list<Visitor> &visitors)
{
    for (;;) {
        UniqueFd connection(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection)
            return;
        if (visitors.size() < mostVisitors)
            visitors.push_back({.connection = std::move(connection)});
    }
}

} // namespace

Result<JobDoor> JobDoor::make(const JobRooms &rooms)
{
    ASSIGN_OR_RETURN(auto place, JobPlace::make(rooms.folder));
    return JobDoor(rooms, std::make_unique<JobPlace>(std::move(place)));
}

JobDoor::JobDoor(const JobRooms &rooms, std::unique_ptr<JobPlace> place)
    : m_rooms(rooms)
    , m_place(std::move(place))
{
}

JobDoor::JobDoor(JobDoor &&) noexcept = default;

JobDoor::~JobDoor()
{
    if (m_place)
        m_place->remove();
}

Status JobDoor::open(const Job &job)
{
    m_job = job;
    return m_place->write(job);
}

void JobDoor::serve(Run &run, int bell, const std::function<void()> &onBell)
{
    std::list<Visitor> visitors;
    OpenPorts ports(m_rooms, m_job, run);
    std::optional<std::chrono::steady_clock::time_point> closes;
    for (;;) {
        ports.look();
        const bool isDone = run.state() == RunState::Done; // asks, so that it rings again
        if (isDone && !closes)
            closes = std::chrono::steady_clock::now() + patienceAtEnd;
        admit(m_place->listener(), visitors);
        bool hasMore = false; // of the output, to be sent at once
        for (Visitor &visitor : visitors) {
            prepareAnswer(visitor, run);
            const bool hadAnswer = !visitor.answer.isEmpty();
            send(visitor);
            hasMore = hasMore || (hadAnswer && visitor.answer.isEmpty());
        }
        std::erase_if(visitors, [](const Visitor &visitor) { return visitor.isGone; });
        if (isDone && (std::ranges::none_of(visitors, &Visitor::reads) || std::chrono::steady_clock::now() >= *closes))
            return;
        std::vector<pollfd> waiting{{bell, POLLIN, 0}, {m_place->listener(), POLLIN, 0}};
        for (const Visitor &visitor : visitors)
            waiting.push_back({visitor.connection.get(), short(POLLIN | (visitor.answer.isEmpty() ? 0 : POLLOUT)), 0});
        for (const int descriptor : ports.descriptors())
            waiting.push_back({descriptor, 0, 0});
        constexpr int untilEndMs = 100; // the bell rings no more
        const int untilLookMs = ports.list().isEmpty() ? -1 : int(OpenPorts::lookEvery.count());
        ::poll(waiting.data(), waiting.size(), hasMore ? 0 : isDone ? untilEndMs : untilLookMs);
        if (waiting[0].revents != 0)
            onBell();
        std::size_t index = 2;
        for (Visitor &visitor : visitors) {
            if (waiting[index++].revents & (POLLIN | POLLHUP | POLLERR))
                listen(visitor, run, ports, visitors);
        }
    }
}

} // namespace glovebox
