// SPDX-License-Identifier: Apache-2.0
#include "sessionplace.h"

#include "files/sessiontree.h"
#include "sharedstore.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>
#include <filesystem>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int notesVersion = 4;
constexpr int versionWithoutSharing = 3; // what knows no shared store would remove what other sessions have
constexpr int versionWithoutProfile = 2; // what knows no profiles would run code under other limits
constexpr int versionWithoutPackages = 1; // what knows no packages would lose them
constexpr qint64 mostNotesBytes = 16 * mebibyte;
constexpr std::chrono::seconds longestTime = std::chrono::days(36'500); // sums with it are numbers, too
constexpr auto patienceForNotes = std::chrono::minutes(1); // files of a run may be copied meanwhile

const QString interpreterPrefix = u"interpreter-"_s; // of a file whose name has an id and a language
const QString copyPrefix =
    u"copy-"_s; // of a file whose name has a tree and a run, locked as long as the run has a copy of that tree

QJsonObject noteOf(const Snapshot &snapshot)
{
    QJsonObject note = toJson(snapshot);
    note[u"tree"_s] = QString::fromLatin1(snapshot.tree.toHex());
    return note;
}

Snapshot snapshotFrom(const QJsonObject &note)
{
    return {.number = note[u"number"_s].toInt(),
            .parent = note[u"parent"_s].toInt(),
            .isBeside = note[u"beside"_s].toBool(),
            .timeMicroseconds = note[u"time_us"_s].toInteger(),
            .cause = fromString<SnapshotCause>(note[u"cause"_s].toString()).value_or(SnapshotCause::Created),
            .run = note[u"run"_s].toString(),
            .source = note[u"source"_s].toInt(),
            .label = note[u"label"_s].toString(),
            .tree = QByteArray::fromHex(note[u"tree"_s].toString().toLatin1()),
            .bytes = note[u"bytes"_s].toInteger(),
            .files = note[u"files"_s].toInteger(),
            .added = note[u"added"_s].toInteger(),
            .changed = note[u"changed"_s].toInteger(),
            .removed = note[u"removed"_s].toInteger()};
}

// As the code that counts on these numbers made them.
bool isSound(const Session &session)
{
    int last = 0;
    for (const Snapshot &snapshot : session.snapshots) {
        if (snapshot.number <= last || snapshot.number == INT_MAX || snapshot.tree.size() != sha256Bytes)
            return false;
        last = snapshot.number;
    }
    const auto time = session.timeToLive.value_or(longestTime); // one that isn't a number of seconds is 0
    return session.snapshot(session.head) && time.count() > 0 && time <= longestTime && session.storedBytes >= 0
           && session.diskBytes >= LimitRange::diskMin && session.diskBytes <= LimitRange::diskMax;
}

QJsonObject noteOf(const SessionPackages &packages)
{
    return {{u"language"_s, packages.language},
            {u"id"_s, packages.id},
            {u"interpreter"_s, packages.interpreter},
            {u"requirements"_s, QJsonArray::fromStringList(packages.requirements)},
            {u"packages"_s, QJsonArray::fromStringList(packages.packages)},
            {u"lock"_s, QString::fromUtf8(packages.lock)}};
}

SessionPackages packagesFrom(const QJsonObject &note)
{
    const auto texts = [&](const QString &key) {
        QStringList all;
        for (const auto &text : note[key].toArray())
            all.append(text.toString());
        return all;
    };
    return {.language = note[u"language"_s].toString(),
            .id = note[u"id"_s].toString(),
            .interpreter = note[u"interpreter"_s].toString(),
            .requirements = texts(u"requirements"_s),
            .packages = texts(u"packages"_s),
            .lock = note[u"lock"_s].toString().toUtf8()};
}

std::unexpected<Error> unreadableNotes(const QString &folder)
{
    return fail(
        ErrorCode::Damaged,
        Text(QT_TRANSLATE_NOOP("engine", "The notes of the session in %1 can't be read. Restore session.json from "
                                         "a backup, or delete the session."),
             {folder}));
}

} // namespace

SessionPlace::SessionPlace(const QString &sessions, QString id)
    : m_id(std::move(id))
    , m_folder(sessions + u'/' + m_id)
{
}

