// SPDX-License-Identifier: Apache-2.0
// The room's public header: a request, the live run that it becomes, and its result.
#pragma once

#include "result.h"

#include "engine/policy/policy.h"
#include "engine/sandbox/sandbox.h"

#include <QByteArrayList>

#include <functional>
#include <memory>
#include <vector>

namespace glovebox {

struct RunRequest
{
    QByteArray code;
    QString fileName; // where the code came from, for detecting its language; may be empty
    QString language; // "python", ...; empty: detected
    QString interpreter; // one of the language's that this machine has, by its path; empty: the first usable one
    QByteArrayList args;
    std::vector<Variable> variables; // of its environment, beside those that every run has
    QList<InnerFile> files;
    QString session; // id of the one whose files are its /work; empty: it begins with an empty one
    QByteArray
        sessionTree; // Session::digest() of what whoever allows the run has seen; empty: whatever is in the session then
    bool isStateful = false; // runs in the session's interpreter that stays, and sees what earlier code left there
    bool isParallel = false; // in a copy of the session: waits for nobody, and nobody waits for it
    bool isDetached = false; // a job, in a process of its own: parallel, and may take LimitRange::jobWallMax
    QString
        packages; // InstalledPackages::id, of the language and interpreter; empty: its session's, else the interpreter's own
    bool keepsFiles = true; // files that it leaves in /work go into the store; a session has its own of them
    std::optional<Terminal> terminal; // its streams are a terminal of its own; all output is of one stream then
    Policy policy;
    std::vector<SecretGrant> secrets; // lent to this run, by name
    Caller caller;
    // One of the two runs that get packages for the caller, whose code is Glovebox's own (approval/request.h); never what a client sent.
    bool getsPackages = false;
    bool mayBeWarm = true; // a sandbox that was built ahead will do, where the engine keeps some

    bool operator==(const RunRequest &) const = default;
};

// InvalidInput: one of the files has the name that the code gets in /work. Code whose language isn't told has none.
Status checkCodeHasItsName(const RunRequest &request);

// Installed packages that a run may be lent.
struct LentPackages
{
    QString folder; // of an environment, as Language::withPackages() takes it
    QString program; // the interpreter that they were installed for, without links
    Text contents; // a sentence that names them
    bool runsAtStart = false; // some of their code runs whenever the interpreter starts

    bool operator==(const LentPackages &) const = default;
};

// By their id. Errors: NotFound, Damaged.
using LendPackages = std::function<Result<LentPackages>(const QString &id)>;

// Whether RunRequest::packages can be this: a SHA-256 in hexadecimal digits.
bool isPackagesId(const QString &text);

enum class RunState { Submitted, Accepted, Waiting, Queued, Preparing, Running, Collecting, Done };

enum class OutputStream { Out, Err };

template<>
inline constexpr auto enumNames<OutputStream> = namesOf<OutputStream>({
    {OutputStream::Out, "stdout"},
    {OutputStream::Err, "stderr"},
});

// A piece of output, in order of arrival over both streams.
struct OutputChunk
{
    OutputStream stream = OutputStream::Out;
    qint64 offset = 0; // of its first byte in its own stream
    QByteArray bytes;

    bool operator==(const OutputChunk &) const = default;
};

struct OutputSlice
{
    QList<OutputChunk> chunks;
    qint64 next = 0; // the cursor for the next call
    qint64 skipped = 0; // bytes between the asked cursor and the first chunk that are no longer kept
    bool atEnd = false; // the run is done and nothing follows

    bool operator==(const OutputSlice &) const = default;
};

struct EventSlice
{
    QList<RunEvent> events;
    qint64 next = 0;

    bool operator==(const EventSlice &) const = default;
};

// By how many connections at once servers in a job can be reached from outside.
inline constexpr int connectorsOfJob = 96;

// A live run. Thread-safe; any number of readers. Dropping the handle doesn't cancel the run.
class Run
{
public:
    virtual ~Run() = default;

    // Empty until the accepted entry is committed.
    virtual QString id() const = 0;
    virtual RunState state() const = 0;
    // Runs of all callers that start before this one; 0 unless queued.
    virtual int queuePosition() const = 0;

    // cursor counts bytes of both streams in order of arrival from 0. At most about max bytes a call.
    // What is kept: of each stream the first 3/4 of the output limit for ever, and the latest 1/4 of it.
    virtual OutputSlice output(qint64 cursor, qint64 max) const = 0;
    virtual EventSlice events(qint64 cursor) const = 0;
    // What was read back of the sandbox; empty until it is verified, which is before Running.
    virtual QList<Control> controls() const = 0;
    // What it wanted of the network so far.
    virtual QList<EgressAttempt> egress() const { return {}; }
    // Not null once Done.
    virtual std::shared_ptr<const RunResult> result() const = 0;
    // Blocks until Done.
    virtual std::shared_ptr<const RunResult> wait() const = 0;

    // Takes as many bytes as there is room for (1 MiB waits at most) and says how many; onChange fires when there is room
    // again. 0 after closeInput() or the end.
    virtual qint64 write(QByteArrayView input) = 0;
    virtual void closeInput() = 0;

    // Its terminal, if it has one, has another size now. What it reads from it is write().
    virtual void resize(int rows, int columns) = 0;
    // Whether that terminal takes a line now without showing it, as programs ask for passwords (termios(3), ECHO). Programs that read
    // key by key show what was typed themselves. Asks the terminal; nobody is woken when that changes.
    virtual bool hidesInput() const { return false; }

    // Of a job that is Running: at most so many, each given out once. The caller owns them, and closes them when the run's program
    // has ended: they keep its network.
    virtual std::vector<Connector> takeConnectors(std::size_t most)
    {
        Q_UNUSED(most);
        return {};
    }

    // First Ctrl+C inside; after a second, or at a second call, every process is killed. Never blocks.
    virtual void cancel() = 0;

    // wake is called, at once if there is something already, then at most once until the next call to output(), events(),
    // controls(), state() or result() ("coalesced"), from any thread; it must not block or call back into the run. A write() that
    // took less than it was given counts as such a call, too. One wake a run: when this returned, an earlier one is not
    // called any more, so an empty one ends it.
    virtual void onChange(std::function<void()> wake) = 0;
};

} // namespace glovebox
