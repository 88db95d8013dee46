// SPDX-License-Identifier: Apache-2.0
// Calls of tools as they begin and end, for whoever shows them to a person: who calls what, and nothing of code or content.
#pragma once

#include "engine/policy/policy.h"

#include <QJsonObject>

#include <optional>

namespace glovebox::mcp {

class Request;
struct Tool;
struct ToolReply;

struct BegunCall
{
    Caller caller;
    QString tool;
    // Those of the arguments that say what the call is about, as the client wrote them: strings of at most aboutMax characters, among
    // "action", "language", "path", "name", "session" and "run"; "packages" is a list of at most aboutPackagesMax of them.
    QJsonObject about;

    bool operator==(const BegunCall &) const = default;
};
constexpr qsizetype aboutMax = 200;
constexpr qsizetype aboutPackagesMax = 8;

struct EndedCall
{
    enum class How {
        Answered,
        Refused, // by the person, their switches or the tool; or it made no sense
        Cancelled, // nobody wanted the answer any more
        AskedBack, // the client is to ask its person, and to call again
    };
    How how = How::Refused;
    std::optional<Outcome> outcome; // of the run that the answer is about; nothing: of none, or the run goes on
    bool runGoesOn = false;
    QString why; // the beginning of a refusal's sentence, which may quote the client; empty: none was said

    bool operator==(const EndedCall &) const = default;
};

// Each function is called by a thread of the server's, must not block, and mustn't call back. Each call that began ends, at the latest
// with its server.
class CallWatcher
{
public:
    virtual ~CallWatcher() = default;
    // Gives the number by which the others name the call.
    virtual quint64 begun(const BegunCall &call) = 0;
    // The run that the call is about has this id.
    virtual void concerns(quint64 call, const QString &run) = 0;
    virtual void ended(quint64 call, const EndedCall &end) = 0;
};

// One call, from the time that its tool is known to its answer. Without a watcher it does nothing.
class WatchedCall
{
public:
    WatchedCall(CallWatcher *watcher, Request &request, const Tool &tool, const QJsonObject &arguments);
    ~WatchedCall(); // without an answer it was refused, or cancelled, or asks back
    WatchedCall(const WatchedCall &) = delete;
    WatchedCall &operator=(const WatchedCall &) = delete;

    void answer(const ToolReply &reply);
    void answerWithTask(); // the run goes on, and the client waits for that

private:
    CallWatcher *const m_watcher;
    Request &m_request;
    quint64 m_number = 0;
    EndedCall m_end;
};

} // namespace glovebox::mcp
