// SPDX-License-Identifier: Apache-2.0
// `glovebox profile`, and `--profile` of run, batch and sessions.
#include "sessionhome.h"

#include <QJsonArray>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliProfile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aRunHasTheProfilesLimitsAndItsOwnOptionsWin()
    {
        const SessionHome home;
        const Ended saved = save(home, {u"-m"_s, u"1G"_s, u"-t"_s, u"1500ms"_s, u"--procs"_s, u"7"_s});
        QCOMPARE(saved.status, 0);
        QCOMPARE(saved.err.trimmed(), "glovebox: The profile data is saved in " + file(home).toUtf8() + '.');
        const Ended run = home.run({u"run"_s, u"--profile"_s, u"data"_s, u"--procs"_s, u"9"_s, u"-c"_s, u"1"_s});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.err, "glovebox: The profile data gives more than the settings: -m 1024\n"); // not the shorter time
        const QJsonObject limits = limitsOf(home);
        QCOMPARE(limits["memory_bytes"_L1].toInteger(), 1024LL * 1024 * 1024);
        QCOMPARE(limits["wall_ms"_L1].toInteger(), 1500);
        QCOMPARE(limits["processes"_L1].toInt(), 9);
        QCOMPARE(limits["disk_bytes"_L1].toInteger(), 256LL * 1024 * 1024); // as the settings
        // What an option takes back isn't given.
        QCOMPARE(home.run({u"run"_s, u"--profile"_s, u"data"_s, u"-m"_s, u"128"_s, u"-c"_s, u"1"_s}).err, "");
        QCOMPARE(home.run({u"run"_s, u"-q"_s, u"--profile=data"_s, u"-c"_s, u"1"_s}).err, QByteArray());
        QVERIFY(home.run({u"run"_s, u"--json"_s, u"--profile"_s, u"data"_s, u"-c"_s, u"1"_s}).err.isEmpty());
    }

    void hostsOfAProfileAreAllowedAndTold()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"--allow"_s, u"pypi"_s, u"--traffic"_s, u"2"_s, u"--strict"_s}).status, 0);
        QCOMPARE(home.run({u"profile"_s, u"list"_s}).out,
                 QByteArray("data     --traffic 2 --allow pypi.org:443 --allow files.pythonhosted.org:443 --strict\n"));
        const Ended shown = home.run({u"profile"_s, u"show"_s, u"data"_s});
        QCOMPARE(shown.out,
                 QByteArray("--traffic 2\n--allow pypi.org:443\n--allow files.pythonhosted.org:443\n--strict\n"));
        QVERIFY2(shown.err.contains("gives more than the settings: --allow pypi.org"), shown.err);
        const QJsonObject json = home.run({u"profile"_s, u"show"_s, u"data"_s, u"--json"_s}).json();
        QCOMPARE(json["network"_L1]["allow"_L1].toArray().size(), 2);
        QCOMPARE(json["strict"_L1].toBool(), true);
        // Refused where an interpreter stays, as --allow would be.
        home.create();
        const Ended cell = home.run(
            {u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s, u"--profile"_s, u"data"_s, u"-c"_s, u"1"_s});
        QCOMPARE(cell.status, 125);
        QVERIFY2(cell.err.contains("can't be allowed hosts"), cell.err);
    }

    // So that what it had can be typed again.
    void aProfileThatIsReplacedIsTold()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"64"_s, u"--strict"_s}).status, 0);
        const Ended same = save(home, {u"-m"_s, u"64"_s, u"--strict"_s});
        QVERIFY2(same.status == 0 && !same.err.contains("former"), same.err);
        const Ended other = save(home, {u"-m"_s, u"128"_s});
        QVERIFY2(other.err.trimmed().endsWith(". The former one was: -m 64 --strict"), other.err);
        QCOMPARE(save(home, {u"-m"_s, u"64"_s, u"--allow"_s, u"*.example.org"_s}).status, 0);
        const Ended third = save(home, {u"-m"_s, u"128"_s});
        QVERIFY2(third.err.trimmed().endsWith(". The former one was: -m 64 --allow '*.example.org'"), third.err);
    }

    // Hosts come with the run that uses it.
    void aLimitOfTheNetworkNeedsNoHostsInAProfile()
    {
        const SessionHome home;
        const Ended saved = save(home, {u"--traffic"_s, u"2"_s, u"--bandwidth"_s, u"64K"_s});
        QVERIFY2(saved.status == 0, saved.err);
        const Ended run =
            home.run({u"run"_s, u"--profile"_s, u"data"_s, u"--allow"_s, u"127.0.0.1:1"_s, u"-c"_s, u"1"_s});
        QVERIFY2(run.status == 0, run.err);
        QCOMPARE(policyOf(home)["network"_L1]["traffic_bytes"_L1].toInteger(), 2LL * 1024 * 1024);
        for (const QString &command : {u"run"_s, u"batch"_s}) { // whose own word it is, it has to mean something
            const Ended alone = home.run({command, u"--traffic"_s, u"2"_s, home.write(u"a.py"_s, "1")});
            QCOMPARE(alone.status, 2);
            QVERIFY2(alone.err.contains("--traffic has no effect without --allow"), alone.err);
        }
    }

    void aBrokenFileOfProfilesIsCalledByItsName()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"100"_s}).status, 0);
        QFile broken(file(home));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{") == 1);
        broken.close();
        const Ended listed = home.run({u"profile"_s, u"list"_s});
        QCOMPARE(listed.status, 1);
        QVERIFY2(listed.err.startsWith("glovebox: The file " + file(home).toUtf8() + " is not valid: "), listed.err);
    }

    void aSessionRemembersItsProfile()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"--disk"_s, u"32"_s, u"-m"_s, u"100"_s}).status, 0);
        const QString folder = home.create({u"--profile"_s, u"data"_s});
        const QJsonObject status = home.session({u"status"_s, u"shop"_s, u"--json"_s}).json();
        QCOMPARE(status["profile"_L1].toString(), u"data"_s);
        QCOMPARE(status["disk_bytes"_L1].toInteger(), 32 * 1024 * 1024);
        QVERIFY(home.session({u"status"_s, u"shop"_s}).out.contains("profile     data: -m 100 --disk 32\n"));
        QVERIFY(contentOfFile(folder + u"/session.json"_s).contains("\"schema\":3")); // others don't know profiles
        home.shell(u"true"_s);
        QCOMPARE(limitsOf(home)["memory_bytes"_L1].toInteger(), 100LL * 1024 * 1024);
        home.shell(u"true"_s, {u"-m"_s, u"128"_s});
        QCOMPARE(limitsOf(home)["memory_bytes"_L1].toInteger(), 128LL * 1024 * 1024);
        const Ended cell = home.run({u"run"_s, u"--session"_s, u"shop"_s, u"--stateful"_s, u"-c"_s, u"1"_s});
        QCOMPARE(cell.status, 0);
        QCOMPARE(limitsOf(home)["memory_bytes"_L1].toInteger(), 100LL * 1024 * 1024);
        // Another one for one run, and the same for a fork.
        QCOMPARE(home.run({u"profile"_s, u"save"_s, u"small"_s, u"-m"_s, u"64"_s}).status, 0);
        home.shell(u"true"_s, {u"--profile"_s, u"small"_s});
        QCOMPARE(limitsOf(home)["memory_bytes"_L1].toInteger(), 64LL * 1024 * 1024);
        QCOMPARE(home.session({u"fork"_s, u"shop"_s, u"--name"_s, u"other"_s}).status, 0);
        QCOMPARE(home.session({u"status"_s, u"other"_s, u"--json"_s}).json()["profile"_L1].toString(), u"data"_s);

        // One that is gone loosens nothing in silence.
        QCOMPARE(home.run({u"profile"_s, u"delete"_s, u"data"_s}).status, 0);
        const Ended refused = home.shell(u"true"_s);
        QCOMPARE(refused.status, 125);
        QVERIFY2(refused.err.contains("Session shop has the profile \"data\", which is gone."), refused.err);
        QVERIFY(home.session({u"status"_s, u"shop"_s}).out.contains("profile     data, which is gone\n"));
        QCOMPARE(home.shell(u"true"_s, {u"--profile"_s, u"small"_s}).status, 0);
    }

    void aBatchAndAJobHaveItToo()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"100"_s, u"-t"_s, u"20"_s}).status, 0);
        QCOMPARE(home.run({u"batch"_s, u"--profile"_s, u"data"_s, home.write(u"a.sh"_s, "true\n")}).status, 0);
        QCOMPARE(limitsOf(home)["memory_bytes"_L1].toInteger(), 100LL * 1024 * 1024);
        home.create({u"--profile"_s, u"data"_s});
        QCOMPARE(home.shell(u"true"_s, {u"--detach"_s}).status, 0);
        QCOMPARE(limitsOf(home)["wall_ms"_L1].toInteger(), 20'000); // not a job's 24 hours
    }

    void whatIsNotThereIsRefusedWithWhatWasMeant()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"100"_s}).status, 0);
        const QByteArray sentence =
            "glovebox: Unknown profile \"dtaa\". Did you mean \"data\"? To list all: glovebox profile list\n";
        const Ended run = home.run({u"run"_s, u"--profile"_s, u"dtaa"_s, u"-c"_s, u"1"_s});
        QCOMPARE(run.status, 125);
        QCOMPARE(run.err, sentence);
        QVERIFY(home.runsOnRecord().isEmpty());
        QCOMPARE(home.run({u"batch"_s, u"--profile"_s, u"dtaa"_s, home.write(u"a.sh"_s, "true\n")}).err, sentence);
        QCOMPARE(home.session({u"create"_s, u"--profile"_s, u"dtaa"_s}).err, sentence);
        QCOMPARE(home.session({u"list"_s, u"--json"_s}).out, QByteArray()); // none was made
        QCOMPARE(home.run({u"profile"_s, u"show"_s, u"dtaa"_s}).err, sentence);
        QCOMPARE(home.run({u"profile"_s, u"delete"_s, u"dtaa"_s}).err, sentence);
        QCOMPARE(home.run({u"profile"_s, u"save"_s, u"x"_s}).status, 2); // sets nothing
        QCOMPARE(home.run({u"profile"_s, u"save"_s, u"a\u202eb"_s, u"-m"_s, u"99"_s}).status, 2);
        QCOMPARE(home.run({u"run"_s, u"--profile"_s, u""_s, u"-c"_s, u"1"_s}).status, 2);
    }

    void aFileThatOthersCanWriteStopsTheRun()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"100"_s}).status, 0);
        QCOMPARE(::chmod(QFile::encodeName(file(home)).constData(), 0666), 0);
        for (const QStringList &words : {QStringList{u"run"_s, u"--profile"_s, u"data"_s, u"-c"_s, u"1"_s},
                                         QStringList{u"session"_s, u"create"_s, u"--profile"_s, u"data"_s},
                                         QStringList{u"profile"_s, u"list"_s}}) {
            const Ended ended = home.run(words);
            QVERIFY(ended.status != 0);
            QVERIFY2(ended.err.contains(file(home).toUtf8()), ended.err);
        }
    }

    void namesAreCompleted()
    {
        const SessionHome home;
        QCOMPARE(save(home, {u"-m"_s, u"100"_s}).status, 0);
        QCOMPARE(home.run({u"complete"_s, u"--"_s, u"run"_s, u"--profile"_s, u"d"_s}).out, "data\t-m 100\n");
        QCOMPARE(home.run({u"complete"_s, u"--"_s, u"profile"_s, u"show"_s, u""_s}).out, "data\t-m 100\n");
    }

private:
    static Ended save(const Home &home, const QStringList &options)
    {
        return home.run(QStringList{u"profile"_s, u"save"_s, u"data"_s} + options);
    }
    static QString file(const Home &home) { return home.path(u"config/profiles.json"_s); }
    // Of the run on record last.
    static QJsonObject limitsOf(const Home &home) { return policyOf(home)["limits"_L1].toObject(); }
    static QJsonObject policyOf(const Home &home)
    {
        const QString run = home.runsOnRecord().first()["run"_L1].toString();
        const QJsonObject shown = home.run({u"audit"_s, u"show"_s, run, u"--json"_s}).json();
        return shown["entries"_L1].toArray().first()["entry"_L1]["policy"_L1].toObject();
    }
};

QTEST_GUILESS_MAIN(TestCliProfile)
#include "tst_cliprofile.moc"
