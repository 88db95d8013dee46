// SPDX-License-Identifier: Apache-2.0
// Cases 01 to 16: files of the host.
#include "tests/containment/field.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace containment {

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QString markerName()
{
    return u".glovebox-"_s + QString::fromLatin1(newToken());
}

bool readsHome(Field &field)
{
    const QString home = homeFolder();
    const Canary loose(home + u'/' + markerName());
    const Canary keys(home + u"/.ssh/"_s + markerName(), 0600);
    const Canary cloud(home + u"/.aws/"_s + markerName(), 0600);
    const auto attempt = field.start({.deed = "read", .words = {loose.path(), keys.path(), cloud.path()}});
    attempt->finish();
    const QByteArray said = attempt->output();
    return said.contains(loose.text()) || said.contains(keys.text()) || said.contains(cloud.text());
}

// What is in the host's files, and not in the ones that are made up for a run.
bool readsAccounts(Field &field)
{
    QByteArrayList secrets;
    for (const QString &path : {u"/etc/shadow"_s, u"/etc/machine-id"_s, u"/etc/passwd"_s, u"/etc/fstab"_s}) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        for (const QByteArray &line : file.readAll().split('\n')) {
            if (line.size() > 20 && !line.startsWith("root:x:") && !line.startsWith("nobody:x:65534:"))
                secrets.append(line);
        }
    }
    const auto attempt = field.start(
        {.deed = "read",
         .words = {"/etc/shadow", "/etc/machine-id", "/etc/passwd", "/etc/fstab", "/proc/1/root/etc/shadow"}});
    attempt->finish();
    const QByteArray said = attempt->output();
    return std::ranges::any_of(secrets, [&](const QByteArray &secret) { return said.contains(secret); });
}

bool writesOutside(Field &field)
{
    const QString name = markerName();
    QByteArrayList paths{QFile::encodeName(homeFolder() + u'/' + name), field.inFolder(name.toLatin1())};
    if (field.isSealed()) { // where it must not work: a control would leave files in system folders
        for (const char *folder :
             {"/", "/usr/", "/usr/bin/", "/usr/local/", "/etc/", "/var/", "/run/", "/bin/", "/opt/"})
            paths.append(folder + name.toLatin1());
    }
    const auto attempt = field.start({.deed = "create", .words = paths});
    attempt->finish();
    bool found = false;
    for (const QByteArray &path : paths) {
        if (QFile::exists(QFile::decodeName(path))) {
            found = true;
            QFile::remove(QFile::decodeName(path));
        }
    }
    return found;
}

bool readsThrough(Field &field, const QByteArrayList &ways)
{
    const Canary canary(homeFolder() + u'/' + markerName());
    QByteArrayList paths;
    for (const QByteArray &way : ways)
        paths.append(way + canary.path());
    return field.reveals({.deed = "read", .words = paths}, canary.text());
}

bool readsThroughFirstProcess(Field &field)
{
    const QByteArray parent = field.isSealed() ? "1" : QByteArray::number(::getpid());
    return readsThrough(field, {"/proc/" + parent + "/root", "/proc/" + parent + "/cwd/../../../../../..",
                                "/proc/" + parent + "/task/" + parent + "/root"});
}

bool readsThroughAliases(Field &field)
{
    return readsThrough(field, {"/proc/self/root", "/proc/thread-self/root", "/proc/self/cwd/../../../../../..",
                                "/proc/self/fd/../root", "../../../../../../../../../..", "/dev/fd/../../root",
                                "/usr/../..", "/proc/self/root/proc/self/root/.."});
}

bool writesThroughLink(Field &field)
{
    const QByteArray target = QFile::encodeName(homeFolder() + u'/' + markerName());
    const auto attempt = field.start({.deed = "write-through-link", .words = {target}});
    attempt->finish();
    QFile file(QFile::decodeName(target));
    const bool found = file.exists();
    file.remove();
    return found;
}

