// SPDX-License-Identifier: Apache-2.0
#include "givenfiles.h"

#include "app/cli/options.h"
#include "app/cli/terminal/console.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Nobody waits long without knowing for what.
void waitForFirstByte(const UniqueFd &descriptor, const QByteArray &path)
{
    constexpr int silentMs = 1000;
    pollfd ready{descriptor.get(), POLLIN, 0};
    if (isTerminal(descriptor.get()) || ::poll(&ready, 1, silentMs) != 0)
        return;
    say(u"Waiting for %1, which nobody has written to yet. Ctrl+C ends this."_s.arg(QFile::decodeName(path)));
    while (::poll(&ready, 1, -1) < 0 && errno == EINTR) { }
}

} // namespace

// Descriptors that somebody gave survived exec(2), and those that are opened here don't.
bool isUngivenDescriptor(const QByteArray &path)
{
    const auto number = descriptorOfPath(path);
    const int flags = number ? ::fcntl(*number, F_GETFD) : 0;
    return number && (flags < 0 || (flags & FD_CLOEXEC) != 0);
}

QString nameOfCode(const QByteArray &path)
{
    return descriptorOfPath(path) ? QString() : QFileInfo(QFile::decodeName(path)).fileName();
}

Result<UniqueFd> openForReading(const QByteArray &path)
{
    const QString name = QFile::decodeName(path);
    struct stat info = {};
    // A pipe with a name would else keep us waiting here for somebody who writes to it.
    const bool isPipe = ::stat(path.constData(), &info) == 0 && S_ISFIFO(info.st_mode);
    const bool isUngiven = isUngivenDescriptor(path);
    UniqueFd descriptor(
        isUngiven ? -1 : ::open(path.constData(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (isPipe ? O_NONBLOCK : 0)));
    const int reason = isUngiven ? ENOENT : errno;
    if (descriptor && ::fstat(descriptor.get(), &info) == 0 && S_ISDIR(info.st_mode))
        return fail(ErrorCode::InvalidInput, Text("\"%1\" is a folder. Name a file in it.", {name}));
    if (descriptor)
        return descriptor;
    if (path.startsWith("http://") || path.startsWith("https://"))
        return fail(ErrorCode::NotFound,
                    Text("Glovebox fetches no files. Pipe the code in: curl -sL %1 | glovebox run -l LANGUAGE -",
                         {asShellWord(path)}));
    if (reason == ENOENT && !isUngiven && ::lstat(path.constData(), &info) == 0 && S_ISLNK(info.st_mode))
        return fail(ErrorCode::NotFound,
                    Text("\"%1\" is a link to a file that isn't there. Name another file.", {name}));
    if (reason == ENOENT || reason == ENOTDIR)
        return fail(ErrorCode::NotFound, Text("There is no file \"%1\". Check its name and folder.", {name}));
    if (reason == EACCES || reason == EPERM)
        return fail(ErrorCode::PermissionDenied,
                    Text("You may not read the file \"%1\". Check its permissions.", {name}));
    return fail(ErrorCode::Io,
                Text("The file \"%1\" can't be opened: %2. Name another file.", {name, errnoText(reason)}));
}

Result<UniqueFd> openWhenWritten(const QByteArray &path)
{
    auto descriptor = openForReading(path);
    if (!descriptor)
        return descriptor;
    waitForFirstByte(*descriptor, path);
    const int flags = ::fcntl(descriptor->get(), F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) != 0)
        ::fcntl(descriptor->get(), F_SETFL, flags & ~O_NONBLOCK);
    return descriptor;
}

Result<QByteArray> readUpTo(const UniqueFd &descriptor, const QByteArray &path, qint64 most)
{
    QByteArray content;
    waitForFirstByte(descriptor, path);
    for (;;) {
        constexpr qint64 piece = 256 * kibibyte;
        const qsizetype before = content.size();
        const qsizetype wanted = std::min(piece, most + 1 - before);
        content.resize(before + wanted);
        const ssize_t count = ::read(descriptor.get(), content.data() + before, size_t(wanted));
        const int reason = errno;
        content.resize(before + std::max<ssize_t>(count, 0));
        if (count == 0 || content.size() > most)
            return content;
        if (count < 0 && reason == EAGAIN) { // a pipe with a name, whose writer pauses
            pollfd ready{descriptor.get(), POLLIN, 0};
            ::poll(&ready, 1, -1);
        } else if (count < 0 && reason != EINTR)
            return fail(ErrorCode::Io, Text("\"%1\" can't be read: %2. Name a file that can be.",
                                            {QFile::decodeName(path), errnoText(reason)}));
    }
}

Result<QList<InnerFile>> readFiles(const QByteArrayList &paths, qint64 diskBytes)
{
    QList<InnerFile> files;
    qint64 left = diskBytes;
    for (const QByteArray &path : paths) {
        const auto file = openForReading(path);
        if (!file)
            return std::unexpected(file.error());
        const auto content = readUpTo(*file, path, left);
        if (!content)
            return std::unexpected(content.error());
        left -= content->size();
        if (left < 0)
            return fail(ErrorCode::InvalidInput,
                        Text("With \"%1\" the files are larger than the space for files. Allow more with --disk.",
                             {QFile::decodeName(path)}));
        files.append({path.sliced(path.lastIndexOf('/') + 1), *content});
    }
    return files;
}

} // namespace glovebox
