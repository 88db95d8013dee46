// SPDX-License-Identifier: Apache-2.0
// Sandboxes that are built ahead, for real: they hold nothing of the person's, serve once, and are gone when they should be.
#include "sealed.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <set>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr int patienceMs = 20'000; // other work may keep the machine busy

// Bash in the place of an interpreter with a driver: says that it is ready, waits for its job, runs the code.
SandboxSpec driverSpec(const QByteArray &script, const QByteArray &beforeReady = {})
{
    SandboxSpec spec = shellSpec(script);
    spec.argv = {"/bin/bash", "/run/glovebox/driver"};
    spec.supportFiles = {{"driver", beforeReady + "\necho >&3; read -r job <&3 || exit 1; exec 3<&-; . ./main.sh\n"}};
    spec.hasDriver = true;
    spec.job = "go\n";
    spec.mayBeWarm = true;
    return spec;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray nameOf(qint64 pid)
{
    return contentOf(u"/proc/%1/comm"_s.arg(pid)).trimmed();
}

// Everything inside of all living sandboxes: their PID 1 and what these started.
QList<qint64> insiders(qint64 ancestor = ::getpid())
{
    QList<qint64> found;
    for (const qint64 pid : descendantsOf(ancestor)) {
        const QByteArray name = nameOf(pid); // nothing has begun in a spare
        if (!name.startsWith("glovebox-spawn") && name != "glovebox-spare" && name != "bwrap")
            found.append(pid);
    }
    return found;
}

qint64 spawnerOf(qint64 ancestor = ::getpid())
{
    for (const qint64 pid : descendantsOf(ancestor)) {
        if (nameOf(pid).startsWith("glovebox-spawn"))
            return pid;
    }
    return 0;
}

// All memory of a process that can be read. Counts the bytes that it looked at.
bool memoryHolds(qint64 pid, const QByteArray &marker, qint64 &looked)
{
    const UniqueFd memory(::open(qPrintable(u"/proc/%1/mem"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    for (const QByteArray &line : contentOf(u"/proc/%1/maps"_s.arg(pid)).split('\n')) {
        const QByteArrayList words = line.simplified().split(' ');
        const QByteArrayList range = words.value(0).split('-');
        if (range.size() != 2 || !words.value(1).startsWith('r') || words.value(5).startsWith("[v"))
            continue;
        const auto from = range[0].toULongLong(nullptr, 16);
        QByteArray bytes(qsizetype(range[1].toULongLong(nullptr, 16) - from), Qt::Uninitialized);
        const ssize_t got = ::pread(memory.get(), bytes.data(), size_t(bytes.size()), off_t(from));
        bytes.truncate(std::max<ssize_t>(got, 0));
        looked += bytes.size();
        if (bytes.contains(marker))
            return true;
    }
    return false;
}

// Where in the sandboxes the marker is found; empty: nowhere.
QByteArray placeOf(const QByteArray &marker, qint64 &looked)
{
    for (const qint64 pid : insiders()) {
        const QString proc = u"/proc/%1/"_s.arg(pid);
        for (const QString &name : {u"cmdline"_s, u"environ"_s, u"comm"_s}) {
            if (contentOf(proc + name).contains(marker))
                return (proc + name).toUtf8();
        }
        if (memoryHolds(pid, marker, looked))
            return (proc + u"mem"_s).toUtf8();
        for (const QString &folder : {u"work"_s, u"tmp"_s, u"dev/shm"_s, u"var/tmp"_s, u"run"_s, u"etc"_s}) {
            QDirIterator files(proc + u"root/"_s + folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                if (const QString path = files.next();
                    path.contains(QString::fromUtf8(marker))
                    || (files.fileInfo().isFile() && contentOf(path).contains(marker)))
                    return path.toUtf8();
            }
        }
    }
    return {};
}

// The cgroups of all sandboxes of this test, in every hierarchy.
QStringList leaves()
{
    QStringList found;
    QDirIterator places(u"/sys/fs/cgroup"_s, {u"glovebox-warm.%1*"_s.arg(spawnerOf())}, QDir::Dirs,
                        QDirIterator::Subdirectories);
    while (places.hasNext()) {
        const QDir place(places.next());
        for (const QString &leaf : place.entryList({u"run-*"_s}, QDir::Dirs))
            found.append(place.filePath(leaf));
    }
    return found;
}

bool writeTo(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered)
           && file.write(text) == text.size();
}

// As root on the host could, or with cgroup v2 the person. False where that hierarchy has nothing of the kind.
bool change(const QString &leaf, const QByteArray &control)
{
    if (control == "processes")
        return writeTo(leaf + u"/pids.max"_s, "max");
    if (control == "memory") {
        static_cast<void>(writeTo(leaf + u"/memory.memsw.limit_in_bytes"_s, "-1")); // v1: never below the other
        return writeTo(leaf + u"/memory.limit_in_bytes"_s, "-1") || writeTo(leaf + u"/memory.max"_s, "max");
    }
    if (control == "cpu-share")
        return writeTo(leaf + u"/cpu.cfs_quota_us"_s, "-1") || writeTo(leaf + u"/cpu.max"_s, "max");
    if (!QFile::exists(leaf + u"/pids.max"_s))
        return false;
    const QByteArrayList inside = contentOf(leaf + u"/cgroup.procs"_s).split('\n');
    bool moved = false;
    for (const QByteArray &pid : inside)
        moved |= !pid.isEmpty() && writeTo(leaf + u"/../keeper/cgroup.procs"_s, pid);
    return moved;
}

// As somebody on the host could: the user namespace is its maker's. In a child, as only a process with one thread may enter.
bool enlargesTheDisk(qint64 pid)
{
    const UniqueFd user(::open(qPrintable(u"/proc/%1/ns/user"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    const UniqueFd mounts(::open(qPrintable(u"/proc/%1/ns/mnt"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(::setns(user.get(), CLONE_NEWUSER) == 0 && ::setns(mounts.get(), CLONE_NEWNS) == 0
                        && ::mount("none", "/work", nullptr, MS_REMOUNT | MS_NOSUID | MS_NODEV, "size=512m") == 0
                    ? 0
                    : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

class TestWarmPool : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend;

    void start(WarmLimits limits = {})
    {
        if (!limits.memoryIsLow)
            limits.memoryIsLow = [] { return false; }; // whatever else this machine is doing
        m_backend = backendUnderTest(u"warm"_s);
        m_backend->keepWarm(limits);
    }

    // Once cold, then until as many wait.
    bool warmUp(const SandboxSpec &spec, int waiting = 2)
    {
        m_backend->expect(spec);
        return QTest::qWaitFor([&] { return m_backend->waiting() == waiting; }, patienceMs);
    }

    // Started and not looked after: for what goes on inside.
    std::unique_ptr<SealedProcess> started(const SandboxSpec &spec)
    {
        auto process = m_backend->launch(spec, {});
        return process && (*process)->start() ? *std::move(process) : nullptr;
    }

    bool isWarm(const SandboxSpec &spec)
    {
        const auto process = m_backend->launch(spec, {});
        return process && (*process)->isWarm();
    }

    static QByteArray said(const Result<SealedOutcome> &r)
    {
        return r ? r->out + r->err + r->end.notStarted.english().toUtf8() : r.error().message.english().toUtf8();
    }

private Q_SLOTS:
    void cleanup() { m_backend.reset(); }

    void theSecondRunOfAShapeIsServedByASandboxThatWaits()
    {
        start();
        auto first = m_backend->launch(driverSpec("exit 0"), {});
        QVERIFY(first);
        QVERIFY(!(*first)->isWarm());
        const QList<Control> cold = (*first)->controls();
        first->reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        auto second = m_backend->launch(driverSpec("exit 0"), {});
        QVERIFY(second);
        QVERIFY((*second)->isWarm());
        QCOMPARE((*second)->controls(), cold);
    }

    void itRunsTheCodeThatItIsGiven()
    {
        start();
        SandboxSpec spec = driverSpec("cat other; cat; echo err >&2; exit 3");
        spec.workFiles.append(SandboxFile{"other", "content\n"});
        QVERIFY(warmUp(spec));
        const Result<SealedOutcome> r = runSealed(*m_backend, spec, "input\n");
        QCOMPARE(said(r), "content\ninput\nerr\n");
        QCOMPARE(r->end.exitCode, std::optional(3));
        QCOMPARE(r->end.usage.processes, std::optional<qint64>(3)); // bash, twice cat
    }

    void aShellWithoutDriverWaitsSealedAndGetsItsArguments()
    {
        start();
        SandboxSpec spec = shellSpec("echo $1");
        spec.mayBeWarm = true;
        QVERIFY(warmUp(spec));
        QCOMPARE(insiders().size(), 2); // nothing is started yet
        spec.arguments = {"a b"};
        QCOMPARE(said(runSealed(*m_backend, spec)), "a b\n");
    }

    void nothingOfThePersonIsInsideBefore()
    {
        const QByteArray marker = "person-" + QByteArray::number(::getpid()) + "-said";
        qputenv("GLOVEBOX_TEST_PERSON", marker);
        start();
        SandboxSpec spec = driverSpec("read -r line; mark=" + marker + "; echo $mark; read -r line");
        spec.run = QString::fromUtf8(marker);
        spec.workFiles.append(SandboxFile{marker, marker});
        spec.arguments = {marker};
        spec.job = marker + '\n';
        QVERIFY(started(spec)); // the shape comes from a run that has all of it
        QVERIFY(warmUp(spec));
        QTRY_COMPARE_WITH_TIMEOUT(insiders().size(), 4, patienceMs); // the first one is gone
        qint64 looked = 0;
        QCOMPARE(placeOf(marker, looked), QByteArray());
        if (looked < 1'000'000)
            QSKIP("This user may not read the memory of processes in a sandbox");

        const auto process = started(spec);
        QVERIFY(process && process->isWarm());
        QTRY_VERIFY_WITH_TIMEOUT(!placeOf(marker, looked).isEmpty(), patienceMs); // it would have been found
        qunsetenv("GLOVEBOX_TEST_PERSON");
    }

    void noneServesTwice()
    {
        start();
        std::set<QByteArray> seen;
        for (int i = 0; i < 6; ++i) {
            const SandboxSpec spec =
                driverSpec("ls -A /work /tmp /dev/shm; touch /work/x /tmp/x /dev/shm/x; setsid sleep 99 &");
            QVERIFY(warmUp(spec));
            const QList<qint64> before = insiders();
            const Result<SealedOutcome> r = runSealed(*m_backend, spec);
            QCOMPARE(said(r), "/dev/shm:\n\n/tmp:\n\n/work:\nmain.sh\n");
            qsizetype left = 0;
            for (const qint64 pid : before)
                left += isAlive(pid) ? 1 : 0;
            QCOMPARE(left, before.size() / 2); // of two that waited one is gone with all that was in it
        }
    }

    void timeIsCountedFromTheAssignment()
    {
        start();
        SandboxSpec spec = driverSpec("sleep 0.2");
        spec.policy.limits.wall = std::chrono::milliseconds(1000);
        QVERIFY(warmUp(spec));
        QTest::qWait(1200);
        Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(r && r->end.exitCode == 0, said(r));
        spec.workFiles = {{"main.sh", "while :; do :; done"}};
        QVERIFY(m_backend->waiting() > 0);
        QElapsedTimer timer;
        timer.start();
        r = runSealed(*m_backend, spec);
        QVERIFY(r && r->end.atDeadline);
        QVERIFY2(timer.elapsed() >= 1000 && timer.elapsed() < 1250, qPrintable(QString::number(timer.elapsed())));
    }

    void processorTimeBeforeTheAssignmentIsNotThePersons()
    {
        start();
        SandboxSpec spec = driverSpec("exit 0", "for ((i = 0; i < 300000; ++i)); do :; done");
        QVERIFY(warmUp(spec));
        Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r && r->end.usage.cpu);
        QVERIFY2(*r->end.usage.cpu < std::chrono::milliseconds(100),
                 qPrintable(QString::number(r->end.usage.cpu->count())));
        spec.mayBeWarm = false;
        r = runSealed(*m_backend, spec);
        QVERIFY(r && *r->end.usage.cpu > std::chrono::milliseconds(200)); // else the line above proves nothing
    }

    void anotherShapeStartsCold_data()
    {
        QTest::addColumn<int>("what");
        int what = 0;
        for (const char *name :
             {"memory", "processes", "disk", "environment", "program", "driver", "processor time", "wanted"})
            QTest::newRow(name) << what++;
    }

    void anotherShapeStartsCold()
    {
        QFETCH(int, what);
        start();
        SandboxSpec spec = driverSpec("exit 0");
        QVERIFY(warmUp(spec));
        Limits &limits = spec.policy.limits;
        switch (what) {
        case 0:
            limits.memoryBytes += mebibyte;
            break;
        case 1:
            ++limits.processes;
            break;
        case 2:
            limits.diskBytes -= mebibyte;
            break;
        case 3:
            spec.environment.append("A=b");
            break;
        case 4:
            spec.argv.append("x");
            break;
        case 5:
            spec.supportFiles.first().content.append("\n");
            break;
        case 6:
            limits.cpu = std::chrono::seconds(5);
            break;
        default:
            spec.mayBeWarm = false;
            break;
        }
        QVERIFY(!isWarm(spec));
        QVERIFY(isWarm(driverSpec("exit 0")));
    }

    void itIsThrownAwayWhenItsInterpreterChanges()
    {
        const QTemporaryDir folder(u"/var/tmp/glovebox-warm-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        const QString program = folder.filePath(u"bash"_s);
        QVERIFY(QFile::copy(u"/bin/bash"_s, program));
        start();
        SandboxSpec spec = driverSpec("exit 0");
        spec.argv.first() = program.toUtf8();
        spec.folders = {folder.path()};
        QVERIFY(warmUp(spec));
        const QList<qint64> old = insiders();
        QVERIFY(QFile::rename(program, program + u".old"_s) && QFile::copy(u"/bin/bash"_s, program));
        QVERIFY(!isWarm(spec));
        for (const qint64 pid : old)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), patienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs); // of the new one
        QVERIFY(isWarm(spec));
        QVERIFY(QFile::rename(program + u".old"_s, program + u".older"_s)); // nobody runs anything
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
    }

    void aLimitThatChangedMeanwhileIsNoticed()
    {
        start();
        if (m_backend->builder() != u"direct"_s)
            return; // bwrap's mounts can't be entered like this; what notices is the same
        const SandboxSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        for (const qint64 pid : insiders()) {
            if (nameOf(pid) != "glovebox-init")
                continue;
            QVERIFY(enlargesTheDisk(pid));
        }
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(!r->end.notStarted.isEmpty() && r->out.isEmpty(), said(r));
    }

    void whatWasChangedAboutItsCgroupMeanwhileIsRefused_data()
    {
        QTest::addColumn<QByteArray>("control");
        for (const char *control : {"memory", "processes", "cpu-share", "place"})
            QTest::newRow(control) << QByteArray(control);
    }

    void whatWasChangedAboutItsCgroupMeanwhileIsRefused()
    {
        QFETCH(QByteArray, control);
        start();
        SandboxSpec spec = driverSpec("touch /work/ran; echo ran");
        spec.policy.limits.cpuPercent = 80;
        QVERIFY(warmUp(spec));
        if (leaves().isEmpty())
            QSKIP("no cgroup can be made on this machine by this user");
        const Result<SealedOutcome> untouched = runSealed(*m_backend, spec);
        QCOMPARE(said(untouched), "ran\n");
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        int changed = 0;
        for (const QString &leaf : leaves())
            changed += change(leaf, control) ? 1 : 0;
        QVERIFY(changed >= 2); // as many as wait
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(!r, said(r));
        const QString message = r.error().message.english();
        QVERIFY2(message.startsWith(u"The sandbox is not whole, so nothing was run."_s), qPrintable(message));
        QVERIFY2(message.contains(control == "place" ? u"not in its cgroup"_s : QString::fromUtf8(control) + u" ("_s),
                 qPrintable(message));
    }

    void noneWaitsWhenMemoryIsLow()
    {
        std::atomic<bool> low = false;
        WarmLimits limits;
        limits.memoryIsLow = [&] { return low.load(); };
        start(limits);
        const SandboxSpec spec = driverSpec("exit 0");
        QVERIFY(warmUp(spec));
        low = true;
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(insiders().isEmpty(), patienceMs);
        QVERIFY(runSealed(*m_backend, spec)); // cold, and none is built
        QTest::qWait(500);
        QVERIFY(insiders().isEmpty());
        low = false;
        QVERIFY(runSealed(*m_backend, spec));
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        m_backend.reset(); // before low goes
    }

    void noneWaitsForEver()
    {
        start({.idle = std::chrono::milliseconds(500)});
        QVERIFY(warmUp(driverSpec("exit 0")));
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(insiders().isEmpty(), patienceMs);
    }

    void thereAreNeverMoreThanAllowed_data()
    {
        QTest::addColumn<int>("most");
        QTest::addColumn<qint64>("mostBytes");
        QTest::newRow("in number") << 3 << 100 * 1024 * mebibyte;
        QTest::newRow("in memory") << 100 << 800 * mebibyte;
        QTest::newRow("one at a time") << 1 << 1024 * mebibyte;
    }

    void thereAreNeverMoreThanAllowed()
    {
        QFETCH(int, most);
        QFETCH(qint64, mostBytes);
        const int expected = std::min<int>(most, int(mostBytes / (250 * mebibyte)));
        start({.most = most, .mostBytes = mostBytes});
        int largest = 0;
        for (int i = 0; i < 4; ++i) {
            SandboxSpec spec = driverSpec("exit 0");
            spec.policy.limits.memoryBytes = (250 + i) * mebibyte;
            m_backend->expect(spec);
            QElapsedTimer timer;
            for (timer.start(); timer.elapsed() < 300;) {
                largest = std::max(largest, m_backend->waiting());
                QTest::qWait(5);
            }
            QVERIFY(isWarm(spec)); // the latest has the right
        }
        QVERIFY2(largest <= expected && largest > 0, qPrintable(QString::number(largest)));
    }

    void oneThatDiedIsNotGivenToAnybody()
    {
        start();
        const SandboxSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        for (const qint64 pid : insiders()) {
            if (nameOf(pid) == "bash")
                ::kill(pid_t(pid), SIGKILL);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QCOMPARE(said(runSealed(*m_backend, spec)), "ran\n");
    }

    void theyGoWithTheSpawnerAndAnotherOneComes()
    {
        start();
        const SandboxSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        const QList<qint64> old = insiders();
        ::kill(pid_t(spawnerOf()), SIGKILL);
        for (const qint64 pid : old)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
        QCOMPARE(said(runSealed(*m_backend, spec)), "ran\n");
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
    }

    void oneThatWasAssignedCanBeKilled()
    {
        start();
        const SandboxSpec spec = driverSpec("trap '' INT TERM; setsid sleep 60 & while :; do sleep 1; done");
        QVERIFY(warmUp(spec));
        auto process = started(spec);
        QVERIFY(process && process->isWarm());
        const QList<qint64> inside = insiders();
        process.reset();
        m_backend->shutdown();
        for (const qint64 pid : inside)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
    }

    void shutdownLeavesNothing()
    {
        start();
        QVERIFY(warmUp(driverSpec("exit 0")));
        m_backend->shutdown();
        QCOMPARE(m_backend->waiting(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(descendantsOf(::getpid()), QList<qint64>(), 1000);
        QVERIFY(!m_backend->launch(driverSpec("exit 0"), {}));
    }

    void shutdownWhileOneIsBuiltLeavesNothing()
    {
        for (int i = 0; i < 10; ++i) {
            start();
            m_backend->expect(driverSpec("exit 0", "sleep 0.05"));
            QTest::qWait(i * 8);
            m_backend->shutdown();
            QTRY_COMPARE_WITH_TIMEOUT(descendantsOf(::getpid()), QList<qint64>(), 1000);
        }
    }

    // This program again, killed while sandboxes wait in it.
    void theyGoWithTheEngineHoweverItEnds()
    {
        QProcess holder;
        holder.start(QCoreApplication::applicationFilePath(), {u"hold"_s});
        QVERIFY(holder.waitForReadyRead(patienceMs));
        const QList<qint64> inside = descendantsOf(holder.processId());
        QVERIFY2(inside.size() >= 5,
                 qPrintable(QString::number(inside.size()))); // the spawner, and two of each sandbox
        holder.kill();
        holder.waitForFinished();
        for (const qint64 pid : inside)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    if (argc == 2 && std::strcmp(argv[1], "hold") == 0) {
        const auto backend = backendUnderTest(u"hold"_s);
        backend->keepWarm({.memoryIsLow = [] { return false; }});
        backend->expect(driverSpec("exit 0"));
        while (backend->waiting() < 2)
            ::usleep(10'000);
        std::puts("ready");
        std::fflush(stdout);
        ::pause();
    }
    TestWarmPool test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_warmpool.moc"