bool findsDescriptors(Field &field)
{
    const Canary canary(homeFolder() + u'/' + markerName());
    // Open in the engine's process, and not close-on-exec.
    const UniqueFd open(::open(canary.path().constData(), O_RDONLY));
    const UniqueFd far(::fcntl(open.get(), F_DUPFD, 200));
    for (const QByteArray &language : QByteArrayList{"bash", "python", "node"}) {
        const auto attempt = field.hold({.deed = "read-descriptors", .language = language});
        if (!attempt)
            return false;
        for (const qint64 pid : attempt->processes()) {
            for (const QByteArray &what : descriptorsOf(pid)) {
                if (what.startsWith("socket:") || what == canary.path() || what.startsWith("/memfd:glovebox")) {
                    field.note(u"%1 inherits %2"_s.arg(QString::fromLatin1(language), QString::fromLocal8Bit(what)));
                    return true;
                }
            }
        }
        attempt->finish();
        if (attempt->output().contains(canary.text()))
            return true;
        if (!field.isSealed())
            break;
    }
    return false;
}

// su waits for the password with the rights that the set-user-id bit gave it.
bool gainsFromSetId(Field &field)
{
    const auto attempt = field.start({.deed = "execute", .words = {"/usr/bin/su", "-c", "true"}, .unprivileged = true});
    bool gained = false;
    const auto look = [&] {
        for (const qint64 pid : descendantsOf(::getpid())) {
            if (!procFile(pid, "cmdline").startsWith("/usr/bin/su"))
                continue;
            const QByteArray effective = statusField(pid, "Uid").split(' ').value(1);
            if (effective == "0" || statusField(pid, "CapEff") != "0000000000000000")
                gained = true;
        }
        return gained || attempt->hasEnded();
    };
    waitFor(look, std::chrono::milliseconds(300));
    return gained;
}

bool changesMounts(Field &field, const QByteArray &deed)
{
    const auto plain = field.hold({.deed = "read", .namespaces = true});
    const auto attempt = plain ? field.hold({.deed = deed, .namespaces = true}) : nullptr;
    if (!attempt)
        return false;
    // Ids differ from one namespace to the next; what is mounted where, and how, must not.
    const auto mountsOf = [](const QList<qint64> &pids) {
        QByteArrayList mounts;
        for (const QByteArray &line : procFile(pids.isEmpty() ? 0 : pids.last(), "mountinfo").split('\n')) {
            const QByteArrayList fields = line.split(' ');
            mounts.append(fields.value(3) + ' ' + fields.value(4) + ' ' + fields.value(5));
        }
        return mounts;
    };
    const QList<qint64> pids = attempt->processes();
    if (pids.isEmpty())
        return false;
    for (const qint64 pid : pids) {
        if (const QByteArrayList detached = detachedMounts(pid); !detached.isEmpty()) {
            field.note(u"a mount of its own: "_s + QString::fromLocal8Bit(detached.first()));
            return true;
        }
    }
    return mountsOf(pids) != mountsOf(plain->processes());
}

bool changesMountTable(Field &field)
{
    return changesMounts(field, "change-mounts");
}

bool usesMountApi(Field &field)
{
    return changesMounts(field, "mount-api");
}

bool usesNewCalls(Field &field)
{
    return changesMounts(field, "new-calls");
}

bool makesDevices(Field &field)
{
    const auto attempt = field.hold({.deed = "make-device"});
    if (!attempt)
        return false;
    for (const qint64 pid : attempt->processes()) {
        const QByteArray folder =
            field.isSealed() ? "/proc/" + QByteArray::number(pid) + "/root/work" : field.inFolder("");
        for (const char *name : {"/disk", "/memory"}) {
            struct stat info = {};
            if (::lstat((folder + name).constData(), &info) == 0 && (S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode)))
                return true;
        }
    }
    return false;
}

