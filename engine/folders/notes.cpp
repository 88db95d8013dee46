// SPDX-License-Identifier: Apache-2.0
#include "notes.h"

#include <QDataStream>
#include <QFile>
#include <QSaveFile>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 manifestVersion = 1;

template<typename Write> Status writeNotes(const QString &folder, const QString &name, Write write)
{
    QSaveFile file(folder + u'/' + name);
    if (file.open(QIODevice::WriteOnly)) {
        QDataStream out(&file);
        write(out);
        if (out.status() == QDataStream::Ok && file.flush() && file.commit()) // see settingsfile.cpp
            return {};
    }
    return fail(ErrorCode::Io,
                Text(QT_TRANSLATE_NOOP("engine", "What was copied can't be noted in %1: %2. Check the free space."),
                     {folder, file.errorString()}));
}

std::unexpected<Error> unreadable(const QString &folder)
{
    return fail(ErrorCode::Damaged,
                Text(QT_TRANSLATE_NOOP("engine", "The notes about the copy in %1 can't be read."), {folder}));
}

} // namespace

Status writeManifest(const QString &folder, const QList<Copy> &copies)
{
    return writeNotes(folder, u"manifest"_s, [&](QDataStream &out) {
        out << manifestVersion << qint32(copies.size());
        for (const Copy &copy : copies)
            out << copy.folder.hostPath << copy.folder.path << copy.folder.device << copy.folder.inode << copy.tree;
    });
}

Result<QList<Copy>> readManifest(const QString &folder)
{
    QFile file(folder + u"/manifest"_s);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::NotFound, Text(QT_TRANSLATE_NOOP("engine", "There is no copy in %1."), {folder}));
    QDataStream in(&file);
    quint32 version = 0;
    qint32 count = 0;
    in >> version >> count;
    QList<Copy> copies;
    for (qint32 i = 0; version == manifestVersion && i < count && in.status() == QDataStream::Ok; ++i) {
        Copy copy;
        in >> copy.folder.hostPath >> copy.folder.path >> copy.folder.device >> copy.folder.inode >> copy.tree;
        copy.folder.copy = folder + u'/' + QString::number(i);
        copies.append(std::move(copy));
    }
    if (version != manifestVersion || in.status() != QDataStream::Ok)
        return unreadable(folder);
    return copies;
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
