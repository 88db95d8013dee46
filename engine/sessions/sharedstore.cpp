// SPDX-License-Identifier: Apache-2.0
#include "sharedstore.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QByteArray linkTo(const QString &store)
{
    return "../" + QFile::encodeName(store); // from a session's folder: all of them can be moved elsewhere together
}

// While it exists, so many files more can be open, as far as the system lets this program: many desktops begin with 1,024.
class MoreDescriptors
{
public:
    explicit MoreDescriptors(qsizetype more)
    {
        if (::getrlimit(RLIMIT_NOFILE, &m_before) != 0 || m_before.rlim_cur == RLIM_INFINITY)
            return;
        const rlimit raised{std::min(m_before.rlim_cur + rlim_t(more), m_before.rlim_max), m_before.rlim_max};
        m_isRaised = ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
    }
    ~MoreDescriptors()
    {
        if (m_isRaised)
            ::setrlimit(RLIMIT_NOFILE, &m_before);
    }
    Q_DISABLE_COPY_MOVE(MoreDescriptors)

    quint64 most() const { return m_before.rlim_max; } // that the system lets this program open

private:
    rlimit m_before = {};
    bool m_isRaised = false;
};

// Else nobody would know why the disk stays full: unlike a session in use, this limit doesn't go away by itself.
void warnOfFewDescriptors(qsizetype sessions, quint64 most)
{
    const Text sentence(QT_TRANSLATE_NOOP("engine",
                                          "Stored files that no session needs stay on the disk: %1 sessions share "
                                          "a store, and only %2 files may be open. Raise the hard limit of open "
                                          "files, shown by \"ulimit -Hn\"; the next command then deletes them."),
                        {QString::number(sessions), QString::number(most)});
    qCWarning(lcAudit).noquote() << sentence.english();
}

} // namespace

std::optional<SharedStore> SharedStore::of(const SessionPlace &place, const Session &session)
{
    const QString sessions = QFileInfo(place.folder()).path();
    if (const QString name = place.sharedStore(); !name.isEmpty())
        return SharedStore(sessions, name);
    SharedStore store(sessions, newId(Clock::system()) + sharedSuffix);
    const QByteArray shared = QFile::encodeName(store.folder());
    const QByteArray own = QFile::encodeName(place.store().folder());
    if (QFileInfo(place.store().folder()).isSymLink()) // the person has moved it to another disk
        return std::nullopt;
    // First, so that no version that doesn't know of it removes what others have.
    if (!place.write(session, true) || ::symlink(linkTo(store.m_name).constData(), shared.constData()) != 0)
        return std::nullopt;
    // Both change their places at once: whoever reads a content finds it, and a kill leaves nothing half done.
    if (exchangeNames(own.constData(), shared.constData()) != 0) {
        ::unlink(shared.constData());
        return std::nullopt;
    }
    // In this order: where a file system writes both by themselves, a power cut leaves the contents two names, not none.
    static_cast<void>(syncFolder(sessions));
    static_cast<void>(syncFolder(place.folder()));
    return store;
}

bool SharedStore::giveTo(const SessionPlace &place) const
{
    return ::symlink(linkTo(m_name).constData(), QFile::encodeName(place.store().folder()).constData()) == 0;
}

void SharedStore::markRemains() const
{
    const UniqueFd mark(::open(QFile::encodeName(remainsFile()).constData(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

std::optional<QStringList> SharedStore::users() const
{
    QStringList ids;
    std::error_code error;
    std::filesystem::directory_iterator entry(QFile::encodeName(m_sessions).constData(), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const QString id = QFile::decodeName(QByteArray::fromStdString(entry->path().filename().string()));
        if (!isId(id))
            continue;
        const QByteArray target = linkTarget(AT_FDCWD, (entry->path() / "content").c_str());
        if (target == linkTo(m_name))
            ids.append(id);
        else if (target.isEmpty() && errno != EINVAL
                 && (errno != ENOENT || entry->is_symlink(error)
                     || ::access((entry->path() / "session.json").c_str(), F_OK) == 0))
            return std::nullopt; // a disk that isn't there now, a folder that was closed, or one copied without links
    }
    return error ? std::nullopt : std::optional(ids);
}

bool SharedStore::addContentsBut(const QString &session, SessionPlace::Contents &used) const
{
    const auto ids = users();
    return ids && std::ranges::all_of(*ids, [&](const QString &id) {
               const SessionPlace place(m_sessions, id);
               const auto other = id == session ? noSession(id) : place.read();
               return id == session || (other && place.addContents(*other, used));
           });
}

QString SharedStore::retired() const
{
    const auto naming = FileLock::create(m_sessions + u"/names.lock"_s); // nobody is making a session
    const auto sessions = naming ? users() : std::nullopt;
    if (!sessions || !sessions->isEmpty())
        return {};
    const QByteArray name = QFile::encodeName(folder());
    const QString gone = folder() + removedSuffix;
    if (::unlink(name.constData()) == 0) // a link that leads to itself is what a fork leaves that is killed
        return {};
    return ::rename(name.constData(), QFile::encodeName(gone).constData()) == 0 ? gone : QString();
}

void SharedStore::sweep(const QString &locked, SessionPlace::Contents used) const
{
    std::optional<MoreDescriptors> more;
    std::vector<FileLock> locks; // nobody stores something meanwhile, or forks one of these
    std::vector<Session> sessions;
    {
        std::array<UniqueFd, 8> room; // for what is opened below, when all locks are held
        const auto naming = FileLock::create(m_sessions + u"/names.lock"_s); // they are all that there are
        const auto ids = naming ? users() : std::nullopt;
        if (!ids)
            return;
        more.emplace(ids->size() + qsizetype(room.size()));
        for (UniqueFd &fd : room)
            fd.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        const auto warnIfFew = [&](const Error &error) {
            if (error.code == ErrorCode::Unavailable)
                warnOfFewDescriptors(ids->size(), more->most());
        };
        for (const QString &id : *ids) {
            if (id == locked)
                continue;
            const SessionPlace place(m_sessions, id);
            auto lock = place.tryLockNotes();
            if (!lock)
                warnIfFew(lock.error());
            if (!lock || !*lock)
                return;
            auto session = place.read();
            if (!session) {
                warnIfFew(session.error());
                return;
            }
            locks.push_back(**std::move(lock));
            sessions.push_back(*std::move(session));
        }
    }
    for (const Session &session : sessions) {
        if (!SessionPlace(m_sessions, session.id).addContents(session, used))
            return;
    }
    QDir(folder() + u"/incoming"_s).removeRecursively();
    if (const auto left = ContentStore(folder()).removeAllBut(used.all); left)
        QFile::remove(remainsFile());
    else
        qCWarning(lcAudit).noquote() << left.error().message.english() << left.error().detail.english();
}

QStringList SharedStore::tidy(const QString &sessions, const QString &certain)
{
    const QStringList names = QDir(sessions).entryList({u'*' + sharedSuffix}, QDir::Dirs | QDir::System);
    QSet<QString> used;
    for (const QString &id : names.isEmpty() ? QStringList() : QDir(sessions).entryList(QDir::Dirs))
        used.insert(isId(id) ? SessionPlace(sessions, id).sharedStore() : QString());
    QStringList gone;
    for (const QString &name : names) {
        const SharedStore store(sessions, name);
        if (!used.contains(name))
            gone.append(store.retired());
        else if (name == certain || QFileInfo::exists(store.remainsFile()))
            store.sweep();
    }
    gone.removeAll(QString());
    return gone;
}

} // namespace glovebox
