// SPDX-License-Identifier: Apache-2.0
// Which tasks of a batch have ended: what --resume goes by. A file of JSON lines, one a task, each on disk before its task is told as done.
// While the last one isn't shown, a line behind it has what is to be shown: a kill in between loses nothing.
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
    // A task that ended, and that was perhaps not shown.
    struct Unshown
    {
        QString id; // of the task
        QString run; // id
        bool isJson = false; // made for --json
        QList<ShownPiece> pieces; // none: they are lost, or were too many

        bool operator==(const Unshown &) const = default;
    };

    static QString usualPath(const Paths &paths, const QByteArrayList &operands, const QByteArray &standardInput);

    // Opens it or makes an empty one, and reads it. A torn last line is as if it had never been written. Busy: another batch has it.
    // Damaged: it is something else.
    static Result<Journal> open(const QString &path);

    const QString &path() const { return m_path; }
    bool isEmpty() const { return m_ended.isEmpty(); }
    // By id; null: it hasn't ended.
    const Ended *find(const QString &id) const;
    const std::optional<Unshown> &unshown() const { return m_unshown; }

    // Once before append(): the entries stay, or go. What was read of them is forgotten.
    Status begin(bool keepsEntries);
    // On disk when it returns. pieces are kept until shown().
    Status append(const TaskPlace &place, const RunResult &result, const QList<ShownPiece> &pieces, bool isJson);
    // Once also after begin(), which keeps what unshown() has.
    void shown();

private:
    Journal(UniqueFd fd, QString path)
        : m_fd(std::move(fd))
        , m_path(std::move(path))
    {
    }
    Status read();
    void take(const QJsonObject &entry);
    Status write(QByteArrayView lines);
    std::unexpected<Error> failed(int error) const;

    UniqueFd m_fd;
    QString m_path;
    QHash<QString, Ended> m_ended;
    std::optional<Unshown> m_unshown;
    qint64 m_entriesEnd = 0; // in bytes: of the last entry
    qint64 m_linesEnd = 0; // of the last whole line
};

} // namespace glovebox
