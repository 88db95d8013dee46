// SPDX-License-Identifier: Apache-2.0
// Where the copies are, and who still needs them.
#include "apply.h"
#include "notes.h"

#include <QDataStream>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int keptDays = 30;

UniqueFd openFolderOf(const QString &path)
{
    return UniqueFd(::open(QFile::encodeName(path).constData(), folderFlags));
}

FolderChanges changesOf(const Copy &copy)
{
    FolderChanges changes{.hostPath = copy.folder.hostPath, .path = copy.folder.path};
    const UniqueFd original = openFolderOf(copy.folder.hostPath);
    const UniqueFd folder = openFolderOf(copy.folder.copy);
    Compared compared;
    compared.isWhole = false;
    if (folder)
        compared = compareTrees(copy.tree, original.get(), folder.get());
    changes.changes = std::move(compared.changes);
    changes.isWhole = compared.isWhole;
    return changes;
}

// Links are not followed, since the run made them. None where there is no regular file that can be read.
UniqueFd openFileBelow(int folder, const QByteArray &path)
{
    UniqueFd fd = openBelow(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info = {};
    return fd && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) ? std::move(fd) : UniqueFd();
}

void withholdIn(FolderChanges &folder, const QString &copy, const Withhold &withhold, Withheld &withheld)
{
    const UniqueFd root = openFolderOf(copy);
    for (FolderChange &change : folder.changes) {
        const QByteArray path = change.path;
        const bool hasContent =
            change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed && root;
        withhold(change, (hasContent ? openFileBelow(root.get(), path) : UniqueFd()).get());
        if (change.isWithheld)
            withheld[digestOf(folder.path, path)] = {change.path, change.target};
    }
}

bool isNothing(const FolderChanges &changes)
{
    return changes.isWhole && changes.changes.isEmpty();
}

// Nothing where it isn't there, or is no regular file.
Result<std::optional<QByteArray>> readBelow(const QString &folder, const QByteArray &path, qint64 most)
{
    const bool leadsOut = std::ranges::any_of(path.split('/'), [](const QByteArray &part) { return part == ".."; });
    const UniqueFd root = leadsOut ? UniqueFd() : openFolderOf(folder);
    const UniqueFd fd = root ? openFileBelow(root.get(), path) : UniqueFd();
    if (!fd)
        return std::optional<QByteArray>();
    QFile file;
    QByteArray content;
    if (file.open(fd.get(), QIODevice::ReadOnly))
        content = file.read(most + 1);
    if (content.size() > most)
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "%1 is too large to be compared here."), {textFromBytes(path)}));
    return std::optional(content);
}

std::unexpected<Error> nothingWaits(const QString &run)
{
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine", "No changes of a run %1 wait to be applied."), {run}));
}

QJsonValue octal(quint32 mode)
{
    return mode == 0 ? QJsonValue() : QJsonValue(u'0' + QString::number(mode, 8));
}

} // namespace

QJsonObject toJson(const FolderChanges &changes)
{
    QJsonArray list;
    for (const FolderChange &change : changes.changes) {
        const QString kinds[] = {u"added"_s, u"changed"_s, u"removed"_s};
        const QString types[] = {u"file"_s, u"folder"_s, u"link"_s, u"other"_s};
        list.append(QJsonObject{{u"path"_s, textFromBytes(change.path)},
                                {u"change"_s, kinds[int(change.kind)]},
                                {u"type"_s, types[int(change.type)]},
                                {u"target"_s, change.target.isEmpty() ? QJsonValue() : textFromBytes(change.target)},
                                {u"bytes"_s, change.bytes},
                                {u"mode"_s, octal(change.mode)},
                                {u"old_mode"_s, octal(change.oldMode)},
                                {u"sensitive"_s, change.isSensitive},
                                {u"why"_s, change.isSensitive ? QJsonValue(change.why.english()) : QJsonValue()},
                                {u"withheld"_s, change.isWithheld}});
    }
    return {
        {u"host"_s, changes.hostPath}, {u"path"_s, changes.path}, {u"whole"_s, changes.isWhole}, {u"changes"_s, list}};
}

struct Staging::Private
{
    QString base;
    QString kept() const { return base + u"/kept"_s; }
    QString kept(const QString &run) const { return kept() + u'/' + run; }
    // There while the changes are put into the originals; else Glovebox ended meanwhile. Has the name that a file has beside its
    // place while it is written, so that the next try finds what was left of it.
    QString applying(const QString &run) const { return kept(run) + u"/applying"_s; }
    QString ofEngine() const { return base + u'/' + engine; }
    QString ofRun(const QString &run) const { return ofEngine() + u'/' + run; }

    QString engine;
    std::function<std::optional<HostIdentity>()> owner; // set for a root engine
    std::mutex mutex;
    QMap<QString, QList<Copy>> active; // by run

