// SPDX-License-Identifier: Apache-2.0
// What the person settled beforehand: switches by kind and by tool, and grants, each for exactly what was seen.
#include "asked.h"

#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStanding : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void grantsCoverWhatTheyName();
    void aSecretIsNotCarriedToOtherHosts();
    void refusalsHold();
    void switchesDecideByKind_data();
    void switchesDecideByKind();
    void switchesOfTools();
    void packagesAreAskedAboutByTheirIndex();
    void grantsAreForTheWaysOutThatWereSeen();
    void wantsAreReadAsTheyWereWritten();
};

void TestStanding::grantsCoverWhatTheyName()
{
    const auto askedWith = [](auto change, const QList<Want> &granted) {
        ApprovalRequest asking = request(Caller::Kind::Mcp, policyWith(change));
        asking.caller.way = Caller::Way::Stdio;
        Standing standing;
        for (const Want &want : granted)
            standing.grants.append({want, true, 1});
        return decide(asking, Policy(), standing);
    };
    const Want host{Want::Kind::Host, u"a.example"_s, {}, {}};
    const Want memory{Want::Kind::Limit, u"memory_bytes"_s, 512 * mebibyte, {}};
    const auto wantsHost = [](Policy &p) { p.allow = {u"a.example"_s}; };
    QCOMPARE(askedWith(wantsHost, {host}).verdict, Verdict::Allow);
    QCOMPARE(askedWith([](Policy &p) { p.allow = {u"a.example"_s, u"b.example"_s}; }, {host}).wants,
             (QList<Want>{{Want::Kind::Host, u"b.example"_s, {}, {}}}));
    QCOMPARE(askedWith([](Policy &p) { p.allow = {u"a.example:8443"_s}; }, {host}).verdict, Verdict::Ask);
    const auto wantsMemory = [](qint64 mb) { return [mb](Policy &p) { p.limits.memoryBytes = mb * mebibyte; }; };
    QCOMPARE(askedWith(wantsMemory(512), {memory}).verdict, Verdict::Allow);
    QCOMPARE(askedWith(wantsMemory(400), {memory}).verdict, Verdict::Allow);
    QCOMPARE(askedWith(wantsMemory(513), {memory}).verdict, Verdict::Ask);
    QCOMPARE(askedWith(wantsMemory(512), {host}).verdict, Verdict::Ask);
}

// Two grants that were each sound together would send a secret to where nobody allowed it.
void TestStanding::aSecretIsNotCarriedToOtherHosts()
{
    const QString good = u"api.example"_s, bad = u"collect.example"_s;
    const Standing standing{.grants = {{{Want::Kind::Host, good, {}, {}}, true, 1},
                                       {{Want::Kind::Host, bad, {}, {}}, true, 1},
                                       {{Want::Kind::Secret, u"KEY"_s, {}, {good}}, true, 1},
                                       {{Want::Kind::Folder, u"/srv/d (ro) at /d"_s, {}, {}}, true, 1}}};
    ApprovalRequest asking = request(Caller::Kind::Mcp, policyWith([&](Policy &p) { p.allow = {good}; }));
    asking.caller.way = Caller::Way::Stdio;
    asking.secrets = {{u"KEY"_s, {}, false}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    asking.policy.allow = {good, bad};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Ask);
    asking.policy.allow = {};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    asking.secrets = {};
    asking.policy.folders = {{u"/srv/d"_s, u"/d"_s, FolderGrant::Mode::ReadOnly}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    asking.policy.allow = {bad};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Ask);
    asking.policy.allow = {};
    asking.policy.folders.first().mode = FolderGrant::Mode::ReadWrite;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Ask);
}

void TestStanding::refusalsHold()
{
    const Standing standing{.grants = {{{Want::Kind::Host, u"a.example"_s, {}, {}}, false, 1},
                                       {{Want::Kind::Secret, u"KEY"_s, {}, {u"b.example"_s}}, false, 1},
                                       {{Want::Kind::Limit, u"processes"_s, 500, {}}, false, 1}}};
    const auto verdict = [&](auto change) {
        ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
        asking.caller.way = Caller::Way::Stdio;
        change(asking);
        return decide(asking, Policy(), standing).verdict;
    };
    QCOMPARE(verdict([](ApprovalRequest &) { }), Verdict::Allow);
    QCOMPARE(verdict([](ApprovalRequest &r) { r.policy.allow = {u"a.example"_s}; }), Verdict::Deny);
    QCOMPARE(verdict([](ApprovalRequest &r) { r.policy.allow = {u"c.example"_s}; }), Verdict::Ask);
    QCOMPARE(verdict([](ApprovalRequest &r) { r.secrets = {{u"KEY"_s, {}, false}}; }), Verdict::Deny);
    QCOMPARE(verdict([](ApprovalRequest &r) { r.policy.limits.processes = 600; }), Verdict::Deny);
    QCOMPARE(verdict([](ApprovalRequest &r) { r.policy.limits.processes = 100; }), Verdict::Ask);
}

