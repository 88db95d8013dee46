// SPDX-License-Identifier: Apache-2.0
#include "toolfixture.h"

#include "engine/mcp/protocol/schema.h"
#include "engine/mcp/tools/tools.h"

#include <QJsonDocument>
#include <QProcess>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

const Tool *toolNamed(const QString &name)
{
    static const std::vector<Tool> tools = gloveboxTools();
    const auto tool = std::ranges::find(tools, name, &Tool::name);
    return tool == tools.end() ? nullptr : &*tool;
}

void ToolFixture::open(const QStringList &settings, ClientBounds bounds, const QString &libexec)
{
    close();
    m_home = std::make_unique<QTemporaryDir>();
    m_approver = std::make_shared<PromptApprover>();
    const QString home = m_home->path();
    EngineConfig config;
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, libexec};
    config.caller = {.kind = Caller::Kind::Mcp};
    config.approver = m_throughClient ? std::shared_ptr<Approver>(m_throughClient) : m_approver;
    config.stores = {makeMemoryStore()};
    auto loaded = Settings::load(config.paths.settingsFile(), settings);
    QVERIFY2(loaded, loaded ? "" : qPrintable(loaded.error().message.english()));
    config.settings = *std::move(loaded);
    auto engine = Engine::open(std::move(config));
    QVERIFY2(engine, engine ? "" : qPrintable(engine.error().message.english()));
    m_engine = *std::move(engine);
    m_client = newClient(bounds);
}

std::unique_ptr<Client> ToolFixture::newClient(ClientBounds bounds)
{
    return std::make_unique<Client>(Caller{.kind = Caller::Kind::Mcp,
                                           .pid = 4711,
                                           .program = u"agent"_s,
                                           .way = Caller::Way::Stdio,
                                           .connection = u"c"_s},
                                    bounds, m_throughClient);
}

void ToolFixture::close()
{
    m_client.reset();
    m_engine.reset();
}

Result<ToolReply> ToolFixture::call(const QString &tool, const QJsonObject &arguments)
{
    return call(tool, prepared(arguments));
}

Result<ToolReply> ToolFixture::call(const QString &name, const TestCall &call)
{
    const Tool *const tool = toolNamed(name);
    if (!tool)
        return fail(ErrorCode::NotFound, Text("No such tool."));
    if (const auto fault = faultOf(call.arguments(), tool->inputSchema))
        return fail(ErrorCode::InvalidInput, Text("%1", {*fault}));
    auto reply = tool->run(call);
    if (reply) {
        m_answers.append(QJsonObject{{u"tool"_s, name}, {u"answer"_s, reply->structured}});
        const auto fault = faultOf(reply->structured, tool->outputSchema);
        if (fault)
            return fail(ErrorCode::Internal, Text("The answer is not as the schema says: %1", {*fault}));
    }
    return reply;
}

QJsonObject ToolFixture::answer(const QString &tool, const QJsonObject &arguments)
{
    const auto reply = call(tool, arguments);
    if (!reply)
        QTest::qFail(qPrintable(reply.error().message.english()), __FILE__, __LINE__);
    return reply ? reply->structured : QJsonObject();
}

QJsonObject ToolFixture::run(const QString &language, const QString &code, QJsonObject more)
{
    more[u"language"_s] = language;
    more[u"code"_s] = code;
    return answer(u"run_code"_s, more);
}

QByteArray ToolFixture::complaintsAboutAnswers() const
{
    QJsonObject schemas;
    for (const Tool &tool : gloveboxTools())
        schemas[tool.name] = QJsonObject{{u"input"_s, tool.inputSchema}, {u"output"_s, tool.outputSchema}};
    QProcess checker;
    checker.start(u"python3"_s, {u"-c"_s, uR"(
import json, sys
from jsonschema import Draft202012Validator as Validator
schemas, answers = json.load(sys.stdin)
for schema in schemas.values():
    Validator.check_schema(schema["input"])
    Validator.check_schema(schema["output"])
for each in answers:
    for error in Validator(schemas[each["tool"]]["output"]).iter_errors(each["answer"]):
        print(each["tool"], error.json_path, error.message)
if not answers:
    print("there are no answers")
)"_s});
    checker.write(QJsonDocument(QJsonArray{schemas, m_answers}).toJson());
    checker.closeWriteChannel();
    checker.waitForFinished();
    return checker.readAllStandardOutput() + checker.readAllStandardError();
}

} // namespace glovebox::mcp
