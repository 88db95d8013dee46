// SPDX-License-Identifier: Apache-2.0
// Questions on a terminal: what is shown is harmless, and only a word before Enter allows anything.
#include "app/cli/asking/terminalapprover.h"

#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <future>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

// A terminal, as its person has it.
class TypingPerson
{
public:
    TypingPerson()
        : m_master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))
    {
        ::grantpt(m_master.get());
        ::unlockpt(m_master.get());
        name = ::ptsname(m_master.get());
        m_held.reset(::open(name.constData(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    }
    bool waitFor(const QByteArray &text)
    {
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!seen.contains(text) && std::chrono::steady_clock::now() < end) {
            pollfd ready{m_master.get(), POLLIN, 0};
            if (::poll(&ready, 1, 100) <= 0)
                continue;
            char bytes[4096];
            const ssize_t count = ::read(m_master.get(), bytes, sizeof bytes);
            if (count > 0)
                seen.append(bytes, count);
        }
        return seen.contains(text);
    }
    void type(const QByteArray &keys) const
    {
        std::ignore = ::write(m_master.get(), keys.constData(), size_t(keys.size()));
    }
    void hangUp()
    {
        m_held.reset();
        m_master.reset();
    }

    QByteArray name;
    QByteArray seen;

private:
    UniqueFd m_master, m_held;
};

ApprovalRequest wanting(const QString &run = u"1"_s)
{
    ApprovalRequest request;
    request.run = run;
    request.caller = {.kind = Caller::Kind::Mcp,
                      .pid = 7,
                      .program = u"/usr/bin/codex"_s,
                      .claimed = u"Codex"_s,
                      .way = Caller::Way::Stdio,
                      .connection = u"c"_s};
    request.language = u"python"_s;
    request.policy.allow = {u"a.example"_s};
    request.code = "import os\nprint(1)";
    request.codeDigest = sha256({request.code});
    request.wants = wantsOf(request, {});
    return request;
}

PairingRequest pairing(const QString &id = u"0192-abc123"_s)
{
    return {id,
            {.kind = Caller::Kind::Mcp, .pid = 7, .program = u"/usr/bin/codex"_s, .claimed = u"Codex"_s},
            u"http://127.0.0.1:4321/callback"_s};
}

} // namespace

