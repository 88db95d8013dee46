// SPDX-License-Identifier: Apache-2.0
// `glovebox run --detach` and `glovebox session jobs`, `logs` and `stop`: a run that goes on by itself.
#include "sessionhome.h"

#include "engine/base/base.h"
#include "tests/support/signals.h"

#include <QJsonArray>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliJobs : public QObject
{
    Q_OBJECT

    // Prints, leaves a file, and goes on until it is stopped.
    static constexpr char server[] = "echo begun; echo x > left; cat /proc/sys/kernel/random/boot_id; exec sleep 1000";

    // The job's id.
    static QString start(const SessionHome &home, const QString &code = QString::fromLatin1(server),
                         const QStringList &options = {})
    {
        // A test that fails leaves its jobs.
        const Ended ended = home.shell(code, QStringList{u"--detach"_s, u"-t"_s, u"60"_s} + options);
        if (ended.status != 0)
            qWarning("%s", ended.err.constData());
        return QString::fromUtf8(ended.out.trimmed());
    }
    static QStringList jobFiles(const SessionHome &home)
    {
        return QDir(home.path(u"data/jobs"_s)).entryList(QDir::Files | QDir::System | QDir::Hidden);
    }
    static QJsonObject rowOf(const SessionHome &home, const QString &run)
    {
        for (const QJsonObject &row : home.runsOnRecord()) {
            if (row["run"_L1].toString() == run)
                return row;
        }
        return {};
    }

private Q_SLOTS:
    // More than other runs may take, "at most 24h" as help says.
    void aJobMayTakeADay_data()
    {
        QTest::addColumn<QString>("time");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("unsaid") << QString() << QByteArray(", for 1 day at most.");
        QTest::newRow("two hours") << u"2h"_s << QByteArray(", for 2 hours at most.");
        QTest::newRow("a day") << u"24h"_s << QByteArray(", for 1 day at most.");
        QTest::newRow("more") << u"25h"_s << QByteArray("between 0.001 and 86400");
    }
    void aJobMayTakeADay()
    {
        QFETCH(QString, time);
        QFETCH(QByteArray, says);
        const SessionHome home;
        home.create();
        const Ended started = home.shell(
            u"true"_s, QStringList{u"--detach"_s} + (time.isEmpty() ? QStringList() : QStringList{u"-t"_s, time}));
        QVERIFY2(started.err.contains(says), started.err);
        QCOMPARE(started.status, time == u"25h"_s ? 2 : 0);
        QTRY_COMPARE(home.objects({u"jobs"_s}).size(), 0);
    }

    void aJobIsSeenFollowedAndStopped()
    {
        const SessionHome home;
        home.create();
        const Ended started = home.shell(QString::fromLatin1(server), {u"--detach"_s, u"-t"_s, u"2m"_s});
        QCOMPARE(started.status, 0);
        const QString job = QString::fromUtf8(started.out.trimmed());
        QCOMPARE(started.err,
                 "glovebox: The job runs in a copy of session shop, for 2 minutes at most. To see its output: glovebox "
                 "session logs "
                     + job.toUtf8() + " -f. To stop it: glovebox session stop " + job.toUtf8() + '\n');
        QCOMPARE(home.objects({u"jobs"_s}).size(), 1);
        QCOMPARE(home.objects({u"jobs"_s, u"shop"_s})[0]["job"_L1].toString(), job);
        QCOMPARE(home.objects({u"status"_s, u"shop"_s})[0]["jobs"_L1][0].toString(), job);
        QCOMPARE(home.objects({u"status"_s, u"shop"_s})[0]["parallel"_L1].toArray().size(), 0);
        QVERIFY(home.session({u"jobs"_s}).out.contains("  shop "));
        for (const QString &file : jobFiles(home))
            QVERIFY2((QFile::permissions(home.path(u"data/jobs/"_s + file)) & 0x77) == 0, qPrintable(file));

        const auto following = home.program({u"session"_s, u"logs"_s, u"last"_s, u"--follow"_s});
        following->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*following, "begun\n", seen));
        QCOMPARE(home.shell(u"echo y > other"_s, {u"-q"_s}).status, 0); // the session is nobody's
        QVERIFY(home.session({u"logs"_s, job.first(13)}).out.startsWith("begun\n"));
        QCOMPARE(home.objects({u"logs"_s, job})[0]["stream"_L1].toString(), u"stdout"_s);

        for (const QString &command : {u"logs"_s, u"stop"_s}) { // a session's name chooses no job
            const Ended named = home.session({command, u"shop"_s});
            QCOMPARE(named.status, 1);
            QVERIFY2(named.err.contains("Session shop has a job, which goes by its id: glovebox session "
                                        + command.toUtf8() + ' ' + job.toUtf8() + '\n'),
                     named.err);
        }
        const Ended stopped = home.session({u"stop"_s, job});
        QCOMPARE(stopped.status, 0);
        QVERIFY2(stopped.err.contains(" has ended. To see its output: glovebox session logs " + job.toUtf8()),
                 stopped.err);
        QCOMPARE(jobFiles(home), QStringList());
        const Ended followed = finish(*following);
        QCOMPARE(followed.status, 0);
        QVERIFY2(followed.err.contains("The job ended: cancelled. Its files are snapshot 3: glovebox session rollback "
                                       "shop 3\n"),
                 followed.err);
        QCOMPARE(rowOf(home, job)["outcome"_L1].toString(), u"cancelled"_s);
        const QJsonObject entry = home.run({u"audit"_s, u"show"_s, job, u"--json"_s}).json();
        QVERIFY(entry["entries"_L1][0]["entry"_L1]["detached"_L1].toBool());
        QVERIFY(home.run({u"audit"_s, u"show"_s, job}).out.contains(", in a copy, as a background job\n"));
        QCOMPARE(home.paths(), QStringList{u"other"_s});
        QCOMPARE(home.objects({u"snapshots"_s, u"shop"_s}).last()["parent"_L1].toInt(), 1);

        QVERIFY(home.session({u"logs"_s, job}).out.startsWith("begun\n")); // by the log
        const Ended last = home.session({u"logs"_s, u"last"_s});
        QVERIFY2(last.status == 0 && last.out.startsWith("begun\n"), last.err);
        const Ended again = home.session({u"stop"_s, job});
        QCOMPARE(again.status, 0);
        QVERIFY2(again.err.endsWith(" had ended already.\n"), again.err);
        QCOMPARE(home.session({u"stop"_s, job, u"--json"_s}).json()["stopped"_L1].toBool(true), false);
        QVERIFY(home.session({u"jobs"_s}).out.startsWith("No jobs are running."));
        QCOMPARE(home.session({u"stop"_s, u"last"_s}).status, 1);
        const Ended none = home.session({u"logs"_s, u"shop"_s});
        QVERIFY2(none.status == 1
                     && none.err.contains("Session shop has no running job. To find ended ones: glovebox "
                                          "audit list\n"),
                 none.err);
    }

    void whatCannotBeginIsTold()
    {
        const SessionHome home;
        home.create();
        QCOMPARE(home.run({u"run"_s, u"--detach"_s, u"-c"_s, u"1"_s}).status, 2);
        for (const QStringList &options :
             {QStringList{u"--tty"_s}, {u"--stdin"_s, u"-"_s}, {u"--artifacts"_s, home.path(u"out"_s)}})
            QVERIFY(home.shell(u"true"_s, QStringList{u"--detach"_s} + options).err.contains("can't be used with"));
        const Ended none = home.run({u"run"_s, u"--session"_s, u"nope"_s, u"--detach"_s, u"-c"_s, u"1"_s});
        QCOMPARE(none.status, 125);
        QVERIFY2(none.err.contains("There is no session \"nope\"."), none.err);
        const Ended secret = home.shell(u"true"_s, {u"--detach"_s, u"--secret"_s, u"NOPE"_s, u"--json"_s});
        QCOMPARE(secret.status, 125);
        QCOMPARE(secret.json()["outcome"_L1].toString(), u"denied"_s);
        QCOMPARE(home.shell(u"true"_s, {u"--detach"_s, u"-t"_s, u"25h"_s}).status, 2);
        QCOMPARE(home.shell(u"true"_s, {u"-t"_s, u"2h"_s}).status, 2); // no job
        QVERIFY(QFile::remove(home.path(u"data/jobs"_s)) || QDir(home.path(u"data/jobs"_s)).removeRecursively());
        QVERIFY(!home.write(u"data/jobs"_s, "in the way").isEmpty());
        const Ended blocked = home.shell(u"true"_s, {u"--detach"_s});
        QCOMPARE(blocked.status, 125);
        QVERIFY2(blocked.err.contains("data/jobs"), blocked.err);
        QCOMPARE(home.session({u"jobs"_s}).status, 1);
    }

    void aShortJobIsAJob()
    {
        const SessionHome home;
        home.create();
        const Ended piped =
            home.run({u"run"_s, u"--session"_s, u"shop"_s, u"--detach"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-"_s},
                     "echo by a pipe; cat; exit 3");
        QCOMPARE(piped.status, 0);
        const QJsonObject told = piped.json();
        QCOMPARE(told["ends_us"_L1].toInteger() - told["started_us"_L1].toInteger(), qint64(86'400) * 1'000'000);
        const QString job = told["job"_L1].toString();
        QTRY_COMPARE_WITH_TIMEOUT(rowOf(home, job)["outcome"_L1].toString(), u"failed"_s, 20'000);
        const Ended logs = home.session({u"logs"_s, job, u"-f"_s});
        QCOMPARE(logs.out, "by a pipe\n");
        QCOMPARE(logs.err, "glovebox: The job ended: failed with exit status 3.\n");
        const QString limited = start(home, u"sleep 100"_s, {u"-q"_s, u"-t"_s, u"1"_s});
        QTRY_COMPARE_WITH_TIMEOUT(rowOf(home, limited)["outcome"_L1].toString(), u"timed_out"_s, 20'000);
    }

    // However the job's writes cut its output, and where the middle of it isn't kept.
    void jsonHasWholeCharactersAndTheirPlaces()
    {
        const SessionHome home;
        home.create();
        const QString job = start(home,
                                  u"printf 'a\\303'; sleep 0.4; printf '\\251\\346\\235'; printf x >&2; sleep 0.4; "
                                  "printf '\\261\\n'; sleep 0.4; printf '%09000d\\303' 7; exec sleep 1000"_s,
                                  {u"-o"_s, u"4000"_s});
        const auto following = home.program({u"session"_s, u"logs"_s, job, u"-f"_s, u"--json"_s});
        following->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*following, "7\"}\n", seen));
        QCOMPARE(home.session({u"stop"_s, job}).status, 0);
        seen += finish(*following).out;
        const QByteArray kept = home.session({u"logs"_s, job, u"--json"_s}).out;
        for (const QByteArray &lines : {seen, kept}) {
            QString text;
            qint64 end = 0;
            QList<qint64> gaps;
            for (const QByteArray &line : lines.trimmed().split('\n')) {
                const QJsonObject piece = QJsonDocument::fromJson(line).object();
                if (piece["stream"_L1].toString() != u"stdout"_s)
                    continue;
                if (piece["offset"_L1].toInteger() != end)
                    gaps.append(piece["offset"_L1].toInteger() - end);
                text += piece["text"_L1].toString();
                end = piece["offset"_L1].toInteger() + piece["text"_L1].toString().toUtf8().size();
            }
            QVERIFY2(text.startsWith(u"a\u00e9\u6771\n000"_s), lines);
            QVERIFY2(text.endsWith(u"7\\xc3"_s), lines); // the job stopped in the middle of it
            if (lines == kept)
                QCOMPARE(gaps, QList<qint64>{9008 - 4000});
        }
    }

    // Its ports may be open, and none are shown.
    void aJobThatDoesNotAnswerIsNamed()
    {
        const SessionHome home;
        home.create();
        const QString job = start(home);
        const qint64 process = home.objects({u"jobs"_s}).value(0)["pid"_L1].toInteger();
        const QByteArray told =
            "The process of the job " + job.toUtf8() + " doesn't answer, so its open ports aren't known.";
        QCOMPARE(sendSignal(process, SIGSTOP), 0);
        const Ended shown = home.session({u"status"_s, u"shop"_s});
        const Ended asJson = home.session({u"status"_s, u"shop"_s, u"--json"_s});
        QCOMPARE(sendSignal(process, SIGCONT), 0);
        QCOMPARE(shown.status, 1);
        QVERIFY2(shown.err.contains(told) && shown.out.contains(job.toUtf8()), shown.err);
        QCOMPARE(asJson.status, 1);
        QVERIFY2(asJson.err.contains(told) && !asJson.json().isEmpty(), asJson.err);
        QTRY_COMPARE(home.session({u"status"_s, u"shop"_s}).status, 0);
        QCOMPARE(home.session({u"stop"_s, job}).status, 0);
    }

    void jobsThatCannotBeListedAreTold()
    {
        const SessionHome home;
        home.create();
        home.write(u"data/jobs"_s, {}); // where a folder should be
        const Ended shown = home.session({u"status"_s, u"shop"_s});
        QCOMPARE(shown.status, 1);
        QVERIFY2(shown.err.contains("The jobs in " + home.path().toUtf8()) && shown.err.contains("can't be listed"),
                 shown.err);
        QVERIFY2(shown.out.startsWith("Session shop\n"), shown.out);
    }

    // By the kernel, with the run; the next program tidies up.
    void aKilledJobLeavesNothing()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QString job = start(home);
        const QString other = start(home);
        const auto jobs = home.objects({u"jobs"_s});
        QCOMPARE(jobs.size(), 2);
        const Ended several = home.session({u"logs"_s, u"shop"_s});
        QVERIFY2(several.err.contains("To list them: glovebox session jobs shop\n"), several.err);
        const auto following = home.program({u"session"_s, u"logs"_s, job, u"-f"_s});
        following->start();
        QByteArray seen;
        QVERIFY(waitForOutput(*following, "begun\n", seen));
        QCOMPARE(sendSignal(jobs[0]["pid"_L1].toInteger(), SIGKILL), 0);
        const Ended followed = finish(*following);
        QCOMPARE(followed.status, 1);
        QVERIFY2(followed.err.contains("The job's process ended in the middle."), followed.err);
        QCOMPARE(home.objects({u"jobs"_s}).size(), 1);
        QCOMPARE(home.session({u"stop"_s, job}).status, 0);
        QCOMPARE(home.session({u"stop"_s, other}).status, 0);
        QVERIFY(home.session({u"fork"_s, u"shop"_s}).status == 0); // an engine opens the log
        QCOMPARE(rowOf(home, job)["outcome"_L1].toString(), u"interrupted"_s);
        QCOMPARE(jobFiles(home), QStringList());
        QCOMPARE(home.objects({u"snapshots"_s, u"shop"_s}).size(), 2); // of the other
        QCOMPARE(home.session({u"delete"_s, u"shop"_s, u"--yes"_s}).status, 0);
        QVERIFY(!QFile::exists(folder));
    }

    // Nobody was told its id.
    void aJobWhoseStarterIsGoneDoesntBegin()
    {
        const SessionHome home;
        home.create();
        const QByteArray code = QFile::encodeName(home.path(u"code"_s));
        QCOMPARE(::mkfifo(code.constData(), 0600), 0);
        const auto starter = home.program(
            {u"run"_s, u"--session"_s, u"shop"_s, u"--detach"_s, u"-t60"_s, u"-l"_s, u"sh"_s, home.path(u"code"_s)});
        starter->start();
        UniqueFd writer;
        const auto open = [&] {
            writer.reset(::open(code.constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
            return bool(writer);
        };
        QTRY_VERIFY(open());
        starter->kill();
        QVERIFY(starter->waitForFinished());
        QVERIFY(writeWhole(writer.get(), server));
        writer.reset();
        QTRY_COMPARE_WITH_TIMEOUT(home.runsOnRecord().value(0)["outcome"_L1].toString(), u"cancelled"_s, 20'000);
        QTRY_COMPARE(jobFiles(home), QStringList());
    }

    // Nobody was told its id, and nobody would find it where it waits for its code.
    void aJobThatWaitsForItsCodeEndsWithItsStarter_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl+C") << SIGINT;
        QTest::newRow("asked") << SIGTERM;
        QTest::newRow("closed") << SIGHUP;
    }
    void aJobThatWaitsForItsCodeEndsWithItsStarter()
    {
        QFETCH(int, signal);
        const SessionHome home;
        home.create();
        const QByteArray code = QFile::encodeName(home.path(u"code"_s));
        QCOMPARE(::mkfifo(code.constData(), 0600), 0);
        const auto starter = home.program(
            {u"run"_s, u"--session"_s, u"shop"_s, u"--detach"_s, u"-t60"_s, u"-l"_s, u"sh"_s, home.path(u"code"_s)});
        starter->start();
        QByteArray said;
        const auto isWaiting = [&] {
            said += starter->readAllStandardError();
            return said.contains("which nobody has written to yet");
        };
        QTRY_VERIFY_WITH_TIMEOUT(isWaiting(), 20'000);
        QCOMPARE(sendSignal(starter->processId(), signal), 0);
        QVERIFY(starter->waitForFinished());
        QCOMPARE(starter->exitCode(), 128 + signal);
        // Only while somebody reads, who goes on waiting as long as one may write.
        const auto open = [&] { return UniqueFd(::open(code.constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)); };
        const UniqueFd writer = open();
        QTRY_VERIFY(!open());
        QCOMPARE(home.runsOnRecord().size(), 0);
        QCOMPARE(jobFiles(home), QStringList());
        QCOMPARE(home.session({u"delete"_s, u"shop"_s, u"--yes"_s}).status, 0);
    }

    void aSignalEndsTheJobOnRecord()
    {
        const SessionHome home;
        home.create();
        const QString job = start(home);
        QCOMPARE(sendSignal(home.objects({u"jobs"_s})[0]["pid"_L1].toInteger(), SIGTERM), 0);
        QTRY_COMPARE_WITH_TIMEOUT(rowOf(home, job)["outcome"_L1].toString(), u"cancelled"_s, 20'000);
    }

    void aSessionWithAJobStays()
    {
        const SessionHome home;
        const QString folder = home.create();
        const QString job = start(home);
        const Ended refused = home.session({u"delete"_s, u"shop"_s, u"--yes"_s});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.err.contains("To stop them: glovebox session stop " + job.toUtf8()), refused.err);
        QVERIFY(QFile::exists(folder));
        // All or nothing: another session that is named first stays as well.
        QCOMPARE(home.session({u"create"_s, u"--name"_s, u"other"_s}).status, 0);
        const Ended both = home.session({u"delete"_s, u"other"_s, u"shop"_s, u"--yes"_s});
        QVERIFY2(both.status == 1 && both.err.contains("Nothing was deleted."), both.err);
        QCOMPARE(home.session({u"status"_s, u"other"_s}).status, 0);
        QCOMPARE(home.session({u"delete"_s, u"shop"_s, u"--yes"_s, u"--force"_s}).status, 0);
        QVERIFY(!QFile::exists(folder));
        QCOMPARE(rowOf(home, job)["outcome"_L1].toString(), u"cancelled"_s);
        const Ended logs = home.session({u"logs"_s, job});
        QVERIFY2(logs.err.endsWith("Its session is gone, and nothing keeps the files that the job left.\n"), logs.err);
    }
};

QTEST_GUILESS_MAIN(TestCliJobs)
#include "tst_clijobs.moc"