    Status makeFolder(const QString &folder) const
    {
        if (Status made = makePrivateFolder(folder); !made)
            return made;
        // The runs' user must pass, and needn't see anything.
        if (owner && ::chmod(QFile::encodeName(folder).constData(), 0711) != 0)
            return fail(codeForErrno(errno), Text("chmod"), errnoDetail(errno, folder));
        return {};
    }

    // Whoever holds it is the only one, of all programs, to apply, discard or sweep away a run's changes.
    Result<FileLock> hold(const QString &run) const
    {
        if (!isId(run))
            return nothingWaits(run);
        auto lock = FileLock::create(kept(run) + u"/lock"_s);
        if (!lock && lock.error().code == ErrorCode::NotFound)
            return nothingWaits(run);
        return lock;
    }

    // Under the lock. First the copies leave their place, all at once: with half of them still there, the other half would look
    // as if the run had removed it. Who is killed then leaves them to recover().
    Status throwAway(const QString &run) const
    {
        const QString gone = ofEngine() + u"/gone-"_s + run;
        if (Status made = makeFolder(ofEngine()); !made)
            return made;
        if (::rename(QFile::encodeName(kept(run)).constData(), QFile::encodeName(gone).constData()) != 0)
            return fail(codeForErrno(errno),
                        Text(QT_TRANSLATE_NOOP("engine", "The copy in %1 can't be removed: %2. Check its owner and "
                                                         "permissions."),
                             {kept(run), errnoText(errno)}));
        return removeTree(gone);
    }

    Status keep(const QString &run, const QList<Copy> &copies, const Withheld &withheld) const
    {
        const QString folder = ofRun(run);
        if (Status noted = writeManifest(folder, copies); !noted)
            return noted;
        if (!withheld.isEmpty()) {
            if (Status noted = writeWithheld(folder, withheld); !noted)
                return noted;
            syncFolder(folder); // no power cut leaves the copy without them
        }
        int error = 0;
        // Another program that ended meanwhile has taken the folder away when nothing was in it.
        for (int i = 0; i < 10; ++i) {
            if (Status made = makeFolder(kept()); !made)
                return made;
            if (::rename(QFile::encodeName(folder).constData(), QFile::encodeName(kept(run)).constData()) == 0)
                return {};
            error = errno;
            if (error != ENOENT)
                break;
        }
        return fail(codeForErrno(error), Text(QT_TRANSLATE_NOOP("engine", "The copy can't be moved to %1: %2."),
                                              {kept(), errnoText(error)}));
    }
};

// A root engine's runs belong to a user who can't pass root's home, where the data folder is. Its name is the data folder's
// hash: several may share the machine.
Staging::Staging(const Paths &paths, QString engineId, std::function<std::optional<HostIdentity>()> owner)
    : d(std::make_unique<Private>())
{
    d->base = paths.data + u"/staging"_s;
    if (::geteuid() == 0) {
        d->owner = std::move(owner);
        d->base = u"/var/lib/glovebox/staging-"_s
                  + QString::fromLatin1(sha256({QFile::encodeName(paths.data)}).toHex().first(16));
    }
    d->engine = std::move(engineId);
}

Staging::~Staging()
{
    static_cast<void>(removeTree(d->ofEngine()));
    ::rmdir(QFile::encodeName(d->kept()).constData());
    ::rmdir(QFile::encodeName(d->base).constData()); // only when nothing waits
}

Result<StagedFolder> Staging::copy(const QString &run, const FolderGrant &grant, StagedFolder original,
                                   const Limits &limits, const CopyFolder &copyIt, QStringList &skipped)
{
    if (d->owner) {
        if (Status made = d->makeFolder(u"/var/lib/glovebox"_s); !made)
            return std::unexpected(made.error());
    }
    for (const QString &folder : {d->base, d->kept(), d->ofEngine(), d->ofRun(run)}) {
        if (Status made = d->makeFolder(folder); !made)
            return std::unexpected(made.error());
    }
    qsizetype index = 0;
    {
        std::scoped_lock lock(d->mutex);
        index = d->active[run].size();
        d->active[run].append(Copy{});
    }
    const QString place = d->ofRun(run) + u'/' + QString::number(index);
    const QByteArray name = QFile::encodeName(place);
    if (::mkdir(name.constData(), 0700) != 0)
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "No copy can be made in %1. Check its owner and the free space."),
                         {d->base}),
                    errnoDetail(errno, place));
    const UniqueFd to = openFolderOf(place);
    const std::optional<HostIdentity> owner = d->owner ? d->owner() : std::nullopt;
    QByteArray order;
    QDataStream out(&order, QIODevice::WriteOnly);
    out << original.hostPath << limits.diskBytes << limits.diskFiles() << owner.has_value()
        << owner.value_or(HostIdentity()).uid << owner.value_or(HostIdentity()).gid;
    const auto copied = copyIt(order, to.get());
    if (!copied)
        return std::unexpected(copied.error());
    CopiedTree tree;
    QDataStream in(*copied);
    in >> tree >> skipped;
    if (owner && ::fchown(to.get(), owner->uid, owner->gid) != 0)
        return fail(codeForErrno(errno), Text("chown"), errnoDetail(errno, place));
    original.path = grant.path;
    original.copy = place;
    std::scoped_lock lock(d->mutex);
    d->active[run][index] = {original, std::move(tree)};
    return original;
}