void TestStanding::switchesDecideByKind_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<ApprovalRequest>("asking");

    const auto row = [](const char *name, const QString &key, auto change) {
        ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
        asking.caller.way = Caller::Way::Stdio;
        change(asking);
        QTest::newRow(name) << key << asking;
    };
    row("hosts", u"mcp.hosts"_s, [](ApprovalRequest &asking) { asking.policy.allow = {u"a.example"_s}; });
    row("secrets", u"mcp.secrets"_s, [](ApprovalRequest &asking) { asking.secrets = {{u"KEY"_s, {}, false}}; });
    row("folders", u"mcp.folders"_s,
        [](ApprovalRequest &asking) { asking.policy.folders = {{u"/srv/d"_s, u"/d"_s, FolderGrant::Mode::ReadOnly}}; });
    row("tools of servers", u"mcp.tools"_s, [](ApprovalRequest &asking) { asking.policy.tools = {u"t.echo"_s}; });
    row("limits", u"mcp.limits"_s, [](ApprovalRequest &asking) { asking.policy.limits.memoryBytes *= 2; });
}

void TestStanding::switchesDecideByKind()
{
    QFETCH(QString, key);
    QFETCH(ApprovalRequest, asking);
    Standing standing;
    const AuthorisationDecision asks = decide(asking, Policy(), standing);
    QCOMPARE(asks.verdict, Verdict::Ask);
    standing.rules.switches[key] = AgentSwitch::On;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    // "Never" holds whatever is on for all; off holds whatever was granted.
    standing.grants = {{asks.wants.first(), false, 1}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Deny);
    standing.grants = {{asks.wants.first(), true, 1}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    standing.rules.switches[key] = AgentSwitch::Off;
    const AuthorisationDecision refused = decide(asking, Policy(), standing);
    QCOMPARE(refused.verdict, Verdict::Deny);
    QVERIFY2(refused.reason.english().contains(asks.wants.first().words()), qPrintable(refused.reason.english()));
    // What isn't of this kind is as before.
    ApprovalRequest other = request(Caller::Kind::Mcp, Policy());
    other.caller.way = Caller::Way::Stdio;
    QCOMPARE(decide(other, Policy(), standing).verdict, Verdict::Allow);
    other.policy.strict = false;
    Policy strict;
    strict.strict = true;
    for (AgentSwitch &any : standing.rules.switches)
        any = AgentSwitch::On;
    QCOMPARE(decide(other, strict, standing).verdict, Verdict::Ask); // weaker protections have no switch
}

void TestStanding::switchesOfTools()
{
    ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
    asking.caller.way = Caller::Way::Stdio;
    asking.tool = u"explain_run"_s;
    Standing standing;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    standing.rules.switches[switchOfTool(asking.tool)] = AgentSwitch::Asks;
    const AuthorisationDecision asks = decide(asking, Policy(), standing);
    QCOMPARE(asks.verdict, Verdict::Ask);
    QCOMPARE(asks.wants, (QList<Want>{{Want::Kind::Tool, u"explain_run"_s, {}, {}}}));
    standing.grants = {{asks.wants.first(), true, 1}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    standing.rules.switches[switchOfTool(asking.tool)] = AgentSwitch::Off;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Deny);
    asking.tool.clear(); // a run is another tool's
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    standing.rules.switches[switchOfTool(runTool)] = AgentSwitch::Off;
    QVERIFY(decide(asking, Policy(), standing).reason.english().contains(u"turned run_code off"));
    QVERIFY(refusalOf({.arePaused = true, .switches = {}}, runTool, {}) == agentsPaused());
}

void TestStanding::packagesAreAskedAboutByTheirIndex()
{
    ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
    asking.caller.way = Caller::Way::Stdio;
    ApprovalRequest getting = asking; // one of the runs that get them
    getting.getsPackages = true;
    getting.policy.allow = {u"pypi.org:443"_s};
    asking.tool = installTool;
    asking.install = AskedPackages{u"pypi.org"_s, {u"leaf 2.0"_s}, {}};
    Standing standing;
    const AuthorisationDecision asks = decide(asking, Policy(), standing);
    QCOMPARE(asks.verdict, Verdict::Ask);
    QCOMPARE(asks.wants, (QList<Want>{{Want::Kind::Packages, u"pypi.org"_s, {}, {}}}));
    QCOMPARE(wantFromJson(toJson(asks.wants.first())).value(), asks.wants.first());
    QCOMPARE(decide(getting, Policy(), standing).verdict, Verdict::Allow);
    getting.caller.way = Caller::Way::Unknown;
    QCOMPARE(decide(getting, Policy(), standing).verdict, Verdict::Ask);
    getting.caller.way = Caller::Way::Http; // not paired
    QCOMPARE(decide(getting, Policy(), standing).verdict, Verdict::Deny);
    getting.caller.way = Caller::Way::Stdio;

    standing.grants = {{asks.wants.first(), true, 1}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Allow);
    const QByteArray digest = approvalDigest(asking);
    asking.install->doubtful = {u"requestz (like requests)"_s};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Ask);
    QVERIFY(approvalDigest(asking) != digest);
    asking.install->doubtful.clear();
    asking.install->source = u"other.test"_s;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Ask);
    asking.install->source = u"pypi.org"_s;
    asking.install->packages = {u"leaf 3.0"_s};
    QVERIFY(approvalDigest(asking) != digest);
    standing.grants = {{asks.wants.first(), false, 1}}; // never
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Deny);
    standing.grants.clear();
    standing.rules.switches[u"mcp.packages"_s] = AgentSwitch::Off;
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Deny);
    standing.rules.switches = {{switchOfTool(installTool), AgentSwitch::Off}};
    QCOMPARE(decide(asking, Policy(), standing).verdict, Verdict::Deny);
    QCOMPARE(decide(getting, Policy(), standing).verdict, Verdict::Deny);
}