Result<std::optional<FileLock>> SessionPlace::lock() const
{
    constexpr int looks = 100;
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int look = 1;; ++look) {
        ASSIGN_OR_RETURN(auto lock, FileLock::tryExisting(lockFile()));
        if (lock || look == looks || !QFileInfo::exists(lockFile()))
            return lock;
        ::nanosleep(&pause, nullptr);
    }
}

ContentStore SessionPlace::store() const
{
    return ContentStore(m_folder + u"/content"_s, ContentStore::Syncing::Together);
}

QString SessionPlace::sharedStore() const
{
    const QString target =
        QFile::decodeName(linkTarget(AT_FDCWD, QFile::encodeName(m_folder + u"/content"_s).constData()));
    return target.startsWith(u"../"_s) && target.endsWith(sharedSuffix) ? target.sliced(3) : QString();
}

Result<Session> SessionPlace::read() const
{
    auto bytes = readOwnFile(m_folder + u"/session.json"_s, mostNotesBytes);
    if (!bytes && bytes.error().code == ErrorCode::InvalidInput) // no file, or no small one
        return fail(ErrorCode::Damaged, bytes.error().message, bytes.error().detail);
    if (!bytes && bytes.error().code == ErrorCode::NotFound) // any more: it is deleted at this moment
        return noSession(m_id);
    if (!bytes)
        return std::unexpected(bytes.error());
    const std::optional<QByteArray> &content = *bytes;
    if (!content)
        return noSession(m_id);
    const auto notes = parseStrictJson(*content);
    if (!notes)
        return unreadableNotes(m_folder);
    const int version = (*notes)[u"schema"_s].toInt();
    if (version > notesVersion)
        return newerSession(m_id);
    Session session{.id = m_id,
                    .name = (*notes)[u"name"_s].toString(),
                    .createdMicroseconds = (*notes)[u"created_us"_s].toInteger(),
                    .usedMicroseconds = (*notes)[u"used_us"_s].toInteger(),
                    .diskBytes = (*notes)[u"disk_bytes"_s].toInteger(),
                    .profile = (*notes)[u"profile"_s].toString(),
                    .agent = (*notes)[u"agent"_s].toString(),
                    .head = (*notes)[u"head"_s].toInt(),
                    .storedBytes = (*notes)[u"stored_bytes"_s].toInteger()};
    if (const QJsonValue ttl = (*notes)[u"ttl_s"_s]; !ttl.isNull())
        session.timeToLive = std::chrono::seconds(ttl.toInteger());
    for (const auto &host : (*notes)[u"allow"_s].toArray())
        session.allow.append(host.toString());
    for (const auto &note : (*notes)[u"packages"_s].toArray())
        session.packages.append(packagesFrom(note.toObject()));
    for (const auto &note : (*notes)[u"snapshots"_s].toArray())
        session.snapshots.append(snapshotFrom(note.toObject()));
    return version >= versionWithoutPackages && isSound(session) ? Result<Session>(session) : unreadableNotes(m_folder);
}

QString SessionPlace::personsName() const
{
    const auto bytes = readOwnFile(m_folder + u"/session.json"_s, mostNotesBytes);
    const auto notes = bytes ? parseStrictJson(bytes->value_or(QByteArray())) : std::unexpected(bytes.error());
    return notes && (*notes)[u"agent"_s].toString().isEmpty() ? (*notes)[u"name"_s].toString() : QString();
}

Result<FileLock> SessionPlace::lockNotes() const
{
    const auto deadline = std::chrono::steady_clock::now() + patienceForNotes;
    for (;;) {
        auto lock = FileLock::create(m_folder + u"/notes.lock"_s); // waits a little by itself
        if (!lock && lock.error().code == ErrorCode::NotFound)
            return noSession(m_id);
        if (lock || lock.error().code != ErrorCode::Busy || std::chrono::steady_clock::now() >= deadline)
            return lock;
    }
}

