// SPDX-License-Identifier: Apache-2.0
// Whether a request makes sense at all, before anything is prepared for it.
#pragma once

#include "run.h"

#include "engine/languages/languages.h"

namespace glovebox {

// The language asked for, or else the one that file name and code tell.
Result<const Language *> languageOf(const RunRequest &request, const Languages &languages);

// A folder that is shown below /work must not lie where a file of the run is put.
Status checkPlaces(const RunRequest &request, const QByteArray &snippetName);

} // namespace glovebox
