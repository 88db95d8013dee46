// SPDX-License-Identifier: Apache-2.0
// The XDG base directories (https://specifications.freedesktop.org/basedir-spec), or one folder for everything.
#include "paths.h"

#include "engine/base/system/oserror.h"
#include "ownfile.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Empty when the variable isn't set or isn't absolute: the specification says to ignore such a path.
QString absoluteFromEnvironment(const char *name)
{
    const QString value = QFile::decodeName(qgetenv(name));
    return value.startsWith(u'/') ? QDir::cleanPath(value) : QString();
}

// What a variable names is a folder, or nothing is there yet.
Status checkIsFolder(const QString &variable, const QString &folder)
{
    struct stat info = {};
    const int error = ::stat(QFile::encodeName(folder).constData(), &info) == 0 ? 0 : errno;
    if (error == 0 && !S_ISDIR(info.st_mode))
        return fail(
            ErrorCode::InvalidInput,
            S_ISREG(info.st_mode)
                ? QT_TRANSLATE_NOOP("engine", "%1 is %2, which is a file. Set %1 to a folder.")
                : QT_TRANSLATE_NOOP("engine", "%1 is %2, which is a device, pipe or socket. Set %1 to a folder."),
            {variable, folder});
    switch (error) {
    case ENOTDIR:
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 is %2, but a part of that path is a file. Set %1 to a folder."),
                    {variable, folder});
    case ENAMETOOLONG:
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 is too long for a path (%2 characters), or one of its names is. "
                                                "Set %1 to a folder with a shorter path."),
                    {variable, QString::number(folder.size())});
    case ELOOP:
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 is %2, a symbolic link that leads back to itself. Set %1 to a "
                                                "folder."),
                    {variable, folder});
    case EACCES:
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "%1 is %2, and you may not enter a folder above it. Set %1 to a "
                                                "folder of your own."),
                    {variable, folder});
    default:
        return {};
    }
}

Result<QString> home()
{
    QString folder = absoluteFromEnvironment("HOME");
    if (const QString relative = QFile::decodeName(qgetenv("HOME")); folder.isEmpty() && !relative.isEmpty())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "HOME must be an absolute path, not %1. Set HOME to your home folder, or "
                                      "set GLOVEBOX_HOME to a folder of your own."),
                    {relative});
    if (folder.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no home folder to keep the audit log in. Set HOME, or set "
                                                "GLOVEBOX_HOME to a folder of your own."));
    RETURN_IF_ERROR(checkIsFolder(u"HOME"_s, folder));
    if (!QFileInfo(folder).isDir())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The home folder %1 does not exist. Set HOME to one that does, or set "
                                                "GLOVEBOX_HOME to a folder of your own."),
                    {folder});
    return folder;
}

Result<QString> baseFolder(const char *variable, const QString &belowHome)
{
    if (const QString folder = absoluteFromEnvironment(variable); !folder.isEmpty()) {
        RETURN_IF_ERROR(checkIsFolder(QString::fromLatin1(variable), folder));
        return QDir::cleanPath(folder + u"/glovebox"_s);
    }
    ASSIGN_OR_RETURN(const auto homeFolder, home());
    return QDir::cleanPath(homeFolder + u'/' + belowHome + u"/glovebox"_s);
}

// su and sudo keep the variable of the user before: a runtime folder of somebody else's is no place for our socket.
QString runtimeFolder(const QString &data)
{
    const QString folder = absoluteFromEnvironment("XDG_RUNTIME_DIR");
    struct stat info = {};
    if (folder.isEmpty() || ::stat(QFile::encodeName(folder).constData(), &info) != 0 || info.st_uid != ::geteuid())
        return data + u"/run"_s;
    return QDir::cleanPath(folder + u"/glovebox"_s);
}

// The environment must not choose which programs we start, so this is the only source.
QString libexecFolder()
{
    if (!QCoreApplication::instance())
        return {};
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + u"/../libexec/glovebox"_s);
}

} // namespace

