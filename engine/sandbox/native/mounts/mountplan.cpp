// SPDX-License-Identifier: Apache-2.0
#include "mountplan.h"

#include "configuration.h"
#include "mounttable.h"
#include "watchedplaces.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

using namespace glovebox::launcher;
using Kind = MountStep::Kind;
using Access = PathRule::Access;

namespace glovebox::native {

namespace {

std::string linkTarget(const std::string &path)
{
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : std::string();
}

class Planner
{
public:
    explicit Planner(Plan &plan)
        : m_plan(plan)
    {
    }

    void folder(const std::string &target)
    {
        if (m_made.insert(target).second)
            step({.kind = Kind::Folder, .target = target});
    }

    // With its parents.
    void folders(const std::string &target)
    {
        if (target.empty())
            return;
        for (std::size_t at = target.find('/', 1); at != std::string::npos; at = target.find('/', at + 1))
            folder(target.substr(0, at));
        folder(target);
    }

    void file(const std::string &target, std::string_view content)
    {
        step({.kind = Kind::File, .target = target, .content = std::string(content)});
    }

    void symlink(const std::string &target, const std::string &content)
    {
        step({.kind = Kind::Symlink, .target = target, .content = content});
    }

    // False when the host doesn't have it.
    bool bind(const std::string &path, Kind kind = Kind::Bind)
    {
        struct stat info = {};
        if (::lstat(path.c_str(), &info) < 0 || S_ISLNK(info.st_mode))
            return false;
        if (const std::size_t slash = path.rfind('/'); slash > 0)
            folders(path.substr(0, slash));
        step({.kind = kind, .target = path, .source = path, .device = info.st_dev, .inode = info.st_ino});
        m_made.insert(path);
        return true;
    }

    // A symlink stays one when it leads to what is shown anyway; a real folder or file is shown as it is.
    // False when the host doesn't have it.
    bool mirror(const std::string &path, Access access)
    {
        if (const std::string target = linkTarget(path); !target.empty()) {
            folders(path.substr(0, path.rfind('/')));
            symlink(path, target);
            return true;
        }
        if (!bind(path))
            return false;
        rule(access, path);
        return true;
    }

    void rule(Access access, const std::string &path) { m_plan.rules.push_back({access, path}); }

    void scratch(const std::string &target, const char *name, MountStep::Use use = MountStep::Use::Shared)
    {
        step({.kind = Kind::Scratch, .use = use, .target = target, .content = name});
        rule(Access::Full, target);
    }

