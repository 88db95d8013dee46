// SPDX-License-Identifier: Apache-2.0
// The standard output of glovebox-picture: a PictureAnswer, and after it the pixels of a decoded picture.
#pragma once

#include <QtGlobal>

namespace glovebox {

constexpr int longestPictureSide = 2048; // pixels, as shown
// Exit statuses of a decoder that was shown no picture.
constexpr int isWholeStatus = 2;
constexpr int noPluginStatus = 4; // Qt has the format's plugin, and can't load it; why is on standard error
constexpr qint64 mostDecodedBytes = 256 * 1024 * 1024; // of a picture as it is in its file

struct PictureAnswer
{
    enum class Verdict : quint32 {
        Decoded = 0x676c7631, // "glv1": another version says another word
        Broken,
        TooLarge,
        NoDecoder,
    };

    Verdict verdict = Verdict::Broken;
    quint32 width = 0, height = 0; // of the pixels that follow: red, green, blue, alpha, premultiplied
    quint32 originalWidth = 0, originalHeight = 0; // of Decoded and TooLarge
    quint32 isAnimated = 0;
};

} // namespace glovebox
