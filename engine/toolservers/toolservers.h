// SPDX-License-Identifier: Apache-2.0
// The room's public header: MCP servers of the person's, and the calls that runs make of their tools.
//
// A server is one of the person's own programs. It runs outside of every sandbox, for one run, and ends with it.
#pragma once

#include "engine/policy/policy.h"

#include <QMap>

#include <functional>
#include <memory>
#include <stop_token>

namespace glovebox {

// What the person allows of one tool.
struct ToolRule
{
    QString tool;
    QMap<QString, QJsonArray> only; // by argument: it has to be there, with one of these values

    // "folder: work or home; depth: 1": what the arguments may be. Empty: anything.
    QString limits() const;

    bool operator==(const ToolRule &) const = default;
};

struct ToolServer
{
    QString name;
    QStringList command; // the program's absolute path, and its arguments; no shell
    QStringList environment; // names of variables that it is given of this process's own
    QList<ToolRule> tools; // that runs may be let call; no others

    bool operator==(const ToolServer &) const = default;
};

// The person's list: {"NAME":{"command":[],"environment":[],"tools":{"TOOL":{"ARGUMENT":[]}}}}. No file: no servers. Only a file that
// nobody else can write is read, and nothing but that file is: no environment, no request and no code adds to it. Errors name what isn't
// valid.
Result<QList<ToolServer>> readToolServers(const QString &file);
// What their commands name that could be a file: a server is another when somebody changes it. Whole paths; nothing is looked at.
QStringList filesOf(const QList<ToolServer> &servers);
// The servers of these tools, with no other tools. Errors name what there is.
Result<QList<ToolServer>> serversOfTools(const QList<ToolServer> &servers, const QStringList &tools);
// A sentence for arguments that the rule doesn't allow. tool: for the sentence.
Status checkToolArguments(const ToolRule &rule, const QString &tool, const QJsonObject &arguments);

// One call that a run made.
struct ToolCall
{
    enum class Verdict {
        Answered,
        Failed, // it was passed on, and came to nothing
        Refused, // it was not passed on
    };
    QString tool; // as it was called; of the run's making
    Verdict verdict = Verdict::Refused;
    QByteArray digest; // SHA-256 of the arguments, without the values of secrets; of a refused call nothing
    qint64 sent = 0; // bytes of the arguments
    qint64 received = 0; // bytes of the answer
    std::chrono::milliseconds duration{0};
    Text reason; // of one that wasn't answered: a sentence

    bool operator==(const ToolCall &) const = default;
};

// Starts the servers of one run, and passes calls on to them. Used by the run's thread.
class ToolBroker
{
public:
    static constexpr qint64 requestMax = mebibyte; // bytes
    static constexpr qint64 answerMax = mebibyte; // bytes
    static constexpr int callsAtOnce = 16;
    static constexpr int callsMax = 500; // of a run

    struct Spec
    {
        QString libexec; // the folder of glovebox-toolhost
        QList<ToolServer> servers; // serversOfTools()
        std::chrono::milliseconds startPatience = std::chrono::seconds(30); // with each server
        std::chrono::milliseconds callPatience = std::chrono::seconds(60);
        // Of each server that ran, also where it or the next can't be used. Called from start().
        std::function<void(const ToolServer &)> started = [](const ToolServer &) { };
    };
    // Starts them and asks each for its tools. Unavailable, TimedOut, NotFound or Cancelled with a sentence that names the server.
    static Result<std::unique_ptr<ToolBroker>> start(Spec spec, std::stop_token stop);
    // Ends the servers, with all that they started.
    ~ToolBroker();
    ToolBroker(const ToolBroker &) = delete;
    ToolBroker &operator=(const ToolBroker &) = delete;

    // Those that may be called, in the order of the servers' rules.
    const QList<OfferedTool> &tools() const;

    // Called from the broker's thread.
    struct Watch
    {
        // Names of secrets with a value in the arguments of a call of this tool that must not leave by it: the call is refused.
        std::function<QStringList(const QString &tool, QByteArrayView arguments)> keptFrom;
        // The same without the values of secrets.
        std::function<QByteArray(QByteArrayView)> scrubbed;
        // Puts on record that a call is about to be passed on. An error: it isn't.
        std::function<Status(const ToolCall &)> begin;
        // Of every call, when it is over.
        std::function<void(const ToolCall &)> told;
    };
    // From now on calls that come by this socket are served, on a thread of the broker's own; what waits there already is cut off. Another
    // broker may serve it afterwards.
    Status serve(UniqueFd listener, Watch watch);
    // The run is stopped: calls that are under way fail, and the servers are told. Further ones are refused.
    void cancelCalls();
    // The run is over, and others may call: they are refused from now on. Calls that are under way go on.
    void close();
    // The run is over: calls that are under way fail, and after that nothing is told. Ends the servers. After close() whoever still waits
    // is refused, so nobody may be able to call while this goes on.
    void finish();

private:
    struct Private;
    explicit ToolBroker(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

// All the tools that a server has, for the person. Blocks as start() does.
Result<QList<OfferedTool>> toolsOfServer(const QString &libexec, const ToolServer &server, std::stop_token stop = {});

} // namespace glovebox
