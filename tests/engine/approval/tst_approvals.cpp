// SPDX-License-Identifier: Apache-2.0
// Pairings, grants and answers, on a real log: what is kept, for whom, and what is on record.
#include "engine/approval/approval.h"

#include <QTemporaryDir>
#include <QtTest>

#include <future>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestApprovals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<QTemporaryDir>();
        m_file = m_home->filePath(u"data/audit.db"_s);
        m_log = std::move(*AuditLog::open(m_file, u"engine-1"_s, Clock::system()));
        m_settings = std::move(*Settings::load(m_home->filePath(u"settings.json"_s), {}));
        m_inbox = std::make_shared<Inbox>();
        m_approvals = approvals();
    }
    void cleanup()
    {
        m_approvals.reset();
        m_inbox.reset();
        m_log.reset();
    }

    void onceGrantsNothingElse();
    void sessionEndsWithItsConnection();
    void alwaysIsForThePairing();
    void alwaysOfNobodyPairedIsForTheConnection();
    void neverIsKept();
    void takenBackIsAskedAgain();
    void anAnswerToAnotherRequestIsNone();
    void anAnswerThatCantBeRecordedIsNone();
    void aPairingIsATokenAndNotAName();
    void aPersonPairsByAName();
    void whatAProgramClaimsIsShownPlainly();
    void pairingIsRefusedAndWithdrawn();
    void removingTakesAllWithIt();
    void othersRemoveAtTheSameTime();
    void runsAtOnceAndAMinuteAreCounted();
    void agentsWithoutAPairingHaveALimitTogether();
    void aLimitSetElsewhereHoldsForTheNextRun();
    void aPauseHoldsInEveryProgram();
    void whatIsTurnedOffHoldsInEveryProgram();
    void anEntryOfEach();

private:
    std::unique_ptr<Approvals> approvals()
    {
        return std::make_unique<Approvals>(Approvals::Rooms{.log = m_log.get(),
                                                            .whyReadOnly = {},
                                                            .auditFile = m_file,
                                                            .settings = m_settings.get(),
                                                            .clock = &Clock::system(),
                                                            .approver = m_inbox});
    }
    static Caller codex(const QString &pairing = {}, const QString &connection = u"c1"_s)
    {
        return {.kind = Caller::Kind::Mcp,
                .pid = 7,
                .program = u"/usr/bin/codex"_s,
                .claimed = u"Codex"_s,
                .way = Caller::Way::Stdio,
                .pairing = pairing,
                .connection = connection};
    }
    ApprovalRequest wanting(const QString &host, const Caller &caller)
    {
        ApprovalRequest request;
        request.run = newId(Clock::system());
        request.caller = caller;
        request.language = u"python"_s;
        request.policy.allow = {host};
        request.code = "print(1)";
        request.codeDigest = sha256({request.code});
        return request;
    }
    Verdict verdictOf(const QString &host, const Caller &caller)
    {
        return m_approvals->decide(wanting(host, caller)).verdict;
    }
    NewPairing pairedAs(const QString &claim)
    {
        Caller caller = codex();
        caller.claimed = claim;
        Status answer = fail(ErrorCode::Unavailable, Text("Nobody has answered."));
        const QString id = m_approvals->requestPairing(caller, {}, [&](const Status &given) { answer = given; });
        if (!m_inbox->answerPairing(id, true) || !answer)
            return {};
        return m_approvals->pairRequested(id).value_or(NewPairing());
    }
    // What a run gets that asks, when the person answers so.
    ApprovalDecision answered(ApprovalRequest request, ApprovalScope scope)
    {
        request.wants = m_approvals->decide(request).wants;
        const auto answer = std::make_shared<std::promise<ApprovalDecision>>();
        m_approvals->ask(request, [answer](ApprovalDecision decision) { answer->set_value(std::move(decision)); });
        if (!m_inbox->allow(request.run, approvalDigest(request), scope))
            return {};
        return answer->get_future().get();
    }
    QList<QJsonObject> entries(const QString &kind)
    {
        QList<QJsonObject> found;
        const auto reader = AuditReader::open(m_file);
        const auto stored = (*reader)->entries(1, 1000).value();
        for (const StoredEntry &entry : stored) {
            const QJsonObject object = QJsonDocument::fromJson(entry.json).object();
            if (object[u"kind"_s] == kind)
                found.append(object);
        }
        return found;
    }

    std::unique_ptr<QTemporaryDir> m_home;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
    std::unique_ptr<Settings> m_settings;
    std::shared_ptr<Inbox> m_inbox;
    std::unique_ptr<Approvals> m_approvals;
};

