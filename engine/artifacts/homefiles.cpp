// SPDX-License-Identifier: Apache-2.0
#include "homefiles.h"

#include <QSet>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace glovebox {

namespace {

constexpr std::size_t toldInHome = 3;
constexpr int mostSeenInHome = 1000; // about two milliseconds

struct CloseHome
{
    void operator()(DIR *folder) const { ::closedir(folder); }
};
using HomeStream = std::unique_ptr<DIR, CloseHome>;

HomeStream streamOf(int folder, const char *name)
{
    UniqueFd inside(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    HomeStream stream(inside ? ::fdopendir(inside.get()) : nullptr);
    if (stream)
        inside.release(); // the stream's
    return stream;
}

const char *nextName(DIR *stream)
{
    const dirent *entry = nullptr;
    do
        entry = ::readdir(stream); // NOLINT(concurrency-mt-unsafe): of one thread's own stream
    while (entry && (qstrcmp(entry->d_name, ".") == 0 || qstrcmp(entry->d_name, "..") == 0));
    return entry ? entry->d_name : nullptr;
}

// Empty: nothing that would have been kept in /work either, such as a link, a pipe or an empty folder.
QByteArray lostName(int home, const char *name)
{
    struct stat info = {};
    if (::fstatat(home, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return {};
    if (S_ISREG(info.st_mode))
        return name;
    if (!S_ISDIR(info.st_mode))
        return {};
    const HomeStream inside = streamOf(home, name);
    return !inside || nextName(inside.get()) ? QByteArray(name) + '/' : QByteArray();
}

} // namespace

std::optional<Text> leftInHome(int home, const QList<QByteArray> &shown, const SecretSearch *search)
{
    const HomeStream stream = streamOf(home, ".");
    if (!stream)
        return std::nullopt;
    QSet<QByteArray> taken;
    for (const QByteArray &path : shown)
        taken.insert(path.split('/').first());
    std::vector<QByteArray> lost;
    int seen = 0;
    const char *name = nullptr;
    while (seen < mostSeenInHome && (name = nextName(stream.get()))) {
        ++seen;
        if (const QByteArray left = *name == '.' || taken.contains(name) ? QByteArray() : lostName(home, name);
            !left.isEmpty())
            lost.push_back(left);
    }
    if (lost.empty())
        return std::nullopt;
    std::ranges::sort(lost);
    QStringList names;
    for (const QByteArray &left : std::span(lost).first(std::min<std::size_t>(toldInHome, lost.size())))
        names.append(shortPath(QStringLiteral("~/") + textFromBytes(search ? search->scrubbed(left) : left)));
    const QStringList args{names.join(QStringLiteral(", ")), QString::number(std::ssize(lost) - names.size())};
    if (std::ssize(lost) > names.size())
        return name ? Text(QT_TRANSLATE_NOOP(
                               "engine", "Files in ~ go with the run, so they aren't kept: %1 and at least %2 more."),
                           args)
                    : Text(QT_TRANSLATE_NOOP("engine",
                                             "Files in ~ go with the run, so they aren't kept: %1 and %2 more."),
                           args);
    return Text(QT_TRANSLATE_NOOP("engine", "Files in ~ go with the run, so they aren't kept: %1."), {args[0]});
}

} // namespace glovebox