bool opensKernelSettings(Field &field)
{
    const QByteArrayList paths{"/proc/sys/kernel/core_pattern",
                               "/proc/sys/kernel/modprobe",
                               "/proc/sys/vm/overcommit_memory",
                               "/proc/sys/user/max_user_namespaces",
                               "/proc/sysrq-trigger",
                               "/proc/self/oom_score_adj",
                               "/proc/self/mem",
                               "/proc/self/uid_map",
                               "/proc/1/oom_score_adj",
                               "/sys/fs/cgroup/release_agent",
                               "/sys/fs/cgroup/cgroup.procs",
                               "/sys/fs/cgroup/memory/cgroup.procs",
                               "/sys/kernel/uevent_helper",
                               "/sys/power/state",
                               "/dev/mem",
                               "/dev/kmsg"};
    const auto attempt = field.hold({.deed = "open-for-writing", .words = paths});
    if (!attempt)
        return false;
    for (const qint64 pid : attempt->processes()) {
        for (const QByteArray &what : descriptorsOf(pid)) {
            if (what.startsWith("/proc/") || what.startsWith("/sys/") || what.startsWith("/dev/")) {
                // Its own terminal, in its own devpts: case 10b looks whose.
                if (what == "/dev/null" || (field.hasTerminal() && what.startsWith("/dev/pts/")))
                    continue;
                field.note(u"open for writing: "_s + QString::fromLocal8Bit(what));
                return true;
            }
        }
    }
    return false;
}

bool leavesFilesForTheNextRun(Field &field)
{
    const QByteArray name = newToken();
    const QByteArrayList places{"/tmp", "/dev/shm", "/work", "/var/tmp", "."};
    field.start({.deed = "leave", .words = QByteArrayList{name} + places})->finish();
    const bool seen = field.reveals({.deed = "list", .words = places}, name);
    for (const char *place : {"/tmp/", "/dev/shm/", "/var/tmp/", "/work/"}) // of the control
        ::unlink((place + name).constData());
    return seen;
}

// By the ways on which files of the host are looked for, and by the name that its content has in the store.
bool readsAnotherSession(Field &field)
{
    const QByteArray secret = newToken();
    QByteArrayList paths{field.inFolder("session")}; // of the control
    QString other;
    if (field.isSealed()) {
        Engine &engine = field.engine();
        const auto made = engine.createSession({}, engine.caller());
        const auto filled = made ? engine.changeSession(made->id, WriteFile{"secret", secret}, engine.caller()) : made;
        if (!filled) {
            field.note(filled.error().message.english());
            return false;
        }
        other = made->id;
        paths = {"secret", "/work/secret", "../secret"};
        bool isThere = false;
        QDirIterator files(engine.paths().sessionsFolder() + u'/' + other, QDir::Files | QDir::Hidden,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            isThere = isThere || (file.open(QIODevice::ReadOnly) && file.readAll().contains(secret));
            const QByteArray path = QFile::encodeName(file.fileName());
            paths += {path, "/proc/1/root" + path, "/proc/self/root" + path, "/work/../../.." + path};
        }
        if (!isThere)
            field.note(u"the other session's file isn't where it is looked for"_s);
    } else {
        QFile file(QFile::decodeName(paths.first()));
        if (!file.open(QIODevice::WriteOnly) || file.write(secret) != secret.size())
            field.note(file.errorString());
    }
    const bool isRead = field.reveals({.deed = "read", .words = paths}, secret);
    if (!other.isEmpty())
        static_cast<void>(field.engine().deleteSession(other, field.engine().caller()));
    return isRead;
}

// CVE-2019-5736
bool overwritesPrograms(Field &field)
{
    if (field.isSealed()) {
        const auto attempt = field.start({.deed = "overwrite-programs"});
        attempt->finish();
        QFile program(QStringLiteral(GLOVEBOX_LIBEXEC "/glovebox-spawner"));
        if (!program.open(QIODevice::ReadOnly) || program.readAll().contains(attempt->token()))
            return true;
        // The one in memory serves every later run.
        return !field.reveals({.deed = "list", .words = {"/"}}, "usr");
    }
    // A stand-in for a launcher that isn't a sealed copy.
    const QByteArray copy = field.inFolder("launcher");
    QFile::copy(QFile::decodeName(attackProgram()), QFile::decodeName(copy));
    ::chmod(copy.constData(), 0777);
    const QByteArray mark = newToken();
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(copy.constData(), "launcher", mark.constData(), "wait", nullptr);
        ::_exit(1);
    }
    waitFor([&] { return !processesWith(mark).isEmpty(); });
    const auto attempt = field.start({.deed = "overwrite-programs", .words = {QByteArray::number(child)}});
    attempt->finish();
    for (const qint64 pid : processesWith(mark))
        sendSignal(pid, SIGKILL);
    ::waitpid(child, nullptr, 0);
    QFile program(QFile::decodeName(copy));
    return program.open(QIODevice::ReadOnly) && program.readAll().contains(attempt->token());
}

