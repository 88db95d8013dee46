// SPDX-License-Identifier: Apache-2.0
// Reads the files that a person names on the command line. Each error is a sentence that says which file, and what to do.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// A number in /dev/fd, or another name of that folder, by which whoever started Glovebox gave nothing: now or later it is a descriptor of
// Glovebox's own, such as the audit log's.
bool isUngivenDescriptor(const QByteArray &path);
// A file's name without its folders, which may tell its language. Empty where it is the number of a descriptor, as of <(...) in a shell.
QString nameOfCode(const QByteArray &path);
// A pipe with a name is opened without waiting for somebody who writes to it.
Result<UniqueFd> openForReading(const QByteArray &path);
// The same, but returns when somebody has written to a pipe with a name, and says so when nobody does for a second. Reading waits then.
Result<UniqueFd> openWhenWritten(const QByteArray &path);
// Up to the end, but stops after one byte more than most: then it is known to be too large. Says so when nobody writes for a second. path:
// for sentences.
Result<QByteArray> readUpTo(const UniqueFd &descriptor, const QByteArray &path, qint64 most);
// Under their own names without folders; together at most diskBytes.
Result<QList<InnerFile>> readFiles(const QByteArrayList &paths, qint64 diskBytes);

} // namespace glovebox
