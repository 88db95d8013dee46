// SPDX-License-Identifier: Apache-2.0
// Who may run what without being asked, who is asked about, and who is refused.
#include "asked.h"

#include <QtTest>

#include <optional>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestApproval : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void peopleDecideByAsking_data();
    void peopleDecideByAsking();
    void clientsAreAskedAbout_data();
    void clientsAreAskedAbout();
    void secretsAreNamed();
    void theUsualNeedsNoQuestion_data();
    void theUsualNeedsNoQuestion();
    void whatWantsMoreAsksEveryWay();
    void whoIsNotPairedIsRefused();
    void anAnswerIsForExactlyThis_data();
    void anAnswerIsForExactlyThis();
    void refusesPoliciesThatMakeNoSense();
    void refusesClientsThatDontSayWhichCode();
    void refusesCallersItDoesNotKnow();
    void nobodyThereMeansNo();
};

static AgentSwitches rulesWith(bool asksAlways, bool arePaused = false)
{
    return {.arePaused = arePaused,
            .switches = {{switchOfTool(runTool), asksAlways ? AgentSwitch::Asks : AgentSwitch::On}}};
}

void TestApproval::peopleDecideByAsking_data()
{
    QTest::addColumn<Policy>("policy");

    QTest::newRow("the default") << Policy();
    QTest::newRow("more than the default") << policyWith([](Policy &p) {
        p.limits.memoryBytes *= 8;
        p.allow = {u"example.org"_s};
    });
}

void TestApproval::peopleDecideByAsking()
{
    QFETCH(Policy, policy);
    for (const auto kind : {Caller::Kind::Cli, Caller::Kind::Workbench})
        QCOMPARE(decide(request(kind, policy), Policy()), (AuthorisationDecision{Verdict::Allow, {}, {}}));
}

