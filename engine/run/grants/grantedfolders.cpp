// SPDX-License-Identifier: Apache-2.0
#include "grantedfolders.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glovebox {

namespace {

constexpr qsizetype mostEvents = 50; // of one folder

Text shownText(const OpenedFolder &folder, FolderGrant::Mode mode)
{
    const char *source = QT_TRANSLATE_NOOP(
        "engine", "The run was shown %1 as %2, read-only. Its locks there also hold for other programs.");
    if (mode == FolderGrant::Mode::Stage)
        source = QT_TRANSLATE_NOOP("engine", "The run was shown a copy of %1 as %2, and could write to the copy.");
    else if (mode == FolderGrant::Mode::ReadWrite)
        source = QT_TRANSLATE_NOOP("engine", "The run was shown %1 as %2, and could write to it.");
    return Text(source, {folder.hostPath, folder.path});
}

// A name that the run chose doesn't end its quotes.
QString shownName(const FolderChange &change)
{
    return textFromBytes(change.path).replace(u'"', QStringLiteral("\\x22"));
}

Text changeText(const FolderChange &change, const QString &folder)
{
    const char *source =
        QT_TRANSLATE_NOOP("engine", "The run changed \"%1\" in %2, which other programs execute or load. Review it.");
    if (change.kind == FolderChange::Kind::Added)
        source =
            QT_TRANSLATE_NOOP("engine", "The run added \"%1\" to %2, which other programs execute or load. Review it.");
    else if (change.kind == FolderChange::Kind::Removed)
        source = QT_TRANSLATE_NOOP("engine", "The run removed \"%1\" from %2, which other programs execute or load.");
    return Text(source, {shownName(change), folder});
}

// Half of what is free: the machine is not the run's alone.
bool fitsInMemory(qint64 bytes)
{
    const auto available = availableMemory();
    return available && bytes <= *available / 2;
}

} // namespace

Status GrantedFolders::open(const RunRequest &request, const Rooms &rooms, LiveRun &run, std::stop_token stop)
{
    m_opener = std::make_unique<FolderOpener>(rooms.libexec, std::move(stop));
    const Limits &limits = request.policy.limits;
    OwnFolders own = rooms.own;
    if (const auto servers = readToolServers(rooms.toolServers)) // of a list that isn't sound none is started
        own.servers = filesOf(*servers);
    QList<qsizetype> copied;
    for (const FolderGrant &grant : request.policy.folders) {
        const qsizetype index = m_folders.size();
        auto folder = m_opener->open(grant, own);
        if (!folder)
            return std::unexpected(folder.error());
        m_folders.append({grant, *folder});
        if (grant.mode == FolderGrant::Mode::Stage) {
            const auto size = m_opener->count(index, rooms.staging.orderFor(folder->hostPath, limits));
            if (!size)
                return std::unexpected(size.error());
            m_sizeInMemory.bytes += size->bytes;
            m_sizeInMemory.entries += size->entries;
            copied.append(index);
            continue;
        }
        if (grant.mode == FolderGrant::Mode::ReadWrite) {
            m_hasWritable = true;
            if (Status known = m_opener->remember(index); !known)
                return known;
        }
        m_shown.append(*std::move(folder));
    }
    const bool isInMemory = fitsInMemory(m_sizeInMemory.bytes + limits.diskBytes);
    for (const qsizetype index : std::as_const(copied)) {
        if (isInMemory) {
            m_inMemory.append(m_folders[index].grant.path);
        } else if (Status made = copyToDisk(index, rooms, run); !made) {
            return made;
        }
    }
    if (!isInMemory)
        m_sizeInMemory = {};
    return {};
}

void GrantedFolders::tellShown(LiveRun &run) const
{
    for (const Folder &folder : m_folders)
        run.addEvent({EventType::FolderShown, shownText(folder.opened, folder.grant.mode)});
}

QList<QByteArray> GrantedFolders::below(const QString &place) const
{
    QStringList inside = m_inMemory;
    for (const OpenedFolder &folder : m_shown)
        inside.append(folder.path);
    QList<QByteArray> below;
    for (const QString &path : std::as_const(inside)) {
        if (path.startsWith(place + u'/'))
            below.append(QFile::encodeName(path.sliced(place.size() + 1)));
    }
    return below;
}

Status GrantedFolders::fill(SealedProcess &process, const Rooms &rooms, LiveRun &run)
{
    if (m_inMemory.isEmpty())
        return {};
    std::vector<UniqueFd> places = process.takeCopies();
    std::size_t next = 0;
    for (qsizetype i = 0; i < m_folders.size(); ++i) {
        if (m_folders[i].grant.mode != FolderGrant::Mode::Stage)
            continue;
        if (next >= places.size())
            return fail(ErrorCode::Internal, Text("the sandbox has no folder for a copy"));
        if (auto staged = copy(i, std::move(places[next++]), rooms, run); !staged)
            return std::unexpected(staged.error());
    }
    return {};
}

