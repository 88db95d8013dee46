// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QDirIterator>
#include <QFile>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <memory>

namespace glovebox {

namespace {

using FileId = std::pair<dev_t, ino_t>;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList threadsOf(const QString &process)
{
    QStringList threads;
    QDirIterator all(process + QStringLiteral("/task"), QDir::Dirs | QDir::NoDotAndDotDot);
    while (all.hasNext())
        threads.append(all.next());
    return threads;
}

QString factsOf(pid_t process)
{
    return QStringLiteral("/proc/%1").arg(process);
}

// The first one before those below it.
std::vector<pid_t> processesFrom(pid_t init)
{
    std::vector<pid_t> tree{init};
    std::set<pid_t> known{init};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        // Any thread may have forked; what a thread forked is a child of its process all the same, but listed with the thread.
        for (const QString &thread : threadsOf(factsOf(tree[i]))) {
            for (const QByteArray &child : contentOf(thread + QStringLiteral("/children")).split(' ')) {
                const pid_t pid = child.trimmed().toInt();
                if (pid > 0 && known.insert(pid).second)
                    tree.push_back(pid);
            }
        }
    }
    return tree;
}

// proc(5), stat: state and parent stand behind the name, which may have anything in it.
QByteArrayList statusOf(const QString &thread)
{
    const QByteArray stat = contentOf(thread + QStringLiteral("/stat"));
    return stat.mid(stat.lastIndexOf(')') + 2).split(' ');
}

// By a process and those below it that are gone; proc(5), io.
qint64 writtenBy(const QString &process)
{
    for (const QByteArray &line : contentOf(process + QStringLiteral("/io")).split('\n')) {
        if (line.startsWith("write_bytes:"))
            return line.sliced(12).trimmed().toLongLong();
    }
    return 0;
}

class NamelessFiles
{
public:
    explicit NamelessFiles(const std::set<dev_t> &fileSystems)
        : m_fileSystems(fileSystems)
    {
    }

    // Each thread may have descriptors of its own.
    void lookAt(const QString &thread)
    {
        const QString path = thread + QStringLiteral("/fd");
        const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(QFile::encodeName(path).constData()), &::closedir);
        if (!folder) {
            m_isWhole = m_isWhole && (errno == ENOENT || errno == ESRCH);
            return;
        }
        while (const dirent *entry =
                   ::readdir(folder.get())) { // NOLINT(concurrency-mt-unsafe): of one thread's own stream
            struct stat info = {};
            if (entry->d_name[0] == '.' || ::fstatat(::dirfd(folder.get()), entry->d_name, &info, 0) != 0)
                continue;
            constexpr qint64 block = 512; // stat(2), st_blocks
            if (S_ISREG(info.st_mode) && info.st_nlink == 0 && m_fileSystems.contains(info.st_dev))
                m_open[{info.st_dev, info.st_ino}] = info.st_blocks * block;
            else if (S_ISSOCK(info.st_mode))
                m_isWhole =
                    m_isWhole
                    && !hasFilesUnderWay(thread + QStringLiteral("/fdinfo/") + QLatin1StringView(entry->d_name));
        }
        noteMapped(thread);
    }

    std::optional<qint64> bytes() const
    {
        for (const FileId &file : m_mapped) {
            if (!m_open.contains(file))
                return std::nullopt;
        }
        qint64 sum = 0;
        for (const auto &[file, bytes] : m_open)
            sum += bytes;
        return m_isWhole ? std::optional(sum) : std::nullopt;
    }

private:
    static bool hasFilesUnderWay(const QString &info)
    {
        for (const QByteArray &line : contentOf(info).split('\n')) {
            if (line.startsWith("scm_fds:"))
                return line.sliced(8).trimmed() != "0";
        }
        return false;
    }

    // proc(5), maps: address perms offset dev inode path.
    void noteMapped(const QString &thread)
    {
        for (const QByteArray &line : contentOf(thread + QStringLiteral("/maps")).split('\n')) {
            if (!line.endsWith(" (deleted)"))
                continue;
            const QByteArrayList fields = line.split(' ');
            const QByteArrayList device = fields.value(3).split(':');
            const dev_t number = ::makedev(device.value(0).toUInt(nullptr, 16), device.value(1).toUInt(nullptr, 16));
            if (m_fileSystems.contains(number))
                m_mapped.insert({number, fields.value(4).toULongLong()});
        }
    }

    const std::set<dev_t> &m_fileSystems;
    std::map<FileId, qint64> m_open;
    std::set<FileId> m_mapped;
    bool m_isWhole = true;
};

} // namespace

std::vector<pid_t> processesBelow(pid_t init)
{
    std::vector<pid_t> processes = processesFrom(init);
    processes.erase(processes.begin());
    return processes;
}

QByteArray statesOfProcess(pid_t process)
{
    QByteArray states;
    for (const QString &thread : threadsOf(factsOf(process)))
        states += statusOf(thread).value(0);
    return states;
}

bool isToldToStop(pid_t process)
{
    quint64 pending = 0; // proc(5), status: bit 0 is signal 1
    for (const QByteArray &line : contentOf(factsOf(process) + QStringLiteral("/status")).split('\n')) {
        if (line.startsWith("SigPnd:") || line.startsWith("ShdPnd:"))
            pending |= line.sliced(7).trimmed().toULongLong(nullptr, 16);
    }
    return std::ranges::any_of(std::array{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU},
                               [&](int signal) { return (pending >> (signal - 1) & 1) != 0; });
}

QByteArray startOfProcess(pid_t process)
{
    constexpr qsizetype startTime = 19; // field 22, and the first one here is the third
    const QByteArrayList status = statusOf(factsOf(process));
    return status.value(0) == "Z" ? QByteArray() : status.value(startTime);
}

qint64 writtenBelow(pid_t init)
{
    qint64 bytes = 0;
    for (const pid_t process : processesFrom(init))
        bytes += writtenBy(factsOf(process));
    return bytes;
}

std::optional<qint64> namelessBelow(pid_t init, const std::set<dev_t> &fileSystems)
{
    NamelessFiles files(fileSystems);
    for (const pid_t process : processesBelow(init)) { // init holds nothing of the run's, and shows nobody what it has
        for (const QString &thread : threadsOf(factsOf(process)))
            files.lookAt(thread);
    }
    return files.bytes();
}

} // namespace glovebox