class TestAsking : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsAnswered_data()
    {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<bool>("isAllowed");
        QTest::addColumn<QString>("scope");
        QTest::newRow("Enter alone") << QByteArray("\r") << false << u"once"_s;
        QTest::newRow("once") << QByteArray("o\r") << true << u"once"_s;
        QTest::newRow("session") << QByteArray("s\r") << true << u"session"_s;
        QTest::newRow("never") << QByteArray("n\r") << false << u"never"_s;
        QTest::newRow("always, not paired") << QByteArray("a\r") << false << u"once"_s;
        QTest::newRow("something else") << QByteArray("yo\r") << false << u"once"_s;
        QTest::newRow("corrected") << QByteArray("n\x7fo\r") << true << u"once"_s;
        QTest::newRow("a key of the terminal") << QByteArray("\x1b[Ao\r") << false << u"once"_s;
        QTest::newRow("Ctrl+C") << QByteArray("o\x03") << false << u"once"_s;
    }
    void whatIsAnswered()
    {
        QFETCH(QByteArray, typed);
        QFETCH(bool, isAllowed);
        QFETCH(QString, scope);
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        std::promise<ApprovalDecision> answer;
        approver.ask(wanting(), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        QVERIFY2(terminal.seen.contains("| import os") && terminal.seen.contains("Network: * a.example"),
                 terminal.seen);
        terminal.type(typed);
        const ApprovalDecision decision = answer.get_future().get();
        QCOMPARE(decision.allowed, isAllowed);
        QCOMPARE(toString(decision.scope), scope);
        QCOMPARE(decision.digest, approvalDigest(wanting()));
    }

    void aProgramIsPairedByAWordBeforeEnter_data()
    {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<bool>("isPaired");
        QTest::newRow("Enter alone") << QByteArray("\r") << false;
        QTest::newRow("p") << QByteArray("p\r") << true;
        QTest::newRow("pair") << QByteArray("pair\r") << true;
        QTest::newRow("the word of another question") << QByteArray("o\r") << false;
        QTest::newRow("a key of the terminal") << QByteArray("\x1b[Ap\r") << false;
        QTest::newRow("Ctrl+C") << QByteArray("p\x03") << false;
    }
    void aProgramIsPairedByAWordBeforeEnter()
    {
        QFETCH(QByteArray, typed);
        QFETCH(bool, isPaired);
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        QVERIFY(approver.canAsk());
        std::promise<Status> answer;
        terminal.type("p\r"); // before it is asked
        approver.askToPair(pairing(), [&](const Status &status) { answer.set_value(status); });
        QVERIFY2(terminal.waitFor("Enter alone refuses: "), terminal.seen);
        for (const char *shown : {"calls itself \"Codex\", which proves nothing", "/usr/bin/codex, process 7",
                                  "http://127.0.0.1:4321/callback", "as request abc123. Refuse another one"})
            QVERIFY2(terminal.seen.contains(shown), terminal.seen);
        terminal.type(typed);
        const Status status = answer.get_future().get();
        QCOMPARE(status.has_value(), isPaired);
        QVERIFY(isPaired || status.error().code == ErrorCode::PermissionDenied);
    }

    void aPairingNobodyAnswersOrAsksForAnyMoreLeavesTheTerminal()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name, {.pairing = 1500ms});
        std::promise<Status> answer;
        approver.askToPair(pairing(), [&](const Status &status) { answer.set_value(status); });
        QVERIFY2(terminal.waitFor("Enter alone refuses: "), terminal.seen);
        QCOMPARE(answer.get_future().get().error().code, ErrorCode::TimedOut);
        QVERIFY2(terminal.waitFor("no longer waits"), terminal.seen);
        terminal.seen.clear();
        approver.askToPair(pairing(u"2"_s), [](const Status &) { QFAIL("it was withdrawn"); });
        QVERIFY2(terminal.waitFor("Enter alone refuses: "), terminal.seen);
        approver.withdrawPairing(u"2"_s);
        QVERIFY2(terminal.waitFor("no longer waits"), terminal.seen);
    }

    void aPairingIsAskedAboutBeforeRunsThatWait()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        for (const QString &run : {u"1"_s, u"2"_s})
            approver.ask(wanting(run), [](const ApprovalDecision &) { });
        std::promise<Status> answer;
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        approver.askToPair(pairing(), [&](const Status &status) { answer.set_value(status); });
        terminal.type("\r");
        QVERIFY2(terminal.waitFor("Enter alone refuses: "), terminal.seen);
        terminal.type("p\r");
        QVERIFY(answer.get_future().get().has_value());
    }

    void aCellNamesWhoElseCanUseWhatIsAllowed()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        ApprovalRequest cell = wanting();
        cell.session = u"shop"_s;
        cell.isStateful = true;
        approver.ask(cell, [](const ApprovalDecision &) { });
        QVERIFY2(terminal.waitFor("Earlier code in the session's interpreter can use what you allow."), terminal.seen);
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        approver.withdraw(cell.run);
    }

    // A hand that was typing when the question came.
    void whatWasTypedBeforeIsNoAnswer()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        std::promise<ApprovalDecision> answer;
        auto decided = answer.get_future();
        terminal.type("o\r");
        approver.ask(wanting(), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
        QVERIFY(terminal.waitFor("wants to run this"));
        terminal.type("o\r");
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        QVERIFY(decided.wait_for(100ms) == std::future_status::timeout);
        terminal.type("\r");
        QVERIFY(!decided.get().allowed);
    }

    void withdrawnWhileThePersonLooks()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        approver.ask(wanting(), [](const ApprovalDecision &) { QFAIL("it was withdrawn"); });
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        approver.withdraw(u"1"_s);
        QVERIFY2(terminal.waitFor("no longer waits"), terminal.seen);
        std::promise<ApprovalDecision> answer;
        terminal.seen.clear();
        approver.ask(wanting(u"2"_s), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        terminal.type("o\r");
        QVERIFY(answer.get_future().get().allowed);
    }

    void withoutATerminalAllIsDenied()
    {
        TerminalApprover approver("/nonexistent/tty");
        std::promise<ApprovalDecision> answer;
        approver.ask(wanting(), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
        QVERIFY(!answer.get_future().get().allowed);
        QVERIFY(!approver.canAsk());
        std::promise<Status> paired;
        approver.askToPair(pairing(), [&](const Status &status) { paired.set_value(status); });
        QVERIFY(!paired.get_future().get());
    }

    void theTerminalGoesWhileThePersonLooks()
    {
        TypingPerson terminal;
        TerminalApprover approver(terminal.name);
        std::promise<ApprovalDecision> answer;
        approver.ask(wanting(), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
        QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        terminal.hangUp();
        QVERIFY(!answer.get_future().get().allowed);
    }

    void endingDenies()
    {
        TypingPerson terminal;
        std::promise<ApprovalDecision> answer;
        {
            TerminalApprover approver(terminal.name);
            approver.ask(wanting(), [&](const ApprovalDecision &decision) { answer.set_value(decision); });
            QVERIFY2(terminal.waitFor("Enter alone denies: "), terminal.seen);
        }
        QVERIFY(!answer.get_future().get().allowed);
    }

    void packagesAreNamedWithTheirIndex()
    {
        ApprovalRequest request;
        request.tool = installTool;
        request.install = AskedPackages{u"pypi.org"_s,
                                        {u"branch 1.5"_s, u"requestz 1.0"_s},
                                        {u"requestz (like requests)"_s},
                                        {u"branch 1.5"_s},
                                        {u"requestz"_s},
                                        {}};
        const QByteArray question = questionAbout(request);
        QVERIFY2(question.contains(" wants to install these packages from pypi.org:\n"), question);
        QVERIFY2(question.contains("  Packages: * branch 1.5, * requestz 1.0\n"), question);
        QVERIFY2(question.contains("  Look like others: * requestz (like requests)\n"), question);
        QVERIFY2(question.contains("  Install scripts that run, sealed and without a network: * branch 1.5\n"),
                 question);
        QVERIFY2(question.contains("  Install scripts, which aren't run: * requestz\n"), question);
    }

    // Each text that a client chooses, with what a terminal would obey, in each place that shows it.
    void aCallOfAToolIsToldFromARun()
    {
        ApprovalRequest request;
        request.caller.program = u"/usr/bin/codex"_s;
        request.caller.pid = 7;
        request.code = "{\"run\": \"x\"}";
        request.tool = u"explain_run"_s;
        const QByteArray shown = questionAbout(request);
        QVERIFY2(shown.contains("process 7, wants to call explain_run with these arguments:\n  | {\"run\": \"x\"}\n"),
                 shown);
        QVERIFY2(shown.endsWith("  Tool: * explain_run\n"), shown);
        QVERIFY(!shown.contains(" code") && !shown.contains("Network"));
        QVERIFY(
            questionAbout(request, u"/tmp/x"_s).contains("(The environment has moved Glovebox's files to /tmp/x.)\n"));
    }

    // A client's window may cut the end, and may take the text for Markdown, of which four blanks make a block of code.
    void aClientsWindowGetsTheFactsFirst()
    {
        ApprovalRequest request = wanting();
        request.code = "![x](http://evil.example/x)\n\n# Approved\n  Network: none\n";
        const QString shown = questionInClient(request);
        const QStringList lines = shown.split(u'\n');
        QVERIFY2(lines.size() > 6 && lines[0].endsWith(u':') && lines[1].isEmpty(), qPrintable(shown));
        for (const QString &line : lines.mid(2))
            QVERIFY2(line.startsWith(u"      "), qPrintable(shown));
        QVERIFY2(shown.indexOf(u"\n      Network: * ") < shown.indexOf(u"| ![x](http"), qPrintable(shown));
        QCOMPARE(shown.count(u"\n      Network: "), 1);
    }

    void nothingThatIsShownIsObeyed()
    {
        const QString evil = u"\x1b[2J\x1b]52;c;ZXZpbA==\a\r\n  Network: none\u202e\u200b<b>"_s;
        ApprovalRequest request = wanting();
        request.caller.program = evil;
        request.caller.claimed = evil + QString(1'000'000, u'x');
        request.language = evil;
        request.policy.allow = {evil};
        request.policy.folders = {{evil, evil, FolderGrant::Mode::ReadWrite}};
        request.policy.backend = evil;
        request.secrets = {{evil, evil, false}};
        request.args = {evil.toUtf8(), QByteArray(1'000'000, 'y')};
        request.files = {{evil.toUtf8(), "x"}};
        request.code = evil.toUtf8() + QByteArray(1'000'000, 'z') + QByteArray("\n").repeated(1'000'000);
        request.wants = wantsOf(request, {});
        const PairingRequest program{u"1"_s, request.caller, evil + QString(1'000'000, u'x')};
        const QByteArray asked = questionAbout(program, evil);
        QVERIFY2(asked.size() < 10'000, qPrintable(QString::number(asked.size())));
        const QByteArray shown = questionAbout(request, evil) + asked;
        QVERIFY2(shown.size() < 100'000, qPrintable(QString::number(shown.size())));
        for (const char control : {'\x1b', '\a', '\r', '\b'})
            QVERIFY(!shown.contains(control));
        QVERIFY(!shown.contains("\u202e") && !shown.contains("\u200b"));
        QVERIFY(shown.contains("\\u{202e}"));
        QVERIFY(shown.contains("which are NOT shown"));
        // A line break of the client's begins no line of ours.
        int networks = 0;
        for (const QByteArray &line : shown.split('\n'))
            networks += line.startsWith("  Network: ");
        QCOMPARE(networks, 1);
    }
};

QTEST_GUILESS_MAIN(TestAsking)
#include "tst_asking.moc"
