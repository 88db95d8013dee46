// SPDX-License-Identifier: Apache-2.0
// Which tasks of a batch have ended: what --resume goes by. A file of JSON lines, one a task, each on disk before its task is told as done.
#pragma once

#include "task.h"

#include <QHash>

namespace glovebox {

// True for runs that came to an end of their own or of their limits. Only these go into the journal.
bool hasEnded(Outcome outcome);

// Locked as long as it lives: two batches can't have the same one. Used by one thread.
class Journal
{
public:
    struct Ended
    {
        QByteArray digest;
        Outcome outcome = Outcome::Completed;
        QString run; // id

        bool operator==(const Ended &) const = default;
    };

    // In the engine's data folder, named by what the person named; old ones there are removed.
    static QString usualPath(const Paths &paths, const QByteArrayList &operands, const QByteArray &standardInput);

    // Opens it or makes an empty one, and reads it. A torn last line is as if it had never been written. Busy: another batch has it.
    // Damaged: it is something else.
    static Result<Journal> open(const QString &path);

    const QString &path() const { return m_path; }
    bool isEmpty() const { return m_ended.isEmpty(); }
    // By id; null: it hasn't ended.
    const Ended *find(const QString &id) const;
    // A task whose output the batch may not have shown, as it was killed in between. Empty run: none.
    const Ended &lastUnshown() const { return m_lastUnshown; }

    // Once before append(): the entries stay, or go. What was read is forgotten.
    Status begin(bool keepsEntries);
    // On disk when it returns.
    Status append(const TaskPlace &place, const RunResult &result);
    // All that was appended was shown.
    void end();

private:
    Journal(UniqueFd fd, QString path)
        : m_fd(std::move(fd))
        , m_path(std::move(path))
    {
    }
    Status read();
    Status write(const QJsonObject &line);
    std::unexpected<Error> failed(int error) const;

    UniqueFd m_fd;
    QString m_path;
    QHash<QString, Ended> m_ended;
    Ended m_lastUnshown;
    qint64 m_whole = 0; // bytes up to the end of the last whole line
};

} // namespace glovebox
