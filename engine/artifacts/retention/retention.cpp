// SPDX-License-Identifier: Apache-2.0
#include "retention.h"

#include <QFileInfo>
#include <QSet>

namespace glovebox {

namespace {

constexpr int runsAtOnce = 200; // other programs wait for the log that long: milliseconds
constexpr qsizetype bodiesAtOnce = 100; // and whoever stops a deletion: a run may have left any number

class Deleting
{
public:
    Deleting(const RetentionRooms &rooms, const AuditReader &reader, const Caller &caller, const std::stop_token &stop,
             const DeletionProgress &progress = {})
        : m_rooms(rooms)
        , m_reader(reader)
        , m_caller(caller)
        , m_stop(stop)
        , m_progress(progress)
    {
    }

    // Nothing: there is nothing to delete.
    Result<std::optional<Deletion>> begin(const RunsToGo &runs)
    {
        ASSIGN_OR_RETURN(const Deletable going, deletableOf(m_reader, runs));
        if (going.runs == 0)
            return std::nullopt;
        Deletion deletion{.beforeMicroseconds = runs.beforeMicroseconds,
                          .chosen = runs.chosen,
                          .runs = going.runs,
                          .bytes = going.bytes};
        ASSIGN_OR_RETURN(const AuditReceipt begun, m_rooms.log.appendNow(beginningOf(deletion, m_caller)));
        deletion.seq = begun.seq;
        deletion.bytes = 0; // of what is removed, from here on
        return deletion;
    }

    // From its beginning, as far as it came before.
    Result<Deletion> finish(Deletion deletion)
    {
        DeletedUntilNow now{.allRuns = deletion.runs};
        for (qint64 last = 0;;) {
            ASSIGN_OR_RETURN(const auto runs, runsToDelete(m_reader, deletion, last, runsAtOnce));
            if (runs.isEmpty())
                break;
            RETURN_IF_ERROR(mayGoOn(now));
            last = runs.last().seq;
            ASSIGN_OR_RETURN(std::ignore, m_rooms.log.appendNow(saltsTaken(runs)));
            ASSIGN_OR_RETURN(const auto bodies, bodiesToDelete(m_reader, runs));
            for (qsizetype i = 0; i < bodies.size(); i += bodiesAtOnce) {
                if (i > 0)
                    RETURN_IF_ERROR(mayGoOn(now));
                RETURN_IF_ERROR(remove(bodies.mid(i, bodiesAtOnce), deletion));
            }
            now.runs += runs.size();
        }
        deletion.recent = m_recent.size();
        ASSIGN_OR_RETURN(const bool begun, isBegun(m_reader, deletion));
        ASSIGN_OR_RETURN(std::ignore, m_rooms.log.appendNow(endOf(deletion, m_caller, begun)));
        m_rooms.log.settle();
        deletion.isFinished = true;
        return deletion;
    }

private:
    Status mayGoOn(DeletedUntilNow &now) const
    {
        if (m_stop.stop_requested())
            return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "Glovebox is shutting down. The rest is "
                                                                          "deleted when it is started again."));
        now.bytes = m_freed;
        if (m_progress && !m_progress(now))
            return fail(ErrorCode::Cancelled,
                        QT_TRANSLATE_NOOP("engine", "The deletion was stopped. The next one deletes the rest."));
        return {};
    }

    // The digests last: while they are there, the next program knows what to remove.
    Status remove(const QList<BodyToDelete> &bodies, Deletion &deletion)
    {
        QList<QByteArray> unused;
        for (const BodyToDelete &body : bodies) {
            RETURN_IF_ERROR(m_rooms.store.removeWithheld({body.digest, body.run}));
            ASSIGN_OR_RETURN(const bool shared, isShared(m_reader, body.digest));
            if (!shared)
                unused.append(body.digest);
        }
        ASSIGN_OR_RETURN(const auto removed, m_rooms.store.removeUnused(unused));
        deletion.files += removed.files;
        deletion.bytes += removed.bytes;
        m_freed += removed.bytes;
        m_recent.unite(QSet<QByteArray>(removed.recent.begin(), removed.recent.end()));
        QList<BodyToDelete> gone = bodies;
        gone.removeIf([&](const BodyToDelete &body) { return removed.recent.contains(body.digest); });
        ASSIGN_OR_RETURN(std::ignore, m_rooms.log.appendNow(digestsTaken(gone)));
        return {};
    }

    const RetentionRooms &m_rooms;
    const AuditReader &m_reader;
    const Caller &m_caller;
    const std::stop_token &m_stop;
    const DeletionProgress m_progress;
    qint64 m_freed = 0; // bytes
    QSet<QByteArray> m_recent; // digests of files that stay
};

// An end of a deletion that another program, or another try, began.
Result<std::optional<Deletion>> finishLast(Deleting &deleting, const AuditReader &reader)
{
    ASSIGN_OR_RETURN(auto last, lastDeletion(reader));
    if (!last || last->isFinished)
        return std::nullopt;
    last->isResumed = true;
    ASSIGN_OR_RETURN(const Deletion finished, deleting.finish(*last));
    return finished;
}

} // namespace

Result<Deletion> deleteBodies(const RetentionRooms &rooms, const RunsToGo &runs, const Caller &caller,
                              const std::stop_token &stop, const DeletionProgress &progress)
{
    auto lock = FileLock::create(rooms.lockFile);
    if (!lock && lock.error().code == ErrorCode::Busy)
        return fail(ErrorCode::Busy,
                    QT_TRANSLATE_NOOP("engine", "Another program of Glovebox is deleting code and output already. Try "
                                                "again when it is done."),
                    {}, lock.error().detail);
    if (!lock)
        return std::unexpected(lock.error());
    ASSIGN_OR_RETURN(const auto reader, AuditReader::open(rooms.logFile));
    RETURN_IF_ERROR(
        rooms.store.takeBack()); // before a store that can't be written is on record as one that lost something
    Deleting deleting(rooms, *reader, caller, stop, progress);
    ASSIGN_OR_RETURN(const auto earlier, finishLast(deleting, *reader));
    ASSIGN_OR_RETURN(const auto begun, deleting.begin(runs));
    Deletion deletion{
        .beforeMicroseconds = runs.beforeMicroseconds, .chosen = runs.chosen, .recent = earlier ? earlier->recent : 0};
    if (begun) {
        ASSIGN_OR_RETURN(deletion, deleting.finish(*begun));
    }
    lock->removeAndRelease();
    deletion.earlierFiles = earlier ? earlier->files : 0;
    deletion.earlierBytes = earlier ? earlier->bytes : 0;
    return deletion;
}

Result<std::optional<Deletion>> finishDeletion(const RetentionRooms &rooms, const Caller &caller,
                                               const std::stop_token &stop)
{
    if (!QFileInfo::exists(rooms.lockFile))
        return std::nullopt;
    ASSIGN_OR_RETURN(auto lock, FileLock::tryExisting(rooms.lockFile));
    if (!lock)
        return std::nullopt;
    ASSIGN_OR_RETURN(const auto reader, AuditReader::open(rooms.logFile));
    RETURN_IF_ERROR(rooms.store.takeBack());
    Deleting deleting(rooms, *reader, caller, stop);
    ASSIGN_OR_RETURN(auto finished, finishLast(deleting, *reader));
    lock->removeAndRelease();
    return finished;
}

} // namespace glovebox
