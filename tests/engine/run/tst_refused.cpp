// SPDX-License-Identifier: Apache-2.0
// What is refused before it runs, or fails on its way: the reason, the record, and that nothing of the run stays.
#include "enginefixture.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestRefused : public QObject, private EngineFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { EngineFixture::init(); }
    void cleanup() { EngineFixture::cleanup(); }

    void badRequestsAreRejectedOnRecord_data();
    void badRequestsAreRejectedOnRecord();
    void hugeCodeIsRejectedAndItsBeginningKept();
    void aSandboxThatCannotBeBuiltIsSetupFailed();
    void aFolderThatMayNotBeReadIsNoFaultOfTheMachine();
    void whatNeverBeganWasShownNothing();
    void whoeverWantsPackagesIsToldWhatIsMissing();
    void aRunThatFailsOnItsWayIsClosedWhole_data();
    void aRunThatFailsOnItsWayIsClosedWhole();
    void aRunGetsTheBackendOfItsPolicyAndNoOther();
};

void TestRefused::badRequestsAreRejectedOnRecord_data()
{
    QTest::addColumn<std::function<void(RunRequest &)>>("spoil");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const std::function<void(RunRequest &)> &spoil, const QString &reason) {
        QTest::newRow(name) << spoil << reason;
    };
    row("unknown language", [](RunRequest &r) { r.language = u"cobol"_s; }, u"cobol"_s);
    row("broken language", [](RunRequest &r) { r.language = QChar(0xd800); }, {});
    row("no language", [](RunRequest &r) { r.language.clear(); }, {});
    row("empty code", [](RunRequest &r) { r.code.clear(); }, {});
    row("binary code", [](RunRequest &r) { r.code = QByteArray("a\0b", 3); }, {});
    row("invalid UTF-8", [](RunRequest &r) { r.code = "echo \xff\xfe"; }, {});
    row("no time", [](RunRequest &r) { r.policy.limits.wall = 0ms; }, {});
    row("endless time", [](RunRequest &r) { r.policy.limits.wall = std::chrono::milliseconds::max(); }, {});
    row("negative memory", [](RunRequest &r) { r.policy.limits.memoryBytes = -1; }, {});
    row("absurd output", [](RunRequest &r) { r.policy.limits.outputBytes = std::numeric_limits<qint64>::max(); }, {});
    row("unknown backend", [](RunRequest &r) { r.policy.backend = u"magic"_s; }, {});
    row("network", [](RunRequest &r) { r.policy.allow = {u"*"_s}; }, u"every host"_s);
    row(
        "folder", [](RunRequest &r) { r.policy.folders = {{u"/srv/x"_s, u"/mnt/x"_s, FolderGrant::Mode::ReadOnly}}; },
        u"There is no folder /srv/x"_s);
    row("NUL in argument", [](RunRequest &r) { r.args = {QByteArray("a\0b", 3)}; }, {});
    row("folder in file name", [](RunRequest &r) { r.files = {{"../x", ""}}; }, u"../x"_s);
    row("two files of one name", [](RunRequest &r) { r.files = {{"x", "1"}, {"x", "2"}}; }, u"\"x\""_s);
    row(
        "files beyond the disk",
        [](RunRequest &r) {
            r.policy.limits.diskBytes = mebibyte;
            r.files = {{"x", QByteArray(mebibyte + 1, 'x')}};
        },
        u"1048577"_s);
    row("broken claim",
        [](RunRequest &r) {
            r.caller.claimed = QChar(0xdc00);
            r.code.clear();
        },
        {});
}

void TestRefused::badRequestsAreRejectedOnRecord()
{
    QFETCH(std::function<void(RunRequest &)>, spoil);
    QFETCH(QString, reason);
    open();
    RunRequest request = shell("echo ran");
    spoil(request);
    const auto run = m_engine->start(request);
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QVERIFY2(run->result()->reason.english().contains(reason), qPrintable(run->result()->reason.english()));
    QVERIFY(!run->result()->reason.isEmpty());
    QCOMPARE(m_backend->launched, 0);
    const auto list = entries(run);
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1][u"outcome"].toString(), u"rejected"_s);
    QCOMPARE(run->result()->auditSeq, list[1][u"seq"].toInteger());
}