Result<std::optional<FileLock>> SessionPlace::tryLockNotes() const
{
    const QString path = m_folder + u"/notes.lock"_s;
    if (QFileInfo::exists(path))
        return FileLock::tryExisting(path);
    ASSIGN_OR_RETURN(FileLock lock, FileLock::create(path));
    return lock;
}

Result<FileLock> SessionPlace::pin(const QByteArray &tree, const QString &run) const
{
    auto lock = FileLock::create(m_folder + u'/' + copyPrefix + QString::fromLatin1(tree.toHex()) + u'-' + run);
    if (!lock && lock.error().code == ErrorCode::NotFound)
        return noSession(m_id);
    return lock;
}

Result<QStringList> SessionPlace::namesBeginning(const QString &prefix) const
{
    QStringList names;
    std::error_code error;
    std::filesystem::directory_iterator entry(QFile::encodeName(m_folder).constData(), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        const QString name = QFile::decodeName(QByteArray::fromStdString(entry->path().filename().string()));
        if (name.startsWith(prefix))
            names.append(name);
    }
    if (!error || error.value() == ENOENT)
        return error ? Result<QStringList>(noSession(m_id)) : names;
    return fail(codeForErrno(error.value()),
                Text(QT_TRANSLATE_NOOP("engine", "The session's folder %1 can't be listed: %2. Check its owner and "
                                                 "permissions, or close other programs."),
                     {m_folder, errnoText(error.value())}));
}

// Those of programs that were killed are removed.
Result<QList<SessionPlace::Copy>> SessionPlace::copies() const
{
    QList<Copy> all;
    ASSIGN_OR_RETURN(const QStringList names, namesBeginning(copyPrefix));
    for (const QString &name : names) {
        auto lock = FileLock::tryExisting(m_folder + u'/' + name);
        if (lock && *lock)
            (*lock)->removeAndRelease(); // NOLINT(bugprone-unchecked-optional-access): the line above looks
        else if (name.size() > copyPrefix.size() + 2 * sha256Bytes && QFile::exists(m_folder + u'/' + name))
            all.append({name.sliced(copyPrefix.size() + 2 * sha256Bytes + 1),
                        QByteArray::fromHex(name.sliced(copyPrefix.size(), 2 * sha256Bytes).toLatin1())});
    }
    return all;
}

Result<FileLock> SessionPlace::markInterpreter(const QString &language) const
{
    return FileLock::create(m_folder + u'/' + interpreterPrefix + newId(Clock::system()) + u'-' + language);
}

// Those of programs that were killed are removed.
Result<QStringList> SessionPlace::interpreters() const
{
    QStringList languages;
    ASSIGN_OR_RETURN(const QStringList names, namesBeginning(interpreterPrefix));
    for (const QString &name : names) {
        auto lock = FileLock::tryExisting(m_folder + u'/' + name);
        if (lock && *lock)
            (*lock)->removeAndRelease(); // NOLINT(bugprone-unchecked-optional-access): the line above looks
        else if (QFile::exists(m_folder + u'/' + name))
            languages.append(name.section(u'-', -1));
    }
    return languages;
}

Status SessionPlace::write(const Session &session, bool isShared) const
{
    QJsonObject notes = toJson(session, false);
    notes[u"schema"_s] = isShared || !sharedStore().isEmpty() ? notesVersion
                         : !session.profile.isEmpty()         ? versionWithoutSharing
                         : session.packages.isEmpty()         ? versionWithoutPackages
                                                              : versionWithoutProfile;
    if (!session.profile.isEmpty())
        notes[u"profile"_s] = session.profile;
    QJsonArray packages;
    for (const SessionPackages &each : session.packages)
        packages.append(noteOf(each));
    notes[u"packages"_s] = packages;
    notes[u"agent"_s] = session.agent;
    notes[u"head"_s] = session.head;
    QJsonArray snapshots;
    for (const Snapshot &snapshot : session.snapshots)
        snapshots.append(noteOf(snapshot));
    notes[u"snapshots"_s] = snapshots;
    ASSIGN_OR_RETURN(const QByteArray bytes, canonicalJson(notes));
    const QString path = m_folder + u"/session.json"_s;
    if (const int error = replaceFile(path, bytes); error != 0)
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The session's notes can't be written to %1: %2. Check the free "
                                                     "space."),
                         {path, errnoText(error)}));
    return {};
}

