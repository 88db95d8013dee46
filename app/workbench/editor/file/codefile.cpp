// SPDX-License-Identifier: Apache-2.0
#include "codefile.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/shell/words/words.h"

#include "engine/languages/languages.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>
#include <QStringEncoder>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct CodeFiles
{
    Q_DECLARE_TR_FUNCTIONS(CodeFiles)
};

QString nameOf(const QString &path)
{
    return QFileInfo(path).fileName();
}

std::expected<QByteArray, QString> readBytes(const QString &path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return std::unexpected(CodeFiles::tr("%1 is not there. The file might have been moved or deleted.").arg(path));
    if (info.isDir())
        return std::unexpected(CodeFiles::tr("%1 is a folder, and the editor opens files. Code on the bench can read a "
                                             "folder that is shown to the run.")
                                   .arg(path));
    // A pipe or a device may never end.
    if (!info.isFile())
        return std::unexpected(CodeFiles::tr("%1 is not a text file. Choose another file.").arg(path));
    if (info.size() > maximumFileBytes)
        return std::unexpected(
            CodeFiles::tr("%1 has %2. The editor opens files of up to %3, and a run takes code of up to %4. If this is "
                          "data, show its folder to the run. If this is code, split it.")
                .arg(nameOf(path), sizeWord(info.size()), sizeWord(maximumFileBytes), sizeWord(maximumCodeBytes)));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return std::unexpected(file.error() == QFileDevice::PermissionsError || !info.isReadable()
                                   ? CodeFiles::tr("You have no permission to read %1.").arg(path)
                                   : CodeFiles::tr("%1 can't be read: %2.").arg(path, file.errorString()));
    QByteArray bytes = file.read(maximumFileBytes + 1);
    if (file.error() != QFileDevice::NoError)
        return std::unexpected(CodeFiles::tr("%1 can't be read: %2.").arg(path, file.errorString()));
    return bytes;
}

// Either the old file or the new one is there, whatever happens. No QSaveFile::setDirectWriteFallback(): on a full disk that
// empties the old file and reports success.
QString writeBeside(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && commitWhole(file))
        return {};
    return file.errorString();
}

// Where the folder can't be written, but the file can. The space is there before the first old byte goes.
QString writeOver(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite | QIODevice::ExistingOnly | QIODevice::Unbuffered))
        return file.errorString();
    const qint64 before = file.size();
    if (const int error = bytes.size() > before ? ::posix_fallocate(file.handle(), 0, bytes.size()) : 0; error != 0) {
        file.resize(before);
        return qt_error_string(error);
    }
    if (file.write(bytes) != bytes.size() || !file.resize(bytes.size()) || ::fsync(file.handle()) != 0)
        return file.error() == QFileDevice::NoError ? qt_error_string() : file.errorString();
    return {};
}

QByteArray markOf(Encoding encoding)
{
    switch (encoding) {
    case Encoding::Utf16Le:
        return "\xff\xfe";
    case Encoding::Utf16Be:
        return "\xfe\xff";
    case Encoding::Latin1:
        return {};
    case Encoding::Utf8:
        break;
    }
    return "\xef\xbb\xbf";
}

QStringConverter::Encoding converterOf(Encoding encoding)
{
    return encoding == Encoding::Utf16Le   ? QStringConverter::Utf16LE
           : encoding == Encoding::Utf16Be ? QStringConverter::Utf16BE
           : encoding == Encoding::Latin1  ? QStringConverter::Latin1
                                           : QStringConverter::Utf8;
}

Encoding encodingOf(const QByteArray &bytes)
{
    for (const Encoding wide : {Encoding::Utf16Le, Encoding::Utf16Be}) {
        if (bytes.startsWith(markOf(wide)))
            return wide;
    }
    return bytes.isValidUtf8() || bytes.contains('\0') ? Encoding::Utf8 : Encoding::Latin1;
}

// Those that no text has: what Latin-1 would read as text is a picture or an archive more often.
bool hasControls(const QByteArray &bytes)
{
    return std::ranges::any_of(bytes, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b';
    });
}

} // namespace

