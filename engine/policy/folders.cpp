// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostFolders = 32;
constexpr qsizetype longestPath = 1024; // characters
constexpr qsizetype longestName = 255; // bytes, NAME_MAX
constexpr qsizetype deepestPath = 16; // parts; each missing one is a folder in a file system of 1024 inodes

// Nothing may be shown at these or below: the last two are bwrap's own (bubblewraplayout.h).
constexpr QLatin1StringView closedPlaces[] = {
    "/usr"_L1,  "/bin"_L1, "/sbin"_L1, "/lib"_L1, "/lib32"_L1, "/lib64"_L1,   "/libx32"_L1, "/etc"_L1,
    "/proc"_L1, "/dev"_L1, "/sys"_L1,  "/run"_L1, "/boot"_L1,  "/scratch"_L1, "/.dev"_L1,
};
// Only below these: they are there already.
constexpr QLatin1StringView ownPlaces[] = {"/work"_L1, "/tmp"_L1, "/var"_L1, "/var/tmp"_L1, "/run/home"_L1};

bool isAtOrBelow(const QString &path, QStringView folder)
{
    return path == folder || (path.startsWith(folder) && path.at(folder.size()) == u'/');
}

// The run's home folder is the one place to write to that lies in a closed one.
bool isClosed(const QString &path)
{
    return !path.startsWith(u"/run/home/")
           && std::ranges::any_of(closedPlaces, [&](auto place) { return isAtOrBelow(path, QString(place)); });
}

bool isPlain(const QString &path)
{
    if (!path.startsWith(u'/') || path.size() > longestPath)
        return false;
    const auto parts = QStringView(path).mid(1).split(u'/');
    return parts.size() <= deepestPath && std::ranges::none_of(parts, [](QStringView part) {
               return part.isEmpty() || part.toUtf8().size() > longestName || part == u"." || part == u".."
                      || std::ranges::any_of(part, [](QChar c) { return c.category() == QChar::Other_Control; });
           });
}

std::unexpected<Error> refuseFolders(const char *source, QStringList args)
{
    return fail(ErrorCode::InvalidInput, Text(source, std::move(args)));
}

} // namespace

Status checkFolders(const QList<FolderGrant> &folders)
{
    if (folders.size() > mostFolders)
        return refuseFolders(QT_TRANSLATE_NOOP("engine", "A run can be shown at most %1 folders, not %2."),
                             {QString::number(mostFolders), QString::number(folders.size())});
    for (const FolderGrant &folder : folders) {
        if (!folder.hostPath.startsWith(u'/'))
            return refuseFolders(
                QT_TRANSLATE_NOOP("engine", "A folder of this machine is named by its absolute path, not \"%1\"."),
                {folder.hostPath});
        const QString &path = folder.path;
        if (path == u"/" || std::ranges::find(ownPlaces, path) != std::end(ownPlaces) || isClosed(path))
            return refuseFolders(
                QT_TRANSLATE_NOOP("engine", "The sandbox has its own \"%1\". Show the folder somewhere else, for "
                                            "example at /mnt or below /work."),
                {path});
        if (!isPlain(path))
            return refuseFolders(
                QT_TRANSLATE_NOOP("engine",
                                  "The path \"%1\" can't be a folder in a run. Give an absolute path of at most "
                                  "16 short names, without \".\", \"..\" and control characters."),
                {path});
    }
    for (auto a = folders.begin(); a != folders.end(); ++a) {
        for (auto b = folders.begin(); b != a; ++b) {
            if (isAtOrBelow(a->path, b->path) || isAtOrBelow(b->path, a->path))
                return refuseFolders(
                    QT_TRANSLATE_NOOP(
                        "engine", "\"%1\" and \"%2\" would overlap in the run. Give each folder a place of its own."),
                    {b->path, a->path});
        }
    }
    return {};
}

} // namespace glovebox
