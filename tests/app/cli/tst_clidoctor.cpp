// SPDX-License-Identifier: Apache-2.0
// What the command line tells of settings and of the machine.
#include "program.h"

#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliDoctor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void policyShowsOrigins();
    void settingsAreListedSetAndUnset();
    void aChosenKeychainThatIsNotThereIsToldAtOnce();
    void brokenSettingsRefuseToRun();
    void doctorTellsWhatWorks();
    void doctorTellsWhatDoesNot();
    void whereTheMachinesUsersAreHiddenThatIsTheReason();
    void doctorReadsAndWritesTheLog();
    void aLogOfMoreThanHalfAGigabyteIsNotSaidToBeWhole();
    void whereNobodyWatchesForSecretsTheWayOutIsTold();
    void doctorAttacksTheSandbox();
    void attacksThatAreStoppedLeaveNothing();
};

void TestCliDoctor::policyShowsOrigins()
{
    Home home;
    QDir(home.path()).mkpath(u"config"_s);
    home.write(u"config/settings.json"_s, R"({"run": {"memory_mb": 128}})");
    const auto process = home.program({u"policy"_s, u"show"_s, u"--json"_s});
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert(u"GLOVEBOX_RUN_PROCESSES"_s, u"9"_s);
    process->setProcessEnvironment(environment);
    process->start();
    const QJsonObject object = finish(*process).json();
    QCOMPARE(object.value("policy"_L1)["limits"_L1]["memory_bytes"_L1].toInteger(), 128 * 1024 * 1024);
    QCOMPARE(object.value("policy"_L1)["limits"_L1]["processes"_L1].toInteger(), 9);
    QMap<QString, QString> origins;
    for (const auto value : object.value("settings"_L1).toArray())
        origins.insert(value["key"_L1].toString(), value["origin"_L1].toString());
    QCOMPARE(origins.value(u"run.memory_mb"_s), u"file"_s);
    QCOMPARE(origins.value(u"run.processes"_s), u"environment"_s);
    QCOMPARE(origins.value(u"run.disk_mb"_s), u"default"_s);
    QVERIFY(home.run({u"policy"_s, u"show"_s}).out.contains("run.memory_mb"));
}

void TestCliDoctor::settingsAreListedSetAndUnset()
{
    Home home;
    const auto settings = [&](const QStringList &words) { return home.run(QStringList{u"settings"_s} + words); };
    const QString key = u"run.memory_mb"_s;
    QCOMPARE(settings({u"get"_s, key}).out, QByteArray("256\n"));
    const Ended set = settings({u"set"_s, key, u"512"_s});
    QVERIFY2(set.status == 0 && set.err.contains("run.memory_mb is set in "), set.err);
    QCOMPARE(settings({u"get"_s, key}).out, QByteArray("512\n"));
    QCOMPARE(settings({u"set"_s, u"run.strict"_s, u"yes"_s}).status, 0);
    QCOMPARE(settings({u"get"_s, u"run.strict"_s}).out, QByteArray("true\n"));
    QMap<QString, QString> origins;
    const QJsonObject listed = settings({u"list"_s, u"--json"_s}).json();
    for (const auto value : listed["settings"_L1].toArray())
        origins.insert(value["key"_L1].toString(), value["origin"_L1].toString());
    QCOMPARE(origins.value(key), u"file"_s);
    QCOMPARE(origins.value(u"run.processes"_s), u"default"_s);
    QVERIFY(settings({u"list"_s}).out.contains("run.memory_mb"));
    // Bad ones leave the file as it is.
    QFile file(listed["file"_L1].toString());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    const std::pair<QStringList, QByteArray> bad[] = {
        {{u"set"_s, key, u"lots"_s}, "must be a whole number from 16 to 1048576, not \"lots\""},
        {{u"set"_s, key, u"1"_s}, "must be a whole number"},
        {{u"set"_s, key, QString()}, "must be a whole number"},
        {{u"set"_s, u"run.strcit"_s, u"true"_s}, "Unknown setting \"run.strcit\". Did you mean \"run.strict\"?"},
        {{u"set"_s, key, u"-1"_s}, "must be a whole number from 16 to 1048576, not \"-1\""},
        {{u"set"_s, key + u"=512"_s}, "\"glovebox settings set run.memory_mb 512\"."},
        {{u"get"_s, u"x"_s}, "Unknown setting \"x\". \"glovebox settings list\" lists all settings."},
        {{u"unset"_s, u"run.memory"_s}, "Did you mean \"run.memory_mb\"?"},
    };
    for (const auto &[words, says] : bad) {
        const Ended ended = settings(words);
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.err.contains(says), ended.err);
    }
    for (const QStringList &words : {QStringList{u"set"_s, key}, {u"get"_s}, {u"list"_s, u"x"_s}, {u"unset"_s}})
        QCOMPARE(settings(words).status, 2);
    file.seek(0);
    QCOMPARE(file.readAll(), before);
    // What the environment says holds, and that is told.
    qputenv("GLOVEBOX_RUN_MEMORY_MB", "300");
    const Ended unset = settings({u"unset"_s, key});
    QCOMPARE(settings({u"get"_s, key}).out, QByteArray("300\n"));
    qunsetenv("GLOVEBOX_RUN_MEMORY_MB");
    QVERIFY2(unset.err.contains("GLOVEBOX_RUN_MEMORY_MB in the environment holds until it is unset."), unset.err);
    QCOMPARE(settings({u"get"_s, key}).out, QByteArray("256\n"));
}

