// SPDX-License-Identifier: Apache-2.0
#include "applying/decided.h"
#include "keeping.h"
#include "stagingplace.h"

#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QJsonArray>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Nothing where it isn't there, or is no regular file. name: as the person knows it.
Result<std::optional<QByteArray>> readBelow(const QString &folder, const QByteArray &path, const QByteArray &name,
                                            qint64 most)
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
                    Text(QT_TRANSLATE_NOOP("engine", "%1 is too large to be compared here."), {textFromBytes(name)}));
    return std::optional(content);
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
    StagingPlace place;
    std::mutex mutex;
    QMap<QString, QList<ActiveCopy>> active; // by run
    Decide decide; // may be empty

    Status keep(const QString &run, const QList<ActiveCopy> &copies, QList<KeptFolder> &all,
                QList<FolderChanges> &shown, const Withhold &withhold) const
    {
        const QString folder = place.ofRun(run);
        Status done = place.makeFor(run);
        Withheld withheld;
        qsizetype index = 0;
        for (const ActiveCopy &copy : copies) {
            if (!copy.root)
                continue;
            // Also where it can't be kept: what is shown of it is searched for what is to be withheld.
            const Status kept =
                keepChanges(copy, contentsIn(folder, index), all[index], shown[index], withhold, withheld);
            ++index;
            if (done && !kept)
                done = kept;
            if (!copy.folder.copy.isEmpty())
                static_cast<void>(removeTree(copy.folder.copy));
        }
        if (done)
            done = writeManifest(folder, all);
        if (done && !withheld.isEmpty())
            done = writeWithheld(folder, withheld);
        return done ? place.keep(run) : done;
    }
};

Staging::Staging(const Paths &paths, QString engineId, std::function<std::optional<HostIdentity>()> owner,
                 Decide decide)
    : d(new Private{.place = StagingPlace(paths, std::move(engineId), std::move(owner)),
                    .mutex = {},
                    .active = {},
                    .decide = std::move(decide)})
{
}

Staging::~Staging()
{
    d->place.leave();
}

QByteArray Staging::orderFor(const QString &hostPath, const Limits &limits) const
{
    return encoded(CopyOrder{.hostPath = hostPath,
                             .mostBytes = limits.diskBytes,
                             .mostEntries = limits.diskFiles(),
                             .owner = d->place.owner()});
}

Result<StagedFolder> Staging::copy(const QString &run, const FolderGrant &grant, StagedFolder original,
                                   const Limits &limits, UniqueFd memory, const CopyFolder &copyIt,
                                   QStringList &skipped)
{
    qsizetype index = 0;
    {
        const std::scoped_lock lock(d->mutex);
        index = d->active[run].size();
        d->active[run].append(ActiveCopy{});
    }
    original.path = grant.path;
    CopyOrder order{.hostPath = original.hostPath,
                    .mostBytes = limits.diskBytes,
                    .mostEntries = limits.diskFiles(),
                    .owner = d->place.owner(),
                    .isMadeByOwner = memory.isValid()};
    UniqueFd to = std::move(memory);
    if (!order.isMadeByOwner) {
        if (Status made = d->place.makeFor(run); !made)
            return std::unexpected(made.error());
        original.copy = d->place.ofRun(run) + u'/' + QString::number(index);
        if (::mkdir(QFile::encodeName(original.copy).constData(), 0700) != 0)
            return fail(
                codeForErrno(errno),
                Text(QT_TRANSLATE_NOOP("engine", "No copy can be made in %1. Check its owner and the free space."),
                     {d->place.base()}),
                errnoDetail(errno, original.copy));
        to = openFolderOf(original.copy);
    }
    const auto copied = copyIt(encoded(order), to.get());
    if (!copied)
        return std::unexpected(copied.error());
    CopiedTree tree;
    QDataStream in(*copied);
    in >> tree >> skipped;
    if (order.owner && !order.isMadeByOwner && ::fchown(to.get(), order.owner->uid, order.owner->gid) != 0)
        return fail(codeForErrno(errno), Text("chown"), errnoDetail(errno, original.copy));
    const std::scoped_lock lock(d->mutex);
    d->active[run][index] = {.folder = original,
                             .copied = *copied,
                             .root = std::make_shared<const UniqueFd>(std::move(to)),
                             .mostBytes =
                                 order.isMadeByOwner ? std::numeric_limits<qint64>::max() / 2 : 2 * limits.diskBytes};
    return original;
}

// A name or content to be withheld is noted before another program can find the changes: until then they lie where only this engine looks.
FinishedCopies Staging::finish(const QString &run, const Withhold &withhold, const CompareFolder &compareIt)
{
    QList<ActiveCopy> copies;
    {
        const std::scoped_lock lock(d->mutex);
        copies = d->active.take(run);
    }
    FinishedCopies finished;
    QList<KeptFolder> all;
    for (const ActiveCopy &copy : std::as_const(copies)) {
        if (!copy.root)
            continue;
        const auto answer =
            compareIt ? compareIt(copy.folder, copy.copied, copy.root->get())
                      : compareFolder(copy.copied, openFolderOf(copy.folder.hostPath).get(), copy.root->get());
        Compared compared = decodedComparison(answer ? *answer : compareFolder(copy.copied, -1, copy.root->get()));
        all.append({copy.folder, std::move(compared.changes), compared.isWhole});
        finished.changes.append(all.last().shown());
    }
    const bool isWanted =
        std::ranges::any_of(all, [](const KeptFolder &kept) { return !kept.isWhole || !kept.changes.isEmpty(); });
    if (isWanted)
        finished.kept = d->keep(run, copies, all, finished.changes, withhold);
    if (!copies.isEmpty() && !(isWanted && finished.kept))
        static_cast<void>(removeTree(d->place.ofRun(run)));
    return finished;
}

