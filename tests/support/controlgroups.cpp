// SPDX-License-Identifier: Apache-2.0
#include "controlgroups.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

using namespace Qt::StringLiterals;

namespace glovebox::test {

namespace {

constexpr int patienceMs = 5000;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A line of /proc/PID/cgroup, with where that hierarchy is mounted.
struct Place
{
    QByteArrayList controllers; // empty: v2
    QString top;
    QString own; // the folder of that process, top where it isn't visible
};

QList<Place> placesOf(qint64 pid)
{
    QList<Place> places;
    const QByteArrayList mounts = contentOf(u"/proc/self/mountinfo"_s).split('\n');
    for (const QByteArray &line : contentOf(u"/proc/%1/cgroup"_s.arg(pid)).split('\n')) {
        Place place;
        const QByteArray names = line.split(':').value(1);
        const QString path = QFile::decodeName(line.mid(line.indexOf(':', line.indexOf(':') + 1) + 1));
        if (!names.isEmpty())
            place.controllers = names.split(',');
        for (const QByteArray &mount : mounts) {
            // "36 35 0:31 ROOT POINT OPTIONS ... - TYPE SOURCE SUPER-OPTIONS" (proc(5))
            const QByteArrayList words = mount.split(' ');
            const QByteArrayList rest = mount.mid(mount.indexOf(" - ") + 3).split(' ');
            const bool isIt = place.controllers.isEmpty()
                                  ? rest.value(0) == "cgroup2"
                                  : rest.value(0) == "cgroup" && rest.value(2).split(',').contains(names.split(',')[0]);
            if (!isIt)
                continue;
            const QString root = QFile::decodeName(words.value(3));
            place.top = QFile::decodeName(words.value(4));
            const bool isBelow = root == u"/"_s || path == root || path.startsWith(root + u'/');
            place.own = place.top + (isBelow ? path.mid(root == u"/"_s ? 0 : root.size()) : QString());
            while (place.own.endsWith(u'/'))
                place.own.chop(1);
            if (place.own.contains(u"/.."_s) || !QFileInfo(place.own).isDir())
                place.own = place.top;
            places.append(place);
            break;
        }
    }
    return places;
}

// A process to be put into cgroups, and the folders made for it: gone with this object. After the first refusal nothing more is
// tried.
class Attempt
{
public:
    explicit Attempt(const QStringList &startedBy = {})
    {
        const QStringList words = startedBy + QStringList{u"sleep"_s, u"60"_s};
        m_process.start(words.first(), words.sliced(1));
        if (!m_process.waitForStarted())
            m_refusal = m_process.errorString();
    }
    Attempt(const Attempt &) = delete;
    Attempt &operator=(const Attempt &) = delete;
    ~Attempt()
    {
        m_process.kill();
        m_process.waitForFinished();
        for (const QByteArray &folder : m_folders) {
            const QDeadlineTimer deadline(patienceMs);
            while (::rmdir(folder.constData()) != 0 && errno == EBUSY && !deadline.hasExpired())
                ::usleep(1000); // the kernel needs a moment to see that it is empty
        }
    }

    qint64 pid() const { return m_process.processId(); }
    // What the process said, where it ends early.
    bool hasEnded(int milliseconds) { return m_process.waitForFinished(milliseconds); }
    QString lastWords() { return QString::fromLocal8Bit(m_process.readAllStandardError()).simplified(); }

    bool works() const { return m_refusal.isEmpty(); }
    const QString &refusal() const { return m_refusal; }
    void refuse(const QString &refusal)
    {
        if (works())
            m_refusal = refusal;
    }

    void make(const QString &folder)
    {
        const QByteArray name = QFile::encodeName(folder);
        if (works() && ::mkdir(name.constData(), 0755) != 0)
            refuse(u"mkdir %1: %2"_s.arg(folder, QString::fromLocal8Bit(std::strerror(errno))));
        else if (works())
            m_folders.prepend(name);
    }
    void write(const QString &path, const QByteArray &text)
    {
        QFile file(path);
        if (works()
            && (!file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered)
                || file.write(text) != text.size()))
            refuse(u"%1 > %2: %3"_s.arg(QString::fromUtf8(text), path, file.errorString()));
    }
    // Where that is to be had.
    void offer(const QString &path, const QByteArray &text)
    {
        QFile file(path);
        if (works() && file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered))
            file.write(text);
    }
    // What holds only when it can be read back.
    void set(const QString &path, const QByteArray &text)
    {
        write(path, text);
        if (contentOf(path).trimmed() != text)
            refuse(u"%1 is not %2 afterwards"_s.arg(path, QString::fromUtf8(text)));
    }
    void moveTo(const QString &folder) { write(folder + u"/cgroup.procs"_s, QByteArray::number(pid())); }

private:
    QProcess m_process;
    QByteArrayList m_folders; // the last one first
    QString m_refusal;
};

QString nameHere()
{
    return u"/test-of-cgroups-%1"_s.arg(::getpid()); // nobody takes it for one of Glovebox's
}

const QByteArray memoryBytes = "1073741824";
const QByteArray processes = "100";

void note(ControlGroups &found, const QString &shareFile, const QString &swapFile)
{
    found.shareMissing = QFile::exists(shareFile) ? QString() : u"the cgroups of this machine bound no share"_s;
    found.swapMissing = QFile::exists(swapFile) ? QString() : u"the cgroups of this machine don't count swap"_s;
}

