// SPDX-License-Identifier: Apache-2.0
#include "notes.h"

#include <QDataStream>
#include <QFile>
#include <QSaveFile>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 manifestVersion = 2; // 1 had whole copies
constexpr quint32 undoVersion = 2; // 1 had no owners and times

template<typename Write> Status writeNotes(const QString &folder, const QString &name, Write write)
{
    QSaveFile file(folder + u'/' + name);
    if (file.open(QIODevice::WriteOnly)) {
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner); // where there are none, the folder's must do
        QDataStream out(&file);
        write(out);
        if (out.status() == QDataStream::Ok && commitWhole(file))
            return {};
    }
    return fail(ErrorCode::Io,
                Text(QT_TRANSLATE_NOOP("engine", "The changes can't be noted in %1: %2. Check the free space."),
                     {folder, file.errorString()}));
}

std::unexpected<Error> unreadable(const QString &folder)
{
    return fail(
        ErrorCode::Damaged,
        Text(QT_TRANSLATE_NOOP(
                 "engine",
                 "The notes about the changes in %1 can't be read. Take from there what you need, then discard them."),
             {folder}));
}

// version, known: of the notes, and the newest that is known.
std::unexpected<Error> unreadable(const QString &folder, quint32 version, quint32 known)
{
    if (version <= known)
        return unreadable(folder);
    return fail(ErrorCode::Newer, Text(QT_TRANSLATE_NOOP("engine", "A newer version of Glovebox kept the changes in "
                                                                   "%1. Use that version."),
                                       {folder}));
}

} // namespace

FolderChanges KeptFolder::shown() const
{
    FolderChanges all{.hostPath = folder.hostPath, .path = folder.path, .isWhole = isWhole};
    for (const KeptChange &kept : changes)
        all.changes.append(kept.change);
    return all;
}

QString contentsIn(const QString &folder, qsizetype index)
{
    return folder + u"/changed-"_s + QString::number(index);
}

Status writeManifest(const QString &folder, const QList<KeptFolder> &kept)
{
    return writeNotes(folder, u"manifest"_s, [&](QDataStream &out) {
        out << manifestVersion << qint32(kept.size());
        for (const auto &[copied, changes, isWhole] : kept)
            out << copied.hostPath << copied.path << copied.device << copied.inode << isWhole << changes;
    });
}

Result<QList<KeptFolder>> readManifest(const QString &folder)
{
    QFile file(folder + u"/manifest"_s);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::NotFound, Text(QT_TRANSLATE_NOOP("engine", "Nothing is kept in %1."), {folder}));
    QDataStream in(&file);
    quint32 version = 0;
    qint32 count = 0;
    in >> version >> count;
    QList<KeptFolder> all;
    for (qint32 i = 0; version == manifestVersion && i < count && in.status() == QDataStream::Ok; ++i) {
        KeptFolder kept;
        StagedFolder &copied = kept.folder;
        in >> copied.hostPath >> copied.path >> copied.device >> copied.inode >> kept.isWhole >> kept.changes;
        copied.copy = contentsIn(folder, i);
        all.append(std::move(kept));
    }
    if (version != manifestVersion || in.status() != QDataStream::Ok)
        return unreadable(folder, version, manifestVersion);
    return all;
}

Status writeUndo(const QString &folder, const QList<QList<UndoStep>> &steps)
{
    return writeNotes(folder, u"steps"_s, [&](QDataStream &out) {
        out << undoVersion << qint32(steps.size());
        for (const QList<UndoStep> &ofFolder : steps) {
            out << qint32(ofFolder.size());
            for (const auto &[done, back] : ofFolder) {
                const Attributes attributes = back.attributes.value_or(Attributes{});
                out << done << back << back.attributes.has_value() << attributes.uid << attributes.gid
                    << attributes.modifiedNs;
            }
        }
    });
}

Result<QList<QList<UndoStep>>> readUndo(const QString &folder)
{
    QFile file(folder + u"/steps"_s);
    QList<QList<UndoStep>> all;
    if (!file.open(QIODevice::ReadOnly))
        return file.exists() ? unreadable(folder) : Result<QList<QList<UndoStep>>>(all);
    QDataStream in(&file);
    quint32 version = 0;
    qint32 folders = 0;
    in >> version >> folders;
    const auto isSound = [&] { return version == undoVersion && in.status() == QDataStream::Ok; };
    for (qint32 i = 0; isSound() && i < folders; ++i) {
        qint32 count = 0;
        in >> count;
        all.append(QList<UndoStep>());
        for (qint32 j = 0; isSound() && j < count; ++j) {
            UndoStep step;
            bool hasAttributes = false;
            Attributes attributes;
            in >> step.done >> step.back >> hasAttributes >> attributes.uid >> attributes.gid >> attributes.modifiedNs;
            if (hasAttributes)
                step.back.attributes = attributes;
            all.last().append(step);
        }
    }
    return isSound() ? Result<QList<QList<UndoStep>>>(all) : unreadable(folder, version, undoVersion);
}

QByteArray digestOf(const QString &folder, const QByteArray &path)
{
    return sha256({folder.toUtf8(), QByteArrayView("\0", 1), path});
}

Status writeWithheld(const QString &folder, const Withheld &withheld)
{
    return writeNotes(folder, u"withheld"_s, [&](QDataStream &out) { out << withheld; });
}

Result<Withheld> readWithheld(const QString &folder)
{
    QFile file(folder + u"/withheld"_s);
    Withheld withheld;
    if (!file.exists())
        return withheld;
    QDataStream in(&file);
    if (file.open(QIODevice::ReadOnly))
        in >> withheld;
    if (!file.isOpen() || in.status() != QDataStream::Ok)
        return unreadable(folder);
    return withheld;
}

QMap<QString, QString> hide(FolderChanges &folder, const Withheld &withheld)
{
    QMap<QString, QString> hidden;
    for (FolderChange &change : folder.changes) {
        const auto found = withheld.constFind(digestOf(folder.path, change.path));
        if (found == withheld.constEnd())
            continue;
        hidden[textFromBytes(change.path)] = textFromBytes(found->first);
        change.path = found->first;
        change.target = found->second;
        change.isWithheld = true;
    }
    return hidden;
}

} // namespace glovebox