void TestCliDoctor::aChosenKeychainThatIsNotThereIsToldAtOnce()
{
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    const Home home;
    const auto settings = [&](const QStringList &words) { return home.run(QStringList{u"settings"_s} + words); };
    const QString key = u"vault.store"_s;
    const Ended file = settings({u"set"_s, key, u"file"_s});
    QVERIFY2(file.status == 0 && !file.err.contains("keychain"), file.err);
    for (const QStringList &words : {QStringList{u"set"_s, key, u"keychain"_s}, {u"unset"_s, key}}) {
        const Ended keychain = settings(words);
        QCOMPARE(keychain.status, 0);
        QVERIFY2(keychain.err.contains(" has no keychain.")
                     && keychain.err.contains("in an encrypted file: glovebox settings set vault.store file"),
                 keychain.err);
    }
    const Ended signingKey = settings({u"set"_s, u"vault.signing_key"_s, u"keychain"_s});
    QVERIFY2(signingKey.err.contains(" has no keychain. To keep the key in a file: glovebox settings set "
                                     "vault.signing_key file\n"),
             signingKey.err);
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
}

void TestCliDoctor::brokenSettingsRefuseToRun()
{
    Home home;
    QDir(home.path()).mkpath(u"config"_s);
    home.write(u"config/settings.json"_s, R"({"run": {"memory_mb": "lots"}})");
    const Ended ended = home.run({u"run"_s, u"-c"_s, u"print(1)"_s});
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.contains("run.memory_mb"), ended.err);
    QCOMPARE(home.run({u"policy"_s, u"show"_s}).status, 1);
    const Ended doctor = home.run({u"doctor"_s, u"--json"_s});
    QCOMPARE(doctor.status, 1);
    QCOMPARE(doctor.json().value("settings"_L1)["ok"_L1].toBool(), false);
    QCOMPARE(doctor.json().value("backend"_L1)["usable"_L1].toBool(), true); // the rest is still examined
}

void TestCliDoctor::doctorTellsWhatWorks()
{
    Home home;
    const Ended ended = home.run({u"doctor"_s, u"--json"_s});
    QVERIFY2(ended.status == 0, ended.out);
    const QJsonObject object = ended.json();
    QCOMPARE(object.value("usable"_L1).toBool(), true);
    QVERIFY(!object.value("backend"_L1)["controls"_L1].toArray().isEmpty());
    QCOMPARE(object.value("languages"_L1).toArray().size(), 4);
    QCOMPARE(object.value("builders"_L1)[0]["builder"_L1].toString(), u"direct"_s);
    QCOMPARE(object.value("builders"_L1)[1]["builder"_L1].toString(), u"bwrap"_s);
    // A weak control of a builder that works has its reason, and where something can be done, what.
    const QJsonArray bubblewrap = object.value("builders"_L1)[1]["controls"_L1].toArray();
    for (const auto control : bubblewrap) {
        if (control["name"_L1].toString() == u"disk"_s) {
            QCOMPARE(control["state"_L1].toString(), u"degraded"_s);
            QVERIFY(!control["remedy"_L1].toString().isEmpty());
        }
    }
    QVERIFY(!bubblewrap.isEmpty());
    const Ended text = home.run({u"doctor"_s});
    QCOMPARE(text.status, 0);
    QVERIFY2(text.out.contains("Code can run here"), text.out);
    QVERIFY(home.runsOnRecord().isEmpty()); // its trial run is nobody's
}

