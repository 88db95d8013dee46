// SPDX-License-Identifier: Apache-2.0
// A session's files, copied into a folder of the person's.
#include "sessionplace.h"

namespace glovebox {

Result<SavedFiles> Sessions::save(const Session &session, const SessionTree &files, const QString &folder,
                                  const CopyProgress &progress) const
{
    ASSIGN_OR_RETURN(const SaveFolder top, SaveFolder::open(folder));
    SavedFiles report;
    CopiedUntilNow copied;
    const auto count = [&](qint64 moreFiles, qint64 moreBytes) {
        copied.files += moreFiles;
        copied.bytes += moreBytes;
        if (progress)
            progress(copied);
    };
    // Of which the bytes are counted on their way.
    const auto passOn = [&](const SessionEntry &entry, const auto &to) {
        return pass(session, entry, [&](QByteArrayView piece) {
            count(0, piece.size());
            return to(piece);
        });
    };
    NamedFiles links, renamed;
    for (const SessionEntry &entry : files) {
        const QString path = textFromBytes(entry.path);
        if (entry.type == SessionEntry::Type::Link) {
            links.add(path);
            continue;
        }
        const Status saved = entry.type == SessionEntry::Type::Folder
                                 ? top.makeFolder(path)
                                 : top.save(path, [&](const auto &to) { return passOn(entry, to); });
        if (!saved) {
            report.left.append(saved.error().code == ErrorCode::Damaged || saved.error().code == ErrorCode::NotFound
                                   ? damagedFile(entry)
                                   : saved.error().message);
            continue;
        }
        if (entry.type != SessionEntry::Type::Folder) {
            ++report.saved;
            count(1, 0);
        }
        if (const QString name = SaveFolder::nameOf(path); name != path)
            renamed.add(QStringLiteral("%1 -> %2").arg(path, name));
    }
    if (!links.isEmpty())
        report.told.append({QT_TRANSLATE_NOOP("engine", "Links aren't saved: %1 (%2 in all)."), links.texts()});
    if (!renamed.isEmpty())
        report.told.append(renamedText(renamed));
    return report;
}

} // namespace glovebox
