// SPDX-License-Identifier: Apache-2.0
// One server as a process: the Model Context Protocol as its client, over the server's standard streams.
#pragma once

#include "frames.h"

#include <poll.h>

#include <vector>

namespace glovebox {

// Used by one thread at a time, in which SIGPIPE is blocked.
class ServerProcess
{
public:
    explicit ServerProcess(ToolServer server)
        : m_server(std::move(server))
    {
    }
    // Ends the server, with all that it started.
    ~ServerProcess();
    ServerProcess(const ServerProcess &) = delete;
    ServerProcess &operator=(const ServerProcess &) = delete;

    const ToolServer &server() const { return m_server; }

    Status start(const QString &libexec);
    // Introduces itself, and takes the list of its tools. Blocks until the deadline at most.
    Result<QList<OfferedTool>> open(std::chrono::steady_clock::time_point deadline, const std::stop_token &stop);

    // Sends a call; its id.
    qint64 call(const QString &tool, const QJsonObject &arguments);
    // Nobody waits for that answer any more.
    void giveUp(qint64 id);

    // Two sources for poll(), which move() takes again; until endsBy(), if there is such a time, and then also without news.
    void addTo(std::vector<pollfd> &sources) const;
    std::optional<std::chrono::steady_clock::time_point> endsBy() const { return m_endsBy; }
    // Writes and reads what can be written and read; answers in the order in which they came.
    QList<ServerAnswer> move(const pollfd *sources);
    // Why nothing can be asked of it any more; nothing: it goes on.
    const std::optional<Text> &whyOver() const { return m_over; }
    // False once it is known that its program never ran.
    bool ran() const { return m_ran; }
    // Lets go its input: it should end by itself. It is given half a second.
    void hangUp();

    static constexpr qint64 outputMax = 256 * mebibyte; // bytes, all together

private:
    qint64 request(const QString &method, const QJsonObject &parameters);
    void send(const QJsonObject &message);
    Result<QJsonObject> answerTo(qint64 id, std::chrono::steady_clock::time_point deadline,
                                 const std::stop_token &stop);
    void write();
    void read(QList<ServerAnswer> &answers);
    void take(const QByteArray &line, QList<ServerAnswer> &answers);
    void end(const Text &why);
    Text howEnded();

    const ToolServer m_server;
    OwnProgram m_host;
    UniqueFd m_input, m_output; // own ends
    QByteArray m_toWrite;
    ServerLines m_lines;
    qint64 m_read = 0; // bytes
    qint64 m_lastId = 0;
    bool m_ran = false;
    std::optional<std::chrono::steady_clock::time_point>
        m_endsBy; // of one that closed its output: until it is known how it ended
    std::optional<Text> m_over;
};

} // namespace glovebox