void TestCliDoctor::doctorTellsWhatDoesNot()
{
    Home home;
    QDir(home.path()).mkpath(u"data"_s);
    home.write(u"data/audit.db"_s,
               "this is no database, but long enough to be taken for one: " + QByteArray(5000, 'x'));
    QFile::setPermissions(home.path(u"data"_s), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const Ended ended = home.run({u"doctor"_s});
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.out.contains("Code can't run here"), ended.out);
    QVERIFY2(ended.out.contains("/usr/bin/"), ended.out); // interpreters are listed all the same
    const QJsonObject json = home.run({u"doctor"_s, u"--json"_s}).json();
    QVERIFY(!json["builders"_L1].toArray().isEmpty() && !json["languages"_L1].toArray().isEmpty());
    QVERIFY(!json["secrets"_L1]["store"_L1].toString().isEmpty());
}

// Runs find damage when they come to it, and a full disk when they write.
void TestCliDoctor::whereTheMachinesUsersAreHiddenThatIsTheReason()
{
    const Home home;
    for (const QStringList &options : {QStringList{u"-U"_s}, {u"-U"_s, u"-r"_s}}) {
        for (const QStringList &words : {QStringList{u"run"_s, u"-c"_s, u"1"_s}, {u"doctor"_s}}) {
            const auto process = home.program(options + QStringList{programFile()} + words);
            process->setProgram(u"unshare"_s);
            process->start();
            process->closeWriteChannel();
            const Ended ended = finish(*process);
            const QByteArray said = ended.out + ended.err;
            QVERIFY2(ended.status != 0, said);
            QVERIFY2(said.contains("Glovebox was started inside a user namespace"), said);
            QVERIFY2(said.contains("Start Glovebox outside of it."), said);
            QVERIFY2(!said.contains("ulimit") && !said.contains("somebody other than root"), said);
            QVERIFY2(!said.contains("what to do:"), said); // the reason says it
        }
    }
}

void TestCliDoctor::doctorReadsAndWritesTheLog()
{
    Home home;
    for (int i = 0; i < 3; ++i)
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
    const Ended whole = home.run({u"doctor"_s}); // which leaves all in the file itself
    QVERIFY2(whole.out.contains("audit.db  ok\n"), whole.out);
#ifndef __SANITIZE_THREAD__ // which writes to files of its own
    const auto shell = home.program({});
    shell->setProgram(u"bash"_s);
    shell->setArguments({u"-c"_s, u"ulimit -f 0; exec '%1' doctor"_s.arg(programFile())});
    shell->start();
    const Ended full = finish(*shell);
    QVERIFY2(full.status == 1 && full.out.contains("audit.db  The audit log"), full.out + full.err);
#endif
    QFile log(home.path(u"data/audit.db"_s));
    QVERIFY(log.open(QIODevice::ReadWrite) && log.size() > 16384 && log.seek(8192));
    QCOMPARE(log.write(QByteArray(log.size() - 8192, 'x')), log.size() - 8192);
    log.close();
    const Ended damaged = home.run({u"doctor"_s});
    QVERIFY2(damaged.status == 1 && damaged.out.contains("is damaged. Move it aside"), damaged.out + damaged.err);
}

void TestCliDoctor::aLogOfMoreThanHalfAGigabyteIsNotSaidToBeWhole()
{
    Home home;
    QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
    QCOMPARE(home.run({u"doctor"_s, u"--json"_s}).json()["record"_L1]["checked"_L1], QJsonValue(true));
    QVERIFY(QFile::resize(home.path(u"data/audit.db"_s),
                          513LL * 1024 * 1024)); // with a hole, which SQLite doesn't look into
    const Ended ended = home.run({u"doctor"_s});
    QVERIFY2(ended.out.contains("audit.db  can be written; too large to be read through\n"), ended.out + ended.err);
    QCOMPARE(home.run({u"doctor"_s, u"--json"_s}).json()["record"_L1]["checked"_L1], QJsonValue(false));
}

