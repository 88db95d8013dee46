// SPDX-License-Identifier: Apache-2.0
#include "changesnames.h"

#include "changesview.h"

#include "app/cli/options.h"
#include "app/cli/record/recordedrun.h"
#include "app/cli/terminal/terminal.h"

#include <QDir>
#include <QFile>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// The id of the run with this number in the log.
Result<QString> runNumbered(const QByteArray &number)
{
    ASSIGN_OR_RETURN(const auto paths, Paths::standard());
    ASSIGN_OR_RETURN(const auto reader, AuditReader::open(paths.auditFile()));
    std::optional<StoredEntry> found;
    ASSIGN_OR_RETURN(QString run, findRun(*reader, number, found));
    if (run.isEmpty())
        return fail(ErrorCode::NotFound, Text("Entry %1 of the log belongs to no run. \"glovebox audit list\" lists "
                                              "the runs with their numbers.",
                                              {QString::fromUtf8(number)}));
    return run;
}

} // namespace

bool meansLatest(const QByteArray &word)
{
    return word.toLower() == "last" || word.toLower() == "latest";
}

Result<QString> runCalled(const QByteArray &word, const QList<PendingChanges> &among)
{
    if (isLogNumber(word))
        return runNumbered(word);
    constexpr qsizetype fewest = 8;
    const QString wanted = QString::fromUtf8(word).toLower();
    const bool isLatest = meansLatest(word);
    QStringList runs;
    for (const PendingChanges &one : among) {
        if (isLatest || (wanted.size() >= fewest && one.run.startsWith(wanted)))
            runs.append(one.run);
    }
    if (isLatest && runs.isEmpty())
        return fail(ErrorCode::NotFound,
                    Text("\"%1\" names no run here. \"glovebox changes list\" lists the runs with changes.", {wanted}));
    if (isLatest)
        return *std::ranges::max_element(runs); // ids begin with the time
    if (runs.size() > 1)
        return fail(ErrorCode::InvalidInput,
                    Text("More than one run has an id that begins with %1: %2. Type more of it.",
                         {wanted, runs.join(u", "_s)}));
    return runs.isEmpty() ? QString::fromUtf8(word) : runs.first();
}

namespace {

// A path as it was typed, and as it is from the current folder.
QByteArrayList meaningsOf(const QByteArray &name)
{
    if (name.startsWith('/'))
        return {name};
    const QByteArray here = QFile::encodeName(QDir::currentPath());
    return {name, here + '/' + (name.startsWith("./") ? name.sliced(2) : name)};
}

// Whether the path is called so: as it is, or as "changes show" prints it.
bool isCalled(const QByteArray &path, bool isFolder, const QByteArrayList &names, bool asShown)
{
    const QByteArray shown = asShown ? escapedLine(path) : path;
    return names.contains(shown) || (isFolder && names.contains(shown + '/'));
}

// The same of a path in a folder, also below the folder's name on either side.
bool isNamed(const FolderChanges &folder, const QByteArray &path, bool isFolder, const QByteArrayList &names,
             bool asShown)
{
    return isCalled(path, isFolder, names, asShown)
           || isCalled(folder.path.toUtf8() + '/' + path, isFolder, names, asShown)
           || isCalled(folder.hostPath.toUtf8() + '/' + path, isFolder, names, asShown);
}

bool isAtOrBelow(const FolderChanges &folder, const FolderChange &change, const QByteArrayList &names, bool asShown)
{
    if (isCalled(folder.path.toUtf8(), true, names, asShown) || isCalled(folder.hostPath.toUtf8(), true, names, asShown)
        || isNamed(folder, change.path, change.type == FolderChange::Type::Folder, names, asShown))
        return true;
    for (qsizetype end = change.path.indexOf('/'); end >= 0; end = change.path.indexOf('/', end + 1)) {
        if (isNamed(folder, change.path.first(end), true, names, asShown))
            return true;
    }
    return false;
}

// A folder that the name may lead into, and whose copy couldn't be compared: nobody knows what was changed there.
const FolderChanges *uncomparedAt(const QByteArrayList &names, const QList<FolderChanges> &folders)
{
    const bool isWithin = !names.first().startsWith('/'); // of any folder
    const auto isMeant = [&](const FolderChanges &folder) {
        return !folder.isWhole && (isWithin || std::ranges::any_of(names, [&](QByteArray name) {
                                       while (name.size() > 1 && name.endsWith('/'))
                                           name.chop(1);
                                       return std::ranges::any_of(
                                           QList<QString>{folder.path, folder.hostPath}, [&](const QString &side) {
                                               return name == side.toUtf8() || name.startsWith(side.toUtf8() + '/');
                                           });
                                   }));
    };
    const auto found = std::ranges::find_if(folders, isMeant);
    return found == folders.end() ? nullptr : &*found;
}

QString nothingAt(const QByteArrayList &names, const QString &shown, const PendingChanges &waiting)
{
    if (const FolderChanges *folder = uncomparedAt(names, waiting.folders))
        return u"Whether this run changed %1 isn't known: %2"_s.arg(shown, uncomparedSentence(*folder));
    return u"Nothing at %1 was changed by this run. \"glovebox changes show %2\" lists the changes."_s.arg(shown,
                                                                                                           waiting.run);
}

} // namespace

