// SPDX-License-Identifier: Apache-2.0
// Files that are there whole after a power cut, too.
#pragma once

#include <QByteArrayView>
#include <QString>

class QSaveFile;

namespace glovebox {

// Puts a file of these bytes, readable and writable by its owner alone, in the place of the one at path: whenever this program is
// killed, the old file or the new one is there. The new one is PATH.new until then, so the caller holds a lock that keeps others
// from writing it. 0, or an errno: then the old file stays.
int replaceFile(const QString &path, QByteArrayView bytes);

// QSaveFile::commit() syncs the file before it renames it, but doesn't look whether the last bytes could be written: on a full disk it
// puts a cut file in the place of the old one. False: the old file stays, and errorString() says why.
bool commitWhole(QSaveFile &file);

// What was made, renamed or removed in the folder lasts. 0, or an errno.
int syncFolder(const QString &folder);

} // namespace glovebox