void TestRefused::hugeCodeIsRejectedAndItsBeginningKept()
{
    open();
    const QByteArray code = "echo ran #" + QByteArray(50'000'000, 'x');
    const auto run = m_engine->start(shell(code));
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QCOMPARE(entries(run)[0][u"code"][u"bytes"].toInteger(), code.size());
    const auto bodies = *(*m_engine->auditReader())->bodiesOf(run->id());
    QCOMPARE(bodies[0].kept, maximumCodeBytes);
    QCOMPARE(*m_engine->store().get(bodies[0].digest), code.first(maximumCodeBytes));
}

void TestRefused::aSandboxThatCannotBeBuiltIsSetupFailed()
{
    m_backend->beforeLaunch = [](const Assignment &, std::stop_token) {
        return fail(ErrorCode::Unavailable, Text("No sandbox today."), Text("ENOSYS"));
    };
    open();
    m_engine->readiness().onChange([] { });
    const auto run = m_engine->start(shell("echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::SetupFailed);
    // The engine looks again by itself.
    QTRY_COMPARE(m_engine->readiness().current().backend.state, Part::State::Blocked);
    QCOMPARE(run->result()->reason.english(), u"No sandbox today."_s);
    QCOMPARE(run->result()->events, (QList<RunEvent>{{EventType::ErrorDetail, Text("ENOSYS")}}));
    QCOMPARE(run->result()->out.totalBytes, 0);
    QCOMPARE(entries(run).size(), 2);
}

void TestRefused::aFolderThatMayNotBeReadIsNoFaultOfTheMachine()
{
    m_backend->beforeLaunch = [](const Assignment &, std::stop_token) {
        return fail(ErrorCode::PermissionDenied, Text("You may not read it."));
    };
    open();
    const auto run = m_engine->start(shell("echo ran"));
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QCOMPARE(run->result()->reason.english(), u"You may not read it."_s);
}

void TestRefused::whatNeverBeganWasShownNothing()
{
    bool isRefused = true;
    m_backend->beforeLaunch = [&](const Assignment &, std::stop_token) -> Status {
        return isRefused ? Status(fail(ErrorCode::PermissionDenied, Text("You may not read it."))) : Status();
    };
    open();
    const QTemporaryDir folder;
    RunRequest wanted = shell("exit 0");
    wanted.policy.folders = {{folder.path(), u"/mnt/x"_s, FolderGrant::Mode::ReadOnly}};
    const auto shown = [&] {
        const auto run = m_engine->start(wanted);
        run->wait();
        const auto events = run->result()->events;
        const auto logged = entries(run).last()[u"events"].toArray();
        const auto count = std::ranges::count(events, EventType::FolderShown, &RunEvent::type);
        return count
                       == std::ranges::count_if(
                           logged, [](const auto &event) { return event[u"type"].toString() == u"folder.shown"_s; })
                   ? int(count)
                   : -1;
    };
    QCOMPARE(shown(), 0);
    isRefused = false;
    QCOMPARE(shown(), 1);
    // Older versions logged what was asked for.
    for (const auto &[outcome, left] : {std::pair(u"rejected"_s, 1), std::pair(u"completed"_s, 2)}) {
        const QJsonObject detail = toJson(Text("The run was shown it."));
        RunResult result;
        takeEnd(result, {},
                {{u"outcome"_s, outcome},
                 {u"events"_s,
                  QJsonArray{QJsonObject{{u"type"_s, u"folder.shown"_s}, {u"detail"_s, detail}},
                             QJsonObject{{u"type"_s, u"events.more"_s}, {u"detail"_s, detail}, {u"unseen"_s, 4}}}}});
        QCOMPARE(result.events.size(), left);
        QCOMPARE(result.events.last().unseen, 4);
    }
}

void TestRefused::aRunThatFailsOnItsWayIsClosedWhole_data()
{
    using Change = std::function<void(RunRequest &)>;
    QTest::addColumn<Change>("change");
    QTest::addColumn<Outcome>("outcome");
    const auto row = [](const char *name, Outcome outcome, const Change &change) {
        QTest::newRow(name) << change << outcome;
    };
    row("folders", Outcome::Rejected, [](RunRequest &wanted) {
        wanted.policy.folders = {{u"/no/such/folder"_s, u"/data"_s, FolderGrant::Mode::Stage}};
    });
    row("session", Outcome::Rejected, [](RunRequest &wanted) { wanted.session = newId(Clock::system()); });
    row("interpreter", Outcome::SetupFailed, [](RunRequest &wanted) { wanted.interpreter = u"/no/such/sh"_s; });
    row("secrets", Outcome::Denied, [](RunRequest &wanted) { wanted.secrets = {{u"KEY"_s, {}, false}}; });
    row("tools", Outcome::Rejected, [](RunRequest &wanted) {
        wanted.language = u"python"_s;
        wanted.policy.tools = {u"notes.search"_s};
    });
    row("launch", Outcome::SetupFailed, [](RunRequest &wanted) { wanted.code = "fails"; });
}

// What its closing lines leave: its entry, a free slot, a free session.
void TestRefused::aRunThatFailsOnItsWayIsClosedWhole()
{
    QFETCH(const std::function<void(RunRequest &)>, change);
    QFETCH(const Outcome, outcome);
    m_backend->beforeLaunch = [](const Assignment &assignment, std::stop_token) -> Status {
        const bool fails = !assignment.files.isEmpty() && assignment.files.first().content == "fails";
        return fails ? Status(fail(ErrorCode::Unavailable, Text("No sandbox today."))) : Status();
    };
    open(1, 1);
    const Session session = m_engine->createSession({.name = u"shop"_s}, m_engine->caller()).value();
    RunRequest wanted = shell("echo ran");
    wanted.session = session.id;
    change(wanted);
    const auto run = m_engine->start(wanted);
    QCOMPARE_OUTCOME(run, outcome);
    QCOMPARE(run->state(), RunState::Done);
    const auto list = entries(run);
    QCOMPARE(list.size(), 2);
    QCOMPARE(list[1][u"outcome"].toString(), toString(outcome));
    QVERIFY(!m_engine->sessions().isBusy(session.id));
    const auto next = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(next, Outcome::Completed);
}

void TestRefused::whoeverWantsPackagesIsToldWhatIsMissing()
{
    class Blocked : public UnsealedBackend
    {
    public:
        BackendReport probe() override
        {
            ++probes;
            return {.backend = name(), .reason = Text("There is no sandbox."), .remedy = Text("Make one.")};
        }
        std::atomic<int> probes = 0;
    };
    const auto blocked = std::make_shared<Blocked>();
    blocked->beforeLaunch = [](const Assignment &, std::stop_token) {
        return fail(ErrorCode::Unavailable, Text("No sandbox today."));
    };
    m_backends = {blocked};
    open();
    const PackageWish wish{.language = u"python"_s, .requirements = readRequirements(u"leaf"_s, u"python"_s).value()};
    const QString told = u"The packages can't be installed: There is no sandbox. Make one."_s;
    QCOMPARE(m_engine->packages().fetch(wish).error().message.english(), told);
    QVERIFY(blocked->probes > 0);
    QVERIFY(m_engine->sessions().list().value().isEmpty());
    m_engine->readiness().look();
    const qint64 last = (*m_engine->auditReader())->lastEntry().value();
    QCOMPARE(m_engine->packages().fetch(wish).error().message.english(), told);
    QCOMPARE((*m_engine->auditReader())->lastEntry().value(), last); // nothing was begun
}

void TestRefused::aRunGetsTheBackendOfItsPolicyAndNoOther()
{
    const auto other = std::make_shared<UnsealedBackend>(u"other"_s);
    m_backends = {other, m_backend};
    open();
    const auto served = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(served, Outcome::Completed);
    QCOMPARE(m_backend->launched, 1);
    QCOMPARE(other->launched, 0);
    m_engine.reset();
    QCOMPARE(other->shutDown, 1);

    m_backends = {other};
    open();
    const auto run = m_engine->start(shell("exit 0"));
    QCOMPARE_OUTCOME(run, Outcome::Rejected);
    QCOMPARE(run->wait()->reason.english(), u"There is no backend called \"native\" here. Choose \"other\" "
                                            "(--backend, or the setting run.backend)."_s);
    QCOMPARE(entries(run).size(), 2);
    QCOMPARE(other->launched, 0);
    RunRequest named = shell("exit 0");
    named.policy.backend = u"other"_s;
    const auto asked = m_engine->start(named);
    QCOMPARE_OUTCOME(asked, Outcome::Completed);
    QCOMPARE(other->launched, 1);

    m_engine.reset();
    m_backends = {m_backend};
    open();
    const auto refused = m_engine->start(named);
    QCOMPARE_OUTCOME(refused, Outcome::Rejected);
    QCOMPARE(refused->wait()->reason.english(), u"There is no backend called \"other\" here. Choose \"native\" "
                                                "(--backend, or the setting run.backend)."_s);
    QCOMPARE(m_backend->launched, 1);
}

QTEST_GUILESS_MAIN(TestRefused)
#include "tst_refused.moc"
