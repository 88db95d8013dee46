// SPDX-License-Identifier: Apache-2.0
#include "pictures.h"

#include "decoder/answer.h"
#include "engine/base/base.h"

#include <QFile>
#include <QFileInfo>
#include <QLibraryInfo>

#include <climits>
#include <cstring>

#include <sys/wait.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds decodingTime{5};
constexpr qint64 decodingMemory = 512 * mebibyte; // twice what a picture may take
constexpr int decodingProcesses = 8; // and threads
constexpr qint64 mostAnswerBytes = qint64(sizeof(PictureAnswer)) + qint64(longestPictureSide) * longestPictureSide * 4;

// Qt's name of the format; empty: none that is decoded.
QByteArray formatOf(QStringView mediaType)
{
    for (const char *format : {"png", "jpeg", "gif", "bmp", "webp"}) {
        if (mediaType == "image/"_L1 + QLatin1StringView(format))
            return format;
    }
    return {};
}

// Folders that not every run is shown: the program's, and those of a Qt that is not the system's.
QStringList foldersFor(const QString &libexec)
{
    QStringList folders;
    for (const QString &folder :
         {libexec, QLibraryInfo::path(QLibraryInfo::LibrariesPath), QLibraryInfo::path(QLibraryInfo::PluginsPath)}) {
        if (!folder.startsWith(u"/usr/"_s) && !folders.contains(folder))
            folders.append(folder);
    }
    return folders;
}

std::unexpected<Error> decoderFailed()
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine",
                                  "The decoder failed at this picture, so it isn't shown. Save it, or open it "
                                  "elsewhere."));
}

// Nothing that the program says is taken for granted: it may be the picture that speaks.
Result<Picture> pictureFrom(const QByteArray &said, const QByteArray &format)
{
    PictureAnswer answer;
    if (said.size() < qsizetype(sizeof answer))
        return decoderFailed();
    std::memcpy(&answer, said.constData(), sizeof answer);
    const bool isShort = answer.width > 0 && answer.width <= longestPictureSide && answer.height > 0
                         && answer.height <= longestPictureSide && answer.originalWidth <= INT_MAX
                         && answer.originalHeight <= INT_MAX;
    switch (answer.verdict) {
    case PictureAnswer::Verdict::Broken:
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "This picture is damaged, or none of its type, so it isn't shown. Save "
                                                "it to look into it."));
    case PictureAnswer::Verdict::TooLarge:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "This picture has %1 by %2 pixels, which are too many to be shown. Save "
                                      "it, or open it elsewhere."),
                    {QString::number(answer.originalWidth), QString::number(answer.originalHeight)});
    case PictureAnswer::Verdict::NoDecoder:
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine",
                                      "Qt has no decoder for this type here, so the picture isn't shown. Install its "
                                      "package (%1 on Debian and Ubuntu)."),
                    {format == "webp" ? u"qt6-image-formats-plugins"_s : u"libqt6gui6"_s});
    case PictureAnswer::Verdict::Decoded:
        if (isShort && said.size() == qsizetype(sizeof answer) + qsizetype(answer.width) * answer.height * 4)
            return Picture{QSize(int(answer.width), int(answer.height)),
                           QSize(int(answer.originalWidth), int(answer.originalHeight)), answer.isAnimated != 0,
                           said.sliced(sizeof answer)};
    }
    return decoderFailed();
}

Error pluginNotLoaded(const QString &why)
{
    if (const auto library = missingLibrary(why))
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine",
                                      "Pictures of this type aren't shown, because the library %1 is missing. Install "
                                      "its package (%2 on Debian and Ubuntu)."),
                    {library->name, library->package}, Text("%1", {why}))
            .error();
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "Pictures of this type aren't shown, because Qt's plugin for them can't be "
                                            "loaded. Install Qt again."),
                {}, Text("%1", {why}))
        .error();
}

// The decoder's answer; content: nothing for one that is shown no picture.
Result<std::optional<SealedAnswer>> ask(Backend &backend, const SandboxShape &shape,
                                        const std::optional<QByteArray> &content)
{
    Assignment assignment;
    if (content)
        assignment.files = {{"picture", *content}};
    assignment.wall = decodingTime;
    ASSIGN_OR_RETURN(const auto process, backend.launch(shape, assignment, {}));
    return answerOf(*process, decodingTime, mostAnswerBytes);
}

// Why no picture of this format is decoded, whatever is in it. Asked without one, since a picture could say it by a decoder that it has
// taken over. Nothing: the decoder is whole.
std::optional<Error> whyNoneIsDecoded(Backend &backend, const SandboxShape &shape, const QString &program)
{
    const std::optional<SealedAnswer> answer = ask(backend, shape, std::nullopt).value_or(std::nullopt);
    if (!answer)
        return {};
    const SandboxEnd &end = answer->end;
    if (!end.notStarted.isEmpty())
        return Error{ErrorCode::Unavailable, end.notStarted, Text("%1", {program})};
    if (end.signal ? end.atDeadline || end.cpuExhausted || end.outOfMemory || end.killedFromOutside
                   : end.exitCode == isWholeStatus)
        return {};
    if (end.exitCode == noPluginStatus)
        return pluginNotLoaded(QString::fromLocal8Bit(answer->err));
    return whyNotLoaded(program, end.signal ? *end.signal : W_EXITCODE(end.exitCode.value_or(0), 0), answer->err);
}

} // namespace

bool isDecodable(QStringView mediaType)
{
    return !formatOf(mediaType).isEmpty();
}

Result<Picture> decodePicture(Backend &backend, const QString &libexec, QStringView mediaType,
                              const QByteArray &content)
{
    const QByteArray format = formatOf(mediaType);
    if (format.isEmpty())
        return decoderFailed();
    const QString program = libexec + u"/glovebox-picture"_s;
    if (!QFileInfo(program).isExecutable())
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Pictures aren't shown, since %1 is missing. Install Glovebox again."),
                    {program});
    SandboxShape shape;
    shape.argv = {QFile::encodeName(program), format};
    shape.environment = {"LANG=C.UTF-8", "HOME=/run/home"};
    shape.folders = foldersFor(libexec);
    shape.limits = {.memoryBytes = decodingMemory, .processes = decodingProcesses, .cpu = decodingTime};
    shape.workspace = Tmpfs{content.size() + mebibyte, 64};
    ASSIGN_OR_RETURN(const auto answer, ask(backend, shape, content));
    if (answer && (answer->end.atDeadline || answer->end.cpuExhausted || answer->end.outOfMemory))
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "Decoding this picture takes more than %1 s or %2 MB, so it isn't "
                                                "shown. Save it, or open it elsewhere."),
                    {QString::number(decodingTime.count()), QString::number(decodingMemory / mebibyte)});
    const bool hasAnswered = answer && answer->end.exitCode == 0;
    auto picture = hasAnswered ? pictureFrom(answer->out, format) : decoderFailed();
    if (!picture && (!hasAnswered || picture.error().code == ErrorCode::Unavailable)) {
        if (auto why = whyNoneIsDecoded(backend, shape, program))
            return std::unexpected(*std::move(why));
    }
    return picture;
}

} // namespace glovebox
