// SPDX-License-Identifier: Apache-2.0
#include "stagingplace.h"

#include <QDateTime>
#include <QDir>
#include <QFile>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int keptDays = 30;
constexpr int mostTries = 100; // while other programs take empty folders away

QString placesOfRoot()
{
    return u"/var/lib/glovebox"_s;
}

bool isOlder(const QString &path, int days)
{
    const QDateTime time = QFileInfo(path).lastModified();
    return time.isValid() && time.daysTo(QDateTime::currentDateTime()) > days;
}

// Copies of engines that nobody is any more. own: never touched, nor what is younger.
void removeDead(const QString &base, const QString &enginesFolder, const QString &own, int days = -1)
{
    const QStringList engines = QDir(base).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden);
    for (const QString &engine : engines) {
        if (engine == own || !isId(engine) || !isOlder(base + u'/' + engine, days))
            continue;
        const QString lock = enginesFolder + u'/' + engine + u".lock"_s;
        const auto held = FileLock::tryExisting(lock);
        // Nobody has it, or nobody ever can again: the lock is there before the first copy.
        if (held && (*held || !QFile::exists(lock)))
            static_cast<void>(removeTree(base + u'/' + engine));
    }
}

} // namespace

std::unexpected<Error> nothingWaits(const QString &run)
{
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine",
                                       "No changes of a run %1 wait to be applied. \"glovebox changes list\" lists the "
                                       "runs with changes."),
                     {run}));
}

std::unexpected<Error> restMustBeUndone(const QString &run)
{
    return fail(ErrorCode::Busy,
                Text(QT_TRANSLATE_NOOP("engine", "Glovebox ended while it undid changes of this run. Undo the rest "
                                                 "first: glovebox changes undo %1"),
                     {run}));
}

// A root engine's runs belong to a user who can't pass root's home, where the data folder is. Its name is the data folder's
// hash: several may share the machine.
StagingPlace::StagingPlace(const Paths &paths, QString engineId, std::function<std::optional<HostIdentity>()> owner)
    : m_data(paths.data)
    , m_base(paths.data + u"/staging"_s)
    , m_engine(std::move(engineId))
{
    if (::geteuid() == 0) {
        m_owner = std::move(owner);
        m_base = placesOfRoot() + u"/staging-"_s
                 + QString::fromLatin1(sha256({QFile::encodeName(paths.data)}).toHex().first(16));
    }
}

QString StagingPlace::undoFolder(const QString &run) const
{
    const bool hasBegun = QFile::exists(applying(run)) || QFile::exists(undoing(run));
    if (hasBegun && QFile::exists(stepsIn(beforeNow(run))))
        return beforeNow(run);
    return QFile::exists(stepsIn(before(run))) ? before(run) : QString();
}

bool StagingPlace::isHalfApplied(const QString &run) const
{
    return QFile::exists(applying(run)) && QFile::exists(stepsIn(beforeNow(run)));
}

bool StagingPlace::isStopped(const QString &run) const
{
    return QFile::exists(stopped(run));
}

bool StagingPlace::isHalfUndone(const QString &run) const
{
    return QFile::exists(undoing(run)) && !undoFolder(run).isEmpty();
}

// isPassed: the runs' user must pass, and needn't see anything.
Status StagingPlace::makeFolder(const QString &folder, bool isPassed) const
{
    if (Status made = makePrivateFolder(folder); !made)
        return made;
    if (m_owner && ::chmod(QFile::encodeName(folder).constData(), isPassed ? 0711 : 0700) != 0)
        return fail(codeForErrno(errno), Text("chmod"), errnoDetail(errno, folder));
    return {};
}

Result<FileLock> StagingPlace::holdFolders() const
{
    return FileLock::create(m_data + u"/staging.lock"_s);
}

Status StagingPlace::makeFor(const QString &run) const
{
    const auto lock = holdFolders();
    if (!lock && lock.error().code != ErrorCode::Busy)
        return std::unexpected(lock.error());
    // Whoever holds the folders may be stopped. Going on, it takes none away that has another one in it, and writes the note again.
    Status made = makeFolders(run);
    for (int i = 1; !lock && !made && i < mostTries; ++i)
        made = makeFolders(run);
    return made;
}

// By it another data folder's engine finds the locks of this one's.
Status StagingPlace::noteDataFolder() const
{
    const QString note = m_base + u"/data-folder"_s;
    if (!m_owner || QFile::exists(note))
        return {};
    if (const int error = replaceFile(note, QFile::encodeName(m_data)); error != 0)
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The file %1 can't be written: %2. Check the free space."),
                         {note, errnoText(error)}));
    return {};
}

Status StagingPlace::makeFolders(const QString &run) const
{
    if (m_owner) {
        if (Status made = makeFolder(placesOfRoot(), true); !made)
            return made;
    }
    if (Status made = makeFolder(m_base, true); !made)
        return made;
    if (Status noted = noteDataFolder(); !noted)
        return noted;
    for (const QString &folder : {ofEngine(), ofRun(run)}) {
        if (Status made = makeFolder(folder, true); !made)
            return made;
    }
    const std::optional<HostIdentity> runs = owner();
    const QByteArray own = QFile::encodeName(ofRun(run));
    if (runs && (::chown(own.constData(), 0, runs->gid) != 0 || ::chmod(own.constData(), 0710) != 0))
        return fail(codeForErrno(errno), Text("chown"), errnoDetail(errno, ofRun(run)));
    return {};
}