void TestApprovals::onceGrantsNothingElse()
{
    QVERIFY(answered(wanting(u"a.example"_s, codex()), ApprovalScope::Once).allowed);
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Ask);
}

void TestApprovals::sessionEndsWithItsConnection()
{
    QVERIFY(answered(wanting(u"a.example"_s, codex()), ApprovalScope::Session).allowed);
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Allow);
    QCOMPARE(verdictOf(u"b.example"_s, codex()), Verdict::Ask);
    QCOMPARE(verdictOf(u"a.example"_s, codex({}, u"c2"_s)), Verdict::Ask);
    QCOMPARE(verdictOf(u"a.example"_s, codex({}, {})), Verdict::Ask);
    m_approvals->connectionEnded(u"c1"_s);
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Ask);
    // Without a connection there is nothing that it could last for.
    QVERIFY(answered(wanting(u"a.example"_s, codex({}, {})), ApprovalScope::Session).allowed);
    QCOMPARE(verdictOf(u"a.example"_s, codex({}, {})), Verdict::Ask);
}

void TestApprovals::alwaysIsForThePairing()
{
    const QString pairing = pairedAs(u"Codex"_s).client.id;
    QVERIFY(!pairing.isEmpty());
    QVERIFY(answered(wanting(u"a.example"_s, codex(pairing)), ApprovalScope::Always).allowed);
    QCOMPARE(m_approvals->grantsOf(pairing)->size(), 1);
    m_approvals = approvals(); // another program, later
    QCOMPARE(verdictOf(u"a.example"_s, codex(pairing, u"c9"_s)), Verdict::Allow);
    QCOMPARE(verdictOf(u"b.example"_s, codex(pairing)), Verdict::Ask);
    // Another one that calls itself the same.
    const QString other = pairedAs(u"Codex"_s).client.id;
    QCOMPARE(verdictOf(u"a.example"_s, codex(other)), Verdict::Ask);
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Ask);
}

void TestApprovals::alwaysOfNobodyPairedIsForTheConnection()
{
    const ApprovalDecision decision = answered(wanting(u"a.example"_s, codex()), ApprovalScope::Always);
    QVERIFY(decision.allowed);
    QVERIFY(decision.scope == ApprovalScope::Session);
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Allow);
    m_approvals = approvals();
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Ask);
}

void TestApprovals::neverIsKept()
{
    const QString pairing = pairedAs(u"Codex"_s).client.id;
    const ApprovalDecision decision = answered(wanting(u"a.example"_s, codex(pairing)), ApprovalScope::Never);
    QVERIFY(!decision.allowed);
    QVERIFY(!decision.reason.isEmpty());
    QCOMPARE(verdictOf(u"a.example"_s, codex(pairing)), Verdict::Deny);
    const auto whyRefused = [&](const QString &host, const Caller &caller) {
        return m_approvals->decide(wanting(host, caller)).reason.english();
    };
    QVERIFY(whyRefused(u"a.example"_s, codex(pairing)).contains(u"this for good: the network: a.example."_s));
    // Of nobody paired it isn't for good, and nobody says so.
    const ApprovalDecision unpaired = answered(wanting(u"b.example"_s, codex()), ApprovalScope::Never);
    QVERIFY(!unpaired.allowed);
    QVERIFY2(unpaired.reason.english().contains(u"until this client disconnects"_s),
             qPrintable(unpaired.reason.english()));
    QCOMPARE(verdictOf(u"b.example"_s, codex()), Verdict::Deny);
    QVERIFY2(whyRefused(u"b.example"_s, codex()).contains(u"until it disconnects: the network: b.example."_s),
             qPrintable(whyRefused(u"b.example"_s, codex())));
    QCOMPARE(verdictOf(u"b.example"_s, codex({}, u"c2"_s)), Verdict::Ask);
}