// A machine on which /dev/fuse can't be opened, not even by root: on a mount of its own that has no devices.
void TestCliDoctor::whereNobodyWatchesForSecretsTheWayOutIsTold()
{
    if (::geteuid() != 0 || !QFile::exists(u"/dev/fuse"_s))
        QSKIP("Only root can close /dev/fuse for one program.");
    Home home;
    const QString closed = u"mount --bind /dev/fuse /dev/fuse && mount -o remount,bind,nodev /dev/fuse && "_s;
    // Without cgroups, too, where the last line has something else to say.
    for (const QString &before : {closed, u"mount -t tmpfs none /sys/fs/cgroup && "_s + closed}) {
        const auto shell = home.program({});
        shell->setProgram(u"unshare"_s);
        shell->setArguments({u"-m"_s, u"sh"_s, u"-c"_s, before + u"exec '%1' doctor"_s.arg(programFile())});
        shell->start();
        const Ended ended = finish(*shell);
        QCOMPARE(ended.status, 0);
        QVERIFY2(ended.out.contains("places of secrets are not watched (/dev/fuse: EACCES)"), ended.out);
        QVERIFY2(ended.out.contains(
                     "what to do: Looks for secrets in ~ can't be noticed, as /dev/fuse is closed to the run's user."),
                 ended.out);
        QVERIFY2(ended.out.contains("KERNEL==\"fuse\", MODE=\"0666\"") && ended.out.contains("--device /dev/fuse"),
                 ended.out);
        QVERIFY2(ended.out.contains("Looks for keys and other secrets in ~ are not told: see"), ended.out);
    }
    struct stat device = {};
    if (::stat("/dev/fuse", &device) != 0 || (device.st_mode & 0006) != 0006)
        return; // a machine that is so by itself
    const Ended usual = home.run({u"doctor"_s});
    QVERIFY2(!usual.out.contains("not told") && !usual.out.contains("/dev/fuse"), usual.out);
}

void TestCliDoctor::doctorAttacksTheSandbox()
{
    Home home;
    const Ended ended = home.run({u"doctor"_s, u"--attack"_s});
    QCOMPARE(ended.status, 0);
    QVERIFY2(ended.out.contains("Read a file in your home folder: refused\n"), ended.out);
    QVERIFY2(ended.out.contains("All 10 attacks were refused"), ended.out);
    const Ended json = home.run({u"doctor"_s, u"--attack"_s, u"--json"_s});
    QCOMPARE(json.status, 0);
    QCOMPARE(json.json().value("attacks"_L1).toArray().size(), 10);
    // The runs are on record.
    QVERIFY(home.run({u"audit"_s, u"list"_s, u"--json"_s}).out.count('\n') >= 20);
}

// At each moment of the first attacks, one of which puts a file into the home folder.
void TestCliDoctor::attacksThatAreStoppedLeaveNothing()
{
    const Home home;
    const QString person = home.path(u"person"_s);
    QVERIFY(QDir().mkpath(person));
    for (int milliseconds = 0; milliseconds < 400; milliseconds += 50) {
        const auto program = home.program({u"doctor"_s, u"--attack"_s});
        QProcessEnvironment environment = program->processEnvironment();
        environment.insert(u"HOME"_s, person);
        program->setProcessEnvironment(environment);
        program->setChildProcessModifier([] { ::signal(SIGINT, SIG_DFL); });
        program->start();
        QVERIFY(program->waitForReadyRead(60000)); // of the first that was refused
        QTest::qWait(milliseconds);
        ::kill(pid_t(program->processId()), SIGINT);
        const Ended ended = finish(*program);
        QCOMPARE(ended.status, 130);
        QVERIFY2(ended.err.contains(" of 10 attacks. All that they made is removed."), ended.err);
        QCOMPARE(QDir(person).entryList(QDir::Files | QDir::Hidden), QStringList());
    }
}

QTEST_GUILESS_MAIN(TestCliDoctor)
#include "tst_clidoctor.moc"