void TestApproval::clientsAreAskedAbout_data()
{
    QTest::addColumn<Policy>("asked");
    QTest::addColumn<Policy>("granted");
    QTest::addColumn<QString>("more"); // empty: nothing beyond what is granted

    const auto row = [](const char *name, auto ask, auto grant, const QString &more) {
        QTest::newRow(name) << policyWith(ask) << policyWith(grant) << more;
    };
    const auto nothing = [](Policy &) { };
    row("what is granted", nothing, nothing, {});
    row("less",
        [](Policy &p) {
            p.limits.memoryBytes /= 2;
            p.limits.wall /= 2;
            p.strict = true;
        },
        nothing, {});
    row("time", [](Policy &p) { p.limits.wall = std::chrono::milliseconds(90'500); }, nothing, u"90.5 seconds"_s);
    row("memory", [](Policy &p) { p.limits.memoryBytes = 512 * mebibyte; }, nothing, u"512 MB of memory"_s);
    row("processes", [](Policy &p) { p.limits.processes = 65; }, nothing, u"65 processes"_s);
    row("output", [](Policy &p) { p.limits.outputBytes = 2 * mebibyte; }, nothing, u"2 MB of output"_s);
    row("files", [](Policy &p) { p.limits.diskBytes = 257 * mebibyte; }, nothing, u"257 MB of files"_s);
    const auto cpu = [](int seconds) { return [seconds](Policy &p) { p.limits.cpu = std::chrono::seconds(seconds); }; };
    row("less processor time", cpu(4), cpu(5), {});
    row("processor time where there is no limit", cpu(4), nothing, {});
    row("more processor time", cpu(6), cpu(5), u"6 seconds of processor time"_s);
    row("endless processor time", nothing, cpu(5), u"unlimited processor time"_s);
    const auto share = [](int percent) { return [percent](Policy &p) { p.limits.cpuPercent = percent; }; };
    row("less of a processor", share(40), share(50), {});
    row("more of a processor", share(60), share(50), u"60 percent of a processor"_s);
    row("all processors", nothing, share(50), u"all processors"_s);
    const auto traffic = [](int mb) { return [mb](Policy &p) { p.limits.trafficBytes = mb * mebibyte; }; };
    row("less traffic", traffic(4), traffic(5), {});
    row("more traffic", traffic(6), traffic(5), u"6 MB over the network"_s);
    row("endless traffic", nothing, traffic(5), u"unlimited traffic"_s);
    const auto bandwidth = [](int kb) { return [kb](Policy &p) { p.limits.bandwidthBytes = kb * kibibyte; }; };
    row("less bandwidth", bandwidth(4), nothing, {});
    row("more bandwidth", bandwidth(6), bandwidth(5), u"6 KB a second over the network"_s);
    row("endless bandwidth", nothing, bandwidth(5), u"unlimited bandwidth"_s);
    const auto strict = [](Policy &p) { p.strict = true; };
    row("weaker protections", nothing, strict, u"weaker protections where this machine lacks some"_s);
    row(
        "the network", [](Policy &p) { p.allow = {u"a.example"_s, u"b.example"_s}; },
        [](Policy &p) { p.allow = {u"a.example"_s}; }, u"the network: b.example"_s);
    const FolderGrant folder = {u"/srv/data"_s, u"/data"_s, FolderGrant::Mode::ReadOnly};
    row("a folder", [&](Policy &p) { p.folders = {folder}; }, nothing, u"the folder /srv/data (ro) at /data"_s);
    row(
        "a folder that is granted", [&](Policy &p) { p.folders = {folder}; }, [&](Policy &p) { p.folders = {folder}; },
        {});
    row(
        "a granted folder, but to write to",
        [&](Policy &p) { p.folders = {{folder.hostPath, folder.path, FolderGrant::Mode::ReadWrite}}; },
        [&](Policy &p) { p.folders = {folder}; }, u"the folder /srv/data (rw) at /data"_s);
    row(
        "several things",
        [](Policy &p) {
            p.limits.processes = 65;
            p.limits.wall *= 2;
        },
        nothing, u"60 seconds; 65 processes"_s);
}

void TestApproval::clientsAreAskedAbout()
{
    QFETCH(Policy, asked);
    QFETCH(Policy, granted);
    QFETCH(QString, more);
    const AuthorisationDecision decision = decide(request(Caller::Kind::Mcp, asked), granted);
    QCOMPARE(decision.verdict, Verdict::Ask);
    QCOMPARE(decision.reason.english(),
             more.isEmpty() ? u"client asks to run code within your usual limits."_s
                            : u"client asks to run code with more than you usually grant: %1."_s.arg(more));
}

void TestApproval::secretsAreNamed()
{
    ApprovalRequest wanting = request(Caller::Kind::Mcp, Policy());
    wanting.secrets = {{u"API_KEY"_s, {}, false}, {u"deploy.key"_s, {}, true}};
    const AuthorisationDecision decision = decide(wanting, Policy());
    QCOMPARE(decision.verdict, Verdict::Ask);
    QVERIFY2(decision.reason.english().contains(
                 u"more than you usually grant: the secret API_KEY; the secret deploy.key as /run/secrets/deploy.key."),
             qPrintable(decision.reason.english()));
}

void TestApproval::theUsualNeedsNoQuestion_data()
{
    QTest::addColumn<int>("way");
    QTest::addColumn<bool>("isPaired");
    QTest::addColumn<bool>("asksAlways");
    QTest::addColumn<int>("verdict");
    using Way = Caller::Way;

    const auto row = [](const char *name, Way way, bool isPaired, bool asksAlways, Verdict verdict) {
        QTest::newRow(name) << int(way) << isPaired << asksAlways << int(verdict);
    };
    row("stdio", Way::Stdio, false, false, Verdict::Allow);
    row("stdio, paired", Way::Stdio, true, false, Verdict::Allow);
    row("stdio, the person wants to be asked", Way::Stdio, false, true, Verdict::Ask);
    row("socket, not paired", Way::Socket, false, false, Verdict::Deny);
    row("socket, paired", Way::Socket, true, false, Verdict::Allow);
    row("HTTP, not paired", Way::Http, false, false, Verdict::Deny);
    row("HTTP, paired", Way::Http, true, false, Verdict::Allow);
    row("HTTP, paired, the person wants to be asked", Way::Http, true, true, Verdict::Ask);
    row("nobody knows how", Way::Unknown, false, false, Verdict::Ask);
}

void TestApproval::theUsualNeedsNoQuestion()
{
    QFETCH(int, way);
    QFETCH(bool, isPaired);
    QFETCH(bool, asksAlways);
    QFETCH(int, verdict);
    ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
    asking.caller.way = Caller::Way(way);
    asking.caller.pairing = isPaired ? u"p"_s : QString();
    const Standing standing{.rules = rulesWith(asksAlways), .isPaired = isPaired, .name = u"Codex"_s, .grants = {}};
    QCOMPARE(int(decide(asking, Policy(), standing).verdict), verdict);
    // While the person has paused agents, nobody is asked either.
    const AuthorisationDecision paused =
        decide(asking, Policy(), {.rules = rulesWith(asksAlways, true), .isPaired = isPaired});
    QCOMPARE(paused.verdict, Verdict::Deny);
    QCOMPARE(paused.reason, agentsPaused());
    // A pairing that was taken back is none, whatever the way.
    asking.caller.pairing = u"p"_s;
    QCOMPARE(decide(asking, Policy(), {}).verdict, Verdict::Deny);
}

void TestApproval::whatWantsMoreAsksEveryWay()
{
    const Policy more = policyWith([](Policy &p) { p.allow = {u"example.org"_s}; });
    for (const auto way : {Caller::Way::Stdio, Caller::Way::Socket, Caller::Way::Http}) {
        ApprovalRequest asking = request(Caller::Kind::Mcp, more);
        asking.caller.way = way;
        asking.caller.pairing = u"p"_s;
        const AuthorisationDecision decision = decide(asking, Policy(), {.isPaired = true});
        QCOMPARE(decision.verdict, Verdict::Ask);
        QCOMPARE(decision.wants, (QList<Want>{{Want::Kind::Host, u"example.org"_s, {}, {}}}));
    }
}

void TestApproval::whoIsNotPairedIsRefused()
{
    ApprovalRequest asking = request(Caller::Kind::Mcp, Policy());
    asking.caller.way = Caller::Way::Socket;
    const AuthorisationDecision decision = decide(asking, Policy());
    QCOMPARE(decision.verdict, Verdict::Deny);
    QVERIFY2(decision.reason.english().contains(u"not paired"), qPrintable(decision.reason.english()));
    QVERIFY(!decision.reason.english().contains(u"Trust Me")); // a claim is no name
}

void TestApproval::anAnswerIsForExactlyThis_data()
{
    QTest::addColumn<ApprovalRequest>("other");
    const ApprovalRequest same = request(Caller::Kind::Mcp, Policy());
    const auto row = [&](const char *name, auto change) {
        ApprovalRequest other = same;
        change(other);
        QTest::newRow(name) << other;
    };
    row("code", [](ApprovalRequest &r) { r.codeDigest = QByteArray(32, 'e'); });
    row("language", [](ApprovalRequest &r) { r.language = u"sh"_s; });
    row("host", [](ApprovalRequest &r) { r.policy.allow = {u"a.example"_s}; });
    row("tool", [](ApprovalRequest &r) { r.policy.tools = {u"t.echo"_s}; });
    row("two tools", [](ApprovalRequest &r) { r.policy.tools = {u"t.echo"_s, u"t.say"_s}; });
    row("limit", [](ApprovalRequest &r) { r.policy.limits.wall += std::chrono::milliseconds(1); });
    row("folder", [](ApprovalRequest &r) { r.policy.folders = {{u"/a"_s, u"/a"_s, FolderGrant::Mode::ReadOnly}}; });
    row("secret", [](ApprovalRequest &r) { r.secrets = {{u"KEY"_s, {}, false}}; });
    row("place of a secret", [](ApprovalRequest &r) { r.secrets = {{u"KEY"_s, u"OTHER"_s, false}}; });
    row("arguments", [](ApprovalRequest &r) { r.args = {"ab", ""}; });
    row("arguments, moved", [](ApprovalRequest &r) { r.args = {"a", "b"}; });
    row("file", [](ApprovalRequest &r) { r.files = {{"helper.py", "a"}}; });
    row("session", [](ApprovalRequest &r) { r.session = u"s"_s; });
    row("interpreter of a session", [](ApprovalRequest &r) {
        r.session = u"s"_s;
        r.isStateful = true;
    });
    row("copy of a session", [](ApprovalRequest &r) {
        r.session = u"s"_s;
        r.isParallel = true;
    });
    row("content of a file", [](ApprovalRequest &r) { r.files = {{"helper.py", "b"}}; });
}

void TestApproval::anAnswerIsForExactlyThis()
{
    QFETCH(ApprovalRequest, other);
    const ApprovalRequest same = request(Caller::Kind::Mcp, Policy());
    QCOMPARE(approvalDigest(same).size(), 32);
    QVERIFY(approvalDigest(other) != approvalDigest(same));
    static QSet<QByteArray> seen;
    QVERIFY(!seen.contains(approvalDigest(other)));
    seen.insert(approvalDigest(other));
    ApprovalRequest again = same;
    again.run = u"another"_s; // whatever the run is called
    QCOMPARE(approvalDigest(again), approvalDigest(same));
    again.policy.allow = {QString(QChar(0xd800))};
    QCOMPARE(approvalDigest(again), QByteArray());
}

void TestApproval::refusesPoliciesThatMakeNoSense()
{
    const Policy absurd = policyWith([](Policy &p) { p.limits.wall = std::chrono::milliseconds(-1); });
    for (const auto kind : {Caller::Kind::Cli, Caller::Kind::Workbench, Caller::Kind::Mcp}) {
        const AuthorisationDecision decision = decide(request(kind, absurd), Policy());
        QCOMPARE(decision.verdict, Verdict::Deny);
        QVERIFY(!decision.reason.isEmpty());
    }
}

void TestApproval::refusesClientsThatDontSayWhichCode()
{
    ApprovalRequest blank = request(Caller::Kind::Mcp, Policy());
    blank.codeDigest.clear();
    QCOMPARE(decide(blank, Policy()).verdict, Verdict::Deny);
}

void TestApproval::refusesCallersItDoesNotKnow()
{
    QCOMPARE(decide(request(Caller::Kind(99), Policy()), Policy()).verdict, Verdict::Deny);
    QCOMPARE(AuthorisationDecision().verdict, Verdict::Deny); // what is forgotten is denied
}

void TestApproval::nobodyThereMeansNo()
{
    DenyingApprover nobody;
    std::optional<ApprovalDecision> answer;
    nobody.ask(request(Caller::Kind::Mcp, Policy()), [&](ApprovalDecision decision) { answer = std::move(decision); });
    QVERIFY(answer.has_value());
    QVERIFY(!answer->allowed);
    QVERIFY(!answer->reason.isEmpty());
    nobody.withdraw(u"r"_s); // nothing waits; nothing happens
}

QTEST_GUILESS_MAIN(TestApproval)
#include "tst_approval.moc"
