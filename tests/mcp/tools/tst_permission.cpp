// SPDX-License-Identifier: Apache-2.0
// What the person turned off for agents, or wants to be asked about, at each call.
#include "toolfixture.h"

#include "engine/mcp/tools/permission.h"
#include "engine/mcp/tools/tools.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <thread>

using namespace glovebox;
using namespace glovebox::mcp;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestPermission : public ToolFixture
{
    Q_OBJECT

    Status mayCall(const QString &tool, std::chrono::milliseconds patience = 30s)
    {
        return permit(prepared({}), *toolNamed(tool), [this] { return m_engine->approvals().rules(); }, patience);
    }
    void set(const QString &name, const QString &to) { QVERIFY(m_engine->settings().store(u"mcp."_s + name, to)); }
    QStringList listed()
    {
        QStringList names;
        for (const Tool &tool : gloveboxTools()) {
            if (isListed(tool, m_engine->approvals().rules()))
                names.append(tool.name);
        }
        return names;
    }

private Q_SLOTS:
    void init() { open(); }
    void cleanup() { close(); }

    void eachToolHasItsSwitch()
    {
        for (const Tool &tool : gloveboxTools()) {
            QVERIFY2(std::ranges::find(Settings::schema(), switchOfTool(tool.name), &SettingInfo::key)
                         != Settings::schema().end(),
                     qPrintable(tool.name));
            QCOMPARE(tool.start != nullptr, tool.name == runTool);
            QVERIFY(listed().contains(tool.name));
            QCOMPARE(tool.isDecidedLater, tool.name == installTool);
            const bool isDecidedHere = tool.name != runTool && tool.name != installTool;
            QVERIFY(mayCall(tool.name));
            set(tool.name, u"off"_s);
            QVERIFY(!listed().contains(tool.name));
            const Status refused = mayCall(tool.name);
            QCOMPARE(!refused, isDecidedHere);
            if (!refused)
                QVERIFY(refused.error().message.english().contains(u"turned %1 off"_s.arg(tool.name)));
        }
        QCOMPARE(m_approver->asked, 0);
    }

    void askingWaitsForThePerson()
    {
        set(u"wait_run"_s, u"asks"_s);
        QVERIFY(listed().contains(u"wait_run"_s));
        QVERIFY(mayCall(u"wait_run"_s));
        QCOMPARE(m_approver->asked, 1);
        m_approver->says = false;
        QCOMPARE(mayCall(u"wait_run"_s).error().code, ErrorCode::PermissionDenied);
        QCOMPARE(m_approver->asked, 2);
        const auto reader = m_engine->auditReader();
        const auto entries = (*reader)->entries(1, 100).value();
        QList<QJsonObject> decided;
        for (const StoredEntry &entry : entries) {
            const QJsonObject object = QJsonDocument::fromJson(entry.json).object();
            if (object[u"kind"_s] == u"approval.decided"_s)
                decided.append(object);
        }
        QCOMPARE(decided.size(), 2);
        QCOMPARE(decided[0][u"tool"_s], u"wait_run"_s);
        QCOMPARE(decided[0][u"allowed"_s], true);
        QCOMPARE(decided[1][u"allowed"_s], false);
        QCOMPARE(decided[0][u"run"_s], QJsonValue()); // the call is no run
    }

    void silenceIsNoAnswer()
    {
        set(u"wait_run"_s, u"asks"_s);
        m_approver->isSilent = true;
        const Status late = mayCall(u"wait_run"_s, 50ms);
        QVERIFY2(late.error().message.english().contains(u"didn't answer"), qPrintable(late.error().message.english()));
        QCOMPARE(m_approver->withdrawn, 1); // nobody is to answer what nobody waits for
        TestCall call = prepared({});
        std::jthread cancelling([&] {
            while (m_approver->asked < 2)
                std::this_thread::yield();
            call.cancel();
        });
        QVERIFY(!permit(call, *toolNamed(u"wait_run"_s), [this] { return m_engine->approvals().rules(); }, 1min));
        QCOMPARE(m_approver->withdrawn, 2);
    }

    void whatCantBeReadRefusesCallsAndNotTheList()
    {
        const Result<AgentSwitches> unread = fail(ErrorCode::Damaged, Text("The settings can't be read."));
        QVERIFY(isListed(*toolNamed(u"wait_run"_s), unread));
        QCOMPARE(permit(prepared({}), *toolNamed(u"wait_run"_s), [&] { return unread; }).error().code,
                 ErrorCode::Damaged);
    }

    void theSandboxSaysWhatIsOff()
    {
        QCOMPARE(answer(u"sandbox_info"_s, {})[u"asks_the_person"_s].toArray().size(), 5);
        QCOMPARE(answer(u"sandbox_info"_s, {})[u"refused"_s].toArray(), QJsonArray());
        set(u"hosts"_s, u"off"_s);
        set(u"secrets"_s, u"on"_s);
        const QJsonObject info = answer(u"sandbox_info"_s, {});
        QCOMPARE(info[u"asks_the_person"_s].toArray(),
                 (QJsonArray{u"packages (with)"_s, u"tools of MCP servers (tools)"_s,
                             u"a timeout longer than the default"_s}));
        QCOMPARE(info[u"refused"_s].toArray(), QJsonArray{u"hosts (allow)"_s});
        const QJsonObject denied = run(u"sh"_s, u"true"_s, {{u"allow"_s, QJsonArray{u"a.example"_s}}});
        QCOMPARE(denied[u"outcome"_s].toString(), u"denied"_s);
        QVERIFY(denied[u"denials"_s][0][u"why"_s].toString().contains(u"reach no hosts"));
        QCOMPARE(m_approver->asked, 0);
    }
};

QTEST_GUILESS_MAIN(TestPermission)
#include "tst_permission.moc"
