// SPDX-License-Identifier: Apache-2.0
// Cases 48 to 52 and 67: more than was granted of memory, files, disk, output and processor.
#include "tests/containment/field.h"

#include <QDir>
#include <QElapsedTimer>
#include <QThread>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace containment {

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 slack = 64 * mebibyte; // what else the machine does meanwhile

Policy small()
{
    Policy policy;
    policy.limits.memoryBytes = 96 * mebibyte;
    policy.limits.diskBytes = 16 * mebibyte;
    return policy;
}

qint64 mayHold(const Policy &policy)
{
    return policy.limits.memoryBytes + policy.limits.diskBytes + slack;
}

// A limit that the run itself calls approximate isn't promised.
bool isDeclared(Field &field, Attempt &attempt, ControlId control)
{
    if (!field.isSealed())
        return false;
    attempt.finish();
    const auto result = attempt.result();
    if (!result)
        return false;
    for (const Control &c : result->controls) {
        if (c.id == control && c.state == Control::State::Degraded) {
            field.doesNotApply(u"%1 is degraded here and says so: %2"_s.arg(toString(control), c.detail.english()));
            return true;
        }
    }
    return false;
}

bool usesMemory(Field &field, const QByteArray &processes)
{
    const Policy policy = small();
    const auto attempt = field.start({.deed = "heap", .words = {"300", processes}, .policy = policy});
    qint64 most = 0;
    while (!attempt->hasEnded() && !attempt->isReady(1ms)) {
        qint64 now = 0;
        for (const qint64 pid : attempt->processes())
            now += residentBytes(pid);
        most = std::max(most, now);
        if (most > mayHold(policy))
            break;
        QThread::msleep(5);
    }
    field.note(u"%1 MB at most"_s.arg(most / mebibyte));
    return most > mayHold(policy) && !isDeclared(field, *attempt, ControlId::Memory);
}

bool usesHeap(Field &field)
{
    return usesMemory(field, "1");
}

bool usesManyHeaps(Field &field)
{
    return usesMemory(field, "8");
}

// The most that there is of it while the payload lives; who takes too much is killed.
qint64 mostOf(const std::function<qint64()> &measured, Attempt &attempt)
{
    qint64 most = 0;
    bool over = false;
    while (!over) {
        over = attempt.hasEnded() || attempt.isReady(1ms);
        most = std::max(most, measured());
    }
    return most;
}

bool usesSharedMemory(Field &field)
{
    const Policy policy = small();
    const qint64 before = memoryInfo("Shmem");
    QByteArrayList words{"250"};
    if (!field.isSealed())
        words.append("apart");
    const auto attempt = field.start({.deed = "shared-memory", .words = words, .policy = policy});
    const qint64 more = mostOf([] { return memoryInfo("Shmem"); }, *attempt) - before;
    field.note(u"%1 MB more"_s.arg(more / mebibyte));
    return more > mayHold(policy) && !isDeclared(field, *attempt, ControlId::Memory);
}

bool usesSemaphores(Field &field)
{
    const Policy policy = small();
    const auto kernel = [] { return memoryInfo("Slab") + memoryInfo("VmallocUsed"); };
    // What an earlier run had goes a little later.
    qint64 before = kernel();
    for (int calm = 0, round = 0; calm < 5 && round < 100; ++round) {
        QThread::msleep(20);
        const qint64 now = kernel();
        calm = std::abs(now - before) < mebibyte ? calm + 1 : 0;
        before = now;
    }
    QByteArrayList words{"150"};
    if (!field.isSealed())
        words.append("apart");
    const auto attempt = field.start({.deed = "semaphores", .words = words, .policy = policy});
    const qint64 more = mostOf(kernel, *attempt) - before;
    field.note(u"%1 MB of the kernel's more"_s.arg(more / mebibyte));
    return more > mayHold(policy);
}

bool opensMany(Field &field)
{
    const auto attempt = field.hold({.deed = "open-many", .words = {"3000"}});
    qsizetype most = 0;
    for (const qint64 pid : attempt ? attempt->processes() : QList<qint64>())
        most = std::max(most, descriptorsOf(pid).size());
    field.note(u"%1 descriptors"_s.arg(most));
    return most > 600;
}

QByteArrayList placesOf(const Field &field)
{
    return field.isSealed() ? QByteArrayList{"/work", "/tmp", "/dev/shm", "/var/tmp", "/run", "/"}
                            : QByteArrayList{field.inFolder("")};
}