Result<QByteArray> copyFolder(const QByteArray &order, int from, int to)
{
    CopyOrder what{.to = to};
    HostIdentity owner;
    bool hasOwner = false;
    QDataStream in(order);
    in >> what.hostPath >> what.mostBytes >> what.mostEntries >> hasOwner >> owner.uid >> owner.gid;
    if (hasOwner)
        what.owner = owner;
    const UniqueFd folder(::openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder)
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "You may not read the folder %1, so it can't be copied."),
                         {what.hostPath}),
                    errnoDetail(errno, what.hostPath));
    what.from = folder.get();
    QStringList skipped;
    const auto tree = copyTree(what, skipped);
    if (!tree)
        return std::unexpected(tree.error());
    QByteArray copied;
    QDataStream out(&copied, QIODevice::WriteOnly);
    out << *tree << skipped;
    return copied;
}

// What is to be withheld is noted before another program can find the copy: until then it lies where only this engine looks.
FinishedCopies Staging::finish(const QString &run, const Withhold &withhold)
{
    QList<Copy> copies;
    {
        std::scoped_lock lock(d->mutex);
        copies = d->active.take(run);
    }
    FinishedCopies finished;
    Withheld withheld;
    for (const Copy &copy : std::as_const(copies)) {
        if (copy.folder.copy.isEmpty())
            continue;
        finished.changes.append(changesOf(copy));
        if (withhold)
            withholdIn(finished.changes.last(), copy.folder.copy, withhold, withheld);
    }
    const bool isWanted = !std::ranges::all_of(finished.changes, isNothing);
    if (isWanted)
        finished.kept = d->keep(run, copies, withheld);
    if (!copies.isEmpty() && !(isWanted && finished.kept))
        static_cast<void>(removeTree(d->ofRun(run)));
    return finished;
}

void Staging::recover(const QString &enginesFolder)
{
    const QStringList engines = QDir(d->base).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden);
    for (const QString &engine : engines) {
        if (engine == d->engine || !isId(engine))
            continue;
        const QString lock = enginesFolder + u'/' + engine + u".lock"_s;
        const auto held = FileLock::tryExisting(lock);
        // Nobody has it, or nobody ever can again: the lock is there before the first copy.
        if (held && (*held || !QFile::exists(lock)))
            static_cast<void>(removeTree(d->base + u'/' + engine));
    }
    const QFileInfoList kept = QDir(d->kept()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QFileInfo &run : kept) {
        const QFileInfo manifest(run.filePath() + u"/manifest"_s);
        if (manifest.lastModified().daysTo(QDateTime::currentDateTime()) <= keptDays)
            continue;
        if (const auto lock = d->hold(run.fileName()))
            static_cast<void>(d->throwAway(run.fileName()));
    }
}

QList<PendingChanges> Staging::pending() const
{
    QList<PendingChanges> all;
    const QStringList runs =
        QDir(d->kept()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed); // ids sort by time
    for (const QString &run : runs) {
        if (auto one = pending(run))
            all.append(*std::move(one));
    }
    return all;
}

Result<PendingChanges> Staging::pending(const QString &run) const
{
    const auto copies = isId(run) ? readManifest(d->kept(run)) : nothingWaits(run);
    if (!copies)
        return copies.error().code == ErrorCode::NotFound ? nothingWaits(run) : std::unexpected(copies.error());
    const auto withheld = readWithheld(d->kept(run));
    if (!withheld)
        return std::unexpected(withheld.error());
    PendingChanges changes{.run = run};
    for (const Copy &copy : *copies) {
        changes.folders.append(changesOf(copy));
        hide(changes.folders.last(), *withheld);
    }
    // The lock is free: who applied them is no more.
    if (QFile::exists(d->applying(run)))
        changes.isCutShort = FileLock::tryExisting(d->kept(run) + u"/lock"_s).value_or(std::nullopt).has_value();
    return changes;
}

