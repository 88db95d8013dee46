// SPDX-License-Identifier: Apache-2.0
#include "shownimages.h"

#include <algorithm>
#include <chrono>

namespace glovebox::mcp {

namespace {

using std::chrono::steady_clock;

// After it no picture is begun. One takes up to 5 s, and the run before had up to 45 of the client's 60.
constexpr std::chrono::seconds patience{4};

bool mayBeShown(const Artifact &artifact)
{
    return isDecodable(artifact.mediaType) && !artifact.isWithheld() && !artifact.isDeleted;
}

} // namespace

QList<ShownImage> shownImages(const Engine &engine, const RunResult &result, Turn &turn, const std::stop_token &stop)
{
    const auto end = steady_clock::now() + patience;
    QList<Artifact> pictures = result.artifacts;
    pictures.removeIf([](const Artifact &artifact) { return !mayBeShown(artifact); });
    pictures.resize(
        std::min(pictures.size(), shownImagesMax)); // also of those that turn out to be none: trying takes time
    if (pictures.isEmpty())
        return {};
    const Turn::Held held = turn.takeUntil(end, stop);
    if (!held)
        return {};
    QList<ShownImage> images;
    qint64 room = shownImageBytesMax;
    for (const Artifact &artifact : std::as_const(pictures)) {
        if (stop.stop_requested() || steady_clock::now() >= end)
            break;
        const auto picture = engine.picture(artifact);
        if (!picture)
            continue; // the file is told of all the same
        QByteArray png = toPng(*picture, shownImageSideMax, room);
        if (png.isEmpty())
            break;
        room -= png.size();
        images.append({artifact.path, picture->originalSize, std::move(png)});
    }
    return images;
}

} // namespace glovebox::mcp
