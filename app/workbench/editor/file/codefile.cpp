// SPDX-License-Identifier: Apache-2.0
#include "codefile.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/shell/words.h"

#include "engine/languages/languages.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>

#include <fcntl.h>
#include <unistd.h>

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
        return std::unexpected(CodeFiles::tr("%1 is not there. It may have been moved or deleted.").arg(path));
    // A pipe or a device may never end.
    if (!info.isFile())
        return std::unexpected(CodeFiles::tr("%1 is no file with text in it; choose a file.").arg(path));
    if (info.size() > maximumFileBytes)
        return std::unexpected(
            CodeFiles::tr("%1 has %2. The editor opens files of up to %3, and a run takes "
                          "code of up to %4. If it is data, show its folder to a run, which can read "
                          "it there; if it is code, split it.")
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
    // commit() doesn't look whether the last bytes could be written, but puts the file in the place of the old one.
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush() && file.commit())
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

std::expected<CodeFile, QString> readCode(const QByteArray &bytes, const QString &name)
{
    if (bytes.size() > maximumFileBytes)
        return std::unexpected(CodeFiles::tr("%1 has more than %2, which is more than the editor opens.")
                                   .arg(name, sizeWord(maximumFileBytes)));
    if (bytes.contains('\0'))
        return std::unexpected(CodeFiles::tr("%1 is not text: it has zero bytes. It was not opened. Code on the "
                                             "bench can read it where its folder is shown to the run.")
                                   .arg(name));
    CodeFile result;
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    result.text = decoder.decode(bytes);
    if (decoder.hasError())
        return std::unexpected(CodeFiles::tr("%1 is not UTF-8 text. It was not opened, as saving it would change it; "
                                             "convert it first, for instance with iconv.")
                                   .arg(name));
    result.mark = bytes.startsWith("\xef\xbb\xbf");
    const auto crlf = bytes.count("\r\n");
    result.crlf = crlf > 0 && crlf * 2 > bytes.count('\n');
    result.text.replace(u"\r\n"_s, u"\n"_s).replace(u'\r', u'\n');
    for (qsizetype start = 0; start < result.text.size();) {
        const qsizetype end = result.text.indexOf(u'\n', start);
        const qsizetype length = (end < 0 ? result.text.size() : end) - start;
        if (length > CodeEditor::longestLine)
            return std::unexpected(
                CodeFiles::tr("%1 has a line of %L2 characters; the editor shows lines of up to %L3. You can "
                              "run it in a terminal: glovebox run %1")
                    .arg(name)
                    .arg(length)
                    .arg(CodeEditor::longestLine));
        if (end < 0)
            break;
        start = end + 1;
    }
    result.hidden = findHiddenText(result.text);
    result.hash = hashOf(bytes);
    return result;
}

std::expected<CodeFile, QString> readCodeFile(const QString &path)
{
    const FileStamp stamp = stampOf(path); // before reading: a change in between is seen later
    const auto bytes = readBytes(path);
    if (!bytes)
        return std::unexpected(bytes.error());
    auto result = readCode(*bytes, nameOf(path));
    if (result) {
        result->stamp = stamp;
        result->writable = QFileInfo(path).isWritable();
    }
    return result;
}

std::expected<SavedFile, SaveError> writeCodeFile(const QString &path, const QByteArray &bytes,
                                                  const QByteArray &expectedHash)
{
    const auto failed = [](const QString &sentence, bool changed = false) {
        return std::unexpected(SaveError{changed, sentence});
    };
    if (const QFileInfo info(path); info.exists()) {
        if (!info.isFile())
            return failed(CodeFiles::tr("%1 is no file; choose another name.").arg(path));
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

QByteArray encoded(const QString &text, bool crlf, bool mark)
{
    QByteArray bytes = text.toUtf8();
    if (crlf)
        bytes.replace("\n", "\r\n");
    if (mark)
        bytes.prepend("\xef\xbb\xbf");
    return bytes;
}

} // namespace glovebox