Result<Paths> Paths::standard()
{
    Paths paths;
    paths.libexec = libexecFolder();
    if (const QByteArray moved = qgetenv("GLOVEBOX_HOME"); !moved.isEmpty()) {
        const QString folder = absoluteFromEnvironment("GLOVEBOX_HOME");
        if (folder.isEmpty())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "GLOVEBOX_HOME must be an absolute path, not %1."),
                        {QFile::decodeName(moved)});
        RETURN_IF_ERROR(checkIsFolder(u"GLOVEBOX_HOME"_s, folder));
        paths.data = QDir::cleanPath(folder + u"/data"_s);
        paths.config = QDir::cleanPath(folder + u"/config"_s);
        paths.runtime = QDir::cleanPath(folder + u"/run"_s);
        return paths;
    }
    ASSIGN_OR_RETURN(paths.data, baseFolder("XDG_DATA_HOME", u".local/share"_s));
    ASSIGN_OR_RETURN(paths.config, baseFolder("XDG_CONFIG_HOME", u".config"_s));
    paths.runtime = runtimeFolder(paths.data);
    return paths;
}

QString accountHome()
{
    passwd account{};
    passwd *found = nullptr;
    std::array<char, 16384> strings{};
    if (::getpwuid_r(::geteuid(), &account, strings.data(), strings.size(), &found) != 0 || !found)
        return {};
    return QFile::decodeName(account.pw_dir);
}

QString movedHome(const Paths &paths)
{
    const QString home = accountHome();
    if (paths.data != home + u"/.local/share/glovebox"_s)
        return paths.data;
    return paths.config == home + u"/.config/glovebox"_s ? QString() : paths.config;
}

Status makePrivateFolder(const QString &path)
{
    if (!path.startsWith(u'/'))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The folder %1 must be an absolute path."),
                    {path});
    const QByteArray name = QFile::encodeName(QDir::cleanPath(path));
    // Every missing parent is made private too; existing ones are left as they are.
    int error = 0;
    QString failed = path; // a folder above it, where that one fails
    for (qsizetype slash = name.indexOf('/', 1); error == 0; slash = name.indexOf('/', slash + 1)) {
        const QByteArray part = slash < 0 ? name : name.first(slash);
        if (::mkdir(part.constData(), 0700) != 0 && errno != EEXIST) {
            struct stat existing = {};
            const int reason = errno;
            // A read-only file system answers EROFS, and an unreadable one EACCES, also for a folder that is there.
            if (::stat(part.constData(), &existing) != 0) {
                error = reason;
                failed = QFile::decodeName(part);
            }
        }
        if (slash < 0)
            break;
    }
    struct stat info = {};
    if (error == 0 && ::stat(name.constData(), &info) != 0)
        error = errno;
    if (error == 0 && !S_ISDIR(info.st_mode))
        error = ENOTDIR;
    if (error == ENOSPC || error == EDQUOT)
        return fail(ErrorCode::Full,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made: the disk is full. Make some space and "
                                                "try again."),
                    {failed}, errnoDetail(error, failed));
    if (error == EROFS)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made: the file system is read-only. Set "
                                                "GLOVEBOX_HOME to a folder that you can write to."),
                    {failed}, errnoDetail(error, failed));
    if (error == ENOTDIR || error == EEXIST)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made: a file is in its way. Move that file "
                                                "aside."),
                    {failed}, errnoDetail(error, failed));
    const QString above = failed.section(u'/', 0, -2), &link = QFileInfo(failed).isSymLink() ? failed : above;
    if (error == ELOOP || (error == ENOENT && QFileInfo(link).isSymLink()))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made: %2 is a symbolic link that leads "
                                                "nowhere. Remove that link."),
                    {path, link}, errnoDetail(error, failed));
    if (error == EMFILE || error == ENFILE)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be read: too many files are open already. Close "
                                                "other runs or programs and try again."),
                    {failed}, errnoDetail(error, failed));
    if (error != 0)
        return fail(codeForErrno(error),
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made. Check the owner and the permissions of "
                                                "the folder above it, or set GLOVEBOX_HOME to a folder of your own."),
                    {failed}, errnoDetail(error, failed));
    if (info.st_uid != ::geteuid())
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 belongs to another user. Set GLOVEBOX_HOME to a folder "
                                                "of your own."),
                    {path});
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "Other users can write to the folder %1. Take that right away with "
                                                "\"chmod go-w\" and try again."),
                    {path});
    return checkFoldersAbove(path);
}

} // namespace glovebox
