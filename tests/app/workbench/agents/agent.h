// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

namespace glovebox {

using namespace Qt::StringLiterals;

// The program that an agent starts, which finds the window by its socket.
class Agent
{
public:
    explicit Agent(const QString &home, const QString &name = u"shop"_s)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home);
        m_program.setProcessEnvironment(environment);
        m_program.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"), {u"mcp"_s});
        m_program.waitForStarted();
        say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
            R"("clientInfo":{"version":"1","name":")"
            + name.toUtf8() + R"("}}})");
        answer();
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
    ~Agent()
    {
        m_program.closeWriteChannel();
        if (!m_program.waitForFinished(10'000))
            m_program.kill();
    }
    void say(const QByteArray &line) { m_program.write(line + '\n'); }
    int call(const QByteArray &tool, const QJsonObject &arguments)
    {
        const QJsonObject params{{u"name"_s, QString::fromLatin1(tool)}, {u"arguments"_s, arguments}};
        say(QJsonDocument(QJsonObject{{u"jsonrpc"_s, u"2.0"_s},
                                      {u"id"_s, ++m_last},
                                      {u"method"_s, u"tools/call"_s},
                                      {u"params"_s, params}})
                .toJson(QJsonDocument::Compact));
        return m_last;
    }
    QJsonObject answer()
    {
        QByteArray line;
        const bool isWhole = QTest::qWaitFor(
            [&] {
                line += m_program.readLine();
                return line.endsWith('\n');
            },
            30'000);
        return isWhole ? QJsonDocument::fromJson(line).object() : QJsonObject();
    }
    QJsonObject answerTo(const QByteArray &tool, const QJsonObject &arguments)
    {
        call(tool, arguments);
        return answer()["result"_L1]["structuredContent"_L1].toObject();
    }
    qsizetype answers(qsizetype count) // so many of them, whatever they say
    {
        qsizetype came = 0;
        while (came < count && !answer().isEmpty())
            ++came;
        return came;
    }

private:
    QProcess m_program;
    int m_last = 0;
};

} // namespace glovebox
