// SPDX-License-Identifier: Apache-2.0
// The door of a job: whoever watches gets all of the output, nobody is kept waiting by anybody, and nothing stays of a job that went.
#include "engine/audit/audit.h"
#include "engine/jobs/jobplace.h"
#include "engine/run/live/liverun.h"
#include "engine/sessions/sessions.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

RunRequest requestOfJob(qint64 outputBytes)
{
    RunRequest request;
    request.policy.limits.outputBytes = outputBytes;
    return request;
}

// What a door has of an engine.
class Place
{
public:
    explicit Place(const QString &folder)
        : sessions(folder + u"-sessions"_s, Clock::system(), runIdentity)
        , log(AuditLog::open(folder + u"-"_s + newId(Clock::system()) + u".db"_s, newId(Clock::system()),
                             Clock::system()))
        , rooms{.folder = folder, .libexec = {}, .runtime = {}, .log = **log, .sessions = sessions, .caller = {}}
    {
    }
    Sessions sessions;
    Result<std::unique_ptr<AuditLog>> log;
    JobRooms rooms;
};

// A run that the test plays, and the thread that serves its door.
class PlayedJob
{
public:
    explicit PlayedJob(const QString &folder, qint64 outputBytes = 64 * mebibyte)
        : run(requestOfJob(outputBytes))
    {
        job.run = newId(Clock::system());
        job.session = newId(Clock::system());
        job.startedMicroseconds = Clock::system().nowMicroseconds();
        job.wall = 5s;
        job.pid = ::getpid();
        run.setAccepted(job.run);
        run.enter(RunState::Running);
        m_bell.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        run.onChange([this] { ring(); });
        m_thread = std::jthread([this, folder] {
            const Place place(folder);
            auto door = JobDoor::make(place.rooms);
            if (!door || !door->open(job))
                return;
            isOpen = true;
            door->serve(run, m_bell.get(), [this] {
                eventfd_t count = 0;
                ::eventfd_read(m_bell.get(), &count);
            });
        });
    }
    ~PlayedJob()
    {
        if (run.state() != RunState::Done)
            run.finish({});
        m_thread.join();
        run.onChange({});
    }
    PlayedJob(const PlayedJob &) = delete;
    PlayedJob &operator=(const PlayedJob &) = delete;

    Job job;
    LiveRun run;
    std::atomic<bool> isOpen = false;

private:
    void ring() const { ::eventfd_write(m_bell.get(), 1); }

    UniqueFd m_bell;
    std::jthread m_thread;
};

} // namespace

class TestJobs : public QObject
{
    Q_OBJECT

