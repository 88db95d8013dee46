// SPDX-License-Identifier: Apache-2.0
// The seam between the protocol and what it offers: a tool is a row in a table, and gets the call that it answers.
#pragma once

#include "engine/engine.h"
#include "engine/mcp/asking/clientapprover.h"
#include "engine/mcp/runs/clientruns.h"
#include "engine/mcp/runs/clienttasks.h"
#include "engine/mcp/runs/installations.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QSet>

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>

namespace glovebox::mcp {

struct Image
{
    QByteArray bytes;
    QString mediaType;

    bool operator==(const Image &) const = default;
};

// What a tool answers. How the client's revision of the protocol has it is the business of protocol/results.h.
struct ToolReply
{
    QJsonObject structured; // all that there is to say: some clients read nothing else
    QString text; // the same for people and older clients; empty: structured as JSON
    QList<Image> images;
    QJsonArray blocks; // further content, each in the form of the protocol (audio, embedded resources)
    bool isError = false; // a failure that the caller can act on; the reason is in structured or text
    // Of a call that mayBecomeTask(): the run that goes on, whose end the client waits for as a task instead of calling again.
    std::shared_ptr<FollowedRun> goesOn;

    bool operator==(const ToolReply &) const = default;
};

// One paired program, or whoever is at the other end of standard input and output. Its runs are its own. Lives longer than its calls.
// Thread-safe.
class Client
{
public:
    explicit Client(Caller of, ClientBounds bounds = {}, std::shared_ptr<ClientApprover> through = {})
        : caller(std::move(of))
        , approver(std::move(through))
        , runs(bounds)
    {
    }

    const Caller
        caller; // without the name that it claims, which is of each call; of a paired one with that of its pairing
    const std::shared_ptr<ClientApprover>
        approver; // that asks through this client; null: the person is asked elsewhere
    ClientRuns runs;
    ClientTasks tasks; // some of these runs
    Installations installations; // closed before the engine is
    Turn pictures; // shownImages()
    std::atomic<int> listeners = 0; // requests that stay open to be told of changes

    // Ids of sessions that the client has named or made.
    void addSession(const QString &id)
    {
        const std::lock_guard lock(m_mutex);
        m_sessions.insert(id);
    }
    bool hasSession(const QString &id) const
    {
        const std::lock_guard lock(m_mutex);
        return m_sessions.contains(id);
    }

private:
    mutable std::mutex m_mutex;
    QSet<QString> m_sessions;
};

// A question to the person at the client's end: a method of the protocol's ("elicitation/create") and its params.
struct ClientQuestion
{
    QString method;
    QJsonObject params;

    bool operator==(const ClientQuestion &) const = default;
};

// What a tool is called with. Lives as long as the call; used on the call's own thread, but stop(), progress() and log() on any.
class Call
{
public:
    virtual ~Call() = default;

    // Already of the types, and within the bounds, that inputSchema names; missing ones are {}.
    virtual const QJsonObject &arguments() const = 0;
    // Opened at the first call that asks for it, which takes some 20 ms. The error is a sentence for the caller.
    virtual Result<Engine *> engine() const = 0;
    virtual Client &client() const = 0; // whose runs they are
    virtual Caller caller() const = 0; // of a run that this call starts: the client's, with the name that it claims
    // The client cancelled the call, or went away: no answer is wanted any more. What was started for this call alone ends.
    virtual std::stop_token stop() const = 0;
    // The client takes a task for an answer. A call needs to answer sooner then: ClientBounds::untilTask.
    virtual bool mayBecomeTask() const = 0;
    // How far the call is. line: what there is to show, such as the last line of output. Sends nothing where the client asked for
    // nothing. A call that lasts repeats the last one from time to time, so that a client doesn't take it for a dead one.
    virtual void progress(double done, const QString &line) const = 0;
    virtual void progress(double done, double total, const QString &line) const = 0;
    // For the client's log, where it has one and wants this level (RFC 5424: "debug" ... "emergency").
    virtual void log(const QString &level, const QJsonValue &data) const = 0;

    // The call is about the run of this id: told to a person who watches.
    virtual void concerns(const QString & /*run*/) const { }

    // A resource of this client's has changed: whoever watches it is told.
    virtual void resourceChanged(const QString & /*uri*/) const { }

    // What the client says that it can do ("elicitation", "sampling", "roots").
    virtual const QJsonObject &clientCapabilities() const = 0;
    // Asks the client, and waits for its answers, by the keys of the questions. Where the revision has the client ask again with its
    // answers, the first time fails with Cancelled, and the tool has nothing to do but to return that error: it will be called anew,
    // and gets the answers here. Unsupported: the client can't be asked that. keep: for state(), then.
    // longest: that it waits where the client answers within this call; TimedOut then. over: nobody needs the answer from then on;
    // Cancelled then, and the client is told.
    virtual Result<QJsonObject> ask(const QMap<QString, ClientQuestion> &questions, const QJsonObject &keep = {},
                                    std::chrono::milliseconds longest = std::chrono::minutes(10),
                                    const std::stop_token &over = {}) const = 0;
    // What ask() was given to keep when this call was made before; {}: it was not. Came back through the client unaltered.
    virtual const QJsonObject &state() const = 0;
};

// Answers in at most 45 s: clients give up after 60. An error of run() becomes an answer with isError and its sentence.
struct Tool
{
    QString name, title, description;
    QJsonObject inputSchema, outputSchema, annotations;
    std::function<Result<ToolReply>(const Call &call)> run; // blocks, on the call's thread
    // Of a tool that may be called as a task: starts the run that the call is about, without waiting for it; and the answer of that
    // run when it is done.
    std::function<Result<std::shared_ptr<FollowedRun>>(const Call &call)> start;
    std::function<ToolReply(const Call &call, Engine &engine, const FollowedRun &run)> answer;
    // The tool asks the person itself, when it is known about what. Its switch holds then.
    bool isDecidedLater = false;
};

} // namespace glovebox::mcp
