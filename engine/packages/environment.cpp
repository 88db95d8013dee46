// SPDX-License-Identifier: Apache-2.0
// Copies what an install left into a folder, file by file. Whoever made these files may be hostile: nothing but files and folders below
// the environment's own is taken, links are made here, and modes are ours.
#include "installer.h"
#include "packageplace.h"
#include "tasks.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

std::unexpected<Error> notCopied(int error, const QByteArray &path)
{
    return fail(codeForErrno(error),
                Text(QT_TRANSLATE_NOOP("engine", "The packages can't be written: %1. Check the free space."),
                     {errnoText(error)}),
                Text("%1", {textFromBytes(path)}));
}

std::unexpected<Error> isNoEnvironment(const QByteArray &path)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The packages unpack to \"%1\", which no package may have. Nothing was "
                                            "installed."),
                {textFromBytes(path.left(100))});
}

bool isPlainPath(const QByteArray &path)
{
    for (const QByteArray &part : path.split('/')) {
        if (part.isEmpty() || part == "." || part == ".." || part.size() > 255)
            return false;
    }
    return true;
}

Status writeFile(int folder, const char *name, bool isProgram, const std::function<Status(int descriptor)> &write)
{
    const mode_t mode = isProgram ? 0755 : 0644; // the folder above keeps others out
    const UniqueFd file(::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file)
        return notCopied(errno, name);
    RETURN_IF_ERROR(write(file.get()));
    return ::fchmod(file.get(), mode) == 0 ? Status() : notCopied(errno, name);
}

Status writeAllTo(int descriptor, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), size_t(bytes.size()));
        if (count < 0 && errno != EINTR)
            return notCopied(errno, {});
        bytes = bytes.sliced(std::max<ssize_t>(count, 0));
    }
    return {};
}

// A file below the environment: the folder that it is in, and its name there.
struct PlaceOfFile
{
    UniqueFd folder;
    QByteArray name;
};
Result<PlaceOfFile> placeOf(int env, const QByteArray &path)
{
    const qsizetype slash = path.lastIndexOf('/');
    PlaceOfFile place{slash < 0 ? UniqueFd(::openat(env, ".", folderFlags))
                                : openBelow(env, path.first(slash), folderFlags),
                      path.sliced(slash + 1)};
    return place.folder ? Result<PlaceOfFile>(std::move(place)) : notCopied(errno, path);
}

Status makeSub(int folder, const QByteArray &path)
{
    if (::mkdirat(folder, path.constData(), 0755) != 0)
        return notCopied(errno, path);
    return ::fchmodat(folder, path.constData(), 0755, 0) == 0 ? Status() : notCopied(errno, path);
}

} // namespace

Status PackagePlace::fillEnvironment(const QString &folder, const Installed &what, const Sessions &sessions,
                                     const Session &session, const SessionTree &tree,
                                     const IsCancelled &isCancelled) const
{
    const QByteArray root = QFile::encodeName(folder);
    RETURN_IF_ERROR(makeSub(AT_FDCWD, root));
    const UniqueFd env(::open(root.constData(), folderFlags));
    if (!env)
        return notCopied(errno, root);
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(what.lock.language));
    const QList<OwnEntry> own = installer->ownEntries(what.program, what.lock);
    for (const OwnEntry &entry : own) {
        if (entry.type == OwnEntry::Type::Folder)
            RETURN_IF_ERROR(makeSub(env.get(), entry.path));
    }
    const auto check = [&] { return isCancelled() ? Status(notInstalledAsCancelled()) : Status(); };
    QList<std::pair<QByteArray, QByteArray>> otherNames; // of files, as install scripts make some, with the first one
    for (const SessionEntry &entry : tree) {
        RETURN_IF_ERROR(check());
        if (entry.path == "env" && entry.type == SessionEntry::Type::Folder)
            continue;
        if (!entry.path.startsWith("env/"))
            return isNoEnvironment(entry.path);
        const QByteArray path = entry.path.sliced(sizeof "env/" - 1);
        if (!isPlainPath(path) || installer->isReserved(path))
            return isNoEnvironment(path);
        if (entry.type == SessionEntry::Type::Folder) {
            if (std::ranges::find(own, path, &OwnEntry::path) == own.end())
                RETURN_IF_ERROR(makeSub(env.get(), path));
            continue;
        }
        if (entry.type == SessionEntry::Type::SameFile && entry.target.startsWith("env/")) {
            const QByteArray first = entry.target.sliced(sizeof "env/" - 1);
            if (!isPlainPath(first) || installer->isReserved(first))
                return isNoEnvironment(first);
            otherNames.append({path, first});
            continue;
        }
        if (entry.type != SessionEntry::Type::File)
            return isNoEnvironment(path);
        ASSIGN_OR_RETURN(const PlaceOfFile place, placeOf(env.get(), path));
        RETURN_IF_ERROR(
            writeFile(place.folder.get(), place.name.constData(), (entry.mode & S_IXUSR) != 0, [&](int descriptor) {
                return sessions.pass(session, entry, [&](QByteArrayView piece) {
                    const Status goesOn = check();
                    return goesOn ? writeAllTo(descriptor, piece) : goesOn;
                });
            }));
    }
    for (const auto &[path, first] : std::as_const(otherNames)) {
        RETURN_IF_ERROR(check());
        ASSIGN_OR_RETURN(const PlaceOfFile from, placeOf(env.get(), first));
        ASSIGN_OR_RETURN(const PlaceOfFile to, placeOf(env.get(), path));
        if (::linkat(from.folder.get(), from.name.constData(), to.folder.get(), to.name.constData(), 0) != 0)
            return notCopied(errno, path);
    }
    for (const OwnEntry &entry : own) {
        if (entry.type == OwnEntry::Type::File)
            RETURN_IF_ERROR(writeFile(env.get(), entry.path.constData(), false,
                                      [&](int descriptor) { return writeAllTo(descriptor, entry.content); }));
        if (entry.type == OwnEntry::Type::Link
            && ::symlinkat(entry.content.constData(), env.get(), entry.path.constData()) != 0)
            return notCopied(errno, root);
    }
    return {};
}

} // namespace glovebox
