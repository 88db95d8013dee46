// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp --http` as a person starts it, and requests of clients to it.
#pragma once

#include "httpvisitor.h"
#include "tests/app/cli/program.h"

#include <QJsonArray>
#include <QRegularExpression>

namespace glovebox {

class HttpService
{
public:
    explicit HttpService(const Home &home,
                         const QStringList &arguments = {QStringLiteral("--http"), QStringLiteral("0")})
        : HttpService(home.program(QStringList{QStringLiteral("mcp")} + arguments))
    {
    }
    explicit HttpService(std::unique_ptr<QProcess> process)
        : m_process(std::move(process))
    {
        m_process->setReadChannel(QProcess::StandardError);
        m_process->start();
        // The last line that it says when it is ready.
        while (!said.contains("glovebox mcp pair") && m_process->waitForReadyRead(30'000))
            said += m_process->readAllStandardError();
        port = portIn(said);
    }
    ~HttpService()
    {
        m_process->terminate();
        if (!m_process->waitForFinished(20'000))
            m_process->kill();
        m_process->waitForFinished();
    }

    static quint16 portIn(const QByteArray &words)
    {
        static const QRegularExpression place(QStringLiteral("http://127.0.0.1:(\\d+)/mcp"));
        return place.match(QString::fromUtf8(words)).captured(1).toUShort();
    }
    QProcess &process() { return *m_process; }

    QByteArray said;
    quint16 port = 0;

private:
    std::unique_ptr<QProcess> m_process;
};

inline QByteArray tokenFor(const Home &home, const QString &name)
{
    return home.run({QStringLiteral("mcp"), QStringLiteral("pair"), name}).out.trimmed();
}

inline QByteArray fieldsWith(const QByteArray &token)
{
    return "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer "
           + token + "\r\n";
}

// A call of a tool by the revision without handshake.
struct ToolRequest
{
    QByteArray body, fields;

    ToolRequest(const QByteArray &token, const QString &tool, const QJsonObject &arguments)
        : fields(fieldsWith(token)
                 + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool.toUtf8() + "\r\n")
    {
        const QJsonObject meta{
            {QStringLiteral("io.modelcontextprotocol/protocolVersion"), QStringLiteral("2026-07-28")},
            {QStringLiteral("io.modelcontextprotocol/clientCapabilities"), QJsonObject()}};
        body =
            QJsonDocument(QJsonObject{{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
                                      {QStringLiteral("id"), 1},
                                      {QStringLiteral("method"), QStringLiteral("tools/call")},
                                      {QStringLiteral("params"), QJsonObject{{QStringLiteral("name"), tool},
                                                                             {QStringLiteral("arguments"), arguments},
                                                                             {QStringLiteral("_meta"), meta}}}})
                .toJson(QJsonDocument::Compact);
    }
};

inline QJsonObject shellCode(const QString &code, const QJsonObject &more = {})
{
    QJsonObject arguments = more;
    arguments[QStringLiteral("language")] = QStringLiteral("sh");
    arguments[QStringLiteral("code")] = code;
    return arguments;
}

inline QJsonObject structured(const HttpReply &reply)
{
    return reply.json()[u"result"].toObject()[QStringLiteral("structuredContent")].toObject();
}

// What a run of this code came to, on a connection of its own.
inline QJsonObject runBy(HttpVisitor visitor, const QByteArray &token, const QJsonObject &arguments)
{
    const ToolRequest request(token, QStringLiteral("run_code"), arguments);
    return structured(visitor.exchange(request.body, request.fields, "127.0.0.1", 60'000));
}

} // namespace glovebox
