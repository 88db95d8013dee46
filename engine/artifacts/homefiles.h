// SPDX-License-Identifier: Apache-2.0
// What a run left in its home folder, which goes with the run.
#pragma once

#include "collecting.h"

#include <optional>

namespace glovebox {

// A sentence for a person with the first names; nothing where no file is to be told. Names that begin with a dot are what programs leave
// (caches, histories). Looks at a thousand entries at most, follows no link and opens no file. home: a folder (openFolderPlace() will do)
// that nobody can change any more. shown: below it, where folders of the person were shown. search: null where nothing was lent.
std::optional<Text> leftInHome(int home, const QList<QByteArray> &shown, const SecretSearch *search);

} // namespace glovebox
