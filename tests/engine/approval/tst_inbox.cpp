// SPDX-License-Identifier: Apache-2.0
// The inbox: each ask has exactly one answer, whoever comes first.
#include "engine/approval/approval.h"

#include <QtTest>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

static ApprovalRequest askOf(const QString &run, const QByteArray &code = "print(1)")
{
    ApprovalRequest request;
    request.run = run;
    request.caller.kind = Caller::Kind::Mcp;
    request.language = u"python"_s;
    request.code = code;
    request.codeDigest = sha256({code});
    request.wants = {{Want::Kind::Host, u"a.example"_s, {}, {}}};
    return request;
}

class TestInbox : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksWaitInOrder();
    void silenceDeniesAndSaysWhatToDo();
    void whoWaitsForLessIsAnsweredSooner();
    void aProgramThatNobodyPairsIsGone();
    void whatChangedIsNotAnswered();
    void aWithdrawnAskIsNeverAnswered();
    void closingDeniesAll();
    void tooManyAreDenied();
    void wakesOnceUntilLookedAt();
    void oneAnswerHoweverManyRace();
    void anAskWithoutADigestCanOnlyBeDenied();
};

void TestInbox::asksWaitInOrder()
{
    QStringList answered;
    Inbox inbox;
    for (const auto &run : {u"1"_s, u"2"_s, u"3"_s})
        inbox.ask(askOf(run), [&answered, run](const ApprovalDecision &decision) {
            answered.append(run + (decision.allowed ? u"+"_s : u"-"_s));
        });
    const auto asks = inbox.contents().asks;
    QCOMPARE(asks.size(), 3);
    QCOMPARE(asks[0].request.run, u"1"_s);
    QVERIFY(asks[0].until > Inbox::Moment::clock::now() + 4min);
    QVERIFY(inbox.allow(u"2"_s, asks[1].digest, ApprovalScope::Once));
    QVERIFY(inbox.deny(u"1"_s, asks[0].digest));
    QCOMPARE(inbox.contents().asks.size(), 1);
    QCOMPARE(inbox.allow(u"1"_s, asks[0].digest, ApprovalScope::Once).error().code, ErrorCode::NotFound);
    QCOMPARE(answered, (QStringList{u"2+"_s, u"1-"_s}));
}

