// SPDX-License-Identifier: Apache-2.0
// The files that a run left, as they are on record, and the person's word about those that are withheld.
#pragma once

#include "artifact.h"
#include "store/contentstore.h"

#include "engine/audit/audit.h"
#include "engine/policy/policy.h"

namespace glovebox {

// By their numbers, which begin with 0. Empty for a run that isn't over, and where an entry can't be read.
Result<QList<Artifact>> artifactsOf(const AuditReader &reader, const QString &run);
// The same of entries that are at hand. digests: AuditReader::artifactDigests(), for those that are withheld.
QList<Artifact> artifactsIn(const QList<QJsonObject> &entries, const QMap<qsizetype, QByteArray> &digests);

// Why others of its files aren't kept: sentences with their names.
Result<QList<Text>> whyNotKept(const AuditReader &reader, const QString &run);
QList<Text> whyNotKept(const QList<RunEvent> &events);

// Whether it is there as it was kept, withheld or not. NotFound, Damaged. Blocks for the disk.
Status verifyArtifact(const ContentStore &store, const QString &run, const Artifact &artifact);

// From now on it is kept like any other: on record first. NotFound and Damaged, where there is no such file, or it isn't there as it was
// kept; done already: nothing is done. Blocks for the disk.
Status releaseOnRecord(const ContentStore &store, AuditLog &log, const AuditReader &reader, const QString &run,
                       qsizetype number, const Caller &caller);

} // namespace glovebox
