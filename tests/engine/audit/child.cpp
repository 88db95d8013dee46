// SPDX-License-Identifier: Apache-2.0
// audit-child ROLE FILE [ARGUMENT]: a program of its own that uses the log, for the tests. It prints one fact a line.
#include "fixture.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#ifdef Q_OS_LINUX
#include <sched.h>
#include <sys/mount.h>
#endif

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

// Unbuffered: what was said was said, also when the next moment is the last.
void say(const QString &line)
{
    const QByteArray bytes = line.toUtf8() + '\n';
    if (::write(STDOUT_FILENO, bytes.constData(), size_t(bytes.size())) != bytes.size())
        ::_exit(9);
}

// An engine: holds its lock, and accepts and finishes runs until it is killed. Says which it opened and closed. Every third
// stays open.
int live(const QString &file, const QString &folder)
{
    const QString engine = newId(Clock::system());
    const auto lock = FileLock::create(folder + u'/' + engine + QStringLiteral(".lock"));
    auto log = AuditLog::open(file, engine, Clock::system());
    if (!lock || !log)
        return 2;
    if (!(*log)->recover(folder))
        return 3;
    for (int i = 0;; ++i) {
        const QString run = newId(Clock::system());
        if (!append(**log, accepted(run)))
            return 4;
        say(u"open "_s + run);
        if (i % 3 == 0)
            continue;
        if (!append(**log, finished(run)))
            return 5; // somebody closed the run of an engine that lives
        say(u"closed "_s + run);
    }
}

// Holds its lock with one open run, until its input ends.
int hold(const QString &file, const QString &folder)
{
    const QString engine = newId(Clock::system());
    const auto lock = FileLock::create(folder + u'/' + engine + QStringLiteral(".lock"));
    auto log = AuditLog::open(file, engine, Clock::system());
    const QString run = newId(Clock::system());
    if (!lock || !log || !append(**log, accepted(run)))
        return 2;
    say(run);
    char byte = 0;
    std::ignore = ::read(STDIN_FILENO, &byte, 1);
    say(append(**log, finished(run)) ? u"finished"_s : u"lost"_s);
    return 0;
}

