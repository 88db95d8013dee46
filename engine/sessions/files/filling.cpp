// SPDX-License-Identifier: Apache-2.0
// The workspace is a counted tmpfs, as any run's. A project quota or a loop image needs root, and the latter all of its size from the first
// file on; a tmpfs bounds bytes, files and names for everybody, goes with the run, and costs the copying that bench_sessions measures.
#include "filling.h"

#include <QSet>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <ranges>

namespace glovebox {

namespace {

using Type = SessionEntry::Type;

timespec timeOf(qint64 nanoseconds)
{
    constexpr qint64 second = 1'000'000'000;
    const qint64 rest = (nanoseconds % second + second) % second;
    return {.tv_sec = time_t((nanoseconds - rest) / second), .tv_nsec = long(rest)};
}

// Files of a file system in memory get the time of the last tick. What is changed after this has a later one.
void waitForNextTick()
{
    timespec made = {};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &made);
    for (timespec now = made; now.tv_sec == made.tv_sec && now.tv_nsec == made.tv_nsec;) {
        const timespec pause{.tv_sec = 0, .tv_nsec = 200'000};
        ::nanosleep(&pause, nullptr);
        ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    }
}

class Filler
{
public:
    Filler(const ContentStore &store, const SessionWorkspace &workspace, const std::optional<HostIdentity> &owner)
        : m_store(store)
        , m_workspace(workspace)
        , m_owner(owner)
    {
    }

