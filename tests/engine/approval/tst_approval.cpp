// SPDX-License-Identifier: Apache-2.0
// Who may run what without being asked, who is asked about, and who is refused.
#include "engine/approval/approval.h"

#include <QtTest>

#include <optional>

using namespace glovebox;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(glovebox::Policy)

class TestApproval : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void peopleDecideByAsking_data();
    void peopleDecideByAsking();
    void clientsAreAskedAbout_data();
    void clientsAreAskedAbout();
    void secretsAreNamed();
    void refusesPoliciesThatMakeNoSense();
    void refusesClientsThatDontSayWhichCode();
    void refusesCallersItDoesNotKnow();
    void nobodyThereMeansNo();

private:
    static ApprovalRequest request(Caller::Kind kind, const Policy &policy)
    {
        ApprovalRequest request;
        request.run = u"r"_s;
        request.caller = {kind, 1, u"client"_s, u"Trust Me"_s};
        request.language = u"python"_s;
        request.policy = policy;
        request.codeDigest = QByteArray(32, 'd');
        return request;
    }
};

static Policy policyWith(auto change)
{
    Policy policy;
    change(policy);
    return policy;
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
        QCOMPARE(decide(request(kind, policy), Policy()), (AuthorisationDecision{Verdict::Allow, {}}));
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
    row("a folder", [&](Policy &p) { p.folders = {folder}; }, nothing, u"the folder /srv/data"_s);
    row(
        "a folder that is granted", [&](Policy &p) { p.folders = {folder}; }, [&](Policy &p) { p.folders = {folder}; },
        {});
    row(
        "a granted folder, but to write to",
        [&](Policy &p) { p.folders = {{folder.hostPath, folder.path, FolderGrant::Mode::ReadWrite}}; },
        [&](Policy &p) { p.folders = {folder}; }, u"the folder /srv/data"_s);
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
    QVERIFY2(
        decision.reason.english().contains(u"more than you usually grant: the secret API_KEY; the secret deploy.key."),
        qPrintable(decision.reason.english()));
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
