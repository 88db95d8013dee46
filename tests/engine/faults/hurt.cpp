// SPDX-License-Identifier: Apache-2.0
#include "hurt.h"
#include "tests/support/signals.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMultiHash>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace glovebox::test {

using namespace Qt::StringLiterals;

namespace {

constexpr int patienceMs = 30'000;
constexpr QLatin1StringView spawnerName("glovebox-spawne"); // cut by the kernel

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The fields of /proc/PID/stat after the name, which may hold anything: state, parent, ...
QByteArrayList statOf(qint64 pid)
{
    const QByteArray stat = contentOf(u"/proc/%1/stat"_s.arg(pid));
    return stat.mid(stat.lastIndexOf(')') + 2).split(' ');
}

QString nameOf(qint64 pid)
{
    return QString::fromUtf8(contentOf(u"/proc/%1/comm"_s.arg(pid)).trimmed());
}

// Other programs mount things meanwhile, too; what is ours has our name or is below our folder.
QByteArrayList mountsWith(const QString &folder)
{
    QByteArrayList found;
    for (const QByteArray &mount : contentOf(u"/proc/self/mountinfo"_s).split('\n')) {
        if (mount.contains("glovebox") || mount.contains(folder.toUtf8()))
            found.append(mount);
    }
    return found;
}

QStringList controlGroupsOf(const QString &engine)
{
    QStringList found;
    QDirIterator groups(u"/sys/fs/cgroup"_s, QDir::Dirs | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (groups.hasNext()) {
        if (const QString group = groups.next(); group.contains(engine))
            found.append(group);
    }
    return found;
}

} // namespace

QList<qint64> descendantsOf(qint64 pid)
{
    QMultiHash<qint64, qint64> children;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        const qint64 child = entry.toLongLong();
        const QByteArrayList stat = child > 0 ? statOf(child) : QByteArrayList();
        if (stat.size() > 1 && stat[0] != "Z")
            children.insert(stat[1].toLongLong(), child);
    }
    QList<qint64> found = children.values(pid);
    for (qsizetype i = 0; i < found.size(); ++i)
        found += children.values(found[i]);
    return found;
}

int descriptorsOf(qint64 pid)
{
    return int(
        QDir(u"/proc/%1/fd"_s.arg(pid)).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System).size());
}

int settledDescriptorsOf(qint64 pid)
{
    constexpr int pauseMs = 10;
    constexpr int quietLooks = 50;
    const QDeadlineTimer deadline(patienceMs);
    int count = descriptorsOf(pid);
    for (int same = 0; same < quietLooks && !deadline.hasExpired(); ++same) {
        ::usleep(pauseMs * 1000);
        if (const int now = descriptorsOf(pid); now != count) {
            count = now;
            same = 0;
        }
    }
    return count;
}

qint64 residentKibOf(qint64 pid)
{
    return contentOf(u"/proc/%1/statm"_s.arg(pid)).split(' ').value(1).toLongLong() * ::getpagesize() / 1024;
}

Household::Household()
    : m_mounts(mountsWith(m_home.path()))
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool Household::startEngine(const QStringList &wrapper)
{
    QDir().mkpath(m_home.filePath(u"tmp"_s));
    m_heard.clear();
    m_engine = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"GLOVEBOX_HOME"_s, m_home.path());
    environment.insert(u"TMPDIR"_s, m_home.filePath(u"tmp"_s));
    m_engine->setProcessEnvironment(environment);
    m_engine->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QStringList command = wrapper;
    command.append(QStringLiteral(GLOVEBOX_FAULT_ENGINE));
    m_engine->start(command.takeFirst(), command);
    const QByteArray ready = hear("ready ");
    if (!ready.isEmpty())
        m_engines.append(QString::fromUtf8(ready.mid(6)));
    return !ready.isEmpty();
}

void Household::say(const QByteArray &command)
{
    m_engine->write(command + '\n');
    m_engine->waitForBytesWritten();
}

QByteArray Household::hear(const QByteArray &start)
{
    const QDeadlineTimer deadline(patienceMs);
    for (;;) {
        const qsizetype end = m_heard.indexOf('\n');
        if (end >= 0) {
            const QByteArray line = m_heard.left(end);
            m_heard.remove(0, end + 1);
            if (line.startsWith(start))
                return line;
            continue;
        }
        const bool more = m_engine->waitForReadyRead(int(deadline.remainingTime()));
        m_heard += m_engine->readAllStandardOutput();
        if (!more && !m_heard.contains('\n'))
            return {};
    }
}

qint64 Household::engine() const
{
    for (const qint64 pid : descendantsOf(::getpid())) {
        if (nameOf(pid) == u"fault-engine")
            return pid;
    }
    return 0;
}

qint64 Household::spawner() const
{
    for (const qint64 pid : descendantsOf(::getpid())) {
        if (nameOf(pid) == spawnerName)
            return pid;
    }
    return 0;
}

QList<qint64> Household::inits() const
{
    QList<qint64> found;
    const qint64 parent = spawner();
    for (const qint64 pid : parent ? descendantsOf(parent) : QList<qint64>()) {
        const QString name = nameOf(pid); // a spare begins with the spawner's
        if (statOf(pid).value(1).toLongLong() == parent && name != spawnerName && name != u"glovebox-spare")
            found.append(pid);
    }
    return found;
}

bool Household::isEngineAlone() const
{
    return std::ranges::all_of(descendantsOf(::getpid()), [engine = engine()](qint64 pid) {
        return pid == engine || nameOf(pid) == u"glovebox-looker"; // which goes with it
    });
}

void Household::endEngine()
{
    m_engine->closeWriteChannel();
    m_engine->waitForFinished(patienceMs);
}

void Household::killEngine()
{
    sendSignal(engine(), SIGKILL);
    m_engine->waitForFinished(patienceMs);
}

QStringList Household::controlGroups() const
{
    QStringList all;
    for (const QString &engine : m_engines)
        all += controlGroupsOf(engine);
    return all;
}

QString Household::leftBehind(Cleaner cleaner)
{
    m_engine.reset();
    QStringList left;
    const QDeadlineTimer deadline(2000);
    do {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) { } // orphans that became ours
        left.clear();
        for (const qint64 pid : descendantsOf(::getpid()))
            left.append(u"process %1 (%2)"_s.arg(pid).arg(nameOf(pid)));
        for (const QByteArray &mount : mountsWith(m_home.path())) {
            if (!m_mounts.contains(mount))
                left.append(u"mount "_s + QString::fromUtf8(mount));
        }
        for (const QString &group : cleaner == Cleaner::Itself ? controlGroups() : QStringList())
            left.append(u"control group "_s + group);
        if (!left.isEmpty())
            ::usleep(10'000);
    } while (!left.isEmpty() && !deadline.hasExpired());
    for (const QString &file : QDir(m_home.filePath(u"tmp"_s)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot))
        left.append(u"file tmp/"_s + file);
    for (const QString &file :
         QDir(m_home.filePath(u"run"_s)).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot))
        left.append(u"file run/"_s + file);
    return left.join(u", "_s);
}

} // namespace glovebox::test
