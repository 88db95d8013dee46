// SPDX-License-Identifier: Apache-2.0
// How what was made beside its place gets the name that it has there, and the sentences about what can't.
#pragma once

#include "engine/folders/copies/copy.h"

#include <QHash>

namespace glovebox {

Text changedMeanwhile(const QByteArray &path);
Text failed(const QByteArray &path, int error);
Text notRemoved(const QByteArray &path, int error);

QByteArray parentPathOf(const QByteArray &path); // "." of the original itself
QByteArray nameOf(const QByteArray &path);

// parent: the folder of the original that the entry is in. Is the entry what was copied?
bool isUntouched(int parent, const KeptChange &kept);
// made: the name that it has in parent until then, and that is gone afterwards. Empty: done.
Text takeName(int parent, const QByteArray &made, const KeptChange &kept);
// As takeName() of what is new. Nothing that appeared there meanwhile is replaced.
Text giveName(int parent, const QByteArray &made, const QByteArray &name, const FolderChange &change);
// As takeName() of what is changed.
Text replaceName(int parent, const QByteArray &made, const QByteArray &name, const KeptChange &kept);

// Files of the original of which several names are changed or removed (link(2)). In the copy each name is a file of its own.
class SharedFiles
{
public:
    SharedFiles(int original, const QList<KeptChange> &changes);
    // A name was removed, or got another file: that alone changed a time stamp of the file, whose other names are as untouched as before.
    void leave(QList<KeptChange> &changes, qsizetype name);

private:
    Stamp stampOf(const QByteArray &path) const;

    const int m_original;
    QHash<quint64, QList<qsizetype>> m_names; // by inode: places of those that aren't done
};

} // namespace glovebox