void TestApprovals::takenBackIsAskedAgain()
{
    const QString pairing = pairedAs(u"Codex"_s).client.id;
    QVERIFY(answered(wanting(u"a.example"_s, codex(pairing)), ApprovalScope::Always).allowed);
    const Want want = m_approvals->grantsOf(pairing)->first().want;
    QVERIFY(m_approvals->takeBack(pairing, want, {}));
    QCOMPARE(verdictOf(u"a.example"_s, codex(pairing)), Verdict::Ask);
    QCOMPARE(m_approvals->takeBack(pairing, want, {}).error().code, ErrorCode::NotFound);
}

void TestApprovals::anAnswerToAnotherRequestIsNone()
{
    // An approver that mixes two requests up, or was made to.
    class Mixed : public Approver
    {
    public:
        void ask(const ApprovalRequest &request, Answer answer) override
        {
            ApprovalRequest harmless = request;
            harmless.code = "print('hello')";
            harmless.codeDigest = sha256({harmless.code});
            answer({.allowed = true, .digest = approvalDigest(harmless), .by = AnsweredBy::Person});
            Q_UNUSED(request)
        }
        void withdraw(const QString &) override { }
    };
    Approvals mixed({.log = m_log.get(),
                     .whyReadOnly = {},
                     .auditFile = m_file,
                     .settings = m_settings.get(),
                     .clock = &Clock::system(),
                     .approver = std::make_shared<Mixed>()});
    std::promise<ApprovalDecision> answer;
    mixed.ask(wanting(u"a.example"_s, codex()), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    const ApprovalDecision decision = answer.get_future().get();
    QVERIFY(!decision.allowed);
    QVERIFY2(decision.reason.english().contains(u"changed"), qPrintable(decision.reason.english()));
    QCOMPARE(entries(u"approval.decided"_s).first()[u"allowed"_s], false);
}

void TestApprovals::anAnswerThatCantBeRecordedIsNone()
{
    const ApprovalRequest request = wanting(u"a.example"_s, codex());
    std::promise<ApprovalDecision> answer;
    m_approvals->ask(request, [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    m_approvals->close(Text("Glovebox is shutting down."));
    QVERIFY(m_inbox->allow(request.run, approvalDigest(request), ApprovalScope::Once));
    const ApprovalDecision decision = answer.get_future().get();
    QVERIFY(!decision.allowed);
    QCOMPARE(decision.reason.english(), u"Glovebox is shutting down."_s);
    QCOMPARE(entries(u"approval.decided"_s).size(), 0);
}

void TestApprovals::aPairingIsATokenAndNotAName()
{
    const NewPairing pairing = pairedAs(u"Codex"_s);
    QCOMPARE(pairing.token.size(), 43);
    QCOMPARE(m_approvals->clientOf(pairing.token).value(), std::optional(pairing.client));
    QCOMPARE(m_approvals->clientOf("Codex").value(), std::nullopt);
    QCOMPARE(m_approvals->clientOf("").value(), std::nullopt);
    QCOMPARE(m_approvals->clientOf(sha256({pairing.token})).value(), std::nullopt); // what is stored opens nothing
    QVERIFY(pairedAs(u"Codex"_s).token != pairing.token);
    m_approvals.reset();
    m_log.reset();
    for (const QString &name : QDir(m_home->filePath(u"data"_s)).entryList(QDir::Files)) {
        QFile file(m_home->filePath(u"data/"_s + name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY2(!file.readAll().contains(pairing.token), qPrintable(name));
        QCOMPARE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    }
}

void TestApprovals::aPersonPairsByAName()
{
    const auto first = m_approvals->pair(u"my editor"_s, {});
    QVERIFY(first);
    QCOMPARE(first->token.size(), 43);
    QCOMPARE(m_approvals->clientOf(first->token)->value_or(PairedClient()).id, first->client.id);
    QVERIFY(!*m_approvals->clientOf(first->token.chopped(1)));
    QCOMPARE(m_approvals->pair(u"my editor"_s, {}).error().code, ErrorCode::Busy);
    for (const QString &name : {u""_s, u" a"_s, u"a\u202e"_s, u"a\nb"_s, QString(clientNameMax + 1, u'a')})
        QCOMPARE(m_approvals->pair(name, {}).error().code, ErrorCode::InvalidInput);
    QVERIFY(m_approvals->pair(QString(clientNameMax, u'a'), {}));
    QVERIFY(!*m_approvals->lastRunOf(first->client.id));
    QCOMPARE(entries(u"client.paired"_s).first()[u"name"].toString(), u"my editor"_s);
}

void TestApprovals::whatAProgramClaimsIsShownPlainly()
{
    QCOMPARE(shownName(u"Claude\nCode\x1b[2J\u202e\u200b"_s), u"ClaudeCode[2J"_s);
    QCOMPARE(shownName(QString(1'000'000, u'x')).size(), clientNameMax);
    QCOMPARE(shownName(QString(1'000'000, QChar(0x202e))), QString());
    QVERIFY(!shownName(QString(63, u'x') + u"\U0001F600"_s).back().isHighSurrogate());
    QCOMPARE(pairedAs(u"\u202e\n"_s).client.name, u"codex"_s); // nothing is left of it: the program's
    QCOMPARE(pairedAs(QString(QChar(0xd800)) + u"x"_s).client.name, u"?x"_s);
}

void TestApprovals::pairingIsRefusedAndWithdrawn()
{
    Status answer;
    const auto take = [&](const Status &given) { answer = given; };
    const QString refused = m_approvals->requestPairing(codex(), {}, take);
    QVERIFY(m_inbox->answerPairing(refused, false));
    QCOMPARE(answer.error().code, ErrorCode::PermissionDenied);
    QCOMPARE(m_approvals->pairRequested(refused).error().code, ErrorCode::NotFound);
    const QString welcome = m_approvals->requestPairing(codex(), {}, take);
    QCOMPARE(m_approvals->pairRequested(welcome).error().code, ErrorCode::NotFound); // nobody has answered
    QVERIFY(m_inbox->answerPairing(welcome, true) && answer);
    QCOMPARE(m_approvals->clients()->size(), 0); // until it comes for its token
    m_approvals->withdrawPairing(welcome);
    QCOMPARE(m_approvals->pairRequested(welcome).error().code, ErrorCode::NotFound);
    const QString id = m_approvals->requestPairing(codex(), {}, [](const auto &) { QFAIL("it is gone"); });
    m_approvals->withdrawPairing(id);
    QCOMPARE(m_inbox->contents().pairings.size(), 0);
    QCOMPARE(m_inbox->answerPairing(id, true).error().code, ErrorCode::NotFound);
    QCOMPARE(m_approvals->clients()->size(), 0);
}

void TestApprovals::removingTakesAllWithIt()
{
    const NewPairing pairing = pairedAs(u"Codex"_s);
    const QString id = pairing.client.id;
    QVERIFY(answered(wanting(u"a.example"_s, codex(id)), ApprovalScope::Always).allowed);
    QVERIFY(m_approvals->remove(id, {}));
    QCOMPARE(m_approvals->clients()->size(), 0);
    QCOMPARE(m_approvals->grantsOf(id)->size(), 0);
    QCOMPARE(m_approvals->clientOf(pairing.token).value(), std::nullopt);
    QCOMPARE(verdictOf(u"a.example"_s, codex(id)), Verdict::Deny);
    QCOMPARE(m_approvals->remove(id, {}).error().code, ErrorCode::NotFound);
}

// The person removes it on the page while an answer "always" is on its way: no grant is left for nobody.
void TestApprovals::othersRemoveAtTheSameTime()
{
    const QString id = pairedAs(u"Codex"_s).client.id;
    ApprovalRequest request = wanting(u"a.example"_s, codex(id));
    request.wants = m_approvals->decide(request).wants;
    std::promise<ApprovalDecision> answer;
    m_approvals->ask(request, [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    QVERIFY(m_approvals->remove(id, {}));
    QVERIFY(m_inbox->allow(request.run, approvalDigest(request), ApprovalScope::Always));
    QVERIFY(!answer.get_future().get().allowed);
    QCOMPARE(m_approvals->grantsOf(id)->size(), 0);
}

void TestApprovals::runsAtOnceAndAMinuteAreCounted()
{
    QVERIFY(m_settings->setFlag(u"mcp.runs_at_once"_s, 2));
    QVERIFY(m_settings->setFlag(u"mcp.runs_a_minute"_s, 4));
    const auto admit = [this](const Caller &caller) {
        const ApprovalRequest request = wanting(u"a.example"_s, caller);
        return m_approvals->admit(request) ? request.run : QString();
    };
    const QString first = admit(codex()), second = admit(codex());
    QVERIFY(!first.isEmpty() && !second.isEmpty());
    QVERIFY(admit(codex()).isEmpty());
    QVERIFY(!admit(codex({}, u"c2"_s)).isEmpty()); // others are not hindered
    m_approvals->runEnded(first);
    m_approvals->runEnded(first); // counts once
    QVERIFY(!admit(codex()).isEmpty());
    QVERIFY(admit(codex()).isEmpty());
    m_approvals->runEnded(second);
    const QString fourth = admit(codex());
    QVERIFY(!fourth.isEmpty());
    m_approvals->runEnded(fourth);
    const Status fifth = m_approvals->admit(wanting(u"a.example"_s, codex()));
    QCOMPARE(fifth.error().code, ErrorCode::Busy);
    QVERIFY2(fifth.error().message.english().contains(u"within a minute"), qPrintable(fifth.error().message.english()));
    Caller person = codex();
    person.kind = Caller::Kind::Workbench;
    for (int i = 0; i < 10; ++i)
        QVERIFY(!admit(person).isEmpty());
}

// An agent that connects again and again is no more of them.
void TestApprovals::agentsWithoutAPairingHaveALimitTogether()
{
    QVERIFY(m_settings->setFlag(u"mcp.runs_at_once"_s, 2));
    QVERIFY(m_settings->setFlag(u"mcp.unpaired_at_once"_s, 3));
    QVERIFY(m_settings->setFlag(u"mcp.unpaired_a_minute"_s, 5));
    const auto admit = [this](const Caller &caller, QString *run = nullptr) {
        const ApprovalRequest request = wanting(u"a.example"_s, caller);
        if (run)
            *run = request.run;
        return m_approvals->admit(request);
    };
    QStringList runs(3);
    for (int i = 0; i < 3; ++i)
        QVERIFY(admit(codex({}, u"c%1"_s.arg(i)), &runs[i]));
    const Status fourth = admit(codex({}, u"c4"_s));
    QCOMPARE(fourth.error().code, ErrorCode::Busy);
    QVERIFY2(fourth.error().message.english().startsWith(u"Agents without a pairing already have"),
             qPrintable(fourth.error().message.english()));
    for (int i = 0; i < 2; ++i) // paired ones are not hindered
        QVERIFY(admit(codex(u"p1"_s, u"c5"_s)));
    QVERIFY(!admit(codex(u"p1"_s, u"c5"_s)));
    for (int i = 0; i < 2; ++i) {
        m_approvals->runEnded(runs[i]);
        QVERIFY(admit(codex({}, u"c%1"_s.arg(i)), &runs[i]));
    }
    m_approvals->runEnded(runs[0]);
    const Status sixth = admit(codex({}, u"c6"_s));
    QVERIFY(!sixth);
    QVERIFY2(sixth.error().message.english().contains(u"within a minute (5)"),
             qPrintable(sixth.error().message.english()));
    QVERIFY(m_settings->setFlag(u"mcp.unpaired_a_minute"_s, 0));
    QVERIFY(admit(codex({}, u"c6"_s)));
}

void TestApprovals::aLimitSetElsewhereHoldsForTheNextRun()
{
    const auto elsewhere = std::move(*Settings::load(m_home->filePath(u"settings.json"_s), {}));
    QVERIFY(m_approvals->admit(wanting(u"a.example"_s, codex())));
    QVERIFY(elsewhere->store(u"mcp.runs_at_once"_s, 1));
    const Status second = m_approvals->admit(wanting(u"a.example"_s, codex()));
    QVERIFY(!second);
    QVERIFY2(second.error().message.english().contains(u"at once (1)"), qPrintable(second.error().message.english()));
}

void TestApprovals::aPauseHoldsInEveryProgram()
{
    const QString file = m_home->filePath(u"settings.json"_s);
    const auto elsewhere = std::move(*Settings::load(file, {}));
    const ApprovalRequest request = wanting(u"a.example"_s, codex());
    QCOMPARE(m_approvals->decide(request).verdict, Verdict::Ask);
    std::promise<ApprovalDecision> answer;
    m_approvals->ask(request, [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    QVERIFY(elsewhere->store(u"mcp.paused"_s, true));
    QVERIFY(m_inbox->allow(request.run, approvalDigest(request), ApprovalScope::Once));
    const ApprovalDecision late = answer.get_future().get();
    QVERIFY(!late.allowed);
    QCOMPARE(late.reason, agentsPaused());
    QVERIFY(elsewhere->store(u"mcp.paused"_s, false));
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Ask);
    QVERIFY(elsewhere->store(u"mcp.paused"_s, true));
    QCOMPARE(m_approvals->decide(request).reason, agentsPaused());
    QVERIFY(elsewhere->store(u"mcp.paused"_s, false));
    QFile broken(file);
    QVERIFY(broken.open(QFile::WriteOnly));
    broken.write("{\"mcp\": {\"paus");
    broken.close();
    QCOMPARE(verdictOf(u"a.example"_s, codex()), Verdict::Deny); // nobody knows what the person wants
}

void TestApprovals::whatIsTurnedOffHoldsInEveryProgram()
{
    const auto elsewhere = std::move(*Settings::load(m_home->filePath(u"settings.json"_s), {}));
    const QString id = pairedAs(u"Codex"_s).client.id;
    QVERIFY(answered(wanting(u"a.example"_s, codex(id)), ApprovalScope::Always).allowed);
    QCOMPARE(verdictOf(u"a.example"_s, codex(id)), Verdict::Allow);
    const ApprovalRequest request = wanting(u"b.example"_s, codex(id));
    ApprovalRequest asking = request;
    asking.wants = m_approvals->decide(request).wants;
    std::promise<ApprovalDecision> answer;
    m_approvals->ask(asking, [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    QVERIFY(elsewhere->store(u"mcp.hosts"_s, u"off"_s));
    // The person answers a question that was asked before.
    QVERIFY(m_inbox->allow(request.run, approvalDigest(request), ApprovalScope::Always));
    const ApprovalDecision late = answer.get_future().get();
    QVERIFY(!late.allowed);
    QVERIFY2(late.reason.english().contains(u"reach no hosts"), qPrintable(late.reason.english()));
    QCOMPARE(m_approvals->grantsOf(id)->size(), 1); // nothing is kept
    QCOMPARE(verdictOf(u"a.example"_s, codex(id)), Verdict::Deny);
    QVERIFY(elsewhere->store(u"mcp.hosts"_s, u"on"_s));
    QCOMPARE(verdictOf(u"c.example"_s, codex(id)), Verdict::Allow);
    QVERIFY(elsewhere->store(u"mcp.run_code"_s, u"off"_s));
    QCOMPARE(verdictOf(u"c.example"_s, codex(id)), Verdict::Deny);
    QVERIFY(m_approvals->rules()->ofTool(u"run_code"_s) == AgentSwitch::Off);
}

void TestApprovals::anEntryOfEach()
{
    const QString id = pairedAs(u"Codex"_s).client.id;
    Caller caller = codex(id);
    caller.claimed = QString(QChar(0xdc00)); // no JSON holds that
    const ApprovalRequest request = wanting(u"a.example"_s, caller);
    QVERIFY(answered(request, ApprovalScope::Always).allowed);
    QVERIFY(m_approvals->remove(id, caller));
    QCOMPARE(entries(u"client.paired"_s).size(), 1);
    QCOMPARE(entries(u"client.removed"_s).size(), 1);
    const QJsonObject decided = entries(u"approval.decided"_s).value(0);
    QCOMPARE(decided[u"run"_s], request.run);
    QCOMPARE(decided[u"allowed"_s], true);
    QCOMPARE(decided[u"scope"_s], u"always"_s);
    QCOMPARE(decided[u"by"_s], u"person"_s);
    QCOMPARE(decided[u"digest"_s].toString().toLatin1(), approvalDigest(request).toHex());
    QCOMPARE(decided[u"wants"_s].toArray().size(), 1);
    QCOMPARE(decided[u"caller"_s][u"pairing"_s], id);
    QCOMPARE(decided[u"caller"_s][u"way"_s], u"stdio"_s);
}

QTEST_GUILESS_MAIN(TestApprovals)
#include "tst_approvals.moc"