std::expected<QList<FolderChanges>, QString> changesNamed(const QByteArrayList &typed, const PendingChanges &waiting)
{
    QList<FolderChanges> chosen = waiting.folders;
    std::vector<ChangeChoice> choices;
    for (const FolderChanges &folder : waiting.folders)
        choices.emplace_back(folder.changes);
    for (const QByteArray &name : typed) {
        const QByteArrayList names = meaningsOf(name);
        QStringList found;
        for (const bool asShown : {false, true}) {
            for (qsizetype i = 0; found.size() < 2 && i < chosen.size(); ++i) {
                const FolderChanges &folder = waiting.folders[i];
                bool isHere = false;
                for (qsizetype j = 0; folder.isWhole && j < folder.changes.size(); ++j) {
                    const FolderChange &change = folder.changes[j];
                    if (!isNamed(folder, change.path, change.type == FolderChange::Type::Folder, names, asShown))
                        continue;
                    choices[std::size_t(i)].choose(j, true);
                    isHere = true;
                }
                if (isHere)
                    found.append(folder.hostPath + u'/');
            }
            if (!found.isEmpty())
                break;
        }
        const QString shown = QString::fromUtf8(escapedLine(name));
        if (found.isEmpty() && changesAtOrBelow({name}, waiting))
            return std::unexpected(
                u"%1 itself wasn't changed, but what is below it. Name each file: \"glovebox changes show %2 -- %3\" "
                "lists them."_s.arg(shown, waiting.run, asShellWord(name)));
        if (found.isEmpty())
            return std::unexpected(nothingAt(names, shown, waiting));
        if (found.size() > 1)
            return std::unexpected(u"Several folders have a change at %1. Put one of them before it: %2"_s.arg(
                shown, QString::fromUtf8(escapedLine(found.join(u' ').toUtf8()))));
    }
    for (qsizetype i = 0; i < chosen.size(); ++i)
        chosen[i].changes = choices[std::size_t(i)].chosen();
    chosen.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    return chosen;
}

std::expected<QList<FolderChanges>, QString> changesAtOrBelow(const QByteArrayList &typed,
                                                              const PendingChanges &waiting)
{
    QList<FolderChanges> found = waiting.folders;
    found.removeIf([](const FolderChanges &folder) { return !folder.isWhole; }); // its changes are some of them
    QList<QByteArrayList> all;
    for (const QByteArray &name : typed)
        all.append(meaningsOf(name));
    QList<bool> isMet(typed.size(), false);
    for (FolderChanges &folder : found) {
        folder.changes.removeIf([&](const FolderChange &change) {
            bool isMeant = false;
            for (qsizetype i = 0; i < all.size(); ++i) {
                if (isAtOrBelow(folder, change, all[i], false) || isAtOrBelow(folder, change, all[i], true))
                    isMeant = isMet[i] = true;
            }
            return !isMeant;
        });
    }
    if (const qsizetype unmet = isMet.indexOf(false); unmet >= 0)
        return std::unexpected(nothingAt(all[unmet], QString::fromUtf8(escapedLine(typed[unmet])), waiting));
    found.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    return found;
}

} // namespace glovebox
