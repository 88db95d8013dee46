// SPDX-License-Identifier: Apache-2.0
// The text of entries, byte by byte: whoever verifies a log in ten years relies on it.
#include "fixture.h"

#include <QTest>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const EntryHead head{7, 1'700'000'000'000'001, u"ENGINE"_s};

CommittedBody body(char fill, qint64 bytes, qint64 kept)
{
    return {QByteArray(32, 's'), QByteArray(32, fill), QByteArray(32, 'd'), bytes, kept};
}

} // namespace

class TestEntry : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void acceptedIsWrittenLikeThis()
    {
        AcceptedEntry entry = accepted(u"RUN"_s);
        entry.code = body('\x01', 11, 11);
        entry.secrets = {{u"API_KEY"_s}, {u"API_KEY"_s, {}, true}, {u"DB"_s, u"DATABASE_URL"_s}};
        QCOMPARE(
            entryJson(head, toEntry(entry)).value(),
            R"({"caller":{"claimed":null,"kind":"cli","pid":42,"program":"glovebox"},"code":{"bytes":11,"commitment":")"
            R"(0101010101010101010101010101010101010101010101010101010101010101"},"engine":"ENGINE",)"
            R"("kind":"run.accepted","language":"python","lent":[{"as":"API_KEY","name":"API_KEY"},{"as":"/run/secrets/API_KEY",)"
            R"("name":"API_KEY"},{"as":"DATABASE_URL","name":"DB"}],"policy":{"backend":"native","folders":[],"limits":{)"
            R"("cpu_ms":null,"cpu_percent":null,"disk_bytes":268435456,"memory_bytes":268435456,"output_bytes":1048576,"processes":64,)"
            R"("wall_ms":30000},"network":{"allow":[],"bandwidth_bytes":null,"traffic_bytes":null},"strict":false},"run":"RUN","secrets":["API_KEY","DB"],"seq":7,)"
            R"("session":null,"time_us":1700000000000001,"v":1})");
    }

    void finishedIsWrittenLikeThis()
    {
        FinishedEntry entry = finished(u"RUN"_s, Outcome::TimedOut);
        entry.reason = Text("It ran longer than %1 s.", {u"30"_s});
        entry.exitCode.reset();
        entry.signal = 9;
        entry.usage = {30'012'345us, 29s, 1048576, 3, UsageSource::Rusage};
        entry.controls = {{ControlId::Seccomp, u"on"_s, Control::State::Verified, {}}};
        entry.events = {{EventType::OutputTruncated, Text("%1 bytes", {u"5"_s})}};
        entry.out = body('\x02', 2000, 1000);
        entry.err = body('\xff', 0, 0);
        QCOMPARE(
            entryJson(head, toEntry(entry)).value(),
            R"({"artifacts":[],"controls":[{"detail":{"args":[],"source":""},"name":"seccomp","requested":"on",)"
            R"("state":"verified"}],"egress":[],"engine":"ENGINE","events":[{"detail":{"args":["5"],"source":)"
            R"("%1 bytes"},"type":"output.truncated"}],"exit_code":null,"kind":"run.finished","outcome":"timed_out",)"
            R"("reason":{"args":["30"],"source":"It ran longer than %1 s."},"run":"RUN","seq":7,"signal":9,"stderr":{)"
            R"("bytes":0,"commitment":"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","kept":0},)"
            R"("stdout":{"bytes":2000,"commitment":"0202020202020202020202020202020202020202020202020202020202020202",)"
            R"("kept":1000},"time_us":1700000000000001,"usage":{"cpu_ms":29000,"peak_memory_bytes":1048576,)"
            R"("processes":3,"source":"rusage","wall_ms":30012},"v":1})");
    }

    void aRunThatNeverPrintedHasNoCommitments()
    {
        FinishedEntry entry;
        entry.run = u"RUN"_s;
        entry.outcome = Outcome::Rejected;
        QCOMPARE(entryJson(head, toEntry(entry)).value(),
                 R"({"artifacts":[],"controls":[],"egress":[],"engine":"ENGINE","events":[],"exit_code":null,)"
                 R"("kind":"run.finished","outcome":"rejected","reason":{"args":[],"source":""},"run":"RUN","seq":7,)"
                 R"("signal":null,"stderr":null,"stdout":null,"time_us":1700000000000001,"usage":{"cpu_ms":null,)"
                 R"("peak_memory_bytes":null,"processes":null,"source":"","wall_ms":0},"v":1})");
    }

    void interruptedIsWrittenLikeThis()
    {
        QCOMPARE(
            entryJson(head, interruptedEntry(u"RUN"_s, {})).value(),
            R"({"engine":"ENGINE","kind":"run.interrupted","outcome":"interrupted","reason":{"args":[],)"
            R"("source":"The end of the run was never recorded: Glovebox itself ended first, or its disk was full."},"run":"RUN","seq":7,)"
            R"("time_us":1700000000000001,"v":1})");
    }

    void anIncompleteCommitmentIsRefused()
    {
        AcceptedEntry entry = accepted(u"RUN"_s);
        entry.code.salt.clear();
        QCOMPARE(entryJson(head, toEntry(entry)).error().code, ErrorCode::InvalidInput);
        FinishedEntry end = finished(u"RUN"_s);
        end.err.digest = "short";
        QCOMPARE(entryJson(head, toEntry(end)).error().code, ErrorCode::InvalidInput);
        end = finished(u"RUN"_s);
        end.out.kept = end.out.bytes + 1;
        QVERIFY(!entryJson(head, toEntry(end)));
    }

    void aCommitmentHidesTheBodyBehindASalt()
    {
        const CommittedBody first = commitTo("print(1)", 100);
        const CommittedBody second = commitTo("print(1)");
        QCOMPARE(first.digest, sha256({"print(1)"}));
        QCOMPARE(first.commitment, sha256({first.salt + "print(1)"}));
        QCOMPARE(first.salt.size(), 32);
        QCOMPARE(first.bytes, 100);
        QCOMPARE(first.kept, 8);
        QCOMPARE(second.bytes, 8);
        QVERIFY(first.salt != second.salt);
        QVERIFY(first.commitment != second.commitment);
    }

    // RFC 6962, section 2.1: the hash of the leaf that is empty.
    void aLeafIsHashedWithItsPrefix()
    {
        QCOMPARE(leafHash({}).toHex(), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    }
};

QTEST_GUILESS_MAIN(TestEntry)
#include "tst_entry.moc"
