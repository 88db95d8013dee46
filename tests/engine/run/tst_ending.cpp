// SPDX-License-Identifier: Apache-2.0
#include "engine/run/ending.h"

#include <QJsonArray>
#include <QTest>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class tst_Ending : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysHowItEnded_data();
    void saysHowItEnded();
    void whatBecameOfItsFoldersGoesFirst_data();
    void whatBecameOfItsFoldersGoesFirst();
    void copiesInMemoryAreBoundedWithItsFiles();
    void aSessionsDiskIsNamedNotTheLimits();
    void whatIsSaidOfTheLimitOfProcesses_data();
    void whatIsSaidOfTheLimitOfProcesses();
    void theFirstEndingStays();
    void jsonHasExactlyTheKeysOfTheContract();
    void jsonShowsWhereOutputIsMissing();
};

void tst_Ending::saysHowItEnded_data()
{
    QTest::addColumn<PumpEnd>("end");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("reason");

    const auto exited = [](int status, EndedBy by = EndedBy::Itself) {
        PumpEnd end;
        end.sandbox.exitCode = status;
        end.by = by;
        return end;
    };
    const auto signalled = [](int signal, EndedBy by = EndedBy::Itself) {
        PumpEnd end;
        end.sandbox.signal = signal;
        end.by = by;
        return end;
    };
    QTest::newRow("exit 0") << exited(0) << Outcome::Completed << QString();
    QTest::newRow("exit 3") << exited(3) << Outcome::Failed << u"The run exited with status 3."_s;
    QTest::newRow("SIGSEGV") << signalled(SIGSEGV) << Outcome::Signalled << u"The run was killed by SIGSEGV."_s;
    QTest::newRow("realtime signal") << signalled(40) << Outcome::Signalled << u"The run was killed by signal 40."_s;
    PumpEnd outside = signalled(SIGKILL);
    outside.sandbox.killedFromOutside = true;
    QTest::newRow("PID 1 killed") << outside << Outcome::Signalled
                                  << u"The sandbox was ended from outside by SIGKILL: by another program of this "
                                     "machine, or by its kernel when memory ran out everywhere."_s;
    QTest::newRow("killed at the deadline") << signalled(SIGKILL, EndedBy::Deadline) << Outcome::TimedOut
                                            << u"The run was stopped after its 1.5 s were over."_s;
    PumpEnd spawnerKilled = signalled(SIGKILL);
    spawnerKilled.sandbox.atDeadline = true;
    QTest::newRow("killed at the deadline by the spawner")
        << spawnerKilled << Outcome::TimedOut << u"The run was stopped after its 1.5 s were over."_s;
    QTest::newRow("just made it") << exited(0, EndedBy::Deadline) << Outcome::Completed << QString();
    PumpEnd cpu = signalled(SIGXCPU);
    cpu.sandbox.cpuExhausted = true;
    QTest::newRow("cpu") << cpu << Outcome::CpuLimit
                         << u"The run was stopped after its 2 s of processor time were used up."_s;
    cpu = signalled(SIGKILL);
    cpu.sandbox.cpuExhausted = true;
    cpu.sandbox.inheritedCpu = std::chrono::seconds(1);
    QTest::newRow("cpu of the shell's limit")
        << cpu << Outcome::CpuLimit
        << u"The run was stopped after one of its processes used up 1 s of processor time. The shell that started "
           "Glovebox allows no more: see \"ulimit -t\" there."_s;
    PumpEnd memory = signalled(SIGKILL);
    memory.sandbox.outOfMemory = true;
    const QString needed =
        u"The run was stopped because it needed more than its 512 MB of memory and files together."_s;
    QTest::newRow("memory") << memory << Outcome::OutOfMemory << needed;
    PumpEnd alone = memory;
    alone.sandbox.memoryAlone = true;
    QTest::newRow("memory without files")
        << alone << Outcome::OutOfMemory
        << u"The run was stopped because its processes needed more than their 256 MB of memory."_s;
    memory.sandbox.signal.reset();
    memory.sandbox.exitCode = 0;
    QTest::newRow("memory of a child that it didn't miss") << memory << Outcome::OutOfMemory << needed;
    PumpEnd disk = exited(1);
    disk.sandbox.diskFull = true;
    QTest::newRow("disk") << disk << Outcome::DiskLimit << u"The run failed with its 256 MB of disk space used up."_s;
    disk.sandbox.exitCode = 0;
    QTest::newRow("disk full, and nobody minded") << disk << Outcome::Completed << QString();
    QTest::newRow("one file too large") << signalled(SIGXFSZ) << Outcome::DiskLimit
                                        << u"The run failed with its 256 MB of disk space used up."_s;
    QTest::newRow("cancelled") << signalled(SIGKILL, EndedBy::Cancel) << Outcome::Cancelled
                               << u"The run was stopped."_s;
    QTest::newRow("cancelled, ended by itself")
        << exited(130, EndedBy::Cancel) << Outcome::Cancelled << u"The run was stopped."_s;
    PumpEnd late = signalled(SIGKILL, EndedBy::Cancel);
    late.sandbox.atDeadline = true;
    QTest::newRow("cancelled first, deadline later") << late << Outcome::Cancelled << u"The run was stopped."_s;
    PumpEnd lost;
    lost.sandbox.lost = Text("The spawner died.");
    QTest::newRow("lost") << lost << Outcome::Interrupted << u"Nobody knows how the run ended: The spawner died."_s;
    PumpEnd notStarted;
    notStarted.sandbox.notStarted = Text("There is no /usr/bin/python9.");
    QTest::newRow("not started") << notStarted << Outcome::SetupFailed << u"There is no /usr/bin/python9."_s;
    QTest::newRow("silent") << PumpEnd() << Outcome::Interrupted
                            << u"Nobody knows how the run ended: the sandbox did not report it."_s;
}