    Result<FilledFiles> fill(const SessionTree &tree)
    {
        m_parent.reset(::openat(m_workspace.folder, ".", folderFlags));
        if (!m_parent)
            return failed({}, errno);
        for (const SessionEntry &entry : tree)
            RETURN_IF_ERROR(make(entry));
        for (const SessionEntry &folder : std::views::reverse(tree)) { // a folder after what is in it
            if (folder.type == Type::Folder)
                RETURN_IF_ERROR(finishFolder(folder));
        }
        if (!m_stamps.isEmpty())
            waitForNextTick();
        return FilledFiles{std::move(m_stamps), std::move(m_accessedNs)};
    }

private:
    static std::unexpected<Error> failed(const QByteArray &path, int error)
    {
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The session's files can't be put into the run's memory: %1. "
                                                     "Nothing was run."),
                         {errnoText(error)}),
                    Text("%1", {textFromBytes(path)}));
    }

    // The folder that the entry is in; the last one stays open, as entries come by path.
    Result<int> parentOf(const QByteArray &path)
    {
        const qsizetype slash = path.lastIndexOf('/');
        const QByteArray folder = slash < 0 ? QByteArray() : path.first(slash);
        if (folder != m_folder) {
            m_parent = folder.isEmpty() ? UniqueFd(::openat(m_workspace.folder, ".", folderFlags))
                                        : openBelow(m_workspace.folder, folder, folderFlags);
            m_folder = folder;
            if (!m_parent)
                return failed(path, errno);
        }
        return m_parent.get();
    }

    bool isUnderMount(const QByteArray &path) const
    {
        for (const QByteArray &mounted : m_workspace.mounted) {
            if (path == mounted || path.startsWith(mounted + '/'))
                return true;
        }
        return false;
    }

    Status make(const SessionEntry &entry)
    {
        if (m_workspace.given.contains(entry.path))
            return {};
        if (isUnderMount(entry.path)) {
            if (entry.type == Type::Folder && m_workspace.mounted.contains(entry.path))
                return {}; // an empty one, else what is in it comes next
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "The session has a file \"%1\", where a folder of yours would "
                                                         "be shown. Show the folder somewhere else."),
                             {textFromBytes(entry.path)}));
        }
        ASSIGN_OR_RETURN(const int parent, parentOf(entry.path));
        const QByteArray name = entry.path.sliced(entry.path.lastIndexOf('/') + 1);
        switch (entry.type) {
        case Type::Folder:
            return makeFolder(entry, parent, name);
        case Type::Link:
            return makeLink(entry, parent, name);
        case Type::SameFile:
            return makeSameFile(entry, parent, name);
        case Type::File:
            return makeFile(entry, parent, name);
        }
        return {};
    }

    Status makeFolder(const SessionEntry &entry, int parent, const QByteArray &name) const
    {
        const MakingAs as(m_owner);
        if (::mkdirat(parent, name.constData(), 0700) != 0 && errno != EEXIST) // a mount's own way is there
            return failed(entry.path, errno);
        return {};
    }

    Status makeLink(const SessionEntry &entry, int parent, const QByteArray &name) const
    {
        const MakingAs as(m_owner);
        return ::symlinkat(entry.target.constData(), parent, name.constData()) == 0 ? Status()
                                                                                    : failed(entry.path, errno);
    }

    Status makeSameFile(const SessionEntry &entry, int parent, const QByteArray &name)
    {
        const qsizetype slash = entry.target.lastIndexOf('/');
        const UniqueFd folder = slash < 0 ? UniqueFd(::openat(m_workspace.folder, ".", folderFlags))
                                          : openBelow(m_workspace.folder, entry.target.first(slash), folderFlags);
        const QByteArray first = entry.target.sliced(slash + 1);
        const MakingAs as(m_owner);
        if (!folder || ::linkat(folder.get(), first.constData(), parent, name.constData(), 0) != 0)
            return failed(entry.path, errno);
        if (const auto stamp = m_stamps.constFind(entry.target); stamp != m_stamps.cend())
            m_linked.append({entry.path, entry.target});
        return restamp(entry, parent, name);
    }

    // Another name changes when the file was changed last.
    Status restamp(const SessionEntry &entry, int parent, const QByteArray &name)
    {
        struct stat info = {};
        if (::fstatat(parent, name.constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
            return failed(entry.path, errno);
        m_stamps[entry.target] = m_stamps[entry.path] = Stamp::of(info);
        m_accessedNs[entry.path] = accessedNs(info);
        for (const auto &[path, target] : m_linked) {
            if (target == entry.target)
                m_stamps[path] = Stamp::of(info);
        }
        return {};
    }

    Status makeFile(const SessionEntry &entry, int parent, const QByteArray &name)
    {
        UniqueFd file;
        {
            const MakingAs as(m_owner);
            file.reset(::openat(parent, name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        }
        if (!file)
            return failed(entry.path, errno);
        const Status passed = m_store.pass(entry.digest, [&](QByteArrayView piece) {
            return writeWhole(file.get(), {piece.data(), std::size_t(piece.size())}) ? Status()
                                                                                     : failed(entry.path, errno);
        });
        if (!passed && (passed.error().code == ErrorCode::Damaged || passed.error().code == ErrorCode::NotFound))
            return fail(ErrorCode::Damaged,
                        Text(QT_TRANSLATE_NOOP("engine", "The session's file \"%1\" is damaged on this machine's disk. "
                                                         "Nothing was run. Go back to an earlier snapshot, or remove "
                                                         "the file from the session."),
                             {textFromBytes(entry.path)}),
                        passed.error().message);
        RETURN_IF_ERROR(passed);
        const timespec now{.tv_sec = 0,
                           .tv_nsec = UTIME_NOW}; // not after the next access, whenever the file was changed
        const timespec times[2] = {now, timeOf(entry.modifiedNs)};
        struct stat info = {};
        if (::fchmod(file.get(), entry.mode & 0777) != 0 || ::futimens(file.get(), times) != 0
            || ::fstat(file.get(), &info) != 0)
            return failed(entry.path, errno);
        m_stamps[entry.path] = Stamp::of(info);
        m_accessedNs[entry.path] = accessedNs(info);
        return {};
    }

    Status finishFolder(const SessionEntry &entry) const
    {
        if (isUnderMount(entry.path))
            return {};
        const UniqueFd folder = openBelow(m_workspace.folder, entry.path, folderFlags);
        return folder && ::fchmod(folder.get(), entry.mode & 0777) == 0 ? Status() : failed(entry.path, errno);
    }

    const ContentStore &m_store;
    const SessionWorkspace &m_workspace;
    const std::optional<HostIdentity> m_owner;
    QByteArray m_folder;
    UniqueFd m_parent; // of m_folder
    Stamps m_stamps;
    QHash<QByteArray, qint64> m_accessedNs;
    QList<std::pair<QByteArray, QByteArray>> m_linked; // other names, and the file that they name
};

// Whether what is made of both is the same, as far as others than programs can tell.
bool isMadeAlike(const SessionEntry &left, const SessionEntry &right)
{
    return left.type == right.type && left.type != Type::SameFile && left.mode == right.mode
           && left.digest == right.digest && left.target == right.target;
}

Status removeEntry(const SessionWorkspace &workspace, const SessionEntry &entry)
{
    const qsizetype slash = entry.path.lastIndexOf('/');
    const UniqueFd parent = slash < 0 ? UniqueFd(::openat(workspace.folder, ".", folderFlags))
                                      : openBelow(workspace.folder, entry.path.first(slash), folderFlags);
    const QByteArray name = entry.path.sliced(slash + 1);
    const int how = entry.type == Type::Folder ? AT_REMOVEDIR : 0;
    if (!parent || ::unlinkat(parent.get(), name.constData(), how) == 0 || errno == ENOENT)
        return {};
    if (how == AT_REMOVEDIR && (errno == ENOTEMPTY || errno == EEXIST))
        return {}; // what is in the folder was never the session's
    return fail(codeForErrno(errno),
                Text(QT_TRANSLATE_NOOP("engine", "The session's files have changed, and its interpreter can't be given "
                                                 "them. Run the code again, in a new one.")),
                errnoDetail(errno, textFromBytes(entry.path)));
}

} // namespace

Status refreshWorkspace(const ContentStore &store, const SessionTree &from, const SessionTree &to,
                        const SessionWorkspace &workspace, const std::optional<HostIdentity> &owner)
{
    QHash<QByteArray, const SessionEntry *> wanted;
    for (const SessionEntry &entry : to)
        wanted.insert(entry.path, &entry);
    QSet<QByteArray> same;
    for (const SessionEntry &former : std::views::reverse(from)) { // a folder after what is in it
        const SessionEntry *next = wanted.value(former.path);
        if (next && isMadeAlike(former, *next)) {
            same.insert(former.path);
            continue;
        }
        if (next && next->type == Type::Folder && former.type == Type::Folder)
            continue; // of another mode
        RETURN_IF_ERROR(removeEntry(workspace, former));
    }
    SessionTree missing;
    std::ranges::copy_if(to, std::back_inserter(missing),
                         [&](const SessionEntry &entry) { return !same.contains(entry.path); });
    ASSIGN_OR_RETURN([[maybe_unused]] const FilledFiles made, Filler(store, workspace, owner).fill(missing));
    return {};
}

qint64 accessedNs(const struct stat &info)
{
    return fileTimeNs(info.st_atim);
}

Result<FilledFiles> fillWorkspace(const ContentStore &store, const SessionTree &tree, const SessionWorkspace &workspace,
                                  const std::optional<HostIdentity> &owner)
{
    return Filler(store, workspace, owner).fill(tree);
}

} // namespace glovebox
