// SPDX-License-Identifier: Apache-2.0
#include "remedies.h"

#include <QFile>
#include <QStringList>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

using namespace Qt::StringLiterals;

namespace glovebox::native {

namespace {

QByteArray readSysctl(const char *path)
{
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
}

// ID and ID_LIKE of os-release(5).
QStringList distribution()
{
    QFile file(u"/etc/os-release"_s);
    QStringList ids;
    if (!file.open(QIODevice::ReadOnly))
        return ids;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith("ID=") || line.startsWith("ID_LIKE="))
            ids += QString::fromUtf8(line.mid(line.indexOf('=') + 1)).remove(u'"').split(u' ');
    }
    return ids;
}

// Memory, processor time and processes of a whole run are the business of a control group of its own.
Advice controlGroupRemedy()
{
    if (!QFile::exists(u"/run/systemd/system"_s))
        return Text(QT_TRANSLATE_NOOP("engine",
                                      "Exact limits need control groups of systemd, which doesn't run on this "
                                      "machine."));
    if (!QFile::exists(u"/sys/fs/cgroup/cgroup.controllers"_s))
        return Text(QT_TRANSLATE_NOOP("engine", "Exact limits need control groups of version 2: start the machine with "
                                                "systemd.unified_cgroup_hierarchy=1 on the kernel's command line."));
    if (!QFile::exists(u"/run/user/%1/systemd"_s.arg(::geteuid()))) {
        const QString user = QString::fromLocal8Bit(qgetenv("USER"));
        return {Text(QT_TRANSLATE_NOOP("engine", "Exact limits need a systemd session of your own: sudo loginctl "
                                                 "enable-linger %1"),
                     {user}),
                u"sudo loginctl enable-linger "_s + user};
    }
    return {};
}

Text landlockRemedy()
{
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Landlock needs Linux 5.13, with \"landlock\" among the names of lsm= on the "
                                  "kernel's command line."));
}