// Of the run's own file system: its working folder lies in it.
struct statvfs usedBy(const Attempt &attempt)
{
    struct statvfs disk = {};
    const QList<qint64> pids = attempt.processes();
    if (!pids.isEmpty())
        ::statvfs(("/proc/" + QByteArray::number(pids.first()) + "/cwd").constData(), &disk);
    return disk;
}

bool fillsDisk(Field &field)
{
    const Policy policy = small();
    const auto attempt =
        field.hold({.deed = "fill", .words = QByteArrayList{"500"} + placesOf(field), .policy = policy});
    if (!attempt)
        return false;
    qint64 used = 0;
    if (field.isSealed()) {
        const struct statvfs disk = usedBy(*attempt);
        used = static_cast<qint64>(disk.f_blocks - disk.f_bfree) * static_cast<qint64>(disk.f_frsize);
    } else {
        for (const QFileInfo &file : QDir(field.folder()).entryInfoList(QDir::Files))
            used += file.size();
    }
    field.note(u"%1 MB"_s.arg(used / mebibyte));
    return used > policy.limits.diskBytes + mebibyte;
}

bool makesManyFiles(Field &field)
{
    constexpr qint64 promised = 1024; // of the smallest disk
    const auto attempt =
        field.hold({.deed = "many-files", .words = QByteArrayList{"5000"} + placesOf(field), .policy = small()});
    if (!attempt)
        return false;
    qint64 made = QDir(field.folder()).entryList(QDir::Files).size();
    if (field.isSealed()) {
        const struct statvfs disk = usedBy(*attempt);
        made = static_cast<qint64>(disk.f_files - disk.f_ffree);
    }
    field.note(u"%1 files"_s.arg(made));
    return made > promised && !isDeclared(field, *attempt, ControlId::Disk);
}

qint64 ownMemory()
{
    return statusField(::getpid(), "VmRSS").split(' ').value(0).toLongLong() * 1024;
}

bool floodsOutput(Field &field)
{
    Policy policy;
    policy.limits.outputBytes = mebibyte;
    const qint64 before = ownMemory();
    const auto attempt = field.start({.deed = "flood", .words = {"100"}, .policy = policy});
    attempt->finish();
    const qint64 grown = ownMemory() - before;
    field.note(u"kept %1 kB, memory grew by %2 MB"_s.arg(attempt->output().size() / 1024).arg(grown / mebibyte));
    return attempt->output().size() > policy.limits.outputBytes || (field.isSealed() && grown > slack);
}

bool speaksAfterTheEnd(Field &field)
{
    const auto attempt = field.start({.deed = "speak-late"});
    attempt->finish();
    return waitFor([&] { return attempt->output().contains(attempt->token()); }, field.isSealed() ? 400ms : 3s);
}

bool spins(Field &field)
{
    Policy policy;
    policy.limits.cpu = 1s;
    policy.limits.wall = 3s;
    const auto attempt = field.start({.deed = "spin", .words = {"4", "5"}, .policy = policy});
    attempt->isReady();
    const auto ticks = [&] {
        qint64 sum = 0;
        for (const qint64 pid : attempt->processes()) {
            const QByteArray text = procFile(pid, "stat");
            const QByteArrayList words = text.mid(text.lastIndexOf(')') + 2).split(' ');
            sum += words.value(11).toLongLong() + words.value(12).toLongLong();
        }
        return sum * 1000 / ::sysconf(_SC_CLK_TCK);
    };
    qint64 most = 0;
    while (!attempt->hasEnded() && most < 1800) {
        most = std::max(most, ticks());
        QThread::msleep(20);
    }
    field.note(u"%1 ms of processor"_s.arg(most));
    return most > 1750 && !isDeclared(field, *attempt, ControlId::CpuTime);
}

} // namespace

const QList<Case> resourceCases{
    {"48", "memory by one process (bounded)", usesHeap},
    {"48b", "memory by many processes", usesManyHeaps},
    {"49", "open files", opensMany},
    {"50", "disk by bytes", fillsDisk},
    {"50b", "disk by number of files", makesManyFiles},
    {"51", "output flood of 100 MB in one line", floodsOutput},
    {"51b", "output of a grandchild after the end", speaksAfterTheEnd},
    {"52", "processor time by many processes", spins},
    {"67", "memfds, System V and POSIX shared memory", usesSharedMemory},
    {"67b", "kernel memory by System V semaphores", usesSemaphores},
};

} // namespace containment
