// SPDX-License-Identifier: Apache-2.0
// The room's public header: pictures that runs left, decoded where a hostile one has nothing to attack. Each is decoded by a program of its
// own (glovebox-picture), sealed as a run is: no network, no files of the person's, bounded time and memory.
#pragma once

#include "engine/sandbox/sandbox.h"

#include <QSize>

namespace glovebox {

constexpr qint64 mostPictureFileBytes = 64 * mebibyte; // larger ones aren't decoded

struct Picture
{
    QSize size; // in pixels; at most 2048 each way
    QSize originalSize; // in the file
    bool isAnimated = false; // there are more, this is the first
    QByteArray pixels; // red, green, blue, alpha of each, premultiplied; line by line from the top, without gaps

    bool operator==(const Picture &) const = default;
};

// Whether files of this type are decoded: PNG, JPEG, GIF, BMP, WebP.
bool isDecodable(QStringView mediaType);

// libexec: the folder of glovebox-picture; mediaType: one that isDecodable(). Blocks for some seconds at most. Unsupported: more pixels,
// time or memory than is given to one. Damaged: the content is no whole picture of that type. Unavailable and the errors of
// Backend::launch(): nobody can decode here.
Result<Picture> decodePicture(Backend &backend, const QString &libexec, QStringView mediaType,
                              const QByteArray &content);

// As a PNG file of at most so many bytes, whose sides have at most so many pixels; a larger picture is halved until it fits. Empty: not
// even a tiny one does.
QByteArray toPng(Picture picture, int longestSide, qint64 mostBytes);

} // namespace glovebox