// Why nobody can watch the places of secrets, found out at the device that the launcher opens (spawner/rootfs.cpp). Empty: the
// device is not the reason. systemd's rules and fuse3's make it 0666; a container has it only where it is asked for.
Advice watchRemedy()
{
    const UniqueFd device(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    struct stat info = {};
    constexpr mode_t othersUse = S_IROTH | S_IWOTH;
    const bool isOthersRun = ::geteuid() == 0; // root's runs are those of a user without a name
    if (device && (!isOthersRun || (::fstat(device.get(), &info) == 0 && (info.st_mode & othersUse) == othersUse)))
        return {};
    if (!device && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
        return {Text(QT_TRANSLATE_NOOP("engine", "Looks for secrets in ~ can't be noticed, as this machine has no "
                                                 "/dev/fuse. On a desktop: sudo modprobe fuse. In a container: start "
                                                 "it with --device /dev/fuse.")),
                u"sudo modprobe fuse"_s};
    return Text(
        QT_TRANSLATE_NOOP("engine",
                          "Looks for secrets in ~ can't be noticed, as /dev/fuse is closed to the run's user. On a "
                          "desktop, put the rule of systemd, %1, into /etc/udev/rules.d/70-fuse.rules and start the "
                          "machine again. In a container: start it with --device /dev/fuse."),
        {u"KERNEL==\"fuse\", MODE=\"0666\""_s});
}

Advice sysctlRemedy(const QString &setting)
{
    return {Text(QT_TRANSLATE_NOOP("engine", "An administrator can allow them: sudo sysctl %1 (until the next boot; to "
                                             "keep it, put %2 into /etc/sysctl.d/60-glovebox.conf)."),
                 {setting, setting}),
            u"sudo sysctl "_s + setting};
}

// Of what the other builder does.
Advice bubblewrapRemedy()
{
    const Advice namespaces = userNamespaceRemedy();
    return {Text(QT_TRANSLATE_NOOP(
                     "engine", "bubblewrap builds sandboxes here, and lacks this protection. Glovebox's own builder "
                               "has it, where it may make user namespaces. %1"),
                 {namespaces.english()}),
            namespaces.command};
}

} // namespace

QMap<ControlId, Advice> controlRemedies(const QList<Control> &controls, NativeBuilder builder)
{
    QMap<ControlId, Advice> remedies;
    for (const Control &control : controls) {
        // Telling is enforced, not verified, where the places of secrets aren't watched (SealedRun::assign()).
        if (control.id == ControlId::DenialEvents && control.state == Control::State::Enforced) {
            // With bwrap nothing is mounted there, whatever /dev/fuse is like.
            if (const Advice watching = builder == NativeBuilder::Bubblewrap ? bubblewrapRemedy() : watchRemedy();
                !watching.isEmpty())
                remedies.insert(control.id, watching);
        }
        if (control.state == Control::State::Verified || control.state == Control::State::Enforced)
            continue;
        Advice remedy;
        switch (control.id) {
        case ControlId::Landlock:
            remedy = landlockRemedy();
            break;
        case ControlId::Disk:
            if (builder == NativeBuilder::Bubblewrap)
                remedy = bubblewrapRemedy();
            break;
        case ControlId::Memory:
        case ControlId::CpuTime:
        case ControlId::CpuShare:
        case ControlId::Processes:
            remedy = controlGroupRemedy();
            break;
        default:
            break;
        }
        if (!remedy.isEmpty())
            remedies.insert(control.id, remedy);
    }
    return remedies;
}

Advice builderRemedy(NativeBuilder builder, const QString &bubblewrap)
{
    if (const QString command = installCommand(u"bubblewrap"_s);
        builder == NativeBuilder::Bubblewrap && !QFile::exists(bubblewrap))
        return {Text("%1", {command}), command};
    return userNamespaceRemedy();
}

QString installCommand(const QString &package)
{
    static const QStringList ids = distribution();
    const struct
    {
        QStringList ids;
        QString command;
    } managers[] = {{{u"fedora"_s, u"rhel"_s, u"centos"_s}, u"sudo dnf install %1"_s},
                    {{u"arch"_s}, u"sudo pacman -S %1"_s},
                    {{u"suse"_s, u"opensuse"_s}, u"sudo zypper install %1"_s}};
    for (const auto &manager : managers) {
        if (std::ranges::any_of(manager.ids, [](const QString &id) { return ids.contains(id); }))
            return manager.command.arg(package);
    }
    return u"sudo apt install %1"_s.arg(package);
}

Advice switchedOffRemedy()
{
    if (readSysctl("/proc/sys/kernel/unprivileged_userns_clone") == "0")
        return sysctlRemedy(u"kernel.unprivileged_userns_clone=1"_s);
    if (readSysctl("/proc/sys/user/max_user_namespaces") == "0")
        return sysctlRemedy(u"user.max_user_namespaces=15000"_s);
    return {};
}

Advice userNamespaceRemedy()
{
    if (const Advice switchedOff = switchedOffRemedy(); !switchedOff.isEmpty())
        return switchedOff;
    if (readSysctl("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
        return Text(QT_TRANSLATE_NOOP(
            "engine", "AppArmor restricts them: install Glovebox as a package, which brings a profile for its "
                      "launcher."));
    return Text(QT_TRANSLATE_NOOP("engine", "If this is inside a container, run Glovebox outside of it."));
}

Error explainBubblewrap(const launcher::SetupError &error, const Text &detail)
{
    const QString said = QString::fromStdString(error.subject);
    // Each but that about setuid says what to do.
    const auto because = [&](const char *sentence, QStringList args, bool saysRemedy = true) {
        return Error{ErrorCode::Unsupported, Text(sentence, std::move(args)), detail, saysRemedy};
    };
    const auto saidAny = [&](std::initializer_list<const char *> parts) {
        return std::ranges::any_of(parts, [&](const char *part) { return said.contains(QLatin1StringView(part)); });
    };
    if (error.stage == launcher::Stage::BubblewrapMissing)
        return because(QT_TRANSLATE_NOOP("engine",
                                         "bubblewrap, which can seal code off as well, is not installed (%1): "
                                         "%2"),
                       {said, installCommand(u"bubblewrap"_s)});
    if (error.stage == launcher::Stage::BubblewrapForeign)
        return because(QT_TRANSLATE_NOOP("engine",
                                         "%1 could have been changed by somebody other than root, so it is not "
                                         "used. Install it from the distribution: %2"),
                       {said, installCommand(u"bubblewrap"_s)});
    if (error.stage == launcher::Stage::BubblewrapSetuid)
        return because(QT_TRANSLATE_NOOP("engine", "%1 runs as root (it is setuid), so it is not used: nothing that "
                                                   "builds a sandbox may."),
                       {said}, false);
    if (saidAny({"Unknown option"}))
        return because(QT_TRANSLATE_NOOP("engine", "This machine's bubblewrap is too old; 0.8 or newer is needed."),
                       {});
    if (saidAny({"mount proc"}))
        return because(QT_TRANSLATE_NOOP("engine",
                                         "This machine hides a part of /proc (a container does), so bubblewrap "
                                         "can't give a run its own. Run Glovebox outside of the container."),
                       {});
    // The last is what AppArmor of Ubuntu 24.04 leaves of it: the namespace is there, but without any right in it.
    if (saidAny({"new namespace", "uid map", "gid map", "setgroups", "disable-userns", "unshare", "RTM_NEWADDR"}))
        return because(QT_TRANSLATE_NOOP("engine", "bubblewrap isn't let make user namespaces on this machine. %1"),
                       {userNamespaceRemedy().english()});
    return {ErrorCode::Unavailable,
            Text(QT_TRANSLATE_NOOP("engine", "bubblewrap could not build the sandbox (%1). Nothing was run."), {said}),
            detail};
}

} // namespace glovebox::native