// memory: the run's own empty folder; invalid: a folder on disk is made.
Result<StagedFolder> GrantedFolders::copy(qsizetype index, UniqueFd memory, const Rooms &rooms, LiveRun &run)
{
    const OpenedFolder &original = m_folders[index].opened;
    QStringList skipped;
    auto staged = rooms.staging.copy(
        run.id(), m_folders[index].grant,
        {.hostPath = original.hostPath, .device = original.device, .inode = original.inode},
        run.request().policy.limits, std::move(memory),
        [&](const QByteArray &order, int to) { return m_opener->copy(index, order, to); }, skipped);
    if (staged && !skipped.isEmpty())
        run.addEvent(
            {EventType::FolderSkipped,
             Text(QT_TRANSLATE_NOOP("engine",
                                    "The copy of %1 lacks unreadable files, and all but files, folders and links: %2."),
                  {original.hostPath, skipped.join(QStringLiteral(", "))})});
    return staged;
}

Status GrantedFolders::copyToDisk(qsizetype index, const Rooms &rooms, LiveRun &run)
{
    const auto staged = copy(index, {}, rooms, run);
    if (!staged)
        return std::unexpected(staged.error());
    UniqueFd fd = openFolderPlace(QFile::encodeName(staged->copy).constData(), O_NOFOLLOW);
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) != 0)
        return fail(ErrorCode::Io, Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 is gone."), {staged->hostPath}));
    m_onDisk.append(staged->copy);
    m_shown.append({.hostPath = staged->copy,
                    .path = staged->path,
                    .writable = true,
                    .device = info.st_dev,
                    .inode = info.st_ino,
                    .handle = std::make_shared<const UniqueFd>(std::move(fd))});
    return {};
}

void GrantedFolders::close(const Rooms &rooms, LiveRun &run, RunResult &result, Outcome outcome,
                           const Withhold &withhold, SecretSearch *search)
{
    for (qsizetype i = 0; !nothingRan(outcome) && i < m_folders.size(); ++i) {
        if (m_folders[i].grant.mode == FolderGrant::Mode::ReadWrite && tellSensitive(i, run) && search)
            tellSecrets(i, *search, run);
    }
    if (!m_inMemory.isEmpty() || !m_onDisk.isEmpty())
        tellCopies(rooms, run, result, withhold);
    m_opener.reset();
}

static Text changesText(const FolderChanges &folder, qsizetype sensitive)
{
    const QString count = QString::number(folder.changes.size());
    if (sensitive == 0)
        return Text(QT_TRANSLATE_NOOP("engine", "Changes of the run in the copy of %2: %1. The original gets those "
                                                "that you apply."),
                    {count, folder.hostPath});
    return Text(QT_TRANSLATE_NOOP("engine", "Changes of the run in the copy of %2: %1. Changes to files that other "
                                            "programs execute or load: %3. The original gets those that you apply."),
                {count, folder.hostPath, QString::number(sensitive)});
}

void GrantedFolders::tellCopies(const Rooms &rooms, LiveRun &run, RunResult &result, const Withhold &withhold)
{
    const auto compareIt = [&](const StagedFolder &folder, const QByteArray &tree, int copy) {
        const auto index =
            std::ranges::find(m_folders, folder.path, [](const Folder &each) { return each.grant.path; });
        auto answer = m_opener->compare(index - m_folders.begin(), tree, copy);
        if (!answer)
            run.addEvent(
                {EventType::FolderNotCompared,
                 Text(QT_TRANSLATE_NOOP(
                          "engine",
                          "%1 can't be read any longer, so files that were only touched in the copy count as changed."),
                      {folder.hostPath})});
        return answer;
    };
    FinishedCopies finished = rooms.staging.finish(run.id(), withhold, compareIt);
    result.changes = std::move(finished.changes);
    if (!finished.kept)
        run.addEvent({EventType::FolderLost,
                      Text(QT_TRANSLATE_NOOP("engine", "The changes in the copies can't be kept, so there is "
                                                       "nothing to apply: %1"),
                           {finished.kept.error().message.english()})});
    for (const FolderChanges &folder : std::as_const(result.changes)) {
        const qsizetype sensitive = std::ranges::count(folder.changes, true, &FolderChange::isSensitive);
        if (!folder.isWhole)
            run.addEvent({EventType::FolderNotCompared,
                          Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 is too large, too deep or too private to "
                                                           "compare. Nothing of it can be applied."),
                               {folder.hostPath})});
        else if (!folder.changes.isEmpty())
            run.addEvent(
                {.type = EventType::FolderChanges, .detail = changesText(folder, sensitive), .sensitive = sensitive});
        if (const auto withheld = std::ranges::count(folder.changes, true, &FolderChange::isWithheld); withheld > 0)
            run.addEvent(
                {EventType::FolderSecret,
                 Text(withheld == 1
                          ? QT_TRANSLATE_NOOP("engine", "In the copy of %1, 1 file or name holds a secret of the run, "
                                                        "or could not be searched. Review it before you apply it.")
                          : QT_TRANSLATE_NOOP("engine", "In the copy of %1, %2 files or names hold a secret of the "
                                                        "run, or could not be searched. Review them before you apply "
                                                        "them."),
                      {folder.hostPath, QString::number(withheld)})});
    }
}