void Staging::recover(const QString &enginesFolder)
{
    d->place.recover(enginesFolder);
}

QList<PendingChanges> Staging::pending(QList<Error> *unreadable) const
{
    QList<PendingChanges> all;
    const QStringList runs =
        QDir(d->place.kept())
            .entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed); // ids sort by time
    for (const QString &run : runs) {
        auto one = pending(run);
        if (one)
            all.append(*std::move(one));
        else if (unreadable && (one.error().code == ErrorCode::Damaged || one.error().code == ErrorCode::Newer))
            unreadable->append(one.error());
    }
    return all;
}

Result<PendingChanges> Staging::pending(const QString &run) const
{
    const auto all = isId(run) ? readManifest(d->place.kept(run)) : nothingWaits(run);
    if (!all)
        return all.error().code == ErrorCode::NotFound ? nothingWaits(run) : std::unexpected(all.error());
    const bool isNothing =
        std::ranges::all_of(*all, [](const KeptFolder &kept) { return kept.isWhole && kept.changes.isEmpty(); });
    if (isNothing) // the rest is there for undoing what was applied
        return d->place.isHalfUndone(run) && d->place.isFree(run) ? restMustBeUndone(run) : nothingWaits(run);
    const auto withheld = readWithheld(d->place.kept(run));
    if (!withheld)
        return std::unexpected(withheld.error());
    PendingChanges changes{.run = run};
    for (const KeptFolder &kept : *all) {
        changes.folders.append(kept.shown());
        hide(changes.folders.last(), *withheld);
    }
    changes.isCutShort = d->place.isHalfApplied(run) && !d->place.isStopped(run) && d->place.isFree(run);
    changes.underWay = d->place.underWay(run);
    if (changes.underWay == FolderDeed::Undo) // which is about what doesn't wait
        changes.underWay.reset();
    return changes;
}

Result<ApplyReport> Staging::apply(const QString &run, const Begin &begin, const ChosenChanges &chosen,
                                   const ApplyProgress &progress)
{
    if (d->decide)
        return d->decide(FolderDeed::Apply, run, begin, chosen, progress);
    return applyKept(d->place, run, [&] { return pending(run); }, begin, chosen, progress);
}

QList<PendingChanges> Staging::undoable() const
{
    QList<PendingChanges> all;
    const QStringList runs =
        QDir(d->place.kept()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed);
    for (const QString &run : runs) {
        if (auto one = undoable(run))
            all.append(*std::move(one));
    }
    return all;
}

Result<PendingChanges> Staging::undoable(const QString &run) const
{
    return undoableOf(d->place, run);
}

Result<ApplyReport> Staging::undo(const QString &run, const Begin &begin, const ApplyProgress &progress)
{
    if (d->decide)
        return d->decide(FolderDeed::Undo, run, begin, {}, progress);
    return undoKept(d->place, run, begin, progress);
}

Result<FileVersions> Staging::versions(const QString &run, const QString &folderPath, const QByteArray &path,
                                       qint64 mostBytes) const
{
    const auto all = isId(run) ? readManifest(d->place.kept(run)) : QList<KeptFolder>();
    if (!all)
        return std::unexpected(all.error());
    const auto kept =
        std::ranges::find_if(*all, [&](const KeptFolder &each) { return each.folder.path == folderPath; });
    if (kept == all->end())
        return nothingWaits(run);
    const auto withheld = readWithheld(d->place.kept(run));
    if (!withheld)
        return std::unexpected(withheld.error());
    if (withheld->contains(digestOf(folderPath, path))
        || std::ranges::any_of(*withheld, [&](const auto &names) { return names.first == path; }))
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "A secret of the run is in this file or its name, so it isn't shown "
                                                "here. Applying the changes puts it into the folder."));
    auto original = readBelow(kept->folder.hostPath, path, path, mostBytes);
    if (!original)
        return std::unexpected(original.error());
    const auto isMeant = [&](const KeptChange &each) { return each.change.path == path && !each.digest.isEmpty(); };
    const auto change = std::ranges::find_if(kept->changes, isMeant);
    auto staged = change == kept->changes.end()
                      ? Result<std::optional<QByteArray>>(std::nullopt)
                      : readBelow(kept->folder.copy, QByteArray::number(change->number), path, mostBytes);
    if (!staged)
        return std::unexpected(staged.error());
    return FileVersions{*std::move(original), *std::move(staged)};
}

Status Staging::discard(const QString &run, const Begin &begin)
{
    if (d->decide) {
        const auto discarded = d->decide(FolderDeed::Discard, run, begin, {}, {});
        return discarded ? Status() : std::unexpected(discarded.error());
    }
    return discardKept(d->place, run, [&] { return pending(run); }, begin);
}

} // namespace glovebox
