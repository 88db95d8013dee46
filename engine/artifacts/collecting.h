// SPDX-License-Identifier: Apache-2.0
// Takes the files that a run left into the store.
#pragma once

#include "artifact.h"
#include "store/contentstore.h"

#include "engine/policy/policy.h"

#include <chrono>
#include <stop_token>

namespace glovebox {

// The limits of all files of one run together.
struct CollectionLimits
{
    qint64 files = 1000; // 0: nothing is collected
    qint64 bytes = 100 * mebibyte;
    std::chrono::milliseconds time = std::chrono::seconds(30);
    std::chrono::milliseconds timeAfterStop = std::chrono::seconds(2);

    bool operator==(const CollectionLimits &) const = default;
};

// Looks for values of secrets that the run was lent.
class SecretSearch
{
public:
    virtual ~SecretSearch() = default;
    // Names of the secrets in the name of a file.
    virtual QStringList in(QByteArrayView name) const = 0;
    virtual QByteArray scrubbed(QByteArrayView name) const = 0;
    // The content of a file, piece by piece; end() says which are in it, and the next file begins.
    virtual void feed(QByteArrayView piece) = 0;
    virtual QStringList end() = 0;
};

struct LeftFiles
{
    int workspace = -1; // a folder (openFolderPlace() will do) that nobody can change any more
    QString run; // id
    QList<InnerFile> given; // what was put there; a file that is as it was given is none of the run's
    Stamps untouched; // files that were there before; one that is as it was is none of the run's
    QList<QByteArray> mounted; // below the workspace: where folders of the person were shown
    CollectionLimits limits;
    SecretSearch *search = nullptr; // null: nothing was lent
    std::stop_token stop;
};

struct Collection
{
    QList<Artifact> kept; // in the store, also after a power cut
    QList<SkippedFiles> skipped; // by reason

    bool operator==(const Collection &) const = default;
};

// Never follows a link, leaves the file system, waits for a FIFO, or goes through more than two million entries. Blocks for the disk.
Collection collectFiles(const ContentStore &store, const LeftFiles &left);

} // namespace glovebox
