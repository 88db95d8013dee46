// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of code: whole, checked, and never over somebody else's change.
#pragma once

#include "hiddentext.h"

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QString>

#include <expected>
#include <optional>

namespace glovebox {

// Tells cheaply that a file is most likely the one that was read.
struct FileStamp
{
    qint64 size = -1; // -1: there is no file
    QDateTime modified;

    bool exists() const { return size >= 0; }
    bool operator==(const FileStamp &) const = default;
};

enum class Encoding { Utf8, Utf16Le, Utf16Be, Latin1 };
constexpr Encoding allEncodings[] = {Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Latin1};
QString encodingName(Encoding encoding); // "UTF-8"

struct CodeFile
{
    QString text; // lines end with \n
    bool crlf = false; // in the file, lines end with \r\n
    bool mark = false; // it begins with a byte order mark
    Encoding encoding = Encoding::Utf8;
    bool hasLongLines = false; // longer than an editor can show
    bool writable = true;
    std::optional<HiddenText> hidden;
    QByteArray hash; // of the bytes
    FileStamp stamp;

    bool operator==(const CodeFile &) const = default;
};

constexpr qint64 maximumFileBytes = 20 * 1024 * 1024;

// These block: not for the GUI thread. The error is a sentence for the person. as: the person says which encoding; else by
// the byte order mark, else UTF-8 where that fits, else Latin-1, which reads and writes back every byte.
std::expected<CodeFile, QString> readCodeFile(const QString &path, std::optional<Encoding> as = std::nullopt);
// The same for bytes that come from elsewhere; name is what the sentence calls them.
std::expected<CodeFile, QString> readCode(const QByteArray &bytes, const QString &name,
                                          std::optional<Encoding> as = std::nullopt);
// The text with no line too long to be shown: what is longer goes on in the next line.
struct CutText
{
    QString text;
    QList<int> continuing; // its lines that go on with the one before, by their index, in order
};
CutText cutLongLines(const QString &text);
FileStamp stampOf(const QString &path);
QByteArray hashOf(const QByteArray &bytes);

struct SaveError
{
    bool changed = false; // the file isn't the one that was expected; nothing was written
    QString sentence;
    QString missing; // a character that the encoding doesn't have; nothing was written
};
struct SavedFile
{
    QByteArray hash;
    FileStamp stamp;
};
// expectedHash: what the file holds as far as the caller knows; null: write whatever is there. A file that is gone is
// made again.
std::expected<SavedFile, SaveError> writeCodeFile(const QString &path, const QByteArray &bytes,
                                                  const QByteArray &expectedHash);

// The bytes of a text in the form of its file. Characters that Latin-1 doesn't have become "?": ask missingIn() first.
QByteArray encoded(const QString &text, const CodeFile &form);
// The first character that the encoding doesn't have; empty: it has all.
QString missingIn(Encoding encoding, const QString &text);

} // namespace glovebox
