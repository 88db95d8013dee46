// SPDX-License-Identifier: Apache-2.0
#include "packageplace.h"

#include "installer.h"
#include "tasks.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int unusedDays = 90; // after which packages that nobody used are removed
constexpr qint64 mostNotes = 4 * mebibyte;

QString placesOfPackages()
{
    return u"/var/lib/glovebox"_s;
}

Status makePassed(const QString &folder, bool isPassed)
{
    RETURN_IF_ERROR(makePrivateFolder(folder));
    if (isPassed && ::chmod(QFile::encodeName(folder).constData(), 0711) != 0)
        return fail(codeForErrno(errno), Text("chmod"), errnoDetail(errno, folder));
    return {};
}

std::unexpected<Error> notWritten(int error, const QString &path)
{
    return fail(codeForErrno(error),
                Text(QT_TRANSLATE_NOOP("engine", "The packages can't be written to %1: %2. Check the free space."),
                     {path, errnoText(error)}));
}

constexpr std::chrono::milliseconds lookEvery{50}; // whether it was cancelled

// The whole file system: quicker than thousands of files one by one. 0, or an errno value.
int syncAll(const UniqueFd &descriptor)
{
    const DiskWait wait;
    return syncBelow(descriptor.get()) ? 0 : errno;
}

// Nothing ends a wait for the disk, so it goes on by itself where it was cancelled.
Status syncUnlessCancelled(UniqueFd folder, const QString &path, const IsCancelled &isCancelled)
{
    std::promise<int> end;
    std::future<int> ended = end.get_future();
    const auto descriptor = std::make_shared<UniqueFd>(std::move(folder));
    try {
        std::thread([descriptor, end = std::move(end)]() mutable {
            blockSignals();
            end.set_value(syncAll(*descriptor));
        }).detach();
    } catch (const std::system_error &) { // no more threads
        const int error = syncAll(*descriptor);
        return error == 0 ? Status() : notWritten(error, path);
    }
    while (ended.wait_for(lookEvery) != std::future_status::ready) {
        if (isCancelled())
            return notInstalledAsCancelled();
    }
    const int error = ended.get();
    return error == 0 ? Status() : notWritten(error, path);
}

// Others may copy for long.
Result<FileLock> lockUnlessCancelled(const QString &path, std::chrono::seconds patience, const IsCancelled &isCancelled)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!isCancelled()) {
        ASSIGN_OR_RETURN(auto lock, FileLock::tryExisting(path));
        if (lock)
            return *std::move(lock);
        if (!QFile::exists(path))
            return FileLock::create(path);
        if (std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::Busy,
                        QT_TRANSLATE_NOOP("engine", "Other installations or removals of packages have held %1 for "
                                                    "%2 s. Nothing was installed. Try again when they have ended."),
                        {path, QString::number(patience.count())});
        std::this_thread::sleep_for(lookEvery);
    }
    return notInstalledAsCancelled();
}

} // namespace

PackagePlace::PackagePlace(const Paths &paths, std::function<std::optional<HostIdentity>()> owner)
    : m_data(paths.data)
    , m_notes(paths.data + u"/packages"_s)
    , m_base(m_notes)
{
    if (::geteuid() == 0) {
        m_owner = std::move(owner);
        m_base = placesOfPackages() + u"/packages-"_s
                 + QString::fromLatin1(sha256({QFile::encodeName(paths.data)}).toHex().first(16));
    }
}

QString PackagePlace::idOf(const PackageLock &lock, const QString &program)
{
    PackageLock bare = lock; // the same packages are the same, whoever asked for them however
    bare.index.clear();
    bare.requirements.clear();
    QByteArray identity = QFile::encodeName(program);
    // python3.11 stays that when it is upgraded; a program of another name may become any version.
    if (!program.section(u'/', -1).endsWith(lock.runtime)) {
        struct stat info = {};
        if (::stat(identity.constData(), &info) == 0)
            identity +=
                ' ' + QByteArray::number(quint64(info.st_ino)) + ' ' + QByteArray::number(qint64(info.st_mtim.tv_sec));
    }
    return QString::fromLatin1(sha256({toBytes(bare), identity}).toHex());
}

std::unexpected<Error> PackagePlace::notInstalled()
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "The packages of the run are no longer installed. Install them again."),
                {});
}

