// SPDX-License-Identifier: Apache-2.0
// glovebox-picture FORMAT: decodes the hostile file /work/picture, and nothing else in its life. Started sealed: whoever takes this
// process over has the picture, and this process' standard output. Without that file it says whether it
// could decode one.
#include "answer.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QImageReader>
#include <QJsonArray>
#include <QJsonObject>
#include <QPluginLoader>

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace glovebox;

namespace {

qint64 decodedBytes(const QImageReader &reader, QSize size)
{
    const int bits = QImage::toPixelFormat(reader.imageFormat()).bitsPerPixel();
    return qint64(size.width()) * size.height() * std::max(bits, 32) / 8;
}

// The size that fits, with what is left of a line that is thinner than a pixel.
QSize fitting(QSize size)
{
    const QSize most(longestPictureSide, longestPictureSide);
    return size.boundedTo(most) == size ? size : size.scaled(most, Qt::KeepAspectRatio).expandedTo({1, 1});
}

// Qt knows a plugin's formats without loading it, and takes one that can't be loaded for content that is no picture. Empty: none is broken.
QByteArray whyNotLoaded(const QByteArray &format)
{
    for (const QString &folder : QCoreApplication::libraryPaths()) {
        for (const QFileInfo &file : QDir(folder + QStringLiteral("/imageformats")).entryInfoList(QDir::Files)) {
            QPluginLoader plugin(file.filePath());
            const QJsonValue about = plugin.metaData().value(QStringLiteral("MetaData"));
            if (about[QStringLiteral("Keys")].toArray().contains(QString::fromLatin1(format)) && !plugin.load())
                return plugin.errorString().toLocal8Bit();
        }
    }
    return {};
}

PictureAnswer decode(QImageReader &reader, QImage &image)
{
    if (!QImageReader::supportedImageFormats().contains(reader.format()))
        return {.verdict = PictureAnswer::Verdict::NoDecoder};
    const QSize size = reader.size();
    if (!size.isValid() || size.isEmpty())
        return {};
    PictureAnswer answer{.originalWidth = quint32(size.width()), .originalHeight = quint32(size.height())};
    if (decodedBytes(reader, size) > mostDecodedBytes) {
        answer.verdict = PictureAnswer::Verdict::TooLarge;
        return answer;
    }
    if (reader.transformation() & QImageIOHandler::TransformationRotate90)
        std::swap(answer.originalWidth, answer.originalHeight);
    if (const QSize shown = fitting(size); shown != size)
        reader.setScaledSize(shown);
    if (!reader.read(&image))
        return {};
    if (const QSize shown = fitting(image.size()); shown != image.size())
        image = image.scaled(shown, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    image.convertTo(QImage::Format_RGBA8888_Premultiplied);
    answer.verdict = PictureAnswer::Verdict::Decoded;
    answer.width = quint32(image.width());
    answer.height = quint32(image.height());
    answer.isAnimated = reader.supportsAnimation() && reader.imageCount() != 1;
    return answer;
}

bool say(const void *bytes, std::size_t count)
{
    return std::fwrite(bytes, 1, count, stdout) == count;
}

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication program(argc, argv); // knows where Qt's plugins are
    QFile file(QStringLiteral("/work/picture"));
    if (argc != 2)
        return 1;
    if (!file.open(QIODevice::ReadOnly)) {
        const QByteArray why = whyNotLoaded(argv[1]);
        std::fputs(why.constData(), stderr);
        return why.isEmpty() ? isWholeStatus : noPluginStatus;
    }
    QImageReader::setAllocationLimit(int(mostDecodedBytes / (1024 * 1024)) + 1);
    // The format is the caller's word: content that is something else is broken, and never makes a plugin of Qt's load that nobody named.
    QImageReader reader(&file, argv[1]);
    reader.setAutoDetectImageFormat(false);
    reader.setAutoTransform(true);
    QImage image;
    PictureAnswer answer = decode(reader, image);
    if (answer.verdict == PictureAnswer::Verdict::Broken && !whyNotLoaded(argv[1]).isEmpty())
        answer.verdict = PictureAnswer::Verdict::NoDecoder;
    bool isSaid = say(&answer, sizeof answer);
    for (int line = 0; isSaid && answer.verdict == PictureAnswer::Verdict::Decoded && line < image.height(); ++line)
        isSaid = say(image.constScanLine(line), std::size_t(image.width()) * 4);
    return isSaid && std::fflush(stdout) == 0 ? 0 : 1;
}