void tst_Ending::saysHowItEnded()
{
    QFETCH(PumpEnd, end);
    Limits limits;
    limits.wall = 1500ms;
    limits.cpu = 2s;
    const Ending ending = endingOf(end, limits, Text("The run was stopped."));
    QFETCH(Outcome, outcome);
    QCOMPARE(toString(ending.outcome), toString(outcome));
    QTEST(ending.reason.english(), "reason");
}

void tst_Ending::whatBecameOfItsFoldersGoesFirst_data()
{
    QTest::addColumn<Result<bool>>("foldersFull");
    QTest::addColumn<bool>("byItself");
    QTest::addColumn<Outcome>("outcome");
    QTest::addColumn<QString>("reason");
    const Result<bool> unwatched = fail(ErrorCode::Unavailable, "gone");
    const Result<bool> silent = fail(ErrorCode::TimedOut, "hangs");
    QTest::newRow("bounded") << Result<bool>(false) << true << Outcome::Completed << QString();
    QTest::newRow("too much")
        << Result<bool>(true) << false << Outcome::DiskLimit
        << u"The run was stopped: it added more than 256 MB or 16384 files to its folders, or hid "
           "how much."_s;
    QTest::newRow("too much, faster than anybody looked")
        << Result<bool>(true) << true << Outcome::DiskLimit
        << u"The run added more than 256 MB or 16384 files to its folders, or hid how much."_s;
    QTest::newRow("unwatched") << unwatched << false << Outcome::Interrupted
                               << u"The run was stopped, because Glovebox's program that watches its folders ended."_s;
    QTest::newRow("unwatched at its end")
        << unwatched << true << Outcome::Interrupted
        << u"Glovebox's program that watches the run's folders ended, so how much the run added there isn't known."_s;
    QTest::newRow("a file system that doesn't answer") << silent << true << Outcome::Completed << QString();
}

void tst_Ending::whatBecameOfItsFoldersGoesFirst()
{
    QFETCH(Result<bool>, foldersFull);
    QFETCH(bool, byItself);
    PumpEnd end;
    if (byItself)
        end.sandbox.exitCode = 0;
    else
        end.sandbox.signal = SIGKILL;
    const Ending ending = endingOf(end, Limits(), Text("The run was stopped."), foldersFull);
    QFETCH(Outcome, outcome);
    QCOMPARE(toString(ending.outcome), toString(outcome));
    QTEST(ending.reason.english(), "reason");
    end.by = EndedBy::Cancel;
    QVERIFY(endingOf(end, Limits(), Text("The run was stopped."), foldersFull).outcome == Outcome::Cancelled);
}

void tst_Ending::copiesInMemoryAreBoundedWithItsFiles()
{
    PumpEnd end;
    end.sandbox.signal = SIGKILL;
    end.sandbox.outOfMemory = true;
    QVERIFY(endingOf(end, Limits(), {}, false, 100 * mebibyte)
                .reason.english()
                .contains(u"its 612 MB of memory and files"));
}

void tst_Ending::whatIsSaidOfTheLimitOfProcesses_data()
{
    QTest::addColumn<int>("limit");
    QTest::addColumn<int>("refused"); // as a cgroup counts
    QTest::addColumn<bool>("hadAll"); // as a look finds
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    const QString none;
    QTest::newRow("nothing") << 4 << 0 << false << 0 << none;
    QTest::newRow("refused") << 4 << 2 << false << 0
                             << u"The run hit its limit of 4 processes and threads (refused: 2)."_s;
    QTest::newRow("refused, of one") << 1 << 2 << false << 0 << u"The run hit its limit of 1 process (refused: 2)."_s;
    QTest::newRow("had all") << 4 << 0 << true << 0 << u"The run reached its limit of 4 processes and threads."_s;
    QTest::newRow("had its one") << 1 << 0 << true << 0 << none;
    QTest::newRow("had its one and failed") << 1 << 0 << true << 1 << u"The run reached its limit of 1 process."_s;
}

void tst_Ending::whatIsSaidOfTheLimitOfProcesses()
{
    QFETCH(int, limit);
    QFETCH(int, refused);
    QFETCH(bool, hadAll);
    QFETCH(int, status);
    QFETCH(QString, says);
    SandboxEnd end;
    end.refusedProcesses = refused;
    end.hadAllProcesses = hadAll;
    end.exitCode = status;
    Limits limits;
    limits.processes = limit;
    const auto event = processesEvent(end, limits);
    QCOMPARE(event ? event->detail.english() : QString(), says);
}