Result<PackagePlace::Installed> PackagePlace::read(const QString &id) const
{
    const QString folder = m_base + u'/' + id;
    QFile file(notesOf(id));
    if (!isPackagesId(id) || !file.open(QIODevice::ReadOnly))
        return notInstalled();
    const auto json = parseStrictJson(file.read(mostNotes).trimmed());
    const auto lock = json ? readPackageLock((*json)[u"lock"_s].toString().toUtf8()) : std::unexpected(json.error());
    if (!lock)
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The notes of installed packages can't be read. Remove the folder %1."),
                    {folder});
    return Installed{*lock, (*json)[u"program"_s].toString(), (*json)[u"runs_at_start"_s].toBool(true)};
}

Result<PackagePlace::Installed> PackagePlace::find(const QString &id) const
{
    ASSIGN_OR_RETURN(Installed installed, read(id));
    ::utimensat(AT_FDCWD, QFile::encodeName(notesOf(id)).constData(), nullptr, 0); // used
    return installed;
}

QList<KeptPackages> PackagePlace::list() const
{
    QList<KeptPackages> all;
    for (const QString &id : QDir(m_base).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (!isPackagesId(id))
            continue;
        const auto installed = read(id);
        KeptPackages kept{.id = id,
                          .lock = installed ? std::optional(installed->lock) : std::nullopt,
                          .program = installed ? installed->program : QString(),
                          .usedMicroseconds = QFileInfo(notesOf(id)).lastModified().toMSecsSinceEpoch() * 1000};
        QDirIterator files(m_base + u'/' + id, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            files.next();
            kept.bytes += files.fileInfo().isSymLink() ? 0 : files.fileInfo().size();
        }
        all.append(kept);
    }
    std::ranges::sort(all, std::ranges::greater(), &KeptPackages::usedMicroseconds);
    return all;
}

// By another name at first, so that nobody finds half of it; what is left of that goes with the next installation.
Status PackagePlace::remove(const QString &id) const
{
    const QString folder = m_base + u'/' + id, removed = m_base + u"/new-"_s + id;
    if (!isPackagesId(id) || !QFileInfo(folder).isDir())
        return notInstalled();
    ASSIGN_OR_RETURN(const FileLock lock, FileLock::create(m_notes + u"/lock"_s));
    static_cast<void>(removeTree(removed));
    if (::rename(QFile::encodeName(folder).constData(), QFile::encodeName(removed).constData()) != 0)
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "The packages in %1 can't be removed: %2. Check the folder's "
                                                     "permissions."),
                         {folder, errnoText(errno)}));
    return removeTree(removed);
}

Status PackagePlace::makeBase() const
{
    RETURN_IF_ERROR(makePrivateFolder(m_notes));
    if (!m_owner)
        return {};
    RETURN_IF_ERROR(makePassed(placesOfPackages(), true));
    RETURN_IF_ERROR(makePassed(m_base, true));
    if (const int error = replaceFile(m_base + u"/data-folder"_s, QFile::encodeName(m_data)); error != 0)
        return notWritten(error, m_base);
    return {};
}

// By whoever has the lock: what was begun and not finished, what nobody used for long, and what belongs to a data folder that is gone.
void PackagePlace::removeLeftOvers() const
{
    const QDateTime now = QDateTime::currentDateTime();
    for (const QString &name : QDir(m_base).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden)) {
        const QString folder = m_base + u'/' + name;
        const QDateTime used = QFileInfo(folder + u"/installed.json"_s).lastModified();
        if ((name.startsWith(u"new-"_s) && !isBeingRemoved(folder))
            || (isPackagesId(name) && used.isValid() && used.daysTo(now) > unusedDays))
            discard(folder);
    }
    if (!m_owner)
        return;
    for (const QString &name : QDir(placesOfPackages()).entryList({u"packages-*"_s}, QDir::Dirs | QDir::NoSymLinks)) {
        const QString base = placesOfPackages() + u'/' + name;
        QFile note(base + u"/data-folder"_s);
        if (base != m_base && note.open(QIODevice::ReadOnly) && !QFileInfo::exists(QFile::decodeName(note.readAll())))
            discard(base);
    }
}

// By another name, as somebody may want this one meanwhile. What a program's end leaves goes with the next installation.
void PackagePlace::discard(const QString &folder) const
{
    const QString gone = m_base + u"/new-"_s + newId(Clock::system());
    if (::rename(QFile::encodeName(folder).constData(), QFile::encodeName(gone).constData()) == 0)
        removeTreeMeanwhile(gone);
    else
        static_cast<void>(removeTree(folder));
}

