// SPDX-License-Identifier: Apache-2.0
// What --mount says.
#pragma once

#include "engine/engine.h"

#include <expected>

namespace glovebox {

// HOST:PATH, perhaps with ":rw" and the like behind it. HOST may contain colons; it may be relative, PATH may not. The error is a sentence
// for a person.
std::expected<FolderGrant, QString> readMount(const QByteArray &text);

} // namespace glovebox
