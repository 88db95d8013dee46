// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG files (ISO/IEC 15948), written without Qt Gui: the engine has none.
#include "pictures.h"

#include <QtEndian>

#include <algorithm>
#include <array>

namespace glovebox {

namespace {

constexpr qsizetype pixelBytes = 4;
constexpr char lineAbove = 2; // the filter: each byte as its difference to the one above

// Of a chunk's type and content (annex D there).
quint32 crcOf(QByteArrayView bytes)
{
    static const auto table = [] {
        std::array<quint32, 256> made{};
        for (quint32 i = 0; i < made.size(); ++i) {
            made[i] = i;
            for (int bit = 0; bit < 8; ++bit)
                made[i] = (made[i] >> 1) ^ ((made[i] & 1) != 0 ? 0xedb88320U : 0U);
        }
        return made;
    }();
    quint32 crc = 0xffffffffU;
    for (const char byte : bytes)
        crc = table[(crc ^ quint8(byte)) & 0xff] ^ (crc >> 8);
    return ~crc;
}

QByteArray bigEndian(quint32 number)
{
    QByteArray bytes(sizeof number, Qt::Uninitialized);
    qToBigEndian(number, bytes.data());
    return bytes;
}

QByteArray chunk(const QByteArray &type, const QByteArray &content)
{
    const QByteArray typed = type + content;
    return bigEndian(quint32(content.size())) + typed + bigEndian(crcOf(typed));
}

quint8 unmultiplied(quint8 colour, quint8 alpha)
{
    return alpha == 0 ? 0 : quint8(std::min((colour * 255 + alpha / 2) / alpha, 255));
}

// Lines, with the filter of each before it.
QByteArray filteredLines(const Picture &picture)
{
    const qsizetype lineBytes = picture.size.width() * pixelBytes;
    QByteArray above(lineBytes, '\0'), line = above, all;
    all.reserve((lineBytes + 1) * picture.size.height());
    const char *pixel = picture.pixels.constData();
    for (int y = 0; y < picture.size.height(); ++y) {
        for (qsizetype at = 0; at < lineBytes; at += pixelBytes, pixel += pixelBytes) {
            const auto alpha = quint8(pixel[3]);
            for (int colour = 0; colour < 3; ++colour)
                line[at + colour] = char(unmultiplied(quint8(pixel[colour]), alpha));
            line[at + 3] = char(alpha);
        }
        all.append(lineAbove);
        for (qsizetype at = 0; at < line.size(); ++at)
            all.append(char(line[at] - above[at]));
        line.swap(above);
    }
    return all;
}

QByteArray fileOf(const Picture &picture)
{
    const QByteArray eightBitsWithAlpha("\x08\x06\x00\x00\x00", 5); // not interlaced
    const QByteArray size = bigEndian(quint32(picture.size.width())) + bigEndian(quint32(picture.size.height()));
    return QByteArray("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", size + eightBitsWithAlpha)
           + chunk("IDAT", qCompress(filteredLines(picture)).sliced(4)) // Qt puts the length before the zlib stream
           + chunk("IEND", {});
}

// Half of it each way: each pixel the mean of four. An odd last line or column counts twice.
Picture halved(const Picture &picture)
{
    const int width = picture.size.width(), height = picture.size.height();
    Picture half{QSize((width + 1) / 2, (height + 1) / 2), picture.originalSize, picture.isAnimated, {}};
    half.pixels.reserve(pixelBytes * half.size.width() * half.size.height());
    const auto byteAt = [&](int x, int y, qsizetype byte) {
        const qsizetype place = qsizetype(std::min(y, height - 1)) * width + std::min(x, width - 1);
        return int(quint8(picture.pixels[place * pixelBytes + byte]));
    };
    for (int y = 0; y < height; y += 2) {
        for (int x = 0; x < width; x += 2) {
            for (qsizetype byte = 0; byte < pixelBytes; ++byte)
                half.pixels.append(char((byteAt(x, y, byte) + byteAt(x + 1, y, byte) + byteAt(x, y + 1, byte)
                                         + byteAt(x + 1, y + 1, byte) + 2)
                                        / 4));
        }
    }
    return half;
}

} // namespace

QByteArray toPng(Picture picture, int longestSide, qint64 mostBytes)
{
    constexpr int leastSide = 16; // less shows nothing
    while (std::max(picture.size.width(), picture.size.height()) > longestSide)
        picture = halved(picture);
    for (;;) {
        QByteArray file = fileOf(picture);
        if (file.size() <= mostBytes)
            return file;
        if (std::max(picture.size.width(), picture.size.height()) <= leastSide)
            return {};
        picture = halved(picture);
    }
}

} // namespace glovebox
