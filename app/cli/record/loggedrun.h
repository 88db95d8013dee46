// SPDX-License-Identifier: Apache-2.0
// All that is on record of a run, held to the hashes that the log has of it.
#pragma once

#include "engine/artifacts/artifacts.h"
#include "engine/audit/audit.h"

#include <QStringList>

namespace glovebox {

// A body with what became of it.
struct ShownBody
{
    StoredBody stored;
    QString state; // "kept", "deleted", "missing", "damaged"
    QByteArray content; // of a kept one
    QString remark; // why it can't be shown
};

struct LoggedRun
{
    QString run; // empty: an entry that belongs to none
    QList<StoredEntry> entries;
    QList<ShownBody> bodies;
    QStringList doubts; // what isn't as it was written, a sentence each
};

// wanted: as for findRun(). Whoever can write to the log can also give an entry the hash that it then needs: no doubts are no proof.
Result<LoggedRun> readLogged(const AuditReader &reader, const ContentStore &store, const QByteArray &wanted);

} // namespace glovebox