Status PackagePlace::install(const QString &id, const PackageLock &packages, const QString &program,
                             const Sessions &sessions, const Session &session, const Copying &copying) const
{
    const IsCancelled isCancelled = copying.isCancelled ? copying.isCancelled : [] { return false; };
    RETURN_IF_ERROR(makeBase());
    ASSIGN_OR_RETURN(const FileLock lock, lockUnlessCancelled(m_notes + u"/lock"_s, copying.patience, isCancelled));
    removeLeftOvers();
    if (find(id)) // another program did it meanwhile
        return copying.record();
    const QString folder = m_base + u"/new-"_s + id;
    const QString target = m_base + u'/' + id;
    discard(target); // damaged
    ASSIGN_OR_RETURN(const SessionTree tree, sessions.tree(session));
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(packages.language));
    const Installed what{packages, program, std::ranges::any_of(tree, [&](const SessionEntry &entry) {
                             return entry.path.startsWith("env/") && installer->runsAtStart(entry.path.sliced(4));
                         })};
    RETURN_IF_ERROR(makePassed(folder, false));
    Status filled = fillEnvironment(folder + u"/env"_s, what, sessions, session, tree, isCancelled);
    const auto notes = canonicalJson({{u"v"_s, 1},
                                      {u"program"_s, what.program},
                                      {u"runs_at_start"_s, what.runsAtStart},
                                      {u"lock"_s, QString::fromUtf8(toBytes(what.lock))}});
    const QByteArray own = QFile::encodeName(folder);
    if (filled && !notes)
        filled = std::unexpected(notes.error());
    if (filled) {
        if (const int error = replaceFile(folder + u"/installed.json"_s, *notes); error != 0)
            filled = notWritten(error, folder);
    }
    const std::optional<HostIdentity> runs = m_owner ? m_owner() : std::nullopt;
    if (filled && runs && (::chown(own.constData(), 0, runs->gid) != 0 || ::chmod(own.constData(), 0710) != 0))
        filled = notWritten(errno, folder);
    if (filled) { // no power cut leaves a folder of that name with half of its files
        UniqueFd descriptor(::open(own.constData(), folderFlags));
        filled = descriptor ? syncUnlessCancelled(std::move(descriptor), folder, isCancelled)
                            : Status(notWritten(errno, folder));
    }
    if (filled)
        filled = copying.record();
    if (filled && ::rename(own.constData(), QFile::encodeName(target).constData()) != 0)
        filled = notWritten(errno, folder);
    if (!filled && filled.error().code == ErrorCode::Cancelled) // who cancelled waits
        discard(folder);
    else if (!filled)
        static_cast<void>(removeTree(folder));
    return filled;
}

std::optional<PackageLock> PackagePlace::resolved(const QString &question, qint64 nowMicroseconds) const
{
    QFile file(m_notes + u"/resolved/"_s + question);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const auto json = parseStrictJson(file.read(mostNotes).trimmed());
    if (!json)
        return std::nullopt;
    const qint64 age = nowMicroseconds - (*json)[u"time_us"_s].toInteger();
    const auto lock = readPackageLock((*json)[u"lock"_s].toString().toUtf8());
    if (!lock || age < 0 || age > std::chrono::microseconds(resolutionAge).count())
        return std::nullopt;
    return *lock;
}

// A note that can't be written costs asking again.
void PackagePlace::noteResolved(const QString &question, const PackageLock &lock, qint64 nowMicroseconds) const
{
    const auto json =
        canonicalJson({{u"v"_s, 1}, {u"time_us"_s, nowMicroseconds}, {u"lock"_s, QString::fromUtf8(toBytes(lock))}});
    const auto held = FileLock::create(m_notes + u"/lock"_s);
    if (json && held && makePrivateFolder(m_notes + u"/resolved"_s))
        replaceFile(m_notes + u"/resolved/"_s + question, *json);
}

QStringList PackagePlace::knownNames(const QString &language) const
{
    QFile file(m_notes + u"/names-%1.json"_s.arg(language));
    const auto json =
        file.open(QIODevice::ReadOnly) ? parseStrictJson(file.read(mostNotes).trimmed()) : std::unexpected(Error());
    QStringList names;
    for (const auto name : json ? (*json)[u"names"_s].toArray() : QJsonArray())
        names.append(name.toString());
    return names;
}

void PackagePlace::noteNames(const PackageLock &lock) const
{
    const auto held = FileLock::create(m_notes + u"/lock"_s);
    QStringList names = knownNames(lock.language);
    for (const LockedPackage &package : lock.packages)
        names.append(package.name);
    names.removeDuplicates();
    names.sort();
    if (const auto json = canonicalJson({{u"v"_s, 1}, {u"names"_s, QJsonArray::fromStringList(names)}}); json && held)
        replaceFile(m_notes + u"/names-%1.json"_s.arg(lock.language), *json);
}

} // namespace glovebox