    void step(MountStep s) { m_plan.steps.push_back(std::move(s)); }

private:
    Plan &m_plan;
    std::set<std::string> m_made;
};

void planSystem(Planner &planner)
{
    planner.bind("/usr");
    planner.rule(Access::ReadExecute, "/usr");
    for (const char *path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"})
        planner.mirror(path, Access::ReadExecute);
}

// Made up, with the few of the host's files without which programs don't find libraries, alternatives, certificates or time.
void planConfiguration(Planner &planner)
{
    planner.folder("/etc");
    planner.rule(Access::Read, "/etc");
    for (const auto &[path, content] : configurationFiles)
        planner.file(path, content);
    planner.bind("/etc/ld.so.cache");
    planner.bind("/etc/alternatives");
    planner.bind("/etc/ca-certificates");
    planner.bind("/etc/pki/ca-trust");
    planner.mirror("/etc/localtime", Access::Read);
    planner.folder("/etc/ssl");
    planner.mirror("/etc/ssl/certs", Access::Read);
    planner.mirror("/etc/ssl/openssl.cnf", Access::Read);
}

// The kernel's keys are the user's, and their names tell which services a person uses. The others tell which machine this is, what
// it is made of and when somebody types; no program needs them to work.
constexpr const char *hiddenFiles[] = {
    "/proc/keys",       "/proc/key-users", "/proc/cmdline", "/proc/config.gz", "/proc/sys/kernel/random/boot_id",
    "/proc/interrupts", "/proc/softirqs",  "/proc/modules", "/proc/kallsyms",  "/proc/iomem",
    "/proc/ioports",    "/proc/diskstats", "/proc/mdstat",  "/proc/partitions"};
constexpr const char *hiddenFolders[] = {"/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver",
                                         "/proc/fs",   "/proc/irq",    "/proc/scsi"};

// When the devices are there.
void planProcesses(Planner &planner)
{
    planner.step({.kind = Kind::Proc, .target = "/proc"});
    planner.rule(Access::Proc, "/proc");
    struct stat empty = {};
    struct stat info = {};
    if (::lstat("/dev/null", &empty) < 0)
        return;
    for (const char *path : hiddenFiles) {
        if (::lstat(path, &info) == 0)
            planner.step({.kind = Kind::EmptyFile,
                          .target = path,
                          .source = "/dev/null",
                          .device = empty.st_dev,
                          .inode = empty.st_ino});
    }
    for (const char *path : hiddenFolders) {
        if (::lstat(path, &info) == 0)
            planner.step({.kind = Kind::EmptyFolder, .target = path});
    }
}

void planDevices(Planner &planner)
{
    planner.folder("/dev");
    for (const char *device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}) {
        planner.bind(device, Kind::Device);
        planner.rule(Access::Device, device);
    }
    planner.step({.kind = Kind::Pts, .target = "/dev/pts"});
    planner.rule(Access::Full, "/dev/pts");
    planner.symlink("/dev/ptmx", "pts/ptmx");
    planner.symlink("/dev/fd", "/proc/self/fd");
    planner.symlink("/dev/stdin", "/proc/self/fd/0");
    planner.symlink("/dev/stdout", "/proc/self/fd/1");
    planner.symlink("/dev/stderr", "/proc/self/fd/2");
    planner.scratch("/dev/shm", "shm");
}

bool isBind(Kind kind)
{
    return kind == Kind::Bind || kind == Kind::Granted || kind == Kind::GrantedWritable;
}

// Mounts of the host below what is bound come along (leaving them out could show what they cover), so init expects them.
// Where they can't be told, init finds mounts that were not planned, and refuses.
void noteSubmounts(Plan &plan)
{
    const auto mounts = readMounts();
    for (const Mount &mount : *mounts) {
        for (const MountStep &step : plan.steps) {
            if (!isBind(step.kind) || mount.point == step.source || !isAtOrBelow(mount.point, step.source))
                continue;
            const std::string point = step.target + mount.point.substr(step.source.size());
            const bool own = std::ranges::any_of(plan.steps, [&](const MountStep &s) { return s.target == point; });
            if (own)
                continue;
            (step.kind == Kind::GrantedWritable ? plan.writableSubmounts : plan.submounts).push_back(point);
        }
    }
}

Status checkTarget(const QString &path, const QStringList &runtimes)
{
    const std::string target = QFile::encodeName(path).toStdString();
    for (const QString &runtime : runtimes) {
        const std::string taken = QFile::encodeName(runtime).toStdString();
        if (isAtOrBelow(taken, target) || isAtOrBelow(target, taken))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "Inside, \"%1\" would lie over %2, which the language "
                                                         "needs. Show the folder somewhere else."),
                             {path, runtime}));
    }
    return {};
}

Status planGranted(const Assignment &assignment, const QStringList &runtimes, Planner &planner)
{
    for (qsizetype i = 0; i < assignment.copies.size(); ++i) {
        if (Status there = checkTarget(assignment.copies[i], runtimes); !there)
            return there;
        const std::string target = QFile::encodeName(assignment.copies[i]).toStdString();
        planner.folders(target.substr(0, target.rfind('/')));
        planner.step({.kind = Kind::Scratch,
                      .use = MountStep::Use::Copy,
                      .target = target,
                      .content = "copy-" + std::to_string(i)});
        planner.rule(Access::Folder, target);
    }
    for (const OpenedFolder &folder : assignment.granted) {
        const std::string target = QFile::encodeName(folder.path).toStdString();
        if (Status there = checkTarget(folder.path, runtimes); !there)
            return there;
        planner.folders(target.substr(0, target.rfind('/')));
        planner.step({.kind = folder.writable ? Kind::GrantedWritable : Kind::Granted,
                      .target = target,
                      .source = QFile::encodeName(folder.hostPath).toStdString(),
                      .device = folder.device,
                      .inode = folder.inode});
        planner.rule(folder.writable ? Access::Folder : Access::ReadExecute, target);
    }
    return {};
}

