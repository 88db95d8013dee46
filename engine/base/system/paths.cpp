// SPDX-License-Identifier: Apache-2.0
// The XDG base directories (https://specifications.freedesktop.org/basedir-spec), or one folder for everything.
#include "paths.h"

#include "oserror.h"
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

Result<QString> home()
{
    QString folder = absoluteFromEnvironment("HOME");
    if (folder.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no home folder to keep the audit log in. Set HOME, or set "
                                                "GLOVEBOX_HOME to a folder of your own."));
    if (!QFileInfo(folder).isDir())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The home folder %1 does not exist. Set HOME to one that does, or set "
                                                "GLOVEBOX_HOME to a folder of your own."),
                    {folder});
    return folder;
}

Result<QString> baseFolder(const char *variable, const QString &belowHome)
{
    if (const QString folder = absoluteFromEnvironment(variable); !folder.isEmpty())
        return QDir::cleanPath(folder + u"/glovebox"_s);
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
    return paths.data == accountHome() + u"/.local/share/glovebox"_s ? QString() : paths.data;
}

Status makePrivateFolder(const QString &path)
{
    if (!path.startsWith(u'/'))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The folder %1 must be an absolute path."),
                    {path});
    const QByteArray name = QFile::encodeName(QDir::cleanPath(path));
    // Every missing parent is made private too; existing ones are left as they are.
    int error = 0;
    for (qsizetype slash = name.indexOf('/', 1); error == 0; slash = name.indexOf('/', slash + 1)) {
        const QByteArray part = slash < 0 ? name : name.first(slash);
        if (::mkdir(part.constData(), 0700) != 0 && errno != EEXIST) {
            struct stat existing = {};
            const int reason = errno;
            // A read-only file system answers EROFS, and an unreadable one EACCES, also for a folder that is there.
            if (::stat(part.constData(), &existing) != 0)
                error = reason;
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
                    {path}, errnoDetail(error, path));
    if (error == ENOTDIR || error == EEXIST)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made: a file is in its way. Move that file "
                                                "aside."),
                    {path}, errnoDetail(error, path));
    if (error == EMFILE || error == ENFILE)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be read: too many files are open already. Close "
                                                "other runs or programs and try again."),
                    {path}, errnoDetail(error, path));
    if (error != 0)
        return fail(codeForErrno(error),
                    QT_TRANSLATE_NOOP("engine", "The folder %1 can't be made. Check the owner and the permissions of "
                                                "the folder above it, or set GLOVEBOX_HOME to a folder of your own."),
                    {path}, errnoDetail(error, path));
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