// A secret, a folder and what a tool gives could leave by another tool, as by another host.
void TestStanding::grantsAreForTheWaysOutThatWereSeen()
{
    const auto wants = [](auto change) {
        ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
        change(asking);
        return wantsOf(asking, Policy());
    };
    const auto secretAlone = wants([](ApprovalRequest &r) { r.secrets = {{u"KEY"_s, {}, false}}; });
    const auto secretAndTool = wants([](ApprovalRequest &r) {
        r.secrets = {{u"KEY"_s, {}, false}};
        r.policy.tools = {u"t.echo"_s};
    });
    QCOMPARE(secretAndTool.size(), 2);
    QCOMPARE(secretAndTool[0], (Want{Want::Kind::ServerTool, u"t.echo"_s, {}, {}}));
    QVERIFY(!covers(secretAlone[0], secretAndTool[1]));
    QVERIFY(covers(secretAndTool[1], secretAlone[0]));
    const auto toolAlone = wants([](ApprovalRequest &r) { r.policy.tools = {u"t.read"_s}; });
    const auto toolAndHost = wants([](ApprovalRequest &r) {
        r.policy.tools = {u"t.read"_s};
        r.policy.allow = {u"a.example"_s};
    });
    const auto twoTools = wants([](ApprovalRequest &r) { r.policy.tools = {u"t.read"_s, u"t.send"_s}; });
    QVERIFY(!covers(toolAlone[0], toolAndHost[1]));
    QVERIFY(!covers(toolAlone[0], twoTools[0]));
    QVERIFY(covers(twoTools[0], toolAlone[0]));
    // A host that is called like a tool is no grant of the tool.
    QVERIFY(!covers(Want{Want::Kind::Secret, u"KEY"_s, {}, {u"t.echo"_s}}, secretAndTool[1]));
}

void TestStanding::wantsAreReadAsTheyWereWritten()
{
    for (const Want &want :
         {Want{Want::Kind::Limit, u"wall_ms"_s, 90'000, {}}, Want{Want::Kind::Limit, u"cpu_ms"_s, {}, {}},
          Want{Want::Kind::Secret, u"KEY as GH"_s, {}, {u"a.example"_s}}}) {
        QCOMPARE(wantFromJson(toJson(want)).value(), want);
        QJsonObject more = toJson(want);
        more[u"extra"_s] = 1;
        QVERIFY(!wantFromJson(more));
        more = toJson(want);
        more[u"kind"_s] = u"everything"_s;
        QVERIFY(!wantFromJson(more));
    }
}

QTEST_GUILESS_MAIN(TestStanding)
#include "tst_standing.moc"
