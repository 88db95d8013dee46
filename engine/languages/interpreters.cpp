// SPDX-License-Identifier: Apache-2.0
// Looks at programs: where they really are, whose they are, and what else they need to be shown.
#include "interpreters.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool isBelow(const QString &path, const QString &folder)
{
    return path.startsWith(folder + u'/');
}

QString parentOf(const QString &path)
{
    return QFileInfo(path).path();
}

// Whether the run's user may do this (R_OK, X_OK) with the file. Its supplementary groups are empty, so for a user other
// than our own the mode bits tell.
bool mayAccess(const QString &path, int wanted, const std::optional<HostIdentity> &identity)
{
    const QByteArray name = QFile::encodeName(path);
    if (!identity || identity->uid == ::geteuid())
        return ::faccessat(AT_FDCWD, name.constData(), wanted, AT_EACCESS) == 0;
    struct stat info = {};
    if (::stat(name.constData(), &info) != 0)
        return false;
    const unsigned shift = info.st_uid == identity->uid ? 6 : info.st_gid == identity->gid ? 3 : 0;
    return (int(info.st_mode >> shift) & wanted) == wanted; // R_OK and X_OK are the bits of a mode
}

// The first folder on the way to the program, or the program itself, that the run's user can't use; empty: none.
QString obstacleOnTheWayTo(const QString &program, const std::optional<HostIdentity> &identity)
{
    for (qsizetype slash = program.indexOf(u'/', 1); slash >= 0; slash = program.indexOf(u'/', slash + 1)) {
        if (const QString folder = program.first(slash); !mayAccess(folder, X_OK, identity))
            return folder;
    }
    return mayAccess(program, R_OK | X_OK, identity) ? QString() : program;
}

QStringList homeFolders()
{
    QStringList homes = {QDir::homePath()};
    if (const QString account = accountHome(); !account.isEmpty())
        homes.append(account);
    for (QString &home : homes) {
        if (const QString canonical = QFileInfo(home).canonicalFilePath(); !canonical.isEmpty())
            home = canonical;
    }
    return homes;
}

// A folder that holds more than a runtime, or that means something else inside, is not shown to a run.
bool isTooMuchToShow(const QString &folder)
{
    if (folder.count(u'/') < 2) // "/", "/opt", "/tmp", "/root"
        return true;
    if (parentOf(folder) == u"/home"_s || folder.endsWith(u"/.local"_s))
        return true;
    const QStringList homes = homeFolders();
    if (std::ranges::any_of(homes, [&](const QString &home) { return home == folder || isBelow(home, folder); }))
        return true;
    constexpr std::array others = {"/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/work"};
    if (std::ranges::any_of(others, [&](const char *other) { return isBelow(folder, QLatin1StringView(other)); }))
        return true;
    const QStringList parts = folder.split(u'/');
    return parts.contains(u".ssh"_s) || parts.contains(u".gnupg"_s) || parts.contains(u".config"_s);
}

// ~/.pyenv/versions/3.12.1 for ~/.pyenv/versions/3.12.1/bin/python3.12; empty when there is no such folder.
QString runtimeFolderOf(const QString &program)
{
    const QString bin = parentOf(program);
    const QString folder = parentOf(bin);
    if (!bin.endsWith(u"/bin"_s) || isTooMuchToShow(folder))
        return {};
    return QFileInfo(folder + u"/lib"_s).isDir() || QFileInfo(folder + u"/include"_s).isDir() ? folder : QString();
}

// What a runtime consists of, and nothing that lies beside it: people make virtual environments in the folders of their projects.
QStringList partsOf(const QString &runtime)
{
    QStringList parts;
    for (const char *name : {"bin", "lib", "lib64", "include", "share", "pyvenv.cfg"}) {
        const QString part = runtime + u'/' + QLatin1StringView(name);
        if (QFileInfo::exists(part))
            parts.append(part);
    }
    return parts;
}

// A program in a Python virtual environment is a link to the real one; started by the link, it finds pyvenv.cfg and with it
// the packages. The path is canonical but for the last part. Empty: it is in none.
QString inVirtualEnvironment(const QString &found)
{
    const QString bin = QFileInfo(parentOf(found)).canonicalFilePath();
    const QString folder = parentOf(bin);
    if (!QFileInfo(folder + u"/pyvenv.cfg"_s).isFile() || isTooMuchToShow(folder))
        return {};
    return bin + u'/' + QFileInfo(found).fileName();
}

// Whether a chain of links leads to its program also inside, where only /usr (with the links into it) and the folders are.
bool holdsInside(const QString &path, const QStringList &folders)
{
    static const bool binIsInUsr = QFileInfo(u"/bin"_s).canonicalFilePath() == u"/usr/bin"_s;
    const auto isInside = [&](const QString &place) {
        return isBelow(place, u"/usr"_s) || isBelow(place, u"/etc/alternatives"_s)
               || (binIsInUsr && isBelow(place, u"/bin"_s))
               || std::ranges::any_of(folders, [&](const QString &folder) { return isBelow(place, folder); });
    };
    QString hop = path;
    for (int hops = 0; hops < 40; ++hops) { // as many as Linux follows
        const QFileInfo info(hop);
        if (!isInside(hop) || !isInside(QFileInfo(info.path()).canonicalFilePath() + u'/' + info.fileName()))
            return false;
        if (!info.isSymLink())
            return true;
        hop = info.symLinkTarget();
    }
    return false;
}

