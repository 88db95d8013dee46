// SPDX-License-Identifier: Apache-2.0
// One run read back: what is on record, what is no longer there, and the command that runs it again.
#include "app/workbench/history/details/command.h"
#include "app/workbench/history/details/facts.h"
#include "biglog.h"

#include "engine/audit/kinds/called.h"

#include <QApplication>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestRecord : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_room;

    QString file() const { return m_room.filePath(QString::fromLatin1(QTest::currentTestFunction()) + u".db"_s); }
    ContentStore store() const { return ContentStore(m_room.filePath(u"store"_s)); }

    RunRecord read(const QString &run) const
    {
        const auto reader = AuditReader::open(file());
        if (!reader)
            qFatal("no log");
        auto record = readRecord(**reader, store(), run);
        if (!record)
            qFatal("%s", qPrintable(record.error().message.english()));
        return *std::move(record);
    }

    // A run of this code that failed.
    QString run(const QByteArray &code, bool keep = true) const
    {
        const CommittedBody body = commitTo(code);
        if (keep && !store().put(body.digest, code))
            qFatal("no store");
        OtherProgram other(file());
        const QString id = other.accept(u"x"_s, body);
        other.finish(id, Outcome::Failed);
        return id;
    }

private Q_SLOTS:
    void aRunIsReadBack()
    {
        const RunRecord record = read(run("raise SystemExit(1)"));
        QVERIFY(record.isFinished());
        QCOMPARE(headingOf(record), u"Failed. It exited with status 1."_s);
        QVERIFY(originOf(record, QDateTime::currentDateTime()).endsWith(u"Command line"_s));
        QCOMPARE(codeToRun(record).value(), u"raise SystemExit(1)"_s);
        QCOMPARE(record.policy, Policy());
        QCOMPARE(record.caller.pid, 4711);
        const auto facts = factsOf(record);
        QVERIFY(facts.contains(SummaryFact{u"Exit status"_s, u"1"_s}));
        QVERIFY(facts.contains(SummaryFact{u"Entries"_s, u"#1 · #2"_s, Colour::Text, true}));
    }

    void whatNeverRanHadNothingOfWhatWasAskedFor()
    {
        const auto isSaid = [&](Outcome outcome) {
            OtherProgram other(file());
            const QString id = other.accept(u"x"_s);
            other.finish(id, outcome);
            const auto facts = factsOf(read(id));
            return std::ranges::find(facts, u"Asked for"_s, &SummaryFact::name) != facts.end();
        };
        QVERIFY(isSaid(Outcome::Rejected) && isSaid(Outcome::Denied) && isSaid(Outcome::SetupFailed));
        QVERIFY(!isSaid(Outcome::Failed));
    }

    void whatItTriedComesFirst()
    {
        const QString quiet = run("true");
        QCOMPARE(factsOf(read(quiet)).first().name, u"Exit status"_s);
        OtherProgram other(file());
        const QString id = other.accept(u"x"_s);
        other.finish(id, Outcome::Failed, {{.host = u"evil.example"_s, .reason = Text("no host was allowed")}});
        const auto facts = factsOf(read(id));
        QCOMPARE(facts.first(),
                 (SummaryFact{u"What it tried"_s, u"Blocked: evil.example, as this run was allowed no host."_s,
                              Colour::Warn}));
        QVERIFY(facts.contains(SummaryFact{u"Memory"_s, u"not known"_s}));
    }

    void codeWithoutTheValueOfASecretIsSaidToBeSo()
    {
        const QString id = run("print('value')");
        QVERIFY(codeToRun(read(id)));
        const QByteArray kept = "print('[secret KEY]')";
        const ScrubbedEntry entry{id, commitTo(kept), {u"KEY"_s}, QString::fromLatin1(kept)};
        QVERIFY(store().put(entry.code.digest, kept));
        OtherProgram other(file());
        other.append(toEntry(entry));
        const RunRecord record = read(id);
        QCOMPARE(record.code.content, kept);
        QCOMPARE(record.row.firstLine, QString::fromLatin1(kept));
        const QString said =
            u"The value of KEY was in this code and was redacted, so this isn't the code byte for byte."_s;
        QCOMPARE(codeToRun(record).error(), said);
        QVERIFY(factsOf(record).contains(SummaryFact{u"Code"_s, said, Colour::Warn}));
        QVERIFY(record.isFinished() && record.result.outcome == read(id).result.outcome);
    }

    void whatBecameOfItsChangesIsTold()
    {
        const QString id = run("echo 2 > f");
        OtherProgram other(file());
        const auto decide = [&](const QString &kind, QJsonObject fields = {}) {
            fields[u"folders"_s] = QJsonArray{u"/home/me/src"_s};
            fields[u"changes"_s] = 3;
            other.append({.kind = kind, .run = id, .fields = fields});
        };
        const auto changes = [&] {
            QStringList told;
            for (const SummaryFact &fact : factsOf(read(id))) {
                if (fact.name == u"Changes")
                    told.append(fact.value + (fact.colour == Colour::Warn ? u" (!)"_s : QString()));
            }
            return told;
        };
        QVERIFY(changes().isEmpty());
        decide(u"folder.applying"_s);
        QCOMPARE(changes(), QStringList{u"3 being applied to /home/me/src"_s});
        decide(u"folder.interrupted"_s, {{u"reason"_s, toJson(Text("Glovebox itself ended."))}});
        QCOMPARE(changes(), QStringList{u"Glovebox itself ended. (/home/me/src) (!)"_s});
        decide(u"folder.applying"_s);
        decide(u"folder.applied"_s, {{u"refused"_s, 1}});
        QCOMPARE(changes().value(1), u"3 applied to /home/me/src, 1 refused (!)"_s);
    }

    // Opened ports, and entries of a newer version.
    void whatHasNoFormIsToldByItsFields()
    {
        const QString id = run("echo 2 > f");
        OtherProgram other(file());
        other.append({.kind = u"port.opened"_s,
                      .run = id,
                      .fields = QJsonObject{{u"port"_s, 8000}, {u"address"_s, u"http://127.0.0.1:4/"_s}}});
        other.append({.kind = u"run.moved"_s, .run = id, .fields = QJsonObject{{u"outcome"_s, u"failed"_s}}});
        const RunRecord record = read(id);
        const auto facts = factsOf(record);
        QVERIFY(facts.contains(SummaryFact{u"port.opened"_s, u"address http://127.0.0.1:4/, port 8000"_s}));
        QVERIFY(facts.contains(SummaryFact{u"run.moved"_s, u"outcome failed"_s}));
        QVERIFY(record.result.outcome == *record.row.outcome);
    }

    void whatWasAnsweredIsTold()
    {
        const auto told = [&](const ApprovalDecision &decision, const QString &pairing = {}) {
            const QString id = run("echo hi");
            ApprovalRequest request;
            request.run = id;
            request.caller = {.kind = Caller::Kind::Mcp, .pid = 1, .program = u"/usr/bin/codex"_s, .claimed = {}};
            request.caller.pairing = pairing;
            request.policy.allow = {u"example.org"_s};
            request.secrets = {{u"KEY"_s, {}, false}};
            request.wants = wantsOf(request, {});
            OtherProgram other(file());
            other.append(decidedEntry(request, decision, {}));
            for (const SummaryFact &fact : factsOf(read(id))) {
                if (fact.name == u"Answer")
                    return fact.value + (fact.colour == Colour::Warn ? u" (!)"_s : QString());
            }
            return QString();
        };
        const QString wants = u"the network: example.org; the secret KEY"_s;
        QCOMPARE(told({.allowed = true, .by = AnsweredBy::Client}),
                 u"Allowed for this run by the agent's word: "_s + wants);
        QCOMPARE(told({.allowed = true, .by = AnsweredBy::Person}), u"You allowed for this run: "_s + wants);
        QCOMPARE(told({.allowed = true, .scope = ApprovalScope::Always, .by = AnsweredBy::Person}),
                 u"You allowed this agent from then on: "_s + wants);
        const ApprovalDecision never{.scope = ApprovalScope::Never, .by = AnsweredBy::Person};
        QCOMPARE(told(never, u"pairing-1"_s), u"You denied this agent for good: "_s + wants + u" (!)"_s);
        QCOMPARE(told(never), u"You denied until it disconnected: "_s + wants + u" (!)"_s);
        QCOMPARE(told({.scope = ApprovalScope::Never, .by = AnsweredBy::Client}),
                 u"Denied by the agent's word until it disconnected: "_s + wants + u" (!)"_s);
        QCOMPARE(told({}), u"Denied, as nobody answered: "_s + wants + u" (!)"_s);
        for (const SummaryFact &fact : factsOf(read(run("echo nobody was asked"))))
            QVERIFY(fact.name != u"Answer"_s);
    }

    void whatAnotherVersionPutOnRecordIsToldByItsId()
    {
        OtherProgram other(file());
        const QString id = other.accept(u"x"_s);
        FinishedEntry entry;
        entry.run = id;
        entry.outcome = Outcome::Completed;
        Entry finished = toEntry(entry);
        (*finished.fields)[u"controls"_s] = QJsonArray{QJsonObject{{u"name"_s, u"shadow-stack"_s},
                                                                   {u"requested"_s, u"on"_s},
                                                                   {u"state"_s, u"verified"_s},
                                                                   {u"detail"_s, toJson(Text("User mode only."))}}};
        (*finished.fields)[u"events"_s] = QJsonArray{
            QJsonObject{{u"type"_s, u"camera.asked"_s}, {u"detail"_s, toJson(Text("asked for the camera"))}}};
        other.append(finished);
        const RunRecord record = read(id);
        QCOMPARE(record.result.controls.size(), 1);
        QVERIFY(record.result.controls.first().state == Control::State::Verified);
        QCOMPARE(record.result.controls.first().detail.english(), u"shadow-stack: User mode only."_s);
        QCOMPARE(record.result.events.size(), 1);
        QVERIFY(record.result.events.first().type == EventType::Unknown);
        QCOMPARE(record.result.events.first().detail.english(), u"asked for the camera"_s);
    }

    void aRunThatGoesOnIsSaidToBeUnfinished()
    {
        OtherProgram other(file());
        const RunRecord record = read(other.accept(u"sleep"_s));
        QVERIFY(!record.isFinished());
        QCOMPARE(headingOf(record), u"Not finished yet"_s);
    }

    // Only its beginning is on record: how it went on, nobody wrote down.
    void ofARunWhoseGloveboxWasKilledNothingIsClaimed()
    {
        OtherProgram other(file());
        const QString id = other.accept(u"print('seen')"_s);
        other.interrupt(id);
        const RunRecord record = read(id);
        QVERIFY(record.isFinished());
        const auto facts = factsOf(record);
        for (const QString &name : {u"Output"_s, u"Errors"_s, u"Time"_s, u"Memory"_s, u"Exit status"_s})
            QVERIFY2(facts.contains(SummaryFact{name, u"not known"_s}), qPrintable(name));

        const QString whole = run("true");
        QVERIFY(factsOf(read(whole)).contains(SummaryFact{u"Output"_s, u"nothing"_s}));
    }

    // The events of a finished run tell more.
    void whatARunWithoutAnEndCalledIsTold()
    {
        OtherProgram other(file());
        const QString id = other.accept(u"call"_s);
        for (const char *tool : {"repo.search", "repo.comment", "repo.search"})
            other.append(toEntry(CalledEntry{.run = id, .tool = QString::fromLatin1(tool)}));
        const auto called = [&] {
            QStringList told;
            for (const SummaryFact &fact : factsOf(read(id))) {
                if (fact.name == u"Called tool")
                    told.append(fact.value.section(u',', 0, 0));
            }
            return told;
        };
        QCOMPARE(called(), (QStringList{u"2 × repo.search"_s, u"1 × repo.comment"_s}));
        other.finish(id, Outcome::Completed);
        QVERIFY(called().isEmpty());
    }

    void whatItWantedOfTheNetworkIsReadBack()
    {
        EgressAttempt tunnel;
        tunnel.way = EgressAttempt::Way::Connect;
        tunnel.host = u"pypi.org"_s;
        tunnel.port = 443;
        tunnel.verdict = EgressAttempt::Verdict::Allowed;
        tunnel.sent = 1200;
        tunnel.received = qint64(1) << 40;
        tunnel.duration = std::chrono::milliseconds(17);
        EgressAttempt name;
        name.way = EgressAttempt::Way::Name;
        name.host = u"collect.example.net"_s;
        name.verdict = EgressAttempt::Verdict::Denied;
        name.reason = Text("not on the allowlist");
        name.isOffAllowlist = true;
        EgressAttempt dead;
        dead.way = EgressAttempt::Way::Direct;
        dead.verdict = EgressAttempt::Verdict::Failed;
        dead.reason = Text("malformed: %1", {u"x"_s});
        OtherProgram other(file());
        const QString id = other.accept(u"x"_s);
        other.finish(id, Outcome::Completed, {tunnel, name, dead});
        QCOMPARE(read(id).result.egress, QList({tunnel, name, dead}));
    }

    void whyAnOlderVersionRefusedAPlaceIsKnownByItsReason()
    {
        QJsonArray attempts;
        for (const char *reason : {"no host was allowed", "not on the allowlist", "too many names"}) {
            QJsonObject attempt = toJson(EgressAttempt{.host = u"a.example"_s, .reason = Text(reason)});
            attempt.remove(u"off_allowlist"_s);
            attempts.append(attempt);
        }
        RunResult result;
        takeEnd(result, {}, {{u"egress"_s, attempts}});
        QCOMPARE(result.egress.size(), 3);
        QVERIFY(result.egress.at(0).isOffAllowlist);
        QVERIFY(result.egress.at(1).isOffAllowlist);
        QVERIFY(!result.egress.at(2).isOffAllowlist);
    }

    void missingDamagedAndDeletedCodeIsSaid()
    {
        const QString missing = run("missing", false);
        QCOMPARE(read(missing).code.state, RecordedBody::State::Missing);
        QVERIFY(codeToRun(read(missing)).error().contains(u"missing from the store"_s));

        const QString damaged = run("damaged");
        const QString name = QString::fromLatin1(sha256({QByteArrayView("damaged")}).toHex());
        QFile body(store().folder() + u'/' + name.first(2) + u'/' + name.sliced(2));
        QVERIFY(body.open(QIODevice::ReadWrite));
        body.write("X");
        body.close();
        QCOMPARE(read(damaged).code.state, RecordedBody::State::Damaged);
        QVERIFY(codeToRun(read(damaged)).error().contains(u"changed or damaged"_s));

        const QString deleted = run("deleted");
        execute(file(), "UPDATE bodies SET salt = NULL, digest = NULL WHERE seq = (SELECT seq FROM runs WHERE run = '"
                            + deleted.toUtf8() + "')");
        QCOMPARE(read(deleted).code.state, RecordedBody::State::Deleted);
        QVERIFY(codeToRun(read(deleted)).error().contains(u"The code was deleted."_s));
    }

    void codeThatIsNoTextIsNotOpened()
    {
        QVERIFY(!codeToRun(read(run("\xff\xfe"))));
        QVERIFY(!codeToRun(read(run(QByteArray("a\0b", 3)))));
        QVERIFY(!codeToRun(read(run(QByteArray(60'000, 'x')))));
        QVERIFY(codeToRun(read(run(QByteArray("x = 1\n").repeated(60'000)))));
    }

    void theCommandNamesWhatIsNotAsUsual()
    {
        RunRecord record = read(run("print(6*7)"));
        QCOMPARE(commandOf(record, Limits()).value(), u"glovebox run -l python -c 'print(6*7)'"_s);
        record.terminal = QSize(80, 24);
        QCOMPARE(commandOf(record, Limits()).value(), u"glovebox run -l python --tty -c 'print(6*7)'"_s);
        record.terminal = {};
        record.policy->limits.wall = std::chrono::milliseconds(1500);
        record.policy->limits.memoryBytes = 64 * mebibyte;
        record.policy->strict = true;
        QCOMPARE(commandOf(record, Limits()).value(),
                 u"glovebox run -l python -t 1.5 -m 64 --strict -c 'print(6*7)'"_s);
        record.policy = Policy();
        record.policy->limits.cpu = std::chrono::seconds(2);
        record.policy->limits.cpuPercent = 50;
        QCOMPARE(commandOf(record, Limits()).value(),
                 u"glovebox run -l python --cpu 2 --cpu-share 50 -c 'print(6*7)'"_s);
        record.policy = Policy();
        record.policy->folders = {{u"/srv/it's"_s, u"/mnt/data"_s, FolderGrant::Mode::Stage}};
        QCOMPARE(commandOf(record, Limits()).value(),
                 u"glovebox run -l python --mount '/srv/it'\\''s:/mnt/data:stage' -c 'print(6*7)'"_s);
        record.policy = Policy();
        record.policy->allow = QStringList{u"example.org:443"_s};
        record.policy->limits.trafficBytes = 10 * mebibyte;
        record.policy->limits.bandwidthBytes = 100 * kibibyte;
        QCOMPARE(commandOf(record, Limits()).value(),
                 u"glovebox run -l python --allow 'example.org:443' --traffic 10 --bandwidth 100 -c 'print(6*7)'"_s);
        QVERIFY(!commandOf(read(run(QByteArray("x = 1\n").repeated(30'000))), Limits()));
        // Who set two minutes for every run must ask for the usual half.
        Limits usual;
        usual.wall = std::chrono::minutes(2);
        record.policy = Policy();
        QCOMPARE(commandOf(record, usual).value(), u"glovebox run -l python -t 30 -c 'print(6*7)'"_s);
    }

    void secretsThatWereLentAreNamedAndLentAgain()
    {
        OtherProgram other(file());
        const std::vector<SecretGrant> lent{
            {u"API_KEY"_s}, {u"DB"_s, u"DATABASE_URL"_s, false}, {u"TOKEN"_s, {}, true}};
        const CommittedBody body = commitTo("print(1)");
        QVERIFY(store().put(body.digest, "print(1)"));
        const QString id = other.accept(u"print(1)"_s, body, lent);
        other.finish(id, Outcome::Completed);
        const RunRecord record = read(id);
        QCOMPARE(record.secrets, lent);
        QCOMPARE(commandOf(record, Limits()).value(),
                 u"glovebox run -l python --secret 'API_KEY' --secret 'DB=DATABASE_URL' --secret-file 'TOKEN' "
                 "-c 'print(1)'"_s);
        const auto facts = factsOf(record);
        QVERIFY(facts.contains(SummaryFact{u"Secret"_s, u"API_KEY, as the variable API_KEY"_s}));
        QVERIFY(facts.contains(SummaryFact{u"Secret"_s, u"DB, as the variable DATABASE_URL"_s}));
        QVERIFY(facts.contains(SummaryFact{u"Secret"_s, u"TOKEN, as the file /run/secrets/TOKEN"_s}));
    }

    void aShellReadsTheWordBackAsItWas_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("lines") << QByteArray("a\n  b\n");
        QTest::newRow("quotes") << QByteArray("it's \"$HOME\" `id` \\n !x");
        QTest::newRow("escapes") << QByteArray("\x1b[201~id\n\t'\\\x07"
                                               "7\x03");
        QTest::newRow("letters") << QByteArray("h\xc3\xa9llo \xf0\x9f\x98\x80 \xe2\x80\xae");
    }

    void aShellReadsTheWordBackAsItWas()
    {
        QFETCH(QByteArray, code);
        const QString word = shellWord(code);
        for (const QChar character : word)
            QVERIFY(character == u'\n' || character.category() != QChar::Other_Control);
        QProcess bash;
        bash.start(u"bash"_s, {u"-c"_s, u"printf %s "_s + word});
        QVERIFY(bash.waitForFinished());
        QCOMPARE(bash.readAllStandardOutput(), code);
    }
};

QTEST_MAIN(TestRecord)
#include "tst_record.moc"
