// SPDX-License-Identifier: Apache-2.0
// Whether a body holds some text: code and output are searched piece by piece, however long they are.
#pragma once

#include "contentstore.h"

namespace glovebox {

// text: literal, upper and lower case alike. False: it isn't in the body, or there is no sound body. isWanted: asked between pieces;
// false ends it early with Cancelled; null: it is. Blocks for the disk.
Result<bool> isInBody(const ContentStore &store, const QByteArray &digest, const QString &text,
                      const std::function<bool()> &isWanted = {});

} // namespace glovebox
