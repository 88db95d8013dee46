// SPDX-License-Identifier: Apache-2.0
#include "grantedfolders.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace glovebox {

namespace {

constexpr qsizetype mostEvents = 50; // of one folder

Text shownText(const OpenedFolder &folder, FolderGrant::Mode mode)
{
    const char *source = QT_TRANSLATE_NOOP("engine", "It was shown %1 as %2, read-only.");
    if (mode == FolderGrant::Mode::Stage)
        source = QT_TRANSLATE_NOOP("engine", "It was shown a copy of %1 as %2, and could write to the copy.");
    else if (mode == FolderGrant::Mode::ReadWrite)
        source = QT_TRANSLATE_NOOP("engine", "It was shown %1 as %2, and could write to it.");
    return Text(source, {folder.hostPath, folder.path});
}

Text changeText(const FolderChange &change, const QString &folder)
{
    const char *source =
        QT_TRANSLATE_NOOP("engine", "It changed %1 in %2, which other programs run or obey. Look at it.");
    if (change.kind == FolderChange::Kind::Added)
        source = QT_TRANSLATE_NOOP("engine", "It added %1 to %2, which other programs run or obey. Look at it.");
    else if (change.kind == FolderChange::Kind::Removed)
        source = QT_TRANSLATE_NOOP("engine", "It removed %1 from %2, which other programs run or obey.");
    return Text(source, {textFromBytes(change.path), folder});
}

// One of each reason, then the second of each: where only some are told, many of one kind hide none of another.
QList<FolderChange> inTurnsOfReason(QList<FolderChange> changes)
{
    QMap<QString, int> turns;
    std::vector<std::pair<int, FolderChange>> list;
    for (FolderChange &change : changes) {
        const int turn = turns[change.why.source]++;
        list.emplace_back(turn, std::move(change));
    }
    std::ranges::stable_sort(list, {}, &std::pair<int, FolderChange>::first);
    changes.clear();
    for (auto &[turn, change] : list)
        changes.append(std::move(change));
    return changes;
}

} // namespace

Status GrantedFolders::open(const RunRequest &request, const Rooms &rooms, LiveRun &run, std::stop_token stop)
{
    FolderOpener opener(rooms.libexec, stop);
    for (const FolderGrant &grant : request.policy.folders) {
        auto folder = opener.open(grant, rooms.own);
        if (!folder)
            return std::unexpected(folder.error());
        run.addEvent({EventType::FolderShown, shownText(*folder, grant.mode)});
        if (grant.mode == FolderGrant::Mode::Stage) {
            folder = copyOf(*folder, grant, request, rooms, run, opener);
            if (!folder)
                return std::unexpected(folder.error());
            m_writable.push_back({m_shown.size(), {}});
        } else if (grant.mode == FolderGrant::Mode::ReadWrite) {
            m_writable.push_back({m_shown.size(), SensitiveFiles(folder->handle->get())});
        }
        m_shown.append(*std::move(folder));
    }
    return {};
}

Result<OpenedFolder> GrantedFolders::copyOf(const OpenedFolder &original, const FolderGrant &grant,
                                            const RunRequest &request, const Rooms &rooms, LiveRun &run,
                                            FolderOpener &opener)
{
    m_hasCopies = true;
    QStringList skipped;
    const auto staged = rooms.staging.copy(
        run.id(), grant, {.hostPath = original.hostPath, .device = original.device, .inode = original.inode},
        request.policy.limits, [&](const QByteArray &order, int to) { return opener.copy(order, to); }, skipped);
    if (!staged)
        return std::unexpected(staged.error());
    if (!skipped.isEmpty())
        run.addEvent(
            {EventType::FolderSkipped,
             Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 lacks what can't be read or is no file, folder or "
                                              "link: %2."),
                  {original.hostPath, skipped.join(QStringLiteral(", "))})});
    UniqueFd fd(::open(QFile::encodeName(staged->copy).constData(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) != 0)
        return fail(ErrorCode::Io, Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 is gone."), {original.hostPath}));
    return OpenedFolder{.hostPath = staged->copy,
                        .path = grant.path,
                        .writable = true,
                        .device = info.st_dev,
                        .inode = info.st_ino,
                        .handle = std::make_shared<const UniqueFd>(std::move(fd))};
}

void GrantedFolders::close(const Rooms &rooms, LiveRun &run, RunResult &result, const Withhold &withhold)
{
    for (const Writable &writable : m_writable) {
        if (writable.before)
            tellSensitive(m_shown.at(writable.index), *writable.before, run);
    }
    if (!m_hasCopies)
        return;
    FinishedCopies finished = rooms.staging.finish(run.id(), withhold);
    result.changes = std::move(finished.changes);
    if (!finished.kept)
        run.addEvent({EventType::FolderLost,
                      Text(QT_TRANSLATE_NOOP("engine", "What it changed in the copies can't be kept, so there is "
                                                       "nothing to take over: %1"),
                           {finished.kept.error().message.english()})});
    for (const FolderChanges &folder : std::as_const(result.changes)) {
        const qsizetype sensitive = std::ranges::count(folder.changes, true, &FolderChange::isSensitive);
        if (!folder.isWhole)
            run.addEvent({EventType::FolderNotCompared,
                          Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 is too large or too deep to be compared, so "
                                                           "nothing of it can be applied."),
                               {folder.hostPath})});
        else if (!folder.changes.isEmpty())
            run.addEvent(
                {EventType::FolderChanges,
                 Text(QT_TRANSLATE_NOOP("engine", "It made %1 changes in the copy of %2, %3 of them to files that "
                                                  "other programs run or obey. The original is as it was."),
                      {QString::number(folder.changes.size()), folder.hostPath, QString::number(sensitive)})});
        if (const auto withheld = std::ranges::count(folder.changes, true, &FolderChange::isWithheld); withheld > 0)
            run.addEvent(
                {EventType::FolderSecret,
                 Text(QT_TRANSLATE_NOOP("engine", "In the copy of %1, %2 files or names have a lent secret in them, or "
                                                  "could not be searched for one. Look at them before you take them "
                                                  "over."),
                      {folder.hostPath, QString::number(withheld)})});
    }
}

void GrantedFolders::tellSensitive(const OpenedFolder &folder, const SensitiveFiles &before, LiveRun &run) const
{
    const QList<FolderChange> changes = inTurnsOfReason(before.changes());
    for (const FolderChange &change : changes.first(std::min(changes.size(), mostEvents)))
        run.addEvent({EventType::FolderSensitiveChange, changeText(change, folder.hostPath)});
    if (changes.size() > mostEvents)
        run.addEvent(
            {EventType::FolderSensitiveChange, Text(QT_TRANSLATE_NOOP("engine", "It changed %1 more such files in %2."),
                                                    {QString::number(changes.size() - mostEvents), folder.hostPath})});
    if (!before.isWhole())
        run.addEvent({EventType::FolderNotCompared,
                      Text(QT_TRANSLATE_NOOP(
                               "engine", "%1 is too large or too private to be compared as a whole: changes to files "
                                         "that other programs run or obey may be missing here."),
                           {folder.hostPath})});
}

std::vector<UniqueFd> GrantedFolders::openWritable() const
{
    std::vector<UniqueFd> folders;
    for (const Writable &writable : m_writable)
        folders.emplace_back(
            ::openat(m_shown.at(writable.index).handle->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return folders;
}

} // namespace glovebox