QByteArray hashOf(const QByteArray &bytes)
{
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

FileStamp stampOf(const QString &path)
{
    const QFileInfo info(path);
    return info.exists() ? FileStamp{info.size(), info.lastModified()} : FileStamp{};
}

QString encodingName(Encoding encoding)
{
    switch (encoding) {
    case Encoding::Utf16Le:
        return u"UTF-16"_s;
    case Encoding::Utf16Be:
        return u"UTF-16 BE"_s;
    case Encoding::Latin1:
        return u"Latin-1"_s;
    case Encoding::Utf8:
        break;
    }
    return u"UTF-8"_s;
}

std::expected<CodeFile, QString> readCode(const QByteArray &bytes, const QString &name, std::optional<Encoding> as)
{
    if (bytes.size() > maximumFileBytes)
        return std::unexpected(CodeFiles::tr("%1 has more than %2, which is more than the editor opens.")
                                   .arg(name, sizeWord(maximumFileBytes)));
    CodeFile result;
    result.encoding = as.value_or(encodingOf(bytes));
    const bool isWide = result.encoding == Encoding::Utf16Le || result.encoding == Encoding::Utf16Be;
    if (!isWide && bytes.contains('\0'))
        return std::unexpected(CodeFiles::tr("%1 is not text: it has zero bytes. The file was not opened. Code on the "
                                             "bench can read it where its folder is shown to the run.")
                                   .arg(name));
    if (!as && result.encoding == Encoding::Latin1 && hasControls(bytes))
        return std::unexpected(CodeFiles::tr("%1 is not text: it has control characters. The file was not opened. Code "
                                             "on the bench can read it where its folder is shown to the run.")
                                   .arg(name));
    const QByteArray mark = markOf(result.encoding);
    result.mark = !mark.isEmpty() && bytes.startsWith(mark);
    QStringDecoder decoder(converterOf(result.encoding),
                           QStringDecoder::Flag::Stateless | QStringDecoder::Flag::ConvertInitialBom);
    result.text = decoder.decode(QByteArrayView(bytes).sliced(result.mark ? mark.size() : 0));
    if (decoder.hasError() || (isWide && bytes.size() % 2 != 0))
        return std::unexpected(CodeFiles::tr("%1 is not %2 text. The file was not opened, as saving would change it.")
                                   .arg(name, encodingName(result.encoding)));
    const auto crlf = result.text.count(u"\r\n"_s);
    result.crlf = crlf > 0 && crlf * 2 > result.text.count(u'\n');
    result.text.replace(u"\r\n"_s, u"\n"_s).replace(u'\r', u'\n');
    result.hasLongLines = longestLineOf(result.text) > CodeEditor::longestLine;
    result.hidden = findHiddenText(result.text);
    result.hash = hashOf(bytes);
    return result;
}

std::expected<CodeFile, QString> readCodeFile(const QString &path, std::optional<Encoding> as)
{
    const FileStamp stamp = stampOf(path); // before reading: a change in between is seen later
    const auto bytes = readBytes(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    auto result = readCode(*bytes, nameOf(path), as);
    if (result) {
        result->stamp = stamp;
        result->writable = QFileInfo(path).isWritable();
    }
    return result;
}

CutText cutLongLines(const QString &text)
{
    constexpr qsizetype shownPiece = 10'000; // well below what an editor can lay out
    CutText result;
    QString &cut = result.text;
    int line = 0;
    cut.reserve(text.size() + text.size() / shownPiece);
    for (qsizetype start = 0; start < text.size();) {
        const qsizetype newline = text.indexOf(u'\n', start);
        const qsizetype end = newline < 0 ? text.size() : newline;
        while (end - start > CodeEditor::longestLine) {
            // Not between the halves of a character.
            const qsizetype length = shownPiece - (text.at(start + shownPiece - 1).isHighSurrogate() ? 1 : 0);
            cut += QStringView(text).sliced(start, length);
            cut += u'\n';
            result.continuing.append(++line);
            start += length;
        }
        cut += QStringView(text).sliced(start, end - start + (newline < 0 ? 0 : 1));
        start = end + 1;
        ++line;
    }
    return result;
}

std::expected<SavedFile, SaveError> writeCodeFile(const QString &path, const QByteArray &bytes,
                                                  const QByteArray &expectedHash)
{
    const auto failed = [](const QString &sentence, bool changed = false) {
        return std::unexpected(SaveError{changed, sentence, {}});
    };
    if (const QFileInfo info(path); info.exists()) {
        if (!info.isFile())
            return failed(CodeFiles::tr("%1 is not a file. Choose another name.").arg(path));
        if (!info.isWritable())
            return failed(
                CodeFiles::tr("%1 was not saved: you have no permission to change it. Your text is still here; save "
                              "it under another name.")
                    .arg(nameOf(path)));
        if (!expectedHash.isNull()) {
            QFile there(path);
            if (there.open(QIODevice::ReadOnly) && hashOf(there.read(maximumFileBytes + 1)) != expectedHash)
                return failed(CodeFiles::tr("%1 was not saved: another program has changed it since you opened it.")
                                  .arg(nameOf(path)),
                              true);
        }
    }
    const QString problem = QFileInfo(QFileInfo(path).absolutePath()).isWritable() || !QFileInfo::exists(path)
                                ? writeBeside(path, bytes)
                                : writeOver(path, bytes);
    if (!problem.isEmpty())
        return failed(CodeFiles::tr("%1 was not saved: %2. Your text is still here; save it in another place.")
                          .arg(nameOf(path), problem));
    return SavedFile{hashOf(bytes), stampOf(path)};
}

QByteArray encoded(const QString &text, const CodeFile &form)
{
    QString lines = text;
    if (form.crlf)
        lines.replace(u"\n"_s, u"\r\n"_s);
    QStringEncoder encoder(converterOf(form.encoding));
    QByteArray bytes = form.encoding == Encoding::Utf8     ? lines.toUtf8()
                       : form.encoding == Encoding::Latin1 ? lines.toLatin1()
                                                           : QByteArray(encoder.encode(lines));
    if (form.mark)
        bytes.prepend(markOf(form.encoding));
    return bytes;
}

QString missingIn(Encoding encoding, const QString &text)
{
    if (encoding != Encoding::Latin1)
        return {};
    const auto it = std::ranges::find_if(text, [](QChar c) { return c.unicode() > 0xff; });
    if (it == text.end())
        return {};
    return it->isHighSurrogate() && it + 1 != text.end() ? QString(it, 2) : QString(*it);
}

} // namespace glovebox
