// SPDX-License-Identifier: Apache-2.0
// Names that some file system takes for others. What is harmless here may be obeyed where the folder is copied to, or is mounted.
#pragma once

#include <QByteArray>
#include <QList>

namespace glovebox {

// A part of a path, as the most generous file system takes it for the same: whatever the case of its letters, what is not shown,
// what follows a colon (a stream of NTFS), and dots and spaces at its end (vfat, Windows). As git's core.protectNTFS and
// core.protectHFS.
QByteArray foldedName(QByteArray name);
// All parts of a path. A backslash parts names on Windows.
QByteArrayList foldedParts(QByteArray path);
// vfat, exfat and NTFS find a file by this, too: .vscode by VSCODE~1 (CVE-2014-9390, CVE-2019-1352). name: folded.
bool mayBeShortName(const QByteArray &name);

} // namespace glovebox
