// SPDX-License-Identifier: Apache-2.0
// Pictures among the files that a run left, as they fit into an answer.
#pragma once

#include "engine/engine.h"

#include <stop_token>

namespace glovebox::mcp {

struct ShownImage
{
    QString path; // of the artifact
    QSize originalSize; // in pixels
    QByteArray png;

    bool operator==(const ShownImage &) const = default;
};

constexpr qsizetype shownImagesMax = 4; // of one answer
constexpr int shownImageSideMax = 1024; // pixels; models see no more
constexpr qint64 shownImageBytesMax =
    512 * kibibyte; // of all together: some clients take no answer of more than 1 MB, in base64

// The first ones, decoded sealed. Without those that are withheld or no longer there, or that can't be decoded. Blocks for some seconds at
// most. turn: of the client's, whose pictures are decoded one at a time.
QList<ShownImage> shownImages(const Engine &engine, const RunResult &result, Turn &turn, const std::stop_token &stop);

} // namespace glovebox::mcp