bool isScript(const QString &program)
{
    QFile file(program);
    return file.open(QIODevice::ReadOnly) && file.read(2) == "#!";
}

InterpreterCandidate lookAt(const QString &found, const IsInterpreter &isInterpreter,
                            const std::optional<HostIdentity> &identity)
{
    InterpreterCandidate candidate;
    candidate.path = found;
    const auto passOver = [&](const char *reason, const QStringList &args) {
        candidate.reason = Text(reason, QStringList{found} + args);
        return candidate;
    };

    const QString program = QFileInfo(found).canonicalFilePath();
    if (program.isEmpty())
        return passOver(QT_TRANSLATE_NOOP("engine", "%1 is a link that leads nowhere."), {});
    struct stat info = {};
    if (::stat(QFile::encodeName(program).constData(), &info) != 0 || !S_ISREG(info.st_mode)
        || (info.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0)
        return passOver(QT_TRANSLATE_NOOP("engine", "%1 is not an executable file."), {});
    if (isScript(program) || !isInterpreter(QFileInfo(program).fileName()))
        return passOver(QT_TRANSLATE_NOOP("engine", "%1 is not the interpreter itself, but a program that chooses one "
                                                    "(of pyenv, asdf, Volta or the like)."),
                        {});
    if (const QString obstacle = obstacleOnTheWayTo(program, identity); !obstacle.isEmpty())
        return passOver(QT_TRANSLATE_NOOP("engine", "%1 can't be used: the user that sealed runs belong to has no "
                                                    "access to %2."),
                        {obstacle});

    if (!isBelow(program, u"/usr"_s)) {
        const QString runtime = runtimeFolderOf(program);
        if (runtime.isEmpty())
            return passOver(
                QT_TRANSLATE_NOOP(
                    "engine",
                    "%1 has no folder of its own that a sealed run could see without more than the interpreter."),
                {});
        candidate.folders = partsOf(runtime);
    }
    if (const QString linked = inVirtualEnvironment(found); !linked.isEmpty()) {
        for (const QString &part : partsOf(parentOf(parentOf(linked)))) {
            if (!candidate.folders.contains(part))
                candidate.folders.append(part);
        }
        if (!holdsInside(linked, candidate.folders) || !obstacleOnTheWayTo(linked, identity).isEmpty())
            return passOver(QT_TRANSLATE_NOOP("engine", "%1 is in a virtual environment that leads outside of what a "
                                                        "sealed run is shown."),
                            {});
        candidate.path = linked;
    } else if (!holdsInside(found, candidate.folders)) {
        candidate.path = program;
    }
    candidate.usable = true;
    return candidate;
}

QStringList foldersToLookIn()
{
    QStringList folders = QFile::decodeName(qgetenv("PATH")).split(u':', Qt::SkipEmptyParts);
    folders += {u"/usr/local/bin"_s, u"/usr/bin"_s, u"/bin"_s};
    folders.removeIf([](const QString &folder) { return !folder.startsWith(u'/'); });
    for (QString &folder : folders)
        folder = QDir::cleanPath(folder);
    folders.removeDuplicates();
    return folders;
}

} // namespace

QList<InterpreterCandidate> lookForInterpreters(const Language &language, const IsInterpreter &isInterpreter,
                                                const std::optional<HostIdentity> &identity,
                                                const FolderQuestion &question)
{
    QList<InterpreterCandidate> candidates;
    QList<InterpreterCandidate> skipped;
    QSet<QString> seen;
    QStringList folders = foldersToLookIn();
    folders.removeIf([&](const QString &folder) {
        const Status answers = question(folder, language.programs());
        if (answers)
            return false;
        skipped.append({.path = folder, .reason = answers.error().message});
        return true;
    });
    for (const QString &program : language.programs()) {
        for (const QString &folder : folders) {
            const QFileInfo info(folder + u'/' + program);
            if (!info.exists() && !info.isSymLink())
                continue;
            const QString linked = inVirtualEnvironment(info.filePath());
            const QString identityOfFile = linked.isEmpty() ? info.canonicalFilePath() : linked;
            if (seen.contains(identityOfFile.isEmpty() ? info.filePath() : identityOfFile))
                continue;
            seen.insert(identityOfFile.isEmpty() ? info.filePath() : identityOfFile);
            candidates.append(lookAt(info.filePath(), isInterpreter, identity));
        }
    }
    return candidates + skipped;
}

QByteArrayList sealedEnvironment(const InterpreterCandidate &interpreter)
{
    QByteArray path = "/usr/local/bin:/usr/bin:/bin";
    // An interpreter with folders of its own: what the snippet starts by name (pip, npx) comes from there too.
    if (!interpreter.folders.isEmpty())
        path.prepend(QFile::encodeName(QFileInfo(interpreter.path).path()) + ':');
    return {"PATH=" + path, "HOME=/run/home", "USER=sandbox", "LOGNAME=sandbox", "LANG=C.UTF-8",
            "TMPDIR=/tmp",  "TERM=dumb",      "PWD=/work",    "SHELL=/bin/sh"};
}

} // namespace glovebox