void tst_Ending::theFirstEndingStays()
{
    FirstEnding ending;
    QVERIFY(ending.value().outcome == Outcome::Interrupted);
    ending.set({Outcome::TimedOut, Text("First.")});
    ending.set({Outcome::Completed, Text("Second.")});
    QVERIFY(ending.value() == (Ending{Outcome::TimedOut, Text("First.")}));
}

void tst_Ending::aSessionsDiskIsNamedNotTheLimits()
{
    PumpEnd end;
    end.sandbox.exitCode = 1;
    end.sandbox.diskFull = true;
    QCOMPARE(endingOf(end, Limits(), {}, false, 0, 64 * mebibyte).reason.english(),
             u"The run failed with its 64 MB of disk space used up."_s);
    QCOMPARE(endingOf(end, Limits(), {}).reason.english(), u"The run failed with its 256 MB of disk space used up."_s);
    QVERIFY(!diskEvent(end.sandbox, mebibyte)); // the ending says it
    end.sandbox.exitCode = 0;
    QCOMPARE(diskEvent(end.sandbox, 64 * mebibyte).value().detail.english(),
             u"The run ended with its 64 MB of disk space used up. Its last writes may be missing."_s);
    end.sandbox.diskFull = false;
    QVERIFY(!diskEvent(end.sandbox, mebibyte));
    end.sandbox.outOfMemory = true;
    QVERIFY(endingOf(end, Limits(), {}, false, 0, 64 * mebibyte)
                .reason.english()
                .contains(u"its 320 MB of memory and files"));
}

void tst_Ending::jsonHasExactlyTheKeysOfTheContract()
{
    RunResult result;
    result.id = u"id"_s;
    result.outcome = Outcome::Failed;
    result.exitCode = 3;
    result.reason = Text("The run exited with status %1.", {u"3"_s});
    result.controls = {{ControlId::Seccomp, u"on"_s, Control::State::Degraded, Text("Only %1.", {u"half"_s})}};
    result.events = {{EventType::InputRefused, Text("The run did.")}};
    result.auditSeq = 7;
    result.auditLeaf = QByteArray::fromHex("00ff");
    const QJsonObject json = toJson(result);
    QCOMPARE(json.keys(),
             (QStringList{u"artifacts"_s,       u"audit"_s,        u"changes"_s,   u"egress"_s,  u"events"_s,
                          u"exit_code"_s,       u"id"_s,           u"isolation"_s, u"outcome"_s, u"reason"_s,
                          u"session"_s,         u"signal"_s,       u"skipped"_s,   u"stderr"_s,  u"stderr_bytes"_s,
                          u"stdout"_s,          u"stdout_bytes"_s, u"truncated"_s, u"usage"_s,   u"value"_s,
                          u"value_truncated"_s, u"variables"_s}));
    QCOMPARE(json[u"usage"].toObject().keys(),
             (QStringList{u"cpu_ms"_s, u"peak_memory_bytes"_s, u"processes"_s, u"wall_ms"_s}));
    QCOMPARE(json[u"isolation"].toObject().keys(),
             (QStringList{u"backend"_s, u"builder"_s, u"controls"_s, u"setup_us"_s, u"warm"_s}));
    QCOMPARE(json[u"isolation"][u"controls"][0].toObject(), (QJsonObject{{u"name"_s, u"seccomp"_s},
                                                                         {u"requested"_s, u"on"_s},
                                                                         {u"state"_s, u"degraded"_s},
                                                                         {u"detail"_s, u"Only half."_s}}));
    QCOMPARE(json[u"events"][0].toObject(),
             (QJsonObject{{u"type"_s, u"input.refused"_s}, {u"detail"_s, u"The run did."_s}}));
    QCOMPARE(json[u"audit"].toObject(), (QJsonObject{{u"index"_s, 7}, {u"leaf"_s, u"00ff"_s}}));
    QCOMPARE(json[u"exit_code"].toInt(), 3);
    QVERIFY(json[u"signal"].isNull());
    QVERIFY(json[u"value"].isNull());
    QVERIFY(json[u"variables"].isObject());
    QCOMPARE(json[u"reason"].toString(), u"The run exited with status 3."_s);
    QVERIFY(toJson(RunResult())[u"id"].isNull());
    QVERIFY(toJson(RunResult())[u"audit"][u"index"].isNull());
}

void tst_Ending::jsonShowsWhereOutputIsMissing()
{
    RunResult result;
    result.out = {"be\xffgin", "end", 1000};
    const QJsonObject json = toJson(result);
    QCOMPARE(json[u"stdout"].toString(), u"be\\xffgin\n[... 991 bytes left out ...]\nend"_s);
    QCOMPARE(json[u"stdout_bytes"].toInt(), 1000);
    QVERIFY(json[u"truncated"].toBool());
}

QTEST_APPLESS_MAIN(tst_Ending)
#include "tst_ending.moc"