Result<SessionTree> SessionPlace::tree(const Snapshot &snapshot) const
{
    const auto bytes = store().get(snapshot.tree);
    const auto tree = bytes ? decodedTree(*bytes) : std::nullopt;
    if (!tree)
        return fail(ErrorCode::Damaged,
                    Text(QT_TRANSLATE_NOOP("engine", "Snapshot %1 of the session is damaged on this machine's disk. Go "
                                                     "back to another one."),
                         {QString::number(snapshot.number)}),
                    bytes ? Text() : bytes.error().message);
    return *tree;
}

Status SessionPlace::beginKeeping() const
{
    RETURN_IF_ERROR(makePrivateFolder(m_folder + u"/content"_s));
    const UniqueFd mark(::open(QFile::encodeName(keepingFile()).constData(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!mark)
        return fail(
            codeForErrno(errno),
            Text(QT_TRANSLATE_NOOP("engine", "The session's folder %1 can't be written: %2. Check the free space "
                                             "and its permissions."),
                 {m_folder, errnoText(errno)}));
    return {};
}

void SessionPlace::endKeeping() const
{
    QFile::remove(keepingFile());
}

bool SessionPlace::wasCutShort() const
{
    return QFileInfo::exists(keepingFile());
}

std::optional<SessionPlace::Doubt> SessionPlace::doubtOf(const Session &session) const
{
    constexpr qint64 mostBytes = 100;
    const auto bytes = readOwnFile(doubtFile(), mostBytes);
    const QByteArrayList numbers = bytes ? bytes->value_or(QByteArray()).split(' ') : QByteArrayList();
    if (numbers.size() != 3)
        return std::nullopt;
    const Doubt doubt{numbers[0].toLongLong(), numbers[1].toLongLong(), numbers[2].toLongLong()};
    return doubt.usedMicroseconds == session.usedMicroseconds ? std::optional(doubt) : std::nullopt;
}

bool SessionPlace::isGraceOver(const Session &session) const
{
    const auto doubt = doubtOf(session);
    return doubt && doubt->countedMicroseconds >= session.grace().count();
}

void SessionPlace::look(const Session &session, qint64 nowMicroseconds) const
{
    if (!session.isExpired(nowMicroseconds) && session.usedMicroseconds <= nowMicroseconds) {
        QFile::remove(doubtFile());
        return;
    }
    const qint64 grace = session.grace().count();
    Doubt doubt{.usedMicroseconds = session.usedMicroseconds, .lookedMicroseconds = nowMicroseconds};
    if (const auto before = doubtOf(session)) {
        constexpr qint64 parts = 100; // a run each second needs no file each second
        const qint64 since = nowMicroseconds - before->lookedMicroseconds;
        if (since >= 0 && since < grace / parts)
            return;
        doubt.countedMicroseconds = before->countedMicroseconds + std::clamp<qint64>(since, 0, (grace + 2) / 3);
    }
    const QByteArrayList numbers{QByteArray::number(doubt.usedMicroseconds),
                                 QByteArray::number(doubt.lookedMicroseconds),
                                 QByteArray::number(doubt.countedMicroseconds)};
    replaceFile(doubtFile(), numbers.join(' ')); // where it can't be written, the session stays
}

std::optional<qint64> SessionPlace::addContents(const Session &session, Contents &used) const
{
    qint64 bytes = 0;
    QSet<QByteArray> trees;
    for (const Snapshot &snapshot : session.snapshots)
        trees.insert(snapshot.tree);
    const auto copied = copies();
    if (!copied)
        return std::nullopt;
    for (const Copy &copy : *copied)
        trees.insert(copy.tree);
    for (const QByteArray &digest : trees - used.trees) {
        const auto files = tree({.tree = digest});
        if (!files)
            return std::nullopt;
        for (const SessionEntry &entry : *files) {
            bytes += entry.type == SessionEntry::Type::File && !used.all.contains(entry.digest) ? entry.bytes : 0;
            used.all.insert(entry.digest);
        }
    }
    used.trees.unite(trees);
    used.all.unite(trees);
    return bytes;
}

Result<QString> SessionPlace::setAside() const
{
    const auto session = read(); // damaged ones can be removed, too
    if (!session && session.error().code == ErrorCode::NotFound)
        return std::unexpected(session.error());
    ASSIGN_OR_RETURN(const auto held, lock());
    if (!held && QFile::exists(lockFile()))
        return busySession(session.value_or(Session{.id = m_id}));
    const auto notes = lockNotes(); // a disk that is full keeps nobody from deleting
    const auto pins = lockPins(); // else a copy could begin between the look and the rename
    ASSIGN_OR_RETURN(const auto copied, copies());
    const auto isBusy = [](const Result<FileLock> &lock) { return !lock && lock.error().code == ErrorCode::Busy; };
    if (isBusy(notes) || isBusy(pins) || !copied.isEmpty())
        return busySession(session.value_or(Session{.id = m_id}));
    const QString sessions = QFileInfo(m_folder).path();
    if (const QString shared = sharedStore(); !shared.isEmpty())
        SharedStore(sessions, shared).markRemains();
    // From here on it is none, whatever happens.
    QString removed = m_folder + removedSuffix;
    if (::rename(QFile::encodeName(m_folder).constData(), QFile::encodeName(removed).constData()) != 0) {
        if (errno == ENOENT) // somebody else was first
            return noSession(m_id);
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "The session in %1 can't be removed: %2. Check the folder's "
                                                     "permissions."),
                         {m_folder, errnoText(errno)}));
    }
    static_cast<void>(syncFolder(sessions));
    return removed;
}

