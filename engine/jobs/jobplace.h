// SPDX-License-Identifier: Apache-2.0
// Where a job's door is on this machine's disk: ID.lock, ID.socket and ID.json in the folder of all jobs.
#pragma once

#include "jobs.h"

#include "engine/base/base.h"

#include <stop_token>
#include <vector>

namespace glovebox {

class JobPlace
{
public:
    // A new one: locked, and listening.
    static Result<JobPlace> make(const QString &folder);
    // Of jobs whose processes live; those of others are removed.
    static std::vector<JobPlace> living(const QString &folder);

    int listener() const { return m_listener.get(); }
    Status write(const Job &job) const;
    std::optional<Job> read() const; // nothing: it isn't open yet, or no more
    bool lives() const; // whether its process holds the lock
    // NotFound: nobody listens. Unavailable: for a second its process has taken nobody, or stop.
    Result<UniqueFd> connect(const std::stop_token &stop = {}) const;
    // By whoever holds the lock.
    void remove();

private:
    JobPlace(QString folder, QString id)
        : m_folder(std::move(folder))
        , m_id(std::move(id))
    {
    }
    QString file(const QString &suffix) const { return m_folder + u'/' + m_id + suffix; }

    QString m_folder;
    QString m_id; // of the door; the run's is known later
    std::optional<FileLock> m_lock;
    UniqueFd m_listener;
};

// What is said at the door. A visitor sends one of the words and a line break; the answers to the first two are pieces, each a line with a
// letter, an offset and a length, and so many bytes. jobOpen and jobClose are followed by a blank and a port; they and jobPorts are
// answered by an object of JSON: {"link"}, {"ports"} or {"error":{"code","message"}}.
inline constexpr char jobRead[] = "read", jobFollow[] = "follow", jobStop[] = "stop", jobOpen[] = "open",
                      jobClose[] = "close", jobPorts[] = "ports";
inline constexpr char pieceOfOut = 'o', pieceOfErr = 'e', pieceSkipped = 's', pieceNoMore = 'n', pieceDone = 'd',
                      pieceFull = 'f'; // as many read already as can

} // namespace glovebox
