// SPDX-License-Identifier: Apache-2.0
// The window's endpoint ends in the middle of agents' calls, on a busy machine: each call is answered, and none reaches an engine that
// is about to go.
#include "agent.h"

#include "app/workbench/agents/agentspage.h"
#include "tests/app/workbench/desk/desk.h"

#include "engine/mcp/mcp.h"

#include <QCheckBox>
#include <QDir>
#include <QSet>
#include <QTimer>

#include <thread>
#include <vector>

using namespace glovebox;
using namespace std::chrono_literals;

namespace {

constexpr int turns = 5, agentsAtOnce = 4;

// One that goes on calling.
struct BusyAgent
{
    explicit BusyAgent(const QString &home)
        : agent(home)
    {
    }
    void call(const QString &word)
    {
        last = agent.call("run_code", {{u"language"_s, u"sh"_s}, {u"code"_s, u"echo %1; sleep 0.1"_s.arg(word)}});
    }
    Agent agent;
    int last = 0;
};

} // namespace

class TestEndpoint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void closingInTheMiddleAnswersEachCall_data()
    {
        QTest::addColumn<bool>("closesTheWindow");
        QTest::newRow("window") << true;
        QTest::newRow("endpoint alone") << false;
    }
    void closingInTheMiddleAnswersEachCall()
    {
        QFETCH(const bool, closesTheWindow);
        qsizetype completed = 0, ended = 0;
        for (int turn = 0; turn < turns; ++turn) {
            auto desk = std::make_unique<Desk>();
            desk->home.setAutoRemove(false); // agents go on there
            const QString home = desk->home.path(), socket = mcp::socketFile(desk->paths);
            desk->show();
            desk->openEngine();
            desk->frame.showPage(u"agents"_s);
            Desk::settle();
            auto *endpoint = desk->frame.page(u"agents"_s)->widget()->findChild<QCheckBox *>(u"agents.endpoint"_s);
            QTRY_VERIFY(endpoint->isEnabled());
            endpoint->click();
            QTRY_VERIFY(QFile::exists(socket));
            std::vector<std::unique_ptr<BusyAgent>> agents;
            for (int i = 0; i < agentsAtOnce; ++i)
                agents.push_back(std::make_unique<BusyAgent>(home));
            QTimer calling;
            connect(&calling, &QTimer::timeout, this, [&agents] {
                for (const auto &agent : agents)
                    agent->call(u"before"_s);
            });
            calling.start(100ms);
            QTest::qWait(300 + turn * 60);
            for (int i = 0; i < desk->context.pool().maxThreadCount(); ++i) // as where pages read
                desk->context.pool().start([] { std::this_thread::sleep_for(700ms); });
            if (closesTheWindow) {
                desk.reset();
            } else {
                endpoint->click();
                QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(socket), 10'000);
            }
            QTest::qWait(200);
            calling.stop();
            for (const auto &agent : agents) {
                agent->call(u"after"_s);
                QSet<int> answered;
                bool isAfter = false;
                while (answered.size() < agent->last) {
                    const QJsonObject answer = agent->agent.answer();
                    const QByteArray text = QJsonDocument(answer).toJson();
                    QVERIFY2(!answer.isEmpty() && !text.contains("shutting down"), text);
                    const QJsonValue result = answer["result"_L1]["structuredContent"_L1];
                    answered.insert(answer["id"_L1].toInt());
                    isAfter = isAfter || answer["id"_L1].toInt() == agent->last;
                    ++(result["outcome"_L1].toString() == u"completed" ? completed : ended);
                }
                QVERIFY(isAfter);
            }
            agents.clear();
            desk.reset();
            QVERIFY(QDir(home).removeRecursively());
        }
        qInfo("%lld calls completed, %lld ended", qlonglong(completed), qlonglong(ended));
        QVERIFY(completed > 0 && ended > 0); // else no end was in the middle
    }
};

GLOVEBOX_TEST_MAIN(TestEndpoint)
#include "tst_endpoint.moc"
