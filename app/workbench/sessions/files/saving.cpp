// SPDX-License-Identifier: Apache-2.0
#include "saving.h"

#include <QFile>
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
    return commitWhole(out) ? Status() : notSaved(target, out.errorString());
}

} // namespace

Result<SavedFiles> saveFromSession(const Sessions &sessions, const Session &session, const SessionTree &tree,
                                   const QByteArray &path, const QString &target)
{
    const SessionEntry *first = path.isEmpty() ? nullptr : entryAt(tree, path);
    if (!path.isEmpty() && !first)
        return fail(ErrorCode::NotFound, Text(QT_TRANSLATE_NOOP("engine", "The session no longer has this file.")));
    if (first && first->type == SessionEntry::Type::Link)
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "%1 is a link. Links aren't saved, as they can lead anywhere."),
                         {textFromBytes(path)}));
    if (first && first->type == SessionEntry::Type::File) {
        RETURN_IF_ERROR(saveFile(sessions, session, *first, target));
        return SavedFiles{.saved = 1};
    }
    const QByteArray below = path.isEmpty() ? QByteArray() : path + '/';
    SessionTree files;
    for (SessionEntry entry : tree) {
        if (!entry.path.startsWith(below))
            continue;
        entry.path = entry.path.sliced(below.size());
        files.append(std::move(entry));
    }
    return sessions.save(session, files, target);
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