// Appends until the disk is full, makes room, appends again.
int fill(const QString &file, const std::function<void()> &makeRoom)
{
    auto log = AuditLog::open(file, u"engine"_s, Clock::system());
    if (!log) {
        say(QString::fromUtf8(why(log)));
        return 2;
    }
    AcceptedEntry entry = accepted({});
    entry.caller.claimed = QString(20'000, u'x');
    for (int i = 0; i < 10'000; ++i) {
        entry.run = u"run-%1"_s.arg(i);
        const auto receipt = append(**log, entry);
        if (receipt)
            continue;
        const bool isFull = receipt.error().code == ErrorCode::Full;
        say(isFull ? u"full after %1"_s.arg(i) : QString::fromUtf8(why(receipt)));
        const auto told = (*log)->failure();
        makeRoom();
        const bool isOver = !(*log)->failure();
        say(!isOver ? u"told too long"_s : told && told->code == ErrorCode::Full ? u"told"_s : u"not told"_s);
        const auto next = append(**log, entry);
        say(next ? u"goes on"_s : QString::fromUtf8(why(next)));
        return 0;
    }
    say(u"never full"_s);
    return 0;
}

int fillByLimit(const QString &file)
{
    struct rlimit before = {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small = {512 * 1024, before.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    return fill(file, [&] { ::setrlimit(RLIMIT_FSIZE, &before); });
}

bool write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write(text) == text.size();
}

// Is the folder from now on, for this process alone. False: this machine gives no user namespace for that.
bool mountSmallDisk([[maybe_unused]] const QString &folder, [[maybe_unused]] const char *options)
{
#ifdef Q_OS_LINUX
    const QByteArray uid = QByteArray::number(::geteuid());
    const QByteArray gid = QByteArray::number(::getegid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write(u"/proc/self/setgroups"_s, "deny")
        && write(u"/proc/self/uid_map"_s, "0 " + uid + " 1") && write(u"/proc/self/gid_map"_s, "0 " + gid + " 1")
        && ::mount("tmpfs", QFile::encodeName(folder).constData(), "tmpfs", 0, options) == 0)
        return true;
#endif
    say(u"no disk of its own"_s);
    return false;
}

int fillSmallDisk(const QString &file)
{
    const QString folder = QFileInfo(file).path();
    if (!mountSmallDisk(folder, "size=1m,mode=700"))
        return 0;
    const QString ballast = folder + u"/ballast"_s;
    if (!write(ballast, QByteArray(400 * 1024, 'x')))
        return 2;
    return fill(file, [&ballast] { QFile::remove(ballast); });
}

// To the last byte.
void fillUp(const QString &path)
{
    QFile ballast(path);
    if (!ballast.open(QIODevice::WriteOnly | QIODevice::Unbuffered))
        return;
    for (const int size : {65'536, 4'096, 1}) {
        while (ballast.write(QByteArray(size, 'x')) == size) { }
    }
}

// A deletion is recorded with no byte left, by a program that had the log open and by one that opens it then; a run isn't.
int deleteOnFullDisk(const QString &file)
{
    const QString folder = QFileInfo(file).path();
    if (!mountSmallDisk(folder, "size=16m,mode=700"))
        return 0;
    const QString ballast = folder + u"/ballast"_s;
    auto log = AuditLog::open(file, u"engine"_s, Clock::system());
    if (!log || !append(**log, accepted(u"first"_s)))
        return 2;
    for (const bool opensAgain : {false, true}) {
        (*log)->settle();
        if (opensAgain)
            log->reset();
        fillUp(ballast);
        if (opensAgain)
            log = AuditLog::open(file, u"engine"_s, Clock::system());
        if (!log) {
            say(QString::fromUtf8(why(log)));
            return 2;
        }
        AcceptedEntry large = accepted(u"large-%1"_s.arg(opensAgain));
        large.caller.claimed = QString(200'000, u'x');
        const auto run = append(**log, large);
        say(run ? u"run"_s : u"no run %1"_s.arg(run.error().code == ErrorCode::Full));
        const auto deleted = (*log)->appendNow({.kind = toString(EntryKind::SessionDeleted), .fields = {}});
        say(deleted ? u"deleted"_s : QString::fromUtf8(why(deleted)));
        const auto small = append(**log, accepted(u"small-%1"_s.arg(opensAgain)));
        say(small ? u"run"_s : u"no run %1"_s.arg(small.error().code == ErrorCode::Full));
        say((*log)->failure() ? u"told"_s : u"not told"_s);
        QFile::remove(ballast);
        const auto next = append(**log, accepted(u"next-%1"_s.arg(opensAgain)));
        say(next ? u"goes on"_s : QString::fromUtf8(why(next)));
        say((*log)->failure() ? u"told too long"_s : u"over"_s);
    }
    return 0;
}

// What a user without the right to write finds. Root becomes somebody else first.
int look(const QString &file)
{
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
        return 2;
    const auto log = AuditLog::open(file, u"engine"_s, Clock::system());
    say(log ? u"writable"_s : u"%1 %2"_s.arg(int(log.error().code)).arg(log.error().message.english()));
    const auto reader = AuditReader::open(file);
    if (!reader) {
        say(QString::fromUtf8(why(reader)));
        return 0;
    }
    for (;;) {
        const auto rows = (*reader)->runs({});
        const auto version = (*reader)->dataVersion();
        say(rows && version ? u"runs %1 version %2"_s.arg(rows->size()).arg(*version) : QString::fromUtf8(why(rows)));
        char byte = 0;
        if (::read(STDIN_FILENO, &byte, 1) <= 0)
            return 0;
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const QByteArrayView role = argv[1];
    const QString file = QFile::decodeName(argv[2]);
    if (role == "live" && argc > 3)
        return live(file, QFile::decodeName(argv[3]));
    if (role == "hold" && argc > 3)
        return hold(file, QFile::decodeName(argv[3]));
    if (role == "fill-limit")
        return fillByLimit(file);
    if (role == "fill-disk")
        return fillSmallDisk(file);
    if (role == "delete")
        return deleteOnFullDisk(file);
    if (role == "look")
        return look(file);
    return 2;
}
