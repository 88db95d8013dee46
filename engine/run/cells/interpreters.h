// SPDX-License-Identifier: Apache-2.0
// Interpreters that stay: each has a sandbox of its own, with the files of a session, and runs the session's cells one after
// the other. Between two cells nobody serves it, and the session is free for others.
#pragma once

#include "engine/run/live/runnetwork.h"

#include "engine/sessions/sessions.h"

#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace glovebox {

// Whoever has it is the only one who uses it.
struct Interpreter
{
    ~Interpreter();

    // Where its code calls tools, for one cell, which serves it. fresh: as the sandbox of a new one gave it; else invalid.
    UniqueFd lendToolSocket(UniqueFd fresh);

    std::unique_ptr<SealedProcess> process; // null: it ended
    bool isNew = true; // has not been started yet
    int cells = 0; // that it was given, the present one too
    std::optional<CellValue> value; // of the present one, once it has answered
    UniqueFd channel, out, err;
    UniqueFd toolSocket; // invalid: there is none
    RunNetwork network;
    SandboxShape shape;
    SessionTree files; // of the session, as they are in its /work
    std::optional<FileLock> mark; // tells other programs that it stays
};

// Thread-safe.
class Interpreters
{
public:
    struct Taken
    {
        std::shared_ptr<Interpreter> interpreter; // null: none of that shape was kept
        bool hadOther = false; // one of another shape was kept, and is ended
    };
    Taken take(const QString &session, const QString &language, const SandboxShape &shape);
    // For the next cell. Of too many, the one that was used longest ago is ended.
    void giveBack(const QString &session, const QString &language, std::shared_ptr<Interpreter> interpreter);
    // Languages of those that wait in a session.
    QStringList languages(const QString &session);
    // Ends those of a session that wait. language: of these only; empty: all.
    void end(const QString &session, const QString &language = {});
    // Ends all of them; from now on none is kept.
    void close();

    static constexpr std::size_t most = 4; // each may hold as much memory as one run

private:
    struct Kept
    {
        QString session;
        QString language;
        std::shared_ptr<Interpreter> interpreter;
    };
    std::mutex m_mutex;
    std::list<Kept> m_kept; // used longest ago first
    bool m_isClosed = false;
};

// The one that the session has for such cells, else a new one, of which an event says why. assignment: of a new one.
Result<std::shared_ptr<Interpreter>> interpreterFor(const SoundRequest &request, Interpreters &interpreters,
                                                    const SandboxShape &shape, Assignment assignment, LiveRun &run,
                                                    const std::stop_token &stop);

// One cell as the process of one run. Takes the interpreter from an earlier cell, or starts it. When the cell has ended, the
// interpreter is as it was, for the next one; where it ends in the middle, or has to be killed, the interpreter has ended, too.
// interrupted: called after it was interrupted, by the thread that does so.
std::unique_ptr<SealedProcess> makeCell(std::shared_ptr<Interpreter> interpreter, const CellCode &cell,
                                        std::function<void()> interrupted);

} // namespace glovebox
