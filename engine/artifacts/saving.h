// SPDX-License-Identifier: Apache-2.0
// Puts artifacts into files of the person's: each is there whole, or not at all, and none takes the place of another file.
#pragma once

#include "artifact.h"
#include "store/contentstore.h"

namespace glovebox {

// Made, readable by its owner alone. InvalidInput: there is a file of that name already. PermissionDenied for a withheld one; NotFound and
// Damaged of the store.
Status saveArtifact(const ContentStore &store, const Artifact &artifact, const QString &file);

struct SavedArtifacts
{
    qsizetype saved = 0;
    QList<Text> left; // a sentence for each that isn't

    bool operator==(const SavedArtifacts &) const = default;
};

// For a folder that isn't there, or is empty: InvalidInput otherwise.
Status checkSaveFolder(const QString &folder);
// Below a folder that isn't there, or is empty, with the folders of their names. In names, what can't be seen or could do something to
// a terminal is "_".
Result<SavedArtifacts> saveArtifacts(const ContentStore &store, const QList<Artifact> &artifacts,
                                     const QString &folder);

} // namespace glovebox