bool GrantedFolders::tellSensitive(qsizetype index, LiveRun &run)
{
    const QString &folder = m_folders[index].opened.hostPath;
    const auto found = m_opener->changes(index);
    if (!found) {
        run.addEvent({EventType::FolderNotCompared,
                      Text(QT_TRANSLATE_NOOP("engine", "%1 can't be read any longer. Changes there to files that other "
                                                       "programs execute or load are unknown."),
                           {folder})});
        return false;
    }
    const bool isWhole = found->first;
    const QList<FolderChange> changes = inOrderOfReview(found->second);
    for (const FolderChange &change : changes.first(std::min(changes.size(), mostEvents)))
        run.addEvent({.type = EventType::FolderSensitiveChange,
                      .detail = changeText(change, folder),
                      .files = PlantedFiles{.folder = folder, .name = shownName(change)}});
    if (const qsizetype more = changes.size() - mostEvents; more > 0)
        run.addEvent({.type = EventType::FolderSensitiveChange,
                      .detail = Text(more == 1 ? QT_TRANSLATE_NOOP("engine", "The run changed 1 more such file in %2.")
                                               : QT_TRANSLATE_NOOP("engine", "The run changed %1 more such files in "
                                                                             "%2."),
                                     {QString::number(more), folder}),
                      .files = PlantedFiles{.folder = folder, .name = {}, .count = more}});
    if (!isWhole)
        run.addEvent(
            {EventType::FolderNotCompared,
             Text(QT_TRANSLATE_NOOP("engine", "%1 is too large or too private to be compared as a whole: changes to "
                                              "files that other programs execute or load might be missing here."),
                  {folder})});
    return true;
}

// Names of secrets in the next bytes of a file. False: they can't be read.
static bool feedFrom(int file, qint64 bytes, SecretSearch &search)
{
    std::array<char, 65536> part;
    while (bytes > 0) {
        const ssize_t count = ::read(file, part.data(), std::size_t(std::min(bytes, qint64(part.size()))));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        search.feed({part.data(), count});
        bytes -= count;
    }
    wipe(part.data(), part.size());
    return bytes == 0;
}

// The opener copies what changed into memory, where no file system can keep this thread.
void GrantedFolders::tellSecrets(qsizetype index, SecretSearch &search, LiveRun &run)
{
    const QString &folder = m_folders[index].opened.hostPath;
    const UniqueFd memory = openMemoryFile("glovebox-written");
    auto written = memory ? m_opener->written(index, memory.get()) : fail(ErrorCode::Io, Text("no memory"));
    if (written && ::lseek(memory.get(), 0, SEEK_SET) != 0)
        written = fail(ErrorCode::Io, Text("no memory"));
    qint64 left = written ? written->left : 0, holding = 0;
    for (const auto &[path, bytes] : written ? written->files : decltype(written->files)()) {
        QStringList names = search.in(path);
        left += feedFrom(memory.get(), bytes, search) ? 0 : 1;
        names += search.end();
        names.removeDuplicates();
        if (!names.isEmpty() && ++holding <= mostEvents)
            run.addEvent({EventType::FolderHoldsSecret,
                          Text(QT_TRANSLATE_NOOP("engine", "\"%1\" in %2 holds the value of %3."),
                               {textFromBytes(search.scrubbed(path)).replace(u'"', QStringLiteral("\\x22")), folder,
                                names.join(QStringLiteral(", "))})});
    }
    if (holding > mostEvents)
        run.addEvent({EventType::FolderHoldsSecret,
                      Text(QT_TRANSLATE_NOOP("engine", "Further files in %1 that hold the value of a secret: %2."),
                           {folder, QString::number(holding - mostEvents)})});
    if (!written || left > 0)
        run.addEvent(
            {EventType::FolderNotCompared,
             written
                 ? Text(QT_TRANSLATE_NOOP("engine", "Changed files in %1 that were not, or not wholly, searched for "
                                                    "secrets: %2. At most %3 files with %4 MB together are."),
                        {folder, QString::number(left), QString::number(WrittenFiles::mostFiles),
                         QString::number(WrittenFiles::mostBytes / mebibyte)})
                 : Text(QT_TRANSLATE_NOOP("engine", "Files that changed in %1 could not be searched for secrets."),
                        {folder})});
}

} // namespace glovebox