Result<ApplyReport> Staging::apply(const QString &run, const Begin &begin)
{
    const auto lock = d->hold(run);
    if (!lock)
        return std::unexpected(lock.error());
    const QString folder = d->kept(run);
    auto copies = readManifest(folder);
    if (!copies)
        return copies.error().code == ErrorCode::NotFound ? nothingWaits(run) : std::unexpected(copies.error());
    const auto withheld = readWithheld(folder);
    if (!withheld)
        return std::unexpected(withheld.error());
    const auto waiting = pending(run);
    if (!waiting)
        return std::unexpected(waiting.error());
    const bool wasCutShort = QFile::exists(d->applying(run));
    QFile note(d->applying(run));
    const QByteArray known = note.open(QIODevice::ReadWrite) ? note.readAll() : QByteArray();
    const QByteArray temporary = known.isEmpty() ? ".glovebox-" + newId(Clock::system()).toLatin1() : known;
    if (!note.isOpen() || (known.isEmpty() && (note.write(temporary) != temporary.size() || !note.flush())))
        return fail(ErrorCode::Io,
                    Text(QT_TRANSLATE_NOOP("engine", "The file %1 can't be written: %2. Check the free space."),
                         {note.fileName(), note.errorString()}));
    if (const Status begun = begin ? begin(*waiting) : Status(); !begun) {
        if (!wasCutShort)
            QFile::remove(d->applying(run));
        return std::unexpected(begun.error());
    }
    ApplyReport report;
    bool isDone = true;
    for (Copy &copy : *copies) {
        const UniqueFd original = openFolderOf(copy.folder.hostPath);
        const UniqueFd staged = openFolderOf(copy.folder.copy);
        struct stat info = {};
        if (!original || !staged || ::fstat(original.get(), &info) != 0 || info.st_dev != copy.folder.device
            || info.st_ino != copy.folder.inode) {
            report.refused.append(
                Text(QT_TRANSLATE_NOOP("engine", "%1 is no more the folder that was copied."), {copy.folder.hostPath}));
            isDone = false;
            continue;
        }
        const FolderChanges changes = changesOf(copy);
        FolderChanges shown = changes;
        const QMap<QString, QString> hidden = hide(shown, *withheld);
        if (!changes.isWhole) {
            report.refused.append(
                Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 is too large or too deep to be compared, "
                                                 "so nothing of it was applied. It is in %2."),
                     {copy.folder.hostPath, copy.folder.copy}));
            isDone = false;
            continue;
        }
        const ApplyReport part = applyChanges(changes.changes, original.get(), staged.get(), copy.tree, temporary);
        report.applied += part.applied;
        for (Text refusal : part.refused) {
            for (QString &arg : refusal.args)
                arg = hidden.value(arg, arg);
            report.refused.append(refusal);
        }
        isDone = isDone && part.refused.isEmpty();
    }
    if (isDone) {
        if (Status removed = d->throwAway(run); !removed)
            report.refused.append(removed.error().message);
    } else if (Status noted = writeManifest(folder, *copies); !noted) {
        report.refused.append(noted.error().message);
    }
    QFile::remove(d->applying(run));
    return report;
}

Result<FileVersions> Staging::versions(const QString &run, const QString &folderPath, const QByteArray &path,
                                       qint64 mostBytes) const
{
    const auto copies = isId(run) ? readManifest(d->kept(run)) : QList<Copy>();
    if (!copies)
        return std::unexpected(copies.error());
    const auto copy = std::ranges::find_if(*copies, [&](const Copy &each) { return each.folder.path == folderPath; });
    if (copy == copies->end())
        return nothingWaits(run);
    const auto withheld = readWithheld(d->kept(run));
    if (!withheld)
        return std::unexpected(withheld.error());
    if (withheld->contains(digestOf(folderPath, path))
        || std::ranges::any_of(*withheld, [&](const auto &names) { return names.first == path; }))
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine",
                                      "A secret that the run was lent is in this file or its name, so it isn't "
                                      "shown here. Taking the changes over puts it into the folder."));
    auto original = readBelow(copy->folder.hostPath, path, mostBytes);
    if (!original)
        return std::unexpected(original.error());
    auto staged = readBelow(copy->folder.copy, path, mostBytes);
    if (!staged)
        return std::unexpected(staged.error());
    return FileVersions{*std::move(original), *std::move(staged)};
}

// What can't be read any more can be thrown away all the same.
Status Staging::discard(const QString &run, const Begin &begin)
{
    const auto lock = d->hold(run);
    if (!lock)
        return std::unexpected(lock.error());
    const auto waiting = pending(run);
    if (!waiting && waiting.error().code == ErrorCode::NotFound)
        return std::unexpected(waiting.error());
    if (const Status begun = begin ? begin(waiting.value_or(PendingChanges{.run = run})) : Status(); !begun)
        return begun;
    return d->throwAway(run);
}

} // namespace glovebox