qint64 SessionPlace::sweep(const Session &session) const
{
    Contents used;
    const auto bytes = addContents(session, used);
    if (!bytes)
        return session.storedBytes; // nobody knows what belongs to it
    if (const QString shared = sharedStore(); !shared.isEmpty()) {
        const SharedStore store(QFileInfo(m_folder).path(), shared);
        store.markRemains();
        store.sweep(m_id, used);
        return *bytes;
    }
    QDir(m_folder + u"/content/incoming"_s).removeRecursively();
    const auto left = store().removeAllBut(used.all);
    if (!left)
        qCWarning(lcAudit).noquote() << left.error().message.english() << left.error().detail.english();
    return left.value_or(session.storedBytes);
}

Text damagedFile(const SessionEntry &file)
{
    return {QT_TRANSLATE_NOOP("engine", "The session's file \"%1\" is damaged on this machine's disk. Go back to an "
                                        "earlier snapshot, or remove the file from the session."),
            {textFromBytes(file.path)}};
}

std::unexpected<Error> noSession(const QString &wanted)
{
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine", "There is no session \"%1\". \"glovebox session list\" shows all."),
                     {wanted}));
}

std::unexpected<Error> newerSession(const QString &session)
{
    return fail(ErrorCode::Newer,
                Text(QT_TRANSLATE_NOOP("engine", "A newer version of Glovebox made the session %1. Use that version."),
                     {session}));
}

std::unexpected<Error> expiredSession(const Session &session)
{
    const auto unused = std::chrono::microseconds(session.timeToLive.value_or(std::chrono::seconds(0)));
    const QDateTime when = QDateTime::fromMSecsSinceEpoch((session.usedMicroseconds + unused.count()) / 1000);
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine", "The session %1 expired on %2, as nobody used it. \"glovebox session "
                                                 "create\" makes another."),
                     {session.shownName(), when.toString(u"yyyy-MM-dd HH:mm"_s)}));
}

std::unexpected<Error> noSnapshot(const Session &session, int number)
{
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine", "The session %1 has no snapshot %2, or no longer. \"glovebox "
                                                 "session snapshots %3\" lists those that are."),
                     {session.shownName(), QString::number(number),
                      session.agent.isEmpty() ? session.shownName() : session.id}));
}

std::unexpected<Error> busySession(const Session &session)
{
    return fail(ErrorCode::Busy,
                Text(QT_TRANSLATE_NOOP("engine", "The session %1 is in use by a run, or by another program. Try again "
                                                 "when that has ended."),
                     {session.shownName()}));
}

} // namespace glovebox
