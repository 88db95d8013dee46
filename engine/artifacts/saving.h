// SPDX-License-Identifier: Apache-2.0
// Puts artifacts into files of the person's: each is there whole, or not at all, and none takes the place of another file.
#pragma once

#include "artifact.h"
#include "store/contentstore.h"

#include <functional>
#include <optional>

namespace glovebox {

// Made, readable by its owner alone. InvalidInput: there is a file of that name already. PermissionDenied for a withheld one; NotFound and
// Damaged of the store.
Status saveArtifact(const ContentStore &store, const Artifact &artifact, const QString &file);

// For a folder that isn't there, or is empty: InvalidInput otherwise.
Status checkSaveFolder(const QString &folder);

// A folder of the person's that gets files of runs. In their names, what can't be seen or could do something to a terminal is "_".
class SaveFolder
{
public:
    // Made, where it isn't there. The errors of checkSaveFolder().
    static Result<SaveFolder> open(const QString &folder);

    // Hands the content over; its error ends that.
    using Content = std::function<Status(const ContentStore::Pass &to)>;
    // path: below the folder, as Artifact::path. InvalidInput: there is one of that name already.
    Status save(const QString &path, const Content &content) const;
    Status makeFolder(const QString &path) const;
    static QString nameOf(const QString &path); // that a file gets, below the folder

private:
    explicit SaveFolder(UniqueFd folder)
        : m_folder(std::move(folder))
    {
    }
    UniqueFd m_folder;
};

// Files that a sentence names: the first ten, and how many there are.
class NamedFiles
{
public:
    void add(const QString &name);
    bool isEmpty() const { return m_count == 0; }
    QStringList texts() const; // both, as arguments

private:
    QStringList m_names;
    qsizetype m_count = 0;
};

// Of files whose names SaveFolder::nameOf() changed, as "a -> b".
Text renamedText(const NamedFiles &renamed);

struct SavedArtifacts
{
    qsizetype saved = 0;
    QList<Text> left; // a sentence for each that isn't
    std::optional<Text> renamed; // a sentence, where saved files have other names
    bool isCancelled = false; // the rest was no longer wanted

    bool operator==(const SavedArtifacts &) const = default;
};

// Below a SaveFolder, with the folders of their names. isWanted: asked before each; null: they are.
Result<SavedArtifacts> saveArtifacts(const ContentStore &store, const QList<Artifact> &artifacts, const QString &folder,
                                     const std::function<bool()> &isWanted = {});

} // namespace glovebox