// In a folder of v2 that is the attempt's own: who launches sits beside the leaves, since a cgroup that gives controllers to
// others has no process itself (cgroup-v2.rst, "No Internal Process Constraint").
void boundBelow(const QString &folder, Attempt &attempt, ControlGroups &found)
{
    const QString leaf = folder + u"/leaf"_s;
    attempt.make(folder + u"/keeper"_s);
    attempt.moveTo(folder + u"/keeper"_s);
    attempt.write(folder + u"/cgroup.subtree_control"_s, "+memory +pids");
    attempt.offer(folder + u"/cgroup.subtree_control"_s, "+cpu");
    attempt.make(leaf);
    attempt.set(leaf + u"/memory.max"_s, memoryBytes);
    attempt.set(leaf + u"/pids.max"_s, processes);
    attempt.moveTo(leaf);
    note(found, leaf + u"/cpu.max"_s, leaf + u"/memory.swap.max"_s);
}

QString unifiedPathOf(qint64 pid)
{
    for (const Place &place : placesOf(pid)) {
        if (place.controllers.isEmpty())
            return place.own;
    }
    return {};
}

QString inAScope(ControlGroups &found)
{
    if (::access("/run/systemd/system", F_OK) != 0) // sd_booted(3)
        return u"systemd doesn't run"_s;
    if (!GLOVEBOX_HAS_SYSTEMD)
        return u"built without systemd"_s;
    QStringList command{u"systemd-run"_s, u"--scope"_s, u"--quiet"_s, u"--collect"_s, u"-p"_s, u"Delegate=yes"_s};
    if (::geteuid() != 0)
        command.append(u"--user"_s);
    Attempt attempt(command);
    const QDeadlineTimer deadline(patienceMs);
    const QString here = unifiedPathOf(::getpid());
    QString scope = here;
    while (attempt.works() && (scope == here || !scope.endsWith(u".scope"_s))) {
        if (attempt.hasEnded(10))
            attempt.refuse(attempt.lastWords());
        else if (deadline.hasExpired())
            attempt.refuse(u"systemd-run makes no scope"_s);
        scope = unifiedPathOf(attempt.pid());
    }
    boundBelow(scope, attempt, found);
    return attempt.refusal();
}

QString inTheSecond(ControlGroups &found)
{
    QString refusal = u"not mounted"_s;
    for (const Place &place : placesOf(::getpid())) {
        if (!place.controllers.isEmpty())
            continue;
        for (QString parent = place.own; parent.size() >= place.top.size(); parent.truncate(parent.lastIndexOf(u'/'))) {
            Attempt attempt;
            const QString folder = parent + nameHere();
            attempt.make(folder);
            for (const QByteArray controller : {"memory", "pids"}) {
                // Given once they stay given, as they were by another program a moment later.
                if (attempt.works() && !contentOf(folder + u"/cgroup.controllers"_s).contains(controller))
                    attempt.write(parent + u"/cgroup.subtree_control"_s, '+' + controller);
            }
            attempt.offer(parent + u"/cgroup.subtree_control"_s, "+cpu");
            boundBelow(folder, attempt, found);
            if (attempt.works())
                return {};
            refusal = attempt.refusal();
        }
    }
    return refusal;
}

QString inTheFirst(ControlGroups &found)
{
    QByteArrayList wanted{"memory", "pids", "cpuacct"};
    Attempt attempt;
    QString memory, cpu;
    for (const Place &place : placesOf(::getpid())) {
        bool isWanted = place.controllers.contains("cpu");
        for (const QByteArray &controller : place.controllers)
            isWanted |= wanted.removeAll(controller) > 0;
        if (!isWanted)
            continue;
        const QString leaf = place.own + nameHere();
        attempt.make(leaf);
        if (place.controllers.contains("memory")) {
            memory = leaf;
            attempt.set(leaf + u"/memory.limit_in_bytes"_s, memoryBytes);
        }
        if (place.controllers.contains("cpu"))
            cpu = leaf;
        if (place.controllers.contains("pids"))
            attempt.set(leaf + u"/pids.max"_s, processes);
        attempt.moveTo(leaf);
    }
    note(found, cpu + u"/cpu.cfs_quota_us"_s, memory + u"/memory.memsw.limit_in_bytes"_s);
    if (!wanted.isEmpty())
        attempt.refuse(u"no hierarchy of "_s + QString::fromLatin1(wanted.join(", ")));
    return attempt.refusal();
}

ControlGroups lookForThem()
{
    QStringList refusals;
    const std::pair<const char *, QString (*)(ControlGroups &)> ways[] = {
        {"systemd", inAScope}, {"v2", inTheSecond}, {"v1", inTheFirst}};
    for (const auto &[name, tryIt] : ways) {
        ControlGroups found;
        const QString refusal = tryIt(found);
        if (refusal.isEmpty())
            return found;
        refusals.append(QLatin1StringView(name) + u": "_s + refusal);
    }
    const QString missing = u"this user can make no cgroup here ("_s + refusals.join(u"; "_s) + u')';
    return {missing, missing, missing};
}

} // namespace

const ControlGroups &controlGroups()
{
    static const ControlGroups found = lookForThem();
    return found;
}

} // namespace glovebox::test
