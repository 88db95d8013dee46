// SPDX-License-Identifier: Apache-2.0
// The room's public header: runs that go on in a process of their own, and how other programs of the same person find, watch and
// stop them.
//
// The process of a job has a door in the data folder: a lock that it holds as long as it lives, and a unix socket. Whoever wants
// something of a job asks there, so that no number of a process leads to a wrong one. Output comes from the process's memory, where
// it is bounded and scrubbed already. Files of a process that was killed are removed by the next program that looks.
#pragma once

#include "engine/policy/policy.h"
#include "engine/run/run.h"

#include <QJsonObject>

#include <memory>
#include <stop_token>

namespace glovebox {

struct Job
{
    QString run; // id of the run
    QString session; // id
    qint64 startedMicroseconds = 0; // since 1970
    std::chrono::milliseconds wall{0}; // its time limit
    qint64 pid = 0; // of its process: for a person's eyes, and for nothing else
    QString firstLine; // of its code; empty: it gets secrets

    qint64 endsMicroseconds() const
    {
        return startedMicroseconds + std::chrono::microseconds(wall).count();
    } // at the latest

    bool operator==(const Job &) const = default;
};

// {"job","session","started_us","ends_us","pid","first_line"}
QJsonObject toJson(const Job &job);

// A port of a job that is open to the person's browser.
struct JobPort
{
    quint16 port = 0; // of the server in the job
    QString address; // "http://3f2a90c1d4e5f607.localhost:40123/"; of use to whoever has once come by a link

    bool operator==(const JobPort &) const = default;
};

// {"port","address"}
QJsonObject toJson(const JobPort &port);

class AuditLog;
class JobPlace;
class Sessions;

// What a job's door needs of the engine that runs the job, which outlives it.
struct JobRooms
{
    QString folder; // of all jobs
    QString libexec; // of Glovebox's inner programs
    QString runtime; // of its sockets
    AuditLog &log;
    const Sessions &sessions;
    Caller caller; // for what is on record without anybody's asking
};

// Of one job, used by the thread that made it.
class JobDoor
{
public:
    // Nobody finds the job yet. Errors are those of the disk.
    static Result<JobDoor> make(const JobRooms &rooms);
    JobDoor(JobDoor &&) noexcept;
    ~JobDoor(); // nothing is left of it

    // Others find it from now on.
    Status open(const Job &job);
    // Answers until the run is Done, and then for 5 s at most, while somebody still reads its output. bell: readable when onBell() is
    // to be called; the run rings it. Opens and closes ports, which takes milliseconds as a rule and 12 s at most, during which nobody else
    // is answered.
    void serve(Run &run, int bell, const std::function<void()> &onBell);

private:
    JobDoor(const JobRooms &rooms, std::unique_ptr<JobPlace> place);
    JobRooms m_rooms;
    std::unique_ptr<JobPlace> m_place;
    Job m_job;
};

// How watching a job ended.
enum class WatchEnd {
    NoMore, // nothing more for now; the job goes on
    Done, // all of its output was shown, and the log has its end
    Lost, // its process went away in the middle
};

// The jobs of one data folder. Thread-safe. Blocks for the disk and for the jobs' processes.
class Jobs
{
public:
    explicit Jobs(QString folder)
        : m_folder(std::move(folder))
    {
    }

    // Those that run, the oldest first.
    Result<QList<Job>> list() const;
    // wanted: a run's id, the first eight or more characters of one, or "last". NotFound: none runs that is called so.
    Result<Job> find(const QString &wanted) const;

    // Shows what the job has printed, and if follows, what it prints until it ends. skipped: bytes before the chunk that aren't kept any
    // more. Unavailable: its process doesn't answer. NotFound.
    using Show = std::function<void(const OutputChunk &chunk, qint64 skipped)>;
    // stop: ends it as NoMore, soon.
    Result<WatchEnd> watch(const Job &job, bool follows, const Show &show, const std::stop_token &stop = {}) const;
    // Cancels the run, as Run::cancel() does, and waits until it has ended and is on record. Unavailable: its process doesn't answer.
    // NotFound: it had ended already.
    Status stop(const Job &job) const;

    // Opens a port of the job to the person's browser, on record, until it is closed or the job ends or its session is deleted. Returns a
    // link that can be opened once; of a port that is open already a new one. Errors: Unavailable, NotFound, those of the log.
    Result<QString> openPort(const Job &job, quint16 port) const;
    Status closePort(const Job &job, quint16 port) const; // NotFound: it isn't open
    // Unavailable: its process doesn't answer within a second, as one that opens a port just now might not.
    Result<QList<JobPort>> ports(const Job &job) const;

private:
    Result<QJsonObject> ask(const Job &job, const QByteArray &words, std::chrono::milliseconds patience) const;

    QString m_folder;
};

} // namespace glovebox