    QString folder() const { return m_home->path() + u"/jobs"_s; }
    QStringList files() const { return QDir(folder()).entryList(QDir::Files | QDir::System); }

private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_home.reset(); }

    void whoFollowsGetsAll()
    {
        const Jobs jobs(folder());
        QCOMPARE(jobs.list()->size(), 0);
        QByteArray out, err, early;
        Result<WatchEnd> end = WatchEnd::Lost;
        {
            PlayedJob played(folder());
            QTRY_VERIFY(played.isOpen);
            QCOMPARE(*jobs.list(), QList<Job>{played.job});
            QCOMPARE(*jobs.find(played.job.run.first(8)), played.job);
            QCOMPARE(jobs.find(u"last"_s)->run, played.job.run);
            QCOMPARE(jobs.find(played.job.run.first(7)).error().code, ErrorCode::NotFound);
            std::atomic<bool> hasSeen = false;
            played.run.addOutput(OutputStream::Out, "first\n");
            std::jthread follower([&] {
                end = jobs.watch(played.job, true, [&](const OutputChunk &chunk, qint64 skipped) {
                    (chunk.stream == OutputStream::Out ? out : err) += chunk.bytes;
                    QCOMPARE(skipped, 0);
                    hasSeen = true;
                });
            });
            QTRY_VERIFY(hasSeen);
            for (int i = 0; i < 200; ++i) {
                played.run.addOutput(OutputStream::Out, QByteArray(10'000, char('a' + i % 26)));
                played.run.addOutput(OutputStream::Err, "e");
            }
            const auto now =
                jobs.watch(played.job, false, [&](const OutputChunk &chunk, qint64) { early += chunk.bytes; });
            QVERIFY(now && *now == WatchEnd::NoMore);
            QCOMPARE(early.size(), 6 + 200 * 10'001);
            played.run.addOutput(OutputStream::Out, "last\n"); // at the very end
            played.run.finish({});
        }
        QVERIFY(end && *end == WatchEnd::Done);
        QCOMPARE(out.size(), 6 + 200 * 10'000 + 5);
        QVERIFY(out.startsWith("first\naaa") && out.endsWith("rlast\n"));
        QCOMPARE(err, QByteArray(200, 'e'));
        QCOMPARE(files(), QStringList());
    }

    void whatIsNoLongerKeptIsCounted()
    {
        PlayedJob played(folder(), 1000);
        QTRY_VERIFY(played.isOpen);
        played.run.addOutput(OutputStream::Out, QByteArray(5000, 'x'));
        qint64 seen = 0, missing = 0;
        const auto end = Jobs(folder()).watch(played.job, false, [&](const OutputChunk &chunk, qint64 skipped) {
            seen += chunk.bytes.size();
            missing += skipped;
        });
        QVERIFY(end && *end == WatchEnd::NoMore);
        QCOMPARE(seen, 1000);
        QCOMPARE(missing, 4000);
    }

    // Nor a visitor who says nothing, or nonsense, or never reads.
    void aSlowVisitorKeepsNobodyWaiting()
    {
        const Jobs jobs(folder());
        PlayedJob played(folder());
        QTRY_VERIFY(played.isOpen);
        std::vector<UniqueFd> visitors;
        for (const char *word :
             {"", "follow\n", "read\n", "fol", "nonsense\n", "far too long a word for this door\n"}) {
            visitors.push_back(*JobPlace::living(folder()).front().connect());
            QVERIFY(::send(visitors.back().get(), word, strlen(word), MSG_NOSIGNAL) == ssize_t(strlen(word)));
        }
        played.run.addOutput(OutputStream::Out, QByteArray(8'000'000, 'x')); // more than a socket takes
        qint64 seen = 0;
        const auto end =
            jobs.watch(played.job, false, [&](const OutputChunk &chunk, qint64) { seen += chunk.bytes.size(); });
        QVERIFY(end && *end == WatchEnd::NoMore);
        QCOMPARE(seen, 8'000'000);
        QCOMPARE(played.run.cancelCount(), 0);
        for (const std::size_t refused : {4, 5}) {
            char byte = 0;
            QVERIFY(::recv(visitors[refused].get(), &byte, 1, 0) <= 0);
        }
    }

    void manyFollowersKeepNobodyFromStoppingTheJob()
    {
        const Jobs jobs(folder());
        PlayedJob played(folder());
        QTRY_VERIFY(played.isOpen);
        const auto follow = [&](std::vector<UniqueFd> &followers) {
            followers.push_back(*JobPlace::living(folder()).front().connect());
            QCOMPARE(::send(followers.back().get(), "follow\n", 7, MSG_NOSIGNAL), 7);
        };
        std::vector<UniqueFd> followers;
        for (int i = 0; i < 64; ++i)
            follow(followers);
        const auto watch = [&] { return jobs.watch(played.job, false, [](const OutputChunk &, qint64) { }); };
        QTRY_VERIFY(!watch()); // their words may be on their way
        QCOMPARE(watch().error().code, ErrorCode::Unavailable);
        QVERIFY2(watch().error().message.english().contains(u"is followed so often already"_s),
                 qPrintable(watch().error().message.english()));
        QVERIFY(jobs.ports(played.job));
        std::jthread stopper([&] { QVERIFY(jobs.stop(played.job)); });
        QTRY_COMPARE(played.run.cancelCount(), 1);
        followers.pop_back();
        QTRY_VERIFY(watch());
        played.run.finish({});
    }

    void aStopReachesOneJobOnly()
    {
        const Jobs jobs(folder());
        PlayedJob first(folder()), second(folder());
        QTRY_VERIFY(first.isOpen && second.isOpen);
        std::jthread stopper([&] { QVERIFY(jobs.stop(second.job)); });
        std::jthread again([&] { static_cast<void>(jobs.stop(second.job)); });
        QTRY_COMPARE(second.run.cancelCount(), 2);
        second.run.finish({});
        stopper.join();
        again.join();
        QCOMPARE(first.run.cancelCount(), 0);
        QCOMPARE(jobs.list()->size(), 1);
        QCOMPARE(jobs.stop(second.job).error().code, ErrorCode::NotFound);
        QVERIFY(!jobs.watch(second.job, true, [](const OutputChunk &, qint64) { }));
    }

    void whoStopsWatchingIsNotKept()
    {
        const Jobs jobs(folder());
        PlayedJob played(folder());
        QTRY_VERIFY(played.isOpen);
        played.run.addOutput(OutputStream::Out, "first\n");
        qint64 all = 0;
        for (int i = 0; i < 5; ++i) {
            std::atomic<bool> hasSeen = false;
            std::jthread follower([&](const std::stop_token &stop) {
                static_cast<void>(
                    jobs.watch(played.job, true, [&](const OutputChunk &, qint64) { hasSeen = true; }, stop));
            });
            while (!hasSeen)
                std::this_thread::sleep_for(100us);
            QElapsedTimer timer;
            timer.start();
            follower.request_stop();
            follower.join();
            all += timer.elapsed();
        }
        QVERIFY2(all < 400, QByteArray::number(all));
    }

    // As when it was stopped in a debugger: nobody takes those who come, and at some time no more can.
    void aProcessThatDoesNotAnswerIsToldSoon()
    {
        auto place = JobPlace::make(folder());
        const Job job{.run = newId(Clock::system()), .pid = ::getpid()};
        QVERIFY(place && place->write(job));
        const Jobs jobs(folder());
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(jobs.ports(job).error().code, ErrorCode::Unavailable);
        QVERIFY(timer.elapsed() < 3'000);

        const QString socket = QDir(folder()).entryList({u"*.socket"_s}, QDir::System).value(0);
        const QByteArray path = QFile::encodeName(folder() + u'/' + socket);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        QVERIFY(path.size() < qsizetype(sizeof address.sun_path));
        std::memcpy(address.sun_path, path.constData(), std::size_t(path.size()));
        std::vector<UniqueFd> others;
        do
            others.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        while (::connect(others.back().get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
        QCOMPARE(errno, EAGAIN);
        auto asked = std::async(std::launch::async, [&] { return jobs.ports(job); });
        const bool isSoon = asked.wait_for(3s) == std::future_status::ready;
        place->remove(); // who still waits goes
        QVERIFY(isSoon);
        QCOMPARE(asked.get().error().code, ErrorCode::Unavailable);
    }

    void aKilledProcessLeavesNoDoor()
    {
        const Jobs jobs(folder());
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const auto door = JobPlace::make(folder());
            const Job job{.run = newId(Clock::system()), .pid = ::getpid()};
            if (door && door->write(job) && ::write(ends[1], "x", 1) == 1)
                ::pause();
            ::_exit(1);
        }
        char x = 0;
        QCOMPARE(::read(ends[0], &x, 1), 1);
        const Job job = *jobs.find(u"last"_s);
        Result<WatchEnd> end = WatchEnd::Done;
        std::jthread follower([&] { end = jobs.watch(job, true, [](const OutputChunk &, qint64) { }); });
        QTRY_VERIFY(!files().isEmpty());
        sendSignal(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        follower.join();
        QVERIFY(!end || *end == WatchEnd::Lost);
        QCOMPARE(jobs.list()->size(), 0);
        QCOMPARE(files(), QStringList());
        ::close(ends[0]);
        ::close(ends[1]);
    }

    void aDoorThatCannotBeMadeIsTold()
    {
        QFile inTheWay(folder());
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        const Place place(folder());
        QVERIFY(!JobDoor::make(place.rooms));
        QVERIFY(!Jobs(folder()).list());
    }

private:
    std::unique_ptr<QTemporaryDir> m_home;
};

QTEST_GUILESS_MAIN(TestJobs)
#include "tst_jobs.moc"