// Nothing that a run is shown is covered, and no folder of a place is made for what is.
void planWatched(const Plan &plan, Planner &planner)
{
    const auto shown = std::ssize(plan.steps);
    planner.step({.kind = Kind::Watched, .target = watchedFolder});
    planner.rule(Access::Folder, watchedFolder); // whoever writes there is to be heard, and is refused by who answers
    for (const WatchedPlace &place : watchedPlaces) {
        const bool isTaken = std::any_of(plan.steps.begin(), plan.steps.begin() + shown, [&](const MountStep &step) {
            return isAtOrBelow(step.target, place.path)
                   || (step.kind != Kind::Folder && step.target != homeFolder && isAtOrBelow(place.path, step.target));
        });
        if (isTaken)
            continue;
        const std::string path = place.path;
        if (isAtOrBelow(path, homeFolder))
            planner.folders(path.substr(0, path.rfind('/')));
        planner.step({.kind = Kind::WatchedLink,
                      .target = place.path,
                      .content = std::string(watchedFolder) + "/" + place.name});
    }
}

} // namespace

Status planMounts(const SandboxShape &shape, const Assignment &assignment, Plan &plan)
{
    Planner planner(plan);
    planner.rule(Access::List, "/"); // names only; what may be read is listed below
    planSystem(planner);
    planConfiguration(planner);
    if (shape.hasEgress) // without this file, programs ask the same server
        planner.file("/etc/resolv.conf", "nameserver 127.0.0.1\n");
    planDevices(planner);
    planProcesses(planner);
    if (shape.hasTerminal) { // leads to the controlling terminal of whoever opens it: the run's own
        planner.bind("/dev/tty", Kind::Device);
        planner.rule(Access::Device, "/dev/tty");
    }
    planner.scratch("/work", "work", MountStep::Use::Own);
    planner.scratch("/tmp", "tmp");
    planner.folder("/var");
    planner.scratch("/var/tmp", "var-tmp"); // no link to /tmp: a runtime's folder may lie below it

    planner.folder("/run");
    planner.scratch(homeFolder, "home", MountStep::Use::Own);
    plan.canary = "/run/canary";
    planner.file(plan.canary, "Landlock keeps this from being read.\n");
    if (shape.hasSecretFiles)
        planner.scratch("/run/secrets", "secrets", MountStep::Use::Own);
    planner.folder("/run/glovebox");
    planner.rule(Access::Read, "/run/glovebox");
    for (const InnerFile &file : shape.supportFiles) {
        const std::string path = "/run/glovebox/" + file.name.toStdString();
        planner.folders(path.substr(0, path.rfind('/')));
        planner.file(path, file.content.toStdString());
    }

    for (const QString &folder : shape.folders) {
        const std::string path = QFile::encodeName(folder).toStdString();
        if (!folder.startsWith(u'/') || !planner.mirror(path, Access::ReadExecute))
            return fail(
                ErrorCode::InvalidInput,
                Text(QT_TRANSLATE_NOOP("engine", "The folder %1 that the language needs can't be shown to a run."),
                     {folder}));
    }
    if (!shape.modules.isEmpty())
        planner.symlink("/node_modules", QFile::encodeName(shape.modules).toStdString());
    if (Status shown = planGranted(assignment, shape.folders, planner); !shown)
        return shown;
    planWatched(plan, planner);
    noteSubmounts(plan);
    return {};
}

std::string coveredPlaces(const SandboxShape &shape, const Assignment &assignment)
{
    QStringList shown = shape.folders + assignment.copies;
    for (const OpenedFolder &folder : assignment.granted)
        shown.append(folder.path);
    std::string covered;
    for (const WatchedPlace &place : watchedPlaces) {
        const bool isCovered = std::ranges::any_of(shown, [&](const QString &path) {
            const QByteArray name = QFile::encodeName(path);
            return isAtOrBelow(place.path, name.constData()) || isAtOrBelow(name.constData(), place.path);
        });
        if (isCovered)
            covered += (covered.empty() ? "" : ", ") + std::string(place.path);
    }
    return covered;
}

} // namespace glovebox::native