Result<FileLock> StagingPlace::hold(const QString &run) const
{
    if (!isId(run))
        return nothingWaits(run);
    auto lock = FileLock::create(kept(run) + u"/lock"_s);
    if (!lock && lock.error().code == ErrorCode::NotFound)
        return nothingWaits(run);
    if (lock)
        QFile::remove(discarding(run)); // of whoever was killed at it
    return lock;
}

bool StagingPlace::isFree(const QString &run) const
{
    const QString lock = kept(run) + u"/lock"_s;
    return QFile::exists(lock) && !FileLock::isHeld(lock);
}

std::optional<FolderDeed> StagingPlace::underWay(const QString &run) const
{
    const std::optional<FolderDeed> deed = QFile::exists(discarding(run)) ? std::optional(FolderDeed::Discard)
                                           : isHalfUndone(run)            ? std::optional(FolderDeed::Undo)
                                           : isHalfApplied(run)           ? std::optional(FolderDeed::Apply)
                                                                          : std::nullopt;
    return deed && FileLock::isHeld(kept(run) + u"/lock"_s) ? deed : std::nullopt;
}

Status StagingPlace::keep(const QString &run) const
{
    const QByteArray folder = QFile::encodeName(ofRun(run));
    ::chmod(folder.constData(), 0700);
    syncFolder(ofRun(run)); // no power cut leaves the changes without what is to be withheld of them
    // Without holding the folders, since whoever holds them may be stopped. One that leaves may take the empty folder away in between.
    for (int i = 1;; ++i) {
        const Status made = makeFolder(kept(), false);
        if (made && ::rename(folder.constData(), QFile::encodeName(kept(run)).constData()) == 0)
            return {};
        const int error = errno;
        if (i < mostTries)
            continue;
        return made ? fail(codeForErrno(error),
                           Text(QT_TRANSLATE_NOOP("engine", "The changes can't be moved to %1: %2."),
                                {kept(), errnoText(error)}))
                    : made;
    }
}

Status StagingPlace::throwAway(const QString &run) const
{
    const QString gone = ofEngine() + u"/gone-"_s + run;
    if (Status made = makeFolder(ofEngine(), true); !made)
        return made;
    if (::rename(QFile::encodeName(kept(run)).constData(), QFile::encodeName(gone).constData()) != 0)
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "The changes in %1 can't be removed: %2. Check its owner and "
                                                     "permissions."),
                         {kept(run), errnoText(errno)}));
    return removeTree(gone);
}

void StagingPlace::recover(const QString &enginesFolder) const
{
    removeDead(m_base, enginesFolder, m_engine);
    const QStringList runs = QDir(kept()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &run : runs) {
        if (!isOlder(kept(run) + u"/manifest"_s, keptDays))
            continue;
        if (const auto lock = hold(run))
            static_cast<void>(throwAway(run));
    }
    if (!m_owner)
        return;
    const QStringList others = QDir(placesOfRoot()).entryList({u"staging-*"_s}, QDir::Dirs | QDir::NoSymLinks);
    for (const QString &name : others) {
        if (const QString base = placesOfRoot() + u'/' + name; base != m_base)
            recoverOther(base);
    }
}

// The place of another data folder of root's, which may be gone: then nobody has the locks of its engines.
void StagingPlace::recoverOther(const QString &base) const
{
    constexpr int crashed = 1; // a day: an engine that is just starting has no lock yet
    QFile note(base + u"/data-folder"_s);
    Paths paths;
    if (note.open(QIODevice::ReadOnly))
        paths.data = QFile::decodeName(note.readAll());
    removeDead(base, paths.enginesFolder(), m_engine, crashed);
    const QString waiting = base + u"/kept"_s;
    const QStringList runs = QDir(waiting).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &run : runs) {
        if (isOlder(waiting + u'/' + run + u"/manifest"_s, keptDays)
            && FileLock::create(waiting + u'/' + run + u"/lock"_s))
            static_cast<void>(removeTree(waiting + u'/' + run));
    }
}

void StagingPlace::leave() const
{
    static_cast<void>(removeTree(ofEngine()));
    if (!QFile::exists(m_base))
        return;
    auto lock = holdFolders();
    if (!lock)
        return;
    if (::rmdir(QFile::encodeName(kept()).constData()) != 0 && errno != ENOENT)
        return; // something waits
    const QStringList left = QDir(m_base).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden);
    if (m_owner && left.isEmpty())
        QFile::remove(m_base + u"/data-folder"_s);
    if (::rmdir(QFile::encodeName(m_base).constData()) == 0)
        lock->removeAndRelease();
    else
        static_cast<void>(noteDataFolder());
}

} // namespace glovebox