void TestInbox::silenceDeniesAndSaysWhatToDo()
{
    Inbox inbox({.ask = 30ms});
    std::promise<ApprovalDecision> answer;
    inbox.ask(askOf(u"1"_s), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    const ApprovalDecision decision = answer.get_future().get();
    QVERIFY(!decision.allowed);
    QVERIFY(decision.by == AnsweredBy::Nobody);
    QVERIFY2(decision.reason.english().contains(u"has to allow the network: a.example in Glovebox"),
             qPrintable(decision.reason.english()));
    QVERIFY(inbox.contents().asks.isEmpty());
    // An ask that comes while another one's time runs has its own.
    std::promise<void> second;
    inbox.ask(askOf(u"2"_s), [&](const ApprovalDecision &) { second.set_value(); });
    second.get_future().get();
}

void TestInbox::whoWaitsForLessIsAnsweredSooner()
{
    Inbox inbox;
    inbox.ask(askOf(u"1"_s), [](const ApprovalDecision &) { });
    ApprovalRequest call = askOf(u"2"_s);
    call.tool = u"explain_run"_s;
    call.patience = 30ms;
    std::promise<ApprovalDecision> answer;
    inbox.ask(call, [&](const ApprovalDecision &decision) { answer.set_value(decision); });
    const ApprovalDecision decision = answer.get_future().get();
    QVERIFY2(decision.reason.english().startsWith(u"Nobody answered for 0.03 s whether explain_run"),
             qPrintable(decision.reason.english()));
    QCOMPARE(inbox.contents().asks.size(), 1);
}

void TestInbox::aProgramThatNobodyPairsIsGone()
{
    Inbox inbox({.pairing = 30ms});
    std::promise<Status> answer;
    inbox.askToPair({u"p"_s, {}}, [&](Status status) { answer.set_value(std::move(status)); });
    QCOMPARE(answer.get_future().get().error().code, ErrorCode::TimedOut);
    QVERIFY(inbox.contents().pairings.isEmpty());
}

// The client withdraws what the person looks at, and asks for something else under the same name.
void TestInbox::whatChangedIsNotAnswered()
{
    Inbox inbox;
    std::optional<ApprovalDecision> answer;
    inbox.ask(askOf(u"1"_s, "print('hello')"), [](const ApprovalDecision &) { QFAIL("it was withdrawn"); });
    const QByteArray seen = inbox.contents().asks.first().digest;
    inbox.withdraw(u"1"_s);
    inbox.ask(askOf(u"1"_s, "import os; os.system('rm -rf ~')"),
              [&](const ApprovalDecision &decision) { answer = decision; });
    QCOMPARE(inbox.allow(u"1"_s, seen, ApprovalScope::Always).error().code, ErrorCode::Busy);
    QCOMPARE(inbox.deny(u"1"_s, seen).error().code, ErrorCode::Busy);
    QVERIFY(!answer);
    QVERIFY(inbox.allow(u"1"_s, inbox.contents().asks.first().digest, ApprovalScope::Once));
    QVERIFY(answer && answer->allowed);
}

void TestInbox::aWithdrawnAskIsNeverAnswered()
{
    const auto held = std::make_shared<int>();
    {
        Inbox inbox({.ask = 20ms});
        inbox.ask(askOf(u"1"_s), [held](const ApprovalDecision &) { QFAIL("it was withdrawn"); });
        inbox.withdraw(u"1"_s);
        inbox.withdraw(u"1"_s);
        QCOMPARE(held.use_count(), 1); // nothing is kept of it
        std::promise<void> later;
        inbox.ask(askOf(u"2"_s), [&](const ApprovalDecision &) { later.set_value(); });
        later.get_future().get();
    }
}

void TestInbox::closingDeniesAll()
{
    std::atomic<int> denied = 0;
    std::atomic<int> refused = 0;
    {
        Inbox inbox;
        for (int i = 0; i < 100; ++i)
            inbox.ask(askOf(QString::number(i)),
                      [&](const ApprovalDecision &decision) { denied += !decision.allowed; });
        inbox.askToPair({u"p"_s, {}}, [&](const Status &status) { refused += !status; });
        inbox.close(Text("The window was closed."));
        QCOMPARE(denied, 100);
        QCOMPARE(refused, 1);
        inbox.ask(askOf(u"late"_s), [&](const ApprovalDecision &decision) {
            denied += !decision.allowed && decision.reason.english() == u"The window was closed."_s;
        });
        QCOMPARE(denied, 101);
    }
    QCOMPARE(denied, 101);
    {
        Inbox inbox;
        inbox.ask(askOf(u"1"_s), [&](const ApprovalDecision &decision) { denied += !decision.allowed; });
    }
    QCOMPARE(denied, 102);
}

void TestInbox::tooManyAreDenied()
{
    int denied = 0, refused = 0;
    Inbox inbox({.asksMost = 3, .pairingsMost = 1});
    for (int i = 0; i < 5; ++i)
        inbox.ask(askOf(QString::number(i)), [&](const ApprovalDecision &decision) { denied += !decision.allowed; });
    QCOMPARE(denied, 2);
    QCOMPARE(inbox.contents().asks.size(), 3);
    for (int i = 0; i < 3; ++i)
        inbox.askToPair({QString::number(i), {}}, [&](const Status &status) { refused += !status; });
    QCOMPARE(refused, 2);
}

void TestInbox::wakesOnceUntilLookedAt()
{
    Inbox inbox;
    int wakes = 0;
    inbox.onChange([&] { ++wakes; });
    QCOMPARE(wakes, 0);
    inbox.ask(askOf(u"1"_s), [](const ApprovalDecision &) { });
    inbox.ask(askOf(u"2"_s), [](const ApprovalDecision &) { });
    QCOMPARE(wakes, 1);
    std::ignore = inbox.contents();
    inbox.withdraw(u"1"_s);
    QCOMPARE(wakes, 2);
    int late = 0;
    inbox.onChange([&] { ++late; }); // something is there already
    QCOMPARE(late, 1);
    inbox.onChange({});
    std::ignore = inbox.contents();
    inbox.withdraw(u"2"_s);
    QCOMPARE(wakes + late, 3);
}

// By the person, by time, by cancelling and by the end, all at once.
void TestInbox::oneAnswerHoweverManyRace()
{
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> answers = 0;
        std::atomic<int> taken = 0;
        bool isWithdrawn = false;
        {
            Inbox inbox({.ask = std::chrono::milliseconds(round % 3)});
            inbox.ask(askOf(u"1"_s), [&](const ApprovalDecision &) { ++answers; });
            const QByteArray digest = approvalDigest(askOf(u"1"_s));
            std::latch start(3);
            const std::jthread person([&] {
                start.arrive_and_wait();
                taken += inbox.allow(u"1"_s, digest, ApprovalScope::Once).has_value();
            });
            const std::jthread other([&] {
                start.arrive_and_wait();
                taken += inbox.deny(u"1"_s, digest).has_value();
            });
            start.arrive_and_wait();
            if (round % 2 == 0)
                inbox.close(Text("The end."));
            else
                isWithdrawn = true, inbox.withdraw(u"1"_s);
        }
        QVERIFY(taken <= 1);
        QVERIFY(answers == 1 || (isWithdrawn && answers == 0));
        QVERIFY(answers >= taken);
    }
}

void TestInbox::anAskWithoutADigestCanOnlyBeDenied()
{
    Inbox inbox;
    ApprovalRequest request = askOf(u"1"_s);
    request.policy.allow = {QString(QChar(0xd800))};
    std::optional<ApprovalDecision> answer;
    inbox.ask(request, [&](const ApprovalDecision &decision) { answer = decision; });
    QCOMPARE(inbox.contents().asks.first().digest, QByteArray());
    QCOMPARE(inbox.allow(u"1"_s, {}, ApprovalScope::Once).error().code, ErrorCode::InvalidInput);
    QVERIFY(inbox.deny(u"1"_s, {}));
    QVERIFY(answer && !answer->allowed);
}

QTEST_GUILESS_MAIN(TestInbox)
#include "tst_inbox.moc"
