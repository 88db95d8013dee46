// SPDX-License-Identifier: Apache-2.0
#include "saving.h"

#include <QDir>
#include <QSaveFile>

#include <algorithm>

namespace glovebox {

namespace {

std::unexpected<Error> notSaved(const QString &path, const QString &why)
{
    return fail(ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine", "\"%1\" can't be saved: %2. Choose another folder."), {path, why}));
}

const SessionEntry *entryAt(const SessionTree &tree, const QByteArray &path)
{
    const auto found = std::ranges::find(tree, path, &SessionEntry::path);
    if (found == tree.end())
        return nullptr;
    return found->type == SessionEntry::Type::SameFile ? entryAt(tree, found->target) : &*found;
}

Status saveFile(const Sessions &sessions, const Session &session, const SessionEntry &file, const QString &target)
{
    QSaveFile out(target);
    if (!out.open(QIODevice::WriteOnly))
        return notSaved(target, out.errorString());
    out.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    RETURN_IF_ERROR(sessions.pass(session, file, [&](QByteArrayView piece) -> Status {
        if (out.write(piece.data(), piece.size()) != piece.size())
            return notSaved(target, out.errorString());
        return {};
    }));
    return out.commit() ? Status() : notSaved(target, out.errorString());
}

} // namespace

Result<FilesOnDisk> saveFromSession(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                    const QByteArray &path, const QString &target)
{
    FilesOnDisk saved;
    const SessionEntry *first = path.isEmpty() ? nullptr : entryAt(tree, path);
    if (!path.isEmpty() && (!first || first->type == SessionEntry::Type::Link))
        return fail(ErrorCode::NotFound, Text(QT_TRANSLATE_NOOP("engine", "The session no longer has such a file.")));
    if (first && first->type == SessionEntry::Type::File) {
        RETURN_IF_ERROR(saveFile(sessions, session, *first, target));
        return FilesOnDisk{.files = 1};
    }
    if (QFileInfo::exists(target))
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "\"%1\" is there already and stays as it is. Choose another "
                                                     "name."),
                         {target}));
    if (!QDir().mkdir(target))
        return notSaved(target, errnoText(errno));
    const QByteArray below = path.isEmpty() ? QByteArray() : path + '/';
    for (const SessionEntry &entry : tree) {
        if (!entry.path.startsWith(below))
            continue;
        const QString place = target + QLatin1Char('/') + QFile::decodeName(entry.path.sliced(below.size()));
        if (entry.type == SessionEntry::Type::Folder) {
            if (!QDir().mkdir(place))
                return notSaved(place, errnoText(errno));
        } else if (const SessionEntry *file = entryAt(tree, entry.path);
                   file && file->type == SessionEntry::Type::File) {
            RETURN_IF_ERROR(saveFile(sessions, session, *file, place));
            ++saved.files;
        } else {
            ++saved.left;
        }
    }
    return saved;
}

Result<std::optional<QByteArray>> contentOf(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                            const QByteArray &path, qint64 mostBytes)
{
    const SessionEntry *file = entryAt(tree, path);
    if (!file || file->type != SessionEntry::Type::File || file->bytes > mostBytes)
        return std::optional<QByteArray>();
    QByteArray content;
    RETURN_IF_ERROR(sessions.pass(session, *file, [&](QByteArrayView piece) -> Status {
        content.append(piece);
        return {};
    }));
    return std::optional(content);
}

} // namespace glovebox