// Looks for the text in the files kept of a sealed run; raw, in all that lies in its folder, as it would be copied.
// Waits two seconds at most.
bool isCollected(Field &field, const Attempt &attempt, const QByteArray &text)
{
    const auto found = [&] {
        if (!field.isSealed()) {
            for (const QFileInfo &entry : QDir(field.folder()).entryInfoList(QDir::Files)) {
                QFile file(entry.filePath());
                if (file.open(QIODevice::ReadOnly) && file.readAll().contains(text))
                    return true;
            }
            return false;
        }
        const auto artifacts = attempt.result()->artifacts;
        return std::ranges::any_of(artifacts, [&](const Artifact &artifact) {
            return field.engine().store().get(artifact.digest).value_or(QByteArray()).contains(text);
        });
    };
    return field.isSealed() ? found() : waitFor(found);
}

bool collectsLinkedFile(Field &field)
{
    const Canary canary(homeFolder() + u'/' + markerName());
    const auto attempt = field.start({.deed = "leave-traps", .words = {canary.path()}});
    attempt->finish();
    if (field.isSealed() && attempt->result()->artifacts.size() != 3)
        field.note(u"%1 files were collected"_s.arg(attempt->result()->artifacts.size()));
    return isCollected(field, *attempt, canary.text());
}

// Below a folder where the files of a run were saved: what is no file or folder, and names that reach a terminal.
bool savesOddEntries(Field &field)
{
    const Canary canary(homeFolder() + u'/' + markerName());
    const auto attempt = field.start({.deed = "leave-traps", .words = {canary.path()}});
    attempt->finish();
    QString folder = field.folder();
    if (field.isSealed()) {
        folder = field.home() + u"/saved"_s;
        const auto saved = saveArtifacts(field.engine().store(), attempt->result()->artifacts, folder);
        if (!saved || saved->saved != 3)
            field.note(u"not everything was saved"_s);
    }
    bool isOdd = false;
    for (const QFileInfo &entry :
         QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot))
        isOdd = isOdd || entry.isSymLink() || !entry.isFile() || entry.fileName().contains(u'\n')
                || entry.fileName().contains(u'\x1b');
    return isOdd;
}

bool collectsSwappedFile(Field &field)
{
    const Canary canary(homeFolder() + u'/' + markerName());
    for (int i = 0; i < (field.isSealed() ? 10 : 1); ++i) {
        const auto attempt = field.start({.deed = "swap-links", .words = {canary.path()}});
        attempt->finish();
        if (isCollected(field, *attempt, canary.text()))
            return true;
    }
    return false;
}

} // namespace

const QList<Case> fileCases{
    {"01", "read keys in the real home (~/.ssh, ~/.aws)", readsHome},
    {"02", "read /etc/shadow and other accounts", readsAccounts},
    {"03", "write to /, /usr, /etc, home", writesOutside},
    {"04", "through /proc/1/root and /proc/1/cwd", readsThroughFirstProcess},
    {"05", "through /proc/self/root and chains of ..", readsThroughAliases},
    {"06", "write through a link that leaves the workspace", writesThroughLink},
    {"07", "artifact is a link to a host file", collectsLinkedFile},
    {"08", "artifact is a hard link, FIFO, odd name", savesOddEntries},
    {"09", "artifact swapped while it is collected", collectsSwappedFile},
    {"10", "inherited descriptors (bash, python, node)", findsDescriptors},
    {"11", "set-user-id programs", gainsFromSetId},
    {"12", "remount, umount /proc, bind over /usr", changesMountTable},
    {"13", "mknod of a block device", makesDevices},
    {"14", "open core_pattern, sysrq, cgroup, own limits for writing", opensKernelSettings},
    {"15", "files in /tmp, /dev/shm, /work seen by the next run", leavesFilesForTheNextRun},
    {"15b", "files of another session", readsAnotherSession},
    {"16", "overwrite the launcher through /proc/*/exe", overwritesPrograms},
    {"19", "the new mount API", usesMountApi},
    {"68", "new system call numbers (open_tree_attr and beyond)", usesNewCalls},
};

} // namespace containment
